//! Loads the configuration of a command.

use super::error::CommandError;
use crate::config::{self, CliOverrides, LoadedConfig};

/// Loads the configuration from flags, environment and file.
pub(super) fn load(overrides: &CliOverrides) -> Result<LoadedConfig, CommandError> {
    overrides
        .load(std::env::vars_os())
        .map_err(|errors| CommandError::Usage(errors.to_string()))
}

/// Loads the configuration of an existing service.
pub(super) fn load_service(overrides: &CliOverrides) -> Result<LoadedConfig, CommandError> {
    let loaded = load(overrides)?;
    config::require_service(&loaded.config).map_err(CommandError::usage)?;
    Ok(loaded)
}
