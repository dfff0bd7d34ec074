//! `POST /courier/orders/{platformOrderId}/pickup`

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
    "POST /courier/orders/{platformOrderId}/pickup",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierPickUp",
    summary: "Pick up the goods",
    description: "From 220 to 300, with the pickup code, which the merchant gives. Five incorrect \
        codes lock the order's codes for ten minutes.",
    request: RequestBody::Step("GiveCode"),
    responses: &[(200, Some("CourierOrder"), "The updated order.")],
    parameters: &["platformOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::ProofRequired,
        ProblemCode::CodeIncorrect,
        ProblemCode::CodeOfOtherOrder,
        ProblemCode::CodeLocked,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    take(call, |call| {
        read_handover(call, |code| Carry::PickUp { code })
    })
    .await
}
