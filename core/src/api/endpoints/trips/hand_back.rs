//! `POST /courier/orders/{platformOrderId}/hand-back`

use super::step::{read_handover, take};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    host::Host,
    rules::lifecycle::Carry,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Courier,
    "POST /courier/orders/{platformOrderId}/hand-back",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierHandBack",
    summary: "Hand back the goods",
    description: "From 410 to the order's end, with the return code, which the merchant gives.",
    request: RequestBody::Step("GiveCode"),
    responses: &[(200, Some("CourierOrder"), "The updated order.")],
    parameters: &["platformOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::ProofRequired,
        ProblemCode::CodeIncorrect,
        ProblemCode::CodeLocked,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    take(call, |call| {
        read_handover(call, |code| Carry::HandBack { code })
    })
    .await
}
