//! The visiting order: time, share proven and gap, per size and kind.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use despacho_core::route::{Budget, Problem, UNREACHABLE, Visit, best_order};
use despacho_parity::deck::{self, Kind};
use despacho_parity::guest::Guest;
use serde_json::{Value, json};

use crate::{mean, median, peers};

const SIZES: [usize; 10] = [5, 8, 10, 12, 15, 20, 30, 50, 100, 200];
/// What each peer with a time limit gets, in milliseconds.
const PEER_MS: u32 = 100;

/// One instance with all that was found for it.
struct Measured {
    problem: Problem,
    native_ms: f64,
    wasm_ms: f64,
    visit: Visit,
    /// The shortest order that anyone found in this run.
    best: u64,
    peers: BTreeMap<String, (u64, f64)>,
}

/// Prints the table.
pub(crate) fn run(long: bool) -> Result<(), Box<dyn Error>> {
    let guest = Guest::build()?;
    let instances = if long { 12 } else { 3 };
    println!(
        "ms: median; proven: share; gap: mean over the shortest order known in this run; bound: mean gap to the bound"
    );
    println!("peers: mean gap, median ms, share at the shortest order known; those with a time limit got {PEER_MS} ms");
    for size in SIZES {
        for kind in deck::MEASURED {
            let mut measured = Vec::new();
            for seed in 0..instances {
                measured.push(measure(&guest, kind, size, seed)?);
            }
            ask_peers(&mut measured, kind, size)?;
            print_row(kind, size, &measured);
        }
    }
    Ok(())
}

/// The budget for a size: a proof up to 50 stops, then about 10 ms and 15 ms.
fn work(size: usize) -> u64 {
    match size {
        0..=50 => 45_000_000,
        51..=100 => 9_000_000,
        _ => 13_000_000,
    }
}

fn measure(guest: &Guest, kind: Kind, size: usize, seed: u64) -> Result<Measured, Box<dyn Error>> {
    let rows = deck::matrix(kind, size, seed);
    let closed = seed.is_multiple_of(2);
    let metres = rows.iter().flatten().map(|metres| metres.unwrap_or(UNREACHABLE)).collect();
    let problem = Problem::new(rows.len(), metres)?.closed(closed);
    let repeats = if size <= 30 { 9 } else { 3 };
    let mut times = Vec::new();
    let mut visit = best_order(&problem, Budget::of_work(work(size)))?;
    for _ in 0..repeats {
        let begun = Instant::now();
        visit = best_order(&problem, Budget::of_work(work(size)))?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    let question = json!({ "matrix": rows, "closed": closed, "work": work(size) });
    let answers = guest.answer(&vec![format!("route {question}"); repeats + 1])?;
    let wasm: Vec<f64> = answers.iter().skip(1).map(|answer| answer.took.as_secs_f64() * 1e3).collect();
    let mut best = visit.cost;
    if !visit.proven {
        best = best.min(best_order(&problem, Budget::of_work(400_000_000))?.cost);
    }
    Ok(Measured { problem, native_ms: least(&times), wasm_ms: least(&wasm), visit, best, peers: BTreeMap::new() })
}

/// The least of repeated times: what the machine does when nobody else asks for it.
fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::MAX, f64::min)
}

fn ask_peers(measured: &mut [Measured], kind: Kind, size: usize) -> Result<(), Box<dyn Error>> {
    let mut instances: Vec<Value> = Vec::new();
    for seed in (0..).take(measured.len()) {
        instances.push(json!({ "matrix": deck::matrix(kind, size, seed), "closed": seed.is_multiple_of(2) }));
    }
    let question = json!({ "what": "route", "ms": PEER_MS, "instances": instances });
    for answer in peers::ask(&question.to_string())? {
        if let Some(instance) = measured.get_mut(answer.index)
            && let Some(cost) = instance.problem.length(&answer.order)
            && answer.order.len() == size
        {
            instance.best = instance.best.min(cost);
            instance.peers.insert(answer.peer, (cost, answer.ms));
        }
    }
    Ok(())
}

fn print_row(kind: Kind, size: usize, measured: &[Measured]) {
    let all = |of: &dyn Fn(&Measured) -> f64| -> Vec<f64> { measured.iter().map(of).collect() };
    let (native, wasm) = (median(&all(&|one| one.native_ms)), median(&all(&|one| one.wasm_ms)));
    let proven = mean(&all(&|one| if one.visit.proven { 100.0 } else { 0.0 }));
    let gap = mean(&all(&|one| percent(one.visit.cost, one.best)));
    let bound = mean(&all(&|one| percent(one.visit.cost, one.visit.bound)));
    let name = kind.name();
    println!(
        "{size:4} {name:12} native {native:8.3} ms, wasm {wasm:8.3} ms (×{:.2}), proven {proven:3.0} %, gap {gap:.2} %, bound {bound:.2} %",
        wasm / native
    );
    let names: Vec<&String> = measured.first().map_or(Vec::new(), |one| one.peers.keys().collect());
    for peer in names {
        let answers: Vec<&(u64, f64)> = measured.iter().filter_map(|one| one.peers.get(peer)).collect();
        let gaps: Vec<f64> =
            measured.iter().filter_map(|one| Some(percent(one.peers.get(peer)?.0, one.best))).collect();
        let times: Vec<f64> = answers.iter().map(|answer| answer.1).collect();
        let best = mean(&gaps.iter().map(|&gap| if gap == 0.0 { 100.0 } else { 0.0 }).collect::<Vec<f64>>());
        let (gap, ms) = (mean(&gaps), median(&times));
        println!("     {peer:>14}: gap {gap:.2} %, {ms:.1} ms, best {best:.0} %");
    }
}

/// How much one length is above another, in per cent.
#[expect(clippy::cast_precision_loss, reason = "for a table")]
fn percent(cost: u64, below: u64) -> f64 {
    if below == 0 { 0.0 } else { (cost as f64 / below as f64 - 1.0) * 100.0 }
}
