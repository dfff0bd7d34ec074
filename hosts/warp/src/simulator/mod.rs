//! Robot couriers that carry demonstration orders through the public API, so that an integrator sees a whole life in a minute.
//!
//! They do what a courier's app does, over HTTP and with keys of their own: they say where they are, ask for their order, ride along
//! straight legs in the time that the road model gives them, and take each step with the code that somebody would tell them. Merchant
//! and recipients are played too: their codes are read with the demonstration store's key. What goes wrong, and when, follows from
//! a seed.

mod chance;
mod client;
mod fleet;
mod orders;
mod ride;
mod robot;

use std::{sync::Arc, time::Duration};

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::{
    chance::Chance,
    robot::{Robot, World},
};
pub use self::{
    chance::Rates,
    client::Client,
    fleet::Operator,
    orders::{create, watch_to_the_end},
};

/// Tells a line to whoever watches.
pub type Say = fn(&str);

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// Where the API answers.
    pub client: Client,
    /// The key that merchant and recipients read their codes with.
    pub store_key: String,
    /// How many robots ride.
    pub count: u32,
    /// Seconds of theirs that pass in one of ours, from 1.
    pub speed: u32,
    /// What chance follows from.
    pub seed: u64,
    /// What goes wrong how often.
    pub rates: Rates,
    /// Where it is told.
    pub say: Say,
}

/// Registers what robots are missing and lets all ride until `stop` is cancelled.
///
/// # Errors
/// Why there are no robots: the operator's endpoints refused, or do not answer.
pub async fn run(simulation: Simulation, operator: Operator, stop: CancellationToken) -> Result<(), String> {
    let robots = tokio::select! {
        robots = fleet::hire(&operator, simulation.count) => robots?,
        () = stop.cancelled() => return Ok(()),
    };
    (simulation.say)(&format!("{} robots ride, {} times as fast as people", robots.len(), simulation.speed));
    let world = Arc::new(World {
        client: simulation.client,
        store_key: simulation.store_key,
        speed: simulation.speed.max(1),
        chance: Chance::new(simulation.seed, simulation.rates),
        say: simulation.say,
    });
    let mut riding = JoinSet::new();
    for (number, hired) in robots.into_iter().enumerate() {
        let world = world.clone();
        riding.spawn(async move {
            // They do not all ask in the same instant.
            tokio::time::sleep(Duration::from_millis(150 * number as u64)).await;
            Robot::new(hired, world).ride().await;
        });
    }
    // A robot's day has no end; dropping the set ends all of theirs.
    stop.cancelled().await;
    Ok(())
}
