//! `GET /admin/dispatch`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::DispatchSettings,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/dispatch").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "getDispatch",
    summary: "Get the dispatch settings",
    description: "Returns the deployment's settings that a draft can change. They come from its \
        configuration.",
    responses: &[(200, Some("DispatchSettings"), "The settings.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    Ok(ApiResponse::json(
        200,
        &DispatchSettings::of(&call.settings.dispatch),
    )?)
}
