//! The road networks: extracts in memory and services.

use despacho_core::model::{DistanceMatrix, Located, Point};
use despacho_geo::{Legs, Network, Runtime, ServiceEvent, networks};

use super::{extract::Extract, region::installed_roads, runtime::HttpRuntime};
use crate::{config::Config, error::StartError};

/// The configured networks, in the order of their use.
pub(super) struct Networks {
    extracts: Vec<Extract>,
    services: Vec<Network>,
    /// A courier's travel time as a percentage of a network's free-flow time.
    percent: u32,
}

impl Networks {
    /// Uses no network: the embedded model estimates all legs.
    pub(super) fn none() -> Networks {
        Networks { extracts: Vec::new(), services: Vec::new(), percent: 100 }
    }

    /// Opens the configured networks: reads extracts, without calling services.
    ///
    /// # Errors
    /// The first extract that cannot be used, with the remedy.
    pub(super) fn open(config: &Config) -> Result<Networks, StartError> {
        let folder = config.roads_folder();
        let installed = installed_roads(&folder);
        let installed =
            installed.map_err(|error| StartError::File { name: "folder of installed roads", path: folder, error })?;
        let files = config.roads.iter().chain(installed.iter().map(|(_, path)| path));
        let extracts = files.map(|path| Extract::read(path)).collect::<Result<_, _>>()?;
        let routing = &config.shared.routing;
        let services = networks(config.osrm.as_deref(), config.valhalla.as_deref(), routing);
        Ok(Networks { extracts, services, percent: routing.duration_percent })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.extracts.is_empty() && self.services.is_empty()
    }

    /// Returns whether an extract has roads near a point, or a service might.
    pub(super) fn can_measure(&self, point: Point) -> bool {
        !self.services.is_empty() || self.extracts.iter().any(|extract| extract.has_road_near(point))
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        let extracts = self.extracts.iter().map(|_| Extract::NAME);
        extracts.chain(self.services.iter().map(Network::name)).collect()
    }

    /// Returns a log line for each extract.
    pub(super) fn describe(&self) -> impl Iterator<Item = String> {
        self.extracts.iter().map(Extract::describe)
    }

    /// Returns the path between each point and the next, each from the first extract that has it.
    pub(super) async fn road_paths(&self, points: &[Point], max_points: usize) -> Vec<Option<Vec<Point>>> {
        let mut paths = vec![None; points.len().saturating_sub(1)];
        for extract in &self.extracts {
            let Ok(found) = extract.paths(points, max_points).await else { continue };
            for (path, found) in paths.iter_mut().zip(found) {
                *path = path.take().or(found);
            }
            if paths.iter().all(Option::is_some) {
                break;
            }
        }
        paths
    }

    /// Returns the legs between all pairs of locations. Each network in turn fills the legs still missing; the embedded model estimates the
    /// rest.
    pub(super) async fn distance_matrix(&self, runtime: &HttpRuntime, places: &[Located]) -> DistanceMatrix {
        let mut legs = Legs::between(places, self.percent);
        for extract in &self.extracts {
            if let Ok(ways) = extract.distances(legs.points()).await {
                let received = legs.fill(ways);
                runtime.record(ServiceEvent::Measured { source: Extract::NAME, legs: received });
            }
            if legs.is_complete() {
                break;
            }
        }
        legs.query(runtime, &self.services).await;
        let (matrix, estimated) = legs.finish(places);
        runtime.record(ServiceEvent::Measured { source: "model", legs: estimated });
        matrix
    }
}
