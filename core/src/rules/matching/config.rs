//! Configuration of dispatch.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::engine;
use crate::model::{Duration, store::Store};

/// Configuration of the search for couriers and of their timeouts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Dispatch {
    /// Seconds between two passes, for hosts with their own scheduler.
    pub interval_seconds: u32,
    /// Maximum great-circle distance between a courier and a pickup in kilometres.
    pub radius_km: u32,
    /// Maximum age in minutes of a courier's position for an assignment.
    pub max_position_age_minutes: u32,
    /// Minutes without a position or step after which a courier is released before the pickup.
    pub silence_timeout_minutes: u32,
    /// Minutes by which a courier's step is overdue, after which dispatch does not count on the
    /// courier.
    pub stuck_after_minutes: u32,
    /// Minutes that an order whose goods are ready waits at most for a better courier while an idle
    /// one is in reach.
    pub wait_limit_minutes: u32,
    /// Minutes of searching after which an order can be offered to a released courier again, if no
    /// other courier is free.
    pub reoffer_after_minutes: u32,
    /// Minimum seconds between two stored positions of a courier.
    pub position_seconds: u32,
    /// Maximum number of searching orders with a free courier nearby that a pass matches. If there
    /// are more, half of them are the ones that have searched longest, and the other half changes
    /// from pass to pass.
    pub orders_per_pass: u32,
    /// Minutes before the ready time from which a courier is searched, 0 to 60, unless the store
    /// has its own value. With 0 the search starts when the goods are ready.
    pub lead_minutes: u32,
    /// Minutes within which a courier must be free to be considered.
    pub horizon_minutes: u32,
    /// Maximum number of orders in a trip, 1 to 10, unless the store has its own value.
    pub orders_per_trip: u32,
    /// Maximum minutes by which the other orders of a trip may delay a delivery.
    pub detour_minutes: u32,
    /// Maximum minutes between the ready times of a trip's orders.
    pub ready_spread_minutes: u32,
    /// Seconds by which couriers are sent earlier than the travel time requires.
    pub margin_seconds: u32,
    /// Duration of a pickup in seconds: half before the goods are handed over, half after.
    pub pickup_service_seconds: u32,
    /// Duration of a delivery in seconds: half before the goods are handed over, half after.
    pub delivery_service_seconds: u32,
    /// Cost of goods that wait between the ready time and the pickup, in per cent of the same
    /// lateness.
    pub wait_percent: u32,
    /// Cost of the time until the courier starts, in per cent.
    pub start_percent: u32,
    /// Cost of the travel to the pickup, in per cent.
    pub travel_percent: u32,
    /// Cost of the duration of a trip from the pickup on, in per cent.
    pub length_percent: u32,
    /// Advantage of couriers far from the present pickups, in per cent of their mean travel to
    /// them. Couriers nearby stay available for other orders.
    pub remoteness_percent: u32,
    /// Cost in seconds of an order beyond those that a courier's hourly guarantee pays.
    pub guarantee_seconds: u32,
    /// Cost of an order without a courier in minutes.
    pub open_minutes: u32,
    /// Growth of that cost with the time since the goods are ready, in per cent.
    pub open_age_percent: u32,
}

impl Default for Dispatch {
    fn default() -> Dispatch {
        Dispatch {
            interval_seconds: 3,
            radius_km: 10,
            max_position_age_minutes: 5,
            silence_timeout_minutes: 10,
            stuck_after_minutes: 10,
            wait_limit_minutes: 5,
            reoffer_after_minutes: 3,
            position_seconds: 20,
            orders_per_pass: 2_000,
            lead_minutes: 0,
            horizon_minutes: 40,
            orders_per_trip: 3,
            detour_minutes: 20,
            ready_spread_minutes: 20,
            margin_seconds: 30,
            pickup_service_seconds: 180,
            delivery_service_seconds: 180,
            wait_percent: 20,
            start_percent: 10,
            travel_percent: 2,
            length_percent: 15,
            remoteness_percent: 6,
            guarantee_seconds: 30,
            open_minutes: 120,
            open_age_percent: 150,
        }
    }
}

impl Dispatch {
    /// Maximum value of `orders_per_pass`.
    const MAX_ORDERS_PER_PASS: usize = 5_000;

