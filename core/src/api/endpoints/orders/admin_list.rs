//! `GET /admin/orders`

use super::listing;
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::stores::access::any_stores,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    model::order::OrderFilter,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/orders").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminListOrders",
    summary: "List all stores' orders",
    description: "Returns the orders of all stores, or of one store and its branches, newest \
        first, each with `storeName`. The filters are those of `GET /delivery/orders`.",
    responses: &[(200, Some("OrderList"), "A page of orders.")],
    parameters: &[
        "storeIdOfOrders",
        "situation",
        "code",
        "q",
        "late",
        "open",
        "from",
        "to",
        "cursor",
        "limit",
    ],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let all = any_stores(call)
        .await?
        .map_or_else(OrderFilter::all, |store| OrderFilter::of(&store));
    listing::list(call, all, true).await
}
