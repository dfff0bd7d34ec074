//! Random opening hours and service areas of a store.

use std::collections::BTreeSet;

use despacho_core::model::Timestamp;
use fastrand::Rng;
use serde_json::{Value, json};

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// The demo store's surroundings, in which most addresses are.
const CENTRE: (f64, f64) = (-23.5750, -46.6500);
/// Days with other hours.
const EXCEPTIONS: usize = 24;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

fn clock(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60)
}

/// Returns the body of hours with at most one period on each day of the week, which may end on the
/// next day, and of exceptions on days within `spread_ms` of a time.
pub(crate) fn random_hours(rng: &mut Rng, around: i64, spread_ms: i64) -> Value {
    let mut weekly = Vec::new();
    for day in DAYS {
        if rng.u8(..7) > 0 {
            let (from, until) = (rng.u32(300..700), rng.u32(1_000..1_640));
            weekly.push(json!({ "days": [day], "from": clock(from), "until": clock(until) }));
        }
    }
    let days: BTreeSet<i64> = (0..EXCEPTIONS)
        .map(|_| (around + rng.i64(-spread_ms..spread_ms)) / DAY_MS)
        .collect();
    let exceptions = days.into_iter().map(|day| {
        let date = Timestamp::from_millis(day * DAY_MS).to_string();
        if rng.bool() {
            json!({ "date": date[..10], "closed": true, "name": "Feriado" })
        } else {
            let from = rng.u32(..1_000);
            json!({ "date": date[..10], "from": clock(from), "until": clock(from + rng.u32(1..900)) })
        }
    });
    let exceptions: Vec<Value> = exceptions.collect();
    json!({ "hours": weekly, "exceptions": exceptions })
}

/// Returns the body of a polygon around the centre, with corners at ascending angles.
pub(crate) fn random_area(rng: &mut Rng) -> Value {
    let corners = rng.u32(3..14);
    let corner = |at: u32, rng: &mut Rng| {
        let angle = f64::from(at) / f64::from(corners) * std::f64::consts::TAU;
        let radius = 0.04 + rng.f64() * 0.2;
        [
            CENTRE.1 + radius * angle.cos(),
            CENTRE.0 + radius * angle.sin(),
        ]
    };
    let mut ring: Vec<[f64; 2]> = (0..corners).map(|at| corner(at, rng)).collect();
    ring.push(ring[0]);
    json!({ "serviceArea": { "type": "Polygon", "coordinates": [ring] } })
}
