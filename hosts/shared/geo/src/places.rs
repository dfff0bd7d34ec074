//! Where addresses are, by coordinates, packs, embedded data and geocoders together.

use despacho_core::{
    geo::{Gazetteer, LocateError, candidate::is_worth_querying, pack::Pack},
    host::HostError,
    model::{Address, Located, Precision},
};
use futures_util::future::join_all;

use crate::{
    geocoders::{GeocoderResult, Geocoders},
    runtime::{Runtime, ServiceEvent},
};

/// A place and what told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sourced {
    /// The place.
    pub located: Located,
    /// `coordinates`, `gazetteer` (a pack), `embedded`, or a geocoder's name.
    pub source: &'static str,
}

/// What places are known from.
#[derive(Debug)]
pub struct Places {
    packs: Vec<Pack<'static>>,
    geocoders: Geocoders,
    min: Precision,
}

impl Places {
    /// Packs, the first one first, then geocoders; `least` is the precision below which the operator takes no address.
    pub fn new(packs: Vec<Pack<'static>>, geocoders: Geocoders, min: Precision) -> Places {
        Places { packs, geocoders, min }
    }

    /// Whether nothing but embedded data is asked.
    pub fn is_embedded(&self) -> bool {
        self.packs.is_empty() && self.geocoders.is_empty()
    }

    /// Where addresses are, and what told it.
    ///
    /// # Errors
    /// That a geocoder did not answer, where without it an address is not known as precisely as the operator demands: that is not
    /// the caller's doing.
    pub async fn locate<W: Runtime>(
        &self,
        runtime: &W,
        addresses: &[&Address],
    ) -> Result<Vec<Result<Sourced, LocateError>>, HostError> {
        let mut places: Vec<_> = addresses.iter().map(|address| self.known(address)).collect();
        let worth = |index: &usize| {
            let known = places[*index].map(|place: Sourced| place.located);
            !self.geocoders.is_empty() && is_worth_querying(addresses[*index], &known)
        };
        let queried: Vec<usize> = (0..addresses.len()).filter(worth).collect();
        let near: Vec<Option<Located>> = queried.iter().map(|index| places[*index].ok().map(|at| at.located)).collect();
        let mut requests = Vec::with_capacity(queried.len());
        for (index, near) in queried.iter().zip(&near) {
            requests.push(self.geocoders.find(runtime, addresses[*index], near.as_ref()));
        }
        for (index, response) in queried.iter().zip(join_all(requests).await) {
            let known = places[*index].ok().map(|place| place.located);
            match response {
                GeocoderResult::Found(located, source)
                    if known.is_none_or(|known| self.is_better(&located, &known)) =>
                {
                    places[*index] = Ok(Sourced { located, source });
                }
                GeocoderResult::ServiceError if known.is_some_and(|known| known.precision > self.min) => {
                    let detail = "it did not answer, and without it an address is not precise enough".to_owned();
                    return Err(HostError::Unavailable { what: "geocoder", detail });
                }
                _ => {}
            }
        }
        for place in places.iter().flatten() {
            runtime.record(ServiceEvent::Located { source: place.source, precision: place.located.precision.name() });
        }
        Ok(places)
    }

    /// Whether a geocoder's place replaces one of a pack: of a better level, and not so much wider (the middle of an avenue says
    /// less than that of a CEP) unless the pack's is too imprecise to be accepted.
    fn is_better(&self, offered: &Located, known: &Located) -> bool {
        let no_wider = offered.radius_m <= known.radius_m.saturating_mul(2);
        offered.precision < known.precision && (no_wider || known.precision > self.min)
    }

    /// What this process knows by itself.
    fn known(&self, address: &Address) -> Result<Sourced, LocateError> {
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
}

#[cfg(test)]
mod tests {
    use despacho_core::model::Point;

    use super::*;
    use crate::{
        terms::GeocoderTerms,
        testing::{Fixed, address, now},
    };

    fn with(geocoders: Geocoders, min: Precision) -> Places {
        Places::new(Vec::new(), geocoders, min)
    }

    #[test]
    fn the_middle_of_an_avenue_does_not_replace_that_of_a_cep_unless_a_street_is_demanded() {
        let place = |precision, radius_m| Located { point: Point { lat_e7: 0, lon_e7: 0 }, precision, radius_m };
        let (cep, town) = (place(Precision::Cep, 90), place(Precision::Municipality, 9_000));
        let (avenue, lane) = (place(Precision::Street, 2_500), place(Precision::Street, 150));
        let places = with(Geocoders::default(), Precision::Municipality);
        assert!(!places.is_better(&avenue, &cep) && places.is_better(&lane, &cep));
        assert!(places.is_better(&avenue, &town) && !places.is_better(&cep, &lane));
        assert!(with(Geocoders::default(), Precision::Street).is_better(&avenue, &cep));
    }

    #[test]
    fn a_geocoder_that_is_down_is_a_fault_only_where_it_is_needed() {
        let down = || Fixed::new(|_| (500, String::new()));
        let nominatim = || Geocoders::at(Some("http://nominatim"), None, &GeocoderTerms::default());
        let found = now(with(nominatim(), Precision::Municipality).locate(&down(), &[&address()]));
        assert_eq!(found.map(|found| found[0].map(|at| at.source)), Ok(Ok("embedded")));
        let error = now(with(nominatim(), Precision::Street).locate(&down(), &[&address()]));
        assert!(matches!(error, Err(HostError::Unavailable { what: "geocoder", .. })), "{error:?}");
        let unknown = Fixed::new(|_| (200, "[]".to_owned()));
        let found = now(with(nominatim(), Precision::Street).locate(&unknown, &[&address()]));
        assert_eq!(found.map(|found| found[0].map(|at| at.located.precision)), Ok(Ok(Precision::Municipality)));
    }
}
