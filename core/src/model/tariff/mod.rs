//! Tariffs. Each has a version and is validated when it is loaded.
//!
//! A key lookup returns the revision of the stored tariffs. A host caches the few tariffs around
//! the current time and reads them again only for a newer revision, so that a preview needs no
//! further query, and a time of effect is exact on every instance. Every change of tariffs expects
//! a revision, so changes are decided one after the other.

mod schedule;

use std::ops::RangeInclusive;

use chrono::Weekday;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

pub use schedule::{StoredTariff, TariffSchedule};

use super::{LocalTime, Text, Vehicle};

/// The rules for calculating fees. Amounts are in reais, distances in kilometres. All decimals are
/// exact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tariff {
    /// Version in orders and quotes: 1 to 40 letters, digits, dots, underscores and hyphens.
    pub version: String,
    /// Base fee of every order.
    pub base_fee: Decimal,
    /// Kilometres covered by the base fee.
    pub base_km: Decimal,
    /// Fee per kilometre beyond these, excluding the way back.
    pub per_km: Decimal,
    /// Fee per stop after the first.
    pub per_extra_stop: Decimal,
    /// Fee for returning a payment, charged once.
    pub return_fee: Decimal,
    /// Fee per kilometre of the way back.
    pub return_per_km: Decimal,
    /// Surcharges depending on the local time of the pickup.
    #[serde(default)]
    pub windows: Vec<Window>,
    /// Surcharges depending on the vehicle that the order's requirements need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vehicles: Vec<VehicleSurcharge>,
    /// Minimum fee.
    pub minimum_fee: Decimal,
    /// Maximum length of the whole route in kilometres, including the way back.
    pub max_distance_km: Decimal,
    /// Maximum straight-line distance from the pickup to a stop in kilometres.
    pub service_radius_km: Decimal,
    /// Expected minutes from the start of the search to the courier's arrival at the pickup.
    pub approach_minutes: u32,
    /// Expected minutes at each stop.
    pub handover_minutes: u32,
}

/// A surcharge for orders that are priced at certain local times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Window {
    /// Name, such as `evening`.
    pub name: String,
    /// Days of the week, such as `mon` or `monday`, in upper or lower case. Empty means every day.
    #[serde(default)]
    pub days: Vec<Weekday>,
    /// Local time of the start, `HH:MM`.
    #[serde(with = "clock")]
    pub from: LocalTime,
    /// Local time of the end, exclusive. If it is not later than `from`, it is on the next day.
    #[serde(with = "clock")]
    pub until: LocalTime,
    /// Surcharge in per cent of the fee so far.
    pub percent: Decimal,
}

/// A surcharge for orders whose requirements need a kind of vehicle. It also applies to larger
/// kinds, up to the next kind in the list. It is never negative, so that a merchant does not pay
/// less for a stated load than for none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VehicleSurcharge {
    /// The smallest kind of vehicle.
    pub vehicle: Vehicle,
    /// Surcharge in per cent of the fee before all surcharges.
    #[serde(default)]
    pub percent: Decimal,
    /// Fixed surcharge.
    #[serde(default)]
    pub fee: Decimal,
}

/// An invalid field of a tariff.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {}", .detail.en)]
pub struct TariffError {
    /// The field.
    pub field: String,
    /// Description of the error, without a subject.
    pub detail: Text,
}

impl Default for Tariff {
    /// Returns the tariff of a deployment without configuration. Its amounts are a starting point,
    /// in the range of courier prices in 2026.
    fn default() -> Tariff {
        Tariff {
            version: "default-1".to_owned(),
            base_fee: Decimal::new(790, 2),
            base_km: Decimal::new(3, 0),
            per_km: Decimal::new(160, 2),
            per_extra_stop: Decimal::new(350, 2),
            return_fee: Decimal::new(200, 2),
            return_per_km: Decimal::new(80, 2),
            windows: vec![Window {
                name: "night".to_owned(),
                days: Vec::new(),
                from: LocalTime::of(22, 0),
                until: LocalTime::of(6, 0),
                percent: Decimal::new(20, 0),
            }],
            vehicles: Vec::new(),
            minimum_fee: Decimal::new(790, 2),
            max_distance_km: Decimal::new(120, 0),
            service_radius_km: Decimal::new(40, 0),
            approach_minutes: 8,
            handover_minutes: 3,
        }
    }
}

