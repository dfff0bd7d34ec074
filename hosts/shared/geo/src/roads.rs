//! Road services.

use std::time::Duration;

use despacho_core::model::Point;

use crate::{
    config::RoutingConfig,
    distances::Distances,
    osrm::Osrm,
    runtime::Runtime,
    service::{RequestPolicy, Service, ServiceError},
    valhalla::Valhalla,
};

/// Maximum attempts at a road service. They are few because the estimate can replace it.
const ATTEMPTS: u32 = 2;

/// A road service.
#[derive(Debug)]
pub enum Network {
    /// An OSRM server.
    Osrm(Osrm),
    /// A Valhalla server.
    Valhalla(Valhalla),
}

impl Network {
    /// Returns the service's name in metrics.
    pub fn name(&self) -> &'static str {
        match self {
            Network::Osrm(osrm) => osrm.service.name(),
            Network::Valhalla(valhalla) => valhalla.service.name(),
        }
    }

    /// Returns the distances between all points. A point farther from a road than the snap distance
    /// has none, because snapping it over hundreds of kilometres would return plausible wrong
    /// numbers.
    ///
    /// # Errors
    /// The service returned no usable response.
    pub async fn fetch_distances<W: Runtime>(
        &self,
        runtime: &W,
        points: &[Point],
    ) -> Result<Distances, ServiceError> {
        match self {
            Network::Osrm(osrm) => osrm.fetch_distances(runtime, points).await,
            Network::Valhalla(valhalla) => valhalla.fetch_distances(runtime, points).await,
        }
    }
}

/// Returns the road services at these base URLs, in the order of their queries.
pub fn networks(
    osrm: Option<&str>,
    valhalla: Option<&str>,
    config: &RoutingConfig,
) -> Vec<Network> {
    let timeout = Duration::from_millis(config.timeout_ms);
    let service = |name, base| {
        Service::new(
            name,
            base,
            RequestPolicy {
                timeout,
                attempts: ATTEMPTS,
                per_second: None,
            },
        )
    };
    let osrm = osrm.map(|base| {
        Network::Osrm(Osrm {
            service: service("osrm", base),
            profile: config.osrm_profile.clone(),
            snap_m: config.snap_m,
            max_points: config.osrm_points,
        })
    });
    let valhalla = valhalla.map(|base| {
        Network::Valhalla(Valhalla {
            service: service("valhalla", base),
            costing: config.valhalla_costing,
            snap_m: config.snap_m,
            max_pairs: config.valhalla_pairs,
        })
    });
    osrm.into_iter().chain(valhalla).collect()
}
