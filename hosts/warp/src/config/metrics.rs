//! Settings of the metrics endpoint.

use super::{
    fields::{Field, field},
    value,
};

pub(super) const LISTEN: Field = field!(
    "metrics.listen",
    "ADDRESS:PORT",
    "A listener of its own that serves /metrics without a token, for a network that clients do not reach; without it only the main \
     listener serves it, with a token",
    text,
    |c, text, _| value::address(text).map(|v| c.metrics_listen = Some(v)),
    |c| c.metrics_listen.map(|address| address.to_string()).unwrap_or_default()
);

pub(super) const TOKEN: Field = field!(
    "metrics.token",
    "TOKEN",
    "A bearer token for /metrics, 20 to 256 visible characters; the operator's token is valid too, and without both /metrics is closed",
    secret,
    |c, text, _| value::token(text).map(|v| c.metrics_token = Some(v)),
    |c| c.metrics_token.as_ref().map(|_| "set".to_owned()).unwrap_or_default()
);
