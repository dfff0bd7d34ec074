//! The short form: a few hundred seeds, and the reproducibility of a run.

#![expect(
    clippy::print_stdout,
    reason = "figures are printed for developers: run with --no-capture"
)]

use std::collections::BTreeMap;

use despacho_simulation::{Run, STEPS, run};

/// The number of seeds, which take about 20 s. They are the same on every machine, so the results
/// are reproducible.
const SEEDS: u64 = 400;

#[test]
fn seeded_runs_violate_no_invariant() {
    let (mut kinds, mut trips) = (BTreeMap::new(), BTreeMap::new());
    for seed in 1..=SEEDS {
        match run(seed, STEPS, None) {
            Ok(run) => {
                run.kinds
                    .into_iter()
                    .for_each(|(kind, times)| *kinds.entry(kind).or_insert(0) += times);
                run.trips
                    .into_iter()
                    .for_each(|(orders, times)| *trips.entry(orders).or_insert(0) += times);
            }
            Err(broken) => panic!("\n{broken}"),
        }
    }
    println!(
        "{SEEDS} seeds of {STEPS} steps: {kinds:?}, assignments by the number of orders in the trip: {trips:?}"
    );
    // Without these events, the checks would not be meaningful.
    let events = [
        "order.allocated",
        "order.picked_up",
        "delivery.delivered",
        "order.cancelled",
        "order.expired",
    ];
    for kind in events.into_iter().chain([
        "order.preparing",
        "order.delayed",
        "order.courier_released",
        "order.eta_changed",
    ]) {
        assert!(kinds.contains_key(kind), "no {kind} in {SEEDS} seeds");
    }
    assert!(
        [2, 3].iter().all(|orders| trips.contains_key(orders)),
        "no trips in {SEEDS} seeds: {trips:?}"
    );
}

#[test]
fn equal_seeds_give_equal_runs() {
    let result = |seed| run(seed, 400, None).map(|run: Run| run);
    for seed in 1..=4 {
        assert_eq!(result(seed), result(seed), "seed {seed}");
    }
    assert_ne!(result(1).map(|run| run.hash), result(2).map(|run| run.hash));
}
