//! Pages of the event journal.

use serde::Serialize;

use super::EventView;
use crate::model::{
    Language,
    order::{Journal, JournalEntry},
};

/// An event of the journal.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = JournalEvent))]
#[serde(rename_all = "camelCase")]
pub struct JournalEventView {
    /// The event's position in the journal. Send it as `after` or `Last-Event-ID` to read the events after it.
    pub cursor: String,
    /// ID of the order's store.
    pub store_id: u64,
    /// The order's ID.
    pub order_id: u64,
    /// The event as in the order's history.
    #[serde(flatten)]
    pub event: EventView,
}

/// A page of the journal, oldest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EventPage {
    /// The events, oldest first.
    pub events: Vec<JournalEventView>,
    /// Cursor after the last event of this page. Send it as `after` to read later events.
    pub next: String,
    /// Whether more events are available now.
    pub more: bool,
}

impl JournalEventView {
    /// Builds the API representation of a journal entry.
    pub fn of(journal: Journal, entry: &JournalEntry, language: Language) -> JournalEventView {
        let event = &entry.recorded.event;
        JournalEventView {
            cursor: journal.cursor(entry.position),
            store_id: event.store.get(),
            order_id: event.order.get(),
            event: EventView::of(entry.recorded.id.get(), event, language),
        }
    }
}
