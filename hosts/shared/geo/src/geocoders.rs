//! Geocoders, queried one after the other. Their results are verified and cached.

use std::time::Duration;

use despacho_core::{
    geo::{
        Gazetteer,
        candidate::{Candidate, judge},
        names::plain,
        street_number,
    },
    model::{Address, Located, Precision, StoreId, fingerprint},
};

use crate::{
    config::GeocoderConfig,
    nominatim, photon,
    runtime::{CachedResult, Runtime, ServiceEvent},
    service::{RequestPolicy, Service, ServiceError},
};

/// Maximum attempts at a geocoder. They are more than for road services because no estimate
/// replaces a geocoder.
const ATTEMPTS: u32 = 3;

/// The result of querying all geocoders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeocoderResult {
    /// A verified location and the geocoder's name.
    Found(Located, &'static str),
    /// No geocoder has a matching location.
    NotFound,
    /// No geocoder returned a matching location, and at least one failed.
    ServiceError,
}

/// The configured geocoders, in the order of their queries.
#[derive(Debug, Default)]
pub struct Geocoders(Vec<Geocoder>);

#[derive(Debug)]
struct Geocoder {
    kind: Kind,
    service: Service,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Nominatim,
    Photon,
}

impl Geocoders {
    /// Creates the geocoders at these base URLs.
    pub fn at(nominatim: Option<&str>, photon: Option<&str>, config: &GeocoderConfig) -> Geocoders {
        let timeout = Duration::from_millis(config.timeout_ms);
        let policy = RequestPolicy {
            timeout,
            attempts: ATTEMPTS,
            per_second: Some(config.per_second),
        };
        let geocoder = |kind, name, base| Geocoder {
            kind,
            service: Service::new(name, base, policy.clone()),
        };
        let nominatim = nominatim.map(|base| geocoder(Kind::Nominatim, "nominatim", base));
        let photon = photon.map(|base| geocoder(Kind::Photon, "photon", base));
        Geocoders(nominatim.into_iter().chain(photon).collect())
    }

