//! The settings of `limits` and `overload`.

use crate::settings::{
    Host::Server,
    Setting,
    Unit::{Bytes, Count, Mebibytes, Milliseconds, Minutes},
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::number(
        "limits.deliveries",
        Count,
        1..=200,
        "Maximum deliveries of one order",
    ),
    Setting::number(
        "limits.body-bytes",
        Bytes,
        1_024..=16_777_216,
        "Maximum size of a request's body",
    ),
    Setting::number(
        "limits.photo-bytes",
        Bytes,
        1_024..=8_388_608,
        "Maximum size of a photo that a courier sends",
    ),
    Setting::number(
        "limits.preparation-minutes",
        Minutes,
        0..=10_080,
        "Maximum preparation time of an order",
    ),
    Setting::number(
        "limits.previews-per-minute",
        Count,
        1..=1_000_000,
        "Maximum previews per minute of one merchant, which is a parent store with its branches",
    ),
    Setting::number(
        "limits.writes-per-minute",
        Count,
        1..=1_000_000,
        "Maximum writes per minute of one merchant",
    ),
    Setting::number(
        "limits.reads-per-minute",
        Count,
        1..=1_000_000,
        "Maximum reads per minute of one merchant",
    ),
    Setting::number(
        "limits.logins-per-15-minutes",
        Count,
        1..=10_000,
        "Maximum logins in 15 minutes with one email address",
    ),
    Setting::number(
        "limits.logins-per-address",
        Count,
        1..=100_000,
        "Maximum logins in 15 minutes from one IP address",
    ),
    Setting::number(
        "limits.branches",
        Count,
        1..=100_000,
        "Maximum branches of a parent store",
    ),
    Setting::number("limits.users", Count, 1..=1_000, "Maximum users of a store"),
    Setting::number(
        "limits.registrations-per-day",
        Count,
        1..=100_000,
        "Maximum attempts per day of one merchant to create a branch or a user, or change a \
         store's email address",
    ),
    Setting::number(
        "limits.mails-per-day",
        Count,
        1..=1_000_000,
        "Maximum mails per day of one merchant, each to one recipient",
    ),
    Setting::number(
        "limits.idempotency-records",
        Count,
        1..=100_000_000,
        "Maximum responses stored within 24 hours for the idempotency keys of one merchant or \
         courier",
    ),
    Setting::number(
        "limits.idempotency-mib",
        Mebibytes,
        1..=1_000_000,
        "Maximum total size of the responses stored for idempotency keys of one merchant or \
         courier",
    ),
    Setting::number(
        "limits.unknown-keys-per-minute",
        Count,
        1..=1_000_000,
        "Maximum requests per minute with unknown API keys from one IP address",
    ),
    Setting::number(
        "overload.max-in-flight",
        Count,
        1..=100_000,
        "Maximum requests processed concurrently, without health checks and metrics",
    )
    .on(Server)
    .default_to("512"),
    Setting::number(
        "overload.max-queued",
        Count,
        0..=100_000,
        "Maximum queued requests; further requests get 503 at once",
    )
    .on(Server)
    .default_to("512"),
    Setting::number(
        "overload.max-queue-ms",
        Milliseconds,
        1..=30_000,
        "Maximum time in the queue, after which a request gets 503",
    )
    .on(Server)
    .default_to("1000"),
    Setting::number(
        "overload.body-mib",
        Mebibytes,
        1..=65_536,
        "Maximum memory of all request bodies; one IP address can use a quarter of it; beyond \
         these limits requests get 503",
    )
    .on(Server)
    .default_to("64"),
    Setting::number(
        "overload.response-mib",
        Mebibytes,
        1..=65_536,
        "Maximum memory of all unsent responses; beyond it reads get 503 and stalled \
         connections are closed",
    )
    .on(Server)
    .default_to("64"),
    Setting::number(
        "overload.response-per-caller-mib",
        Mebibytes,
        1..=65_536,
        "Maximum memory of the unsent responses of one merchant, or of one IP address without a \
         key; beyond it reads get 503",
    )
    .on(Server)
    .default_to("16"),
];
