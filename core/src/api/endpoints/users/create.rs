//! `POST /delivery/users`

use crate::{
    api::{
        call::{Call, HandlerError, plain, retry, too_few},
        confirmation,
        endpoints::{
            passwords::links::{link_of_user, mail_link},
            stores::registration::{count_registration, unclaimed},
        },
        operation::{Operation, RequestBody},
        problem::{FieldError, Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::{Changes, Write},
    host::{Host, UserQuery},
    model::{UserId, store::User},
    rules::accounts::Account,
    wire::{UserCreated, UserView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/users")
    .owner()
    .leaves(Lasting::Access)
    .audit("user.created", Subject::User)
    .reads_password();

pub(crate) const DOC: Operation = Operation {
    tag: "Users",
    id: "createUser",
    summary: "Create a user",
    description: "Creates a user of the calling store or, with `storeId`, of one of its branches. \
        The user has no password: `link` is a one-time link that sets it, returned only once. A \
        panel session must confirm the request: with the password of its login as \
        `currentPassword`, or by `POST /delivery/sessions/confirmation` up to five minutes before; \
        attempts count as logins.",
    request: RequestBody::Required("CreateUser"),
    responses: &[(201, Some("UserCreated"), "The new user, with the link.")],
    codes: &[
        ProblemCode::StoreNotFound,
        ProblemCode::EmailTaken,
        ProblemCode::StoreConflict,
        ProblemCode::TooManyUsers,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

fn unknown_store() -> Problem {
    let code = ProblemCode::StoreNotFound;
    let error = FieldError {
        pointer: "/storeId".to_owned(),
        code: code.name(),
        detail: code.detail(),
    };
    plain(code).with_errors(vec![error])
}
