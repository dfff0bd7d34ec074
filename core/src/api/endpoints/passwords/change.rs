//! `POST /delivery/password`

use super::sessions::{calling_session, set_password};
use crate::{
    api::{
        call::{Call, HandlerError},
        credentials::{calling_account, verify},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/password")
    .leaves(Lasting::OwnSecret)
    .audit("password.changed", Subject::Login)
    .stores_no_response();

pub(crate) const DOC: Operation = Operation {
    tag: "Sessions",
    id: "changePassword",
    summary: "Change your password",
    description: "Changes the password of the calling session's login, and ends all its other \
        sessions. Only a panel session can send this request. Attempts count as logins. Requests \
        are never replayed: an `Idempotency-Key` has no effect.",
    request: RequestBody::Required("ChangePassword"),
    responses: &[(204, None, "The password was changed.")],
    codes: &[ProblemCode::PasswordRequired, ProblemCode::SessionRequired],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (current, new) = validate::password_change(call.read()?)?;
    let key = calling_session(call)?.clone();
    let account = calling_account(call).await?;
    verify(call, &account, &current).await?;
    set_password(call, account, &new, Some(&key)).await
}
