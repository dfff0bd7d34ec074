//! The table. Its order is that of help texts, `despacho config` and SETTINGS.md; keys without a
//! section come first, as in a file.

use super::{
    Host::{self, Component, Server},
    Kind::{Choice, List, Switch, Text},
    Setting,
    Unit::{
        Bytes, Count, Days, Factor, Hours, Mebibytes, Metres, Milliseconds, Minutes, Percent,
        Seconds,
    },
    couriers::COURIERS,
    dispatch::DISPATCH,
    geography::GEOGRAPHY,
    messages::MESSAGES,
    value,
};

/// Returns every setting of every host.
pub fn table() -> impl Iterator<Item = &'static Setting> {
    BEFORE_GEOGRAPHY
        .iter()
        .chain(GEOGRAPHY)
        .chain(AFTER_GEOGRAPHY)
        .chain(DISPATCH)
        .chain(COURIERS)
        .chain(AFTER_DISPATCH)
        .chain(MESSAGES)
}

/// The settings of the service.
const BEFORE_GEOGRAPHY: &[Setting] = &[
    Setting::new(
        "listen",
        Text("ADDRESS:PORT", value::address),
        "Address on which the server accepts connections; port 0 selects a free port",
    )
    .on(Server)
    .default_to("127.0.0.1:8080"),
    Setting::new(
        "data",
        Text("FOLDER", value::path),
        "Folder of the database and of the generated secret; `despacho init` creates it",
    )
    .on(Server)
    .default_to("data"),
    Setting::new(
        "database",
        Text("sqlite|postgres://...", value::any),
        "Database: sqlite is the file despacho.db in the data folder; \
         postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=require is a PostgreSQL server, which several instances can share if they have \
         the same secret; add &pooler=transaction behind a PgBouncer in transaction mode",
    )
    .on(Server)
    .default_to("sqlite"),
    Setting::new(
        "database-url",
        Text("postgres://...", value::postgres),
        "PostgreSQL database, as postgres://USER:PASSWORD@HOST:PORT/DATABASE; if unset, the component uses Spin's SQLite database `default`",
    )
    .on(Component)
    .secret(),
    Setting::number(
        "database-connections",
        Count,
        2..=1_000,
        "Maximum number of connections to PostgreSQL; one more connection receives notifications from other instances",
    )
    .on(Server)
    .default_to("16"),
    Setting::new(
        "secret",
        Text("HEX", value::secret),
        "256-bit secret as 64 hexadecimal digits, which signs quotes and derives keys; if unset, the server uses the file `secret` in the \
         data folder, created by `despacho init`; the component requires it",
    )
    .secret(),
    Setting::new(
        "admin-token",
        Text("TOKEN", value::token),
        "Operator's token of 20 to 256 visible characters; if unset, the server's endpoints under /admin are closed; the component \
         requires it",
    )
    .secret(),
    Setting::new(
        "public-url",
        Text("URL", value::public_url),
        "Base URL under which clients reach the service, without a path, for example https://entregas.example; links to recipients' \
         pages, couriers' sign-in links and the links that set up their phones contain it; if unset, there are no such links",
    ),
    Setting::new("tariff", Text("FILE", value::path), "Tariff as a JSON file, validated at start; if unset, the built-in tariff applies")
        .on(Server),
    Setting::new(
        "tariff",
        Text("JSON", value::tariff_json),
        "Tariff as JSON, as `despacho tariff check` prints it; if unset, the built-in tariff applies",
    )
    .on(Component),
];

