//! Every documented broken rule is found within a few hundred seeds: what finds none of them would find nothing else either.

#![expect(clippy::print_stdout, reason = "which seed found what is for people: run with --no-capture")]

use despacho_simulation::{Mutation, STEPS, run};

/// Seeds within which each is found.
const SEEDS: u64 = 400;

#[test]
fn every_broken_rule_is_found() {
    let mut missed = Vec::new();
    for mutation in Mutation::ALL {
        match (1..=SEEDS).find_map(|seed| run(seed, STEPS, Some(*mutation)).err()) {
            Some(broken) => {
                println!("{}: seed {}, step {}: {}", mutation.name(), broken.seed, broken.step, broken.what)
            }
            None => missed.push(mutation.name()),
        }
    }
    assert!(missed.is_empty(), "not found in {SEEDS} seeds: {missed:?}");
}
