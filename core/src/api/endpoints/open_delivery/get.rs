//! `GET /v1/logistics/delivery/{orderId}`

use super::access::find;
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    drivers::connection,
    host::Host,
    rules::tracking,
    wire::open_delivery::LogisticsDetails,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Connection, "GET /v1/logistics/delivery/{orderId}");

pub(crate) const DOC: Operation = Operation {
    tag: "Open Delivery",
    id: "getDelivery",
    summary: "Read a delivery",
    description: "Returns the last attempt with this `orderId`.",
    responses: &[(200, Some("LogisticsDetails"), "The delivery.")],
    parameters: &["openDeliveryOrderId"],
    codes: &[ProblemCode::OrderNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = find(call).await?;
    let history = call.host.events(order.id).await?;
    let vehicle = connection::vehicle(call.host, &order).await?;
    let url = order
        .deliveries
        .iter()
        .find_map(|delivery| tracking::url(call.settings, delivery));
    let (_, merchant) = call.connection()?;
    let details = LogisticsDetails::of(&order, &history, merchant, vehicle, url);
    Ok(ApiResponse::json(
        200,
        &details.ok_or_else(|| plain(ProblemCode::OrderNotFound))?,
    )?)
}
