//! Settings of places and roads.

use std::{path::PathBuf, time::Duration};

use despacho_core::domain::Precision;
use despacho_geo::{Costing, GeocoderTerms, RoutingTerms, base_address, profile};

use super::{
    Field,
    fields::field,
    value::{self, Parsed},
};

/// What places and roads are known from, besides the embedded data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geography {
    /// Gazetteer packs, the first one first.
    pub gazetteer: Vec<PathBuf>,
    /// Base address of a Nominatim.
    pub nominatim: Option<String>,
    /// Base address of a Photon; asked after a Nominatim.
    pub photon: Option<String>,
    /// How long one attempt at a geocoder may take.
    pub geocoder_timeout: Duration,
    /// Questions a second for each geocoder.
    pub geocoder_pace: u32,
    /// How many days a place that a geocoder found is kept.
    pub geocoder_days: u32,
    /// How many of its answers are kept.
    pub geocoder_entries: u32,
    /// OpenStreetMap extracts, the first one first; asked before any service.
    pub roads: Vec<PathBuf>,
    /// Base address of an OSRM.
    pub osrm: Option<String>,
    /// Base address of a Valhalla; not beside an OSRM.
    pub valhalla: Option<String>,
    /// How long one attempt at a road service may take.
    pub routing_timeout: Duration,
    /// How far from a road a place may lie, in metres.
    pub routing_snap_m: u32,
    /// What a courier takes of a network's free-flow time, in per cent.
    pub routing_percent: u32,
    /// Points that an OSRM takes at once.
    pub routing_points: usize,
    /// Pairs that a Valhalla takes at once.
    pub routing_pairs: usize,
    /// The profile in an OSRM's addresses.
    pub routing_profile: String,
    /// What a Valhalla rides with.
    pub routing_costing: Costing,
}

impl Default for Geography {
    fn default() -> Geography {
        let (geocoder, routing) = (GeocoderTerms::default(), RoutingTerms::default());
        Geography {
            gazetteer: Vec::new(),
            nominatim: None,
            photon: None,
            geocoder_timeout: Duration::from_millis(geocoder.timeout_ms),
            geocoder_pace: geocoder.per_second,
            geocoder_days: geocoder.cache_days,
            geocoder_entries: geocoder.cache_entries,
            roads: Vec::new(),
            osrm: None,
            valhalla: None,
            routing_timeout: Duration::from_millis(routing.timeout_ms),
            routing_snap_m: routing.snap_m,
            routing_percent: routing.duration_percent,
            routing_points: routing.osrm_points,
            routing_pairs: routing.valhalla_pairs,
            routing_profile: routing.osrm_profile,
            routing_costing: routing.valhalla_costing,
        }
    }
}

impl Geography {
    /// How geocoders are asked.
    pub(crate) fn geocoder_terms(&self) -> GeocoderTerms {
        GeocoderTerms {
            timeout_ms: whole(self.geocoder_timeout),
            per_second: self.geocoder_pace,
            cache_days: self.geocoder_days,
            cache_entries: self.geocoder_entries,
        }
    }

    /// How road networks are asked.
    pub(crate) fn routing_terms(&self) -> RoutingTerms {
        RoutingTerms {
            timeout_ms: whole(self.routing_timeout),
            snap_m: self.routing_snap_m,
            duration_percent: self.routing_percent,
            osrm_points: self.routing_points,
            valhalla_pairs: self.routing_pairs,
            osrm_profile: self.routing_profile.clone(),
            valhalla_costing: self.routing_costing,
        }
    }
}

