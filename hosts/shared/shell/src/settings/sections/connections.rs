//! The settings of connections: `timeouts`, `cors` and `tls`.

use crate::settings::{
    Host::Server,
    Kind::{List, Text},
    Setting,
    Unit::Seconds,
    value,
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::number(
        "timeouts.header-seconds",
        Seconds,
        1..=300,
        "Timeout for a request's head, and for the next request on an idle connection",
    )
    .on(Server)
    .default_to("30"),
    Setting::number(
        "timeouts.request-seconds",
        Seconds,
        1..=300,
        "Timeout for a request's body, and again for its response",
    )
    .on(Server)
    .default_to("30"),
    Setting::number(
        "timeouts.write-seconds",
        Seconds,
        1..=300,
        "Timeout after which a connection is closed if the client accepts no part of a response",
    )
    .on(Server)
    .default_to("30"),
    Setting::number(
        "timeouts.shutdown-seconds",
        Seconds,
        0..=3_600,
        "Timeout for accepted requests after SIGTERM or SIGINT",
    )
    .on(Server)
    .default_to("30"),
    Setting::new(
        "cors.origins",
        List("ORIGIN", value::origin),
        "Origins whose pages can call the API from a browser; if unset, only the server's own \
         pages can",
    )
    .on(Server),
    Setting::new(
        "tls.cert",
        Text("FILE", value::path),
        "Certificate chain in PEM; if unset, the server uses HTTP instead of HTTPS",
    )
    .on(Server),
    Setting::new(
        "tls.key",
        Text("FILE", value::path),
        "Private key of the certificate in PEM; required with tls.cert",
    )
    .on(Server),
];
