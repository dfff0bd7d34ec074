//! `POST /courier/orders/{platformOrderId}/fail`

use super::step::{Sent, read_step, take};
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::orders::steps::known,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    rules::lifecycle::Carry,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Courier,
    "POST /courier/orders/{platformOrderId}/fail",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierFail",
    summary: "Report a failed delivery",
    description: "From 310, 320 or 330 to 400, with a reason. The goods are returned to the \
        pickup.",
    request: RequestBody::Step("FailDelivery"),
    responses: &[(200, Some("CourierOrder"), "The updated order.")],
    parameters: &["platformOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::ValidationFailed,
        ProblemCode::ProofRequired,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    take(call, |call| {
        let ((stop, reason, proof), at) = read_step(call, |body| {
            let (stop, reason, proof) = validate::failure(body)?;
            Ok((known(stop)?, reason, proof))
        })?;
        let act = Carry::Fail { stop, reason };
        Ok(Sent {
            act,
            proof,
            at,
            receipt: None,
        })
    })
    .await
}
