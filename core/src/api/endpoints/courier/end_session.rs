//! `DELETE /courier/session`

use crate::{
    api::{
        call::{Call, HandlerError},
        cookie, guards,
        operation::Operation,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
    },
    host::Host,
    rules::couriers,
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "DELETE /courier/session")
    .leaves(Lasting::Nothing)
    .audit("courier.signed-out", Subject::Courier);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "endCourierSession",
    summary: "Sign out",
    description: "Ends the session of the cookie and removes the cookie. With the courier's key it \
        ends every session of the courier.",
    responses: &[(204, None, "The session has ended.")],
    sets_cookie: true,
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let session = guards::session(call.parts, &cookie::COURIER);
    let changes = couriers::end_sessions(call.courier()?, session, call.context.now);
    let response = ApiResponse {
        cookie: Some(cookie::COURIER.end(call.settings)),
        ..ApiResponse::empty(204)
    };
    if let Some(changes) = changes {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}
