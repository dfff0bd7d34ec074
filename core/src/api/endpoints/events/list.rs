//! `GET /delivery/events`

use super::journal::{archived, check_span, position};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    drivers::stream,
    host::Host,
    model::order::Journal,
    wire::{EventPage, JournalEventView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/events").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Events",
    id: "listEvents",
    summary: "Read the event journal",
    description: "Returns the events of the store's orders, oldest first; for a parent store also \
        those of its branches. For the following events send `next` as `after`, now or later: new \
        events never appear before a cursor. Without `after`, or with `0`, the journal starts with \
        the first available event. A cursor of another store returns `cursor_invalid`. A cursor \
        before archived events returns 410 `events_archived`.",
    responses: &[(
        200,
        Some("EventPage"),
        "A page of the journal; empty if there are no newer events.",
    )],
    parameters: &["after", "limit"],
    codes: &[
        ProblemCode::ValidationFailed,
        ProblemCode::EventsArchived,
        ProblemCode::CursorInvalid,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let journal = Journal::of(&call.caller()?.store);
    let limit = paging::limit(call)?;
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
