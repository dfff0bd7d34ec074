//! The road networks: extracts in memory and services.

use despacho_core::model::{DistanceMatrix, Located, Point};
use despacho_geo::{Legs, Network, Runtime, ServiceEvent, networks};

use super::{
    boxes::GeoBox,
    extract::Extract,
    region::{Region, installed_boxes, installed_roads},
    runtime::HttpRuntime,
};
use crate::{config::Config, error::StartError};

/// What measures the distances from a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoadCoverage {
    /// Roads of an extract are near it.
    Near,
    /// A road service may measure them.
    Service,
    /// Nothing: the installed roads around it have none near it.
    NotNear,
    /// Nothing: no roads around it are installed.
    NotInstalled,
}

/// The configured networks, in the order of their use.
pub(super) struct Networks {
    extracts: Vec<Extract>,
    /// The boxes of installed roads.
    installed: Vec<(Region, Vec<GeoBox>)>,
    services: Vec<Network>,
    /// A courier's travel time as a percentage of a network's free-flow time.
    percent: u32,
}

impl Networks {
    /// Uses no network: the embedded model estimates all legs.
    pub(super) fn none() -> Networks {
        Networks {
            extracts: Vec::new(),
            installed: Vec::new(),
            services: Vec::new(),
            percent: 100,
        }
    }

    /// Opens the configured networks: reads extracts, without calling services.
    ///
    /// # Errors
    /// The first extract that cannot be used, with the remedy.
    pub(super) fn open(config: &Config) -> Result<Networks, StartError> {
        let folder = config.roads_folder();
        let installed = installed_roads(&folder);
        let installed = installed.map_err(|error| StartError::File {
            name: "folder of installed roads",
            path: folder.clone(),
            error,
        })?;
        let files = config
            .roads
            .iter()
            .chain(installed.iter().map(|(_, path)| path));
        let extracts = files
            .map(|path| Extract::read(path))
            .collect::<Result<_, _>>()?;
        let routing = &config.shared.routing;
        let services = networks(config.osrm.as_deref(), config.valhalla.as_deref(), routing);
        let installed = installed
            .into_iter()
            .map(|(region, _)| (region, installed_boxes(region, &folder)))
            .collect();
        Ok(Networks {
            extracts,
            installed,
            services,
            percent: routing.duration_percent,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.extracts.is_empty() && self.services.is_empty()
    }

    /// Returns what measures the distances from a place in a region.
    pub(super) fn coverage(&self, region: Region, point: Point) -> RoadCoverage {
        let is_around = |(of, boxes): &(Region, Vec<GeoBox>)| {
            *of == region && boxes.iter().any(|one| one.contains(point))
        };
        // The command writes files of an earlier format again.
        let is_current = !self.extracts.iter().any(Extract::is_outdated);
        if self
            .extracts
            .iter()
            .any(|extract| extract.has_road_near(point))
        {
            RoadCoverage::Near
        } else if !self.services.is_empty() {
            RoadCoverage::Service
        } else if is_current && self.installed.iter().any(is_around) {
            RoadCoverage::NotNear
        } else {
            RoadCoverage::NotInstalled
        }
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        let extracts = self.extracts.iter().map(|_| Extract::NAME);
        extracts
            .chain(self.services.iter().map(Network::name))
            .collect()
    }

    /// Returns a log line for each extract.
    pub(super) fn describe(&self) -> impl Iterator<Item = String> {
        self.extracts.iter().map(Extract::describe)
    }

    /// Returns the path between each point and the next, each from the first extract that has it.
    pub(super) async fn road_paths(
        &self,
        points: &[Point],
        max_points: usize,
    ) -> Vec<Option<Vec<Point>>> {
        let mut paths = vec![None; points.len().saturating_sub(1)];
        for extract in &self.extracts {
            let Ok(found) = extract.paths(points, max_points).await else {
                continue;
            };
            for (path, found) in paths.iter_mut().zip(found) {
                *path = path.take().or(found);
            }
            if paths.iter().all(Option::is_some) {
                break;
            }
        }
        paths
    }

    /// Returns the legs between all pairs of locations. Each network in turn fills the legs still
    /// missing; the embedded model estimates the rest.
    pub(super) async fn distance_matrix(
        &self,
        runtime: &HttpRuntime,
        places: &[Located],
    ) -> DistanceMatrix {
        let mut legs = Legs::between(places, self.percent);
        for extract in &self.extracts {
            if let Ok(ways) = extract.distances(legs.points()).await {
                let received = legs.fill(ways);
                runtime.record(ServiceEvent::Measured {
                    source: Extract::NAME,
                    legs: received,
                });
            }
            if legs.is_complete() {
                break;
            }
        }
        legs.query(runtime, &self.services).await;
        let (matrix, estimated) = legs.finish(places);
        runtime.record(ServiceEvent::Measured {
            source: "model",
            legs: estimated,
        });
        matrix
    }
}
