//! The table of settings. Flag, variable, file key, help, range, default and `despacho config` all come from a row of it.

use std::path::Path;

use super::{Config, Database, LogFormat, geography, metrics, otlp, overload, retention, value};

/// Reads a text into its slot of the configuration, within the field's range.
pub(super) type Setter = fn(&mut Config, &str, (u64, u64)) -> Result<(), String>;

/// One setting.
pub struct Field {
    /// The key in the file, with its section: `limits.body-bytes`.
    pub key: &'static str,
    /// What stands for the value in help texts, with its unit.
    pub unit: &'static str,
    /// What it does.
    pub help: &'static str,
    /// The least and the greatest value of a number.
    pub range: Option<(u64, u64)>,
    /// Whether its value is never shown and no flag takes it: other users of a machine can read flags.
    pub secret: bool,
    /// Reads a value into the configuration.
    pub(super) set: Setter,
    /// The value as text; empty where there is none.
    pub(super) show: fn(&Config) -> String,
}

impl Field {
    /// The flag, without its hyphens: `limits-body-bytes`.
    pub fn flag(&self) -> String {
        self.key.replace('.', "-")
    }

    /// The environment variable: `DESPACHO_LIMITS_BODY_BYTES`.
    pub fn variable(&self) -> String {
        format!("DESPACHO_{}", self.key.replace(['.', '-'], "_").to_uppercase())
    }

    /// The value in a configuration as text, `(redacted)` where it is a secret, `(none)` where there is none.
    pub fn value(&self, config: &Config) -> String {
        match (self.show)(config) {
            text if text.is_empty() => "(none)".to_owned(),
            _ if self.secret => "(redacted)".to_owned(),
            text => text,
        }
    }

    /// What it does, its range, its default and its variable, in one paragraph.
    pub fn describe(&self) -> String {
        let range = self.range.map(|(least, most)| format!(", {least} to {most}")).unwrap_or_default();
        let default = self.value(&Config::default());
        format!("{}{range} [default: {default}] [env: {}]", self.help, self.variable())
    }

    /// Reads a value into a configuration.
    pub(super) fn apply(&self, config: &mut Config, text: &str) -> Result<(), String> {
        (self.set)(config, text, self.range.unwrap_or_default())
    }
}

/// A row of the table, or of a part of it in a module of its own: `(key, unit, help, range, reader of a slot, shower)`.
macro_rules! field {
    ($key:literal, $unit:literal, $help:literal, secret, $set:expr, $show:expr) => {
        Field { key: $key, unit: $unit, help: $help, range: None, secret: true, set: $set, show: $show }
    };
    ($key:literal, $unit:literal, $help:literal, text, $set:expr, $show:expr) => {
        Field { key: $key, unit: $unit, help: $help, range: None, secret: false, set: $set, show: $show }
    };
    ($key:literal, $unit:literal, $help:literal, $least:literal..=$most:literal, $($slot:ident).+) => {
        Field {
            key: $key,
            unit: $unit,
            help: $help,
            range: Some(($least, $most)),
            secret: false,
            set: |config, text, range| value::whole(text, range).map(|number| config.$($slot).+ = number),
            show: |config| config.$($slot).+.to_string(),
        }
    };
    ($key:literal, $help:literal, seconds $least:literal..=$most:literal, $($slot:ident).+) => {
        Field {
            key: $key,
            unit: "SECONDS",
            help: $help,
            range: Some(($least, $most)),
            secret: false,
            set: |config, text, range| value::seconds(text, range).map(|span| config.$($slot).+ = span),
            show: |config| config.$($slot).+.as_secs().to_string(),
        }
    };
}

pub(super) use field;

