//! The tariff: what a deployment charges, versioned and validated when it is loaded.

use chrono::{NaiveTime, Timelike, Weekday};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::model::read_decimal;

/// The rules that a fee is made of. Amounts are reais, distances kilometres, all decimals exact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tariff {
    /// Names this tariff in orders and quotes, 1 to 40 letters, digits, dots and hyphens.
    pub version: String,
    /// What every order costs.
    #[serde(deserialize_with = "read_decimal")]
    pub base_fee: Decimal,
    /// Kilometres that the base fee covers.
    #[serde(deserialize_with = "read_decimal")]
    pub base_km: Decimal,
    /// For each kilometre after them, the way back not included.
    #[serde(deserialize_with = "read_decimal")]
    pub per_km: Decimal,
    /// For each stop after the first.
    #[serde(deserialize_with = "read_decimal")]
    pub per_extra_stop: Decimal,
    /// Once, where the courier brings a payment back.
    #[serde(deserialize_with = "read_decimal")]
    pub return_fee: Decimal,
    /// For each kilometre of the way back.
    #[serde(deserialize_with = "read_decimal")]
    pub return_per_km: Decimal,
    /// Surcharges by the local time of the pickup.
    #[serde(default)]
    pub windows: Vec<Window>,
    /// The least that an order costs.
    #[serde(deserialize_with = "read_decimal")]
    pub minimum_fee: Decimal,
    /// Kilometres of the whole route, the way back included, at most.
    #[serde(deserialize_with = "read_decimal")]
    pub max_distance_km: Decimal,
    /// Kilometres from the pickup to any stop in a straight line, at most.
    #[serde(deserialize_with = "read_decimal")]
    pub service_radius_km: Decimal,
    /// Minutes that a courier takes to reach the pickup once the search began.
    pub approach_minutes: u32,
    /// Minutes at each door.
    pub handover_minutes: u32,
}

/// A surcharge on the fee of orders that are priced at certain local times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Window {
    /// What people call it: `evening`.
    pub name: String,
    /// Days of the week, such as `mon` or `monday`, in any case; empty for every day.
    #[serde(default)]
    pub days: Vec<Weekday>,
    /// From this local time on, `HH:MM`.
    #[serde(with = "clock")]
    pub from: NaiveTime,
    /// Until before this local time; at or before `from`, it is the next day's.
    #[serde(with = "clock")]
    pub until: NaiveTime,
    /// Per cent on top of the fee so far.
    #[serde(deserialize_with = "read_decimal")]
    pub percent: Decimal,
}

/// One thing that is wrong with a tariff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TariffError {
    /// The field.
    pub field: String,
    /// What is wrong with it.
    pub detail: String,
}

impl std::fmt::Display for TariffError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.field, self.detail)
    }
}

impl Default for Tariff {
    /// What a deployment charges that configured nothing: figures to start from, in the order of what couriers cost in 2026.
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
                from: NaiveTime::from_hms_opt(22, 0, 0).unwrap_or_default(),
                until: NaiveTime::from_hms_opt(6, 0, 0).unwrap_or_default(),
                percent: Decimal::new(20, 0),
            }],
            minimum_fee: Decimal::new(790, 2),
            max_distance_km: Decimal::new(120, 0),
            service_radius_km: Decimal::new(40, 0),
            approach_minutes: 8,
            handover_minutes: 3,
        }
    }
}

impl Tariff {
    /// Everything that is wrong with the tariff, at once; empty where it may be used.
    pub fn errors(&self) -> Vec<TariffError> {
        let mut errors = Vec::new();
        let mut error = |field: &str, detail: String| errors.push(TariffError { field: field.to_owned(), detail });
        let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if !(1..=40).contains(&self.version.len()) || !self.version.chars().all(letters) {
            error("version", "must be 1 to 40 letters, digits, dots, underscores and hyphens".to_owned());
        }
        let amounts = [
            ("baseFee", self.base_fee, 10_000),
            ("baseKm", self.base_km, 1_000),
            ("perKm", self.per_km, 1_000),
            ("perExtraStop", self.per_extra_stop, 10_000),
            ("returnFee", self.return_fee, 10_000),
            ("returnPerKm", self.return_per_km, 1_000),
            ("minimumFee", self.minimum_fee, 10_000),
        ];
        for (field, value, max) in amounts {
            if value.is_sign_negative() || value > Decimal::from(max) || value.scale() > 4 {
                error(field, format!("must be 0 to {max} with at most four decimals"));
            }
        }
        for (field, value) in [("maxDistanceKm", self.max_distance_km), ("serviceRadiusKm", self.service_radius_km)] {
            if value <= Decimal::ZERO || value > Decimal::from(5_000) {
                error(field, "must be above 0 and at most 5000".to_owned());
            }
        }
        for (field, value) in [("approachMinutes", self.approach_minutes), ("handoverMinutes", self.handover_minutes)] {
            if value > 240 {
                error(field, "must be 0 to 240".to_owned());
            }
        }
        if self.windows.len() > 50 {
            error("windows", "must be at most 50".to_owned());
        }
        for (index, window) in self.windows.iter().enumerate() {
            if window.percent < Decimal::from(-100) || window.percent > Decimal::from(500) || window.percent.scale() > 4
            {
                error(&format!("windows[{index}].percent"), "must be -100 to 500".to_owned());
            }
            if window.name.is_empty() || window.name.len() > 40 {
                error(&format!("windows[{index}].name"), "must be 1 to 40 characters".to_owned());
            }
        }
        errors
    }
}

