//! `POST /admin/orders/{platformOrderId}/lost`

use super::{
    access::{any_order, carrier},
    steps::{conclude, known, order_view},
};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    drivers::clock,
    host::Host,
    rules::lifecycle,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Operator,
    "POST /admin/orders/{platformOrderId}/lost",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminLoseDelivery",
    summary: "Write a delivery off as lost",
    description: "After theft or an accident, while the courier has the delivery. The store gets a \
        notification.",
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
    let order = any_order(call).await?;
    let (stop, reason) = validate::delivery_reason(call.read()?)?;
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let courier = carrier(call, &order).await?;
    let mut ids = call.ids(1).await?;
    let result = lifecycle::lose(
        &order,
        courier.as_ref(),
        known(stop)?,
        reason,
        &mut ids,
        &call.context,
    );
    conclude(call, &order, result, order_view).await
}
