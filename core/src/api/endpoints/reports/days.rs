//! `GET /delivery/reports/days`: CSV, or JSON if the caller does not accept CSV.

use crate::{
    api::{
        call::{Call, HandlerError},
        csv_file::{csv_response, wanted_csv},
        endpoints::stores::access::named_store,
        operation::Operation,
        paging,
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    model::{Day, Zone, order::OrderFilter, store::Store},
    rules::report::DayReport,
    wire::{DayReportView, report_csv},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/reports/days")
    .owner()
    .media(&["text/csv", "application/json"])
    .heavy()
    .cost(REPORT);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "dayReport",
    summary: "Report orders by day",
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
    let store = named_store(call).await?;
    report(call, days, Some(store)).await
}

/// A report reads up to [`MAX_ORDERS`] orders.
const REPORT: u32 = 60;

/// Maximum number of days of a report.
const MAX_DAYS: i64 = 92;

/// Number of days of a report without `from`.
const DEFAULT_DAYS: i64 = 30;

/// Maximum number of orders that a report reads.
const MAX_ORDERS: u32 = 20_000;

/// Responds with the report of a store and its branches, or of all stores.
pub(super) async fn report<H: Host>(
    call: &Call<'_, H>,
    days: (Day, Day),
    store: Option<Store>,
) -> Result<ApiResponse, HandlerError> {
    let id = store.as_ref().map(|store| store.id);
    let all = store.map_or_else(OrderFilter::all, |store| OrderFilter::of(&store));
    let filter = OrderFilter {
        from: days.0.span().0,
        until: days.1.span().1,
        ..all
    };
    let orders = call.host.reported_orders(&filter, MAX_ORDERS + 1).await?;
    if orders.len() > MAX_ORDERS as usize {
        return Err(too_many().into());
    }
    let mut report = DayReport::default();
    orders.iter().for_each(|order| report.add(order, days));
    match wanted_csv(&call.parts.headers) {
        Some(form) => {
            call.log("report.exported", id).await?;
            csv_response(form, report_csv(&report, form))
        }
        None => Ok(ApiResponse::json(200, &DayReportView::of(&report))?),
    }
}

/// Reads the first and the last day.
pub(super) fn period<H: Host>(call: &Call<'_, H>) -> Result<(Day, Day), Problem> {
    let day = |name: &'static str| {
        paging::parameter(call, name, Day::parse, move || {
            paging::invalid_parameter(
                name,
                format!("Invalid `{name}`. Send a day, such as 2026-11-21."),
                format!("`{name}` inválido. Envie um dia, como 2026-11-21."),
            )
        })
    };
    let last = day("to")?.unwrap_or_else(|| Day::of(call.context.now, Zone::default()));
    let first = day("from")?.unwrap_or_else(|| last.before(DEFAULT_DAYS - 1));
    if (1..=MAX_DAYS).contains(&last.days_from(first)) {
        return Ok((first, last));
    }
    Err(paging::invalid_parameter(
        "from",
        format!("Invalid period. Send at most {MAX_DAYS} days, with `from` not after `to`."),
        format!(
            "Período inválido. Envie no máximo {MAX_DAYS} dias, com `from` não posterior a `to`."
        ),
    ))
}

fn too_many() -> Problem {
    paging::invalid_parameter(
        "from",
        format!(
            "The period has more than {MAX_ORDERS} orders. Request a shorter period, or one store with `storeId`."
        ),
        format!(
            "O período tem mais de {MAX_ORDERS} pedidos. Peça um período menor ou uma única loja com `storeId`."
        ),
    )
}
