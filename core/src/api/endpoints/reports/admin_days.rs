//! `GET /admin/reports/days`

use super::days::{period, report};
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
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/reports/days")
    .media(&["text/csv", "application/json"])
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminDayReport",
    summary: "Report all stores' orders by day",
    description: "Returns the orders by the day of their creation in the store's time zone, and by \
        store: numbers, fees and delivery times, as CSV in UTF-8 (RFC 4180), or as JSON if \
        `Accept` requests it. `Accept: text/csv; locale=pt-BR` requests the form for spreadsheets \
        in Brazil, which `GET /delivery/statement` describes. At most 92 days and 20,000 orders; \
        without `from`, the last 30 days. Without `storeId`, a parent store's report includes its \
        branches, and the operator's all stores.",
    responses: &[(200, Some("DayReportView"), "The report.")],
    parameters: &["storeIdOfReport", "firstDay", "lastDay"],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let days = period(call)?;
    let store = any_stores(call).await?;
    report(call, days, store).await
}
