//! Figures for the operator.

use crate::{
    api::call::{ApiResponse, Call, HandlerError},
    drivers::fleet,
    host::Host,
    rules::health::{TOLERANCE, judge},
    wire::HealthView,
};

/// `GET /admin/health`
pub(super) async fn show<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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
