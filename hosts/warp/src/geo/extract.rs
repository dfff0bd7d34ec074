//! A road network in this process, from an OpenStreetMap extract.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use despacho_core::model::Point;
use despacho_geo::{Distances, RoadDistance, ServiceError};
use despacho_roads::Roads as Network;
use tokio::sync::Semaphore;

/// An extract in memory.
pub struct Extract {
    network: Arc<Network>,
    /// Matrices that are computed at once: they are work of this machine's, not a wait.
    room: Arc<Semaphore>,
    path: PathBuf,
}

impl Extract {
    /// Its name in metrics.
    pub(super) const NAME: &'static str = "roads";

    /// Reads an extract.
    ///
    /// # Errors
    /// What is wrong with the file, and what to do about it.
    pub fn read(path: &Path) -> Result<Extract, String> {
        let network = Network::load(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Extract { network: Arc::new(network), room: Arc::new(Semaphore::new(cores)), path: path.to_owned() })
    }

    /// A line for the log.
    pub(super) fn describe(&self) -> String {
        let size = self.network.size();
        let (lanes, turns, megabytes) = (size.edges, size.turns, size.bytes.div_ceil(1_000_000));
        format!("roads of {}: {lanes} lanes, {turns} turns, {megabytes} MB of memory", self.path.display())
    }

    /// The ways between all points; none where a point is farther from a road than a network may put it on one.
    pub(super) async fn ways(&self, points: &[Point]) -> Result<Distances, ServiceError> {
        let permit = self.room.clone().acquire_owned().await.map_err(|_| ServiceError::Failed)?;
        let (network, points) = (self.network.clone(), points.to_vec());
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let matrix = network.matrix(&points);
            let cells = (0..points.len()).flat_map(|from| (0..points.len()).map(move |to| (from, to)));
            let way = |(from, to)| {
                let leg = matrix.leg(from, to)?;
                Some(RoadDistance { metres: leg.metres, milliseconds: leg.ms.into() })
            };
            cells.map(way).collect()
        });
        work.await.map_err(|_| ServiceError::Failed)
    }
}
