//! Couriers: who carries orders, where they are, what they carry now, and who gets which order.

mod cell;

use serde::{Deserialize, Serialize};

use super::{CourierId, Email, OrderId, Phone, Point, Timestamp, order::AssignedCourier, store::KeyHash};

pub use cell::{Cell, FreeCourier, SearchingOrder};

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
    /// The order that the courier has now. It changes in the commit that changes the order's courier, so that nobody has two.
    #[serde(default)]
    pub order: Option<OrderId>,
    /// The courier's key, as far as it is kept.
    #[serde(default)]
    pub key: Option<CourierKey>,
    /// Whether the courier carries orders of sandbox stores, and only these; it never changes. Rows of schema version 12 name it `demo`.
    #[serde(default, alias = "demo")]
    pub sandbox: bool,
    /// When the operator removed the courier, who takes no orders and has no valid key from then on.
    #[serde(default)]
    pub removed_at: Option<Timestamp>,
}

/// What is kept of a courier's key: enough to know it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CourierKey {
    /// The hash of its text.
    pub hash: KeyHash,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// A courier's place at a moment. Kept apart from the courier, without a version, since it changes every few seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Whose place.
    pub courier: CourierId,
    /// Where.
    pub point: Point,
    /// When.
    pub at: Timestamp,
}

impl Courier {
    /// Whether dispatch may give the courier an order.
    pub fn is_free(&self) -> bool {
        self.available && self.order.is_none() && self.removed_at.is_none()
    }

    /// The courier as an order remembers it.
    pub fn assigned(&self) -> AssignedCourier {
        AssignedCourier {
            id: self.id,
            profile_id: self.profile_id,
            name: self.name.clone(),
            phone: self.phone.clone(),
            position: self.position,
        }
    }

    /// The area code of a Brazilian number: `92` of `+5592991000000`.
    pub fn ddd(&self) -> Option<&str> {
        self.phone.as_str().strip_prefix("+55")?.get(..2)
    }
}
