//! The server's configuration: the table of settings, read from flags, environment, a file and
//! defaults, in that order.

mod load;
mod prepare;
mod types;

pub use despacho_geo::Costing;
pub use load::{CliOverrides, LoadedConfig};
pub use prepare::{Missing, configured_tariff, read_tariff, require_service, settings};
pub use types::{
    Config, Cors, Database, Log, LogFormat, Metrics, OtlpConfig, StreamLimits, Timeouts, Tls,
    reachable,
};
