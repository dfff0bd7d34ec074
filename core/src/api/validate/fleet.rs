//! Couriers, their places and their word.

use super::checker::{Checker, Path};
use crate::{
    api::{problem::Problem, read::Body},
    geo,
    model::{Address, CourierId, Duration, Email, Point, Timestamp},
    rules::couriers::{CourierUpdate, NewCourier},
    wire::{AlterCourier, Id, RegisterCourier, ReportPosition, SetAvailability},
};

const NAME: usize = 255;
const DOCUMENT: usize = 64;
/// How far ahead of the service's clock a courier's clock may be.
const AHEAD: Duration = Duration::minutes(5);
/// A place that may be so many metres off is no place.
const COARSEST_M: u32 = 10_000;

/// A new courier, validated, with the days that the key is valid.
///
/// # Errors
/// What is wrong with it, every field at once.
pub fn new_courier(body: Body<RegisterCourier>) -> Result<(NewCourier, Option<u32>), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let name = checker.required_text(&root.member("name"), sent.name.as_ref(), NAME);
    let phone = checker.required_text(&root.member("phone"), sent.phone.as_ref(), NAME);
    let phone = checker.phone(&root.member("phone"), phone);
    let email = checker.optional_email(&root.member("email"), sent.email.as_ref());
    let document = checker.text(&root.member("document"), sent.document.as_ref(), DOCUMENT);
    let profile_id = checker.profile(&root.member("profileId"), sent.profile_id);
    let days = checker.whole(&root.member("expiresInDays"), sent.expires_in_days, 1, 3_650);
    let (available, sandbox) = (sent.available.unwrap_or(false), sent.sandbox.unwrap_or(false));
    let new = name.zip(phone);
    let new = new.map(|(name, phone)| NewCourier { profile_id, name, phone, email, document, available, sandbox });
    checker.finish(new.map(|new| (new, days)))
}

/// What the operator changes of a courier, validated, with the days that a new key is valid.
///
/// # Errors
/// What is wrong with it, every field at once.
pub fn altered_courier(body: Body<AlterCourier>) -> Result<(CourierUpdate, Option<u32>), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let phone = checker.text(&root.member("phone"), sent.phone.as_ref(), NAME);
    let alteration = CourierUpdate {
        name: checker.text(&root.member("name"), sent.name.as_ref(), NAME),
        phone: checker.phone(&root.member("phone"), phone),
        email: checker.optional_email(&root.member("email"), sent.email.as_ref()),
        document: checker.text(&root.member("document"), sent.document.as_ref(), DOCUMENT),
        profile_id: checker.profile(&root.member("profileId"), sent.profile_id),
        available: sent.available,
        new_key: sent.new_key.unwrap_or(false),
        removed: sent.removed.unwrap_or(false),
    };
    let days = checker.whole(&root.member("expiresInDays"), sent.expires_in_days, 1, 3_650);
    checker.finish(Some((alteration, days)))
}

/// A courier's place and when the courier was there, validated.
///
/// # Errors
/// What is wrong with it, every field at once: a place outside the planet, outside Brazil or too coarse to be one, or a time to come.
pub fn position(body: Body<ReportPosition>, now: Timestamp) -> Result<(Point, Timestamp), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    for (name, value) in [("latitude", sent.latitude), ("longitude", sent.longitude)] {
        if value.is_none() {
            checker.required(&root.member(name));
        }
    }
    let degrees = sent.latitude.zip(sent.longitude);
    let point = degrees.and_then(|(latitude, longitude)| checker.point(&root, latitude, longitude));
    let point = point.filter(|point| checker.in_brazil(&root, *point));
    let accuracy = f64::from(COARSEST_M);
    if sent.accuracy.is_some_and(|metres| !(0.0..=accuracy).contains(&metres)) {
        let (en, pt) = (format!("Expected 0 to {COARSEST_M} metres."), format!("Esperado de 0 a {COARSEST_M} metros."));
        checker.reject(&root.member("accuracy"), "out_of_range", en, pt);
    }
    let taken = checker.instant(&root.member("at"), sent.at.as_ref(), now).unwrap_or(now);
    checker.finish(point.map(|point| (point, taken)))
}

/// Whether a courier takes orders.
///
/// # Errors
/// That it was not said.
pub fn availability(body: Body<SetAvailability>) -> Result<bool, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    if sent.available.is_none() {
        checker.required(&Path::Root.member("available"));
    }
    checker.finish(sent.available)
}

impl Checker {
    fn optional_email(&mut self, path: &Path<'_>, email: Option<&String>) -> Option<Email> {
        let text = self.text(path, email, 400);
        self.email(path, text)
    }

    /// A number of the operator's own; as every number of the API it is below 2⁵³.
    fn profile(&mut self, path: &Path<'_>, id: Option<Id>) -> Option<u64> {
        let Id(number) = id?;
        let valid = CourierId::new(number).map(CourierId::get);
        if valid.is_none() {
            self.reject(path, "out_of_range", "Expected a number from 1 on.", "Esperado um número a partir de 1.");
        }
        valid
    }

    fn in_brazil(&mut self, path: &Path<'_>, point: Point) -> bool {
        let address = Address { point: Some(point), ..Address::default() };
        let outside = matches!(geo::locate(&address), Err(geo::LocateError::CoordinatesOutside { .. }));
        if outside {
            let en = "The coordinates lie outside Brazil, or in the sea.";
            self.reject(
                &path.member("latitude"),
                "coordinates_outside",
                en,
                "As coordenadas ficam fora do Brasil, ou no mar.",
            );
        }
        !outside
    }

    fn instant(&mut self, path: &Path<'_>, text: Option<&String>, now: Timestamp) -> Option<Timestamp> {
        let text = self.text(path, text, 64)?;
        let Some(instant) = Timestamp::parse(&text) else {
            let en = "Expected an instant by RFC 3339, such as 2026-11-21T14:30:00Z.";
            self.reject(path, "invalid_time", en, "Esperado um instante em RFC 3339, como 2026-11-21T14:30:00Z.");
            return None;
        };
        if instant > now.after(AHEAD) {
            let (en, pt) = ("This is yet to come: check the clock.", "Isto ainda não aconteceu: confira o relógio.");
            self.reject(path, "out_of_range", en, pt);
            return None;
        }
        Some(instant)
    }
}
