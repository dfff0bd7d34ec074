//! `GET /delivery/stores/{storeId}`

use super::access::overseen;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::StoreView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/stores/{storeId}");

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "getStore",
    summary: "Get a store",
    description: "A store has access to itself, and a parent store also to its branches; any other \
        store returns 404.",
    responses: &[(200, Some("Store"), "The store.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    Ok(ApiResponse::json(
        200,
        &StoreView::of(&overseen(call).await?, call.caller()?.key.role()),
    )?)
}
