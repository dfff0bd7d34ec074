//! Clients of geocoders and road services, without I/O.
//!
//! A host implements [`Runtime`]: it sends requests, sleeps, caches results and counts events. This
//! crate builds the requests, retries them, verifies the responses and opens circuit breakers, in
//! the same way on every host.

mod breaker;
mod config;
mod distances;
#[cfg(feature = "gazetteer")]
pub mod gazetteer;
mod geocoders;
mod legs;
mod nominatim;
mod osrm;
mod photon;
mod places;
mod roads;
mod runtime;
mod service;
#[cfg(test)]
mod testing;
mod valhalla;

pub use config::{Costing, GeocoderConfig, RoutingConfig, ServiceConfigError, base_url, profile};
pub use distances::{Distances, RoadDistance};
pub use geocoders::{GeocoderResult, Geocoders};
pub use legs::Legs;
pub use places::{Places, SourcedLocation};
pub use roads::{Network, networks};
pub use runtime::{
    AttemptError, CachedResult, Outcome, Runtime, ServiceEvent, ServiceRequest, ServiceResponse,
};
pub use service::{RequestPolicy, Service, ServiceError};
