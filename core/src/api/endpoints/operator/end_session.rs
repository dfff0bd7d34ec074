//! `DELETE /admin/session`

use crate::{
    api::{
        call::{Call, HandlerError},
        cookie,
        operation::Operation,
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Operator, "DELETE /admin/session").leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "endOperatorSession",
    summary: "Sign out as the operator",
    description: "Removes the cookie. The service stores no sessions, so a copy of the cookie \
        stays valid until it expires or the token changes.",
    responses: &[(204, None, "The cookie is removed.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    Ok(ApiResponse {
        cookie: Some(cookie::OPERATOR.end(call.settings)),
        ..ApiResponse::empty(204)
    })
}
