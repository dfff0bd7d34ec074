//! The journal.

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
    /// Its place: what comes after it is read with this as `after` or as `Last-Event-ID`.
    pub cursor: String,
    /// Whose order it is.
    pub store_id: u64,
    /// The order.
    pub order_id: u64,
    /// The event, as the order's history has it.
    #[serde(flatten)]
    pub event: EventView,
}

/// A page of the journal, oldest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EventPage {
    /// The events.
    pub events: Vec<JournalEventView>,
    /// Send it as `after` for what comes next, now or later.
    pub next: String,
    /// Whether more is there already.
    pub more: bool,
}

impl JournalEventView {
    /// The event as a reader of a journal is shown it.
    pub fn of(journal: Journal, entry: &JournalEntry, language: Language) -> JournalEventView {
        let event = &entry.recorded.event;
        JournalEventView {
            cursor: journal.cursor(entry.place),
            store_id: event.store.get(),
            order_id: event.order.get(),
            event: EventView::of(entry.recorded.id.get(), event, language),
        }
    }
}
