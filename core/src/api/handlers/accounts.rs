//! Passwords of logins, and the links that set them.

use super::{
    issue::{calling_account, revoked, verify},
    stores::in_path,
};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, OneTimeSecret, plain},
        confirmation, guards,
        problem::{FieldError, Problem, ProblemCode},
        routes::Endpoint,
        validate,
    },
    changes::{Changes, Write},
    drivers::mail,
    host::{Host, KeyQuery, UserQuery},
    model::{
        UserId,
        store::{Key, KeyKind, User},
    },
    rules::accounts::{Account, CodeOwner, link_mail},
    wire::PasswordLinkView,
};

/// `POST /delivery/password`
pub(super) async fn change_password<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let (current, new) = validate::password_change(call.read()?)?;
    let key = calling_session(call)?.clone();
    let account = calling_account(call).await?;
    verify(call, &account, &current).await?;
    set_password(call, account, &new, Some(&key)).await
}

/// Returns the calling session, which has a password.
pub(super) fn calling_session<'a, H: Host>(call: &'a Call<'_, H>) -> Result<&'a Key, Problem> {
    let key = &call.caller()?.key;
    if key.kind == KeyKind::Panel {
        return Ok(key);
    }
    Err(Problem::new(
        ProblemCode::SessionRequired,
        "An API key has no password. Log in with POST /delivery/sessions, and send this request with the session.",
        "Uma chave de API não tem senha. Faça login com POST /delivery/sessions e envie esta requisição com a sessão.",
    ))
}

/// `POST /delivery/password/reset`
pub(super) async fn reset_password<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let (code, new) = validate::password_reset(call.read()?)?;
    let account = match CodeOwner::of(&code) {
        Some(CodeOwner::Store(id)) => call
            .host
            .store(id)
            .await?
            .map(|store| Account::Store(Box::new(store))),
        Some(CodeOwner::User(id)) => call
            .host
            .find_users(UserQuery::Id(id))
            .await?
            .pop()
            .map(|user| Account::User(Box::new(user))),
        None => None,
    };
    let account = account.filter(|account| account.accepts(&code, call.context.now));
    let Some(account) = account else {
        return Err(
            guards::unknown_key(call, plain(ProblemCode::PasswordLinkInvalid))
                .await?
                .into(),
        );
    };
    if call.host.store(account.store()).await?.is_none() {
        return Err(plain(ProblemCode::PasswordLinkInvalid).into());
    }
    set_password(call, account, &new, None).await
}

/// Sets a login's password and ends its sessions except `own`.
async fn set_password<H: Host>(
    call: &mut Call<'_, H>,
    mut account: Account,
    password: &str,
    own: Option<&Key>,
) -> Result<ApiResponse, HandlerError> {
    let now = call.context.now;
    let mut keys = ended_sessions(call, &account).await?;
    keys.retain(|write| own.is_none_or(|own| write.value.id != own.id));
    account.set_password(
        call.host
            .hash_password(password, call.context.entropy.bytes())
            .await?,
    );
    let response = ApiResponse::empty(204);
    call.commit(
        Changes {
            keys,
            ..account.write(now)
        },
        &response,
    )
    .await?;
    Ok(response)
}

/// Returns the writes that end all sessions of a login.
pub(super) async fn ended_sessions<H: Host>(
    call: &Call<'_, H>,
    account: &Account,
) -> Result<Vec<Write<Key>>, HandlerError> {
    let now = call.context.now;
    let keys = call
        .host
        .find_keys(KeyQuery::Store(account.store()))
        .await?;
    let sessions = keys
        .iter()
        .map(|holder| &holder.key)
        .filter(|key| account.has_session(key, now));
    Ok(sessions
        .map(|session| revoked(session.clone(), now))
        .collect())
}

