//! Weights and limits of the matching engine.

/// Configuration of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Duration of a pickup in seconds. Half of it lies before the pickup, half after it.
    pub pickup_service_s: u32,
    /// Duration of a drop-off in seconds. Half of it lies before the drop-off, half after it.
    pub dropoff_service_s: u32,
    /// Seconds until the next pass.
    pub step_s: u32,
    /// Seconds that couriers leave earlier than necessary, because ready times are estimates.
    pub margin_s: u32,
    /// Maximum delay in seconds of an order's last drop-off, compared with the same trip carrying
    /// that order first.
    pub detour_s: u32,
    /// Maximum difference in seconds between the ready times of a trip's orders.
    pub ready_spread_s: u32,
    /// Prices of the cost's parts.
    pub weights: Weights,
}

/// Prices of the cost's parts. Percentages apply to durations, so 100 % makes one second cost one
/// second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// Percentage of an order's lateness: its drop-off minus its earliest possible drop-off.
    pub lateness: u32,
    /// Percentage of the time that an order waits at the store, from ready to pickup.
    pub wait: u32,
    /// Percentage of the time from now to the start of a trip.
    pub start: u32,
    /// Percentage of the ride to the pickup.
    pub ride: u32,
    /// Percentage of the duration from the pickup to the end of the trip.
    pub length: u32,
    /// Percentage of [`super::Candidate::remoteness_s`] that is subtracted if a trip starts there.
    pub remoteness: u32,
    /// Seconds for each order beyond the number that the hourly guarantee pays.
    pub guarantee_s: u32,
    /// Seconds for an order that stays without a courier.
    pub open_s: u32,
    /// Percentage of the time since ready that is added for an order without a courier. It must be
    /// at least the sum of `lateness` and `wait`, or the oldest orders starve.
    pub open_age: u32,
}
