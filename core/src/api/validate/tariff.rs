//! Tariffs, routes to price, and comparisons with orders.

use rust_decimal::Decimal;

use super::checker::{Checker, Path};
use crate::{
    api::{
        bounds,
        problem::{FieldError, Problem},
        read::Body,
    },
    model::{Distance, Duration, LocalTime, StoreId, Text, Timestamp, Uf, Zone},
    rules::pricing::{FeeInput, Tariff, VehicleSurcharge, Window},
    wire::{
        CompareTariff, CreateTariff, PreviewTariff, SurchargeBody, TariffBody, TariffSample,
        WindowBody,
    },
};

/// The time by which a time of effect can be in the past.
pub(super) const MAX_DELAY: Duration = Duration::minutes(1);
/// The time by which a time of effect can lie ahead.
pub(super) const MAX_AHEAD: Duration = Duration::minutes(366 * 24 * 60);

/// Validates a new tariff and its time of effect, which is not before `now`.
///
/// # Errors
/// Every invalid field.
pub fn new_tariff(
    body: Body<CreateTariff>,
    now: Timestamp,
) -> Result<(Tariff, Timestamp), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let tariff = checker.tariff(&root.member("tariff"), sent.tariff);
    let path = root.member("effectiveFrom");
    let from = checker.instant_before(&path, sent.effective_from.as_ref(), now.after(MAX_AHEAD));
    if from.is_some_and(|from| from < now.before(MAX_DELAY)) {
        let en = "The time is in the past. Send a later time, or omit the field.";
        let pt = "O horário já passou. Envie um horário posterior ou omita o campo.";
        checker.reject(&path, "out_of_range", en, pt);
    }
    checker.finish(tariff.map(|tariff| (tariff, from.unwrap_or(now).max(now))))
}

/// Validates a draft with the routes to price.
///
/// # Errors
/// Every invalid field.
pub fn tariff_preview(
    body: Body<PreviewTariff>,
    now: Timestamp,
) -> Result<(Tariff, Vec<FeeInput>), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let tariff = checker.tariff(&root.member("tariff"), sent.tariff);
    let path = root.member("samples");
    let samples = sent.samples.unwrap_or_default();
    if samples.is_empty() {
        checker.required(&path);
    }
    checker.has_at_most(&path, samples.len(), bounds::TARIFF_SAMPLES);
    let samples = samples
        .iter()
        .take(*bounds::TARIFF_SAMPLES.end())
        .enumerate();
    let inputs: Vec<FeeInput> = samples
        .filter_map(|(index, sample)| checker.sample(&path.item(index), sample, now))
        .collect();
    checker.finish(tariff.map(|tariff| (tariff, inputs)))
}

/// A draft to compare with past orders.
#[derive(Clone, Debug)]
pub struct TariffDraft {
    /// The draft.
    pub tariff: Tariff,
    /// The number of days.
    pub days: u32,
    /// The store, if one was sent; it may not exist.
    pub store: Option<Option<StoreId>>,
    /// The time of the first request, and the last entry of the ledger that was read; `None` in the
    /// first request.
    pub run: Option<(Timestamp, u64)>,
}

/// Validates a draft to compare.
///
/// # Errors
/// Every invalid field.
pub fn tariff_comparison(body: Body<CompareTariff>) -> Result<TariffDraft, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let tariff = checker.tariff(&root.member("tariff"), sent.tariff);
    let path = root.member("days");
    if sent.days.is_none() {
        checker.required(&path);
    }
    let days = checker.integer(&path, sent.days, bounds::COMPARED_DAYS);
    let store = sent.store_id.map(|id| StoreId::new(id.0));
    let run = checker.cursor(sent.cursor.as_deref());
    checker.finish(tariff.zip(days).map(|(tariff, days)| TariffDraft {
        tariff,
        days,
        store,
        run,
    }))
}

impl Checker {
    /// Checks that all fields exist, and then all values.
    fn tariff(&mut self, path: &Path<'_>, sent: Option<TariffBody>) -> Option<Tariff> {
        let Some(sent) = sent else {
            self.required(path);
            return None;
        };
        let version = self.required_text(
            &path.member("version"),
            sent.version.as_ref(),
            bounds::FORMATTED,
        );
        let mut decimal = |name, value| self.required_decimal(&path.member(name), value);
        let amounts = [
            decimal("baseFee", sent.base_fee),
            decimal("baseKm", sent.base_km),
            decimal("perKm", sent.per_km),
            decimal("perExtraStop", sent.per_extra_stop),
            decimal("returnFee", sent.return_fee),
            decimal("returnPerKm", sent.return_per_km),
            decimal("minimumFee", sent.minimum_fee),
            decimal("maxDistanceKm", sent.max_distance_km),
            decimal("serviceRadiusKm", sent.service_radius_km),
        ];
        let mut minutes = |name, value: Option<f64>| {
            let path = path.member(name);
            if value.is_none() {
                self.required(&path);
            }
            self.integer(&path, value, Tariff::MINUTES)
        };
        let (approach, handover) = (
            minutes("approachMinutes", sent.approach_minutes),
            minutes("handoverMinutes", sent.handover_minutes),
        );
        let list = path.member("windows");
        let sent_windows = sent.windows.unwrap_or_default();
        let windows: Vec<Window> = sent_windows
            .iter()
            .enumerate()
            .filter_map(|(index, one)| self.window(&list.item(index), one))
            .collect();
        let list = path.member("vehicles");
        let sent_vehicles = sent.vehicles.unwrap_or_default();
        let vehicles = sent_vehicles.iter().enumerate();
        let vehicles: Vec<VehicleSurcharge> = vehicles
            .filter_map(|(index, one)| self.surcharge(&list.item(index), one))
            .collect();
        let is_complete =
            windows.len() == sent_windows.len() && vehicles.len() == sent_vehicles.len();
        let [
            base_fee,
            base_km,
            per_km,
            per_extra_stop,
            return_fee,
            return_per_km,
            minimum_fee,
            max_km,
            radius_km,
        ] = amounts;
        let tariff = Tariff {
            version: version?,
            base_fee: base_fee?,
            base_km: base_km?,
            per_km: per_km?,
            per_extra_stop: per_extra_stop?,
            return_fee: return_fee?,
            return_per_km: return_per_km?,
            windows,
            vehicles,
            minimum_fee: minimum_fee?,
            max_distance_km: max_km?,
            service_radius_km: radius_km?,
            approach_minutes: approach?,
            handover_minutes: handover?,
        };
        // Without all items of both lists, the indices in the errors would be incorrect.
        if is_complete {
            self.errors
                .extend(tariff.errors().into_iter().map(|error| FieldError {
                    pointer: format!("{}{}", path.pointer(), error.pointer()),
                    code: if error.field.ends_with(".vehicle") {
                        "duplicate"
                    } else {
                        "out_of_range"
                    },
                    detail: Text::new(
                        format!("The value {}.", error.detail.en),
                        format!("O valor {}.", error.detail.pt),
                    ),
                }));
        }
        Some(tariff)
    }

