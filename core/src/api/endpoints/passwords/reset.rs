//! `POST /delivery/password/reset`

use super::sessions::set_password;
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        guards,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::{Host, UserQuery},
    rules::{
        accounts::{Account, CodeOwner},
        limits::Usage,
    },
};

pub(crate) const ROUTE: Route = Route::new(Access::Public, "POST /delivery/password/reset")
    .quota(Usage::Login)
    .leaves(Lasting::OwnSecret)
    .audit("password.reset", Subject::Login);

pub(crate) const DOC: Operation = Operation {
    tag: "Sessions",
    id: "resetPassword",
    summary: "Set a password with a link",
    description: "Sets the password of a login with the code of a one-time link, and ends all \
        sessions of the login. Unknown, used and expired codes return the same problem, and count \
        as unknown keys of the IP address. Requests are never replayed.",
    request: RequestBody::Required("ResetPassword"),
    responses: &[(204, None, "The password was set.")],
    codes: &[ProblemCode::PasswordLinkInvalid, ProblemCode::RateLimited],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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
