//! `POST /delivery/orders/{platformOrderId}/payment`

use super::{
    access::visible,
    signal::calling_person,
    steps::{conclude, known, order_view},
};
use crate::{
    api::{
        audit,
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    model::OrderId,
    rules::lifecycle::record_payment,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Store,
    "POST /delivery/orders/{platformOrderId}/payment",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "recordPayment",
    summary: "Record a payment at the door",
    description: "Records that the payment of a delivery was received, for example when a Pix is \
        in the store's account. A Pix code confirms nothing by itself. There is one record for each \
        method: a repetition changes nothing, and another amount or reference replaces the record. \
        The history keeps every record as the event `delivery.payment_recorded`. Couriers record \
        payments when they hand a delivery over.",
    request: RequestBody::Required("RecordPayment"),
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
    let (stop, receipt) = validate::received_payment(call.read()?)?;
    let stop = known(stop)?;
    let by = (calling_person(call)?, audit::login(call.caller()?));
    let result = record_payment(&order, stop, &receipt, by, call.context.now);
    conclude(call, &order, result, order_view).await
}
