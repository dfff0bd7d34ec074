//! `GET /delivery/orders`

use http::request::Parts;

use super::listing;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    model::order::OrderFilter,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/orders")
    .heavy()
    .cost_if(searches, SEARCH);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "listOrders",
    summary: "List orders",
    description: "Returns the orders of the calling store and, for a parent store, of its \
        branches, newest first, without their histories. `q` searches the orders of all days. For \
        the next page, send `nextCursor` as `cursor`, until it is null.",
    responses: &[(200, Some("OrderList"), "A page of orders.")],
    parameters: &[
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
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let all = OrderFilter::of(&call.caller()?.store);
    listing::list(call, all, false).await
}

/// A search compares its words with the newest 10,000 orders.
const SEARCH: u32 = 10;

fn searches(parts: &Parts) -> bool {
    let query = parts.uri.query().unwrap_or_default();
    form_urlencoded::parse(query.as_bytes())
        .any(|(name, value)| name == "q" && !value.trim().is_empty())
}
