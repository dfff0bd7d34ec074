//! Figures for the operator.

use crate::{
    api::call::{ApiResponse, Call, HandlerError},
    host::Host,
    rules::health::{TOLERANCE, judge},
    wire::HealthView,
};

/// `GET /admin/health`
pub(super) async fn show<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let now = call.context.now;
    let overdue = now.before(TOLERANCE);
    let figures = call.host.figures(now, overdue).await?;
    Ok(ApiResponse::json(200, &HealthView::of(&judge(&figures), now, call.language))?)
}
