//! Cost of a courier's plan by its parts.

use core::ops::{Add, Sub};

/// Cost by its parts, in hundredths of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Drop-offs later than the earliest possible ones.
    pub lateness: i64,
    /// Orders that wait at the store.
    pub wait: i64,
    /// Trips that start later than now.
    pub start: i64,
    /// Rides to pickups.
    pub ride: i64,
    /// Durations from the pickup to the end of the trip.
    pub length: i64,
    /// Trips that start far from the stores. Never positive.
    pub remoteness: i64,
    /// Orders beyond the hourly guarantee.
    pub guarantee: i64,
    /// Additional costs of pairs, for example of couriers that released the order.
    pub reoffer: i64,
}

impl Parts {
    /// Returns the sum of the parts.
    pub fn total(&self) -> i64 {
        self.lateness
            + self.wait
            + self.start
            + self.ride
            + self.length
            + self.remoteness
            + self.guarantee
            + self.reoffer
    }
}

impl Add for Parts {
    type Output = Parts;

    fn add(self, other: Parts) -> Parts {
        Parts {
            lateness: self.lateness + other.lateness,
            wait: self.wait + other.wait,
            start: self.start + other.start,
            ride: self.ride + other.ride,
            length: self.length + other.length,
            remoteness: self.remoteness + other.remoteness,
            guarantee: self.guarantee + other.guarantee,
            reoffer: self.reoffer + other.reoffer,
        }
    }
}

impl Sub for Parts {
    type Output = Parts;

    fn sub(self, other: Parts) -> Parts {
        Parts {
            lateness: self.lateness - other.lateness,
            wait: self.wait - other.wait,
            start: self.start - other.start,
            ride: self.ride - other.ride,
            length: self.length - other.length,
            remoteness: self.remoteness - other.remoteness,
            guarantee: self.guarantee - other.guarantee,
            reoffer: self.reoffer - other.reoffer,
        }
    }
}
