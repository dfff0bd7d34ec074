//! Geocoders: what each must do, and asking them in turn, with their answers verified and kept.

use std::{future::Future, path::Path, pin::Pin, sync::Arc, time::Duration};

use despacho_core::{
    domain::{Address, Located, Precision, fingerprint},
    geo::{
        candidate::{Candidate, Doubt, judge},
        names::plain,
        street_number,
    },
};

use super::{
    cache::{Cache, Kept},
    figures::{Cached, Figures},
    http::Unanswered,
};

/// An answer that comes later.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A service that knows where addresses are.
pub trait Geocoder: Send + Sync {
    /// Its name in metrics and in answers of `despacho locate`.
    fn name(&self) -> &'static str;
    /// What tells it from others of its kind: the address it is asked at.
    fn base(&self) -> &str;
    /// The places that it offers for an address. Nobody has verified them: services ignore what they do not understand.
    fn offers<'a>(&'a self, address: &'a Address) -> Later<'a, Result<Vec<Candidate>, Unanswered>>;
}

/// What asking geocoders came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A verified place, and whose.
    Found(Located, &'static str),
    /// None of them knows a place that fits.
    Nothing,
    /// None of them knows one, and not all of them answered.
    Unanswered,
}

/// The configured geocoders, asked one after the other.
pub(super) struct Geocoders {
    services: Vec<Box<dyn Geocoder>>,
    cache: Option<Arc<Cache>>,
    figures: Figures,
}

impl Geocoders {
    pub(super) fn new(services: Vec<Box<dyn Geocoder>>, cache: Option<Cache>, figures: Figures) -> Geocoders {
        Geocoders { services, cache: cache.map(Arc::new), figures }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.services.is_empty()
    }

