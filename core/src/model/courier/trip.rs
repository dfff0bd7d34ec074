//! The orders that a courier carries together, and the courier's shift.

use serde::{Deserialize, Deserializer, Serialize};

use crate::model::{OrderId, StoreId, Timestamp};

/// An order of a courier's trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TripOrder {
    /// The order.
    pub id: OrderId,
    /// Whether the courier has the goods. From the first pickup on, the trip takes no further
    /// order.
    pub picked_up: bool,
}

/// What a courier waits for at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum HandoverKind {
    /// The goods at the pickup.
    Pickup,
    /// The recipient at the door.
    Door,
    /// The store that takes back goods or a payment.
    Return,
}

/// A past wait of a courier, from which dispatch learns how long this courier and this store need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    /// What the courier waited for.
    pub kind: HandoverKind,
    /// The store of the order.
    pub store: StoreId,
    /// Seconds from the arrival, or from the ready time if that is later, to the handover.
    pub seconds: u32,
}

/// A courier's working time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    /// The start. Dispatch considers the courier shortly before it, and assigns orders from it on.
    pub from: Timestamp,
    /// The end, after which the courier picks up nothing. `None` if the courier ends the shift by
    /// becoming unavailable.
    pub until: Option<Timestamp>,
    /// Number of orders that were assigned during the shift and not released.
    #[serde(default)]
    pub orders: u32,
}

/// Reads a trip. Rows before schema version 14 contain the ID of the only order, or null; whether
/// its goods were picked up is not stored there, so the trip takes no further order.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<TripOrder>, D::Error> {
    Ok(match Stored::deserialize(deserializer)? {
        Stored::Trip(trip) => trip,
        Stored::Order(order) => order
            .map(|id| TripOrder {
                id,
                picked_up: true,
            })
            .into_iter()
            .collect(),
    })
}

/// Both formats.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Trip(Vec<TripOrder>),
    Order(Option<OrderId>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Row {
        #[serde(default, alias = "order", deserialize_with = "read")]
        trip: Vec<TripOrder>,
    }

    #[test]
    fn rows_of_earlier_versions_are_read() {
        let trip = |text: &str| crate::json::from_str::<Row>(text).unwrap().trip;
        let picked_up = |id, picked_up| TripOrder {
            id: OrderId::new(id).unwrap(),
            picked_up,
        };
        assert_eq!(trip(r#"{"order":5}"#), [picked_up(5, true)]);
        assert!(trip(r#"{"order":null}"#).is_empty() && trip("{}").is_empty());
        assert_eq!(
            trip(r#"{"trip":[{"id":7,"picked_up":false}]}"#),
            [picked_up(7, false)]
        );
        assert!(crate::json::from_str::<Row>(r#"{"trip":"7"}"#).is_err());
    }
}
