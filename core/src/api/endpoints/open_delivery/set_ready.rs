//! `POST /v1/logistics/readyForPickup/{orderId}`

use super::{
    access::find,
    standard::standard_error,
    steps::{empty_response, invalid_step, rewrite, update},
};
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::orders::signal::take_signal,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    changes::Changes,
    host::Host,
    model::order::{OpenDelivery, Order},
    rules::lifecycle::{Signal, StepOutcome},
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Connection,
    "POST /v1/logistics/readyForPickup/{orderId}",
)
.leaves(Lasting::Nothing)
.without_body();

pub(crate) const DOC: Operation = Operation {
    tag: "Open Delivery",
    id: "setReadyForPickup",
    summary: "The goods are ready",
    description: "Reports that the goods are ready. With `notifyReadyForPickup`, the courier can \
        pick them up only afterwards. Sending it again has no effect.",
    responses: &[(200, None, "The goods are ready.")],
    parameters: &["openDeliveryOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::ValidationFailed,
        ProblemCode::DeliveryRejected,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = find(call).await?;
    set_ready(call, &order).await.map_err(standard_error)
}

async fn set_ready<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
) -> Result<ApiResponse, HandlerError> {
    if order.status.is_final() {
        return Err(invalid_step(order).into());
    }
    let is_waiting = order
        .open_delivery
        .as_deref()
        .is_some_and(|own| own.awaits_ready);
    let stops_waiting = |own: &mut OpenDelivery| own.awaits_ready = false;
    match take_signal(call, order, &Signal::Ready).await? {
        Ok(StepOutcome::Now(moved)) => {
            let (moved, mut changes) = *moved;
            changes
                .orders
                .iter_mut()
                .for_each(|write| update(&mut write.value, stops_waiting));
            let response = empty_response(&moved, call.language)?;
            call.commit(changes, &response).await?;
            Ok(response)
        }
        // The preparation time is over, or a courier was searched before its end.
        _ if is_waiting => rewrite(call, order.clone(), stops_waiting, Changes::default()).await,
        _ => Ok(empty_response(order, call.language)?),
    }
}
