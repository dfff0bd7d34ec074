//! Where addresses are and how far apart on the road, by everything that the operator configured.
//!
//! A place comes from coordinates, then packs, then geocoders, then embedded data; a leg from the road networks, then the embedded
//! model, which is flagged where it stands in for them. hosts/warp/GEOGRAPHY.md is the operator's page about it.

mod cache;
mod extract;
mod figures;
mod networks;
mod packs;
mod platform;
mod wire;

use std::time::Duration;

use despacho_core::{
    geo::{self, LocateError},
    host::HostError,
    model::{Address, DistanceMatrix, Located, Precision},
};
use despacho_geo::{Geocoders, Places};

pub use despacho_geo::SourcedLocation;
pub use extract::Extract;
pub use figures::Figures;
pub use packs::LoadedPack;
pub use platform::ServerPlatform;

use crate::config::Config;
use cache::Cache;
use networks::Networks;
use wire::HttpRuntime;

/// What places and roads are known from.
pub struct Geography {
    loaded: Vec<LoadedPack>,
    places: Places,
    networks: Networks,
    wire: HttpRuntime,
    figures: Figures,
}

impl Geography {
    /// Embedded data alone.
    pub fn embedded() -> Geography {
        let figures = Figures::default();
        Geography {
            loaded: Vec::new(),
            places: Places::new(Vec::new(), Geocoders::default(), Precision::Municipality),
            networks: Networks::none(),
            wire: HttpRuntime::nowhere(figures.clone()),
            figures,
        }
    }

    /// Everything that is configured: packs are read and checked, services are not asked yet.
    ///
    /// # Errors
    /// The first thing that cannot be used, and what to do.
    pub fn open(config: &Config) -> Result<Geography, String> {
        let figures = Figures::default();
        let loaded = config.gazetteer.iter().map(|path| LoadedPack::read(path)).collect::<Result<Vec<_>, _>>()?;
        let bases = [&config.nominatim, &config.photon, &config.osrm, &config.valhalla];
        let secure = bases.into_iter().flatten().any(|base| base.starts_with("https:"));
        let geocoders = Geocoders::at(config.nominatim.as_deref(), config.photon.as_deref(), &config.shared.geocoder);
        let cache = if geocoders.is_empty() { None } else { cache(config)? };
        let packs = loaded.iter().map(|one| one.pack).collect();
        Ok(Geography {
            loaded,
            places: Places::new(packs, geocoders, config.shared.places.min_precision),
            networks: Networks::open(config)?,
            wire: HttpRuntime::new(secure, cache, figures.clone())?,
            figures,
        })
    }

    /// Whether nothing but embedded data is asked.
    pub fn is_embedded(&self) -> bool {
        self.places.is_embedded() && self.networks.is_empty()
    }

    /// The counters.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// The names of the road networks, in the order they are asked in.
    pub fn networks(&self) -> Vec<&'static str> {
        self.networks.names()
    }

    /// A line for each pack and each extract, for the log.
    pub fn describe(&self) -> Vec<String> {
        let line = |one: &LoadedPack| {
            let info = one.pack.info();
            format!(
                "gazetteer pack {}: {}, {} street numbers, {} streets, {} CEPs",
                one.path.display(),
                info.label(),
                info.doors,
                info.streets,
                info.ceps
            )
        };
        self.loaded.iter().map(line).chain(self.networks.describe()).collect()
    }

    /// Where addresses are, and what told it.
    ///
    /// # Errors
    /// That a geocoder did not answer, where without it an address is not known as precisely as the operator demands: that is not
    /// the caller's doing.
    pub async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<SourcedLocation, LocateError>>, HostError> {
        self.places.locate(&self.wire, addresses).await
    }

    /// Legs between every pair of places.
    pub async fn matrix(&self, places: &[Located]) -> DistanceMatrix {
        if self.networks.is_empty() || places.len() < 2 {
            return geo::matrix(places);
        }
        self.networks.matrix(&self.wire, places).await
    }
}

/// What geocoders said, kept in the data folder; `None` where nothing is to be kept.
fn cache(config: &Config) -> Result<Option<Cache>, String> {
    let geocoder = &config.shared.geocoder;
    if geocoder.cache_days == 0 {
        return Ok(None);
    }
    std::fs::create_dir_all(&config.data)
        .map_err(|error| format!("{} cannot be made: {error}", config.data.display()))?;
    let keep = Duration::from_secs(u64::from(geocoder.cache_days) * 24 * 3_600);
    Cache::open(&config.geocoder_file(), keep, geocoder.cache_entries).map(Some)
}
