//! Geocoders, asked one after the other, with their answers verified and kept.

use std::time::Duration;

use despacho_core::{
    geo::{
        candidate::{Candidate, judge},
        names::plain,
        street_number,
    },
    model::{Address, Located, Precision, fingerprint},
};

use crate::{
    nominatim, photon,
    runtime::{Kept, Runtime, ServiceEvent},
    service::{RequestPolicy, Service, ServiceError},
    terms::GeocoderTerms,
};

/// Attempts at a geocoder, whose answer is worth a wait.
const ATTEMPTS: u32 = 3;

/// What asking geocoders came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeocoderResult {
    /// A verified place, and whose.
    Found(Located, &'static str),
    /// None of them knows a place that fits.
    Nothing,
    /// None of them knows one, and not all of them answered.
    ServiceError,
}

/// The configured geocoders, in the order they are asked in.
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
    /// The geocoders at these base addresses.
    pub fn at(nominatim: Option<&str>, photon: Option<&str>, terms: &GeocoderTerms) -> Geocoders {
        let timeout = Duration::from_millis(terms.timeout_ms);
        let policy = RequestPolicy { timeout, attempts: ATTEMPTS, per_second: Some(terms.per_second) };
        let geocoder = |kind, name, base| Geocoder { kind, service: Service::new(name, base, policy.clone()) };
        let nominatim = nominatim.map(|base| geocoder(Kind::Nominatim, "nominatim", base));
        let photon = photon.map(|base| geocoder(Kind::Photon, "photon", base));
        Geocoders(nominatim.into_iter().chain(photon).collect())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where an address is; `known` is what packs say of its CEP.
    pub async fn find<W: Runtime>(&self, runtime: &W, address: &Address, known: Option<&Located>) -> GeocoderResult {
        let (mut best, mut all_responded) = (None::<(Located, &'static str)>, true);
        for geocoder in &self.0 {
            match geocoder.query(runtime, address, known).await {
                Ok(Some(located)) if best.is_none_or(|(other, _)| located.precision < other.precision) => {
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
            None if all_responded => GeocoderResult::Nothing,
            None => GeocoderResult::ServiceError,
        }
    }
}

impl Geocoder {
    /// What it says, from what is kept where that holds it.
    async fn query<W: Runtime>(
        &self,
        runtime: &W,
        address: &Address,
        known: Option<&Located>,
    ) -> Result<Kept, ServiceError> {
        let request = self.hash(address, known);
        if let Some(kept) = runtime.kept(&request).await {
            return Ok(kept);
        }
        let kept = self.verified(runtime, address, known).await?;
        runtime.keep(&request, &kept).await;
        Ok(kept)
    }

    /// The place among its offers that fits; without the number too, where that finds nothing: an unknown number makes some services
    /// answer with nothing at all.
    async fn verified<W: Runtime>(
        &self,
        runtime: &W,
        address: &Address,
        known: Option<&Located>,
    ) -> Result<Kept, ServiceError> {
        let mut judged = judge(address, known, &self.offers(runtime, address).await?);
        if judged.is_err() && address.number.as_deref().and_then(street_number).is_some() {
            let bare = Address { number: None, ..address.clone() };
            judged = judge(&bare, known, &self.offers(runtime, &bare).await?);
        }
        let service = self.service.name();
        Ok(judged
            .map_err(|mismatch| runtime.record(ServiceEvent::Rejected { service, mismatch: mismatch.name() }))
            .ok())
    }

    /// The places that it offers for an address. Nobody has verified them: services ignore what they do not understand.
    async fn offers<W: Runtime>(&self, runtime: &W, address: &Address) -> Result<Vec<Candidate>, ServiceError> {
        let request = match self.kind {
            Kind::Nominatim => nominatim::request(address),
            Kind::Photon => photon::request(address),
        };
        let response = self.service.query(runtime, &request).await?;
        let offers = match self.kind {
            Kind::Nominatim => nominatim::offers(&response),
            Kind::Photon => photon::offers(&response),
        };
        offers.map_err(|what| self.service.malformed(runtime, what))
    }

    /// A question as a hash: who is asked, for what, and what the answer was verified against.
    fn hash(&self, address: &Address, known: Option<&Located>) -> String {
        let folded = |text: &Option<String>| plain(text.as_deref().unwrap_or_default());
        let known = known.map(|at| format!("{},{},{}", at.point.lat_e7, at.point.lon_e7, at.radius_m));
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
    use crate::testing::{Fixed, address, now};

    fn photon() -> Geocoders {
        Geocoders::at(None, Some("http://photon"), &GeocoderTerms::default())
    }

    /// A Photon that knows one street, and houses in it only where it is told so.
    fn street(knows_number: bool) -> Fixed {
        Fixed::new(move |url| {
            let silent = url.contains("housenumber=") && !knows_number;
            let house = if knows_number { r#","housenumber":"1578""# } else { "" };
            let feature = format!(
                r#"{{"geometry":{{"coordinates":[-46.6559,-23.5614]}},
                     "properties":{{"type":"house","street":"Avenida Paulista","city":"São Paulo"{house}}}}}"#
            );
            (200, format!(r#"{{"features":[{}]}}"#, if silent { "" } else { &feature }))
        })
    }

    #[test]
    fn an_unknown_number_is_asked_for_again_without_it_and_both_once() {
        let (runtime, geocoders) = (street(false), photon());
        for spelling in ["Avenida Paulista", "AVENIDA  PAULISTA"] {
            let requests = Address { street: Some(spelling.to_owned()), ..address() };
            let found = now(geocoders.find(&runtime, &requests, None));
            assert!(
                matches!(found, GeocoderResult::Found(Located { precision: Precision::Street, .. }, "photon")),
                "{found:?}"
            );
        }
        assert_eq!(runtime.requests().len(), 2, "the second spelling comes from what is kept");
    }

    #[test]
    fn a_service_that_does_not_answer_is_told_apart_and_not_kept() {
        let silent = Fixed::new(|_| (503, String::new()));
        assert_eq!(now(photon().find(&silent, &address(), None)), GeocoderResult::ServiceError);
        assert_eq!((silent.requests().len(), silent.count("ServerError")), (3, 3), "three attempts");
        let (runtime, geocoders) = (street(true), photon());
        let other = Address { city: Some("Manaus".to_owned()), state: Some("AM".to_owned()), ..address() };
        assert_eq!(now(geocoders.find(&runtime, &other, None)), GeocoderResult::Nothing);
        let found = now(geocoders.find(&runtime, &address(), None));
        assert!(matches!(found, GeocoderResult::Found(at, _) if at.precision == Precision::Number), "{found:?}");
        assert_eq!(runtime.requests().len(), 3);
    }

    #[test]
    fn a_service_that_fails_again_and_again_is_left_alone() {
        let (runtime, geocoders) = (Fixed::new(|_| (500, String::new())), photon());
        for number in 1..=8 {
            let requests = Address { number: Some(number.to_string()), ..address() };
            assert_eq!(now(geocoders.find(&runtime, &requests, None)), GeocoderResult::ServiceError);
        }
        assert_eq!((runtime.requests().len(), runtime.count("Resting")), (15, 3));
    }
}
