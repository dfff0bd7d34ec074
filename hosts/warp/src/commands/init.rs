//! `despacho init`.

use super::error::CommandError;
use crate::{
    config::{self, Config, Database, Missing},
    server::print,
    store::Store,
};

/// Creates the data folder, its secret and its database. Existing ones are not changed.
pub(super) async fn init(config: &Config, new_secret: bool) -> Result<(), CommandError> {
    let existed = config::require_service(config).is_ok();
    let missing = if new_secret {
        Missing::CreateSecret
    } else {
        Missing::Create
    };
    config::settings(config, missing).map_err(CommandError::usage)?;
    Store::create(config).await?;
    let place = match &config.database {
        Database::Sqlite => config.data.display().to_string(),
        Database::Postgres(address) => address.to_string(),
    };
    Ok(print(&match (existed, &config.database) {
        (true, Database::Sqlite) => {
            format!("{place} contains a service; its database is unchanged")
        }
        _ => format!("{place} is ready for `despacho serve`"),
    })?)
}
