//! `GET /delivery/stores/{storeId}/service-area`

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
    wire::StoreAreaBody,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "GET /delivery/stores/{storeId}/service-area");

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "getStoreArea",
    summary: "Get the service area",
    description: "Of the calling store or, for a parent store, of one of its branches.",
    responses: &[(200, Some("StoreArea"), "The area.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = overseen(call).await?;
    Ok(ApiResponse::json(
        200,
        &StoreAreaBody::of(store.area.as_ref()),
    )?)
}