/// Every setting, in the order that help texts and `despacho config` list them: those without a section first, as in a file.
pub static FIELDS: &[Field] = &[
    field!(
        "listen",
        "ADDRESS:PORT",
        "Where to accept connections; port 0 takes a free one",
        text,
        |c, text, _| value::address(text).map(|v| c.listen = v),
        |c| c.listen.to_string()
    ),
    field!(
        "data",
        "FOLDER",
        "The folder of the database and the generated secret; `despacho init` creates it",
        text,
        |c, text, _| value::path(text).map(|v| c.data = v),
        |c| c.data.display().to_string()
    ),
    field!(
        "database",
        "sqlite|postgres://...",
        "The database: sqlite is the file despacho.db in the data folder; several instances share a PostgreSQL server, \
        postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=require, and need one secret; &pooler=transaction if a PgBouncer in \
        transaction mode is in between",
        text,
        |c, text, _| value::database(text).map(|v| c.database = v),
        |c| match &c.database {
            Database::Sqlite => "sqlite".to_owned(),
            Database::Postgres(address) => address.to_string(),
        }
    ),
    field!(
        "database-connections",
        "COUNT",
        "Connections to PostgreSQL at most, one for news aside",
        2..=1_000,
        database_connections
    ),
    field!(
        "secret",
        "HEX",
        "The 256-bit secret that quotes are signed with and keys derived from, 64 hexadecimal digits; \
        without it the file `secret` in the data folder, made at the first start",
        secret,
        |c, text, _| value::secret(text).map(|v| c.secret = Some(v)),
        |c| c.secret.as_ref().map(|_| "set".to_owned()).unwrap_or_default()
    ),
    field!(
        "admin-token",
        "TOKEN",
        "The operator's token, 20 to 256 visible characters; without it the endpoints under /admin are closed",
        secret,
        |c, text, _| value::token(text).map(|v| c.admin_token = Some(v)),
        |c| c.admin_token.as_ref().map(|_| "set".to_owned()).unwrap_or_default()
    ),
    field!(
        "tariff",
        "FILE",
        "The tariff as JSON, checked at start; without it the built-in one",
        text,
        |c, text, _| value::path(text).map(|v| c.tariff = Some(v)),
        |c| shown(c.tariff.as_deref())
    ),
    geography::LEAST_PRECISION,
    geography::GAZETTEER,
    geography::NOMINATIM,
    geography::PHOTON,
    geography::ROADS,
    geography::OSRM,
    geography::VALHALLA,
    field!(
        "panel",
        "FOLDER",
        "The merchant panel's built files, served at /; without it the API alone is",
        text,
        |c, text, _| value::path(text).map(|v| c.panel = Some(v)),
        |c| shown(c.panel.as_deref())
    ),
    field!(
        "panel-tiles",
        "URL",
        "Where the panel's map gets its pictures, as https://tiles.example/{z}/{x}/{y}.png; without it the map is drawn on plain ground",
        text,
        |c, text, _| despacho_files::origin(text).map(|_| c.panel_tiles = Some(text.to_owned())),
        |c| c.panel_tiles.clone().unwrap_or_default()
    ),
    field!(
        "panel-tiles-attribution",
        "TEXT",
        "Whom the panel's map names as the source of its pictures",
        text,
        |c, text, _| {
            c.panel_tiles_attribution = Some(text.to_owned());
            Ok(())
        },
        |c| c.panel_tiles_attribution.clone().unwrap_or_default()
    ),
    field!(
        "demo",
        "true|false",
        "Create demo data, a sandbox store with open orders, and print its public key",
        text,
        |c, text, _| value::switch(text).map(|v| c.demo = v),
        |c| c.demo.to_string()
    ),
    field!(
        "max-connections",
        "COUNT",
        "Connections at once; a further one closes the one idle for longest, or gets 503 if all are in use",
        1..=1_000_000,
        max_connections
    ),
    overload::PER_ADDRESS,
    overload::TRUSTED,
    field!("timeouts.header-seconds", "For a request's head, and for the next request of an idle connection",
        seconds 1..=300, timeouts.header),
    field!("timeouts.request-seconds", "For a request's body, then again for its answer", seconds 1..=300, timeouts.request),
    overload::WRITE_TIMEOUT,
    field!("timeouts.shutdown-seconds", "For accepted requests after SIGTERM or SIGINT", seconds 0..=3_600, timeouts.shutdown),
    field!(
        "cors.origins",
        "ORIGIN,...",
        "Origins whose pages may call the API from a browser, separated by commas",
        text,
        |c, text, _| value::origins(text).map(|v| c.cors_origins = v),
        |c| c.cors_origins.join(",")
    ),
    field!(
        "tls.cert",
        "FILE",
        "The certificate chain in PEM; with it the server speaks HTTPS",
        text,
        |c, text, _| value::path(text).map(|v| c.tls_cert = Some(v)),
        |c| shown(c.tls_cert.as_deref())
    ),
    field!(
        "tls.key",
        "FILE",
        "The certificate's private key in PEM",
        text,
        |c, text, _| value::path(text).map(|v| c.tls_key = Some(v)),
        |c| shown(c.tls_key.as_deref())
    ),
    geography::GEOCODER_TIMEOUT,
    geography::GEOCODER_PACE,
    geography::GEOCODER_DAYS,
    geography::GEOCODER_ENTRIES,
    geography::ROUTING_TIMEOUT,
    geography::ROUTING_SNAP,
    geography::ROUTING_PERCENT,
    geography::ROUTING_POINTS,
    geography::ROUTING_PAIRS,
    geography::ROUTING_PROFILE,
    geography::ROUTING_COSTING,
    field!(
        "log.format",
        "text|json",
        "Shape of the log on standard error",
        text,
        |c, text, _| value::log_format(text).map(|v| c.log_format = v),
        |c| match c.log_format {
            LogFormat::Text => "text".to_owned(),
            LogFormat::Json => "json".to_owned(),
        }
    ),
    field!(
        "log.level",
        "error|warn|info|debug",
        "The least level that is logged; a request is info",
        text,
        |c, text, _| value::log_level(text).map(|v| c.log_level = v),
        |c| c.log_level.to_string().to_lowercase()
    ),
    metrics::LISTEN,
    metrics::TOKEN,
    otlp::ENDPOINT,
    otlp::HEADERS,
    otlp::SAMPLE,
    field!("limits.deliveries", "COUNT", "Deliveries in one order", 1..=200, limits.deliveries),
    field!("limits.body-bytes", "BYTES", "Bytes of a request's body", 1_024..=16_777_216, limits.body_bytes),
    field!(
        "limits.preparation-minutes",
        "MINUTES",
        "Minutes of preparation that an order may ask for",
        0..=10_080,
        limits.preparation_minutes
    ),
    field!(
        "limits.previews-per-minute",
        "COUNT",
        "Previews per minute of one merchant, a parent store with its branches",
        1..=1_000_000,
        limits.previews_per_minute
    ),
    field!(
        "limits.writes-per-minute",
        "COUNT",
        "Writes per minute of one merchant",
        1..=1_000_000,
        limits.writes_per_minute
    ),
    field!(
        "limits.reads-per-minute",
        "COUNT",
        "Reads per minute of one merchant",
        1..=1_000_000,
        limits.reads_per_minute
    ),
    field!(
        "limits.logins-per-quarter",
        "COUNT",
        "Logins for each email and quarter of an hour",
        1..=10_000,
        limits.logins_per_quarter
    ),
    overload::BRANCHES,
    overload::REGISTRATIONS,
    overload::IDEMPOTENCY_RECORDS,
    overload::IDEMPOTENCY_MEGABYTES,
    overload::LOGINS_FROM,
    overload::UNKNOWN_KEYS,
    overload::REQUESTS,
    overload::WAITING,
    overload::WAIT,
    overload::BODIES,
    overload::RESPONSES,
    overload::CALLER_RESPONSES,
    field!(
        "timing.search-minutes",
        "MINUTES",
        "How long a courier is looked for before an order expires",
        1..=1_440,
        timing.search_minutes
    ),
    field!(
        "cancellation.free-minutes",
        "MINUTES",
        "How long after the first courier was assigned an order is cancelled free of charge",
        0..=1_440,
        cancellation.free_minutes
    ),
    field!(
        "cancellation.fee-percent",
        "PERCENT",
        "The share of the fee that a later cancellation costs",
        0..=100,
        cancellation.fee_percent
    ),
    field!(
        "dispatch.interval-seconds",
        "SECONDS",
        "Time between two rounds that give waiting orders to free couriers",
        1..=60,
        dispatch.interval_seconds
    ),
    field!(
        "dispatch.radius-km",
        "KILOMETRES",
        "Straight line between a courier and a pickup, at most",
        1..=200,
        dispatch.radius_km
    ),
    field!(
        "dispatch.seen-minutes",
        "MINUTES",
        "How old a courier's last place may be for an order to be given",
        1..=60,
        dispatch.seen_minutes
    ),
    field!(
        "dispatch.silent-minutes",
        "MINUTES",
        "Silence, neither a place nor a step, after which a courier before the pickup loses the order",
        1..=120,
        dispatch.silent_minutes
    ),
    field!(
        "dispatch.ask-again-minutes",
        "MINUTES",
        "Searching after which a courier that let the order go may get it again, where nobody else is free",
        0..=60,
        dispatch.ask_again_minutes
    ),
    field!(
        "dispatch.position-seconds",
        "SECONDS",
        "Time between two stored positions of a courier; sandbox couriers have a second",
        0..=300,
        dispatch.position_seconds
    ),
    field!(
        "dispatch.orders-per-pass",
        "COUNT",
        "Searching orders near a free courier that a pass matches at most; if there are more, half of them rotate",
        1..=5_000,
        dispatch.orders_per_pass
    ),
    field!(
        "sandbox.couriers-per-store",
        "COUNT",
        "Maximum number of simulated couriers of each sandbox store; 0 simulates none",
        0..=100,
        sandbox.couriers_per_store
    ),
    field!("sandbox.speed", "FACTOR", "Speed of simulated couriers as a multiple of real time", 1..=600, sandbox.speed),
    field!("keys.days", "DAYS", "How long an issued key is valid", 1..=3_650, keys.days),
    field!("keys.session-hours", "HOURS", "How long a login at the panel is valid", 1..=720, keys.session_hours),
    overload::KEYS,
    overload::SESSIONS,
    field!(
        "webhooks.first-retry-ms",
        "MILLISECONDS",
        "How long after a failed first attempt the second follows; each further wait is three times as long",
        10..=3_600_000,
        webhooks.first_retry_ms
    ),
    field!(
        "webhooks.longest-retry-minutes",
        "MINUTES",
        "How long a wait between attempts lasts at most",
        1..=1_440,
        webhooks.longest_retry_minutes
    ),
    field!(
        "webhooks.give-up-minutes",
        "MINUTES",
        "After how long a message is given up",
        1..=43_200,
        webhooks.give_up_minutes
    ),
    field!(
        "webhooks.disable-after",
        "COUNT",
        "Failed attempts in a row that disable a webhook",
        1..=1_000_000,
        webhooks.disable_after
    ),
    field!(
        "webhooks.timeout-seconds",
        "SECONDS",
        "How long a webhook's receiver may take to answer",
        1..=30,
        webhooks.timeout_seconds
    ),
    field!("webhooks.per-store", "COUNT", "Webhooks that a store may have", 1..=1_000, webhooks.per_store),
    overload::MERCHANT_WEBHOOKS,
    field!(
        "webhooks.loopback",
        "true|false",
        "Call webhooks' receivers on this machine, without TLS too: for development alone",
        text,
        |c, text, _| value::switch(text).map(|v| c.webhooks.loopback = v),
        |c| c.webhooks.loopback.to_string()
    ),
    retention::RECIPIENTS,
    retention::POSITIONS,
    overload::MERCHANT_STREAMS,
    field!("streams.total", "COUNT", "Streams of events open at once", 1..=1_000_000, streams.total),
];

