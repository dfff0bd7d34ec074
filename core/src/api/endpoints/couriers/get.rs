//! `GET /admin/couriers/{courierId}`

use super::record::{find, status};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::CourierRecord,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/couriers/{courierId}");

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "getCourier",
    summary: "Get a courier",
    description: "Returns the courier with the last known position and the current order.",
    responses: &[(200, Some("CourierRecord"), "The courier.")],
    parameters: &["courierId"],
    codes: &[ProblemCode::CourierNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let courier = find(call).await?;
    let status = status(call, &courier).await?;
    Ok(ApiResponse::json(
        200,
        &CourierRecord::of(&courier, &status),
    )?)
}
