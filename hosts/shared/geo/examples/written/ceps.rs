//! Measures road distances between locations by CEP against those between the addresses themselves.

use std::collections::BTreeSet;
use std::path::Path;

use despacho_core::{
    geo::{great_circle_m, leg_located, matrix_with_roads, pack::Pack},
    model::{Cep, Leg, Located, Point, Precision},
};
use despacho_roads::Roads;

use crate::forms::{Door, Rng};

/// Addresses that are located.
const ADDRESSES: usize = 1_000;
/// Places of a matrix, and matrices.
const PLACES: usize = 40;
const MATRICES: usize = 60;

/// Returns the errors of both models for pairs of addresses 0.3 to 6 km apart.
pub(crate) fn report(
    extract: &Path,
    pack: &Pack<'_>,
    doors: &[Door],
) -> Result<String, Box<dyn std::error::Error>> {
    let roads = Roads::load(extract).map_err(|error| error.to_string())?;
    let mut places: Vec<(Point, Located)> = Vec::new();
    let ceps: BTreeSet<u32> = doors.iter().map(|door| door.cep).collect();
    let mut rng = Rng(7);
    for _ in 0..ADDRESSES {
        let door = &doors[rng.below(doors.len())];
        let cep = Cep::parse(&format!("{:08}", door.cep)).and_then(|cep| pack.cep(cep));
        let Some((cep, _)) = cep.filter(|_| roads.matrix(&[door.point]).is_snapped(0)) else {
            continue;
        };
        places.push((
            door.point,
            Located {
                point: cep.point,
                precision: Precision::Cep,
                radius_m: cep.radius_m,
            },
        ));
    }
    let mut off_m: Vec<f64> = places
        .iter()
        .map(|(true_at, cep)| f64::from(great_circle_m(*true_at, cep.point)))
        .collect();
    let (mut by_roads, mut by_model) = (Vec::new(), Vec::new());
    for _ in 0..MATRICES {
        let chosen: Vec<(Point, Located)> = (0..PLACES.min(places.len()))
            .map(|_| places[rng.below(places.len())])
            .collect();
        let at: Vec<Located> = chosen.iter().map(|place| place.1).collect();
        let truth = roads.matrix(&chosen.iter().map(|place| place.0).collect::<Vec<Point>>());
        let legs = roads.matrix(&at.iter().map(|place| place.point).collect::<Vec<Point>>());
        let cells: Vec<Option<Leg>> = (0..at.len() * at.len())
            .map(|cell| legs.leg(cell / at.len(), cell % at.len()))
            .map(|leg| {
                leg.map(|leg| Leg {
                    metres: leg.metres,
                    seconds: leg.ms.div_ceil(1_000),
                })
            })
            .collect();
        let matrix = matrix_with_roads(&at, &cells);
        for (from, to) in (0..at.len()).flat_map(|from| (0..at.len()).map(move |to| (from, to))) {
            let is_in_range = (300..=6_000).contains(&great_circle_m(chosen[from].0, chosen[to].0));
            let Some(leg) = truth
                .leg(from, to)
                .filter(|leg| is_in_range && leg.metres > 0)
            else {
                continue;
            };
            let error = |metres: u32| f64::from(metres) / f64::from(leg.metres) - 1.0;
            by_roads.extend(matrix.leg(from, to).map(|leg| error(leg.metres)));
            by_model.push(error(leg_located(&at[from], &at[to]).metres));
        }
    }
    off_m.sort_by(f64::total_cmp);
    Ok(format!(
        "{} CEPs, {} addresses; median distance between address and CEP {:.0} m\n\
         | distances from | pairs | median error | 95th percentile | bias |\n|---|---|---|---|---|\n{}\n{}",
        ceps.len(),
        places.len(),
        off_m.get(off_m.len() / 2).copied().unwrap_or(f64::NAN),
        line("roads", by_roads),
        line("embedded model", by_model)
    ))
}

fn line(name: &str, errors: Vec<f64>) -> String {
    let mut bias = 0.0;
    for error in &errors {
        bias += error;
    }
    let mut sorted: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    let at = |thousandths: usize| {
        100.0
            * sorted
                .get(count * thousandths / 1_000)
                .copied()
                .unwrap_or(f64::NAN)
    };
    let mean = 100.0 * bias / f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX));
    format!(
        "| {name} | {count} | {:.1} % | {:.1} % | {mean:.1} % |",
        at(500),
        at(950)
    )
}
