//! Where addresses are and how far apart on the road, by everything that the operator configured.
//!
//! A place comes from coordinates, then packs, then geocoders, then embedded data; a leg from the road networks, then the embedded
//! model, which is flagged where it stands in for them. hosts/warp/GEOGRAPHY.md is the operator's page about it.

mod breaker;
mod cache;
mod extract;
mod figures;
pub mod geocoder;
mod http;
mod nominatim;
mod osrm;
mod packs;
mod photon;
mod platform;
pub mod roads;
mod valhalla;

use despacho_core::{
    domain::{Address, Leg, Located, Matrix, Point, Precision},
    geo::{self, Gazetteer, LocateFault, candidate::is_worth_asking, pack::Pack},
    host::Fault,
};
use futures_util::future::join_all;

pub use extract::Extract;
pub use figures::Figures;
pub use http::Unanswered;
pub(crate) use http::connector;
pub use nominatim::Nominatim;
pub use osrm::Osrm;
pub use packs::LoadedPack;
pub use photon::Photon;
pub use platform::Platform;
pub use valhalla::Valhalla;

use crate::config::Config;
use geocoder::{Asked, Geocoder, Geocoders, Later};
use http::{Manners, Service};
use roads::Roads;

/// Attempts at a geocoder, whose answer is worth a wait, and at a road service, which the model can stand in for.
const GEOCODER_ATTEMPTS: u32 = 3;
const ROUTING_ATTEMPTS: u32 = 2;

/// A place and what told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sourced {
    /// The place.
    pub located: Located,
    /// `coordinates`, `gazetteer` (a pack), `embedded`, or a geocoder's name.
    pub source: &'static str,
}

/// What places and roads are known from.
pub struct Geography {
    loaded: Vec<LoadedPack>,
    packs: Vec<Pack<'static>>,
    geocoders: Geocoders,
    roads: Vec<Box<dyn Roads>>,
    /// What a courier takes of a network's free-flow time.
    percent: u32,
    least: Precision,
    figures: Figures,
}

impl Geography {
    /// Embedded data alone.
    pub fn embedded() -> Geography {
        let figures = Figures::default();
        Geography {
            loaded: Vec::new(),
            packs: Vec::new(),
            geocoders: Geocoders::new(Vec::new(), None, figures.clone()),
            roads: Vec::new(),
            percent: 100,
            least: Precision::Municipality,
            figures,
        }
    }

    /// Everything that is configured: packs are read and checked, services are not asked yet.
    ///
    /// # Errors
    /// The first thing that cannot be used, and what to do.
    pub fn open(config: &Config) -> Result<Geography, String> {
        let chosen = &config.geography;
        let figures = Figures::default();
        let loaded = chosen.gazetteer.iter().map(|path| LoadedPack::read(path)).collect::<Result<Vec<_>, _>>()?;
        let geocoders = services(config, &figures)?;
        let cache = if geocoders.is_empty() {
            None
        } else {
            std::fs::create_dir_all(&config.data)
                .map_err(|error| format!("{} cannot be made: {error}", config.data.display()))?;
            geocoder::cache(&config.geocoder_file(), chosen.geocoder_days, chosen.geocoder_entries)?
        };
        Ok(Geography {
            packs: loaded.iter().map(|one| one.pack).collect(),
            loaded,
            geocoders: Geocoders::new(geocoders, cache, figures.clone()),
            roads: networks(config, &figures)?,
            percent: chosen.routing_percent,
            least: config.places.least_precision,
            figures,
        })
    }

    /// Whether nothing but embedded data is asked.
    pub fn is_embedded(&self) -> bool {
        self.packs.is_empty() && self.geocoders.is_empty() && self.roads.is_empty()
    }

