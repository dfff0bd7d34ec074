//! `despacho simulate`.

use std::time::Duration;

use despacho_core::demo;
use tokio_util::sync::CancellationToken;

use super::{Failure, operator::random_text};
use crate::{
    cli::Simulate,
    server::print,
    simulator::{self, Client, Operator, Rates, Simulation},
};

/// Lets robots ride until the orders that it created have ended, or until Ctrl-C.
pub(super) async fn simulate(asked: Simulate) -> Result<(), Failure> {
    let client = Client::to(&asked.url).map_err(Failure::Usage)?;
    let token = asked.admin_token.clone().or_else(|| std::env::var("DESPACHO_ADMIN_TOKEN").ok());
    let token = token.ok_or_else(|| {
        Failure::Usage(
            "robots are registered by the operator: set DESPACHO_ADMIN_TOKEN, or send --admin-token".to_owned(),
        )
    })?;
    let store_key = asked.store_key.clone().unwrap_or_else(|| demo::KEY.to_owned());
    let simulation = Simulation {
        client: client.clone(),
        store_key: store_key.clone(),
        count: asked.couriers,
        speed: asked.speed,
        seed: asked.seed,
        rates: rates(&asked),
        say: tell,
    };
    let stop = CancellationToken::new();
    let operator = Operator::Remote(client.clone(), token);
    let riding = tokio::spawn(simulator::run(simulation, operator, stop.clone()));
    let watching = async {
        if asked.orders == 0 {
            return std::future::pending().await;
        }
        let run = &random_text()?[..8];
        let ids = simulator::create(&client, &store_key, asked.orders, run, tell).await?;
        simulator::watch_to_the_end(&client, &store_key, &ids, tell).await?;
        Ok::<(), Failure>(())
    };
    tokio::pin!(riding);
    let watched = tokio::select! {
        watched = watching => watched,
        robots = &mut riding => return robots.map_err(|error| error.to_string())?.map_err(Failure::Failed),
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    stop.cancel();
    // Robots end where they stand; a moment lets the last request reach its end.
    let _ = tokio::time::timeout(Duration::from_secs(1), riding).await;
    watched
}

/// A line on standard output. Where nobody reads it any more there is nobody to tell.
fn tell(line: &str) {
    let _ = print(line);
}

fn rates(asked: &Simulate) -> Rates {
    Rates {
        late: asked.late,
        no_show: asked.no_show,
        decline: asked.decline,
        absent: asked.absent,
        wrong_code: asked.wrong_code,
        lost_connection: asked.lost_connection,
    }
}
