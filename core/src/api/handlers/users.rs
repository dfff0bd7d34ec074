//! Users of a store and of its branches.

use super::{
    accounts::{ended_sessions, find_user, link_of_user, mail_link},
    pages,
    stores::{count_registration, unclaimed},
};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain, retry, too_few},
        confirmation,
        problem::{FieldError, Problem, ProblemCode},
        routes::Endpoint,
        validate,
    },
    changes::{Changes, Write},
    host::{Host, UserQuery},
    model::{StoreId, UserId, store::User},
    rules::accounts::{self, Account},
    wire::{UserCreated, UserList, UserView},
};

/// `POST /delivery/users`
pub(super) async fn create<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let new = validate::new_user(call.read()?)?;
    confirmation::confirm(call).await?;
    let caller = call.caller()?.store.clone();
    let store = match new.store.filter(|id| *id != caller.id) {
        None => caller.id,
        Some(id) => {
            let store = call
                .host
                .store(id)
                .await?
                .filter(|store| caller.oversees(store));
            store.ok_or_else(unknown_store)?.id
        }
    };
    let (max, merchant) = (call.settings.limits.users, caller.merchant());
    if call.host.find_users(UserQuery::Store(store)).await?.len() >= max as usize {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::TooManyUsers,
            format!(
                "A store can have at most {max} users. Remove one, or request a higher limit from the operator."
            ),
            format!(
                "Uma loja pode ter no máximo {max} usuários. Remova um ou peça um limite maior ao operador."
            ),
        )));
    }
    count_registration(call, merchant).await?;
    retry!(call, async {
        // Another request may have taken the email meanwhile.
        unclaimed(call, None, &new.email, None, Some(merchant)).await?;
        let now = call.context.now;
        let user = User {
            id: call.ids(1).await?.take(UserId::new).ok_or_else(too_few)?,
            version: 1,
            store,
            name: new.name.clone(),
            email: new.email.clone(),
            role: new.role,
            password_hash: None,
            link: None,
            origins: Vec::new(),
            created_at: now,
            removed_at: None,
        };
        let (user, link, secret) = link_of_user(call, user);
        let mut created = UserCreated {
            user: UserView::of(&user),
            link,
        };
        let response = ApiResponse {
            secret: Some(secret),
            ..ApiResponse::json(201, &created)?
        };
        let account = Account::User(Box::new(user.clone()));
        call.commit(
            Changes {
                at: now,
                users: vec![Write::insert(user)],
                ..Changes::default()
            },
            &response,
        )
        .await?;
        mail_link(call, &account, &mut created.link).await?;
        Ok(ApiResponse {
            secret: response.secret,
            ..ApiResponse::json(201, &created)?
        })
    })
}

/// `GET /delivery/users?storeId=`
pub(super) async fn list<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = pages::named_store(call).await?.id;
    of_store(call, store).await
}

/// Returns the users of a store.
pub(super) async fn of_store<H: Host>(
    call: &Call<'_, H>,
    store: StoreId,
) -> Result<ApiResponse, HandlerError> {
    let users = call.host.find_users(UserQuery::Store(store)).await?;
    Ok(ApiResponse::json(
        200,
        &UserList {
            users: users.iter().map(UserView::of).collect(),
        },
    )?)
}

/// `PATCH /delivery/users/{userId}` and `DELETE /delivery/users/{userId}`
pub(super) async fn change<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let now = call.context.now;
    let (write, ends, response) = if endpoint == Endpoint::RemoveUser {
        (
            accounts::removed(find_user(call).await?, now),
            true,
            ApiResponse::empty(204),
        )
    } else {
        let (name, role) = validate::user_update(call.read()?)?;
        let user = find_user(call).await?;
        let (expected, former) = (user.version, user.role);
        if role.is_some_and(|role| role != former) {
            confirmation::confirm(call).await?;
        }
        let value = User {
            name: name.unwrap_or(user.name),
            role: role.unwrap_or(former),
            ..user
        };
        let response = ApiResponse::json(200, &UserView::of(&value))?;
        (
            Write {
                expected,
                value: value.clone(),
            },
            value.role != former,
            response,
        )
    };
    let account = Account::User(Box::new(write.value.clone()));
    let keys = if ends {
        ended_sessions(call, &account).await?
    } else {
        Vec::new()
    };
    call.commit(
        Changes {
            at: now,
            users: vec![write],
            keys,
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}

fn unknown_store() -> Problem {
    let code = ProblemCode::StoreNotFound;
    let error = FieldError {
        pointer: "/storeId".to_owned(),
        code: code.name(),
        detail: code.detail(),
    };
    plain(code).with_errors(vec![error])
}
