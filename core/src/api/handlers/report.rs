//! The report of orders by day.

use super::{
    ledger::{csv_response, wanted_csv},
    listing::any_stores,
    pages,
};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        problem::Problem,
        routes::Endpoint,
    },
    host::Host,
    model::{Day, Zone, order::OrderFilter},
    rules::report::DayReport,
    wire::{DayReportView, report_csv},
};

/// Maximum number of days of a report.
const MAX_DAYS: i64 = 92;
/// Number of days of a report without `from`.
const DEFAULT_DAYS: i64 = 30;
/// Maximum number of orders that a report reads.
const MAX_ORDERS: u32 = 20_000;

/// `GET /delivery/reports/days?from=&to=&storeId=` and `GET /admin/reports/days`: CSV, or JSON if
/// the caller does not accept CSV.
pub(super) async fn days<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let days = period(call)?;
    let named = match endpoint {
        Endpoint::AdminDayReport => any_stores(call).await?,
        _ => Some(pages::named_store(call).await?),
    };
    let store = named.as_ref().map(|store| store.id);
    let all = named.map_or_else(OrderFilter::all, |store| OrderFilter::of(&store));
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
            call.log("report.exported", store).await?;
            csv_response(form, report_csv(&report, form))
        }
        None => Ok(ApiResponse::json(200, &DayReportView::of(&report))?),
    }
}

/// Reads the first and the last day.
fn period<H: Host>(call: &Call<'_, H>) -> Result<(Day, Day), Problem> {
    let day = |name: &'static str| {
        pages::parameter(call, name, Day::parse, move || {
            pages::invalid_parameter(
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
    Err(pages::invalid_parameter(
        "from",
        format!("Invalid period. Send at most {MAX_DAYS} days, with `from` not after `to`."),
        format!(
            "Período inválido. Envie no máximo {MAX_DAYS} dias, com `from` não posterior a `to`."
        ),
    ))
}

fn too_many() -> Problem {
    pages::invalid_parameter(
        "from",
        format!(
            "The period has more than {MAX_ORDERS} orders. Request a shorter period, or one store with `storeId`."
        ),
        format!(
            "O período tem mais de {MAX_ORDERS} pedidos. Peça um período menor ou uma única loja com `storeId`."
        ),
    )
}
