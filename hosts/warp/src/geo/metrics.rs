//! Metrics of locations and distances.

use std::sync::atomic::AtomicU64;

use despacho_geo::Outcome;
use prometheus_client::{
    encoding::{EncodeLabelSet, EncodeLabelValue},
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

/// The result of a cache lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
pub(super) enum CacheOutcome {
    Hit,
    Miss,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AttemptLabels {
    service: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LocationLabels {
    source: &'static str,
    precision: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MismatchLabels {
    service: &'static str,
    /// The published name of the label.
    mismatch: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CacheLabels {
    outcome: CacheOutcome,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LegLabels {
    source: &'static str,
}

type Count<L> = Family<L, Counter<u64, AtomicU64>>;

/// Counters shared by all clones.
#[derive(Clone, Debug, Default)]
pub struct GeoMetrics {
    attempts: Count<AttemptLabels>,
    places: Count<LocationLabels>,
    mismatches: Count<MismatchLabels>,
    cache: Count<CacheLabels>,
    legs: Count<LegLabels>,
}

impl GeoMetrics {
    /// Registers the counters.
    pub fn register(&self, registry: &mut Registry) {
        let registry = registry.sub_registry_with_prefix("geography");
        registry.register(
            "attempts",
            "Attempts to call external services, by outcome",
            self.attempts.clone(),
        );
        registry.register(
            "places",
            "Addresses located, by source and precision",
            self.places.clone(),
        );
        registry.register(
            "mismatches",
            "Geocoder results rejected because they do not match the address",
            self.mismatches.clone(),
        );
        registry.register(
            "cache",
            "Lookups in the geocoder cache, by outcome",
            self.cache.clone(),
        );
        registry.register(
            "legs",
            "Legs measured with a configured road network, by source",
            self.legs.clone(),
        );
    }

    pub(super) fn record_attempt(&self, service: &'static str, outcome: Outcome) {
        self.attempts
            .get_or_create(&AttemptLabels {
                service,
                outcome: outcome.name(),
            })
            .inc();
    }

    pub(super) fn record_location(&self, source: &'static str, precision: &'static str) {
        self.places
            .get_or_create(&LocationLabels { source, precision })
            .inc();
    }

    pub(super) fn record_mismatch(&self, service: &'static str, mismatch: &'static str) {
        self.mismatches
            .get_or_create(&MismatchLabels { service, mismatch })
            .inc();
    }

    pub(super) fn record_lookup(&self, outcome: CacheOutcome) {
        self.cache.get_or_create(&CacheLabels { outcome }).inc();
    }

    pub(super) fn record_legs(&self, source: &'static str, legs: u64) {
        if legs > 0 {
            self.legs.get_or_create(&LegLabels { source }).inc_by(legs);
        }
    }
}
