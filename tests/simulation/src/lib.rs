//! Simulates the whole service with a simulated clock and network and with seeded faults, and
//! compares it with a reference model after each step.
//!
//! `README.md` describes the simulation, its invariants and its mutations.

mod actions;
mod audit;
mod backend;
mod clients;
mod ending;
mod exchange;
mod fault_rates;
pub mod fuzz;
mod host;
mod model;
mod mutation;
pub mod night;
mod oracle;
mod reading;
mod receivers;
mod rng;
mod schedule;
mod service;
mod simulation;
mod table;
mod trace;
mod tracked_order;
mod trips;
mod waits;
mod work;

use std::collections::BTreeMap;

pub use mutation::Mutation;
use simulation::Simulation;

/// The default number of steps of a run.
pub const STEPS: u64 = 1_000;

/// The result of a run without violations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// A hash of the trace, which is equal for equal seeds.
    pub hash: u64,
    /// The number of steps.
    pub steps: u64,
    /// The number of requests that reached an instance.
    pub requests: u64,
    /// The number of client operations that were acknowledged.
    pub acknowledged: u64,
    /// The number of injected faults.
    pub faults: u64,
    /// The number of created orders.
    pub orders: u64,
    /// The number of events by kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// The number of assignments after which a trip had each number of orders.
    pub trips: BTreeMap<usize, u64>,
}

/// A violated invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantError {
    /// The seed.
    pub seed: u64,
    /// The step of the violation.
    pub step: u64,
    /// The planned number of steps.
    pub steps: u64,
    /// The description of the violation.
    pub message: String,
    /// The last lines of the trace.
    pub tail: Vec<String>,
    mutation: Option<Mutation>,
}

/// Runs a seed for a number of steps, optionally with a mutation.
///
/// # Errors
/// If an invariant is violated. The error includes the command that repeats the run.
pub fn run(seed: u64, steps: u64, mutation: Option<Mutation>) -> Result<Run, Box<InvariantError>> {
    let violation = |step: u64, message: String, tail: Vec<String>| {
        Box::new(InvariantError {
            seed,
            step,
            steps,
            message,
            tail,
            mutation,
        })
    };
    let mut simulation =
        Simulation::new(seed, mutation).map_err(|message| violation(0, message, Vec::new()))?;
    if let Err(message) = simulation.run(steps) {
        return Err(violation(
            simulation.steps,
            message,
            simulation.trace.tail(),
        ));
    }
    Ok(Run {
        hash: simulation.trace.hash(),
        steps: simulation.steps,
        requests: simulation.requests,
        acknowledged: simulation.acknowledged,
        faults: simulation.service.faults.get(),
        orders: simulation.model.orders.len() as u64,
        kinds: simulation.kinds,
        trips: simulation.model.trips.sizes,
    })
}

impl std::fmt::Display for InvariantError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let InvariantError {
            seed,
            step,
            steps,
            message,
            tail,
            mutation,
        } = self;
        for line in tail {
            writeln!(f, "  {line}")?;
        }
        let option = mutation
            .map(|mutation| format!(" --mutation {}", mutation.name()))
            .unwrap_or_default();
        writeln!(f, "seed {seed}, step {step}: {message}")?;
        write!(
            f,
            "repeat: cargo run --release -p despacho-simulation -- --from {seed} --seeds 1 --steps {steps}{option}"
        )
    }
}

impl std::error::Error for InvariantError {}