/// `POST /delivery/users/{userId}/password-link` and `POST /admin/stores/{storeId}/password-link`
pub(super) async fn create_link<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let mut account = if endpoint == Endpoint::CreatePasswordLink {
        validate::confirmation(call.read()?)?;
        Account::User(Box::new(find_user(call).await?))
    } else {
        let user = validate::login_name(call.read()?)?;
        let store = in_path(call).await?;
        match user {
            None => Account::Store(Box::new(store)),
            Some(id) => {
                let user = call.host.find_users(UserQuery::Id(id)).await?.pop();
                let user = user.filter(|user| user.store == store.id);
                Account::User(Box::new(user.ok_or_else(unknown_user)?))
            }
        }
    };
    confirmation::confirm(call).await?;
    let (mut view, secret) = link(call, &mut account);
    let response = ApiResponse {
        secret: Some(secret),
        ..ApiResponse::json(201, &view)?
    };
    call.commit(account.write(call.context.now), &response)
        .await?;
    mail_link(call, &account, &mut view).await?;
    Ok(ApiResponse {
        secret: response.secret,
        ..ApiResponse::json(201, &view)?
    })
}

/// Loads the user in the path, if the caller oversees the user's store.
pub(super) async fn find_user<H: Host>(call: &Call<'_, H>) -> Result<User, HandlerError> {
    let user = match UserId::parse(call.id) {
        Some(id) => call.host.find_users(UserQuery::Id(id)).await?.pop(),
        None => None,
    };
    let user = user.ok_or_else(|| plain(ProblemCode::UserNotFound))?;
    let caller = &call.caller()?.store;
    let store = call
        .host
        .store(user.store)
        .await?
        .filter(|store| caller.oversees(store));
    store
        .map(|_| user)
        .ok_or_else(|| plain(ProblemCode::UserNotFound).into())
}

fn unknown_user() -> Problem {
    let code = ProblemCode::UserNotFound;
    let error = FieldError {
        pointer: "/userId".to_owned(),
        code: code.name(),
        detail: code.detail(),
    };
    plain(code).with_errors(vec![error])
}

/// Issues a link for a login, which the caller writes.
fn link<H: Host>(
    call: &mut Call<'_, H>,
    account: &mut Account,
) -> (PasswordLinkView, OneTimeSecret) {
    let settings = call.settings;
    let (prefix, nonce, expires_at) = account.issue_link(
        settings.accounts.link_minutes,
        &settings.secret,
        &mut call.context,
    );
    let secret = OneTimeSecret::of_key(settings, nonce);
    let code = format!("{prefix}{}", secret.text);
    // Browsers do not send the part after `#` to any server, so no log contains the code.
    let url = settings
        .public_url
        .as_deref()
        .map(|url| format!("{url}/#/password/{code}"));
    (
        PasswordLinkView {
            code,
            url,
            expires_at: expires_at.to_string(),
            mailed: None,
        },
        secret,
    )
}

/// Mails a link that was committed. A sandbox store sends no mail, because anyone may have its key,
/// and a merchant only within its quota.
pub(super) async fn mail_link<H: Host>(
    call: &Call<'_, H>,
    account: &Account,
    view: &mut PasswordLinkView,
) -> Result<(), HandlerError> {
    let (Some(url), true) = (&view.url, call.settings.mail) else {
        return Ok(());
    };
    let store = call
        .host
        .store(account.store())
        .await?
        .filter(|store| !store.sandbox);
    let Some(store) = store else { return Ok(()) };
    let is_admitted = call.caller.is_none()
        || mail::admit(
            call.host,
            call.settings,
            store.merchant(),
            account.email(),
            call.context.now,
        )
        .await?;
    view.mailed = if is_admitted {
        let mail = link_mail(
            account,
            url,
            call.settings.accounts.link_minutes,
            call.language,
        );
        call.host.send_mail(&mail).await
    } else {
        Some(false)
    };
    Ok(())
}

/// Issues a link for a new user. Returns the user with it.
pub(super) fn link_of_user<H: Host>(
    call: &mut Call<'_, H>,
    user: User,
) -> (User, PasswordLinkView, OneTimeSecret) {
    let mut account = Account::User(Box::new(user.clone()));
    let (view, secret) = link(call, &mut account);
    match account {
        Account::User(user) => (*user, view, secret),
        Account::Store(_) => (user, view, secret),
    }
}
