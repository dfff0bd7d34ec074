//! Valhalla: `POST /sources_to_targets`, kilometres and seconds.

use despacho_core::domain::Point;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    geocoder::Later,
    http::{Service, Unanswered},
    roads::{Roads, Way, Ways, metres, milliseconds, parts},
};
use crate::config::Costing;

/// Questions about places that do not fit: more than the service takes, farther apart, without a road near, or unconnected.
const TOO_MANY: u32 = 150;
const UNANSWERABLE: [u32; 4] = [154, 170, 171, 442];

/// A Valhalla.
pub struct Valhalla {
    pub(super) service: Service,
    pub(super) costing: Costing,
    /// How far from a road a point may lie, in metres.
    pub(super) snap_m: u32,
    /// Pairs that it takes at once.
    pub(super) most_pairs: usize,
}

impl Roads for Valhalla {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn ways<'a>(&'a self, points: &'a [Point]) -> Later<'a, Result<Ways, Unanswered>> {
        Box::pin(async move {
            let size = points.len();
            let mut ways = vec![None; size * size];
            // As near to a square as the limit allows, so that few questions cover everything.
            let columns = parts(size, self.most_pairs.min(size.max(1)));
            let widest = columns.first().map_or(1, ExactSizeIterator::len);
            for rows in parts(size, self.most_pairs / widest) {
                for columns in &columns {
                    let block = self.block(&points[rows.clone()], &points[columns.clone()]).await?;
                    for (cell, way) in block.into_iter().enumerate() {
                        let (row, column) = (rows.start + cell / columns.len(), columns.start + cell % columns.len());
                        ways[row * size + column] = way;
                    }
                }
            }
            Ok(ways)
        })
    }
}

impl Valhalla {
    /// The ways from some points to others; all `None` where the service cannot tell, since it names no point then.
    async fn block(&self, from: &[Point], to: &[Point]) -> Result<Ways, Unanswered> {
        let answer = self.service.post("/sources_to_targets", self.question(from, to)).await?;
        if !answer.status.is_success() {
            let refusal: Refusal =
                serde_json::from_slice(&answer.body).map_err(|_| self.service.strange("not Valhalla's refusal"))?;
            return match refusal.error_code {
                code if UNANSWERABLE.contains(&code) => Ok(vec![None; from.len() * to.len()]),
                TOO_MANY => {
                    Err(self.service.strange("150: set routing.valhalla-pairs to its max_matrix_location_pairs"))
                }
                _ => Err(self.service.strange("a refusal")),
            };
        }
        let Matrix { sources_to_targets: cells, units } =
            serde_json::from_slice(&answer.body).map_err(|_| self.service.strange("not Valhalla's matrix"))?;
        let fits = |grid: &Grid| grid.len() == from.len() && grid.iter().all(|row| row.len() == to.len());
        if !fits(&cells.distances) || !fits(&cells.durations) || units != "kilometers" {
            return Err(self.service.strange("a matrix of another size or unit than was asked for"));
        }
        let pairs = cells.distances.iter().flatten().zip(cells.durations.iter().flatten());
        Ok(pairs.map(|(kilometres, seconds)| way(*kilometres, *seconds)).collect())
    }

    fn question(&self, from: &[Point], to: &[Point]) -> String {
        let places = |points: &[Point]| -> Vec<Value> {
            let place = |point: &Point| {
                let (lat, lon) = (point.latitude(), point.longitude());
                json!({"lat": lat, "lon": lon, "search_cutoff": self.snap_m})
            };
            points.iter().map(place).collect()
        };
        json!({
            "sources": places(from),
            "targets": places(to),
            "costing": self.costing.name(),
            "units": "kilometers",
            "verbose": false,
        })
        .to_string()
    }
}

fn way(kilometres: Option<f64>, seconds: Option<f64>) -> Option<Way> {
    Some(Way { metres: metres(kilometres? * 1_000.0)?, milliseconds: milliseconds(seconds?)? })
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
struct Refusal {
    error_code: u32,
}
