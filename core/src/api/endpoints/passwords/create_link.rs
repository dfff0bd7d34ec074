//! `POST /delivery/users/{userId}/password-link`

use super::links::issue_link;
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::users::access::find_user,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
    rules::accounts::Account,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "POST /delivery/users/{userId}/password-link")
        .owner()
        .leaves(Lasting::Access)
        .audit("password-link.issued", Subject::Login)
        .reads_password();

pub(crate) const DOC: Operation = Operation {
    tag: "Users",
    id: "createPasswordLink",
    summary: "Issue a link that sets a password",
    description: "Issues a one-time link with which the user sets a password, within an hour \
        unless the deployment configures another time. It replaces the previous link. `code` and \
        `url` are returned only once. A panel session must confirm the request: with the password \
        of its login as `currentPassword`, or by `POST /delivery/sessions/confirmation` up to five \
        minutes before; attempts count as logins. Otherwise send `{}`.",
    request: RequestBody::Required("ConfirmPassword"),
    responses: &[(201, Some("PasswordLink"), "The new link.")],
    parameters: &["userId"],
    codes: &[ProblemCode::UserNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    validate::confirmation(call.read()?)?;
    let user = find_user(call).await?;
    issue_link(call, Account::User(Box::new(user))).await
}