    pub(super) fn window(&mut self, path: &Path<'_>, sent: &WindowBody) -> Option<Window> {
        let name = self.required_text(&path.member("name"), sent.name.as_ref(), bounds::FORMATTED);
        let days = self.weekdays(
            &path.member("days"),
            sent.days.as_deref().unwrap_or_default(),
        );
        let from = self.local_time(&path.member("from"), sent.from.as_ref());
        let until = self.local_time(&path.member("until"), sent.until.as_ref());
        let percent = self.required_decimal(&path.member("percent"), sent.percent);
        Some(Window {
            name: name?,
            days,
            from: from?,
            until: until?,
            percent: percent?,
        })
    }

    fn surcharge(&mut self, path: &Path<'_>, sent: &SurchargeBody) -> Option<VehicleSurcharge> {
        let name = self.required_text(
            &path.member("vehicle"),
            sent.vehicle.as_ref(),
            bounds::FORMATTED,
        );
        let vehicle = name.and_then(|name| self.vehicle(&path.member("vehicle"), &name));
        Some(VehicleSurcharge {
            vehicle: vehicle?,
            percent: sent.percent.unwrap_or_default(),
            fee: sent.fee.unwrap_or_default(),
        })
    }

    fn local_time(&mut self, path: &Path<'_>, text: Option<&String>) -> Option<LocalTime> {
        let text = self.required_text(path, text, bounds::FORMATTED);
        self.parsed(path, text, |text| {
            Window::parse_time(text).ok_or_else(|| {
                let en = "Expected a local time in the format HH:MM, such as 18:30.";
                let pt = "Esperado um horário local no formato HH:MM, como 18:30.";
                ("invalid_time", en.to_owned(), pt.to_owned())
            })
        })
    }

    fn required_decimal(&mut self, path: &Path<'_>, value: Option<Decimal>) -> Option<Decimal> {
        if value.is_none() {
            self.required(path);
        }
        value
    }

    fn sample(&mut self, path: &Path<'_>, sent: &TariffSample, now: Timestamp) -> Option<FeeInput> {
        if sent.distance_km.is_none() {
            self.required(&path.member("distanceKm"));
        }
        let outward = self.kilometres(&path.member("distanceKm"), sent.distance_km);
        let back = self.kilometres(&path.member("returnKm"), sent.return_km);
        let stops = self
            .integer(&path.member("stops"), sent.stops, bounds::SAMPLE_STOPS)
            .unwrap_or(1);
        let at = self
            .timestamp(&path.member("at"), sent.at.as_ref())
            .unwrap_or(now);
        let zone = self.zone(&path.member("state"), sent.state.as_ref());
        let vehicle = sent
            .vehicle
            .as_ref()
            .and_then(|name| self.vehicle(&path.member("vehicle"), name));
        Some(FeeInput {
            outward: outward?,
            back,
            stops: stops as usize,
            at,
            zone,
            vehicle,
        })
    }

    /// Reads the time zone of a state, by default that of Brasília.
    pub(super) fn zone(&mut self, path: &Path<'_>, sent: Option<&String>) -> Zone {
        let state = self.text(path, sent, bounds::FORMATTED);
        let uf = self.parsed(path, state, |text| {
            Uf::parse(text).ok_or_else(|| {
                let en = "Expected the code of a Brazilian state, such as SP.";
                let pt = "Esperada a sigla de um estado brasileiro, como SP.";
                ("invalid_state", en.to_owned(), pt.to_owned())
            })
        });
        uf.map(|uf| Zone::of(None, uf)).unwrap_or_default()
    }

    /// Reads a distance in kilometres and rounds it to metres.
    pub(super) fn kilometres(&mut self, path: &Path<'_>, value: Option<f64>) -> Option<Distance> {
        let number = value?;
        let (min, max) = bounds::SAMPLE_KM.into_inner();
        if !(f64::from(min)..=f64::from(max)).contains(&number) {
            let en = format!("Expected {min} to {max} kilometres.");
            let pt = format!("Esperado de {min} a {max} quilômetros.");
            self.reject(path, "out_of_range", en, pt);
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number within the range above"
        )]
        let metres = (number * 1_000.0).round() as u32;
        Some(Distance(metres))
    }
}