/// The settings of the panel, the demo and connections.
const AFTER_GEOGRAPHY: &[Setting] = &[
    Setting::new("panel", Text("FOLDER", value::path), "Folder of the merchant panel's built files, served at /; if unset, there is no panel")
        .on(Server),
    Setting::new(
        "panel-tiles",
        Text("URL", value::tiles),
        "URL of the panel's map tiles, for example https://tiles.example/{z}/{x}/{y}.png; if unset, the map has a plain background",
    ),
    Setting::new(
        "panel-tiles-attribution",
        Text("TEXT", value::any),
        "Attribution text for the map tiles; if unset, the map shows no attribution",
    ),
    Setting::new(
        "panel-streets",
        Text("FILE", value::path),
        "PMTiles file with the streets of the panel's map, made by `despacho streets build`; it replaces map tiles; if unset, the map has no \
         streets, except in the demo",
    )
    .on(Server),
    Setting::new("panel-streets-attribution", Text("TEXT", value::any), "Attribution text for the streets of panel-streets")
        .on(Server)
        .default_to("© OpenStreetMap contributors"),
    Setting::new("demo", Switch, "Whether demo stores, couriers and orders with a public key are created").default_to("false"),
    Setting::new(
        "webhooks-after-responses",
        Switch,
        "Whether webhooks are also sent after every response whose request created events, not only by POST /admin/dispatch",
    )
    .on(Component)
    .default_to("false"),
    Setting::new(
        "caller-address-header",
        Text("HEADER", value::header_name),
        "Header in which the platform sends the client's IP address, for limits.logins-per-address, for example spin-client-addr; the \
         platform must overwrite it; if unset, there is no limit by address",
    )
    .on(Component),
    Setting::number(
        "max-connections",
        Count,
        1..=1_000_000,
        "Maximum number of connections; one more closes the connection that has been idle for longest, or gets 503 if all are in use",
    )
    .on(Server)
    .default_to("10000"),
    Setting::number(
        "max-connections-per-address",
        Count,
        1..=1_000_000,
        "Maximum number of connections of one IPv4 address or IPv6 /64 network, enforced like max-connections; trusted proxies have no such \
         limit",
    )
    .on(Server)
    .default_to("1000"),
    Setting::new(
        "trusted-proxies",
        List("NETWORK", value::any),
        "Proxies, for example 10.0.0.0/8 or ::1, whose X-Forwarded-For header is used; if unset, the client's address is that of the \
         connection",
    )
    .on(Server),
    Setting::number(
        "timeouts.header-seconds",
        Seconds,
        1..=300,
        "Timeout for a request's head, and for the next request on an idle connection",
    )
    .on(Server)
    .default_to("30"),
    Setting::number("timeouts.request-seconds", Seconds, 1..=300, "Timeout for a request's body, and again for its response")
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
    Setting::number("timeouts.shutdown-seconds", Seconds, 0..=3_600, "Timeout for accepted requests after SIGTERM or SIGINT")
        .on(Server)
        .default_to("30"),
    Setting::new(
        "cors.origins",
        List("ORIGIN", value::origin),
        "Origins whose pages can call the API from a browser; if unset, only the server's own pages can",
    )
    .on(Server),
    Setting::new("tls.cert", Text("FILE", value::path), "Certificate chain in PEM; if unset, the server uses HTTP instead of HTTPS").on(Server),
    Setting::new("tls.key", Text("FILE", value::path), "Private key of the certificate in PEM; required with tls.cert").on(Server),
    Setting::new(
        "places.min-precision",
        Choice(&["coordinates", "number", "street", "cep", "cep5", "neighbourhood", "municipality"]),
        "Minimum precision of an address; less precise addresses get 422 address_imprecise, and those located only by their \
         municipality are marked as estimated",
    ),
    Setting::new(
        "pricing.estimates",
        Choice(&["ACCEPT", "LOWER", "REJECT"]),
        "What to do with a price that is an estimate because an address was located only by its municipality: ACCEPT charges the expected \
         price, LOWER the lower end of its range, REJECT rejects the order with 422 address_imprecise; stores can differ \
         (PATCH /admin/stores/{storeId})",
    ),
    Setting::number("geocoder.timeout-ms", Milliseconds, 50..=30_000, "Timeout of one attempt at a geocoder; there are at most three"),
    Setting::number("geocoder.per-second", Count, 1..=1_000, "Maximum requests per second to each geocoder; public geocoders allow 1"),
    Setting::number(
        "geocoder.cache-days",
        Days,
        0..=3_650,
        "Time that a location is cached by a hash of the address; empty results are cached for at most one day; 0 disables the cache",
    ),
    Setting::number(
        "geocoder.cache-entries",
        Count,
        1..=100_000_000,
        "Maximum number of cached results, of about 100 bytes each; the server stores them in the file geocoder.db of the data folder",
    ),
    Setting::number("routing.timeout-ms", Milliseconds, 50..=30_000, "Timeout of one attempt at a road service; there are at most two"),
    Setting::number(
        "routing.snap-m",
        Metres,
        10..=10_000,
        "Maximum distance between a location and a road; beyond it distances are estimated",
    ),
    Setting::number(
        "routing.duration-percent",
        Percent,
        50..=500,
        "Travel time of a courier in traffic as a percentage of the road network's free-flow time",
    ),
    Setting::number("routing.osrm-points", Count, 2..=10_000, "Maximum points of one OSRM request, its --max-table-size"),
    Setting::number(
        "routing.valhalla-pairs",
        Count,
        1..=1_000_000,
        "Maximum pairs of one Valhalla request, its max_matrix_location_pairs",
    ),
    Setting::new("routing.osrm-profile", Text("NAME", value::profile), "Profile in the URLs of OSRM requests"),
    Setting::new(
        "routing.valhalla-costing",
        Choice(&["auto", "motorcycle", "motor_scooter", "bicycle"]),
        "Costing model of Valhalla requests",
    ),
    Setting::new("log.format", Choice(&["text", "json"]), "Format of the log on standard error").on(Server).default_to("text"),
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
        "Address of a separate listener that serves /metrics without a token, for a network that clients cannot reach; if unset, only the \
         main listener serves it, with a token",
    )
    .on(Server),
    Setting::new(
        "metrics.token",
        Text("TOKEN", value::token),
        "Bearer token for /metrics, of 20 to 256 visible characters; the operator's token is also valid; if both are unset, /metrics is \
         closed",
    )
    .on(Server)
    .secret(),
    Setting::new(
        "otlp.endpoint",
        Text("URL", value::collector),
        "URL of the OpenTelemetry collector (HTTP, JSON) that receives traces, for example http://127.0.0.1:4318; if unset, there are no \
         traces",
    )
    .on(Server),
    Setting::new(
        "otlp.headers",
        List("NAME=VALUE", value::header),
        "Headers of requests to the collector, for example authorization=Bearer xyz; if unset, none are added",
    )
    .on(Server)
    .secret(),
    Setting::number(
        "otlp.sample-percent",
        Percent,
        0..=100,
        "Share of new traces that are recorded; for a trace that the client began, the client decides",
    )
    .on(Server)
    .default_to("100"),
    Setting::number("limits.deliveries", Count, 1..=200, "Maximum deliveries of one order"),
    Setting::number("limits.body-bytes", Bytes, 1_024..=16_777_216, "Maximum size of a request's body"),
    Setting::number("limits.photo-bytes", Bytes, 1_024..=8_388_608, "Maximum size of a photo that a courier sends"),
    Setting::number("limits.preparation-minutes", Minutes, 0..=10_080, "Maximum preparation time of an order"),
    Setting::number(
        "limits.previews-per-minute",
        Count,
        1..=1_000_000,
        "Maximum previews per minute of one merchant, which is a parent store with its branches",
    ),
    Setting::number("limits.writes-per-minute", Count, 1..=1_000_000, "Maximum writes per minute of one merchant"),
    Setting::number("limits.reads-per-minute", Count, 1..=1_000_000, "Maximum reads per minute of one merchant"),
    Setting::number("limits.logins-per-15-minutes", Count, 1..=10_000, "Maximum logins in 15 minutes with one email address"),
    Setting::number(
        "limits.logins-per-address",
        Count,
        1..=100_000,
        "Maximum logins in 15 minutes from one IP address",
    ),
    Setting::number("limits.branches", Count, 1..=100_000, "Maximum branches of a parent store"),
    Setting::number("limits.users", Count, 1..=1_000, "Maximum users of a store"),
    Setting::number(
        "limits.registrations-per-day",
        Count,
        1..=100_000,
        "Maximum attempts per day of one merchant to create a branch or a user, or change a store's email address",
    ),
    Setting::number("limits.mails-per-day", Count, 1..=1_000_000, "Maximum mails per day of one merchant, each to one recipient"),
    Setting::number(
        "limits.idempotency-records",
        Count,
        1..=100_000_000,
        "Maximum responses stored within 24 hours for the idempotency keys of one merchant or courier",
    ),
    Setting::number(
        "limits.idempotency-mib",
        Mebibytes,
        1..=1_000_000,
        "Maximum total size of the responses stored for idempotency keys of one merchant or courier",
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
    Setting::number("overload.max-queued", Count, 0..=100_000, "Maximum queued requests; further requests get 503 at once")
        .on(Server)
        .default_to("512"),
    Setting::number("overload.max-queue-ms", Milliseconds, 1..=30_000, "Maximum time in the queue, after which a request gets 503")
        .on(Server)
        .default_to("1000"),
    Setting::number(
        "overload.body-mib",
        Mebibytes,
        1..=65_536,
        "Maximum memory of all request bodies; one IP address can use a quarter of it; beyond these limits requests get 503",
    )
    .on(Server)
    .default_to("64"),
    Setting::number(
        "overload.response-mib",
        Mebibytes,
        1..=65_536,
        "Maximum memory of all unsent responses; beyond it reads get 503 and stalled connections are closed",
    )
    .on(Server)
    .default_to("64"),
    Setting::number(
        "overload.response-per-caller-mib",
        Mebibytes,
        1..=65_536,
        "Maximum memory of the unsent responses of one merchant, or of one IP address without a key; beyond it reads get 503",
    )
    .on(Server)
    .default_to("16"),
    Setting::number("timing.search-minutes", Minutes, 1..=1_440, "Time to search for a courier, after which an order expires"),
    Setting::number(
        "cancellation.free-minutes",
        Minutes,
        0..=1_440,
        "Time after the first assignment of a courier during which cancellation is free of charge",
    ),
    Setting::number("cancellation.fee-percent", Percent, 0..=100, "Price of a later cancellation as a percentage of the order's fee"),
];

