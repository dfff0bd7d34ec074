//! The settings of orders: `timing` and `cancellation`.

use crate::settings::{
    Setting,
    Unit::{Minutes, Percent},
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::number(
        "timing.search-minutes",
        Minutes,
        1..=1_440,
        "Time to search for a courier, after which an order expires",
    ),
    Setting::number(
        "cancellation.free-minutes",
        Minutes,
        0..=1_440,
        "Time after the first assignment of a courier during which cancellation is free of charge",
    ),
    Setting::number(
        "cancellation.fee-percent",
        Percent,
        0..=100,
        "Price of a later cancellation as a percentage of the order's fee",
    ),
];