impl Window {
    /// Whether a local time of a day is inside. After midnight, a window belongs to the day that it began on.
    pub fn contains(&self, day: Weekday, time: NaiveTime) -> bool {
        let on = |day: Weekday| self.days.is_empty() || self.days.contains(&day);
        if self.from < self.until {
            on(day) && (self.from..self.until).contains(&time)
        } else {
            (on(day) && time >= self.from) || (on(day.pred()) && time < self.until)
        }
    }
}

/// `HH:MM` in JSON.
mod clock {
    use super::{NaiveTime, Timelike};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(time: &NaiveTime, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:02}:{:02}", time.hour(), time.minute()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NaiveTime, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).ok_or_else(|| D::Error::custom("expected a local time as HH:MM"))
    }

    /// Parses `HH:MM`. chrono's parser of formats is larger: see `core/SIZE.md`.
    fn parse(text: &str) -> Option<NaiveTime> {
        let (hour, minute) = text.split_once(':')?;
        let number = |digits: &str| {
            let is_short = digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| is_short)
        };
        NaiveTime::from_hms_opt(number(hour)?, number(minute)?, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(hour: u32, minute: u32) -> NaiveTime {
        NaiveTime::from_hms_opt(hour, minute, 0).unwrap()
    }

    #[test]
    fn the_default_is_valid_and_survives_json() {
        let tariff = Tariff::default();
        assert_eq!(tariff.errors(), []);
        let text = serde_json::to_string(&tariff).unwrap();
        assert_eq!(serde_json::from_str::<Tariff>(&text).unwrap(), tariff);
    }

    #[test]
    fn a_clock_has_hours_and_minutes() {
        let read = |clock: &str| {
            let json = format!(r#"{{"name": "x", "from": "{clock}", "until": "00:00", "percent": 1}}"#);
            serde_json::from_str::<Window>(&json).ok().map(|window| window.from)
        };
        assert_eq!(
            [read("08:30"), read("8:05"), read("23:59")],
            [(8, 30), (8, 5), (23, 59)].map(|(h, m)| Some(time(h, m)))
        );
        for no_clock in ["24:00", "12:60", "12", "12:", ":30", "+1:30", "12:30:00", "012:30", ""] {
            assert_eq!(read(no_clock), None, "{no_clock}");
        }
    }

    #[test]
    fn a_day_has_a_long_name_and_a_short_one() {
        let read = |day: &str| {
            let json =
                format!(r#"{{"name": "x", "days": ["{day}"], "from": "08:00", "until": "09:00", "percent": 1}}"#);
            serde_json::from_str::<Window>(&json).ok().map(|window| window.days)
        };
        for name in ["mon", "Tue", "WED", "thursday", "Friday", "sAt", "SUNDAY"] {
            assert_eq!(read(name), Some(vec![name.parse().unwrap()]), "{name}");
        }
        for none in ["", "m", "mo", "mond", "tues", "mondays", "day", " mon"] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn a_window_past_midnight_belongs_to_the_day_it_began() {
        let mut window = Tariff::default().windows.remove(0);
        window.days = vec![Weekday::Fri];
        assert!(window.contains(Weekday::Fri, time(22, 0)) && window.contains(Weekday::Sat, time(5, 59)));
        assert!(!window.contains(Weekday::Sat, time(22, 0)) && !window.contains(Weekday::Fri, time(5, 59)));
        assert!(!window.contains(Weekday::Sat, time(6, 0)));
    }

    #[test]
    fn every_fault_is_named_at_once() {
        let tariff = Tariff {
            version: "no spaces".into(),
            per_km: Decimal::NEGATIVE_ONE,
            service_radius_km: Decimal::ZERO,
            handover_minutes: 999,
            ..Tariff::default()
        };
        let fields: Vec<_> = tariff.errors().into_iter().map(|error| error.field).collect();
        assert_eq!(fields, ["version", "perKm", "serviceRadiusKm", "handoverMinutes"]);
    }
}
