//! `GET /admin/couriers/{courierId}/cash`

use super::balances::balances;
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    model::CourierId,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Operator, "GET /admin/couriers/{courierId}/cash");

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "showCashOfCourier",
    summary: "Get the cash of a courier",
    description: "Returns what a courier has in hand for each store since the last closing, and the \
        courier's limit. `PATCH /admin/couriers/{courierId}` sets the limit.",
    responses: &[(200, Some("CourierCash"), "A page of stores.")],
    parameters: &["courierId", "cursor", "limit"],
    codes: &[ProblemCode::CourierNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let courier = match CourierId::parse(call.id) {
        Some(id) => call.host.courier(id).await?,
        None => None,
    };
    let courier = courier.ok_or_else(|| plain(ProblemCode::CourierNotFound))?;
    balances(call, &courier).await
}
