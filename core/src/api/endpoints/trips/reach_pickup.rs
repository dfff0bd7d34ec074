//! `POST /courier/orders/{platformOrderId}/arrive`

use super::step::{Sent, read_time, take};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    host::Host,
    model::order::ProofParts,
    rules::lifecycle::Carry,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Courier,
    "POST /courier/orders/{platformOrderId}/arrive",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierArrive",
    summary: "Arrive at the pickup",
    description: "From 210 to 220.",
    request: RequestBody::Optional("StepTime"),
    responses: &[(200, Some("CourierOrder"), "The updated order.")],
    parameters: &["platformOrderId"],
    codes: &[ProblemCode::OrderNotFound, ProblemCode::InvalidTransition],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    take(call, |call| {
        Ok(Sent {
            act: Carry::ReachPickup,
            proof: ProofParts::default(),
            at: read_time(call)?,
            receipt: None,
        })
    })
    .await
}
