//! The short form: a few hundred seeds, and that a seed is its run.

#![expect(clippy::print_stdout, reason = "figures are for people: run with --no-capture")]

use std::collections::BTreeMap;

use despacho_simulation::{Run, STEPS, run};

/// The seeds of the short form: the same everywhere, so that it finds the same on every machine. They take some 20 s.
const SEEDS: u64 = 400;

#[test]
fn nothing_is_wrong_in_any_weather() {
    let mut kinds = BTreeMap::new();
    for seed in 1..=SEEDS {
        match run(seed, STEPS, None) {
            Ok(done) => done.kinds.into_iter().for_each(|(kind, times)| *kinds.entry(kind).or_insert(0) += times),
            Err(broken) => panic!("\n{broken}"),
        }
    }
    println!("{SEEDS} seeds of {STEPS} steps: {kinds:?}");
    // A simulation in which nobody delivers anything would find nothing either.
    for kind in ["order.allocated", "order.picked_up", "delivery.delivered", "order.cancelled", "order.expired"] {
        assert!(kinds.contains_key(kind), "no {kind} in {SEEDS} seeds");
    }
}

#[test]
fn a_seed_is_its_run() {
    let hash = |seed| run(seed, 400, None).map(|done: Run| done);
    for seed in 1..=4 {
        assert_eq!(hash(seed), hash(seed), "seed {seed}");
    }
    assert_ne!(hash(1).map(|done| done.hash), hash(2).map(|done| done.hash));
}
