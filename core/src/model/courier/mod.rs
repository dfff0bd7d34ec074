//! Couriers, their keys and positions.

mod cell;

use serde::{Deserialize, Serialize};

use super::{CourierId, Email, OrderId, Phone, Point, Timestamp, order::AssignedCourier, store::KeyHash};

pub use cell::{Cell, FreeCourier, SearchingOrder};

/// A person who carries orders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Courier {
    /// The ID.
    pub id: CourierId,
    /// Number of times the courier was written, starting at 1.
    pub version: u32,
    /// ID of the courier's profile in the operator's records.
    pub profile_id: u64,
    /// Full name.
    pub name: String,
    /// Phone number.
    pub phone: Phone,
    /// Email address.
    pub email: Option<Email>,
    /// CPF or another document, as the operator registered it.
    pub document: Option<String>,
    /// The last known position.
    pub position: Option<Point>,
    /// Time of the position.
    pub position_at: Option<Timestamp>,
    /// Whether the courier is available for orders.
    pub available: bool,
    /// The courier's current order. It changes in the same commit as the order's courier, so a courier never has two
    /// orders.
    #[serde(default)]
    pub order: Option<OrderId>,
    /// The stored part of the courier's key.
    #[serde(default)]
    pub key: Option<CourierKey>,
    /// Whether the courier carries only orders of sandbox stores. It never changes. Rows of schema version 12 call it
    /// `demo`.
    #[serde(default, alias = "demo")]
    pub sandbox: bool,
    /// Time at which the operator removed the courier. A removed courier gets no orders and has no valid key.
    #[serde(default)]
    pub removed_at: Option<Timestamp>,
}

/// The stored part of a courier's key, which is sufficient to verify it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CourierKey {
    /// Hash of the key value.
    pub hash: KeyHash,
    /// Time at which the key expires.
    pub expires_at: Timestamp,
}

/// A courier's position at a point in time. It is stored separately from the courier and without a version, because it
/// changes every few seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// The courier.
    pub courier: CourierId,
    /// The position.
    pub point: Point,
    /// Time of the position.
    pub at: Timestamp,
}

impl Courier {
    /// Returns whether dispatch may assign an order to the courier.
    pub fn is_free(&self) -> bool {
        self.available && self.order.is_none() && self.removed_at.is_none()
    }

    /// Returns the copy of the courier's data that an order stores.
    pub fn assigned(&self) -> AssignedCourier {
        AssignedCourier {
            id: self.id,
            profile_id: self.profile_id,
            name: self.name.clone(),
            phone: self.phone.clone(),
            position: self.position,
        }
    }

    /// Returns the area code of a Brazilian phone number: `92` of `+5592991000000`.
    pub fn ddd(&self) -> Option<&str> {
        self.phone.as_str().strip_prefix("+55")?.get(..2)
    }
}
