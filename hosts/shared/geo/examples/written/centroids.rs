//! Measures locations by municipality with the centroids of CEP5s: lines of
//! `cep5,lat,lon,addresses`, compressed with gzip.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use despacho_core::{
    geo::{Gazetteer, Municipality, great_circle_m},
    model::{Cep, Point},
};

/// Minimum number of CEP5s of a city.
const MIN_CEP5S: usize = 100;

/// Returns a line of a table for each city: the error of its seat, the share of CEP5s within the
/// radius of its locations, and the error of a point between the seat and that of the next
/// municipality in the order of CEPs.
pub(crate) fn report(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path)?).read_to_string(&mut text)?;
    let mut cities: BTreeMap<u32, (Municipality, Vec<[u32; 3]>)> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let row: Vec<&str> = line.split(',').collect();
        let cep = row
            .first()
            .and_then(|cep5| Cep::parse(&format!("{cep5}000")));
        let coordinate = |column: usize| row.get(column).and_then(|text| text.parse::<f64>().ok());
        let point = coordinate(1)
            .zip(coordinate(2))
            .and_then(|(lat, lon)| Point::from_degrees(lat, lon));
        let count = row.get(3).and_then(|count| count.parse().ok());
        let (Some(cep), Some(point), Some(count)) = (cep, point, count) else {
            continue;
        };
        let Some(town) = Gazetteer::embedded().municipality_by_cep(cep) else {
            continue;
        };
        let errors =
            [town.municipal_seat(), towards_next(town, cep)].map(|at| great_circle_m(at, point));
        cities
            .entry(town.ibge())
            .or_insert_with(|| (town, Vec::new()))
            .1
            .push([errors[0], errors[1], count]);
    }
    let mut lines =
        "| city | CEP5s | median | `radiusM` | within it | addresses within it | median between seats |\n".to_owned();
    for (town, rows) in cities.values().filter(|city| city.1.len() >= MIN_CEP5S) {
        let radius_m = town.radius_m();
        let median = |column: usize| {
            let mut errors: Vec<u32> = rows.iter().map(|row| row[column]).collect();
            errors.sort_unstable();
            errors[errors.len() / 2]
        };
        let share = |weight: &dyn Fn(&[u32; 3]) -> u32| {
            let sum = |rows: &mut dyn Iterator<Item = &[u32; 3]>| {
                f64::from(rows.map(weight).sum::<u32>())
            };
            100.0 * sum(&mut rows.iter().filter(|row| row[0] <= radius_m)) / sum(&mut rows.iter())
        };
        lines += &format!(
            "| {} | {} | {} m | {radius_m} m | {:.0} % | {:.0} % | {} m |\n",
            town.name(),
            rows.len(),
            median(0),
            share(&|_| 1),
            share(&|row| row[2]),
            median(1)
        );
    }
    Ok(lines)
}

/// Returns a point between the seat of a CEP's municipality and that of the next municipality: half
/// of the way at the end of the range.
fn towards_next(town: Municipality, cep: Cep) -> Point {
    let owner = |thousands: u32| {
        Cep::parse(&format!("{thousands:05}000"))
            .and_then(|cep| Gazetteer::embedded().municipality_by_cep(cep))
    };
    let here = cep.number() / 1_000;
    let first = (0..=here)
        .rev()
        .take_while(|cep5| owner(*cep5) == Some(town))
        .last()
        .unwrap_or(here);
    let after = (here..100_000)
        .find(|cep5| owner(*cep5) != Some(town))
        .unwrap_or(here);
    let next = (after..100_000).find_map(owner).unwrap_or(town);
    let share = f64::from(here - first) / f64::from((after - first).max(1)) / 2.0;
    let part = |a: f64, b: f64| a + (b - a) * share;
    let (seat, next) = (town.municipal_seat(), next.municipal_seat());
    Point::from_degrees(
        part(seat.latitude(), next.latitude()),
        part(seat.longitude(), next.longitude()),
    )
    .unwrap_or(seat)
}
