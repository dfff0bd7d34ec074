//! `POST /delivery/orders/{platformOrderId}/discard`

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
    "POST /delivery/orders/{platformOrderId}/discard",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "discardDelivery",
    summary: "Discard a delivery",
    description: "While the courier is at the door and cannot hand the delivery over. The delivery \
        ends with 550 and is not returned.",
    request: RequestBody::Required("NameDelivery"),
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
    let stop = known(validate::delivery(call.read()?)?)?;
    signal(call, order, &Signal::Discard(stop)).await
}