    /// Permitted values of `radius_km`.
    pub const RADIUS_KM: RangeInclusive<u32> = 1..=200;
    /// Permitted values of `max_position_age_minutes`.
    pub const POSITION_AGE_MINUTES: RangeInclusive<u32> = 1..=60;
    /// Permitted values of `stuck_after_minutes`.
    pub const STUCK_AFTER_MINUTES: RangeInclusive<u32> = 1..=120;
    /// Permitted values of `wait_limit_minutes`.
    pub const WAIT_LIMIT_MINUTES: RangeInclusive<u32> = 1..=60;
    /// Permitted values of `reoffer_after_minutes`.
    pub const REOFFER_AFTER_MINUTES: RangeInclusive<u32> = 0..=60;
    /// Permitted values of `lead_minutes`.
    pub const LEAD_MINUTES: RangeInclusive<u32> = 0..=60;
    /// Permitted values of `horizon_minutes`.
    pub const HORIZON_MINUTES: RangeInclusive<u32> = 0..=120;
    /// Permitted values of `orders_per_trip`.
    pub const ORDERS_PER_TRIP: RangeInclusive<u32> = 1..=10;
    /// Permitted values of `detour_minutes`.
    pub const DETOUR_MINUTES: RangeInclusive<u32> = 0..=120;
    /// Permitted values of `ready_spread_minutes`.
    pub const READY_SPREAD_MINUTES: RangeInclusive<u32> = 0..=120;
    /// Permitted values of `margin_seconds`.
    pub const MARGIN_SECONDS: RangeInclusive<u32> = 0..=1_800;

    /// Returns the lead time of a store in minutes.
    pub fn lead(&self, store: &Store) -> u32 {
        store
            .dispatch
            .lead_minutes
            .unwrap_or(self.lead_minutes)
            .min(*Dispatch::LEAD_MINUTES.end())
    }

    /// Returns the configuration of the engine.
    pub(super) fn engine(&self) -> engine::Config {
        engine::Config {
            pickup_service_s: self.pickup_service_seconds,
            dropoff_service_s: self.delivery_service_seconds,
            step_s: self.interval_seconds.max(1),
            margin_s: self.margin_seconds,
            detour_s: self.detour_minutes * 60,
            ready_spread_s: self.ready_spread_minutes * 60,
            weights: engine::Weights {
                lateness: 100,
                wait: self.wait_percent,
                start: self.start_percent,
                ride: self.travel_percent,
                length: self.length_percent,
                remoteness: self.remoteness_percent,
                guarantee_s: self.guarantee_seconds,
                open_s: self.open_minutes * 60,
                open_age: self.open_age_percent,
            },
        }
    }

    /// Returns the maximum difference between the ready times of a trip's orders.
    pub fn ready_spread(&self) -> Duration {
        Duration::minutes(self.ready_spread_minutes.into())
    }

    /// Returns the time within which a courier must be free to be considered.
    pub(crate) fn horizon(&self) -> Duration {
        Duration::minutes(self.horizon_minutes.into())
    }

    /// Returns the maximum number of orders that a pass matches.
    pub(crate) fn orders(&self) -> usize {
        usize::try_from(self.orders_per_pass)
            .unwrap_or(usize::MAX)
            .clamp(1, Dispatch::MAX_ORDERS_PER_PASS)
    }

    /// Returns the radius in metres.
    pub(crate) fn radius_m(&self) -> u32 {
        self.radius_km.min(*Dispatch::RADIUS_KM.end()) * 1_000
    }

    /// Returns the maximum age of a courier's position for an assignment.
    pub(crate) fn seen(&self) -> Duration {
        Duration::minutes(self.max_position_age_minutes.into())
    }

    /// Returns the timeout after which an unresponsive courier is released.
    pub(crate) fn silence(&self) -> Duration {
        Duration::minutes(self.silence_timeout_minutes.into())
    }

    /// Returns the delay of a step after which a courier is stuck.
    pub(crate) fn stuck_after(&self) -> Duration {
        Duration::minutes(self.stuck_after_minutes.into())
    }

    /// Returns the time that an order waits at most while an idle courier is in reach.
    pub fn wait_limit(&self) -> Duration {
        Duration::minutes(self.wait_limit_minutes.into())
    }

    /// Returns the duration of searching after which an order can be offered to a released courier
    /// again.
    pub(crate) fn reoffer_after(&self) -> Duration {
        Duration::minutes(self.reoffer_after_minutes.into())
    }
}