    /// Where an address is; `known` is what packs say of its CEP.
    pub(super) async fn find(&self, address: &Address, known: Option<&Located>) -> Asked {
        let (mut best, mut all_answered) = (None::<(Located, &'static str)>, true);
        for service in &self.services {
            match self.ask(service.as_ref(), address, known).await {
                Ok(Some(located)) if best.is_none_or(|(other, _)| located.precision < other.precision) => {
                    best = Some((located, service.name()));
                }
                Ok(_) => {}
                Err(_) => all_answered = false,
            }
            if best.is_some_and(|(located, _)| located.precision <= Precision::Number) {
                break;
            }
        }
        match best {
            Some((located, name)) => Asked::Found(located, name),
            None if all_answered => Asked::Nothing,
            None => Asked::Unanswered,
        }
    }

    /// What one geocoder says, from the cache where that holds it.
    async fn ask(
        &self,
        service: &dyn Geocoder,
        address: &Address,
        known: Option<&Located>,
    ) -> Result<Kept, Unanswered> {
        let question = question(service, address, known);
        if let Some(kept) = self.kept(&question).await {
            return Ok(kept);
        }
        let kept = self.verified(service, address, known).await?;
        self.keep(question, kept).await;
        Ok(kept)
    }

    /// The place among a geocoder's offers that fits; without the number too, where that finds nothing: an unknown number makes
    /// some services answer with nothing at all.
    async fn verified(
        &self,
        service: &dyn Geocoder,
        address: &Address,
        known: Option<&Located>,
    ) -> Result<Kept, Unanswered> {
        let mut judged = judge(address, known, &service.offers(address).await?);
        if judged.is_err() && address.number.as_deref().and_then(street_number).is_some() {
            let bare = Address { number: None, ..address.clone() };
            judged = judge(&bare, known, &service.offers(&bare).await?);
        }
        Ok(judged.map_err(|doubt: Doubt| self.figures.doubted(service.name(), doubt.name())).ok())
    }

    async fn kept(&self, question: &str) -> Option<Kept> {
        let (cache, question) = (self.cache.clone()?, question.to_owned());
        let looked_up = tokio::task::spawn_blocking(move || cache.get(&question)).await;
        let (outcome, kept) = match looked_up {
            Ok(Ok(Some(kept))) => (Cached::Hit, Some(kept)),
            Ok(Ok(None)) => (Cached::Miss, None),
            // Without the cache everything is asked again, which is slower and as right.
            Ok(Err(_)) | Err(_) => (Cached::Failed, None),
        };
        self.figures.looked_up(outcome);
        kept
    }

    async fn keep(&self, question: String, kept: Kept) {
        let Some(cache) = self.cache.clone() else { return };
        let written = tokio::task::spawn_blocking(move || cache.put(&question, &kept)).await;
        if !matches!(written, Ok(Ok(()))) {
            self.figures.looked_up(Cached::Failed);
        }
    }
}

/// Opens the cache of a deployment; `None` where nothing is to be kept.
pub(super) fn cache(file: &Path, days: u32, most: u32) -> Result<Option<Cache>, String> {
    let keep = Duration::from_secs(u64::from(days) * 24 * 3_600);
    if days == 0 { Ok(None) } else { Cache::open(file, keep, most).map(Some) }
}

/// A question as a hash: who is asked, for what, and what the answer was verified against.
fn question(service: &dyn Geocoder, address: &Address, known: Option<&Located>) -> String {
    let folded = |text: &Option<String>| plain(text.as_deref().unwrap_or_default());
    let known = known.map(|at| format!("{},{},{}", at.point.lat_e7, at.point.lon_e7, at.radius_m));
    let cep = address.cep().map(|cep| cep.number().to_string());
    let parts = [
        service.name().to_owned(),
        service.base().to_owned(),
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use despacho_core::domain::Point;

    use super::*;

    /// Knows one street, and houses in it only where it is told so.
    struct Fixed {
        asked: AtomicU32,
        knows_number: bool,
        answers: bool,
    }

    impl Geocoder for Arc<Fixed> {
        fn name(&self) -> &'static str {
            "fixed"
        }

        fn base(&self) -> &str {
            "here"
        }

        fn offers<'a>(&'a self, address: &'a Address) -> Later<'a, Result<Vec<Candidate>, Unanswered>> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            let street = Candidate {
                point: Point::from_degrees(-23.5614, -46.6559),
                cities: vec!["São Paulo".to_owned()],
                street: address.street.clone(),
                number: address.number.clone(),
                ..Candidate::default()
            };
            let silent = address.number.is_some() && !self.knows_number;
            let offers = if silent { vec![] } else { vec![street] };
            let answer = if self.answers { Ok(offers) } else { Err(Unanswered::Failed) };
            Box::pin(async move { answer })
        }
    }

    fn address() -> Address {
        let text = |text: &str| Some(text.to_owned());
        Address {
            street: text("Avenida Paulista"),
            number: text("1578"),
            city: text("São Paulo"),
            state: text("SP"),
            ..Address::default()
        }
    }

    fn geocoders(folder: &Path, knows_number: bool, answers: bool) -> (Arc<Fixed>, Geocoders) {
        let fixed = Arc::new(Fixed { asked: AtomicU32::new(0), knows_number, answers });
        let cache = cache(&folder.join("geocoder.db"), 1, 100).unwrap();
        (fixed.clone(), Geocoders::new(vec![Box::new(fixed)], cache, Figures::default()))
    }

    #[tokio::test]
    async fn an_unknown_number_is_asked_for_again_without_it_and_both_once() {
        let folder = tempfile::tempdir().unwrap();
        let (fixed, geocoders) = geocoders(folder.path(), false, true);
        for spelling in ["Avenida Paulista", "AVENIDA  PAULISTA"] {
            let asked = Address { street: Some(spelling.to_owned()), ..address() };
            let found = geocoders.find(&asked, None).await;
            assert!(matches!(found, Asked::Found(Located { precision: Precision::Street, .. }, "fixed")), "{found:?}");
        }
        assert_eq!(fixed.asked.load(Ordering::Relaxed), 2, "the second spelling comes from the cache");
    }

    #[tokio::test]
    async fn a_service_that_does_not_answer_is_told_apart_and_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (_, silent) = geocoders(folder.path(), true, false);
        assert_eq!(silent.find(&address(), None).await, Asked::Unanswered);
        let (fixed, geocoders) = geocoders(folder.path(), true, true);
        let other = Address { city: Some("Manaus".to_owned()), state: Some("AM".to_owned()), ..address() };
        assert_eq!(geocoders.find(&other, None).await, Asked::Nothing);
        assert!(
            matches!(geocoders.find(&address(), None).await, Asked::Found(at, _) if at.precision == Precision::Number)
        );
        assert_eq!(fixed.asked.load(Ordering::Relaxed), 3);
    }
}
