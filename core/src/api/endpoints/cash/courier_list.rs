//! `GET /courier/cash`

use super::balances::balances;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "GET /courier/cash");

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "showCourierCash",
    summary: "Get the cash in hand",
    description: "Returns what the calling courier has in hand for each store since the last \
        closing: float and collected minus handed over. Cash belongs to the courier and the store.",
    responses: &[(200, Some("CourierCash"), "A page of stores.")],
    parameters: &["cursor", "limit"],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    balances(call, call.courier()?).await
}
