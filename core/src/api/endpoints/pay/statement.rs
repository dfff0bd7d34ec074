//! Statements of couriers, for the operator and for the courier.

use crate::{
    api::{
        call::{Call, HandlerError},
        csv_file::{csv_response, wanted_csv},
        paging,
        problem::{Problem, ProblemCode},
        response::ApiResponse,
    },
    host::{Host, PayEntryQuery},
    model::{
        PayEntryId, Timestamp,
        courier::Courier,
        pay::{PayPeriod, RecordedPayEntry},
    },
    wire::{PayStatement, pay_csv},
};

/// Maximum number of entries in a statement as CSV.
const MAX_CSV_ENTRIES: u32 = 50_000;

/// Returns a courier's entries of a period: as CSV, or as a page of at most `limit`.
pub(super) async fn pay_statement<H: Host>(
    call: &Call<'_, H>,
    courier: &Courier,
    limit: u32,
    with_actor: bool,
) -> Result<ApiResponse, HandlerError> {
    let from = paging::instant(call, "from")?.unwrap_or_default();
    let until = paging::instant(call, "to")?.unwrap_or(Timestamp::from_millis(i64::MAX));
    let after = paging::cursor(call, |text| {
        let (at, id) = text.split_once('-')?;
        let at = Timestamp::from_millis(at.parse().ok()?);
        Some((at, PayEntryId::parse(id)?))
    })?;
    let read = |after, limit: u32| {
        let period = PayPeriod { from, until, after };
        let query = PayEntryQuery::Period(period, limit + 1);
        call.host.pay_entries(courier.id, query)
    };
    let Some(form) = wanted_csv(&call.parts.headers) else {
        let mut page = read(after, limit).await?;
        let next = paging::truncate(&mut page, limit, cursor);
        let statement = PayStatement::of(&page, with_actor, next);
        return Ok(ApiResponse::json(200, &statement)?);
    };
    let entries = read(None, MAX_CSV_ENTRIES).await?;
    if entries.len() > MAX_CSV_ENTRIES as usize {
        let problem = Problem::new(
            ProblemCode::StatementTooLong,
            format!(
                "The period has more than {MAX_CSV_ENTRIES} entries. Request a shorter period, or JSON pages."
            ),
            format!(
                "O período tem mais de {MAX_CSV_ENTRIES} lançamentos. Peça um período menor ou páginas em JSON."
            ),
        );
        return Err(problem.into());
    }
    csv_response(form, pay_csv(&entries, form, courier.zone()))
}

fn cursor(entry: &RecordedPayEntry) -> String {
    let (at, id) = entry.order();
    format!("{}-{id}", at.millis())
}
