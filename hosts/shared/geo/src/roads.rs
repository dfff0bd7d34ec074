//! Road networks on other machines.

use std::time::Duration;

use despacho_core::model::Point;

use crate::{
    osrm::Osrm,
    runtime::Runtime,
    service::{RequestPolicy, Service, ServiceError},
    terms::RoutingTerms,
    valhalla::Valhalla,
    ways::Ways,
};

/// Attempts at a road service: the model can stand in for it.
const ATTEMPTS: u32 = 2;

/// A road network on another machine.
#[derive(Debug)]
pub enum Network {
    /// An OSRM.
    Osrm(Osrm),
    /// A Valhalla.
    Valhalla(Valhalla),
}

impl Network {
    /// Its name in metrics.
    pub fn name(&self) -> &'static str {
        match self {
            Network::Osrm(osrm) => osrm.service.name(),
            Network::Valhalla(valhalla) => valhalla.service.name(),
        }
    }

    /// The ways between all points. A point that is farther from a road than the snap distance has no ways: a network that snapped
    /// it over hundreds of kilometres would give plausible wrong numbers.
    ///
    /// # Errors
    /// That the service did not answer.
    pub async fn fetch_distances<W: Runtime>(&self, runtime: &W, points: &[Point]) -> Result<Ways, ServiceError> {
        match self {
            Network::Osrm(osrm) => osrm.fetch_distances(runtime, points).await,
            Network::Valhalla(valhalla) => valhalla.fetch_distances(runtime, points).await,
        }
    }
}

/// The networks at these base addresses, in the order they are asked in.
pub fn networks(osrm: Option<&str>, valhalla: Option<&str>, terms: &RoutingTerms) -> Vec<Network> {
    let timeout = Duration::from_millis(terms.timeout_ms);
    let service =
        |name, base| Service::new(name, base, RequestPolicy { timeout, attempts: ATTEMPTS, per_second: None });
    let osrm = osrm.map(|base| {
        Network::Osrm(Osrm {
            service: service("osrm", base),
            profile: terms.osrm_profile.clone(),
            snap_m: terms.snap_m,
            max_points: terms.osrm_points,
        })
    });
    let valhalla = valhalla.map(|base| {
        Network::Valhalla(Valhalla {
            service: service("valhalla", base),
            costing: terms.valhalla_costing,
            snap_m: terms.snap_m,
            max_pairs: terms.valhalla_pairs,
        })
    });
    osrm.into_iter().chain(valhalla).collect()
}
