//! Configuration of dispatch.

use serde::{Deserialize, Serialize};

use crate::model::Duration;

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
    /// Minutes of searching after which an order can be offered to a released courier again, if no other courier is
    /// free.
    pub reoffer_after_minutes: u32,
    /// Minimum seconds between two stored positions of a courier.
    pub position_seconds: u32,
    /// Maximum number of searching orders with a free courier nearby that a pass matches. If there are more, half of
    /// them are the ones that have searched longest, and the other half changes from pass to pass.
    pub orders_per_pass: u32,
}

impl Default for Dispatch {
    fn default() -> Dispatch {
        Dispatch {
            interval_seconds: 3,
            radius_km: 10,
            max_position_age_minutes: 5,
            silence_timeout_minutes: 10,
            reoffer_after_minutes: 3,
            position_seconds: 20,
            orders_per_pass: 2_000,
        }
    }
}

impl Dispatch {
    /// Maximum radius that can be configured, in kilometres.
    pub const MAX_RADIUS_KM: u32 = 200;
    /// Maximum value of `orders_per_pass`.
    const MAX_ORDERS_PER_PASS: usize = 5_000;

    /// Returns the maximum number of orders that a pass matches.
    pub(crate) fn orders(&self) -> usize {
        usize::try_from(self.orders_per_pass).unwrap_or(usize::MAX).clamp(1, Dispatch::MAX_ORDERS_PER_PASS)
    }

    /// Returns the radius in metres.
    pub(crate) fn radius_m(&self) -> u32 {
        self.radius_km.min(Dispatch::MAX_RADIUS_KM) * 1_000
    }

    /// Returns the maximum age of a courier's position for an assignment.
    pub(crate) fn seen(&self) -> Duration {
        Duration::minutes(self.max_position_age_minutes.into())
    }

    /// Returns the timeout after which an unresponsive courier is released.
    pub(crate) fn silence(&self) -> Duration {
        Duration::minutes(self.silence_timeout_minutes.into())
    }

    /// Returns the duration of searching after which an order can be offered to a released courier again.
    pub(crate) fn reoffer_after(&self) -> Duration {
        Duration::minutes(self.reoffer_after_minutes.into())
    }
}