fn whole(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

pub(super) const LEAST_PRECISION: Field = field!(
    "least-precision",
    "LEVEL",
    "The least precision that an address is accepted with, below it the answer is 422 address_imprecise: coordinates, number, \
    street, cep, cep5, neighbourhood or municipality; what rests on a municipality alone is flagged as estimated",
    text,
    |c, text, _| precision(text).map(|v| c.places.least_precision = v),
    |c| c.places.least_precision.name().to_owned()
);

pub(super) const GAZETTEER: Field = field!(
    "gazetteer",
    "FILE,...",
    "Gazetteer packs made by `despacho gazetteer build`, separated by commas; read into memory at start",
    text,
    |c, text, _| files(text).map(|v| c.geography.gazetteer = v),
    |c| c.geography.gazetteer.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(",")
);

pub(super) const NOMINATIM: Field = field!(
    "nominatim",
    "URL",
    "A Nominatim to ask for addresses that no pack knows by their street; they leave this machine",
    text,
    |c, text, _| base_address(text).map(|v| c.geography.nominatim = Some(v)),
    |c| c.geography.nominatim.clone().unwrap_or_default()
);

pub(super) const PHOTON: Field = field!(
    "photon",
    "URL",
    "A Photon to ask likewise, after a Nominatim",
    text,
    |c, text, _| base_address(text).map(|v| c.geography.photon = Some(v)),
    |c| c.geography.photon.clone().unwrap_or_default()
);

pub(super) const GEOCODER_TIMEOUT: Field = Field {
    key: "geocoder.timeout-ms",
    unit: "MILLISECONDS",
    help: "For one attempt at a geocoder; there are at most three",
    range: Some((50, 30_000)),
    secret: false,
    set: |c, text, range| value::whole(text, range).map(|v| c.geography.geocoder_timeout = Duration::from_millis(v)),
    show: |c| c.geography.geocoder_timeout.as_millis().to_string(),
};

pub(super) const GEOCODER_PACE: Field = field!(
    "geocoder.per-second",
    "COUNT",
    "Questions a second for each geocoder; a public one allows 1",
    1..=1_000,
    geography.geocoder_pace
);

pub(super) const GEOCODER_DAYS: Field = field!(
    "geocoder.cache-days",
    "DAYS",
    "How long a place that a geocoder found is kept, by a hash of its address; that it found none is kept for a day; 0 keeps \
    nothing",
    0..=3_650,
    geography.geocoder_days
);

pub(super) const GEOCODER_ENTRIES: Field = field!(
    "geocoder.cache-entries",
    "COUNT",
    "How many answers are kept, about 100 bytes each, in the file geocoder.db of the data folder",
    1..=100_000_000,
    geography.geocoder_entries
);

pub(super) const ROADS: Field = field!(
    "roads",
    "FILE,...",
    "OpenStreetMap extracts (.osm.pbf), separated by commas, read into memory at start: road distances without any service; outside \
    them, or far from a road, the embedded model stands in and the order is flagged as estimated",
    text,
    |c, text, _| files(text).map(|v| c.geography.roads = v),
    |c| c.geography.roads.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(",")
);

pub(super) const OSRM: Field = field!(
    "osrm",
    "URL",
    "An OSRM to ask for road distances; where it does not know, the embedded model stands in and the order is flagged as estimated",
    text,
    |c, text, _| base_address(text).map(|v| c.geography.osrm = Some(v)),
    |c| c.geography.osrm.clone().unwrap_or_default()
);

pub(super) const VALHALLA: Field = field!(
    "valhalla",
    "URL",
    "A Valhalla to ask likewise, in place of an OSRM",
    text,
    |c, text, _| base_address(text).map(|v| c.geography.valhalla = Some(v)),
    |c| c.geography.valhalla.clone().unwrap_or_default()
);

pub(super) const ROUTING_TIMEOUT: Field = Field {
    key: "routing.timeout-ms",
    unit: "MILLISECONDS",
    help: "For one attempt at a road service; there are at most two",
    range: Some((50, 30_000)),
    secret: false,
    set: |c, text, range| value::whole(text, range).map(|v| c.geography.routing_timeout = Duration::from_millis(v)),
    show: |c| c.geography.routing_timeout.as_millis().to_string(),
};

pub(super) const ROUTING_SNAP: Field = field!(
    "routing.snap-m",
    "METRES",
    "How far from a road a place may lie; beyond it the embedded model is used",
    10..=10_000,
    geography.routing_snap_m
);

pub(super) const ROUTING_PERCENT: Field = field!(
    "routing.duration-percent",
    "PERCENT",
    "What a courier in traffic takes of a road network's free-flow time",
    50..=500,
    geography.routing_percent
);

pub(super) const ROUTING_POINTS: Field = field!(
    "routing.osrm-points",
    "COUNT",
    "Points that the OSRM takes at once, its --max-table-size",
    2..=10_000,
    geography.routing_points
);

pub(super) const ROUTING_PAIRS: Field = field!(
    "routing.valhalla-pairs",
    "COUNT",
    "Pairs that the Valhalla takes at once, its max_matrix_location_pairs",
    1..=1_000_000,
    geography.routing_pairs
);

pub(super) const ROUTING_PROFILE: Field = field!(
    "routing.osrm-profile",
    "NAME",
    "The profile in the OSRM's addresses",
    text,
    |c, text, _| profile(text).map(|v| c.geography.routing_profile = v),
    |c| c.geography.routing_profile.clone()
);

pub(super) const ROUTING_COSTING: Field = field!(
    "routing.valhalla-costing",
    "NAME",
    "What the Valhalla rides with: auto, motorcycle, motor_scooter or bicycle",
    text,
    |c, text, _| costing(text).map(|v| c.geography.routing_costing = v),
    |c| c.geography.routing_costing.name().to_owned()
);

fn precision(text: &str) -> Parsed<Precision> {
    Precision::parse(text.trim()).ok_or_else(|| {
        let names: Vec<&str> = Precision::ALL.iter().map(|level| level.name()).collect();
        format!("must be one of {}", names.join(", "))
    })
}

fn files(text: &str) -> Parsed<Vec<PathBuf>> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(value::path).collect()
}

fn costing(text: &str) -> Parsed<Costing> {
    let found = Costing::ALL.into_iter().find(|costing| costing.name() == text.trim());
    found.ok_or_else(|| "must be auto, motorcycle, motor_scooter or bicycle".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_names_are_told_where_they_are_wrong() {
        assert_eq!(precision(" cep "), Ok(Precision::Cep));
        assert!(precision("door").is_err_and(|said| said.contains("neighbourhood")));
        assert_eq!(files("a.pack, b.pack,"), Ok(vec!["a.pack".into(), "b.pack".into()]));
        assert!(costing("plane").is_err());
        assert!(Costing::ALL.iter().all(|one| costing(one.name()) == Ok(*one)));
    }
}
