//! Couriers, as data.

use serde::{Deserialize, Serialize};

use crate::domain::{CourierId, Email, Phone, Point, Timestamp};

/// Somebody who carries orders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Courier {
    /// The number.
    pub id: CourierId,
    /// How often the courier was written; 1 after the first time.
    pub version: u32,
    /// The courier's profile in the operator's own records.
    pub profile_id: u64,
    /// Full name.
    pub name: String,
    /// Where to call.
    pub phone: Phone,
    /// Contact address.
    pub email: Option<Email>,
    /// CPF or another document, as the operator registered it.
    pub document: Option<String>,
    /// The last known place.
    pub position: Option<Point>,
    /// When the courier was there.
    pub position_at: Option<Timestamp>,
    /// Whether the courier takes orders now.
    pub available: bool,
}

impl Courier {
    /// The area code of a Brazilian number: `92` of `+5592991000000`.
    pub fn ddd(&self) -> Option<&str> {
        self.phone.as_str().strip_prefix("+55")?.get(..2)
    }
}
