//! Server-sent events: the text that a host writes to an open connection.
//!
//! [`crate::api::handle_or_stream`] returns the beginning of the stream and a [`Subscription`]. The
//! host then calls [`next`] after every commit, and every few seconds, because another instance may
//! have committed. If nothing was written for [`HEARTBEAT`], it writes [`HEARTBEAT_TEXT`]. It calls
//! [`is_allowed`] before each batch of events, and often enough to end the stream within a second
//! after the key was revoked or expired, or the store was removed.

use std::fmt::Write as _;

use super::tracking;
use crate::{
    host::{Host, HostError},
    model::{
        Duration, KeyId, Language, StoreId, Timestamp, fingerprint,
        order::{Journal, JournalEntry, TrackingLink},
        store::KeyHash,
    },
    rules::{recipient::RecipientStatus, settings::Settings},
    wire::{JournalEventView, RecipientTracking},
};

/// Interval of heartbeats. Proxies close connections that are idle for a minute.
pub const HEARTBEAT: Duration = Duration::seconds(15);
/// The heartbeat, which is a comment.
pub const HEARTBEAT_TEXT: &str = ": still here\n\n";
/// Delay in milliseconds after which a client reconnects.
pub const RETRY_MS: u32 = 3_000;
/// Maximum number of events in the initial response of a stream.
pub const FIRST_EVENTS: u32 = 100;

/// The continuation of a response that starts a stream.
#[derive(Clone, Debug)]
pub enum Subscription {
    /// A stream of a journal, continued by [`next`].
    Journal(JournalSubscription),
    /// A stream of a delivery's status, continued by [`next_status`].
    Delivery(DeliverySubscription),
}

/// A merchant's client of a stream.
#[derive(Clone, Debug)]
pub struct JournalSubscription {
    /// The journal view of the client.
    pub journal: Journal,
    /// Position of the last event that was sent.
    pub position: u64,
    /// Language of the texts.
    pub language: Language,
    /// The key with which the stream was opened.
    pub key: KeyId,
    /// Hash of the key value.
    pub hash: KeyHash,
}

/// Returns the first lines, which set the reconnection delay and the initial cursor.
pub fn beginning(subscription: &JournalSubscription) -> String {
    format!(
        "retry: {RETRY_MS}\nid: {}\n\n",
        subscription.journal.cursor(subscription.position)
    )
}

/// Returns events after a position, or `None` if events after the position were archived, so no
/// reader misses events unnoticed.
pub(crate) async fn after<H: Host>(
    host: &H,
    journal: Journal,
    position: u64,
    limit: u32,
) -> Result<Option<Vec<JournalEntry>>, HostError> {
    let entries = host.journal(journal, position, limit).await?;
    let Some(last) = entries.last() else {
        return Ok(Some(entries));
    };
    // In a parent store's view, positions are consecutive, so a complete page has no gaps. In a
    // branch's view, gaps are usually other stores' events.
    let is_complete = journal.branch.is_none()
        && last.position.checked_sub(position) == Some(entries.len() as u64);
    // Read the span after the events, so a concurrent archive is detected.
    let is_complete = is_complete || host.journal_span(journal).await?.start <= position;
    Ok(is_complete.then_some(entries))
}

/// Returns up to `limit` further events in the format of the stream, or an empty string if there
/// are none.
///
/// # Errors
/// An error of the host, or [`HostError::Unavailable`] if events that the client has not read were
/// archived. The client must reconnect with its cursor and receives 410.
pub async fn next<H: Host>(
    host: &H,
    subscription: &mut JournalSubscription,
    limit: u32,
) -> Result<String, HostError> {
    let journal = subscription.journal;
    let Some(entries) = after(host, journal, subscription.position, limit).await? else {
        let detail = format!(
            "events after {} were archived",
            journal.cursor(subscription.position)
        );
        return Err(HostError::Unavailable {
            what: "journal",
            detail,
        });
    };
    let mut text = String::new();
    for entry in &entries {
        let view = JournalEventView::of(journal, entry, subscription.language);
        let data = serde_json::to_string(&view);
        let data = data.map_err(|error| HostError::Internal {
            detail: format!("cannot serialize an event: {error}"),
        })?;
        // Serialized JSON has no line breaks, so it fits into one line.
        let _ = write!(
            text,
            "id: {}\nevent: {}\ndata: {data}\n\n",
            view.cursor,
            entry.recorded.event.kind.name()
        );
        subscription.position = entry.position;
    }
    Ok(text)
}

/// Returns whether the key of a stream is still valid.
pub async fn is_allowed<H: Host>(
    host: &H,
    subscription: &JournalSubscription,
    now: Timestamp,
) -> Result<bool, HostError> {
    let holder = host.key(&subscription.hash).await?;
    Ok(holder.is_some_and(|holder| {
        holder.key.deleted_at.is_none()
            && holder.store.deleted_at.is_none()
            && now < holder.key.expires_at
    }))
}

/// A recipient's client of a stream.
#[derive(Clone, Debug)]
pub struct DeliverySubscription {
    /// The link.
    pub link: TrackingLink,
    /// The order's store.
    pub store: StoreId,
    /// Language of the texts.
    pub language: Language,
    /// Digest of the last status that was sent.
    last: String,
}

impl DeliverySubscription {
    /// Creates the subscription of a link.
    pub fn new(link: TrackingLink, store: StoreId, language: Language) -> DeliverySubscription {
        DeliverySubscription {
            link,
            store,
            language,
            last: String::new(),
        }
    }
}

/// Returns the first lines of a recipient's stream, with the current status.
///
/// # Errors
/// A status that cannot be serialized.
pub fn first_status(
    subscription: &mut DeliverySubscription,
    status: &RecipientStatus,
) -> Result<String, HostError> {
    Ok(format!(
        "retry: {RETRY_MS}\n\n{}",
        changed_status(subscription, status)?
    ))
}

/// Returns the status of a recipient's delivery in the format of the stream if it has changed, or
/// an empty string. `None` if the link has ended.
///
/// # Errors
/// An error of the host.
pub async fn next_status<H: Host>(
    host: &H,
    settings: &Settings,
    subscription: &mut DeliverySubscription,
    now: Timestamp,
) -> Result<Option<String>, HostError> {
    let Some(link) = tracking::find_link(host, &subscription.link.hash, now).await? else {
        return Ok(None);
    };
    let Some(loaded) = tracking::load_order(host, &link).await? else {
        return Ok(None);
    };
    let Some(status) = tracking::status(host, settings, &link, &loaded, now).await? else {
        return Ok(None);
    };
    changed_status(subscription, &status).map(Some)
}

fn changed_status(
    subscription: &mut DeliverySubscription,
    status: &RecipientStatus,
) -> Result<String, HostError> {
    let data = serde_json::to_string(&RecipientTracking::of(status, subscription.language))
        .map_err(|error| HostError::Internal {
            detail: format!("cannot serialize a status: {error}"),
        })?;
    let digest = fingerprint(&[data.as_bytes()]);
    if digest == subscription.last {
        return Ok(String::new());
    }
    subscription.last = digest;
    Ok(format!("event: status\ndata: {data}\n\n"))
}
