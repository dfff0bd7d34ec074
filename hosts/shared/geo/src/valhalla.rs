//! Valhalla: `POST /sources_to_targets`, kilometres and seconds.

use despacho_core::model::Point;
use serde::{Deserialize, Serialize};

use crate::{
    runtime::{Runtime, ServiceRequest, ServiceResponse},
    service::{Service, ServiceError},
    terms::Costing,
    ways::{Way, Ways, metres, milliseconds, parts},
};

/// Questions about places that do not fit: more than the service takes, farther apart, without a road near, or unconnected.
const TOO_MANY: u32 = 150;
const UNANSWERABLE: [u32; 4] = [154, 170, 171, 442];

/// A Valhalla.
#[derive(Debug)]
pub struct Valhalla {
    pub(crate) service: Service,
    pub(crate) costing: Costing,
    /// How far from a road a point may lie, in metres.
    pub(crate) snap_m: u32,
    /// Pairs that it takes at once.
    pub(crate) max_pairs: usize,
}

impl Valhalla {
    /// The ways between all points.
    pub(crate) async fn fetch_distances<W: Runtime>(
        &self,
        runtime: &W,
        points: &[Point],
    ) -> Result<Ways, ServiceError> {
        let size = points.len();
        let mut ways = vec![None; size * size];
        // As near to a square as the limit allows, so that few questions cover everything.
        let columns = parts(size, self.max_pairs.min(size.max(1)));
        let widest = columns.first().map_or(1, ExactSizeIterator::len);
        for rows in parts(size, self.max_pairs / widest) {
            for columns in &columns {
                let (from, to) = (&points[rows.clone()], &points[columns.clone()]);
                let response = self.service.query(runtime, &self.request(from, to)).await?;
                let block =
                    block(&response, from.len(), to.len()).map_err(|what| self.service.malformed(runtime, what))?;
                for (cell, way) in block.into_iter().enumerate() {
                    let (row, column) = (rows.start + cell / columns.len(), columns.start + cell % columns.len());
                    ways[row * size + column] = way;
                }
            }
        }
        Ok(ways)
    }

    fn request(&self, from: &[Point], to: &[Point]) -> ServiceRequest {
        let places = |points: &[Point]| {
            let place =
                |point: &Point| Place { lat: point.latitude(), lon: point.longitude(), search_cutoff: self.snap_m };
            points.iter().map(place).collect()
        };
        let requests = MatrixBody {
            sources: places(from),
            targets: places(to),
            costing: self.costing.name(),
            units: "kilometers",
            verbose: false,
        };
        ServiceRequest { target: "/sources_to_targets".to_owned(), json: serde_json::to_string(&requests).ok() }
    }
}

/// The ways of one answer, so many rows by so many columns; all `None` where the service cannot tell, since it names no point then.
fn block(response: &ServiceResponse, rows: usize, columns: usize) -> Result<Ways, &'static str> {
    if !response.is_success() {
        let error_body: ErrorBody = response.json().ok_or("not Valhalla's refusal")?;
        return match error_body.error_code {
            code if UNANSWERABLE.contains(&code) => Ok(vec![None; rows * columns]),
            TOO_MANY => Err("150: set routing.valhalla-pairs to its max_matrix_location_pairs"),
            _ => Err("a refusal"),
        };
    }
    let Matrix { sources_to_targets: cells, units } = response.json().ok_or("not Valhalla's matrix")?;
    let fits = |grid: &Grid| grid.len() == rows && grid.iter().all(|row| row.len() == columns);
    if !fits(&cells.distances) || !fits(&cells.durations) || units != "kilometers" {
        return Err("a matrix of another size or unit than was asked for");
    }
    let pairs = cells.distances.iter().flatten().zip(cells.durations.iter().flatten());
    Ok(pairs.map(|(kilometres, seconds)| way(*kilometres, *seconds)).collect())
}

fn way(kilometres: Option<f64>, seconds: Option<f64>) -> Option<Way> {
    Some(Way { metres: metres(kilometres? * 1_000.0)?, milliseconds: milliseconds(seconds?)? })
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
struct Matrix {
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
