//! `POST /delivery/orders/cancel`

use super::{
    access::{carrier, visible},
    replan::{Measured, replanned},
    signal::calling_person,
    steps::{conclude, known, order_view, step_problem},
};
use crate::{
    api::{
        call::{Call, HandlerError, retry},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        tariff, validate,
    },
    drivers::clock,
    host::Host,
    model::{DeliveryId, OrderId, Person, order::Order},
    rules::lifecycle::{self, Repricing},
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "POST /delivery/orders/cancel").leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "cancelOrder",
    summary: "Cancel an order or one delivery",
    description: "The terms are those of `/delivery/orders/{platformOrderId}/cancellation`. The \
        fee is refunded in the same transaction, less the cost of the cancellation. With \
        `deliveryId` only that delivery is cancelled: the remaining route is priced again, and the \
        difference is refunded on the same terms. Cancelling all deliveries one by one costs as \
        much as cancelling the order. Cancelling again has no effect.",
    request: RequestBody::Required("CancelOrder"),
    responses: &[(200, Some("Order"), "The updated order.")],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::ReturnRequired,
        ProblemCode::ValidationFailed,
        ProblemCode::OutOfArea,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let validate::Cancelled {
        order: id,
        reason,
        stop,
    } = validate::cancel(call.read()?)?;
    let mut measured = None;
    retry!(call, async {
        let order = visible(call, OrderId::new(id)).await?;
        let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
        let (by, reason) = (calling_person(call)?, reason.clone());
        if let Some(stop) = stop {
            return cancel_stop(call, &order, known(stop)?, by, reason, &mut measured).await;
        }
        let courier = carrier(call, &order).await?;
        let rules = &call.settings.cancellation;
        let result = lifecycle::cancel(&order, courier.as_ref(), by, reason, rules, &call.context);
        conclude(call, &order, result, order_view).await
    })
}

async fn cancel_stop<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
    stop: DeliveryId,
    by: Person,
    reason: Option<String>,
    measured: &mut Measured,
) -> Result<ApiResponse, HandlerError> {
    if order.is_cancelled(stop) {
        return Ok(order_view(order, call.language)?);
    }
    let left =
        lifecycle::without(order, stop).map_err(|error| step_problem(&error, call.context.now))?;
    let tariff = tariff::effective(call).await?;
    let plan = replanned(call, &tariff, order, &left, measured).await?;
    let repriced = Repricing {
        plan: &plan,
        tariff_version: &tariff.version,
        rules: &call.settings.cancellation,
    };
    let result = lifecycle::cancel_stop(order, stop, repriced, by, reason, &call.context);
    conclude(call, order, result, order_view).await
}
