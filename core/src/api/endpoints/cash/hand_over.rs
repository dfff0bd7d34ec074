//! `POST /delivery/couriers/{courierId}/handovers`

use super::moving::book;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
    model::cash::CashKind,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Store,
    "POST /delivery/couriers/{courierId}/handovers",
)
.leaves(Lasting::Nothing)
.audit("cash.handed-over", Subject::Cash);

pub(crate) const DOC: Operation = Operation {
    tag: "Cash",
    id: "bookHandover",
    summary: "Book a courier's handover",
    description: "Books cash that a courier hands over before the closing, also by Pix to the store. The \
        amount is not compared with what is in hand, so that a clerk cannot find it by trial; the \
        closing shows a difference. When a courier comes back to the pickup with a payment and \
        sends the return code, its cash is handed over without this request.",
    request: RequestBody::Required("MoveCash"),
    responses: &[(
        201,
        Some("CashRow"),
        "The handover was booked. The row of the courier.",
    )],
    parameters: &["courierId", "storeIdOfCash"],
    codes: &[
        ProblemCode::StoreNotFound,
        ProblemCode::CourierNotFound,
        ProblemCode::ValidationFailed,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let moved = validate::cash_handover(call.read()?)?;
    book(call, CashKind::HandedOver, &moved).await
}
