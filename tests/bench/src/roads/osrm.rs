//! A client of OSRM's table service.

use std::fmt::Write as _;

use despacho_core::model::Point;
use serde_json::Value;

/// The response of OSRM's table service.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// The distances in metres, row by row; `None` if OSRM finds no road.
    pub(super) metres: Vec<Vec<Option<f64>>>,
    /// The durations in seconds, row by row.
    pub(super) seconds: Vec<Vec<Option<f64>>>,
    /// The snapping distance in metres of each source, then of each target.
    pub(super) snap_distances: Vec<f64>,
}

/// Requests the legs from the first `sources` points to the others.
///
/// # Errors
///
/// Returns an error if OSRM is unavailable or returns no table.
pub(super) fn table(url: &str, points: &[Point], sources: usize) -> Result<Table, String> {
    let mut path = format!("{url}/table/v1/driving/");
    for (number, point) in points.iter().enumerate() {
        let comma = if number == 0 { "" } else { ";" };
        let _ = write!(
            path,
            "{comma}{:.7},{:.7}",
            point.longitude(),
            point.latitude()
        );
    }
    let list = |from: usize, to: usize| {
        (from..to)
            .map(|number| number.to_string())
            .collect::<Vec<_>>()
            .join(";")
    };
    let (from, to) = (list(0, sources), list(sources, points.len()));
    let _ = write!(
        path,
        "?annotations=duration,distance&sources={from}&destinations={to}"
    );
    let text = ureq::get(&path)
        .call()
        .map_err(|error| error.to_string())?
        .body_mut()
        .read_to_string();
    let body: Value = serde_json::from_str(&text.map_err(|error| error.to_string())?)
        .map_err(|error| error.to_string())?;
    if body["code"] != "Ok" {
        return Err(format!("OSRM returned {}", body["code"]));
    }
    let ends = [&body["sources"], &body["destinations"]];
    let ends = ends.into_iter().filter_map(Value::as_array).flatten();
    Ok(Table {
        metres: rows(&body["distances"]),
        seconds: rows(&body["durations"]),
        snap_distances: ends
            .map(|end| end["distance"].as_f64().unwrap_or(f64::INFINITY))
            .collect(),
    })
}

fn rows(value: &Value) -> Vec<Vec<Option<f64>>> {
    let row = |row: &Value| {
        row.as_array()
            .map(|row| row.iter().map(Value::as_f64).collect())
            .unwrap_or_default()
    };
    value
        .as_array()
        .map(|rows| rows.iter().map(row).collect())
        .unwrap_or_default()
}
