//! `POST /v1/logistics/orderPicked/{orderId}`

use super::{
    access::find,
    standard::standard_error,
    steps::{empty_response, invalid_step, update},
};
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::orders::{access::carrier, steps::conclude},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    host::Host,
    model::order::{Order, OrderStatus},
    rules::{
        lifecycle::{self, Carry},
        trips::TripContext,
    },
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Connection,
    "POST /v1/logistics/orderPicked/{orderId}",
)
.leaves(Lasting::Nothing)
.without_body();

pub(crate) const DOC: Operation = Operation {
    tag: "Open Delivery",
    id: "setOrderPicked",
    summary: "The courier has the goods",
    description: "Confirms the pickup instead of the courier, who must be at the pickup. Sending \
        it again has no effect.",
    responses: &[(200, None, "The pickup is confirmed.")],
    parameters: &["openDeliveryOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::ValidationFailed,
        ProblemCode::DeliveryRejected,
        ProblemCode::ProofRequired,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = find(call).await?;
    set_picked(call, &order).await.map_err(standard_error)
}

async fn set_picked<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
) -> Result<ApiResponse, HandlerError> {
    if order.status >= OrderStatus::OutForDelivery && order.status <= OrderStatus::NotDelivered {
        return Ok(empty_response(order, call.language)?);
    }
    let mut waiting = order.clone();
    update(&mut waiting, |own| {
        (own.awaits_ready, own.awaits_pickup) = (false, false)
    });
    let courier = carrier(call, order)
        .await?
        .ok_or_else(|| invalid_step(order))?;
    let act = Carry::PickUp {
        code: order.pickup_code.clone(),
    };
    let mut ids = call.ids(1).await?;
    let trip = TripContext {
        others: &[],
        next: None,
    };
    let result = lifecycle::carry(&waiting, &courier, trip, &act, &mut ids, &mut call.context);
    conclude(
        call,
        order,
        result.map_err(|failed| failed.error),
        empty_response,
    )
    .await
}
