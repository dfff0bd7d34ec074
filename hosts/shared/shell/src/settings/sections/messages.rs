//! The settings of messages to pages, couriers and recipients: `streams`, `push` and `smtp`.

use crate::settings::{Host::Server, Kind::Text, Setting, Unit::Count, value};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::number(
        "streams.per-merchant",
        Count,
        1..=100_000,
        "Maximum open event streams of one merchant",
    )
    .on(Server)
    .default_to("50"),
    Setting::number(
        "streams.total",
        Count,
        1..=1_000_000,
        "Maximum open event streams of merchants, and of recipients",
    )
    .on(Server)
    .default_to("1000"),
    Setting::new(
        "push.vapid-key",
        Text("KEY", value::vapid_key),
        "Private key that identifies the service to the push services of browsers, as `despacho \
         push key` prints it; another key ends all subscriptions; if unset, couriers get no \
         pushes",
    )
    .secret(),
    Setting::new(
        "push.contact",
        Text("mailto:ADDRESS|https://...", value::push_contact),
        "Contact for the operators of push services, which every push contains; required with \
         push.vapid-key",
    ),
    Setting::new(
        "smtp.url",
        Text("smtp[s]://...", value::any),
        "Mail server for links that set passwords and for webhooks with the URL smtp:, as \
         smtps://USER:PASSWORD@HOST:PORT, or with smtp:// for STARTTLS, which is required \
         except on this machine; if unset, the server sends no mail",
    )
    .on(Server)
    .secret(),
    Setting::new(
        "smtp.from",
        Text("ADDRESS", value::any),
        "Sender of mail, as ADDRESS or NAME <ADDRESS>; required with smtp.url",
    )
    .on(Server),
];
