//! Personal data in archive records. A record is one line of JSON with an ended order and its
//! events.

use std::fmt;

use despacho_core::{
    geo::Gazetteer,
    json,
    model::{
        EventId, Phone, Timestamp,
        order::{Erasure, Event, Order, RecordedEvent},
        privacy::RecipientOrder,
    },
    rules::{
        erasure::{ErasureBasis, erase_event, erase_recipients},
        settings::Secret,
    },
};
use serde::{Deserialize, Serialize};

/// The recipients whose data is selected.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// Recipients with this phone.
    Phone(Phone),
    /// All recipients of orders created before this.
    CreatedBefore(Timestamp),
}

/// A line is not an archive record. The text contains nothing of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError(String);

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RecordError {}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ArchivedOrder {
    order_id: i64,
    store: i64,
    order: Order,
    events: Vec<ArchivedEvent>,
}

#[derive(Serialize, Deserialize)]
struct ArchivedEvent {
    id: i64,
    sequence: i64,
    store: i64,
    at: i64,
    matrix: i64,
    place: i64,
    body: Event,
}

/// Returns the record without the selected recipients; `None` if it contains none of them.
///
/// # Errors
/// The line is not a record.
pub fn erase_record(
    record: &str,
    selection: &Selection,
    secret: &Secret,
) -> Result<Option<String>, RecordError> {
    let Some(mut archived) = selected(record, selection)? else {
        return Ok(None);
    };
    let ended_at = archived.order.status_since;
    let basis = ErasureBasis {
        secret,
        gazetteer: Gazetteer::embedded(),
        now: ended_at,
    };
    erase_recipients(&mut archived.order, basis, |delivery| match selection {
        Selection::Phone(phone) => delivery.phone.as_ref() == Some(phone),
        Selection::CreatedBefore(_) => true,
    });
    for event in &mut archived.events {
        erase_event(&mut event.body);
    }
    serde_json::to_string(&archived)
        .map(Some)
        .map_err(|error| RecordError(error.to_string()))
}

/// Returns a recipient's data in a record; `None` if there is none.
///
/// # Errors
/// The line is not a record.
pub fn find_in_record(record: &str, phone: &Phone) -> Result<Option<RecipientOrder>, RecordError> {
    let Some(archived) = selected(record, &Selection::Phone(phone.clone()))? else {
        return Ok(None);
    };
    let events = archived.events.into_iter().filter_map(|event| {
        let id = u64::try_from(event.id).ok().and_then(EventId::new)?;
        Some(RecordedEvent {
            id,
            event: event.body,
        })
    });
    Ok(Some(RecipientOrder::of(
        archived.order,
        events.collect(),
        phone,
    )))
}

fn selected(record: &str, selection: &Selection) -> Result<Option<ArchivedOrder>, RecordError> {
    // Parsing a record takes much longer than searching it.
    if let Selection::Phone(phone) = selection
        && !record.contains(phone.as_str())
    {
        return Ok(None);
    }
    let archived: ArchivedOrder =
        json::from_str(record).map_err(|error| RecordError(error.to_string()))?;
    let is_selected = match selection {
        Selection::Phone(phone) => archived.order.delivers_to(phone),
        Selection::CreatedBefore(before) => {
            archived.order.created_at < *before && archived.order.erasure < Erasure::Recipients
        }
    };
    Ok(Some(archived).filter(|_| is_selected))
}
