//! Benchmark of visiting orders: time, share proven and gap, per size and kind, and in a table over
//! all kinds.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;

use despacho_bench::{
    median,
    parity::problems::{self, Kind},
};
use despacho_core::route::{
    Problem, UNREACHABLE,
    line::{RouteRequest, RouteResponse, solve_route},
};
use serde_json::{Value, json};

use crate::peers::Peers;
use crate::wasm::Wasm;
use crate::{Extent, mean, min_ms};

const SIZES: [usize; 10] = [5, 8, 10, 12, 15, 20, 30, 50, 100, 200];
const SHORT_SIZES: [usize; 5] = [8, 12, 20, 30, 50];
/// The time limit in milliseconds of peers that have one.
const PEER_MS: u32 = 100;
/// The budget of the reference solution if the result is not proven.
const REFERENCE_WORK: u64 = 400_000_000;

/// One instance with all results.
struct Measured {
    problem: Problem,
    native_ms: f64,
    wasm_ms: f64,
    route: RouteResponse,
    /// The shortest order found by any solver in this run.
    best: u64,
    peers: BTreeMap<String, (u64, f64)>,
}

/// Prints a line for every size and kind, then a table over all kinds.
///
/// `chosen` restricts the sizes; if it is empty, all are measured.
pub(crate) fn run(extent: Extent, chosen: &[usize]) -> Result<(), Box<dyn Error>> {
    let (wasm, peers) = (Wasm::build()?, Peers::find());
    let (sizes, instances) = match extent {
        Extent::Short => (&SHORT_SIZES[..], 2),
        Extent::Default => (&SIZES[..], 5),
        Extent::Long => (&SIZES[..], 12),
    };
    println!(
        "ms: median of {instances} instances' minimum times; proven: share; gap: mean excess over the shortest order known in"
    );
    println!(
        "this run; bound: mean gap of the result to its own bound. Peers: only solving, {PEER_MS} ms if they have a limit."
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
            println!("{size:4} {:12} {}", kind.name(), summary(&measured));
            for (peer, found) in peer_summaries(&measured) {
                println!("     {peer:>14}: {found}");
            }
            all.extend(measured);
        }
        rows.push((size, all));
    }
    println!("\nAll kinds:");
    for (size, all) in &rows {
        println!("{size:4} stops       {}", summary(all));
        for (peer, found) in peer_summaries(all) {
            println!("     {peer:>14}: {found}");
        }
    }
    Ok(())
}

/// Returns the budget for a size: the default up to 50 stops, then about 10 ms and 15 ms.
fn work(size: usize) -> Option<u64> {
    match size {
        0..=50 => None,
        51..=100 => Some(6_600_000),
        _ => Some(7_200_000),
    }
}

fn measure(
    wasm: Option<&Wasm>,
    kind: Kind,
    size: usize,
    seed: u64,
) -> Result<Measured, Box<dyn Error>> {
    let rows = problems::matrix(kind, size, seed);
    let closed = seed.is_multiple_of(2);
    let metres = rows
        .iter()
        .flatten()
        .map(|metres| metres.unwrap_or(UNREACHABLE))
        .collect();
    let problem = Problem::new(rows.len(), metres)?.closed(closed);
    let line = json!({ "matrix": rows, "closed": closed, "work": work(size) }).to_string();
    let request: RouteRequest = serde_json::from_str(&line)?;
    let route = solve_route(&request)?;
    // With many short rounds, some run undisturbed on a busy machine. Native and wasm are measured
    // the same way.
    let repeats = if size <= 10 { 10 } else { 1 };
    let mut solve = || {
        black_box(solve_route(black_box(&request)).is_ok());
    };
    let rounds = match min_ms(1, 1, &mut solve) {
        quick if quick < 1.0 => 100,
        slow if slow < 10.0 => 15,
        _ => 5,
    };
    let native_ms = min_ms(rounds, repeats, &mut solve);
    let wasm_ms = match wasm {
        Some(wasm) => wasm.ms(&format!("route {line}"), rounds, repeats)?,
        None => f64::NAN,
    };
    let mut best = route.cost;
    if !route.proven {
        best = best.min(
            solve_route(&RouteRequest {
                work: Some(REFERENCE_WORK),
                ..request
            })?
            .cost,
        );
    }
    Ok(Measured {
        problem,
        native_ms,
        wasm_ms,
        route,
        best,
        peers: BTreeMap::new(),
    })
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
    let query = json!({ "kind": "route", "ms": PEER_MS, "instances": instances });
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

/// Summarizes this engine's results in one line.
fn summary(measured: &[Measured]) -> String {
    let all = |of: &dyn Fn(&Measured) -> f64| -> Vec<f64> { measured.iter().map(of).collect() };
    let (native, wasm) = (
        median(&all(&|instance| instance.native_ms)),
        median(&all(&|instance| instance.wasm_ms)),
    );
    let proven = mean(&all(&|instance| {
        if instance.route.proven { 100.0 } else { 0.0 }
    }));
    let gap = mean(&all(&|instance| {
        percent(instance.route.cost, instance.best)
    }));
    let bound = mean(&all(&|instance| {
        percent(instance.route.cost, instance.route.bound)
    }));
    // Without the feature `wasm` there is no time to print.
    let comparison = if wasm.is_nan() {
        String::new()
    } else {
        format!(", wasm {wasm:8.3} ms (×{:.2})", wasm / native)
    };
    format!(
        "native {native:8.3} ms{comparison}, proven {proven:3.0} %, gap {gap:.2} %, bound {bound:.2} %"
    )
}

/// Summarizes each peer's results in one line.
fn peer_summaries(measured: &[Measured]) -> Vec<(String, String)> {
    let names: Vec<&String> = measured
        .first()
        .map_or(Vec::new(), |instance| instance.peers.keys().collect());
    let mut lines = Vec::new();
    for name in names {
        let responses: Vec<(f64, f64)> = measured
            .iter()
            .filter_map(|instance| {
                instance
                    .peers
                    .get(name)
                    .map(|&(cost, ms)| (percent(cost, instance.best), ms))
            })
            .collect();
        let gaps: Vec<f64> = responses.iter().map(|response| response.0).collect();
        let times: Vec<f64> = responses.iter().map(|response| response.1).collect();
        let best: Vec<f64> = gaps
            .iter()
            .map(|&gap| if gap == 0.0 { 100.0 } else { 0.0 })
            .collect();
        let (gap, ms, best) = (mean(&gaps), median(&times), mean(&best));
        lines.push((
            name.clone(),
            format!("gap {gap:.2} %, {ms:.1} ms, shortest known {best:.0} %"),
        ));
    }
    lines
}

/// Returns the excess of one length over another, in per cent.
#[expect(clippy::cast_precision_loss, reason = "for a table")]
fn percent(cost: u64, below: u64) -> f64 {
    if below == 0 {
        0.0
    } else {
        (cost as f64 / below as f64 - 1.0) * 100.0
    }
}
