//! The work after a dispatch pass. An instance has no background tasks, so the dispatch endpoint
//! does it.

use despacho_simulator::{Pass, Simulation};
use despacho_sql::SqlHost;

use crate::{config::Config, database::Database, log, platform::Machine, push};

/// Simulation passes after one dispatch pass; each reads at most 500 open orders of sandbox stores.
const MAX_SIMULATION_PASSES: u32 = 10;

/// Moves the simulated couriers of sandbox stores and sends due pushes.
pub(crate) async fn after_dispatch(host: &SqlHost<Database, Machine>, config: &Config) {
    simulate_couriers(host, config).await;
    if let Err(error) = push::deliver(host, host.driver(), &config.settings).await {
        log::line(format_args!(
            "pushes not sent; retrying in the next pass: {error}"
        ));
    }
}

async fn simulate_couriers(host: &SqlHost<Database, Machine>, config: &Config) {
    let mut after = None;
    for _ in 0..MAX_SIMULATION_PASSES {
        match despacho_simulator::run_pass(host, &config.settings, Simulation::default(), after)
            .await
        {
            Ok(Pass {
                next: Some(next), ..
            }) => after = Some(next),
            Ok(_) => return,
            Err(error) => {
                log::line(format_args!(
                    "couriers not simulated; retrying in the next pass: {error}"
                ));
                return;
            }
        }
    }
}
