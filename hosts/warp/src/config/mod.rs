//! What an operator decides: one table of settings, read from flags, environment, a file and defaults, in that order.

mod fields;
mod geography;
mod load;
mod metrics;
mod otlp;
mod overload;
mod prepare;
mod retention;
mod show;
mod value;

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use despacho_core::{
    courier::Dispatch,
    limits::Limits,
    order::{Cancellation, Timing},
    settings::{KeyTerms, PlaceTerms, RetentionConfig, Secret},
    store::KeyHash,
    webhook::WebhookTerms,
};
use despacho_postgres::Address;
use despacho_simulator::Simulation;

use crate::{
    connections::ConnectionLimits, memory::MemoryLimits, overload::OverloadTerms, peer::Network, telemetry::OtlpTerms,
};

pub use despacho_geo::Costing;
pub use fields::{FIELDS, Field};
pub use geography::Geography;
pub use load::{CliOverrides, ConfigError, ConfigErrors, Loaded, Source};
pub use prepare::{Missing, read_tariff, require_service, settings};
pub use show::show;

/// The effective configuration of a deployment.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to accept connections.
    pub listen: SocketAddr,
    /// The folder that holds the database and the generated secret.
    pub data: PathBuf,
    /// Which database.
    pub database: Database,
    /// Connections to PostgreSQL at most.
    pub database_connections: usize,
    /// The deployment's secret; `None` for the one that is generated in the data folder.
    pub secret: Option<Secret>,
    /// The hash of the operator's token; `None` closes the operator's endpoints.
    pub admin_token: Option<KeyHash>,
    /// The tariff's file; `None` for the built-in one.
    pub tariff: Option<PathBuf>,
    /// The folder of the panel's files; `None` serves the API alone.
    pub panel: Option<PathBuf>,
    /// Where the panel's map gets its pictures; `None` draws on plain ground.
    pub panel_tiles: Option<String>,
    /// Whom the map names as the source of its pictures.
    pub panel_tiles_attribution: Option<String>,
    /// Whether demo data is created at start.
    pub demo: bool,
    /// How large and how often.
    pub limits: Limits,
    /// How long orders wait.
    pub timing: Timing,
    /// How couriers are looked for.
    pub dispatch: Dispatch,
    /// The simulated couriers of sandbox stores.
    pub sandbox: Simulation,
    /// What a late cancellation costs.
    pub cancellation: Cancellation,
    /// How long keys live.
    pub keys: KeyTerms,
    /// How well places must be known.
    pub places: PlaceTerms,
    /// What places and roads are known from.
    pub geography: Geography,
    /// How patiently webhooks are sent.
    pub webhooks: WebhookTerms,
    /// How long personal data is stored.
    pub retention: RetentionConfig,
    /// Streams of events that are open at once.
    pub streams: StreamLimits,
    /// Origins whose pages may call the API from a browser.
    pub cors_origins: Vec<String>,
    /// Shape of the log.
    pub log_format: LogFormat,
    /// The least level that is logged.
    pub log_level: tracing::Level,
    /// Connections served at once.
    pub max_connections: usize,
    /// Connections of one client address.
    pub max_connections_per_address: usize,
    /// Where metrics are served without a token.
    pub metrics_listen: Option<SocketAddr>,
    /// The hash of the token for metrics on the main listener.
    pub metrics_token: Option<KeyHash>,
    /// The memory of unsent responses.
    pub responses: MemoryLimits,
    /// How many requests are taken on.
    pub overload: OverloadTerms,
    /// Where traces go.
    pub otlp: OtlpTerms,
    /// Proxies whose word about the caller's address is taken.
    pub trusted_proxies: Vec<Network>,
    /// How long things may take.
    pub timeouts: Timeouts,
    /// The certificate chain in PEM; both or neither of the two.
    pub tls_cert: Option<PathBuf>,
    /// The certificate's private key in PEM.
    pub tls_key: Option<PathBuf>,
}

/// Where state is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// The file `despacho.db` in the data folder.
    Sqlite,
    /// A PostgreSQL server, which several instances may share.
    Postgres(Address),
}

/// Shape of the log on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// One line of text for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// How many streams of events may be open at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// By one merchant, a parent store with its branches.
    pub per_merchant: usize,
    /// In total.
    pub total: usize,
}

/// How long a peer or the server itself may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a request's head, and for an idle connection's next request.
    pub header: Duration,
    /// For a request's body, and then again for its answer.
    pub request: Duration,
    /// For a peer that takes no part of a response.
    pub write: Duration,
    /// For accepted requests once the server was told to stop.
    pub shutdown: Duration,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            data: PathBuf::from("data"),
            database: Database::Sqlite,
            database_connections: 16,
            secret: None,
            admin_token: None,
            tariff: None,
            panel: None,
            panel_tiles: None,
            panel_tiles_attribution: None,
            demo: false,
            limits: Limits::default(),
            timing: Timing::default(),
            dispatch: Dispatch::default(),
            sandbox: Simulation::default(),
            cancellation: Cancellation::default(),
            keys: KeyTerms::default(),
            places: PlaceTerms::default(),
            geography: Geography::default(),
            webhooks: WebhookTerms::default(),
            retention: RetentionConfig::default(),
            streams: StreamLimits { per_merchant: 50, total: 1_000 },
            cors_origins: Vec::new(),
            log_format: LogFormat::Text,
            log_level: tracing::Level::INFO,
            max_connections: 10_000,
            max_connections_per_address: 1_000,
            metrics_listen: None,
            metrics_token: None,
            responses: MemoryLimits { total_megabytes: 64, caller_megabytes: 16 },
            overload: OverloadTerms::default(),
            otlp: OtlpTerms::default(),
            trusted_proxies: Vec::new(),
            timeouts: Timeouts {
                header: Duration::from_secs(30),
                request: Duration::from_secs(30),
                write: Duration::from_secs(30),
                shutdown: Duration::from_secs(30),
            },
            tls_cert: None,
            tls_key: None,
        }
    }
}

impl Config {
    /// The SQLite database's file.
    pub fn database_file(&self) -> PathBuf {
        self.data.join("despacho.db")
    }

    /// The limits of connections.
    pub fn connection_limits(&self) -> ConnectionLimits {
        ConnectionLimits {
            total: self.max_connections,
            per_address: self.max_connections_per_address,
            write_timeout: self.timeouts.write,
        }
    }

    /// The file that geocoders' answers are kept in.
    pub fn geocoder_file(&self) -> PathBuf {
        self.data.join("geocoder.db")
    }
}

/// Where a server that listens there is asked from its own machine: one that listens on every address answers on the loopback.
pub fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
