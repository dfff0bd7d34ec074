//! `GET /delivery/orders/{platformOrderId}/cancellation`

use super::{
    access::visible,
    replan::replanned,
    steps::{known, step_problem},
};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Route},
        tariff,
    },
    drivers::clock,
    host::Host,
    model::{DeliveryId, Money, OrderId},
    rules::lifecycle::{self, CancellationTerms, Mode},
    wire::CancellationView,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Store,
    "GET /delivery/orders/{platformOrderId}/cancellation",
);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "getCancellation",
    summary: "Get the cancellation terms",
    description: "Returns the cost of cancelling now. Cancelling is free until 2 minutes after the \
        first courier was assigned; then it costs a share of the fee. The deployment sets both. \
        With `deliveryId`, the cost is a share of the fee's reduction without that delivery. After \
        the pickup the goods must be returned first.",
    responses: &[(200, Some("Cancellation"), "The terms.")],
    parameters: &["platformOrderId", "deliveryIdOfTerms"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::ValidationFailed,
        ProblemCode::OutOfArea,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = visible(call, OrderId::parse(call.id)).await?;
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let (rules, now) = (&call.settings.cancellation, call.context.now);
    let whole = lifecycle::terms(&order, rules, now);
    let terms = match call.query("deliveryId") {
        Some(stop) if matches!(whole.mode, Mode::Free | Mode::Paid) => {
            let stop = known(DeliveryId::parse(&stop)).map_err(Problem::in_query)?;
            if order.is_cancelled(stop) {
                CancellationTerms {
                    mode: Mode::Ended,
                    fee: Money::ZERO,
                    changes_at: None,
                }
            } else {
                let left = lifecycle::without(&order, stop)
                    .map_err(|error| step_problem(&error, now).in_query())?;
                let tariff = tariff::effective(call).await?;
                let plan = replanned(call, &tariff, &order, &left, &mut None).await?;
                lifecycle::stop_terms(&order, plan.fee, rules, now)
            }
        }
        _ => whole,
    };
    Ok(ApiResponse::json(200, &CancellationView::of(&terms))?)
}
