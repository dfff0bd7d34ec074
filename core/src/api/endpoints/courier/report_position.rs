//! `POST /courier/position`

use super::position::store_position;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    geo::Gazetteer,
    host::Host,
    rules::couriers,
    wire::PositionResult,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Courier, "POST /courier/position").leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "reportPosition",
    summary: "Report your position",
    description: "At most one position in 20 seconds is stored; the deployment can set another \
        interval. Other positions return `stored: false`. An available courier who reports nothing \
        for 5 minutes gets no new order. A courier with an order who reports nothing for 10 \
        minutes before the pickup loses the order.",
    request: RequestBody::Required("ReportPosition"),
    responses: &[(
        200,
        Some("PositionResult"),
        "Whether the position was stored.",
    )],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let now = call.context.now;
    let (point, taken) = validate::position(call.read()?, Gazetteer::embedded(), now)?;
    let noted = couriers::record_position(call.courier()?, point, taken, now, call.settings);
    let response = ApiResponse::json(200, &PositionResult::of(&noted))?;
    if let Some(position) = noted.stored {
        store_position(call, position, &response).await?;
    }
    Ok(response)
}
