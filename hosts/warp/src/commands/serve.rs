//! `despacho serve`.

use super::Failure;
use crate::{
    config::{self, FIELDS, Loaded},
    log, server,
    store::Store,
};

/// Serves until told to stop.
pub(super) async fn serve(loaded: Loaded) -> Result<(), Failure> {
    let config = &loaded.config;
    log::start(config);
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    for field in FIELDS {
        let source = loaded.sources.get(field.key).map(ToString::to_string).unwrap_or_default();
        tracing::info!(key = field.key, value = field.value(config), source, "setting");
    }
    let settings = config::settings(config)?;
    let store = Store::open(config).await?;
    server::serve(config, settings, store, |address| server::print(&format!("ready {address}"))).await?;
    Ok(())
}
