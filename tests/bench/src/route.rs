//! The visiting order: time, share proven and gap, per size and kind, and a table over all kinds.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;

use despacho_bench::parity::problems::{self, Kind};
use despacho_core::route::{
    Problem, UNREACHABLE,
    line::{RouteRequest, RouteResponse, solve_route},
};
use serde_json::{Value, json};

use crate::peers::Peers;
use crate::wasm::Wasm;
use crate::{Extent, mean, median, min_ms};

const SIZES: [usize; 10] = [5, 8, 10, 12, 15, 20, 30, 50, 100, 200];
const FEW_SIZES: [usize; 5] = [8, 12, 20, 30, 50];
/// What each peer with a time limit gets, in milliseconds.
const PEER_MS: u32 = 100;
/// Work spent to find out how short an order can be where that is not proven.
const REFERENCE: u64 = 400_000_000;

/// One instance with all that was found for it.
struct Measured {
    problem: Problem,
    native_ms: f64,
    wasm_ms: f64,
    visit: RouteResponse,
    /// The shortest order that anyone found in this run.
    best: u64,
    peers: BTreeMap<String, (u64, f64)>,
}

/// Prints a line for every size and kind, then a table over all kinds.
///
/// `chosen` are the sizes to measure, all where it is empty.
pub(crate) fn run(extent: Extent, chosen: &[usize]) -> Result<(), Box<dyn Error>> {
    let (wasm, peers) = (Wasm::build()?, Peers::find());
    let (sizes, instances) = match extent {
        Extent::Short => (&FEW_SIZES[..], 2),
        Extent::Usual => (&SIZES[..], 5),
        Extent::Long => (&SIZES[..], 12),
    };
    println!(
        "ms: median over {instances} instances of the least time; proven: share; gap: mean over the shortest order known in"
    );
    println!(
        "this run; bound: mean gap of the answer to its own bound. Peers: the solve alone, {PEER_MS} ms where there is a limit."
    );
    let mut rows = Vec::new();
    for &size in if chosen.is_empty() { sizes } else { chosen } {
        let mut all = Vec::new();
        for kind in problems::MEASURED {
            let mut measured = Vec::new();
            for seed in 0..instances {
                measured.push(measure(wasm.as_ref(), kind, size, seed)?);
            }
            query_peers(peers.as_ref(), &mut measured, kind, size)?;
            println!("{size:4} {:12} {}", kind.name(), ours(&measured));
            for (peer, found) in theirs(&measured) {
                println!("     {peer:>14}: {found}");
            }
            all.extend(measured);
        }
        rows.push((size, all));
    }
    println!("\nAll kinds:");
    for (size, all) in &rows {
        println!("{size:4} stops       {}", ours(all));
        for (peer, found) in theirs(all) {
            println!("     {peer:>14}: {found}");
        }
    }
    Ok(())
}

/// The budget for a size: the engine's own for a proof up to 50 stops, then about 10 ms and 15 ms.
fn work(size: usize) -> Option<u64> {
    match size {
        0..=50 => None,
        51..=100 => Some(6_600_000),
        _ => Some(7_200_000),
    }
}

fn measure(wasm: Option<&Wasm>, kind: Kind, size: usize, seed: u64) -> Result<Measured, Box<dyn Error>> {
    let rows = problems::matrix(kind, size, seed);
    let closed = seed.is_multiple_of(2);
    let metres = rows.iter().flatten().map(|metres| metres.unwrap_or(UNREACHABLE)).collect();
    let problem = Problem::new(rows.len(), metres)?.closed(closed);
    let line = json!({ "matrix": rows, "closed": closed, "work": work(size) }).to_string();
    let query: RouteRequest = serde_json::from_str(&line)?;
    let visit = solve_route(&query)?;
    // Many short rounds: on a busy machine some of them run undisturbed. Both sides are measured alike.
    let repeats = if size <= 10 { 10 } else { 1 };
    let mut response = || {
        black_box(solve_route(black_box(&query)).is_ok());
    };
    let rounds = match min_ms(1, 1, &mut response) {
        quick if quick < 1.0 => 100,
        slow if slow < 10.0 => 15,
        _ => 5,
    };
    let native_ms = min_ms(rounds, repeats, &mut response);
    let wasm_ms = match wasm {
        Some(wasm) => wasm.ms(&format!("route {line}"), rounds, repeats)?,
        None => f64::NAN,
    };
    let mut best = visit.cost;
    if !visit.proven {
        best = best.min(solve_route(&RouteRequest { work: Some(REFERENCE), ..query })?.cost);
    }
    Ok(Measured { problem, native_ms, wasm_ms, visit, best, peers: BTreeMap::new() })
}

