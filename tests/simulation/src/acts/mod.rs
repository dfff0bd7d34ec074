//! What clients do, by chance: the life of orders above all, and everything around it.

mod courier;
mod merchant;
mod operator;
pub(crate) mod setup;
mod subscriber;

use serde_json::{Value, json};

use crate::{exchange::Plan, rng::Rng, simulation::Simulation};

/// What a client does next; nothing where nobody can do what was drawn.
pub(crate) fn choose(simulation: &mut Simulation) -> Option<Plan> {
    let weights = [34, 40, 14, 12];
    match simulation.rng.weighted(&weights) {
        0 => merchant::choose(simulation),
        1 => courier::choose(simulation),
        2 => operator::choose(simulation),
        _ => subscriber::choose(simulation),
    }
}

/// An address near the middle of São Paulo; few are so far away that nobody goes there.
pub(crate) fn address(rng: &mut Rng) -> Value {
    let spread = if rng.often(15) { 3_000 } else { 200 };
    within(rng, spread)
}

/// An address so many ten-thousandths of a degree from the middle of São Paulo at most.
pub(crate) fn within(rng: &mut Rng, spread: i64) -> Value {
    // Whole ten-thousandths of a degree, so that the same address comes again now and then.
    let (north, east) = (rng.between(-spread, spread) / 20 * 20, rng.between(-spread, spread) / 20 * 20);
    json!({
        "street": "Rua Augusta",
        "number": rng.between(1, 9).to_string(),
        "city": "São Paulo",
        "state": "SP",
        "latitude": degrees(-235_500 + north),
        "longitude": degrees(-466_300 + east),
    })
}

/// Ten-thousandths of a degree as degrees.
pub(crate) fn degrees(ten_thousandths: i64) -> f64 {
    f64::from(i32::try_from(ten_thousandths).unwrap_or_default()) / 10_000.0
}
