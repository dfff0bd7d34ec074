//! `GET /delivery/events/stream`: the first events, and the continuation.

use super::journal::{check_span, position};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    drivers::stream::{self, FIRST_EVENTS, JournalSubscription, Subscription},
    host::Host,
    model::order::Journal,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "GET /delivery/events/stream").media(&["text/event-stream"]);

pub(crate) const DOC: Operation = Operation {
    tag: "Events",
    id: "streamEvents",
    summary: "Stream the event journal",
    description: "Sends the journal as server-sent events: `id` is the cursor, `event` the type, \
        `data` a `JournalEvent`. After an interruption the browser's `EventSource` sends \
        `Last-Event-ID` and continues without a gap; other clients must send it, or `after`. \
        Without either, the stream starts with the next new event. A comment is sent every 15 \
        seconds. A deployment that cannot hold connections open sends the available events and \
        ends the response; `retry` is the time to wait before reconnecting.",
    responses: &[(200, None, "The stream.")],
    parameters: &["after", "lastEventId"],
    codes: &[ProblemCode::EventsArchived, ProblemCode::CursorInvalid],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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
