//! Loads the configuration of a command.

use super::failure::Failure;
use crate::config::{self, CliOverrides, Loaded};

/// The configuration by flags, environment and file.
pub(super) fn load(given: &CliOverrides) -> Result<Loaded, Failure> {
    given.load(std::env::vars_os()).map_err(|errors| Failure::Usage(errors.to_string()))
}

/// The configuration of a service that exists.
pub(super) fn load_service(given: &CliOverrides) -> Result<Loaded, Failure> {
    let loaded = load(given)?;
    config::require_service(&loaded.config).map_err(Failure::Usage)?;
    Ok(loaded)
}
