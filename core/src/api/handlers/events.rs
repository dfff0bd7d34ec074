//! The event journal, as pages and as a stream.

use super::pages;
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        problem::{Problem, ProblemCode},
    },
    drivers::stream::{self, FIRST_EVENTS, JournalSubscription, Subscription},
    host::Host,
    model::order::Journal,
    wire::{EventPage, JournalEventView},
};

/// `GET /delivery/events?after=&limit=`
pub(super) async fn list<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let journal = Journal::of(&call.caller()?.store);
    let limit = pages::limit(call)?;
    let after = match call.query("after") {
        Some(cursor) => position(call, journal, &cursor).await?,
        None => call.host.journal_span(journal).await?.start,
    };
    let mut entries = stream::after(call.host, journal, after, limit + 1)
        .await?
        .ok_or_else(archived)?;
    if entries.is_empty() {
        check_span(call, journal, after).await?;
    }
    let more = entries.len() > limit as usize;
    entries.truncate(limit as usize);
    let last = entries.last().map_or(after, |last| last.position);
    let events = entries
        .iter()
        .map(|entry| JournalEventView::of(journal, entry, call.language))
        .collect();
    Ok(ApiResponse::json(
        200,
        &EventPage {
            events,
            next: journal.cursor(last),
            more,
        },
    )?)
}

/// Returns the journal position of a cursor. `0` is the first event that was not archived.
async fn position<H: Host>(
    call: &Call<'_, H>,
    journal: Journal,
    cursor: &str,
) -> Result<u64, HandlerError> {
    if cursor == "0" {
        return Ok(call.host.journal_span(journal).await?.start);
    }
    Ok(journal
        .position(cursor)
        .ok_or_else(|| pages::invalid_cursor("after"))?)
}

/// Rejects a position outside the journal. Before the start, archived events would be skipped. Past
/// the end, the cursor was issued before a backup was restored, and new events may have lower
/// positions.
async fn check_span<H: Host>(
    call: &Call<'_, H>,
    journal: Journal,
    after: u64,
) -> Result<(), HandlerError> {
    let span = call.host.journal_span(journal).await?;
    if after < span.start {
        return Err(archived().into());
    }
    if after == 0 || after <= span.end {
        return Ok(());
    }
    Err(pages::invalid_cursor("after").into())
}

fn archived() -> Problem {
    Problem::new(
        ProblemCode::EventsArchived,
        "The operator has archived events after this cursor. Send 0 to continue with the first available event. Read the orders that \
         you track again, and request missing events from the operator.",
        "O operador arquivou eventos posteriores a este cursor. Envie 0 para continuar do primeiro evento disponível. Consulte \
         novamente os pedidos que você acompanha e peça ao operador os eventos que faltam.",
    )
}

/// `GET /delivery/events/stream`: the first events, and the continuation.
pub(super) async fn stream<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let holder = call.caller()?;
    let journal = Journal::of(&holder.store);
    let (key, hash) = (holder.key.id, holder.key.hash.clone());
    let sent = call.parts.headers.get("last-event-id");
    let sent = sent.map(|value| value.to_str().map(str::to_owned).unwrap_or_default());
    let start = match sent
        .filter(|id| !id.is_empty())
        .or_else(|| call.query("after"))
    {
        Some(cursor) => {
            let start = position(call, journal, &cursor).await?;
            check_span(call, journal, start).await?;
            start
        }
        None => call.host.journal_span(journal).await?.end,
    };
    let mut subscription = JournalSubscription {
        journal,
        position: start,
        language: call.language,
        key,
        hash,
    };
    let mut text = stream::beginning(&subscription);
    text.push_str(&stream::next(call.host, &mut subscription, FIRST_EVENTS).await?);
    call.stream = Some(Subscription::Journal(subscription));
    Ok(ApiResponse {
        media: "text/event-stream",
        ..ApiResponse::of(200, text.into_bytes())
    })
}