impl Tariff {
    /// Permitted amounts in reais.
    pub const FEE: RangeInclusive<u32> = 0..=10_000;
    /// Permitted distances in kilometres, and amounts per kilometre in reais.
    pub const KM: RangeInclusive<u32> = 0..=1_000;
    /// Maximum of `max_distance_km` and `service_radius_km`.
    pub const MAX_REACH_KM: u32 = 5_000;
    /// Permitted durations in minutes.
    pub const MINUTES: RangeInclusive<u32> = 0..=240;
    /// Maximum number of windows.
    pub const MAX_WINDOWS: usize = 50;
    /// Maximum number of characters of a window's name.
    pub const MAX_WINDOW_NAME: usize = 40;
    /// Permitted surcharges of a window in per cent.
    pub const WINDOW_PERCENT: RangeInclusive<i32> = -100..=500;
    /// Permitted surcharges for a vehicle in per cent.
    pub const VEHICLE_PERCENT: RangeInclusive<u32> = 0..=500;

    /// Validates the tariff and returns all errors. An empty list means that it is valid.
    pub fn errors(&self) -> Vec<TariffError> {
        let mut errors = Vec::new();
        let mut error = |field: &str, en: String, pt: String| {
            errors.push(TariffError {
                field: field.to_owned(),
                detail: Text::new(en, pt),
            });
        };
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if !(1..=40).contains(&self.version.len()) || !self.version.chars().all(is_allowed) {
            let en = "must be 1 to 40 letters, digits, dots, underscores and hyphens";
            error(
                "version",
                en.to_owned(),
                "deve ter de 1 a 40 letras, dígitos, pontos, sublinhados e hifens".to_owned(),
            );
        }
        let amounts = [
            ("baseFee", self.base_fee, Tariff::FEE),
            ("baseKm", self.base_km, Tariff::KM),
            ("perKm", self.per_km, Tariff::KM),
            ("perExtraStop", self.per_extra_stop, Tariff::FEE),
            ("returnFee", self.return_fee, Tariff::FEE),
            ("returnPerKm", self.return_per_km, Tariff::KM),
            ("minimumFee", self.minimum_fee, Tariff::FEE),
        ];
        for (field, value, bounds) in amounts {
            if let Some((en, pt)) = outside(value, bounds) {
                error(field, en, pt);
            }
        }
        for (field, value) in [
            ("maxDistanceKm", self.max_distance_km),
            ("serviceRadiusKm", self.service_radius_km),
        ] {
            let max = Tariff::MAX_REACH_KM;
            if value <= Decimal::ZERO || value > max.into() {
                let en = format!("must be above 0 and at most {max}");
                error(field, en, format!("deve ser maior que 0 e no máximo {max}"));
            }
        }
        for (field, value) in [
            ("approachMinutes", self.approach_minutes),
            ("handoverMinutes", self.handover_minutes),
        ] {
            if !Tariff::MINUTES.contains(&value) {
                let (min, max) = Tariff::MINUTES.into_inner();
                let en = format!("must be {min} to {max}");
                error(field, en, format!("deve ser de {min} a {max}"));
            }
        }
        let max = Tariff::MAX_WINDOWS;
        if self.windows.len() > max {
            error(
                "windows",
                format!("must have at most {max} items"),
                format!("deve ter no máximo {max} itens"),
            );
        }
        for (index, window) in self.windows.iter().enumerate() {
            let (min, max) = Tariff::WINDOW_PERCENT.into_inner();
            let percents = Decimal::from(min)..=Decimal::from(max);
            if !percents.contains(&window.percent) || window.percent.scale() > 4 {
                let field = format!("windows[{index}].percent");
                let en = format!("must be {min} to {max}");
                error(&field, en, format!("deve ser de {min} a {max}"));
            }
            let max = Tariff::MAX_WINDOW_NAME;
            if !(1..=max).contains(&window.name.chars().count()) {
                let field = format!("windows[{index}].name");
                let en = format!("must be 1 to {max} characters");
                error(&field, en, format!("deve ter de 1 a {max} caracteres"));
            }
        }
        self.check_vehicles(&mut error);
        errors
    }