    /// The counters.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// The names of the road networks, in the order they are asked in.
    pub fn networks(&self) -> Vec<&'static str> {
        self.roads.iter().map(|network| network.name()).collect()
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
        let packs = self.loaded.iter().map(line);
        packs.chain(self.roads.iter().filter_map(|network| network.describe())).collect()
    }

    /// Where addresses are, and what told it.
    ///
    /// # Errors
    /// That a geocoder did not answer, where without it an address is not known as precisely as the operator demands: that is not
    /// the caller's doing.
    pub async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Sourced, LocateFault>>, Fault> {
        let mut places: Vec<_> = addresses.iter().map(|address| self.known(address)).collect();
        let worth = |index: &usize| {
            let known = places[*index].map(|place: Sourced| place.located);
            !self.geocoders.is_empty() && is_worth_asking(addresses[*index], &known)
        };
        let asked: Vec<usize> = (0..addresses.len()).filter(worth).collect();
        let near: Vec<Option<Located>> = asked.iter().map(|index| places[*index].ok().map(|at| at.located)).collect();
        let questions: Vec<Later<'_, Asked>> = asked
            .iter()
            .zip(&near)
            .map(|(index, near)| -> Later<'_, Asked> {
                Box::pin(self.geocoders.find(addresses[*index], near.as_ref()))
            })
            .collect();
        for (index, answer) in asked.iter().zip(join_all(questions).await) {
            let known = places[*index].ok().map(|place| place.located);
            match answer {
                Asked::Found(located, source) if known.is_none_or(|known| self.is_better(&located, &known)) => {
                    places[*index] = Ok(Sourced { located, source });
                }
                Asked::Unanswered if known.is_some_and(|known| known.precision > self.least) => {
                    let detail = "it did not answer, and without it an address is not precise enough".to_owned();
                    return Err(Fault::Unavailable { what: "geocoder", detail });
                }
                _ => {}
            }
        }
        for place in places.iter().flatten() {
            self.figures.located(place.source, place.located.precision.name());
        }
        Ok(places)
    }

    /// Whether a geocoder's place replaces one of a pack: of a better level, and not so much wider (the middle of an avenue says
    /// less than that of a CEP) unless the pack's is too imprecise to be accepted.
    fn is_better(&self, offered: &Located, known: &Located) -> bool {
        let no_wider = offered.radius_m <= known.radius_m.saturating_mul(2);
        offered.precision < known.precision && (no_wider || known.precision > self.least)
    }

    /// What this process knows by itself.
    fn known(&self, address: &Address) -> Result<Sourced, LocateFault> {
        let gazetteer = Gazetteer::embedded();
        let embedded = gazetteer.locate(address);
        let best = if self.packs.is_empty() { embedded } else { gazetteer.locate_with(&self.packs, address) };
        best.map(|located| {
            let source = match located.precision {
                Precision::Coordinates => "coordinates",
                _ if embedded == Ok(located) => "embedded",
                _ => "gazetteer",
            };
            Sourced { located, source }
        })
    }

    /// Legs between every pair of places: by the road networks in turn, each asked only while cells are open, and by the embedded
    /// model where none of them can tell.
    pub async fn matrix(&self, places: &[Located]) -> Matrix {
        if self.roads.is_empty() || places.len() < 2 {
            return geo::matrix(places);
        }
        let size = places.len();
        let points: Vec<Point> = places.iter().map(|place| place.point).collect();
        let mut cells: Vec<Option<Leg>> = vec![None; size * size];
        for network in &self.roads {
            let Ok(ways) = network.ways(&points).await else { continue };
            let mut told = 0;
            for (cell, way) in ways.into_iter().enumerate().filter(|(cell, _)| cell / size != cell % size) {
                if let (Some(open @ None), Some(way)) = (cells.get_mut(cell), way) {
                    *open = Some(roads::leg(way, self.percent));
                    told += 1;
                }
            }
            self.figures.measured(network.name(), told);
            if cells.iter().enumerate().all(|(cell, leg)| leg.is_some() || cell / size == cell % size) {
                break;
            }
        }
        let matrix = geo::matrix_with_roads(places, &cells);
        let pairs = (0..size).flat_map(|from| (0..size).map(move |to| (from, to)));
        let stood_in = pairs.filter(|(from, to)| matrix.is_estimated(*from, *to)).count();
        self.figures.measured("model", stood_in as u64);
        matrix
    }
}

/// The configured geocoders.
fn services(config: &Config, figures: &Figures) -> Result<Vec<Box<dyn Geocoder>>, String> {
    let chosen = &config.geography;
    let manners = Manners {
        timeout: chosen.geocoder_timeout,
        attempts: GEOCODER_ATTEMPTS,
        per_second: Some(chosen.geocoder_pace),
    };
    let service = |name, base: &str| Service::new(name, base, manners.clone(), figures.clone());
    let mut found: Vec<Box<dyn Geocoder>> = Vec::new();
    if let Some(base) = &chosen.nominatim {
        found.push(Box::new(Nominatim(service("nominatim", base)?)));
    }
    if let Some(base) = &chosen.photon {
        found.push(Box::new(Photon(service("photon", base)?)));
    }
    Ok(found)
}

/// The configured road networks, those in this process first.
fn networks(config: &Config, figures: &Figures) -> Result<Vec<Box<dyn Roads>>, String> {
    let chosen = &config.geography;
    let manners = Manners { timeout: chosen.routing_timeout, attempts: ROUTING_ATTEMPTS, per_second: None };
    let service = |name, base: &str| Service::new(name, base, manners.clone(), figures.clone());
    let mut found: Vec<Box<dyn Roads>> = Vec::new();
    for path in &chosen.roads {
        found.push(Box::new(Extract::read(path)?));
    }
    if let Some(base) = &chosen.osrm {
        found.push(Box::new(Osrm {
            service: service("osrm", base)?,
            profile: chosen.routing_profile.clone(),
            snap_m: chosen.routing_snap_m,
            most_points: chosen.routing_points,
        }));
    }
    if let Some(base) = &chosen.valhalla {
        found.push(Box::new(Valhalla {
            service: service("valhalla", base)?,
            costing: chosen.routing_costing,
            snap_m: chosen.routing_snap_m,
            most_pairs: chosen.routing_pairs,
        }));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_an_avenue_does_not_replace_that_of_a_cep_unless_a_street_is_demanded() {
        let place = |precision, radius_m| Located { point: Point { lat_e7: 0, lon_e7: 0 }, precision, radius_m };
        let (cep, town) = (place(Precision::Cep, 90), place(Precision::Municipality, 9_000));
        let (avenue, lane) = (place(Precision::Street, 2_500), place(Precision::Street, 150));
        let geography = Geography::embedded();
        assert!(!geography.is_better(&avenue, &cep) && geography.is_better(&lane, &cep));
        assert!(geography.is_better(&avenue, &town) && !geography.is_better(&cep, &lane));
        assert!(Geography { least: Precision::Street, ..geography }.is_better(&avenue, &cep));
    }
}
