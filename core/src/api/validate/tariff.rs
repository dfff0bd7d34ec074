//! Tariffs.

use chrono::Weekday;
use rust_decimal::Decimal;

use super::checker::{Checker, Path};
use crate::{
    api::{
        problem::{FieldError, Problem},
        read::Body,
    },
    model::{Duration, Text, Timestamp},
    rules::pricing::{Tariff, Window},
    wire::{CreateTariff, DecimalNumber, TariffBody, WindowBody},
};

/// The time by which a time of effect can be in the past.
const MAX_DELAY: Duration = Duration::minutes(1);
/// The time by which a time of effect can lie ahead.
const MAX_AHEAD: Duration = Duration::minutes(366 * 24 * 60);
/// Maximum length of strings that have their own format.
const FORMATTED: usize = 64;

/// Validates a new tariff and its time of effect, which is not before `now`.
///
/// # Errors
/// Every invalid field.
pub fn new_tariff(body: Body<CreateTariff>, now: Timestamp) -> Result<(Tariff, Timestamp), Problem> {
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

impl Checker {
    /// Checks that all fields exist, and then all values.
    fn tariff(&mut self, path: &Path<'_>, sent: Option<TariffBody>) -> Option<Tariff> {
        let Some(sent) = sent else {
            self.required(path);
            return None;
        };
        let version = self.required_text(&path.member("version"), sent.version.as_ref(), FORMATTED);
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
            self.integer(&path, value, 0, 240)
        };
        let (approach, handover) =
            (minutes("approachMinutes", sent.approach_minutes), minutes("handoverMinutes", sent.handover_minutes));
        let list = path.member("windows");
        let sent = sent.windows.unwrap_or_default();
        let count = sent.len();
        let windows: Vec<Window> =
            sent.iter().enumerate().filter_map(|(index, one)| self.window(&list.item(index), one)).collect();
        let [base_fee, base_km, per_km, per_extra_stop, return_fee, return_per_km, minimum_fee, max_km, radius_km] =
            amounts;
        let tariff = Tariff {
            version: version?,
            base_fee: base_fee?,
            base_km: base_km?,
            per_km: per_km?,
            per_extra_stop: per_extra_stop?,
            return_fee: return_fee?,
            return_per_km: return_per_km?,
            windows,
            minimum_fee: minimum_fee?,
            max_distance_km: max_km?,
            service_radius_km: radius_km?,
            approach_minutes: approach?,
            handover_minutes: handover?,
        };
        // Without all windows, the indices in the errors would be incorrect.
        if tariff.windows.len() == count {
            self.errors.extend(tariff.errors().into_iter().map(|error| FieldError {
                pointer: format!("{}{}", path.pointer(), error.pointer()),
                code: "out_of_range",
                detail: Text::new(format!("The value {}.", error.detail.en), format!("O valor {}.", error.detail.pt)),
            }));
        }
        Some(tariff)
    }

    fn window(&mut self, path: &Path<'_>, sent: &WindowBody) -> Option<Window> {
        let name = self.required_text(&path.member("name"), sent.name.as_ref(), FORMATTED);
        let list = path.member("days");
        let names = sent.days.as_deref().unwrap_or_default();
        if names.len() > 7 {
            self.reject(&list, "out_of_range", "Send at most 7 days.", "Envie no máximo 7 dias.");
        }
        let mut days = Vec::new();
        for (index, day) in names.iter().take(7).enumerate() {
            match day.parse::<Weekday>() {
                Ok(day) => days.push(day),
                Err(_) => {
                    let en = "Expected a day of the week in English, such as `mon`.";
                    let pt = "Esperado um dia da semana em inglês, como `mon`.";
                    self.reject(&list.item(index), "unknown_value", en, pt);
                }
            }
        }
        let from = self.local_time(&path.member("from"), sent.from.as_ref());
        let until = self.local_time(&path.member("until"), sent.until.as_ref());
        let percent = self.required_decimal(&path.member("percent"), sent.percent);
        Some(Window { name: name?, days, from: from?, until: until?, percent: percent? })
    }

    fn local_time(&mut self, path: &Path<'_>, text: Option<&String>) -> Option<chrono::NaiveTime> {
        let text = self.required_text(path, text, FORMATTED);
        self.parsed(path, text, |text| {
            Window::parse_time(text).ok_or_else(|| {
                let en = "Expected a local time in the format HH:MM, such as 18:30.";
                let pt = "Esperado um horário local no formato HH:MM, como 18:30.";
                ("invalid_time", en.to_owned(), pt.to_owned())
            })
        })
    }

    fn required_decimal(&mut self, path: &Path<'_>, value: Option<DecimalNumber>) -> Option<Decimal> {
        if value.is_none() {
            self.required(path);
        }
        value.map(|number| number.0)
    }
}