    fn check_vehicles(&self, error: &mut dyn FnMut(&str, String, String)) {
        let max = Vehicle::ALL.len();
        if self.vehicles.len() > max {
            error(
                "vehicles",
                format!("must have at most {max} items"),
                format!("deve ter no máximo {max} itens"),
            );
            return;
        }
        for (index, one) in self.vehicles.iter().enumerate() {
            let mut field = |name: &str, en: &str, pt: &str| {
                error(
                    &format!("vehicles[{index}].{name}"),
                    en.to_owned(),
                    pt.to_owned(),
                );
            };
            if self
                .vehicles
                .iter()
                .take(index)
                .any(|other| other.vehicle == one.vehicle)
            {
                field(
                    "vehicle",
                    "must not occur twice",
                    "não pode ocorrer duas vezes",
                );
            }
            if let Some((en, pt)) = outside(one.percent, Tariff::VEHICLE_PERCENT) {
                field("percent", &en, &pt);
            }
            if let Some((en, pt)) = outside(one.fee, Tariff::FEE) {
                field("fee", &en, &pt);
            }
            if one.percent.is_zero() && one.fee.is_zero() {
                field(
                    "fee",
                    "must be above 0 unless `percent` is",
                    "deve ser maior que 0, a menos que `percent` seja",
                );
            }
        }
    }

    /// Returns the surcharge of the largest listed kind that is not larger than the needed one.
    pub fn surcharge(&self, needed: Vehicle) -> Option<&VehicleSurcharge> {
        self.vehicles
            .iter()
            .filter(|one| one.vehicle <= needed)
            .max_by_key(|one| one.vehicle)
    }
}

impl TariffError {
    /// Returns the RFC 6901 pointer to the field in a tariff: `/windows/0/percent` for
    /// `windows[0].percent`.
    pub fn pointer(&self) -> String {
        format!("/{}", self.field.replace('[', "/").replace("].", "/"))
    }
}

impl Window {
    /// Parses a local time in the format `HH:MM`, 00:00 to 23:59.
    pub fn parse_time(text: &str) -> Option<LocalTime> {
        LocalTime::parse(text).filter(|time| *time < LocalTime::END)
    }

    /// Returns whether the window contains a local time. After midnight, a window belongs to the
    /// day on which it started.
    pub fn contains(&self, day: Weekday, time: LocalTime) -> bool {
        let on = |day: Weekday| self.days.is_empty() || self.days.contains(&day);
        if self.from < self.until {
            on(day) && (self.from..self.until).contains(&time)
        } else {
            (on(day) && time >= self.from) || (on(day.pred()) && time < self.until)
        }
    }
}

/// Returns the error of an amount that is outside its bounds, from 0, or has more than four
/// decimals.
fn outside(value: Decimal, bounds: RangeInclusive<u32>) -> Option<(String, String)> {
    let (min, max) = bounds.into_inner();
    let is_valid = !value.is_sign_negative() && value <= max.into() && value.scale() <= 4;
    (!is_valid).then(|| {
        (
            format!("must be {min} to {max} with at most four decimals"),
            format!("deve ser de {min} a {max}, com no máximo quatro casas decimais"),
        )
    })
}

/// Serialization of local times as `HH:MM`.
mod clock {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::{LocalTime, Window};

