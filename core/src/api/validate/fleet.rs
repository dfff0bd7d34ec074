//! Couriers, their positions and their availability.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    geo::{Gazetteer, LocateError},
    model::{
        Address, CourierId, Duration, Email, Equipment, Money, Point, Timestamp, courier::Shift,
    },
    rules::couriers::{CourierUpdate, NewCourier},
    wire::{
        AlterCourier, Id, RegisterCourier, ReportPosition, SetAvailability, StartCourierSession,
        StartOperatorSession,
    },
};

/// The time by which a device's clock may be ahead of the service's clock.
pub(super) const MAX_CLOCK_SKEW: Duration = Duration::minutes(5);
/// The time by which a shift may lie ahead.
const MAX_SHIFT_AHEAD: Duration = Duration::minutes(7 * 24 * 60);

/// Validates a new courier. Also returns the number of days for which the key is valid.
///
/// # Errors
/// Every invalid field.
pub fn new_courier(body: Body<RegisterCourier>) -> Result<(NewCourier, Option<u32>), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let name = checker.required_text(&root.member("name"), sent.name.as_ref(), bounds::NAME);
    let phone = checker.required_text(&root.member("phone"), sent.phone.as_ref(), bounds::NAME);
    let phone = checker.phone(&root.member("phone"), phone);
    let email = checker.optional_email(&root.member("email"), sent.email.as_ref());
    let document = checker.text(
        &root.member("document"),
        sent.document.as_ref(),
        bounds::CODE,
    );
    let profile_id = checker.profile(&root.member("profileId"), sent.profile_id);
    let days = checker.integer(
        &root.member("expiresInDays"),
        sent.expires_in_days,
        bounds::KEY_DAYS,
    );
    let (available, sandbox) = (
        sent.available.unwrap_or(false),
        sent.sandbox.unwrap_or(false),
    );
    let (max_weight_g, max_volume_ml) = (
        checker.weight_limit(&root, sent.max_weight_grams),
        checker.volume_limit(&root, sent.max_volume_millilitres),
    );
    let vehicle = sent
        .vehicle
        .as_ref()
        .and_then(|name| checker.vehicle(&root.member("vehicle"), name))
        .unwrap_or_default();
    let equipment = checker
        .equipment(&root, sent.equipment.as_deref())
        .unwrap_or(Equipment::ALL);
    let cash_limit = checker.cash_limit(sent.cash_limit).flatten();
    let new = name.zip(phone);
    let new = new.map(|(name, phone)| NewCourier {
        profile_id,
        name,
        phone,
        email,
        document,
        available,
        sandbox,
        vehicle,
        max_weight_g,
        max_volume_ml,
        equipment,
        cash_limit,
    });
    checker.finish(new.map(|new| (new, days)))
}

/// Validates the operator's changes to a courier. Also returns the number of days for which a new
/// key is valid.
///
/// # Errors
/// Every invalid field.
pub fn altered_courier(body: Body<AlterCourier>) -> Result<(CourierUpdate, Option<u32>), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let phone = checker.text(&root.member("phone"), sent.phone.as_ref(), bounds::NAME);
    let alteration = CourierUpdate {
        name: checker.text(&root.member("name"), sent.name.as_ref(), bounds::NAME),
        phone: checker.phone(&root.member("phone"), phone),
        email: checker.optional_email(&root.member("email"), sent.email.as_ref()),
        document: checker.text(
            &root.member("document"),
            sent.document.as_ref(),
            bounds::CODE,
        ),
        profile_id: checker.profile(&root.member("profileId"), sent.profile_id),
        available: sent.available,
        vehicle: sent
            .vehicle
            .as_ref()
            .and_then(|name| checker.vehicle(&root.member("vehicle"), name)),
        max_weight_g: checker.weight_limit(&root, sent.max_weight_grams),
        max_volume_ml: checker.volume_limit(&root, sent.max_volume_millilitres),
        equipment: checker.equipment(&root, sent.equipment.as_deref()),
        cash_limit: checker.cash_limit(sent.cash_limit),
        suspended: sent.suspended,
        new_key: sent.new_key.unwrap_or(false),
        removed: sent.removed.unwrap_or(false),
    };
    let days = checker.integer(
        &root.member("expiresInDays"),
        sent.expires_in_days,
        bounds::KEY_DAYS,
    );
    checker.finish(Some((alteration, days)))
}

/// Validates a courier's position and its time.
///
/// # Errors
/// Every invalid field: coordinates out of range or outside Brazil, insufficient accuracy, or a
/// time in the future.
pub fn position(
    body: Body<ReportPosition>,
    gazetteer: Gazetteer,
    now: Timestamp,
) -> Result<(Point, Timestamp), Problem> {
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
    let point = point.filter(|point| checker.in_brazil(&root, gazetteer, *point));
    if sent.accuracy.is_some_and(|metres| !is_accurate(metres)) {
        let (min, max) = bounds::ACCURACY_M.into_inner();
        let en = format!("Expected {min} to {max} metres.");
        let pt = format!("Esperado de {min} a {max} metros.");
        checker.reject(&root.member("accuracy"), "out_of_range", en, pt);
    }
    let taken = checker
        .instant(&root.member("at"), sent.at.as_ref(), now)
        .unwrap_or(now);
    checker.finish(point.map(|point| (point, taken)))
}

