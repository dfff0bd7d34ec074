//! A stream of server-sent events: what a host writes into a connection that it keeps open.
//!
//! [`crate::api::handle_or_stream`] answers the beginning and a [`Subscription`]. The host then asks [`next`] whenever something was
//! committed, and every few seconds besides, since another instance may have; where nothing came for [`HEARTBEAT`] it writes
//! [`HEARTBEAT_TEXT`]. It asks [`is_allowed`] before each batch of events and often enough to end the stream within a second after its key
//! was revoked or expired, or its store was removed.

use std::fmt::Write as _;

use crate::{
    host::{Host, HostError},
    model::{
        Duration, KeyId, Language, Timestamp,
        order::{Journal, JournalEntry},
        store::KeyHash,
    },
    wire::JournalEventView,
};

/// How long a connection may be silent: proxies cut one that is silent for a minute.
pub const HEARTBEAT: Duration = Duration::seconds(15);
/// What is written then: a comment.
pub const HEARTBEAT_TEXT: &str = ": still here\n\n";
/// How long a reader waits until it connects again, in milliseconds.
pub const RETRY_MS: u32 = 3_000;
/// Events in the answer that begins a stream.
pub const FIRST_EVENTS: u32 = 100;

/// A reader of a stream.
#[derive(Clone, Debug)]
pub struct Subscription {
    /// What it reads.
    pub journal: Journal,
    /// How far it has read.
    pub place: u64,
    /// The language of its texts.
    pub language: Language,
    /// The key that opened it.
    pub key: KeyId,
    /// What is kept of that key's text.
    pub hash: KeyHash,
}

/// The first lines: when to connect again, and from where, before any event has come.
pub fn beginning(subscription: &Subscription) -> String {
    format!("retry: {RETRY_MS}\nid: {}\n\n", subscription.journal.cursor(subscription.place))
}

/// Events after a place; `None` where some between them were archived, so that nobody goes on behind a gap and does not know.
pub(crate) async fn after<H: Host>(
    host: &H,
    journal: Journal,
    place: u64,
    limit: u32,
) -> Result<Option<Vec<JournalEntry>>, HostError> {
    let entries = host.journal(journal, place, limit).await?;
    let Some(last) = entries.last() else { return Ok(Some(entries)) };
    // Places of a matrix follow each other, so that a whole page shows itself; what a branch lacks is mostly others'.
    let whole = journal.branch.is_none() && last.place.checked_sub(place) == Some(entries.len() as u64);
    // Asked after the events were read: what an archive took meanwhile is noticed.
    let whole = whole || host.journal_span(journal).await?.start <= place;
    Ok(whole.then_some(entries))
}

/// Up to `limit` events after those that were read, as the stream writes them; empty where there are none.
///
/// # Errors
/// A fault of the host, or that events were archived before this reader came to them: it is to come again with its cursor, and is
/// told so.
pub async fn next<H: Host>(host: &H, subscription: &mut Subscription, limit: u32) -> Result<String, HostError> {
    let journal = subscription.journal;
    let Some(entries) = after(host, journal, subscription.place, limit).await? else {
        let detail = format!("events after {} were archived", journal.cursor(subscription.place));
        return Err(HostError::Unavailable { what: "journal", detail });
    };
    let mut text = String::new();
    for entry in &entries {
        let view = JournalEventView::of(journal, entry, subscription.language);
        let data = serde_json::to_string(&view);
        let data = data.map_err(|error| HostError::Internal { detail: format!("an event: {error}") })?;
        // JSON has no line breaks of its own, so that one line holds it.
        let _ = write!(text, "id: {}\nevent: {}\ndata: {data}\n\n", view.cursor, entry.recorded.event.kind.name());
        subscription.place = entry.place;
    }
    Ok(text)
}

/// Whether the key that opened a stream still opens one.
pub async fn is_allowed<H: Host>(host: &H, subscription: &Subscription, now: Timestamp) -> Result<bool, HostError> {
    let holder = host.key(&subscription.hash).await?;
    Ok(holder.is_some_and(|holder| {
        holder.key.deleted_at.is_none() && holder.store.deleted_at.is_none() && now < holder.key.expires_at
    }))
}
