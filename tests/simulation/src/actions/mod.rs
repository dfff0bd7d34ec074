//! The random actions of clients: orders and their lifecycle, couriers, the operator, and
//! subscribers.

mod courier;
mod merchant;
mod operator;
pub(crate) mod setup;
mod subscriber;

use serde_json::{Value, json};

use crate::{exchange::Plan, rng::Rng, simulation::Simulation};

/// Chooses a client's next action, or `None` if the chosen kind is not possible now.
pub(crate) fn choose(simulation: &mut Simulation) -> Option<Plan> {
    let weights = [34, 40, 14, 12];
    match simulation.rng.weighted(&weights) {
        0 => merchant::choose(simulation),
        1 => courier::choose(simulation),
        2 => operator::choose(simulation),
        _ => subscriber::choose(simulation),
    }
}

/// Returns an address near the centre of São Paulo. A few are outside the delivery range.
pub(crate) fn address(rng: &mut Rng) -> Value {
    let spread = if rng.often(15) { 3_000 } else { 200 };
    within(rng, spread)
}

/// Returns an address within `spread` ten-thousandths of a degree from the centre of São Paulo.
pub(crate) fn within(rng: &mut Rng, spread: i64) -> Value {
    // A coarse grid makes some addresses repeat.
    let (north, east) = (
        rng.between(-spread, spread) / 20 * 20,
        rng.between(-spread, spread) / 20 * 20,
    );
    json!({
        "street": "Rua Augusta",
        "number": rng.between(1, 9).to_string(),
        "city": "São Paulo",
        "state": "SP",
        "latitude": degrees(-235_500 + north),
        "longitude": degrees(-466_300 + east),
    })
}

/// Converts ten-thousandths of a degree to degrees.
pub(crate) fn degrees(ten_thousandths: i64) -> f64 {
    f64::from(i32::try_from(ten_thousandths).unwrap_or_default()) / 10_000.0
}
