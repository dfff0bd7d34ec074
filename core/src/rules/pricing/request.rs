//! The input of the planning, and its errors.

use crate::{
    model::{
        Distance, DistanceMatrix, Located, Precision, Timestamp, Vehicle, Zone,
        order::DeliveryWindow, price::EstimatePolicy,
    },
    route,
};

/// The input of the planning.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Coordinates of the pickup.
    pub pickup: Located,
    /// The stops, in the order sent. At least one is required.
    pub stops: &'a [Stop],
    /// Legs between the pickup (index 0) and the stops (from index 1).
    pub matrix: &'a DistanceMatrix,
    /// Whether to sort the stops into the shortest route.
    pub best_route: bool,
    /// Preparation time in minutes.
    pub preparation_minutes: u32,
    /// Minutes before the ready time from which a courier is searched.
    pub lead_minutes: u32,
    /// Requested time of arrival at the last stop.
    pub deliver_at: Option<Timestamp>,
    /// Current time.
    pub now: Timestamp,
    /// Time zone of the pickup.
    pub zone: Zone,
    /// The smallest kind of vehicle that meets the order's requirements. `None` without
    /// requirements.
    pub vehicle: Option<Vehicle>,
    /// What to do if the price is uncertain because an address was located only by its
    /// municipality.
    pub estimates: EstimatePolicy,
}

/// A stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Coordinates of the stop.
    pub located: Located,
    /// Whether the courier brings something back to the pickup.
    pub returns: bool,
    /// Position that the merchant fixed for the shortest route.
    pub pin: Option<route::Pin>,
    /// The period in which the courier must arrive.
    pub window: Option<DeliveryWindow>,
}

impl Request<'_> {
    /// Returns the places that were located only by their municipality: 0 is the pickup, and the
    /// stops follow.
    pub(super) fn rough_places(&self) -> Vec<usize> {
        let places = std::iter::once(self.pickup).chain(self.stops.iter().map(|stop| stop.located));
        let is_rough = |(_, place): &(usize, Located)| place.precision == Precision::Municipality;
        places
            .enumerate()
            .filter(is_rough)
            .map(|(at, _)| at)
            .collect()
    }

    /// Returns whether the order has a time or a window for a delivery.
    pub(super) fn is_scheduled(&self) -> bool {
        self.deliver_at.is_some() || self.stops.iter().any(|stop| stop.window.is_some())
    }
}

/// The reason a route cannot be planned. Stops are identified by their index in the order sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Stops are further from the pickup, in a straight line, than the tariff's service radius.
    #[error("stops are further from the pickup than the service radius")]
    OutOfArea {
        /// The stops with their distances.
        stops: Vec<(usize, Distance)>,
    },
    /// The route is longer than the tariff allows.
    #[error("the route is longer than the tariff allows")]
    DistanceExceeded {
        /// Length of the route.
        distance: Distance,
    },
    /// The stops are not connected by roads.
    #[error("the stops are not connected by roads")]
    NoRoad,
    /// The requested time of delivery is before the earliest possible one.
    #[error("the earliest possible time of delivery is {earliest}")]
    TooSoon {
        /// The earliest possible time of arrival at the last stop.
        earliest: Timestamp,
    },
    /// The expected arrival is outside the window of a stop.
    #[error("the expected arrival is outside the window of a stop")]
    WindowUnreachable {
        /// The stops with the expected arrivals.
        stops: Vec<(usize, Timestamp)>,
    },
    /// The price is an estimate, and the store accepts none.
    #[error("the price is an estimate, and the store accepts none")]
    Estimated {
        /// Indices of the places that were located only by their municipality: 0 is the pickup, and
        /// the stops follow.
        places: Vec<usize>,
    },
    /// There are no stops, or more than the route engine supports.
    #[error("there are no stops, or more than the route engine supports")]
    Stops,
}
