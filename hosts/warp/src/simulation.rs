//! The task that moves the simulated couriers of sandbox stores and replaces ended demo orders.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use despacho_core::host::HostError;
use despacho_simulator::{Pass, Simulation};
use futures_util::FutureExt;
use tokio::time::sleep;

use crate::app::App;

/// Time between two passes while a sandbox store has open orders.
const INTERVAL: Duration = Duration::from_secs(1);
/// Time between two passes without open orders: each is one read of an empty index.
const IDLE_INTERVAL: Duration = Duration::from_secs(3);

/// Runs passes until the server shuts down. After an error the next pass tries again.
pub async fn run(app: Arc<App>, simulation: Simulation, demo: bool) {
    let (mut after, mut failed) = (None, false);
    loop {
        let work = async {
            if demo && after.is_none() {
                let orders = app.store.replace_demo_orders(&app.settings).await?;
                if orders > 0 {
                    tracing::info!(orders, "demo orders created to replace ended ones");
                }
            }
            app.store.simulate(&app.settings, simulation, after).await
        };
        // A panic is a bug in the step of one order; the couriers of the other orders must
        // continue.
        let pass = AssertUnwindSafe(work).catch_unwind().await;
        let pass = pass.unwrap_or_else(|_| {
            Err(HostError::Internal {
                detail: "the simulation panicked".to_owned(),
            })
        });
        match &pass {
            Ok(Pass { committed: 0, .. }) => {}
            Ok(Pass {
                orders, committed, ..
            }) => tracing::debug!(orders, committed, "couriers simulated"),
            Err(error) if !failed => tracing::warn!(%error, "couriers not simulated; retrying"),
            Err(_) => {}
        }
        failed = pass.is_err();
        let pass = pass.unwrap_or_default();
        after = pass.next;
        tokio::select! {
            () = sleep(if pass.orders > 0 { INTERVAL } else { IDLE_INTERVAL }) => {}
            () = app.shutdown.cancelled() => return,
        }
    }
}
