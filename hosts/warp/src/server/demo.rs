//! The demonstration's robots, which ride beside the server that they ask.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use despacho_core::{demo, domain::hex};
use tokio_util::task::TaskTracker;

use crate::{
    app::App,
    config::{Config, reachable},
    simulator::{self, Client, Operator, Rates, Simulation},
};

/// Starts the configured robots. They end when the server shuts down.
pub(super) fn start(config: &Config, app: &Arc<App>, address: SocketAddr, tasks: &TaskTracker) {
    if !config.demo || config.robots.count == 0 {
        return;
    }
    if config.tls.cert.is_some() {
        tracing::warn!(
            "robots speak no TLS: the demonstration's orders wait for `despacho simulate` on another address"
        );
        return;
    }
    let mut token = [0; 16];
    if let Err(error) = getrandom::fill(&mut token) {
        tracing::error!(%error, "no randomness: no robots ride");
        return;
    }
    let operator = Operator::inside(app.clone(), hex(&token));
    let Ok(client) = Client::to(&format!("http://{}", reachable(address))) else { return };
    let simulation = Simulation {
        client,
        store_key: demo::KEY.to_owned(),
        count: config.robots.count,
        speed: config.robots.speed,
        seed: 1,
        rates: Rates::default(),
        say: |line| tracing::info!(line, "robot"),
    };
    let (orders, shutdown) = (keep_orders(app.clone()), app.shutdown.clone());
    tasks.spawn(async move {
        let robots = async {
            if let Err(error) = simulator::run(simulation, operator, shutdown).await {
                tracing::error!(error, "no robots ride");
            }
        };
        tokio::join!(robots, orders);
    });
}

/// How often ended orders are replaced.
const REPLACEMENT_INTERVAL: Duration = Duration::from_secs(5);

/// Replaces ended demonstration orders until the server shuts down, so that there are always some that have not ended.
async fn keep_orders(app: Arc<App>) {
    let mut failed = false;
    loop {
        tokio::select! {
            () = tokio::time::sleep(REPLACEMENT_INTERVAL) => {}
            () = app.shutdown.cancelled() => return,
        }
        let replaced = app.store.replace_demo_orders(&app.settings).await;
        match &replaced {
            Ok(0) => {}
            Ok(orders) => tracing::info!(orders, "demonstration orders created in place of ended ones"),
            Err(error) if !failed => tracing::warn!(%error, "demonstration orders not created; retrying"),
            Err(_) => {}
        }
        failed = replaced.is_err();
    }
}
