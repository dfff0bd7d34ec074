//! `POST /delivery/orders/{platformOrderId}/return`

use super::{access::visible, signal::signal, steps::known};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    model::OrderId,
    rules::lifecycle::Signal,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Store,
    "POST /delivery/orders/{platformOrderId}/return",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "returnDelivery",
    summary: "Return a delivery",
    description: "While the courier has the delivery. Give the courier the `returnCode` after you \
        have received the goods.",
    request: RequestBody::Required("GiveDeliveryReason"),
    responses: &[(200, Some("Order"), "The updated order.")],
    parameters: &["platformOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::ValidationFailed,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = visible(call, OrderId::parse(call.id)).await?;
    let (stop, reason) = validate::delivery_reason(call.read()?)?;
    let stop = known(stop)?;
    signal(call, order, &Signal::TurnBack { stop, reason }).await
}
