//! `DELETE /delivery/users/{userId}`

use super::access::find_user;
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::passwords::sessions::ended_sessions,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
    },
    changes::Changes,
    host::Host,
    rules::accounts::{self, Account},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "DELETE /delivery/users/{userId}")
    .owner()
    .leaves(Lasting::Nothing)
    .audit("user.removed", Subject::User);

pub(crate) const DOC: Operation = Operation {
    tag: "Users",
    id: "removeUser",
    summary: "Remove a user",
    description: "Ends the user's sessions. The email can be used again.",
    responses: &[(204, None, "The user was removed.")],
    parameters: &["userId"],
    codes: &[ProblemCode::UserNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let at = call.context.now;
    let write = accounts::removed(find_user(call).await?, at);
    let keys = ended_sessions(call, &Account::User(Box::new(write.value.clone()))).await?;
    let response = ApiResponse::empty(204);
    call.commit(
        Changes {
            at,
            users: vec![write],
            keys,
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}
