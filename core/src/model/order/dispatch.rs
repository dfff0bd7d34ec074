//! What dispatch stores in an order: its terms, the live estimate and the reasons of its
//! assignments.

use serde::{Deserialize, Serialize};

use crate::model::{CourierId, Duration, Point, Timestamp};

/// The terms on which an order takes part in dispatch. They are fixed when the order is created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OrderDispatch {
    /// Minutes before the ready time from which a courier is searched, 0 to 60.
    pub lead_minutes: u32,
    /// Whether the order can share a trip with other orders of its store.
    pub combinable: bool,
    /// Maximum number of orders in its trip, 1 to 10, if the store has its own limit.
    pub orders_per_trip: Option<u32>,
}

impl Default for OrderDispatch {
    fn default() -> OrderDispatch {
        OrderDispatch {
            lead_minutes: 0,
            combinable: true,
            orders_per_trip: None,
        }
    }
}

/// The last step that changed a status of an order or of its deliveries, by which dispatch sees
/// whether the next one is overdue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastStep {
    /// Time at which the service received it.
    pub at: Timestamp,
    /// Time at which the courier took it, which is earlier if the courier had no network.
    pub taken_at: Timestamp,
    /// Position of the courier, if it was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Point>,
}

/// The live estimate of an order's times, from the courier's trip and position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Eta {
    /// Time of the pickup. `None` after the pickup.
    pub pickup: Option<Timestamp>,
    /// Time of the last delivery.
    pub delivery: Timestamp,
    /// Time at which the estimate was stored.
    pub at: Timestamp,
}

impl Eta {
    /// Minimum change that replaces a stored estimate, and minimum time between two stored
    /// estimates.
    pub const STEP: Duration = Duration::seconds(60);

    /// Returns whether another estimate differs by at least [`Eta::STEP`].
    pub fn differs(&self, other: &Eta) -> bool {
        let has_moved =
            |a: Timestamp, b: Timestamp| a >= b.after(Eta::STEP) || b >= a.after(Eta::STEP);
        let pickups = self.pickup.zip(other.pickup);
        has_moved(self.delivery, other.delivery)
            || pickups.is_some_and(|(own, other)| has_moved(own, other))
    }
}

/// The cost of an assignment by component, in hundredths of a second. One second is one second of
/// lateness of one order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AssignmentCost {
    /// Deliveries later than the earliest possible ones.
    pub lateness: i64,
    /// Waiting of the goods between the ready time and the pickup.
    pub wait: i64,
    /// Time until the courier can start.
    pub start: i64,
    /// Travel to the pickup.
    pub travel: i64,
    /// Duration of the trip from the pickup on.
    pub length: i64,
    /// Advantage of a courier far from the present pickups: zero or negative.
    pub remoteness: i64,
    /// Orders beyond those that the courier's hourly guarantee pays.
    pub guarantee: i64,
    /// Another offer to a courier that was released before.
    pub reoffer: i64,
}

impl AssignmentCost {
    /// Returns the sum of the components.
    pub fn total(&self) -> i64 {
        let AssignmentCost {
            lateness,
            wait,
            start,
            travel,
            length,
            remoteness,
            guarantee,
            reoffer,
        } = *self;
        lateness + wait + start + travel + length + remoteness + guarantee + reoffer
    }
}

/// A courier that a pass considered for an order, with the cost of the order in a trip by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsideredCourier {
    /// The courier.
    pub courier: CourierId,
    /// The cost by component.
    pub cost: AssignmentCost,
}

/// The reasons of an assignment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// Time of the pass.
    pub at: Timestamp,
    /// The courier to which the order was assigned.
    pub courier: CourierId,
    /// Cost of the order in the courier's trip, by component.
    pub cost: AssignmentCost,
    /// Number of orders in the trip, with this one.
    pub orders: u32,
    /// The couriers with the lowest costs, cheapest first.
    pub considered: Vec<ConsideredCourier>,
}
