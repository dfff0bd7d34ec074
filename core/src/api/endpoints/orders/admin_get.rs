//! `GET /admin/orders/{platformOrderId}`

use super::{
    access::{any_order, store_names},
    details::details,
};
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

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/orders/{platformOrderId}");

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminGetOrder",
    summary: "Get any order",
    description: "Returns the order as its store reads it, with its history and `storeName`.",
    responses: &[(200, Some("OrderDetails"), "The order.")],
    parameters: &["platformOrderId"],
    codes: &[ProblemCode::OrderNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = any_order(call).await?;
    let store = order.store;
    let mut view = details(call, order).await?;
    view.store_name = store_names(call, &[store])
        .await?
        .pop()
        .map(|(_, name)| name);
    Ok(ApiResponse::json(200, &view)?)
}
