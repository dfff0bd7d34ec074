//! `GET /admin/stores/{storeId}/dispatch`

use super::access::in_path;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::StoreDispatchView,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Operator, "GET /admin/stores/{storeId}/dispatch");

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "getStoreDispatch",
    summary: "Get the dispatch terms of a store",
    description: "Returns the store's own terms and those that apply.",
    responses: &[(200, Some("StoreDispatch"), "The terms.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = in_path(call).await?;
    Ok(ApiResponse::json(
        200,
        &StoreDispatchView::of(&store, &call.settings.dispatch),
    )?)
}
