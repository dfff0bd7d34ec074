//! `POST /admin/orders/{platformOrderId}/cancel`

use super::{
    access::{any_order, carrier},
    steps::{conclude, order_view},
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
    "POST /admin/orders/{platformOrderId}/cancel",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminCancelOrder",
    summary: "Cancel any order",
    description: "Before the pickup. The entire fee is refunded, and the store gets a \
        notification.",
    request: RequestBody::Required("GiveReason"),
    responses: &[(200, Some("Order"), "The updated order.")],
    parameters: &["platformOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::ReturnRequired,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = any_order(call).await?;
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let courier = carrier(call, &order).await?;
    let mut ids = call.ids(1).await?;
    let reason = validate::reason(call.read()?)?;
    let result =
        lifecycle::cancel_by_platform(&order, courier.as_ref(), reason, &mut ids, &call.context);
    conclude(call, &order, result, order_view).await
}
