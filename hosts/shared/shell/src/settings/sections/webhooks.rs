//! The settings of `webhooks`.

use crate::settings::{
    Kind::Switch,
    Setting,
    Unit::{Count, Milliseconds, Minutes, Seconds},
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::number(
        "webhooks.first-retry-ms",
        Milliseconds,
        10..=3_600_000,
        "Delay between a failed first attempt and the second; each further delay is three times \
         as long",
    ),
    Setting::number(
        "webhooks.max-retry-minutes",
        Minutes,
        1..=1_440,
        "Maximum delay between two attempts",
    ),
    Setting::number(
        "webhooks.give-up-minutes",
        Minutes,
        1..=43_200,
        "Time after which a message is no longer retried",
    ),
    Setting::number(
        "webhooks.disable-after",
        Count,
        1..=1_000_000,
        "Consecutive failed attempts that disable a webhook",
    ),
    Setting::number(
        "webhooks.timeout-seconds",
        Seconds,
        1..=30,
        "Timeout of one request to a webhook's receiver",
    ),
    Setting::number(
        "webhooks.per-store",
        Count,
        1..=1_000,
        "Maximum webhooks of a store",
    ),
    Setting::number(
        "webhooks.per-merchant",
        Count,
        1..=100_000,
        "Maximum webhooks of one merchant",
    ),
    Setting::new(
        "webhooks.loopback",
        Switch,
        "Whether webhooks can be sent to loopback addresses, also without TLS; only for \
         development. The demo of a server that listens on a loopback address permits it by \
         default",
    ),
];
