//! `GET /admin/health`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        response::ApiResponse,
        route::{Access, Route},
    },
    drivers::fleet,
    host::Host,
    rules::health::{TOLERANCE, judge},
    wire::HealthView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/health").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "showHealth",
    summary: "Show figures about stored work",
    description: "Counts open, late, searching and overdue orders, couriers, overdue pushes, \
        queued messages and inactive webhooks of the whole deployment. A figure that needs \
        attention is `DEGRADED` and has advice. `/readyz` shows whether an instance can serve \
        requests, and `/metrics` has an instance's own figures.",
    responses: &[(200, Some("Health"), "The figures.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let now = call.context.now;
    let overdue = now.before(TOLERANCE);
    let figures = call.host.figures(now, overdue).await?;
    let fleet = fleet::count(call.host, call.settings, now).await?;
    let waiting = fleet::waiting_orders(call.host, call.settings, now).await?;
    let judged = judge(&figures, &fleet, waiting, &call.settings.dispatch);
    Ok(ApiResponse::json(
        200,
        &HealthView::of(&judged, now, call.language),
    )?)
}
