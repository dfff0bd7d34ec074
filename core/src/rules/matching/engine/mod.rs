//! The matching engine: decides in each pass which courier fetches which order.
//!
//! Each courier gets a plan of up to two trips. An order is inserted at the lowest additional cost;
//! then repairs take out related orders and insert them again. Only pairs that cannot wait for the
//! next pass are committed. Everything else is planned again in the next pass, so the engine has no
//! state.
//!
//! All durations are seconds, all costs hundredths of a second.

mod config;
mod cost;
mod decide;
mod insert;
mod plan;
mod random;
mod repair;
mod sequence;
#[cfg(test)]
mod tests;
mod trip;

pub use config::{Config, Weights};
pub use cost::Parts;
pub use decide::decide;

use crate::model::{Load, Point};

/// Maximum number of orders in a trip.
pub const MAX_TRIP_ORDERS: usize = 10;
/// Maximum number of stops in a trip of several orders. It bounds the time to find the visiting
/// order.
pub const MAX_SHARED_STOPS: usize = 12;

/// The input of a pass.
pub struct Problem<'a, T: Fn(Point, Point) -> u32> {
    /// Time of the pass, in seconds. All times must have the same origin.
    pub now: i64,
    /// The couriers that can take orders.
    pub couriers: &'a [Candidate],
    /// The orders without a courier.
    pub orders: &'a [OpenOrder],
    /// Weights and limits.
    pub config: &'a Config,
    /// Returns the estimated ride time between two points in seconds.
    pub travel: T,
}

/// A courier that can take orders.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Position at `free_at`.
    pub point: Point,
    /// Start of the next ride: now if idle, otherwise the end of the trip under way or the start of
    /// the shift. With a committed trip, the start of the ride to its pickup.
    pub free_at: i64,
    /// Whether the courier can leave at once: on shift and without a trip.
    pub idle: bool,
    /// Time after which the courier picks up nothing.
    pub until: Option<i64>,
    /// Number of further orders that the hourly guarantee pays.
    pub guaranteed: u32,
    /// Estimated ride in seconds from `point` to the stores around it. Couriers far from all stores
    /// are preferred, so that the others stay available. 0 if unknown.
    pub remoteness_s: u32,
    /// Maximum load of a trip.
    pub max_load: Load,
    /// The committed trip before its pickup. It can grow.
    pub trip: Option<OpenTrip>,
}

/// A committed trip before its pickup.
#[derive(Clone, Debug)]
pub struct OpenTrip {
    /// The store of all orders.
    pub store: u64,
    /// The pickup of all orders.
    pub pickup: Point,
    /// Estimated arrival at the pickup.
    pub arrives_at: i64,
    /// The committed orders.
    pub orders: Vec<TripOrder>,
}

/// Properties of an order that determine its trips.
#[derive(Clone, Debug)]
pub struct TripOrder {
    /// Time at which the store has the order ready.
    pub ready_at: i64,
    /// Drop-offs in visiting order, at least one.
    pub stops: Vec<Point>,
    /// Whether the courier returns to the pickup after the last stop.
    pub returns: bool,
    /// Whether the order can share a trip.
    pub combinable: bool,
    /// Maximum number of orders in a trip of the store, 1 to [`MAX_TRIP_ORDERS`].
    pub max_orders: u32,
    /// Load of the order.
    pub load: Load,
}

/// An order without a courier.
#[derive(Clone, Debug)]
pub struct OpenOrder {
    /// Store of the order. Only orders of the same store and pickup share a trip.
    pub store: u64,
    /// Pickup of the order.
    pub pickup: Point,
    /// Ready time, stops and limits.
    pub order: TripOrder,
    /// Couriers in reach: index in [`Problem::couriers`] and additional cost in seconds.
    pub near: Vec<(usize, u32)>,
}

/// A decision and the couriers that were considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The decision.
    pub decision: Decision,
    /// The couriers with the lowest costs for the order by itself, each by index, cheapest first.
    pub considered: Vec<(usize, Parts)>,
}

/// The result of a pass for an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The courier must get the order now.
    Commit {
        /// Index of the courier.
        courier: usize,
        /// Whether the order joins the courier's committed trip.
        joins: bool,
        /// Cost that the order adds to the courier's plan.
        parts: Parts,
    },
    /// The order stays without a courier until a later pass.
    Open {
        /// The courier that would get the order if nothing changed.
        best: Option<Planned>,
        /// The reason for leaving it open.
        reason: Reason,
    },
}

/// A planned but uncommitted pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Index of the courier.
    pub courier: usize,
    /// Start of the ride to the pickup.
    pub starts_at: i64,
    /// Estimated pickup.
    pub picks_up_at: i64,
    /// Cost that the order adds to the courier's plan.
    pub parts: Parts,
}

/// The reason for leaving an order without a courier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The order has no candidate couriers.
    NoCourierInReach,
    /// No candidate courier can reach the pickup before the end of the shift.
    ShiftsEnd,
    /// The planned courier can still leave in a later pass and be in time.
    CanWait {
        /// Latest time at which the order can stay without a courier.
        until: i64,
    },
    /// The planned courier has another trip first or starts the shift later.
    CourierBusyUntil {
        /// Planned start of the ride to the pickup.
        at: i64,
    },
    /// Even without other orders, every courier costs more than leaving the order open.
    TooCostly,
    /// Other orders need the couriers more.
    OutbidByOthers,
}