/// Validates the code of a sign-in link.
///
/// # Errors
/// Every invalid field.
pub fn sign_in_code(body: Body<StartCourierSession>) -> Result<String, Problem> {
    let mut checker = Checker::new(body.wrong);
    let code = checker.required_text(
        &Path::Root.member("code"),
        body.value.code.as_ref(),
        bounds::LINK_CODE,
    );
    checker.finish(code)
}

/// Validates the request for an operator's session and returns the token.
///
/// # Errors
/// Every invalid field.
pub fn operator_token(body: Body<StartOperatorSession>) -> Result<String, Problem> {
    let mut checker = Checker::new(body.wrong);
    let token = checker.required_text(
        &Path::Root.member("token"),
        body.value.token.as_ref(),
        bounds::OPERATOR_TOKEN,
    );
    checker.finish(token)
}

/// Validates a courier's availability and the shift, if one was sent.
///
/// # Errors
/// Every invalid field: `available` is absent, or a shift has ended, ends before it starts or is
/// too far ahead.
pub fn availability(
    body: Body<SetAvailability>,
    now: Timestamp,
) -> Result<(bool, Option<Shift>), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    if sent.available.is_none() {
        checker.required(&root.member("available"));
    }
    let last = now.after(MAX_SHIFT_AHEAD);
    let from = checker.instant_before(
        &root.member("availableFrom"),
        sent.available_from.as_ref(),
        last,
    );
    let until = checker.instant_before(
        &root.member("availableUntil"),
        sent.available_until.as_ref(),
        last,
    );
    if until.is_some_and(|until| until <= from.unwrap_or(now).max(now)) {
        let en = "The shift must end in the future and after its start.";
        let pt = "O turno precisa terminar no futuro e depois do início.";
        checker.reject(&root.member("availableUntil"), "out_of_range", en, pt);
    }
    let shift = from.or(until.map(|_| now)).map(|from| Shift {
        from,
        until,
        orders: 0,
    });
    checker.finish(sent.available.map(|available| (available, shift)))
}

/// Whether an accuracy radius in metres is within its bounds.
pub(super) fn is_accurate(metres: f64) -> bool {
    let (min, max) = bounds::ACCURACY_M.into_inner();
    (f64::from(min)..=f64::from(max)).contains(&metres)
}

/// Whether a point is on land in Brazil.
pub(super) fn is_in_brazil(gazetteer: Gazetteer, point: Point) -> bool {
    let address = Address {
        point: Some(point),
        ..Address::default()
    };
    !matches!(
        gazetteer.locate(&address),
        Err(LocateError::CoordinatesOutside { .. })
    )
}

impl Checker {
    /// Reads a limit of cash. The inner `None` is a limit of zero, which is none.
    fn cash_limit(&mut self, sent: Option<f64>) -> Option<Option<Money>> {
        let limit = self.value(&Path::Root.member("cashLimit"), sent)?;
        Some(Some(limit).filter(|limit| *limit > Money::ZERO))
    }

    fn optional_email(&mut self, path: &Path<'_>, email: Option<&String>) -> Option<Email> {
        let text = self.text(path, email, bounds::EMAIL);
        self.email(path, text)
    }

    /// Reads a profile ID, which the operator assigns. Like every ID of the API it is below 2⁵³.
    fn profile(&mut self, path: &Path<'_>, id: Option<Id>) -> Option<u64> {
        let Id(number) = id?;
        let valid = CourierId::new(number).map(CourierId::get);
        if valid.is_none() {
            self.reject(
                path,
                "out_of_range",
                "Expected an integer of 1 or more.",
                "Esperado um número inteiro a partir de 1.",
            );
        }
        valid
    }

    fn in_brazil(&mut self, path: &Path<'_>, gazetteer: Gazetteer, point: Point) -> bool {
        let is_inside = is_in_brazil(gazetteer, point);
        if !is_inside {
            self.reject(
                &path.member("latitude"),
                "coordinates_outside",
                "The coordinates are outside Brazil or in the sea. Check latitude and longitude.",
                "As coordenadas ficam fora do Brasil ou no mar. Confira latitude e longitude.",
            );
        }
        is_inside
    }

    fn instant(
        &mut self,
        path: &Path<'_>,
        text: Option<&String>,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let instant = self.timestamp(path, text)?;
        if instant > now.after(MAX_CLOCK_SKEW) {
            let en = "The timestamp is in the future. Check the device's clock.";
            let pt = "O horário está no futuro. Confira o relógio do dispositivo.";
            self.reject(path, "out_of_range", en, pt);
            return None;
        }
        Some(instant)
    }

    pub(super) fn instant_before(
        &mut self,
        path: &Path<'_>,
        text: Option<&String>,
        last: Timestamp,
    ) -> Option<Timestamp> {
        let instant = self.timestamp(path, text)?;
        if instant > last {
            let en = format!("The time is too far ahead. Send at most {last}.");
            let pt = format!("O horário está distante demais. Envie no máximo {last}.");
            self.reject(path, "out_of_range", en, pt);
            return None;
        }
        Some(instant)
    }

    pub(super) fn timestamp(
        &mut self,
        path: &Path<'_>,
        text: Option<&String>,
    ) -> Option<Timestamp> {
        let text = self.text(path, text, bounds::FORMATTED)?;
        let Some(instant) = Timestamp::parse(&text) else {
            let en = "Expected a timestamp in RFC 3339 format, such as 2026-11-21T14:30:00Z.";
            let pt = "Esperados data e horário no formato RFC 3339, como 2026-11-21T14:30:00Z.";
            self.reject(path, "invalid_time", en, pt);
            return None;
        };
        Some(instant)
    }
}
