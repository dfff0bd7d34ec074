//! Events in the histories of orders and in the journal.

use serde::Serialize;

#[cfg(feature = "openapi")]
use super::schema::AnyStatus;
#[cfg(feature = "openapi")]
use crate::model::order::EventKind;
use crate::model::{
    DeliveryId, Language, Person, Point, Timestamp,
    order::{Event, Journal, JournalEntry},
};

/// A person involved in an event.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = EventPerson))]
pub struct PersonView {
    /// Name.
    pub name: String,
    /// Phone number. Null for the platform.
    pub phone: Option<String>,
}

/// An event of an order's history. Clients sort by `sequence`. `description` is a text for display.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = OrderEvent))]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    /// The event's ID, unique in the deployment.
    pub id: u64,
    /// Time of the event.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Time at which the service received the event, if the courier sent it more than a second
    /// late. Null otherwise.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = DateTime))]
    pub received_at: Option<String>,
    /// Description of the event in the language of the request.
    pub description: String,
    /// Latitude of the courier at the time of the event.
    pub latitude: Option<f64>,
    /// Longitude of the courier at the time of the event.
    pub longitude: Option<f64>,
    /// The courier that was assigned to the order.
    pub delivery_man: Option<PersonView>,
    /// The person or system that caused the event.
    pub requested_by: PersonView,
    /// Type of the event.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = EventKind))]
    pub kind: &'static str,
    /// Status of the order after the event, or of the delivery if `deliveryId` is not null.
    #[cfg_attr(feature = "openapi", schema(value_type = AnyStatus))]
    pub situation: u16,
    /// Position in the order's history: 1, 2, 3, without gaps.
    pub sequence: u32,
    /// ID of the affected delivery. Null if the event concerns the whole order.
    pub delivery_id: Option<u64>,
    /// The reason given for the event. Null if none was requested.
    pub reason: Option<String>,
}

/// An event of the journal.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = JournalEvent))]
#[serde(rename_all = "camelCase")]
pub struct JournalEventView {
    /// The event's position in the journal. Send it as `after` or `Last-Event-ID` to read the
    /// events after it.
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

impl EventView {
    /// Builds the API representation of an event in a language.
    pub fn of(id: u64, event: &Event, language: Language) -> EventView {
        EventView {
            id,
            created_at: event.at.to_string(),
            received_at: event.received_at.as_ref().map(Timestamp::to_string),
            description: event.kind.description().get(language).to_owned(),
            latitude: event.point.map(Point::latitude),
            longitude: event.point.map(Point::longitude),
            delivery_man: event.courier.as_ref().map(PersonView::of),
            requested_by: PersonView::of(&event.by),
            kind: event.kind.name(),
            situation: event.status,
            sequence: event.sequence,
            delivery_id: event.delivery.map(DeliveryId::get),
            reason: event.reason.clone(),
        }
    }
}

impl PersonView {
    fn of(person: &Person) -> PersonView {
        PersonView {
            name: person.name.clone(),
            phone: person.phone.as_ref().map(|phone| phone.as_str().to_owned()),
        }
    }
}
