//! Locates addresses by coordinates, packs, embedded data and geocoders.

use despacho_core::{
    geo::{Gazetteer, LocateError, candidate::is_worth_querying, pack::Pack},
    host::HostError,
    model::{Address, Located, Precision, StoreId},
};
use futures_util::future::join_all;

use crate::{
    geocoders::{GeocoderResult, Geocoders},
    runtime::{Runtime, ServiceEvent},
};

/// A location and its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcedLocation {
    /// The location.
    pub located: Located,
    /// `coordinates`, `gazetteer` (a pack), `embedded`, or a geocoder's name.
    pub source: &'static str,
}

/// The sources of locations: embedded data, packs and geocoders.
#[derive(Debug)]
pub struct Places {
    gazetteer: Gazetteer,
    packs: Vec<Pack<'static>>,
    geocoders: Geocoders,
    min_precision: Precision,
}

impl Places {
    /// Searches the packs in this order, then the geocoders. The operator rejects addresses below
    /// `min_precision`.
    pub fn new(
        gazetteer: Gazetteer,
        packs: Vec<Pack<'static>>,
        geocoders: Geocoders,
        min_precision: Precision,
    ) -> Places {
        Places {
            gazetteer,
            packs,
            geocoders,
            min_precision,
        }
    }

    /// Whether only embedded data is used.
    pub fn is_embedded(&self) -> bool {
        self.packs.is_empty() && self.geocoders.is_empty()
    }

    /// Whether a geocoder is configured.
    pub fn has_geocoders(&self) -> bool {
        !self.geocoders.is_empty()
    }

    /// Locates addresses for a merchant, which has its share of the geocoders, or for the operator.
    ///
    /// # Errors
    /// A geocoder failed, and without it an address is less precise than the operator requires. The
    /// caller is not responsible.
    pub async fn locate<W: Runtime>(
        &self,
        runtime: &W,
        merchant: Option<StoreId>,
        addresses: &[&Address],
    ) -> Result<Vec<Result<SourcedLocation, LocateError>>, HostError> {
        let mut places: Vec<_> = addresses
            .iter()
            .map(|address| self.locate_offline(address))
            .collect();
        let is_queried = |index: &usize| {
            let known = places[*index].map(|place: SourcedLocation| place.located);
            !self.geocoders.is_empty() && is_worth_querying(addresses[*index], &known)
        };
        let queried: Vec<usize> = (0..addresses.len()).filter(is_queried).collect();
        let near: Vec<Option<Located>> = queried
            .iter()
            .map(|index| places[*index].ok().map(|at| at.located))
            .collect();
        let mut requests = Vec::with_capacity(queried.len());
        for (index, near) in queried.iter().zip(&near) {
            requests.push(self.geocoders.find(
                runtime,
                self.gazetteer,
                merchant,
                addresses[*index],
                near.as_ref(),
            ));
        }
        for (index, response) in queried.iter().zip(join_all(requests).await) {
            let known = places[*index].ok().map(|place| place.located);
            match response {
                GeocoderResult::Found(located, source)
                    if known.is_none_or(|known| self.is_better(&located, &known)) =>
                {
                    places[*index] = Ok(SourcedLocation { located, source });
                }
                GeocoderResult::ServiceError
                    if known.is_some_and(|known| known.precision > self.min_precision) =>
                {
                    let detail =
                        "it failed, and without it an address is not precise enough".to_owned();
                    return Err(HostError::Unavailable {
                        what: "geocoder",
                        detail,
                    });
                }
                _ => {}
            }
        }
        for place in places.iter().flatten() {
            runtime.record(ServiceEvent::Located {
                source: place.source,
                precision: place.located.precision.name(),
            });
        }
        Ok(places)
    }

    /// Whether a geocoder's location replaces a pack's: it must be more precise. It must also have
    /// at most twice the radius, because the middle of an avenue is less useful than that of a CEP,
    /// unless the pack's location is too imprecise to be accepted.
    fn is_better(&self, offered: &Located, known: &Located) -> bool {
        let no_wider = offered.radius_m <= known.radius_m.saturating_mul(2);
        offered.precision < known.precision && (no_wider || known.precision > self.min_precision)
    }

    /// Locates an address with embedded data and packs only.
    fn locate_offline(&self, address: &Address) -> Result<SourcedLocation, LocateError> {
        let gazetteer = self.gazetteer;
        let embedded = gazetteer.locate(address);
        let best = if self.packs.is_empty() {
            embedded
        } else {
            gazetteer.locate_with(&self.packs, address)
        };
        best.map(|located| {
            let source = match located.precision {
                Precision::Coordinates => "coordinates",
                _ if embedded == Ok(located) => "embedded",
                _ => "gazetteer",
            };
            SourcedLocation { located, source }
        })
    }
}

#[cfg(test)]
mod tests {
    use despacho_core::model::Point;

    use super::*;
    use crate::{
        config::GeocoderConfig,
        testing::{FakeRuntime, address, block_on},
    };

    fn with(geocoders: Geocoders, min_precision: Precision) -> Places {
        Places::new(Gazetteer::embedded(), Vec::new(), geocoders, min_precision)
    }

    #[test]
    fn avenue_replaces_cep_only_if_street_precision_is_required() {
        let place = |precision, radius_m| Located {
            point: Point {
                lat_e7: 0,
                lon_e7: 0,
            },
            precision,
            radius_m,
        };
        let (cep, town) = (
            place(Precision::Cep, 90),
            place(Precision::Municipality, 9_000),
        );
        let (avenue, lane) = (
            place(Precision::Street, 2_500),
            place(Precision::Street, 150),
        );
        let places = with(Geocoders::default(), Precision::Municipality);
        assert!(!places.is_better(&avenue, &cep) && places.is_better(&lane, &cep));
        assert!(places.is_better(&avenue, &town) && !places.is_better(&cep, &lane));
        assert!(with(Geocoders::default(), Precision::Street).is_better(&avenue, &cep));
    }

    #[test]
    fn geocoder_failure_is_an_error_only_if_it_is_needed() {
        let down = || FakeRuntime::new(|_| (500, String::new()));
        let nominatim =
            || Geocoders::at(Some("http://nominatim"), None, &GeocoderConfig::default());
        let found = block_on(with(nominatim(), Precision::Municipality).locate(
            &down(),
            None,
            &[&address()],
        ));
        assert_eq!(
            found.map(|found| found[0].map(|at| at.source)),
            Ok(Ok("embedded"))
        );
        let error =
            block_on(with(nominatim(), Precision::Street).locate(&down(), None, &[&address()]));
        assert!(
            matches!(
                error,
                Err(HostError::Unavailable {
                    what: "geocoder",
                    ..
                })
            ),
            "{error:?}"
        );
        let unknown = FakeRuntime::new(|_| (200, "[]".to_owned()));
        let found =
            block_on(with(nominatim(), Precision::Street).locate(&unknown, None, &[&address()]));
        assert_eq!(
            found.map(|found| found[0].map(|at| at.located.precision)),
            Ok(Ok(Precision::Municipality))
        );
    }
}
