//! `GET /courier/earnings`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{Host, PayEntryQuery},
    model::{Day, pay::PayPeriod},
    wire::Earnings,
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "GET /courier/earnings");

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierEarnings",
    summary: "Read your earnings of a day",
    description: "Returns what the calling courier earned on a day, by type and line by line. The day \
        is that of the area code of the courier's phone, by default today.",
    responses: &[(200, Some("Earnings"), "The earnings.")],
    parameters: &["earningsDay"],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

/// Maximum number of entries of a day, far above what a courier can earn.
const MAX_ENTRIES: u32 = 5_000;

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let courier = call.courier()?;
    let zone = courier.zone();
    let day = paging::parameter(call, "day", Day::parse, || {
        paging::invalid_parameter(
            "day",
            "Invalid `day`. Send a date, such as 2026-11-21.",
            "`day` inválido. Envie uma data, como 2026-11-21.",
        )
    })?;
    let day = day.unwrap_or_else(|| Day::of(call.context.now, zone));
    let period = PayPeriod {
        from: day.at(0, zone),
        until: day.after(1).at(0, zone),
        after: None,
    };
    let query = PayEntryQuery::Period(period, MAX_ENTRIES);
    let entries = call.host.pay_entries(courier.id, query).await?;
    Ok(ApiResponse::json(200, &Earnings::of(day, &entries))?)
}
