//! Couriers, their keys and positions.

mod cell;
mod push;
mod trip;

use serde::{Deserialize, Serialize};

use super::{
    Capacity, CourierId, Email, Equipment, Load, Money, OrderId, Phone, Point, Timestamp, Vehicle,
    Zone, order::AssignedCourier, pay::PayTerms, store::KeyHash,
};

pub use cell::{Candidate, Cell, SearchingOrder};
pub use push::{PushDue, PushSubscription};
pub use trip::{Handover, HandoverKind, Shift, TripOrder};

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
    /// The orders of the current trip, all of one store, in the order of their assignment. It
    /// changes in the same commit as the orders' courier, so an order is never in two trips.
    #[serde(default, alias = "order", deserialize_with = "trip::read")]
    pub trip: Vec<TripOrder>,
    /// The last waits, newest last, at most [`Courier::MAX_HANDOVERS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handovers: Vec<Handover>,
    /// The working time, if the courier has sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<Shift>,
    /// The terms of the courier's pay, at most [`PayTerms::MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pay: Vec<PayTerms>,
    /// The stored part of the courier's key.
    #[serde(default)]
    pub key: Option<CourierKey>,
    /// The stored part of the key with which the courier's device reports positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceKey>,
    /// The Web Push subscriptions of the courier's browsers, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub push: Vec<PushSubscription>,
    /// The stored part of the code of the last sign-in link, until it is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<CourierKey>,
    /// The stored parts of the sessions of the courier's app, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<CourierKey>,
    /// The vehicle.
    #[serde(default)]
    pub vehicle: Vehicle,
    /// Maximum weight in grams, if it is less than the limit of the vehicle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_weight_g: Option<u32>,
    /// Maximum volume in millilitres, if it is less than the limit of the vehicle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_volume_ml: Option<u32>,
    /// The equipment.
    #[serde(default = "Equipment::all", skip_serializing_if = "Equipment::is_all")]
    pub equipment: Equipment,
    /// The maximum of cash in hand. With more, the courier gets no orders that are paid in cash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cash_limit: Option<Money>,
    /// Whether the courier carries only orders of sandbox stores. It never changes. Rows of schema
    /// version 12 call it `demo`.
    #[serde(default, alias = "demo")]
    pub sandbox: bool,
    /// Time at which the operator suspended the courier, who then gets no orders until the operator
    /// ends the suspension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended_at: Option<Timestamp>,
    /// Time at which the operator removed the courier. A removed courier gets no orders and has no
    /// valid key.
    #[serde(default)]
    pub removed_at: Option<Timestamp>,
}

/// The stored part of a courier's key, sign-in code or session, which is sufficient to verify it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CourierKey {
    /// Hash of the value.
    pub hash: KeyHash,
    /// Time at which it expires.
    pub expires_at: Timestamp,
}

/// The stored part of a device key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceKey {
    /// Hash of the key value.
    pub hash: KeyHash,
    /// Time at which the key was issued.
    pub created_at: Timestamp,
    /// Hash of the session that issued the key, with which the key ends. `None` if the courier's
    /// key issued it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<KeyHash>,
}

/// A courier's position at a point in time. It is stored separately from the courier and without a
/// version, because it changes every few seconds.
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
    /// Maximum number of past waits that a courier stores.
    pub const MAX_HANDOVERS: usize = 12;

    /// Returns whether the courier is available and carries no order.
    pub fn is_free(&self) -> bool {
        self.is_candidate() && self.trip.is_empty()
    }

    /// Returns whether a session with this hash is valid, or `true` without one.
    pub fn has_session(&self, session: Option<&KeyHash>, now: Timestamp) -> bool {
        session.is_none_or(|hash| {
            self.sessions
                .iter()
                .any(|one| one.hash == *hash && now < one.expires_at)
        })
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

    /// Returns the vehicle with the courier's own limits, and the equipment.
    pub fn capacity(&self) -> Capacity {
        let limit = self.vehicle.limit();
        let max = Load {
            weight_g: self.max_weight_g.unwrap_or(u32::MAX).min(limit.weight_g),
            volume_ml: self.max_volume_ml.unwrap_or(u32::MAX).min(limit.volume_ml),
        };
        Capacity {
            vehicle: self.vehicle,
            max,
            equipment: self.equipment,
        }
    }

    /// Returns the area code of a Brazilian phone number: `92` of `+5592991000000`.
    pub fn ddd(&self) -> Option<&str> {
        self.phone.as_str().strip_prefix("+55")?.get(..2)
    }

    /// Returns the time zone of the area code, by default that of Brasília.
    pub fn zone(&self) -> Zone {
        match self.ddd() {
            Some("68") => Zone::Acre,
            Some("65" | "66" | "67" | "69" | "92" | "95" | "97") => Zone::Amazon,
            _ => Zone::Brasilia,
        }
    }

    /// Returns whether the courier carries an order.
    pub fn carries(&self, order: OrderId) -> bool {
        self.trip.iter().any(|one| one.id == order)
    }

    /// Returns whether dispatch may assign an order to the courier now, besides the orders of the
    /// current trip.
    pub fn is_on_duty(&self, now: Timestamp) -> bool {
        let in_shift =
            |shift: &Shift| shift.from <= now && shift.until.is_none_or(|until| now <= until);
        self.is_candidate() && self.shift.as_ref().is_none_or(in_shift)
    }

    /// Returns whether dispatch considers the courier: free, on a trip, or before the shift.
    pub fn is_candidate(&self) -> bool {
        self.available && self.suspended_at.is_none() && self.removed_at.is_none()
    }

    /// Returns the order by which storage finds unresponsive couriers: one that is not picked up,
    /// if there is any.
    pub fn watched_order(&self) -> Option<OrderId> {
        let waiting = self.trip.iter().find(|one| !one.picked_up);
        waiting.or(self.trip.first()).map(|one| one.id)
    }

    /// Returns the time at which the first push is due, by which storage finds the courier.
    pub fn push_at(&self) -> Option<Timestamp> {
        self.push
            .iter()
            .filter_map(|subscription| Some(subscription.due?.at))
            .min()
    }

    /// Returns the courier after an order was assigned. A push to each of the courier's browsers is
    /// then due.
    #[must_use]
    pub(crate) fn with_order(&self, id: OrderId, now: Timestamp) -> Courier {
        let mut next = self.clone();
        for subscription in &mut next.push {
            subscription.due = Some(PushDue::since(now));
        }
        next.version += 1;
        next.trip.push(TripOrder {
            id,
            picked_up: false,
        });
        next.count_order(1);
        next
    }

    /// Returns the courier without an order that has ended.
    #[must_use]
    pub(crate) fn without_order(&self, id: OrderId) -> Courier {
        let mut next = self.clone();
        next.trip.retain(|one| one.id != id);
        next
    }

    /// Stores a wait, and removes the oldest one beyond the maximum.
    pub(crate) fn record_handover(&mut self, handover: Handover) {
        self.handovers.push(handover);
        if self.handovers.len() > Courier::MAX_HANDOVERS {
            self.handovers.remove(0);
        }
    }

    /// Counts an order of the shift, or with -1 one that was released.
    pub(crate) fn count_order(&mut self, change: i32) {
        if let Some(shift) = &mut self.shift {
            shift.orders = shift.orders.saturating_add_signed(change);
        }
    }
}
