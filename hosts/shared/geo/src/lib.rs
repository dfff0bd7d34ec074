//! Places and roads by the services of other machines, all but the sockets.
//!
//! A host implements [`Runtime`]: it sends a question, waits, keeps answers, counts. What is asked, in which order, how often again,
//! what of an answer is believed and when a service is left alone is the same on every host, and is here.

mod breaker;
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
mod terms;
#[cfg(test)]
mod testing;
mod valhalla;
mod ways;

pub use geocoders::{GeocoderResult, Geocoders};
pub use legs::Legs;
pub use places::{Places, Sourced};
pub use roads::{Network, networks};
pub use runtime::{AttemptError, Kept, Outcome, Runtime, ServiceEvent, ServiceRequest, ServiceResponse};
pub use service::{RequestPolicy, Service, ServiceError};
pub use terms::{Costing, GeocoderTerms, RoutingTerms, base_address, profile};
pub use ways::{Way, Ways};
