//! `POST /delivery/orders/{platformOrderId}/delay`

use super::{access::visible, signal::signal};
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
    "POST /delivery/orders/{platformOrderId}/delay",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "delayOrder",
    summary: "Delay an order",
    description: "During preparation, adds `minutes` to the time when the goods are ready; the \
        search for a courier starts correspondingly later. Send an `Idempotency-Key`: each request \
        adds its minutes.",
    request: RequestBody::Required("DelayOrder"),
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
    let limits = &call.settings.limits;
    let delay = Signal::Delay {
        minutes: validate::delay(call.read()?, limits)?,
        max: limits.preparation_minutes,
    };
    signal(call, order, &delay).await
}
