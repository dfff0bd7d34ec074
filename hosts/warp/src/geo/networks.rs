//! Road networks: in this process, or services.

use despacho_core::model::{DistanceMatrix, Located};
use despacho_geo::{Legs, Network, Runtime, ServiceEvent, networks};

use super::{extract::Extract, wire::HttpRuntime};
use crate::config::Config;

/// The configured networks, in the order they are asked in.
pub(super) struct Networks {
    extracts: Vec<Extract>,
    services: Vec<Network>,
    /// What a courier takes of a network's free-flow time.
    percent: u32,
}

impl Networks {
    /// None: legs are the embedded model's.
    pub(super) fn none() -> Networks {
        Networks { extracts: Vec::new(), services: Vec::new(), percent: 100 }
    }

    /// The configured ones: extracts are read, services are not asked yet.
    ///
    /// # Errors
    /// The first extract that cannot be used, and what to do.
    pub(super) fn open(config: &Config) -> Result<Networks, String> {
        let extracts = config.roads.iter().map(|path| Extract::read(path)).collect::<Result<_, _>>()?;
        let terms = &config.shared.routing;
        let services = networks(config.osrm.as_deref(), config.valhalla.as_deref(), terms);
        Ok(Networks { extracts, services, percent: terms.duration_percent })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.extracts.is_empty() && self.services.is_empty()
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        let extracts = self.extracts.iter().map(|_| Extract::NAME);
        extracts.chain(self.services.iter().map(Network::name)).collect()
    }

    /// A line for each extract, for the log.
    pub(super) fn describe(&self) -> impl Iterator<Item = String> {
        self.extracts.iter().map(Extract::describe)
    }

    /// Legs between every pair of places: by the networks in turn, each asked only while cells are open, and by the embedded model
    /// where none of them can tell.
    pub(super) async fn matrix(&self, wire: &HttpRuntime, places: &[Located]) -> DistanceMatrix {
        let mut legs = Legs::between(places, self.percent);
        for extract in &self.extracts {
            if let Ok(ways) = extract.ways(legs.points()).await {
                let received = legs.fill(ways);
                wire.record(ServiceEvent::Measured { source: Extract::NAME, legs: received });
            }
            if legs.is_complete() {
                break;
            }
        }
        legs.query(wire, &self.services).await;
        let (matrix, estimated) = legs.finish(places);
        wire.record(ServiceEvent::Measured { source: "model", legs: estimated });
        matrix
    }
}
