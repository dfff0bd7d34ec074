//! The settings of `log`, `metrics` and `otlp`.

use crate::settings::{
    Host::Server,
    Kind::{Choice, List, Text},
    Setting,
    Unit::Percent,
    value,
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "log.format",
        Choice(&["text", "json"]),
        "Format of the log on standard error",
    )
    .on(Server)
    .default_to("text"),
    Setting::new(
        "log.level",
        Choice(&["error", "warn", "info", "debug"]),
        "Minimum level of log messages; requests are logged as info",
    )
    .on(Server)
    .default_to("info"),
    Setting::new(
        "metrics.listen",
        Text("ADDRESS:PORT", value::address),
        "Address of a separate listener that serves /metrics without a token, for a network \
         that clients cannot reach; if unset, only the main listener serves it, with a token",
    )
    .on(Server),
    Setting::new(
        "metrics.token",
        Text("TOKEN", value::token),
        "Bearer token for /metrics, of 20 to 256 visible characters; the operator's token is \
         also valid; if both are unset, /metrics is closed",
    )
    .on(Server)
    .secret(),
    Setting::new(
        "otlp.endpoint",
        Text("URL", value::collector),
        "URL of the OpenTelemetry collector (HTTP, JSON) that receives traces, for example \
         http://127.0.0.1:4318; if unset, there are no traces",
    )
    .on(Server),
    Setting::new(
        "otlp.headers",
        List("NAME=VALUE", value::header),
        "Headers of requests to the collector, for example authorization=Bearer xyz; if unset, \
         none are added",
    )
    .on(Server)
    .secret(),
    Setting::number(
        "otlp.sample-percent",
        Percent,
        0..=100,
        "Share of new traces that are recorded; for a trace that the client began, the client \
         decides",
    )
    .on(Server)
    .default_to("100"),
];
