//! The settings of logins and couriers: `accounts`, `couriers` and `sandbox`.

use crate::settings::{
    Host::Server,
    Setting,
    Unit::{Count, Days, Factor, Minutes},
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::number(
        "accounts.link-minutes",
        Minutes,
        1..=43_200,
        "Lifetime of a one-time link that sets the password of a login",
    ),
    Setting::number(
        "couriers.sign-in-minutes",
        Minutes,
        1..=43_200,
        "Lifetime of a courier's one-time sign-in link",
    ),
    Setting::number(
        "couriers.session-days",
        Days,
        1..=400,
        "Lifetime of a courier's session after a sign-in by link",
    ),
    Setting::number(
        "sandbox.couriers-per-store",
        Count,
        0..=100,
        "Maximum number of simulated couriers of each sandbox store; 0 simulates none",
    )
    .on(Server)
    .default_to("5"),
    Setting::number(
        "sandbox.speed",
        Factor,
        1..=600,
        "Speed of simulated couriers as a multiple of real time",
    )
    .on(Server)
    .default_to("30"),
];
