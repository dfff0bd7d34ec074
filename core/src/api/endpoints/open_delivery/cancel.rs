//! `POST /v1/logistics/cancel/{orderId}`

use super::{access::find, standard::standard_error, steps::resolve};
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::orders::{access::carrier, signal::calling_person, steps::conclude},
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        read::read,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    model::{
        Language, Money,
        order::{Order, OrderStatus},
    },
    rules::lifecycle,
    wire::open_delivery::CancelResponse,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Connection, "POST /v1/logistics/cancel/{orderId}").leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Open Delivery",
    id: "cancelDelivery",
    summary: "Cancel a delivery",
    description: "Cancels a delivery before the pickup. If the goods are on the way, `action` \
        decides between their return and the discard. Sending it again has no effect.",
    request: RequestBody::Required("CancelDelivery"),
    responses: &[(
        202,
        Some("CancelResponse"),
        "The delivery is cancelled, or the goods are returned.",
    )],
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
    cancel(call, &order).await.map_err(standard_error)
}

async fn cancel<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
) -> Result<ApiResponse, HandlerError> {
    let (decision, reason) = validate::delivery_cancellation(read(call.body)?)?;
    if order.status >= OrderStatus::OutForDelivery && order.status < OrderStatus::Cancelled {
        return resolve(call, order, decision, reason, cancellation_response).await;
    }
    let (courier, by) = (carrier(call, order).await?, calling_person(call)?);
    let rules = &call.settings.cancellation;
    let result = lifecycle::cancel(
        order,
        courier.as_ref(),
        by,
        Some(reason),
        rules,
        &call.context,
    );
    conclude(call, order, result, cancellation_response).await
}

fn cancellation_response(order: &Order, _: Language) -> Result<ApiResponse, Problem> {
    ApiResponse::json(
        202,
        &CancelResponse {
            additional_charges: order.cancellation_fee > Money::ZERO,
        },
    )
}
