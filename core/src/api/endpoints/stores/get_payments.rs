//! `GET /delivery/stores/{storeId}/payments`

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
    wire::StorePaymentsView,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "GET /delivery/stores/{storeId}/payments");

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "getStorePayments",
    summary: "Get the settings of payments at the door",
    description: "Of the calling store or, for a parent store, of one of its branches.",
    responses: &[(200, Some("StorePayments"), "The settings.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = overseen(call).await?;
    Ok(ApiResponse::json(
        200,
        &StorePaymentsView::of(&store.payments),
    )?)
}
