//! A road network in this process, from an OpenStreetMap extract.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use despacho_core::domain::Point;
use despacho_roads::Roads as Network;
use tokio::sync::Semaphore;

use super::{
    geocoder::Later,
    http::Unanswered,
    roads::{Roads, Way, Ways},
};

/// An extract in memory.
pub struct Extract {
    network: Arc<Network>,
    /// Matrices that are computed at once: they are work of this machine's, not a wait.
    room: Arc<Semaphore>,
    path: PathBuf,
}

impl Extract {
    /// Reads an extract.
    ///
    /// # Errors
    /// What is wrong with the file, and what to do about it.
    pub fn read(path: &Path) -> Result<Extract, String> {
        let network = Network::load(path).map_err(|fault| format!("{}: {fault}", path.display()))?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Extract { network: Arc::new(network), room: Arc::new(Semaphore::new(cores)), path: path.to_owned() })
    }

    fn describe(&self) -> String {
        let size = self.network.size();
        let (lanes, turns, megabytes) = (size.lanes, size.turns, size.bytes.div_ceil(1_000_000));
        format!("roads of {}: {lanes} lanes, {turns} turns, {megabytes} MB of memory", self.path.display())
    }
}

impl Roads for Extract {
    fn name(&self) -> &'static str {
        "roads"
    }

    fn describe(&self) -> Option<String> {
        Some(Extract::describe(self))
    }

    fn ways<'a>(&'a self, points: &'a [Point]) -> Later<'a, Result<Ways, Unanswered>> {
        Box::pin(async move {
            let permit = self.room.clone().acquire_owned().await.map_err(|_| Unanswered::Failed)?;
            let (network, points) = (self.network.clone(), points.to_vec());
            let work = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                let matrix = network.matrix(&points);
                let cells = (0..points.len()).flat_map(|from| (0..points.len()).map(move |to| (from, to)));
                let way = |(from, to)| {
                    let leg = matrix.leg(from, to)?;
                    Some(Way { metres: leg.metres, milliseconds: leg.ms.into() })
                };
                cells.map(way).collect()
            });
            work.await.map_err(|_| Unanswered::Failed)
        })
    }
}
