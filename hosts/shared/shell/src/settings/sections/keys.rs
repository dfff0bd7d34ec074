//! The settings of `keys`.

use crate::settings::{
    Setting,
    Unit::{Count, Days, Hours},
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::number(
        "keys.days",
        Days,
        1..=3_650,
        "Lifetime of an issued API key",
    ),
    Setting::number(
        "keys.session-hours",
        Hours,
        1..=720,
        "Lifetime of a login to the panel",
    ),
    Setting::number(
        "keys.per-store",
        Count,
        1..=10_000,
        "Maximum valid API keys of a store, without logins",
    ),
    Setting::number(
        "keys.sessions-per-store",
        Count,
        1..=10_000,
        "Maximum valid logins of a store; one more ends the oldest",
    ),
];
