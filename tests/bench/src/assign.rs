//! Benchmark of the assignment, compared with scipy's `linear_sum_assignment` on the same matrices.

use std::error::Error;
use std::hint::black_box;

use despacho_bench::parity::problems;
use despacho_core::route::{
    Costs, UNREACHABLE, assign,
    line::{AssignRequest, solve_assign},
};
use serde_json::json;

use crate::peers::Peers;
use crate::wasm::Wasm;
use crate::{Extent, min_ms};

/// Rows, columns and radius in metres, in a square of 20 km.
const SHAPES: [(usize, usize, Option<u64>); 6] = [
    (100, 100, None),
    (200, 300, None),
    (300, 200, Some(4_000)),
    (1_000, 1_000, None),
    (2_000, 3_000, Some(2_000)),
    (3_000, 2_000, Some(2_000)),
];

/// Runs the benchmark and prints its results.
pub(crate) fn run(extent: Extent) -> Result<(), Box<dyn Error>> {
    let (wasm, peers) = (Wasm::build()?, Peers::find());
    println!(
        "native: only the assignment, minimum of three; line: the same including the JSON request, native and wasm"
    );
    println!("scipy: pairs beyond the radius have a large cost");
    let (shapes, seeds) = match extent {
        Extent::Short => (&SHAPES[..3], 1),
        Extent::Default => (&SHAPES[..], 1),
        Extent::Long => (&SHAPES[..], 5),
    };
    for &shape in shapes {
        for seed in 0..seeds {
            measure(wasm.as_ref(), peers.as_ref(), shape, seed)?;
        }
    }
    Ok(())
}

fn measure(
    wasm: Option<&Wasm>,
    peers: Option<&Peers>,
    (rows, columns, radius): (usize, usize, Option<u64>),
    seed: u64,
) -> Result<(), Box<dyn Error>> {
    let matrix = problems::assign_matrix(rows, columns, radius, seed);
    let entries: Vec<u32> = matrix
        .iter()
        .flatten()
        .map(|cost| cost.unwrap_or(UNREACHABLE))
        .collect();
    let costs = Costs::dense(rows, columns, &entries)?;
    let found = assign(&costs, None)?;
    let native = min_ms(3, 1, || {
        black_box(assign(black_box(&costs), None).is_ok());
    });
    let line = problems::assign_problem(rows, columns, radius, seed);
    let problem: AssignRequest = serde_json::from_str(line.trim_start_matches("assign "))?;
    let in_line = min_ms(3, 1, || {
        black_box(solve_assign(black_box(&problem)).is_ok());
    });
    let pairs = found.columns.iter().flatten().count();
    let within = radius.map_or("any distance".to_owned(), |radius| {
        format!("within {radius} m")
    });
    println!(
        "{rows} × {columns}, {within}: native {native:.2} ms, {pairs} pairs, cost {}",
        found.cost
    );
    if let Some(wasm) = wasm {
        let took = wasm.ms(&line, 3, 1)?;
        println!(
            "     line: native {in_line:.2} ms, wasm {took:.2} ms (×{:.2})",
            took / in_line
        );
    }
    let Some(peers) = peers else { return Ok(()) };
    let problem = json!({ "kind": "assign", "instances": [{ "costs": matrix }] });
    for response in peers.query(&problem.to_string())? {
        let chosen = response
            .order
            .iter()
            .enumerate()
            .filter_map(|(row, &column)| matrix[row].get(column).copied()?);
        let (mut count, mut cost) = (0, 0);
        for metres in chosen {
            count += 1;
            cost += u64::from(metres);
        }
        let verdict = if (count, cost) == (pairs, found.cost) {
            "equal"
        } else {
            "DIFFERENT"
        };
        let ratio = response.ms / native;
        println!(
            "     {}: {:.2} ms (×{ratio:.2} of native), {count} pairs, cost {cost}: {verdict}",
            response.peer, response.ms
        );
    }
    Ok(())
}
