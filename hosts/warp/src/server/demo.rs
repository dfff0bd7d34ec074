//! The demonstration's robots, which ride beside the server that they ask.

use std::{net::SocketAddr, sync::Arc};

use despacho_core::{demo, domain::hex};
use tokio::{sync::watch, task::JoinHandle};

use crate::{
    app::App,
    config::{Config, reachable},
    simulator::{self, Client, Operator, Rates, Simulation},
};

/// Starts robots where the configuration wants some. They end when `stop` says true.
pub(super) fn start(
    config: &Config,
    app: &Arc<App>,
    address: SocketAddr,
    stop: &watch::Receiver<bool>,
) -> Option<JoinHandle<()>> {
    if !config.demo || config.robots.count == 0 {
        return None;
    }
    if config.tls_cert.is_some() {
        tracing::warn!(
            "robots speak no TLS: the demonstration's orders wait for `despacho simulate` on another address"
        );
        return None;
    }
    let mut token = [0; 16];
    if let Err(error) = getrandom::fill(&mut token) {
        tracing::error!(%error, "no randomness: no robots ride");
        return None;
    }
    let operator = Operator::inside(app.clone(), hex(&token));
    let client = Client::to(&format!("http://{}", reachable(address))).ok()?;
    let simulation = Simulation {
        client,
        store_key: demo::KEY.to_owned(),
        count: config.robots.count,
        speed: config.robots.speed,
        seed: 1,
        rates: Rates::default(),
        say: |line| tracing::info!(line, "robot"),
    };
    let stop = stop.clone();
    Some(tokio::spawn(async move {
        if let Err(fault) = simulator::run(simulation, operator, stop).await {
            tracing::error!(fault, "no robots ride");
        }
    }))
}