    pub(super) fn serialize<S: Serializer>(
        time: &LocalTime,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(time)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<LocalTime, D::Error> {
        let text = String::deserialize(deserializer)?;
        Window::parse_time(&text).ok_or_else(|| D::Error::custom("expected a local time as HH:MM"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_numbers_or_texts_of_them() {
        let read = |percent: &str| {
            let json = format!(
                r#"{{"name": "x", "from": "08:00", "until": "09:00", "percent": {percent}}}"#
            );
            serde_json::from_str::<Window>(&json)
                .ok()
                .map(|window| window.percent)
        };
        for (text, units, scale) in [
            ("57.9", 579, 1),
            ("-0.01", -1, 2),
            ("1e-7", 1, 7),
            ("1e15", 1_000_000_000_000_000, 0),
            // Zero, so that a schema's exclusive minimum of zero matches.
            ("5e-324", 0, 0),
            ("\"-12.50\"", -1_250, 2),
            ("\"2.5E-4\"", 25, 5),
        ] {
            assert_eq!(read(text), Some(Decimal::new(units, scale)), "{text}");
        }
        for text in ["1e300", "\"\"", "\"1,5\"", "\"NaN\"", "true", "null"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn default_tariff_is_valid_and_round_trips_through_json() {
        let tariff = Tariff::default();
        assert_eq!(tariff.errors(), []);
        let text = serde_json::to_string(&tariff).unwrap();
        assert_eq!(serde_json::from_str::<Tariff>(&text).unwrap(), tariff);
    }

    #[test]
    fn local_times_require_hours_and_minutes() {
        let read = |clock: &str| {
            let json =
                format!(r#"{{"name": "x", "from": "{clock}", "until": "00:00", "percent": 1}}"#);
            serde_json::from_str::<Window>(&json)
                .ok()
                .map(|window| window.from)
        };
        assert_eq!(
            [read("08:30"), read("8:05"), read("23:59")],
            [(8, 30), (8, 5), (23, 59)].map(|(hour, minute)| Some(LocalTime::of(hour, minute)))
        );
        for invalid in [
            "24:00", "12:60", "12", "12:", ":30", "+1:30", "12:30:00", "012:30", "",
        ] {
            assert_eq!(read(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn days_parse_by_long_and_short_names() {
        let read = |day: &str| {
            let json = format!(
                r#"{{"name": "x", "days": ["{day}"], "from": "08:00", "until": "09:00", "percent": 1}}"#
            );
            serde_json::from_str::<Window>(&json)
                .ok()
                .map(|window| window.days)
        };
        for name in ["mon", "Tue", "WED", "thursday", "Friday", "sAt", "SUNDAY"] {
            assert_eq!(read(name), Some(vec![name.parse().unwrap()]), "{name}");
        }
        for invalid in ["", "m", "mo", "mond", "tues", "mondays", "day", " mon"] {
            assert_eq!(read(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn window_past_midnight_belongs_to_its_first_day() {
        let mut window = Tariff::default().windows.remove(0);
        window.days = vec![Weekday::Fri];
        assert!(
            window.contains(Weekday::Fri, LocalTime::of(22, 0))
                && window.contains(Weekday::Sat, LocalTime::of(5, 59))
        );
        assert!(
            !window.contains(Weekday::Sat, LocalTime::of(22, 0))
                && !window.contains(Weekday::Fri, LocalTime::of(5, 59))
        );
        assert!(!window.contains(Weekday::Sat, LocalTime::of(6, 0)));
    }

    #[test]
    fn all_tariff_errors_are_reported_together() {
        let tariff = Tariff {
            version: "no spaces".into(),
            per_km: Decimal::NEGATIVE_ONE,
            service_radius_km: Decimal::ZERO,
            handover_minutes: 999,
            ..Tariff::default()
        };
        let fields: Vec<_> = tariff
            .errors()
            .into_iter()
            .map(|error| error.field)
            .collect();
        assert_eq!(
            fields,
            ["version", "perKm", "serviceRadiusKm", "handoverMinutes"]
        );
    }

    #[test]
    fn error_of_a_window_has_a_pointer() {
        let mut tariff = Tariff::default();
        tariff.windows[0].percent = Decimal::from(501);
        let pointers: Vec<_> = tariff.errors().iter().map(TariffError::pointer).collect();
        assert_eq!(pointers, ["/windows/0/percent"]);
    }

    #[test]
    fn invalid_surcharges_of_vehicles_are_reported() {
        let list = |items: &[(Vehicle, i64, i64)]| {
            let surcharge = |&(vehicle, percent, fee): &_| VehicleSurcharge {
                vehicle,
                percent: Decimal::from(percent),
                fee: Decimal::from(fee),
            };
            let tariff = Tariff {
                vehicles: items.iter().map(surcharge).collect(),
                ..Tariff::default()
            };
            tariff
                .errors()
                .iter()
                .map(TariffError::pointer)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            list(&[(Vehicle::Car, 500, 0), (Vehicle::Vuc, 0, 10_000)]),
            Vec::<String>::new()
        );
        let invalid = [
            (Vehicle::Car, 501, -1),
            (Vehicle::Vuc, 0, 0),
            (Vehicle::Car, -1, 10_001),
        ];
        let pointers = [
            "0/percent",
            "0/fee",
            "1/fee",
            "2/vehicle",
            "2/percent",
            "2/fee",
        ]
        .map(|end| format!("/vehicles/{end}"));
        assert_eq!(list(&invalid), pointers);
        assert_eq!(list(&[(Vehicle::Car, 1, 0); 7]), ["/vehicles"]);
    }

    #[test]
    fn tariff_without_vehicles_is_written_as_before() {
        let text = serde_json::to_string(&Tariff::default()).unwrap();
        assert!(!text.contains("vehicles"), "{text}");
        let short: VehicleSurcharge =
            serde_json::from_str(r#"{"vehicle": "CAR", "percent": 50}"#).unwrap();
        assert_eq!(
            (short.percent, short.fee),
            (Decimal::from(50), Decimal::ZERO)
        );
    }
}
