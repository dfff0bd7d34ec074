//! `POST /courier/orders/{platformOrderId}/resequence`

use super::step::{read_stop, take};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    host::Host,
    rules::lifecycle::Carry,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Courier,
    "POST /courier/orders/{platformOrderId}/resequence",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierResequence",
    summary: "Postpone a delivery",
    description: "From 320 or 330 back to 310. Then another delivery can be current.",
    request: RequestBody::Step("NameDelivery"),
    responses: &[(200, Some("CourierOrder"), "The updated order.")],
    parameters: &["platformOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::ValidationFailed,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    take(call, |call| read_stop(call, Carry::Resequence)).await
}
