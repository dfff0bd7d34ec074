//! `despacho locate` and `despacho distances`: the service's locations and distances, for
//! inspection.

use std::{
    io::{self, Write},
    time::Instant,
};

use despacho_core::{
    api::places,
    model::{DistanceMatrix, Located, Point, Precision},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    error::CommandError,
    lines::{Lines, milliseconds},
};
use crate::{config::Config, geo::Geography};

/// Maximum number of points per line: a million legs.
const MAX_POINTS: usize = 1_000;

/// Locates the address of each line of standard input.
pub(super) async fn locate(config: &Config) -> Result<(), CommandError> {
    let geography = Geography::open(config).map_err(CommandError::usage)?;
    let min = config.shared.places.min_precision;
    let (mut lines, mut output) = (Lines::of_stdin(), io::stdout());
    while let Some(line) = lines.next()?.map(str::to_owned) {
        let response = located(&geography, min, &line).await;
        lines.errors += u64::from(response.get("error").is_some());
        writeln!(output, "{response}")?;
        output.flush()?;
    }
    lines.end()
}

async fn located(geography: &Geography, min: Precision, line: &str) -> Value {
    let address = match places::address(line.as_bytes()) {
        Ok(address) => address,
        Err(problem) => {
            let named = problem
                .errors
                .iter()
                .map(|error| format!("{} {}", error.pointer, error.detail.en));
            let detail = named.collect::<Vec<_>>().join(" ");
            let detail = if detail.is_empty() {
                problem.detail.en
            } else {
                detail.trim().to_owned()
            };
            return json!({"error": problem.code.name(), "detail": detail});
        }
    };
    let place = match geography.locate(&[&address]).await {
        Ok(mut places) => places.pop(),
        Err(error) => return json!({"error": "unavailable", "detail": error.to_string()}),
    };
    match place {
        Some(Ok(sourced)) => {
            let Located {
                point,
                precision,
                radius_m,
            } = sourced.located;
            let mut response = json!({
                "latitude": point.latitude(),
                "longitude": point.longitude(),
                "precision": precision.name(),
                "radiusMetres": radius_m,
                "source": sourced.source,
            });
            if let Some((code, detail)) = places::imprecise(&address, &sourced.located, min) {
                response["error"] = code.into();
                response["detail"] = detail.en.into();
            }
            response
        }
        Some(Err(error)) => {
            let (_, code, detail) = places::locate_problem(&error);
            json!({"error": code, "detail": detail.en})
        }
        None => json!({"error": "internal_error", "detail": "no result"}),
    }
}

/// Measures the legs between the points of each line of standard input.
pub(super) async fn distances(config: &Config) -> Result<(), CommandError> {
    let geography = Geography::open(config).map_err(CommandError::usage)?;
    let (mut lines, mut output) = (Lines::of_stdin(), io::stdout());
    while let Some(line) = lines.next()?.map(str::to_owned) {
        match points(&line) {
            Ok(places) => {
                let start = Instant::now();
                let matrix = geography.distance_matrix(&places).await;
                let response = DistancesLine::of(&matrix, milliseconds(start));
                serde_json::to_writer(&mut output, &response).map_err(io::Error::from)?;
                output.write_all(b"\n")?;
            }
            Err((code, detail)) => {
                lines.errors += 1;
                writeln!(output, "{}", json!({"error": code, "detail": detail}))?;
            }
        }
        output.flush()?;
    }
    lines.end()
}

#[derive(Deserialize)]
struct PointsLine {
    /// Latitude, then longitude.
    points: Vec<(f64, f64)>,
}

fn points(line: &str) -> Result<Vec<Located>, (&'static str, String)> {
    let request: PointsLine =
        serde_json::from_str(line).map_err(|error| ("malformed", error.to_string()))?;
    if request.points.len() > MAX_POINTS {
        return Err((
            "too_large",
            format!(
                "at most {MAX_POINTS} points are allowed; got {}",
                request.points.len()
            ),
        ));
    }
    let place = |(index, (latitude, longitude)): (usize, &(f64, f64))| {
        let point = Point::from_degrees(*latitude, *longitude);
        let located = |point| Located {
            point,
            precision: Precision::Coordinates,
            radius_m: 0,
        };
        let detail = || {
            format!(
                "point {index}: [{latitude}, {longitude}] is not a valid [latitude, longitude] in degrees"
            )
        };
        point.map(located).ok_or_else(|| ("out_of_range", detail()))
    };
    request.points.iter().enumerate().map(place).collect()
}

/// A distance matrix in the output format.
#[derive(Serialize)]
struct DistancesLine {
    metres: Vec<Vec<Option<u32>>>,
    seconds: Vec<Vec<Option<u32>>>,
    estimated: Vec<Vec<bool>>,
    ms: f64,
}

impl DistancesLine {
    fn of(matrix: &DistanceMatrix, ms: f64) -> DistancesLine {
        fn grid<T>(matrix: &DistanceMatrix, cell: impl Fn(usize, usize) -> T) -> Vec<Vec<T>> {
            let size = matrix.size();
            (0..size)
                .map(|from| (0..size).map(|to| cell(from, to)).collect())
                .collect()
        }
        DistancesLine {
            metres: grid(matrix, |from, to| {
                matrix.leg(from, to).map(|leg| leg.metres)
            }),
            seconds: grid(matrix, |from, to| {
                matrix.leg(from, to).map(|leg| leg.seconds)
            }),
            estimated: grid(matrix, |from, to| matrix.is_estimated(from, to)),
            ms,
        }
    }
}
