//! `despacho serve`.

use std::sync::Arc;

use despacho_simulator::demo::{EMAIL, KEY, PASSWORD};

use super::{error::CommandError, missing::log_missing_data};
use crate::{
    config::{self, LoadedConfig, Missing},
    geo::Geography,
    log, server,
    store::Store,
};

/// Serves until a shutdown signal.
pub(super) async fn serve(loaded: LoadedConfig) -> Result<(), CommandError> {
    let config = &loaded.config;
    log::start(config);
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    for (key, (value, source)) in &loaded.values {
        tracing::info!(key, value, %source, "setting");
    }
    if !config.demo {
        config::require_service(config).map_err(CommandError::usage)?;
    }
    let missing = if config.demo {
        Missing::Create
    } else {
        Missing::Reject
    };
    let settings = config::settings(config, missing).map_err(CommandError::usage)?;
    let geography = Arc::new(Geography::open(config).map_err(CommandError::usage)?);
    for line in geography.describe() {
        tracing::info!("{line}");
    }
    let store = Store::open(config, geography.clone()).await?;
    if config.demo {
        let fresh = store
            .seed(&settings)
            .await
            .map_err(|error| format!("cannot create demo data: {error}"))?;
        tracing::warn!(
            fresh,
            "demo data enabled; anyone with the public key can use the demo stores"
        );
    }
    let mut code = None;
    // The panel's files contain the courier's app.
    if config.demo && config.panel.is_some() {
        let issued = store.sign_in_demo_courier(&settings).await;
        code = issued.map_err(|error| format!("cannot create the demo courier: {error}"))?;
    }
    let logged = log_missing_data(&geography, &store).await;
    logged.map_err(|error| format!("cannot read the stores: {error}"))?;
    let lines = |address: &str| {
        let panel = if config.panel.is_some() {
            format!("\n\nPanel: {address}/{}", login(config.demo))
        } else {
            String::new()
        };
        let public = config.public_url.as_deref().unwrap_or(address);
        let courier = code
            .as_ref()
            .map(|code| sign_in_line(public, code))
            .unwrap_or_default();
        server::print(&(announcement(address, config.demo) + &panel + &courier))
    };
    server::serve(config, settings, store, lines).await?;
    Ok(())
}

/// Returns the text printed when the server accepts connections. Programs parse the first line and,
/// with the demo, the second.
fn announcement(address: &str, demo: bool) -> String {
    let ready = format!("ready {address}");
    if !demo {
        return ready;
    }
    format!(
        "{ready}\nx-api-token: {KEY}\n\nCreate an order in São Paulo:\n\n  curl -s {address}/delivery/orders \\\n    \
         -H 'x-api-token: {KEY}' -H 'content-type: application/json' \\\n    -d '{ORDER}'\n\nA simulated courier delivers it within \
         a minute. Its history, by its `id`:\n\n  curl -s {address}/delivery/orders/ID -H 'x-api-token: {KEY}'\n\nDocumentation: {address}/docs"
    )
}

/// Returns the login of the demo's panel.
fn login(demo: bool) -> String {
    if demo {
        format!(" (log in as {EMAIL} with {PASSWORD})")
    } else {
        String::new()
    }
}

/// Returns the sign-in link of the demo's courier.
fn sign_in_line(url: &str, code: &str) -> String {
    format!(
        "\nCourier's app: {url}/courier#{code} (works once; `despacho courier link` issues another)"
    )
}

/// The order in the curl example: one delivery with coordinates, picked up at the store.
const ORDER: &str = r#"{"code":"FIRST-1","previewDeliveryTime":true,"deliveries":[{"name":"Rita","phone":"+5511987654321","onlinePayment":true,"address":{"street":"Rua Augusta","number":"1500","city":"São Paulo","state":"SP","latitude":-23.5570,"longitude":-46.6600}}]}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demo_announcement_starts_with_machine_readable_lines() {
        let text = announcement("http://127.0.0.1:1", true);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(
            &lines[..2],
            [
                "ready http://127.0.0.1:1",
                format!("x-api-token: {KEY}").as_str()
            ]
        );
        assert_eq!(
            lines
                .iter()
                .filter(|line| line.starts_with("x-api-token: "))
                .count(),
            1
        );
        assert!(
            text.contains("curl -s http://127.0.0.1:1/delivery/orders")
                && text.ends_with("http://127.0.0.1:1/docs")
        );
        assert_eq!(
            announcement("http://127.0.0.1:1", false),
            "ready http://127.0.0.1:1"
        );
    }
}