    /// Whether no geocoder is configured.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Locates an address for a merchant. `known` is the location of its CEP in the packs.
    pub async fn find<W: Runtime>(
        &self,
        runtime: &W,
        gazetteer: Gazetteer,
        merchant: Option<StoreId>,
        address: &Address,
        known: Option<&Located>,
    ) -> GeocoderResult {
        let (mut best, mut all_responded) = (None::<(Located, &'static str)>, true);
        for geocoder in &self.0 {
            match geocoder
                .query(runtime, gazetteer, merchant, address, known)
                .await
            {
                Ok(Some(located))
                    if best.is_none_or(|(other, _)| located.precision < other.precision) =>
                {
                    best = Some((located, geocoder.service.name()));
                }
                Ok(_) => {}
                Err(_) => all_responded = false,
            }
            if best.is_some_and(|(located, _)| located.precision <= Precision::Number) {
                break;
            }
        }
        match best {
            Some((located, name)) => GeocoderResult::Found(located, name),
            None if all_responded => GeocoderResult::NotFound,
            None => GeocoderResult::ServiceError,
        }
    }
}

impl Geocoder {
    /// Returns the cached result, or queries the geocoder and caches its result.
    async fn query<W: Runtime>(
        &self,
        runtime: &W,
        gazetteer: Gazetteer,
        merchant: Option<StoreId>,
        address: &Address,
        known: Option<&Located>,
    ) -> Result<CachedResult, ServiceError> {
        let request = self.hash(address, known);
        if let Some(cached) = runtime.cached(&request).await {
            return Ok(cached);
        }
        let result = self
            .verified(runtime, gazetteer, merchant, address, known)
            .await?;
        runtime.put_cached(&request, &result).await;
        Ok(result)
    }

    /// Returns the candidate that matches the address. If none matches, repeats the request without
    /// the number, because some services return nothing for an unknown number.
    async fn verified<W: Runtime>(
        &self,
        runtime: &W,
        gazetteer: Gazetteer,
        merchant: Option<StoreId>,
        address: &Address,
        known: Option<&Located>,
    ) -> Result<CachedResult, ServiceError> {
        let mut judged = judge(
            gazetteer,
            address,
            known,
            &self.candidates(runtime, merchant, address).await?,
        );
        if judged.is_err() && address.number.as_deref().and_then(street_number).is_some() {
            let bare = Address {
                number: None,
                ..address.clone()
            };
            judged = judge(
                gazetteer,
                &bare,
                known,
                &self.candidates(runtime, merchant, &bare).await?,
            );
        }
        let service = self.service.name();
        Ok(judged
            .map_err(|mismatch| {
                runtime.record(ServiceEvent::Rejected {
                    service,
                    mismatch: mismatch.name(),
                })
            })
            .ok())
    }

    /// Returns the geocoder's candidates for an address. They are unverified: services ignore parts
    /// that they do not understand.
    async fn candidates<W: Runtime>(
        &self,
        runtime: &W,
        merchant: Option<StoreId>,
        address: &Address,
    ) -> Result<Vec<Candidate>, ServiceError> {
        let request = match self.kind {
            Kind::Nominatim => nominatim::request(address),
            Kind::Photon => photon::request(address),
        };
        let response = self.service.query(runtime, merchant, &request).await?;
        let candidates = match self.kind {
            Kind::Nominatim => nominatim::candidates(&response),
            Kind::Photon => photon::candidates(&response),
        };
        candidates.map_err(|detail| self.service.malformed(runtime, detail))
    }

    /// Returns a hash of the service, the address and the location that the result is verified
    /// against.
    fn hash(&self, address: &Address, known: Option<&Located>) -> String {
        let folded = |text: &Option<String>| plain(text.as_deref().unwrap_or_default());
        let known =
            known.map(|at| format!("{},{},{}", at.point.lat_e7, at.point.lon_e7, at.radius_m));
        let cep = address.cep().map(|cep| cep.number().to_string());
        let parts = [
            self.service.name().to_owned(),
            self.service.base().to_owned(),
            folded(&address.street),
            folded(&address.number),
            folded(&address.neighborhood),
            folded(&address.city),
            folded(&address.state),
            cep.unwrap_or_default(),
            known.unwrap_or_default(),
        ];
        fingerprint(&parts.each_ref().map(|part| part.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        runtime::AttemptError,
        testing::{FakeRuntime, address, block_on},
    };

    fn photon() -> Geocoders {
        Geocoders::at(None, Some("http://photon"), &GeocoderConfig::default())
    }

    /// A Photon server with one street, whose house is known only if `knows_number`.
    fn street(knows_number: bool) -> FakeRuntime {
        FakeRuntime::new(move |url| {
            let silent = url.contains("housenumber=") && !knows_number;
            let house = if knows_number {
                r#","housenumber":"1578""#
            } else {
                ""
            };
            let feature = format!(
                r#"{{"geometry":{{"coordinates":[-46.6559,-23.5614]}},
                     "properties":{{"type":"house","street":"Avenida Paulista","city":"São Paulo"{house}}}}}"#
            );
            (
                200,
                format!(r#"{{"features":[{}]}}"#, if silent { "" } else { &feature }),
            )
        })
    }

    #[test]
    fn unknown_number_is_retried_without_it_and_result_is_cached() {
        let (runtime, geocoders) = (street(false), photon());
        for spelling in ["Avenida Paulista", "AVENIDA  PAULISTA"] {
            let requests = Address {
                street: Some(spelling.to_owned()),
                ..address()
            };
            let found =
                block_on(geocoders.find(&runtime, Gazetteer::embedded(), None, &requests, None));
            assert!(
                matches!(
                    found,
                    GeocoderResult::Found(
                        Located {
                            precision: Precision::Street,
                            ..
                        },
                        "photon"
                    )
                ),
                "{found:?}"
            );
        }
        assert_eq!(
            runtime.requests().len(),
            2,
            "the second spelling comes from the cache"
        );
    }

    #[test]
    fn service_error_differs_from_not_found_and_is_not_cached() {
        let silent = FakeRuntime::new(|_| (503, String::new()));
        assert_eq!(
            block_on(photon().find(&silent, Gazetteer::embedded(), None, &address(), None)),
            GeocoderResult::ServiceError
        );
        assert_eq!(
            (silent.requests().len(), silent.count("ServerError")),
            (3, 3),
            "three attempts"
        );
        let (runtime, geocoders) = (street(true), photon());
        let other = Address {
            city: Some("Manaus".to_owned()),
            state: Some("AM".to_owned()),
            ..address()
        };
        assert_eq!(
            block_on(geocoders.find(&runtime, Gazetteer::embedded(), None, &other, None)),
            GeocoderResult::NotFound
        );
        let found =
            block_on(geocoders.find(&runtime, Gazetteer::embedded(), None, &address(), None));
        assert!(
            matches!(found, GeocoderResult::Found(at, _) if at.precision == Precision::Number),
            "{found:?}"
        );
        assert_eq!(runtime.requests().len(), 3);
    }

    #[test]
    fn forbidden_service_is_reported_once_and_not_called_again() {
        let (runtime, geocoders) = (
            FakeRuntime::with(|_| Err(AttemptError::Forbidden("the list"))),
            photon(),
        );
        for number in 1..=3 {
            let requested = Address {
                number: Some(number.to_string()),
                ..address()
            };
            let found =
                block_on(geocoders.find(&runtime, Gazetteer::embedded(), None, &requested, None));
            assert_eq!(found, GeocoderResult::ServiceError);
        }
        assert_eq!(
            (
                runtime.requests().len(),
                runtime.count("Forbidden"),
                runtime.elapsed()
            ),
            (1, 3, Duration::ZERO)
        );
        let reported = runtime.events(|event| !matches!(event, ServiceEvent::Queried { .. }));
        assert_eq!(
            reported,
            [ServiceEvent::Forbidden {
                service: "photon",
                setting: "the list"
            }]
        );
    }

    #[test]
    fn repeated_failures_open_the_circuit_breaker() {
        let (runtime, geocoders) = (FakeRuntime::new(|_| (500, String::new())), photon());
        for number in 1..=8 {
            let requests = Address {
                number: Some(number.to_string()),
                ..address()
            };
            assert_eq!(
                block_on(geocoders.find(&runtime, Gazetteer::embedded(), None, &requests, None)),
                GeocoderResult::ServiceError
            );
        }
        assert_eq!(
            (runtime.requests().len(), runtime.count("CircuitOpen")),
            (15, 3)
        );
    }
}
