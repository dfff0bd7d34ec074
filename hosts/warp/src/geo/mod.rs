//! Locations of addresses and distances on roads, from all configured sources.
//!
//! A location comes from coordinates, then packs, then geocoders, then embedded data. A leg comes
//! from the road networks; if they have none, the embedded model estimates it and the leg is
//! marked. hosts/warp/GEOGRAPHY.md is the operator's page about it.

pub(crate) mod boxes;
mod cache;
mod extract;
pub(crate) mod installed;
mod metrics;
mod networks;
mod packs;
mod platform;
pub(crate) mod region;
mod runtime;

use std::time::Duration;

use despacho_core::{
    geo::{self, Gazetteer, LocateError, Municipality},
    host::HostError,
    model::{Address, DistanceMatrix, Located, Point, Precision, StoreId},
};
use despacho_geo::{Geocoders, Places};

pub use despacho_geo::SourcedLocation;
pub use extract::Extract;
pub use metrics::GeoMetrics;
pub(crate) use networks::RoadCoverage;
pub use packs::LoadedPack;
pub use platform::ServerPlatform;

use crate::{config::Config, error::StartError};
use cache::Cache;
use networks::Networks;
use region::Region;
use runtime::HttpRuntime;

/// The configured sources of locations and distances.
pub struct Geography {
    loaded: Vec<LoadedPack>,
    places: Places,
    networks: Networks,
    runtime: HttpRuntime,
    metrics: GeoMetrics,
}

impl Geography {
    /// Uses only embedded data.
    pub fn embedded() -> Geography {
        let metrics = GeoMetrics::default();
        Geography {
            loaded: Vec::new(),
            places: Places::new(
                Gazetteer::embedded(),
                Vec::new(),
                Geocoders::default(),
                Precision::Municipality,
            ),
            networks: Networks::none(),
            runtime: HttpRuntime::offline(metrics.clone()),
            metrics,
        }
    }

    /// Opens all configured sources: reads and checks packs and extracts, without calling services.
    ///
    /// # Errors
    /// The first source that cannot be used, with the remedy.
    pub fn open(config: &Config) -> Result<Geography, StartError> {
        let metrics = GeoMetrics::default();
        let folder = config.places_folder();
        let installed = installed::installed(&folder);
        let installed = installed.map_err(|error| StartError::File {
            name: "folder of installed places",
            path: folder,
            error,
        })?;
        let packs = config
            .gazetteer
            .iter()
            .chain(installed.iter().map(|(_, path)| path));
        let loaded = packs
            .map(|path| LoadedPack::read(path))
            .collect::<Result<Vec<_>, _>>()?;
        let bases = [
            &config.nominatim,
            &config.photon,
            &config.osrm,
            &config.valhalla,
        ];
        let secure = bases
            .into_iter()
            .flatten()
            .any(|base| base.starts_with("https:"));
        let geocoders = Geocoders::at(
            config.nominatim.as_deref(),
            config.photon.as_deref(),
            &config.shared.geocoder,
        );
        let cache = if geocoders.is_empty() {
            None
        } else {
            cache(config)?
        };
        let packs = loaded.iter().map(|one| one.pack).collect();
        Ok(Geography {
            loaded,
            places: Places::new(
                Gazetteer::embedded(),
                packs,
                geocoders,
                config.shared.places.min_precision,
            ),
            networks: Networks::open(config)?,
            runtime: HttpRuntime::new(secure, cache, metrics.clone())?,
            metrics,
        })
    }

    /// Returns whether only embedded data is used.
    pub fn is_embedded(&self) -> bool {
        self.places.is_embedded() && self.networks.is_empty()
    }

    /// Returns the metrics.
    pub fn metrics(&self) -> &GeoMetrics {
        &self.metrics
    }

    /// Returns the names of the road networks, in the order of their use.
    pub fn networks(&self) -> Vec<&'static str> {
        self.networks.names()
    }

    /// Returns a log line for each pack and each extract.
    pub fn describe(&self) -> Vec<String> {
        let line = |one: &LoadedPack| {
            let info = one.pack.info();
            let outdated = if one.pack.is_outdated() {
                "; the pack has an earlier format, which finds streets with numbers in one spelling only (Rua 01, not Rua 1): `despacho \
                 places update` builds installed packs again, and `despacho gazetteer build` others"
            } else {
                ""
            };
            format!(
                "gazetteer pack {}: {}, {} street numbers, {} streets, {} CEPs{outdated}",
                one.path.display(),
                info.label(),
                info.doors,
                info.streets,
                info.ceps
            )
        };
        self.loaded
            .iter()
            .map(line)
            .chain(self.networks.describe())
            .collect()
    }

    /// Returns the city of an address if no pack contains it and no geocoder locates its addresses.
    pub fn city_without_pack(&self, address: &Address) -> Option<Municipality> {
        if self.places.has_geocoders() {
            return None;
        }
        let city = Gazetteer::embedded().municipality(address.city.as_deref()?, address.uf()?)?;
        let is_covered = self.loaded.iter().any(|one| one.pack.covers(city.ibge()));
        (!is_covered).then_some(city)
    }

    /// Returns what measures the distances from a place in a region.
    pub(crate) fn road_coverage(&self, region: Region, point: Point) -> RoadCoverage {
        self.networks.coverage(region, point)
    }

    /// Locates addresses, each with the source of its location.
    ///
    /// # Errors
    /// A geocoder is unavailable, and without it an address cannot be located with the configured
    /// precision.
    pub async fn locate(
        &self,
        addresses: &[&Address],
    ) -> Result<Vec<Result<SourcedLocation, LocateError>>, HostError> {
        self.locate_for(None, addresses).await
    }

    /// Locates addresses for a merchant, which has its share of the geocoders.
    ///
    /// # Errors
    /// See [`Geography::locate`].
    pub async fn locate_for(
        &self,
        merchant: Option<StoreId>,
        addresses: &[&Address],
    ) -> Result<Vec<Result<SourcedLocation, LocateError>>, HostError> {
        self.places.locate(&self.runtime, merchant, addresses).await
    }

    /// Returns the legs between all pairs of locations.
    pub async fn distance_matrix(&self, places: &[Located]) -> DistanceMatrix {
        if self.networks.is_empty() || places.len() < 2 {
            return geo::matrix(places);
        }
        self.networks.distance_matrix(&self.runtime, places).await
    }
}

impl Geography {
    /// Returns the path along the roads of the extracts between each point and the next. Services
    /// are not called, because a path is only drawn.
    pub async fn road_paths(&self, points: &[Point], max_points: usize) -> Vec<Option<Vec<Point>>> {
        self.networks.road_paths(points, max_points).await
    }
}

/// Opens the geocoder cache in the data folder; `None` if it is disabled.
fn cache(config: &Config) -> Result<Option<Cache>, StartError> {
    let geocoder = &config.shared.geocoder;
    if geocoder.cache_days == 0 {
        return Ok(None);
    }
    std::fs::create_dir_all(&config.data).map_err(|error| StartError::File {
        name: "data folder",
        path: config.data.clone(),
        error,
    })?;
    let keep = Duration::from_secs(u64::from(geocoder.cache_days) * 24 * 3_600);
    Cache::open(&config.geocoder_file(), keep, geocoder.cache_entries).map(Some)
}
