//! `GET /delivery/orders/{platformOrderId}`

use super::{access::visible, details::details};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    model::OrderId,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/orders/{platformOrderId}");

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "getOrder",
    summary: "Get an order",
    description: "Returns the order with its courier and its history, oldest event first. A store \
        has access to its own orders, and a parent store also to those of its branches; any other \
        order returns 404.",
    responses: &[(200, Some("OrderDetails"), "The order.")],
    parameters: &["platformOrderId"],
    codes: &[ProblemCode::OrderNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = visible(call, OrderId::parse(call.id)).await?;
    let view = details(call, order).await?;
    Ok(ApiResponse::json(200, &view)?)
}
