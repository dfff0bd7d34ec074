//! What is counted of places and roads.

use std::sync::atomic::AtomicU64;

use despacho_geo::Outcome;
use prometheus_client::{
    encoding::{EncodeLabelSet, EncodeLabelValue},
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

/// What the cache said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
pub(super) enum Cached {
    Hit,
    Miss,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Attempt {
    service: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Place {
    source: &'static str,
    precision: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Rejected {
    service: &'static str,
    mismatch: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Lookup {
    outcome: Cached,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Legs {
    source: &'static str,
}

type Count<L> = Family<L, Counter<u64, AtomicU64>>;

/// Counters that all copies share.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    attempts: Count<Attempt>,
    places: Count<Place>,
    mismatches: Count<Rejected>,
    cache: Count<Lookup>,
    legs: Count<Legs>,
}

impl Figures {
    /// Puts the counters among a server's.
    pub fn register(&self, registry: &mut Registry) {
        let registry = registry.sub_registry_with_prefix("geography");
        registry.register(
            "attempts",
            "Attempts at services of other machines, by how they ended",
            self.attempts.clone(),
        );
        registry.register("places", "Addresses located, by source and precision", self.places.clone());
        registry.register("doubts", "Geocoders' answers that did not fit the address", self.mismatches.clone());
        registry.register("cache", "Lookups among kept answers of geocoders", self.cache.clone());
        registry.register("legs", "Legs where a road network is configured, by who answered", self.legs.clone());
    }

    pub(super) fn queried(&self, service: &'static str, outcome: Outcome) {
        self.attempts.get_or_create(&Attempt { service, outcome: outcome.name() }).inc();
    }

    pub(super) fn located(&self, source: &'static str, precision: &'static str) {
        self.places.get_or_create(&Place { source, precision }).inc();
    }

    pub(super) fn rejected(&self, service: &'static str, mismatch: &'static str) {
        self.mismatches.get_or_create(&Rejected { service, mismatch }).inc();
    }

    pub(super) fn looked_up(&self, outcome: Cached) {
        self.cache.get_or_create(&Lookup { outcome }).inc();
    }

    pub(super) fn measured(&self, source: &'static str, legs: u64) {
        if legs > 0 {
            self.legs.get_or_create(&Legs { source }).inc_by(legs);
        }
    }
}
