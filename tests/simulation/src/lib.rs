//! The whole service under a simulated clock and network, with faults by seed, checked against a reference model after each step.
//!
//! `README.md` says what is simulated, what must hold, and which broken rules are found.

mod acts;
mod audit;
mod backend;
mod exchange;
mod fault_rates;
pub mod fuzz;
mod host;
mod judge;
mod model;
mod mutation;
mod people;
mod reading;
mod receivers;
mod rng;
mod service;
mod simulation;
mod table;
mod trace;
mod work;

use std::collections::BTreeMap;

pub use mutation::Mutation;
use simulation::Simulation;

/// Steps of a run where nobody says how many.
pub const STEPS: u64 = 1_000;

/// A run that found nothing wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// A hash over everything that happened: equal for equal seeds.
    pub hash: u64,
    /// Steps that were taken.
    pub steps: u64,
    /// Requests that reached an instance.
    pub requests: u64,
    /// Clients that were told that what they wanted was done.
    pub acknowledged: u64,
    /// Faults that were injected.
    pub faults: u64,
    /// Orders that were created.
    pub orders: u64,
    /// Events by their kind.
    pub kinds: BTreeMap<&'static str, u64>,
}

/// A run that found something wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The seed.
    pub seed: u64,
    /// The step.
    pub step: u64,
    /// Steps that the run was to have.
    pub steps: u64,
    /// What does not hold.
    pub what: String,
    /// The last lines of the trace.
    pub tail: Vec<String>,
    mutation: Option<Mutation>,
}

/// Runs a seed for so many steps, with a rule broken or none.
///
/// # Errors
/// What did not hold, where, and how to see it again.
pub fn run(seed: u64, steps: u64, mutation: Option<Mutation>) -> Result<Run, Box<Broken>> {
    let broken =
        |step: u64, what: String, tail: Vec<String>| Box::new(Broken { seed, step, steps, what, tail, mutation });
    let mut simulation = Simulation::new(seed, mutation).map_err(|what| broken(0, what, Vec::new()))?;
    if let Err(what) = simulation.run(steps) {
        return Err(broken(simulation.steps, what, simulation.trace.tail()));
    }
    Ok(Run {
        hash: simulation.trace.hash(),
        steps: simulation.steps,
        requests: simulation.requests,
        acknowledged: simulation.acknowledged,
        faults: simulation.service.faults.get(),
        orders: simulation.model.orders.len() as u64,
        kinds: simulation.kinds,
    })
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Broken { seed, step, steps, what, tail, mutation } = self;
        for line in tail {
            writeln!(f, "  {line}")?;
        }
        let broken = mutation.map(|mutation| format!(" --mutation {}", mutation.name())).unwrap_or_default();
        writeln!(f, "seed {seed}, step {step}: {what}")?;
        write!(
            f,
            "again: cargo run --release -p despacho-simulation -- --from {seed} --seeds 1 --steps {steps}{broken}"
        )
    }
}

impl std::error::Error for Broken {}
