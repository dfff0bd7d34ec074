//! Every mutation is detected within a few hundred seeds.

#![expect(
    clippy::print_stdout,
    reason = "figures are printed for developers: run with --no-capture"
)]

use despacho_simulation::{Mutation, STEPS, run};

/// The number of seeds within which each mutation must be detected.
const SEEDS: u64 = 400;

#[test]
fn every_mutation_is_detected() {
    let mut missed = Vec::new();
    for mutation in Mutation::ALL {
        match (1..=SEEDS).find_map(|seed| run(seed, STEPS, Some(*mutation)).err()) {
            Some(broken) => {
                println!(
                    "{}: seed {}, step {}: {}",
                    mutation.name(),
                    broken.seed,
                    broken.step,
                    broken.message
                )
            }
            None => missed.push(mutation.name()),
        }
    }
    assert!(
        missed.is_empty(),
        "not detected in {SEEDS} seeds: {missed:?}"
    );
}
