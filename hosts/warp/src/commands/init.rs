//! `despacho init`.

use super::failure::Failure;
use crate::{
    config::{self, Config, Database, Missing},
    server::print,
    store::Store,
};

/// Creates the data folder, its secret and its database. What exists is left as it is.
pub(super) async fn init(config: &Config, new_secret: bool) -> Result<(), Failure> {
    let existed = config::require_service(config).is_ok();
    let missing = if new_secret { Missing::CreateSecret } else { Missing::Create };
    config::settings(config, missing).map_err(Failure::Usage)?;
    Store::create(config).await?;
    let place = match &config.database {
        Database::Sqlite => config.data.display().to_string(),
        Database::Postgres(address) => address.to_string(),
    };
    Ok(print(&match (existed, &config.database) {
        (true, Database::Sqlite) => format!("{place} holds a service; its database is left as it is"),
        _ => format!("{place} is ready for `despacho serve`"),
    })?)
}