fn query_peers(
    peers: Option<&Peers>,
    measured: &mut [Measured],
    kind: Kind,
    size: usize,
) -> Result<(), Box<dyn Error>> {
    let Some(peers) = peers else { return Ok(()) };
    let mut instances: Vec<Value> = Vec::new();
    for seed in (0..).take(measured.len()) {
        instances.push(json!({ "matrix": problems::matrix(kind, size, seed), "closed": seed.is_multiple_of(2) }));
    }
    let query = json!({ "what": "route", "ms": PEER_MS, "instances": instances });
    for response in peers.query(&query.to_string())? {
        if let Some(instance) = measured.get_mut(response.index)
            && let Some(cost) = instance.problem.length(&response.order)
            && response.order.len() == size
        {
            instance.best = instance.best.min(cost);
            instance.peers.insert(response.peer, (cost, response.ms));
        }
    }
    Ok(())
}

/// What this engine did, in one line.
fn ours(measured: &[Measured]) -> String {
    let all = |of: &dyn Fn(&Measured) -> f64| -> Vec<f64> { measured.iter().map(of).collect() };
    let (native, wasm) = (median(&all(&|one| one.native_ms)), median(&all(&|one| one.wasm_ms)));
    let proven = mean(&all(&|one| if one.visit.proven { 100.0 } else { 0.0 }));
    let gap = mean(&all(&|one| percent(one.visit.cost, one.best)));
    let bound = mean(&all(&|one| percent(one.visit.cost, one.visit.bound)));
    // Without the feature `wasm` there is nothing to say of it.
    let comparison =
        if wasm.is_nan() { String::new() } else { format!(", wasm {wasm:8.3} ms (×{:.2})", wasm / native) };
    format!("native {native:8.3} ms{comparison}, proven {proven:3.0} %, gap {gap:.2} %, bound {bound:.2} %")
}

/// What each peer did, in one line each.
fn theirs(measured: &[Measured]) -> Vec<(String, String)> {
    let names: Vec<&String> = measured.first().map_or(Vec::new(), |one| one.peers.keys().collect());
    let mut lines = Vec::new();
    for name in names {
        let responses: Vec<(f64, f64)> = measured
            .iter()
            .filter_map(|one| one.peers.get(name).map(|&(cost, ms)| (percent(cost, one.best), ms)))
            .collect();
        let gaps: Vec<f64> = responses.iter().map(|response| response.0).collect();
        let times: Vec<f64> = responses.iter().map(|response| response.1).collect();
        let best: Vec<f64> = gaps.iter().map(|&gap| if gap == 0.0 { 100.0 } else { 0.0 }).collect();
        let (gap, ms, best) = (mean(&gaps), median(&times), mean(&best));
        lines.push((name.clone(), format!("gap {gap:.2} %, {ms:.1} ms, shortest known {best:.0} %")));
    }
    lines
}

/// How much one length is above another, in per cent.
#[expect(clippy::cast_precision_loss, reason = "for a table")]
fn percent(cost: u64, below: u64) -> f64 {
    if below == 0 { 0.0 } else { (cost as f64 / below as f64 - 1.0) * 100.0 }
}
