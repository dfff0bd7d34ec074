//! An in-memory road network, read from an OpenStreetMap extract.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use despacho_core::model::Point;
use despacho_geo::{Distances, RoadDistance, ServiceError};
use despacho_roads::Roads as Network;
use tokio::sync::Semaphore;

use crate::error::StartError;

/// A loaded extract.
pub struct Extract {
    network: Arc<Network>,
    /// Limits the concurrent matrix computations, which are CPU-bound.
    permits: Arc<Semaphore>,
    path: PathBuf,
}

impl Extract {
    /// The name in metrics.
    pub(super) const NAME: &'static str = "roads";

    /// Reads an extract.
    ///
    /// # Errors
    /// The file cannot be used; the error contains the remedy.
    pub fn read(path: &Path) -> Result<Extract, StartError> {
        let content = |detail| StartError::Content {
            name: "road extract",
            path: path.to_owned(),
            detail,
        };
        let network =
            Network::load(path).map_err(|error| content(format!("cannot be used: {error}")))?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Extract {
            network: Arc::new(network),
            permits: Arc::new(Semaphore::new(cores)),
            path: path.to_owned(),
        })
    }

    /// Returns whether the file has an earlier format, with the largest network of its extract
    /// only.
    pub(super) fn is_outdated(&self) -> bool {
        self.network.is_outdated()
    }

    /// Returns whether a road is near a point.
    pub(super) fn has_road_near(&self, point: Point) -> bool {
        self.network.has_road_near(point)
    }

    /// Returns a line for the log.
    pub(super) fn describe(&self) -> String {
        let size = self.network.size();
        let (edges, turns, megabytes) = (size.edges, size.turns, size.bytes.div_ceil(1_000_000));
        let networks = match self.network.components().count() {
            1 => String::new(),
            count => format!("{count} networks that no road connects, "),
        };
        let outdated = if self.is_outdated() {
            "; the file has an earlier format with the largest network only: `despacho roads update` writes installed files again, and \
             `despacho roads build` others"
        } else {
            ""
        };
        let path = self.path.display();
        format!(
            "road extract {path}: {networks}{edges} directed edges, {turns} turns, {megabytes} MB of memory{outdated}"
        )
    }

    /// Returns the paths between each point and the next.
    pub(super) async fn paths(
        &self,
        points: &[Point],
        max_points: usize,
    ) -> Result<Vec<Option<Vec<Point>>>, ServiceError> {
        let permit = self
            .permits
            .clone()
            .acquire_owned()
            .await
            .map_err(|_| ServiceError::Failed)?;
        let (network, points) = (self.network.clone(), points.to_vec());
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            network.paths(&points, max_points)
        });
        work.await.map_err(|_| ServiceError::Failed)
    }

    /// Returns the distances between all points. A point too far from a road has none.
    pub(super) async fn distances(&self, points: &[Point]) -> Result<Distances, ServiceError> {
        let permit = self
            .permits
            .clone()
            .acquire_owned()
            .await
            .map_err(|_| ServiceError::Failed)?;
        let (network, points) = (self.network.clone(), points.to_vec());
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let matrix = network.matrix(&points);
            let cells =
                (0..points.len()).flat_map(|from| (0..points.len()).map(move |to| (from, to)));
            let way = |(from, to)| {
                let leg = matrix.leg(from, to)?;
                Some(RoadDistance {
                    metres: leg.metres,
                    milliseconds: leg.ms.into(),
                })
            };
            cells.map(way).collect()
        });
        work.await.map_err(|_| ServiceError::Failed)
    }
}
