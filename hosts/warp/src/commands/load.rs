//! Loads the configuration of a command.

use super::error::CommandError;
use crate::config::{self, CliOverrides, Loaded};

/// Loads the configuration from flags, environment and file.
pub(super) fn load(given: &CliOverrides) -> Result<Loaded, CommandError> {
    given.load(std::env::vars_os()).map_err(|errors| CommandError::Usage(errors.to_string()))
}

/// Loads the configuration of an existing service.
pub(super) fn load_service(given: &CliOverrides) -> Result<Loaded, CommandError> {
    let loaded = load(given)?;
    config::require_service(&loaded.config).map_err(CommandError::usage)?;
    Ok(loaded)
}
