//! The rows of logins and of the courier's app.

use super::{
    Setting,
    Unit::{Days, Minutes},
};

/// The settings of logins and of the courier's app.
pub(super) const COURIERS: &[Setting] = &[
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
];
