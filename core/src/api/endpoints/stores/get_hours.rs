//! `GET /delivery/stores/{storeId}/hours`

use super::access::overseen;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    model::store::Store,
    wire::StoreHoursBody,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/stores/{storeId}/hours");

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "getStoreHours",
    summary: "Get the opening hours",
    description: "Of the calling store or, for a parent store, of one of its branches.",
    responses: &[(200, Some("StoreHours"), "The hours.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    Ok(hours_response(&overseen(call).await?)?)
}

pub(super) fn hours_response(store: &Store) -> Result<ApiResponse, Problem> {
    let preparation_time = store.preparation_minutes.map(f64::from);
    ApiResponse::json(
        200,
        &StoreHoursBody {
            preparation_time,
            ..StoreHoursBody::of(&store.hours)
        },
    )
}
