//! Client of Valhalla: `POST /sources_to_targets`, in kilometres and seconds.

use despacho_core::model::Point;
use serde::{Deserialize, Serialize};

use crate::{
    config::Costing,
    distances::{Distances, RoadDistance, metres, milliseconds, parts},
    runtime::{Runtime, ServiceRequest, ServiceResponse},
    service::{Service, ServiceError},
};

/// The error code of a request with too many locations.
const TOO_MANY: u32 = 150;
/// The error codes of locations that are too far apart, off the roads or unconnected.
const NO_ROUTE: [u32; 4] = [154, 170, 171, 442];

/// A Valhalla server.
#[derive(Debug)]
pub struct Valhalla {
    pub(crate) service: Service,
    pub(crate) costing: Costing,
    /// Maximum distance between a point and a road, in metres.
    pub(crate) snap_m: u32,
    /// Maximum pairs of one request.
    pub(crate) max_pairs: usize,
}

impl Valhalla {
    /// Returns the distances between all points.
    pub(crate) async fn fetch_distances<W: Runtime>(
        &self,
        runtime: &W,
        points: &[Point],
    ) -> Result<Distances, ServiceError> {
        let size = points.len();
        let mut distances = vec![None; size * size];
        // Blocks are as wide as the limit allows, so that few requests cover the matrix.
        let columns = parts(size, self.max_pairs.min(size.max(1)));
        let widest = columns.first().map_or(1, ExactSizeIterator::len);
        for rows in parts(size, self.max_pairs / widest) {
            for columns in &columns {
                let (from, to) = (&points[rows.clone()], &points[columns.clone()]);
                let response = self
                    .service
                    .query(runtime, None, &self.request(from, to))
                    .await?;
                let block = block(&response, from.len(), to.len())
                    .map_err(|detail| self.service.malformed(runtime, detail))?;
                for (cell, distance) in block.into_iter().enumerate() {
                    let (row, column) = (
                        rows.start + cell / columns.len(),
                        columns.start + cell % columns.len(),
                    );
                    distances[row * size + column] = distance;
                }
            }
        }
        Ok(distances)
    }

    fn request(&self, from: &[Point], to: &[Point]) -> ServiceRequest {
        let places = |points: &[Point]| {
            let place = |point: &Point| Place {
                lat: point.latitude(),
                lon: point.longitude(),
                search_cutoff: self.snap_m,
            };
            points.iter().map(place).collect()
        };
        let requests = MatrixBody {
            sources: places(from),
            targets: places(to),
            costing: self.costing.name(),
            units: "kilometers",
            verbose: false,
        };
        ServiceRequest {
            target: "/sources_to_targets".to_owned(),
            json: serde_json::to_string(&requests).ok(),
        }
    }
}

/// Returns the distances of one response, of `rows` by `columns`. They are all `None` if the
/// service found no route, because its error does not name the point.
fn block(
    response: &ServiceResponse,
    rows: usize,
    columns: usize,
) -> Result<Distances, &'static str> {
    if !response.is_success() {
        let error_body: ErrorBody = response.json().ok_or("not a Valhalla error")?;
        return match error_body.error_code {
            code if NO_ROUTE.contains(&code) => Ok(vec![None; rows * columns]),
            TOO_MANY => Err("150: set routing.valhalla-pairs to its max_matrix_location_pairs"),
            _ => Err("an unexpected Valhalla error"),
        };
    }
    let MatrixResponse {
        sources_to_targets: cells,
        units,
    } = response.json().ok_or("not a Valhalla matrix")?;
    let fits = |grid: &Grid| grid.len() == rows && grid.iter().all(|row| row.len() == columns);
    if !fits(&cells.distances) || !fits(&cells.durations) || units != "kilometers" {
        return Err("a matrix of the wrong size or unit");
    }
    let pairs = cells
        .distances
        .iter()
        .flatten()
        .zip(cells.durations.iter().flatten());
    Ok(pairs
        .map(|(kilometres, seconds)| road_distance(*kilometres, *seconds))
        .collect())
}

fn road_distance(kilometres: Option<f64>, seconds: Option<f64>) -> Option<RoadDistance> {
    Some(RoadDistance {
        metres: metres(kilometres? * 1_000.0)?,
        milliseconds: milliseconds(seconds?)?,
    })
}

#[derive(Serialize)]
struct MatrixBody {
    sources: Vec<Place>,
    targets: Vec<Place>,
    costing: &'static str,
    units: &'static str,
    verbose: bool,
}

#[derive(Serialize)]
struct Place {
    lat: f64,
    lon: f64,
    search_cutoff: u32,
}

type Grid = Vec<Vec<Option<f64>>>;

#[derive(Deserialize)]
struct MatrixResponse {
    sources_to_targets: Cells,
    units: String,
}

#[derive(Deserialize)]
struct Cells {
    distances: Grid,
    durations: Grid,
}

#[derive(Deserialize)]
struct ErrorBody {
    error_code: u32,
}
