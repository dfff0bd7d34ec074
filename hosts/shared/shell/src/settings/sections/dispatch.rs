//! The settings of `dispatch`. core/DISPATCH.md explains the costs.

use std::ops::RangeInclusive;

use despacho_core::rules::matching::Dispatch;

use crate::settings::{
    Setting,
    Unit::{Count, Kilometres, Minutes, Percent, Seconds},
};

/// Returns a range of the core as the range of a setting.
const fn range(range: RangeInclusive<u32>) -> RangeInclusive<u64> {
    *range.start() as u64..=*range.end() as u64
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting::number(
        "dispatch.interval-seconds",
        Seconds,
        1..=60,
        "Time between two passes that assign waiting orders to free couriers; the component \
         runs a pass for each POST /admin/dispatch",
    ),
    Setting::number(
        "dispatch.radius-km",
        Kilometres,
        range(Dispatch::RADIUS_KM),
        "Maximum straight-line distance between a courier and a pickup",
    ),
    Setting::number(
        "dispatch.max-position-age-minutes",
        Minutes,
        range(Dispatch::POSITION_AGE_MINUTES),
        "Maximum age of a courier's position for dispatch",
    ),
    Setting::number(
        "dispatch.silence-timeout-minutes",
        Minutes,
        1..=120,
        "Time without a position or step, after which an order that is not picked up is taken \
         from its courier",
    ),
    Setting::number(
        "dispatch.stuck-after-minutes",
        Minutes,
        range(Dispatch::STUCK_AFTER_MINUTES),
        "Time by which a courier's step is overdue, after which dispatch does not count on the \
         courier; one who does not move to the pickup loses the order",
    ),
    Setting::number(
        "dispatch.wait-limit-minutes",
        Minutes,
        range(Dispatch::WAIT_LIMIT_MINUTES),
        "Time that a ready order waits at most for a better courier while an idle one is in \
         reach; health names orders that search longer",
    ),
    Setting::number(
        "dispatch.reoffer-after-minutes",
        Minutes,
        range(Dispatch::REOFFER_AFTER_MINUTES),
        "Search time after which an order can be assigned again to a courier who released it, \
         if no other courier is free",
    ),
    Setting::number(
        "dispatch.position-seconds",
        Seconds,
        0..=300,
        "Minimum time between two stored positions of a courier; one second for sandbox couriers",
    ),
    Setting::number(
        "dispatch.orders-per-pass",
        Count,
        1..=5_000,
        "Maximum searching orders near free couriers that one pass matches; if there are more, \
         half of these have searched longest and the rest rotate",
    ),
    Setting::number(
        "dispatch.lead-minutes",
        Minutes,
        range(Dispatch::LEAD_MINUTES),
        "Time before the ready time from which a courier is searched, unless the store has its \
         own value; 0 searches when the order is ready",
    ),
    Setting::number(
        "dispatch.horizon-minutes",
        Minutes,
        range(Dispatch::HORIZON_MINUTES),
        "Time within which a courier must be free to be considered",
    ),
    Setting::number(
        "dispatch.orders-per-trip",
        Count,
        range(Dispatch::ORDERS_PER_TRIP),
        "Maximum orders of one store that a courier carries together, unless the store has its \
         own value",
    ),
    Setting::number(
        "dispatch.detour-minutes",
        Minutes,
        range(Dispatch::DETOUR_MINUTES),
        "Maximum time by which the other orders of a trip can delay a delivery",
    ),
    Setting::number(
        "dispatch.ready-spread-minutes",
        Minutes,
        range(Dispatch::READY_SPREAD_MINUTES),
        "Maximum time between the ready times of a trip's orders; an order that is delayed by \
         more leaves the trip",
    ),
    Setting::number(
        "dispatch.margin-seconds",
        Seconds,
        range(Dispatch::MARGIN_SECONDS),
        "Time by which couriers are sent earlier than their travel time requires; about 480 \
         suits ready times that vary by minutes",
    ),
    Setting::number(
        "dispatch.pickup-service-seconds",
        Seconds,
        0..=3_600,
        "Duration of a pickup, half before and half after the handover",
    ),
    Setting::number(
        "dispatch.delivery-service-seconds",
        Seconds,
        0..=3_600,
        "Duration of a delivery, half before and half after the handover",
    ),
    Setting::number(
        "dispatch.wait-percent",
        Percent,
        0..=1_000,
        "Cost of an order that waits at the store, in per cent of the same lateness",
    ),
    Setting::number(
        "dispatch.start-percent",
        Percent,
        0..=1_000,
        "Cost of the time until a courier can start, in per cent",
    ),
    Setting::number(
        "dispatch.travel-percent",
        Percent,
        0..=1_000,
        "Cost of the travel to a pickup, in per cent",
    ),
    Setting::number(
        "dispatch.length-percent",
        Percent,
        0..=1_000,
        "Cost of a trip's duration from the pickup on, in per cent",
    ),
    Setting::number(
        "dispatch.remoteness-percent",
        Percent,
        0..=1_000,
        "Advantage of couriers far from the present pickups, in per cent of their mean travel \
         to them",
    ),
    Setting::number(
        "dispatch.guarantee-seconds",
        Seconds,
        0..=3_600,
        "Cost of an order beyond 1.5 for each hour of a courier's shift",
    ),
    Setting::number(
        "dispatch.open-minutes",
        Minutes,
        1..=1_440,
        "Cost of an order without a courier",
    ),
    Setting::number(
        "dispatch.open-age-percent",
        Percent,
        100..=1_000,
        "Growth of that cost with the time since the order is ready, in per cent; at least 100 \
         plus dispatch.wait-percent",
    ),
];