fn shown(path: Option<&Path>) -> String {
    path.map(|path| path.display().to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_the_core_that_is_configurable_has_a_row() {
        let (defaults, mut missing) = (Config::default(), Vec::new());
        let sections = [
            ("limits", serde_json::to_value(&defaults.limits).unwrap()),
            ("timing", serde_json::to_value(&defaults.timing).unwrap()),
            ("dispatch", serde_json::to_value(&defaults.dispatch).unwrap()),
            ("cancellation", serde_json::to_value(&defaults.cancellation).unwrap()),
            ("keys", serde_json::to_value(&defaults.keys).unwrap()),
            ("webhooks", serde_json::to_value(&defaults.webhooks).unwrap()),
            ("retention", serde_json::to_value(defaults.retention).unwrap()),
        ];
        for (section, values) in sections {
            for (key, default) in values.as_object().unwrap() {
                let key = format!("{section}.{key}");
                match FIELDS.iter().find(|field| field.key == key) {
                    Some(field) => assert_eq!(field.value(&defaults), default.to_string(), "{key}"),
                    None => missing.push(key),
                }
            }
        }
        assert_eq!(missing, Vec::<String>::new(), "settings of the core without a row");
    }

    #[test]
    fn a_default_is_a_value_that_its_own_field_accepts() {
        let defaults = Config::default();
        for field in FIELDS.iter().filter(|field| !(field.show)(&defaults).is_empty()) {
            let mut config = Config::default();
            assert_eq!(field.apply(&mut config, &(field.show)(&defaults)), Ok(()), "{}", field.key);
            assert_eq!((field.show)(&config), (field.show)(&defaults), "{}", field.key);
        }
    }
}
