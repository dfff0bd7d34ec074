//! The assignment beside scipy's `linear_sum_assignment` on the same matrices.

use std::error::Error;
use std::time::Instant;

use despacho_core::route::{Costs, UNREACHABLE, assign};
use despacho_parity::deck;
use despacho_parity::guest::Guest;
use serde_json::json;

use crate::peers;

/// Rows, columns and radius in metres over a square of 20 km.
const SHAPES: [(usize, usize, Option<u64>); 6] = [
    (100, 100, None),
    (200, 300, None),
    (300, 200, Some(4_000)),
    (1_000, 1_000, None),
    (2_000, 3_000, Some(2_000)),
    (3_000, 2_000, Some(2_000)),
];

/// Prints the table.
pub(crate) fn run(long: bool) -> Result<(), Box<dyn Error>> {
    let guest = Guest::build()?;
    println!(
        "times in ms, the least of three, without reading the question; scipy fills pairs beyond the radius with a large number"
    );
    for (rows, columns, radius) in SHAPES {
        for seed in 0..if long { 5 } else { 1 } {
            measure(&guest, rows, columns, radius, seed)?;
        }
    }
    Ok(())
}

fn measure(guest: &Guest, rows: usize, columns: usize, radius: Option<u64>, seed: u64) -> Result<(), Box<dyn Error>> {
    let matrix = deck::assign_matrix(rows, columns, radius, seed);
    let entries: Vec<u32> = matrix.iter().flatten().map(|cost| cost.unwrap_or(UNREACHABLE)).collect();
    let mut native = f64::MAX;
    let costs = Costs::dense(rows, columns, &entries)?;
    let mut found = assign(&costs, None)?;
    for _ in 0..3 {
        let begun = Instant::now();
        found = assign(&costs, None)?;
        native = native.min(begun.elapsed().as_secs_f64() * 1e3);
    }
    let lines = vec![deck::assign_question(rows, columns, radius, seed); 2];
    let answers = guest.answer(&lines)?;
    let wasm = answers.iter().map(|answer| answer.took.as_secs_f64() * 1e3).fold(f64::MAX, f64::min);
    let pairs = found.columns.iter().flatten().count();
    let radius = radius.map_or("none".to_owned(), |radius| format!("{radius} m"));
    println!(
        "{rows} × {columns}, radius {radius}: native {native:.2} ms, wasm line {wasm:.2} ms, {pairs} pairs, cost {}",
        found.cost
    );
    let question = json!({ "what": "assign", "instances": [{ "costs": matrix }] });
    for answer in peers::ask(&question.to_string())? {
        let chosen = answer.order.iter().enumerate().filter_map(|(row, &column)| matrix[row].get(column).copied()?);
        let (mut count, mut cost) = (0, 0);
        for metres in chosen {
            count += 1;
            cost += u64::from(metres);
        }
        let verdict = if (count, cost) == (pairs, found.cost) { "equal" } else { "DIFFERENT" };
        let ratio = answer.ms / native;
        println!("     {}: {:.2} ms (×{ratio:.2} ours), {count} pairs, cost {cost}: {verdict}", answer.peer, answer.ms);
    }
    Ok(())
}
