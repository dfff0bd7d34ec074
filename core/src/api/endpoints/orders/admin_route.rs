//! `GET /admin/orders/{platformOrderId}/route`

use super::{access::any_order, route::route_response};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Operator,
    "GET /admin/orders/{platformOrderId}/route",
)
.heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminGetRoute",
    summary: "Get the path of any order's route",
    description: "Returns the same legs as `GET /delivery/orders/{platformOrderId}/route`.",
    responses: &[(200, Some("OrderRoute"), "The legs, in route order.")],
    parameters: &["platformOrderId"],
    codes: &[ProblemCode::OrderNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = any_order(call).await?;
    route_response(call, &order).await
}