/// The settings after those of dispatch.
const AFTER_DISPATCH: &[Setting] = &[
    Setting::number(
        "sandbox.couriers-per-store",
        Count,
        0..=100,
        "Maximum number of simulated couriers of each sandbox store; 0 simulates none",
    )
    .on(Server)
    .default_to("5"),
    Setting::number(
        "sandbox.speed",
        Factor,
        1..=600,
        "Speed of simulated couriers as a multiple of real time",
    )
    .on(Server)
    .default_to("30"),
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
    Setting::number(
        "webhooks.first-retry-ms",
        Milliseconds,
        10..=3_600_000,
        "Delay between a failed first attempt and the second; each further delay is three times as long",
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
        "Whether webhooks can be sent to loopback addresses, also without TLS; only for development. The demo of a server that listens on a \
         loopback address permits it by default",
    ),
    Setting::number(
        "retention.recipients-days",
        Days,
        0..=3_650,
        "Time after an order's creation, when the names, phones, addresses and observations of its recipients are erased if the order has \
         ended; 0 stores them until an erasure is requested",
    ),
    Setting::number(
        "retention.positions-days",
        Days,
        0..=3_650,
        "Time after which positions are erased from ended orders, and the last position of couriers who reported no newer one; 0 stores \
         them as long as the recipients' data",
    ),
    Setting::number(
        "retention.proofs-days",
        Days,
        0..=3_650,
        "Time after an order's creation, when the photos, names, notes and positions that prove its steps are erased if the order has \
         ended; 0 stores them as long as the recipients' data",
    ),
    Setting::number(
        "retention.audit-days",
        Days,
        0..=3_650,
        "Time after which entries of the audit log are removed, and users since their removal; 0 stores them forever",
    ),
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
];

impl Setting {
    /// Returns the row with this key, if the host has it.
    #[must_use]
    pub fn find(host: Host, key: &str) -> Option<&'static Setting> {
        Setting::of(host).find(|setting| setting.key == key)
    }

    /// Returns the rows of a host.
    pub fn of(host: Host) -> impl Iterator<Item = &'static Setting> {
        table().filter(move |setting| setting.is_on(host))
    }
}
