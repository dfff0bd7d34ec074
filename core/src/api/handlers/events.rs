//! The journal, in pages and as a stream.

use super::pages;
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        problem::{Problem, ProblemCode},
    },
    drivers::stream::{self, FIRST_EVENTS, Subscription},
    host::Host,
    model::order::Journal,
    wire::{EventPage, JournalEventView},
};

/// `GET /delivery/events?after=&limit=`
pub(super) async fn list<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let journal = Journal::of(&call.caller()?.store);
    let limit = pages::limit(call)?;
    let after = match call.query("after") {
        Some(cursor) => place(call, journal, &cursor).await?,
        None => call.host.journal_span(journal).await?.start,
    };
    let mut entries = stream::after(call.host, journal, after, limit + 1).await?.ok_or_else(archived)?;
    if entries.is_empty() {
        within(call, journal, after).await?;
    }
    let more = entries.len() > limit as usize;
    entries.truncate(limit as usize);
    let last = entries.last().map_or(after, |last| last.position);
    let events = entries.iter().map(|entry| JournalEventView::of(journal, entry, call.language)).collect();
    Ok(ApiResponse::json(200, &EventPage { events, next: journal.cursor(last), more })?)
}

/// Where a reader takes up. `0` is the first event that is still there; every other cursor was given to somebody who has read up to it.
async fn place<H: Host>(call: &Call<'_, H>, journal: Journal, cursor: &str) -> Result<u64, HandlerError> {
    if cursor == "0" {
        return Ok(call.host.journal_span(journal).await?.start);
    }
    Ok(journal.position(cursor).ok_or_else(pages::invalid_cursor)?)
}

/// A cursor past the end is older than a backup that was restored: events that it has not seen may stand before it. One from before
/// the start has missed what was archived.
async fn within<H: Host>(call: &Call<'_, H>, journal: Journal, after: u64) -> Result<(), HandlerError> {
    let span = call.host.journal_span(journal).await?;
    if after < span.start {
        return Err(archived().into());
    }
    if after == 0 || after <= span.end {
        return Ok(());
    }
    Err(pages::invalid_cursor().into())
}

fn archived() -> Problem {
    Problem::new(
        ProblemCode::EventsArchived,
        "Events after this cursor were archived by the operator. Send 0 to go on with the first event that is still there; look \
         orders up that you follow, and ask the operator for what is missing.",
        "Eventos posteriores a este cursor foram arquivados pelo operador. Envie 0 para continuar do primeiro evento ainda \
         disponível; consulte os pedidos que acompanha e peça ao operador o que falta.",
    )
}

/// `GET /delivery/events/stream`: the first events, and where it goes on.
pub(super) async fn stream<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let holder = call.caller()?;
    let journal = Journal::of(&holder.store);
    let (key, hash) = (holder.key.id, holder.key.hash.clone());
    let sent = call.parts.headers.get("last-event-id");
    let sent = sent.map(|value| value.to_str().map(str::to_owned).unwrap_or_default());
    let place = match sent.filter(|id| !id.is_empty()).or_else(|| call.query("after")) {
        Some(cursor) => {
            let place = place(call, journal, &cursor).await?;
            within(call, journal, place).await?;
            place
        }
        None => call.host.journal_span(journal).await?.end,
    };
    let mut subscription = Subscription { journal, position: place, language: call.language, key, hash };
    let mut text = stream::beginning(&subscription);
    text.push_str(&stream::next(call.host, &mut subscription, FIRST_EVENTS).await?);
    call.stream = Some(subscription);
    Ok(ApiResponse { media: "text/event-stream", ..ApiResponse::of(200, text.into_bytes()) })
}
