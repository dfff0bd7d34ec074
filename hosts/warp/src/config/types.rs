//! The types of the configuration.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use despacho_core::{model::store::KeyHash, rules::settings::Secret};
use despacho_postgres::Address;
use despacho_shell::settings::{SharedSettings, fields};
use despacho_simulator::Simulation;
use http::{HeaderName, HeaderValue};
use serde::{Deserialize, Deserializer};

use crate::{
    connections::ConnectionLimits, mail::Smtp, memory::MemoryLimits, overload::OverloadConfig,
    peer::Network,
};

/// The effective configuration of a deployment. The table in despacho-shell describes each field.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the table of settings describes the fields")]
pub struct Config {
    pub listen: SocketAddr,
    pub data: PathBuf,
    pub database: Database,
    pub database_connections: usize,
    #[serde(default, deserialize_with = "fields::secret")]
    pub secret: Option<Secret>,
    #[serde(default, deserialize_with = "fields::token")]
    pub admin_token: Option<KeyHash>,
    pub public_url: Option<String>,
    pub tariff: Option<PathBuf>,
    #[serde(default)]
    pub gazetteer: Vec<PathBuf>,
    pub register_url: String,
    pub nominatim: Option<String>,
    pub photon: Option<String>,
    #[serde(default)]
    pub roads: Vec<PathBuf>,
    pub roads_url: String,
    pub osrm: Option<String>,
    pub valhalla: Option<String>,
    pub panel: Option<PathBuf>,
    pub panel_tiles: Option<String>,
    pub panel_tiles_attribution: Option<String>,
    pub panel_streets: Option<PathBuf>,
    pub panel_streets_attribution: String,
    pub demo: bool,
    pub max_connections: usize,
    pub max_connections_per_address: usize,
    #[serde(default, deserialize_with = "networks")]
    pub trusted_proxies: Vec<Network>,
    pub timeouts: Timeouts,
    #[serde(default)]
    pub cors: Cors,
    #[serde(default)]
    pub tls: Tls,
    pub log: Log,
    #[serde(default)]
    pub metrics: Metrics,
    pub otlp: OtlpConfig,
    pub overload: OverloadConfig,
    pub sandbox: Simulation,
    #[serde(default)]
    pub smtp: Smtp,
    pub streams: StreamLimits,
    /// The settings that all hosts share.
    #[serde(skip)]
    pub shared: SharedSettings,
}

/// The database.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Database {
    /// The file `despacho.db` in the data folder.
    Sqlite,
    /// A PostgreSQL server, which several instances can share.
    Postgres(Address),
}

/// Origins whose pages can call the API from a browser.
#[derive(Clone, Debug, Default, Deserialize)]
#[expect(missing_docs, reason = "the table of settings describes the fields")]
pub struct Cors {
    pub origins: Vec<String>,
}

/// Files of the certificate and its private key: both or neither.
#[derive(Clone, Debug, Default, Deserialize)]
#[expect(missing_docs, reason = "the table of settings describes the fields")]
pub struct Tls {
    pub cert: Option<PathBuf>,
    pub key: Option<PathBuf>,
}

/// Format and minimum level of the log.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the table of settings describes the fields")]
pub struct Log {
    pub format: LogFormat,
    #[serde(deserialize_with = "fields::parsed")]
    pub level: tracing::Level,
}

/// Format of the log on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One line of text for people.
    Text,
    /// One JSON object in each line.
    Json,
}

/// Access to the metrics.
#[derive(Clone, Debug, Default, Deserialize)]
#[expect(missing_docs, reason = "the table of settings describes the fields")]
pub struct Metrics {
    pub listen: Option<SocketAddr>,
    #[serde(default, deserialize_with = "fields::token")]
    pub token: Option<KeyHash>,
}

/// Export of traces.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the table of settings describes the fields")]
pub struct OtlpConfig {
    pub endpoint: Option<String>,
    #[serde(default, deserialize_with = "fields::headers")]
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub sample_percent: u64,
}

/// Maximum numbers of open event streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the table of settings describes the fields")]
pub struct StreamLimits {
    pub per_merchant: usize,
    pub total: usize,
}

/// Timeouts of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[expect(missing_docs, reason = "the table of settings describes the fields")]
pub struct Timeouts {
    #[serde(rename = "header-seconds", deserialize_with = "fields::seconds")]
    pub header: Duration,
    #[serde(rename = "request-seconds", deserialize_with = "fields::seconds")]
    pub request: Duration,
    #[serde(rename = "write-seconds", deserialize_with = "fields::seconds")]
    pub write: Duration,
    #[serde(rename = "shutdown-seconds", deserialize_with = "fields::seconds")]
    pub shutdown: Duration,
}

/// The error of an invalid value of the setting `database`, with the expected syntax of an address.
#[derive(Debug)]
pub struct DatabaseParseError(String);

impl fmt::Display for DatabaseParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be sqlite, or {}", self.0)
    }
}

impl std::error::Error for DatabaseParseError {}

impl TryFrom<String> for Database {
    type Error = DatabaseParseError;

    fn try_from(text: String) -> Result<Database, DatabaseParseError> {
        Database::parse(&text)
    }
}

impl Database {
    /// Parses `sqlite` or the address of a PostgreSQL server.
    pub(super) fn parse(text: &str) -> Result<Database, DatabaseParseError> {
        if text == "sqlite" {
            return Ok(Database::Sqlite);
        }
        Address::parse(text)
            .map(Database::Postgres)
            .map_err(|error| DatabaseParseError(error.to_string()))
    }
}

fn networks<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<Network>, D::Error> {
    fields::list(value, |text| {
        Network::parse(text).map_err(|error| error.to_string())
    })
}

impl Config {
    /// Returns the file of the SQLite database.
    pub fn database_file(&self) -> PathBuf {
        self.data.join("despacho.db")
    }

    /// Returns the limits of connections.
    pub fn connection_limits(&self) -> ConnectionLimits {
        ConnectionLimits {
            total: self.max_connections,
            per_address: self.max_connections_per_address,
            write_timeout: self.timeouts.write,
        }
    }

    /// Returns the memory limits of unsent responses.
    pub fn response_limits(&self) -> MemoryLimits {
        MemoryLimits {
            total_mib: self.overload.response_mib,
            caller_mib: self.overload.response_per_caller_mib,
        }
    }

    /// Returns the folder of installed places.
    pub fn places_folder(&self) -> PathBuf {
        self.data.join("places")
    }

    /// Returns the folder of installed roads.
    pub fn roads_folder(&self) -> PathBuf {
        self.data.join("roads")
    }

    /// Returns the file of cached geocoder results.
    pub fn geocoder_file(&self) -> PathBuf {
        self.data.join("geocoder.db")
    }
}

/// Returns the address at which this machine reaches a server that listens there: the loopback
/// address for a wildcard address.
pub fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
