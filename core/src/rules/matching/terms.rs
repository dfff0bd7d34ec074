//! How dispatch works, as the operator decides.

use serde::{Deserialize, Serialize};

use crate::model::Duration;

/// How couriers are looked for, and when they count as lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Dispatch {
    /// Seconds between two rounds, for hosts that run them by themselves.
    pub interval_seconds: u32,
    /// Great-circle kilometres between a courier and a pickup, at most.
    pub radius_km: u32,
    /// Minutes after the last known place in which a courier may still get an order.
    pub max_position_age_minutes: u32,
    /// Minutes without a place or a step after which a courier before pickup is taken the order from.
    pub silence_timeout_minutes: u32,
    /// Minutes of searching after which a courier that let an order go may be asked for it again, where nobody else is free.
    pub reoffer_after_minutes: u32,
    /// Seconds between two places of a courier that are stored.
    pub position_seconds: u32,
    /// Searching orders with a free courier nearby that a pass matches at most; where there are more, half of them are those that have
    /// searched longest, and the other half changes from pass to pass.
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
    /// The longest radius that may be configured, in kilometres: further than anybody rides for a pickup.
    pub const LARGEST_RADIUS_KM: u32 = 200;
    /// The largest value of `orders_per_pass`.
    const MAX_ORDERS_PER_PASS: usize = 5_000;

    /// Orders that a pass matches at most.
    pub(crate) fn orders(&self) -> usize {
        usize::try_from(self.orders_per_pass).unwrap_or(usize::MAX).clamp(1, Dispatch::MAX_ORDERS_PER_PASS)
    }

    /// The radius in metres.
    pub(crate) fn radius_m(&self) -> u32 {
        self.radius_km.min(Dispatch::LARGEST_RADIUS_KM) * 1_000
    }

    /// How long after the last known place a courier may still get an order.
    pub(crate) fn seen(&self) -> Duration {
        Duration::minutes(self.max_position_age_minutes.into())
    }

    /// How long a courier before pickup may say nothing.
    pub(crate) fn silence(&self) -> Duration {
        Duration::minutes(self.silence_timeout_minutes.into())
    }

    /// How long an order looks for others before it comes back to a courier that let it go.
    pub(crate) fn reoffer_after(&self) -> Duration {
        Duration::minutes(self.reoffer_after_minutes.into())
    }
}
