//! `GET /admin/orders/{platformOrderId}/dispatch`

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    drivers::{clock, dispatch},
    host::Host,
    model::{OrderId, order::OrderStatus},
    wire::{DecisionView, OrderDispatchView},
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Operator,
    "GET /admin/orders/{platformOrderId}/dispatch",
)
.heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "explainDispatch",
    summary: "Explain the dispatch of an order",
    description: "Returns the reasons of the last assignments: the couriers that were considered, \
        and the cost of each by component. While the order is searching, the decision that a pass \
        would take now follows, with the reason why the order stays open.",
    responses: &[(200, Some("OrderDispatch"), "The decisions.")],
    parameters: &["platformOrderId"],
    codes: &[ProblemCode::OrderNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = match OrderId::parse(call.id) {
        Some(id) => call.host.order(id).await?,
        None => None,
    };
    let order = order.ok_or_else(|| plain(ProblemCode::OrderNotFound))?;
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let mut passes = DecisionView::stored(&order);
    if order.status <= OrderStatus::Searching {
        let decided =
            dispatch::decide_pass(call.host, call.settings, Some(order.id), &mut call.context)
                .await?;
        let own = decided
            .iter()
            .find(|(other, _)| other.id == order.id)
            .map(|(_, decision)| decision);
        passes.push(DecisionView::of(order.id, own, call.context.now));
    }
    Ok(ApiResponse::json(200, &OrderDispatchView { passes })?)
}
