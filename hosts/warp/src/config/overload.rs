//! Settings of what the server takes on when much is asked of it, of callers that nobody knows, and of whom it believes about a
//! caller's address.

use std::time::Duration;

use super::{
    fields::{Field, field},
    value,
};
use crate::peer::Network;

pub(super) const REQUESTS: Field = field!(
    "overload.max-in-flight",
    "COUNT",
    "Requests answered at once; health checks and metrics have room of their own",
    1..=100_000,
    overload.requests
);

pub(super) const WAITING: Field = field!(
    "overload.max-queued",
    "COUNT",
    "Requests that wait for their turn; further ones get 503 at once",
    0..=100_000,
    overload.waiting
);

pub(super) const WAIT: Field = Field {
    key: "overload.max-queue-ms",
    unit: "MILLISECONDS",
    help: "How long a request waits for its turn before it gets 503",
    range: Some((1, 30_000)),
    secret: false,
    set: |config, text, range| {
        value::whole(text, range).map(|millis| config.overload.patience = Duration::from_millis(millis))
    },
    show: |config| config.overload.patience.as_millis().to_string(),
};

pub(super) const BODIES: Field = field!(
    "overload.body-mib",
    "MEGABYTES",
    "Bodies of all requests at once, and a quarter of it for one client address; what does not fit gets 503",
    1..=65_536,
    overload.body_mib
);

pub(super) const MERCHANT_STREAMS: Field = field!(
    "streams.per-merchant",
    "COUNT",
    "Event streams that one merchant, a parent store with its branches, may hold open",
    1..=100_000,
    streams.per_merchant
);

pub(super) const MERCHANT_WEBHOOKS: Field = field!(
    "webhooks.per-merchant",
    "COUNT",
    "Webhooks that one merchant, a parent store with its branches, may have",
    1..=100_000,
    webhooks.per_merchant
);

pub(super) const BRANCHES: Field =
    field!("limits.branches", "COUNT", "Branches that a parent store may have", 1..=100_000, limits.branches);

pub(super) const REGISTRATIONS: Field = field!(
    "limits.registrations-per-day",
    "COUNT",
    "Attempts per day of one merchant to create a branch or change a store's email",
    1..=100_000,
    limits.registrations_per_day
);

pub(super) const IDEMPOTENCY_RECORDS: Field = field!(
    "limits.idempotency-records",
    "COUNT",
    "Responses stored within 24 hours for the idempotency keys of one merchant or courier",
    1..=100_000_000,
    limits.idempotency_records
);

pub(super) const IDEMPOTENCY_MIB: Field = field!(
    "limits.idempotency-mib",
    "MEGABYTES",
    "Size of those stored responses",
    1..=1_000_000,
    limits.idempotency_mib
);

pub(super) const RESPONSES: Field = field!(
    "overload.response-mib",
    "MEGABYTES",
    "Responses of all callers that are not sent yet; beyond it reads get 503 and stalled connections are closed",
    1..=65_536,
    responses.total_mib
);

pub(super) const CALLER_RESPONSES: Field = field!(
    "overload.response-per-caller-mib",
    "MEGABYTES",
    "Unsent responses of one merchant, or of one client address without a key; beyond it reads get 503",
    1..=65_536,
    responses.caller_mib
);

pub(super) const PER_ADDRESS: Field = field!(
    "max-connections-per-address",
    "COUNT",
    "Connections of one IPv4 address or IPv6 /64 network; a further one closes the one idle for longest, or gets 503 if all are in use; \
     trusted proxies have no such limit",
    1..=1_000_000,
    max_connections_per_address
);

pub(super) const WRITE_TIMEOUT: Field = field!(
    "timeouts.write-seconds",
    "Longest time that a client may take no part of a response before its connection is closed",
    seconds 1..=300,
    timeouts.write
);

pub(super) const LOGINS_FROM: Field = field!(
    "limits.logins-per-address",
    "COUNT",
    "Logins for each caller's address and quarter of an hour",
    1..=100_000,
    limits.logins_per_address
);

pub(super) const UNKNOWN_KEYS: Field = field!(
    "limits.unknown-keys-per-minute",
    "COUNT",
    "Requests with a key that nobody has, for each caller's address and minute",
    1..=1_000_000,
    limits.unknown_keys_per_minute
);

pub(super) const KEYS: Field =
    field!("keys.per-store", "COUNT", "Valid keys that a store may have, logins aside", 1..=10_000, keys.per_store);

pub(super) const SESSIONS: Field = field!(
    "keys.sessions-per-store",
    "COUNT",
    "Valid logins that a store may have; with one more the oldest ends",
    1..=10_000,
    keys.sessions_per_store
);

pub(super) const TRUSTED: Field = field!(
    "trusted-proxies",
    "NETWORK,...",
    "Proxies, as 10.0.0.0/8 or ::1, whose X-Forwarded-For is believed; without any the caller is whoever connects",
    text,
    |c, text, _| networks(text).map(|v| c.trusted_proxies = v),
    |c| c.trusted_proxies.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
);

fn networks(text: &str) -> Result<Vec<Network>, String> {
    text.split(',').map(str::trim).filter(|network| !network.is_empty()).map(Network::parse).collect()
}
