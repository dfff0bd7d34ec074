//! `POST /delivery/orders/{platformOrderId}/ready`

use super::{access::visible, signal::signal};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    host::Host,
    model::OrderId,
    rules::lifecycle::Signal,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Store,
    "POST /delivery/orders/{platformOrderId}/ready",
)
.leaves(Lasting::Nothing)
.without_body();

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "readyOrder",
    summary: "Mark an order as ready",
    description: "Ends the preparation early: the search for a courier starts at once. Has no \
        request body.",
    responses: &[(200, Some("Order"), "The updated order.")],
    parameters: &["platformOrderId"],
    codes: &[ProblemCode::OrderNotFound, ProblemCode::InvalidTransition],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = visible(call, OrderId::parse(call.id)).await?;
    signal(call, order, &Signal::Ready).await
}
