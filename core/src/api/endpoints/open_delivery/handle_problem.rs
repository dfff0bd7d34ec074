//! `POST /v1/logistics/handleProblem/{orderId}`

use super::{
    access::find,
    standard::standard_error,
    steps::{empty_response, resolve},
};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        read::read,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Connection,
    "POST /v1/logistics/handleProblem/{orderId}",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Open Delivery",
    id: "handleProblem",
    summary: "Decide on a problem",
    description: "Decides on goods that are on the way: their return, another attempt, or that \
        they are discarded.",
    request: RequestBody::Required("HandleProblem"),
    responses: &[(200, None, "The decision is carried out.")],
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
    let (decision, reason) = validate::problem_decision(read(call.body)?)?;
    resolve(call, &order, decision, reason, empty_response)
        .await
        .map_err(standard_error)
}
