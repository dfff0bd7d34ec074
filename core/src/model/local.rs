//! Days and times of day in a store's time zone.

use chrono::Weekday;
use serde::{Deserialize, Serialize};

use super::{Timestamp, Uf};

const DAY_MILLIS: i64 = 86_400_000;
const HOUR_MILLIS: i64 = 3_600_000;
/// Offsets of Brazil's time zones from UTC in hours: the first and the last midnight of a day.
const OFFSETS: (i64, i64) = (-2, -5);

/// A time zone of Brazil, by law 12,876/2013.
///
/// The offsets are constants: Brazil has had no daylight saving time since 2019 (decree 9,772).
/// `chrono-tz` would add the rules of the whole world to the browser package, and does not know
/// which municipality has which zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// Fernando de Noronha (UTC−2, America/Noronha).
    Noronha,
    /// Brasília (UTC−3, America/Sao_Paulo), used if a place is unknown.
    #[default]
    Brasilia,
    /// Most of Amazonas, Mato Grosso, Mato Grosso do Sul, Rondônia and Roraima (UTC−4,
    /// America/Manaus).
    Amazon,
    /// Acre and the west of Amazonas (UTC−5, America/Rio_Branco, America/Eirunepe).
    Acre,
}

/// IBGE code of Fernando de Noronha.
const NORONHA: u32 = 2_605_459;
/// IBGE codes of the municipalities of Amazonas west of the line from Tabatinga to Porto Acre, as
/// the electoral court listed them in 2022. The line crosses some of them.
const WESTERN_AMAZONAS: [u32; 13] = [
    1_300_201, 1_300_607, 1_300_706, 1_301_407, 1_301_506, 1_301_654, 1_301_803, 1_301_951,
    1_302_306, 1_302_405, 1_303_502, 1_303_908, 1_304_062,
];

impl Zone {
    /// Returns the time zone of a municipality, by its IBGE code and state. Without a code, it is
    /// that of the state's capital.
    pub fn of(ibge: Option<u32>, uf: Uf) -> Zone {
        match (uf.code(), ibge) {
            ("PE", Some(NORONHA)) => Zone::Noronha,
            ("AM", Some(ibge)) if WESTERN_AMAZONAS.contains(&ibge) => Zone::Acre,
            ("AC", _) => Zone::Acre,
            ("AM" | "MT" | "MS" | "RO" | "RR", _) => Zone::Amazon,
            _ => Zone::Brasilia,
        }
    }

    /// Returns whether the municipalities of a state have several time zones.
    pub fn has_several(uf: Uf) -> bool {
        matches!(uf.code(), "PE" | "AM")
    }

    /// Returns the offset from UTC in hours.
    pub fn offset_hours(self) -> i32 {
        match self {
            Zone::Noronha => -2,
            Zone::Brasilia => -3,
            Zone::Amazon => -4,
            Zone::Acre => -5,
        }
    }
}

/// A day in a store's time zone, by its number since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Day(i64);

impl Day {
    /// Parses a day in the format `2026-11-21`.
    pub fn parse(text: &str) -> Option<Day> {
        let is_date = text.len() == 10 && text.is_ascii();
        let at = Timestamp::parse(&format!("{text}T00:00:00Z")).filter(|_| is_date)?;
        Some(Day(at.millis() / DAY_MILLIS))
    }

    /// Returns the day of a time in a time zone.
    pub fn of(at: Timestamp, zone: Zone) -> Day {
        Day(local_millis(at, zone).div_euclid(DAY_MILLIS))
    }

    /// Returns the day with this number.
    pub fn from_number(number: i64) -> Day {
        Day(number)
    }

    /// Returns the number of days since 1970-01-01.
    pub fn number(self) -> i64 {
        self.0
    }

    /// Returns the day some days earlier.
    #[must_use]
    pub fn before(self, days: i64) -> Day {
        Day(self.0 - days)
    }

    /// Returns the day some days later.
    #[must_use]
    pub fn after(self, days: i64) -> Day {
        Day(self.0 + days)
    }

    /// Returns the number of days from another day to this one, with both. It is not positive if
    /// this day is earlier.
    pub fn days_from(self, first: Day) -> i64 {
        self.0 - first.0 + 1
    }

    /// Returns the times between which the day begins and ends in Brazil's time zones.
    pub fn span(self) -> (Timestamp, Timestamp) {
        let midnight =
            |day: i64, offset: i64| Timestamp::from_millis(day * DAY_MILLIS - offset * HOUR_MILLIS);
        (midnight(self.0, OFFSETS.0), midnight(self.0 + 1, OFFSETS.1))
    }

    /// Returns the time at which a number of minutes have passed since the day's start in a time
    /// zone.
    pub fn at(self, minutes: u32, zone: Zone) -> Timestamp {
        Timestamp::from_millis(
            self.0 * DAY_MILLIS + i64::from(minutes) * 60_000 - offset_millis(zone),
        )
    }

    /// Formats the day as `21/11/2026`.
    pub fn in_portuguese(self) -> String {
        let text = self.to_string();
        let mut parts: Vec<&str> = text.split('-').collect();
        parts.reverse();
        parts.join("/")
    }

    /// Returns the day of the week.
    pub fn weekday(self) -> Weekday {
        // 1970-01-01 was a Thursday, three days after a Monday.
        u8::try_from((self.0 + 3).rem_euclid(7))
            .ok()
            .and_then(|day| Weekday::try_from(day).ok())
            .unwrap_or(Weekday::Mon)
    }
}

impl std::fmt::Display for Day {
    /// Formats the day as `2026-11-21`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = Timestamp::from_millis(self.0 * DAY_MILLIS).to_string();
        f.write_str(text.get(..10).unwrap_or_default())
    }
}

/// A time of day in whole minutes, from 00:00 to 24:00, which is the day's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LocalTime(u16);

impl LocalTime {
    /// The start of a day.
    pub const START: LocalTime = LocalTime(0);
    /// The end of a day.
    pub const END: LocalTime = LocalTime(1_440);

    /// Parses `HH:MM`, 00:00 to 24:00.
    ///
    /// ```
    /// use despacho_core::model::LocalTime;
    /// assert_eq!(LocalTime::parse("8:30").map(LocalTime::minutes), Some(510));
    /// assert_eq!(LocalTime::parse("24:00"), Some(LocalTime::END));
    /// assert!(LocalTime::parse("24:01").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<LocalTime> {
        let (hour, minute) = text.split_once(':')?;
        let number = |digits: &str| {
            let is_short = digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u16>().ok().filter(|_| is_short)
        };
        let (hour, minute) = (number(hour)?, number(minute)?);
        let time = LocalTime::of(hour, minute);
        (minute < 60 && time <= LocalTime::END).then_some(time)
    }

    /// Returns the time of these hours and minutes.
    pub(crate) const fn of(hour: u16, minute: u16) -> LocalTime {
        LocalTime(hour * 60 + minute)
    }

    /// Returns the minutes since the start of the day.
    pub fn minutes(self) -> u32 {
        self.0.into()
    }
}

impl std::fmt::Display for LocalTime {
    /// Formats the time as `08:30`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

/// Returns the time of day in a time zone, rounded down to the minute.
pub fn time_of_day(at: Timestamp, zone: Zone) -> LocalTime {
    let minutes = local_millis(at, zone).rem_euclid(DAY_MILLIS) / 60_000;
    LocalTime(u16::try_from(minutes).unwrap_or_default())
}

/// Formats a time in RFC 3339 format with the offset of a time zone, in whole seconds:
/// `2026-11-21T11:30:00-03:00`.
pub fn local_rfc3339(at: Timestamp, zone: Zone) -> String {
    let day = Day::of(at, zone);
    let seconds = local_millis(at, zone).rem_euclid(DAY_MILLIS) / 1_000;
    let (time, second) = (time_of_day(at, zone), seconds % 60);
    format!("{day}T{time}:{second:02}-0{}:00", zone.offset_hours().abs())
}

fn local_millis(at: Timestamp, zone: Zone) -> i64 {
    at.millis() + offset_millis(zone)
}

fn offset_millis(zone: Zone) -> i64 {
    i64::from(zone.offset_hours()) * HOUR_MILLIS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_the_weekday_of_the_calendar() {
        for (text, weekday) in [
            ("1970-01-01", Weekday::Thu),
            ("2026-11-21", Weekday::Sat),
            ("2028-02-29", Weekday::Tue),
        ] {
            assert_eq!(Day::parse(text).unwrap().weekday(), weekday, "{text}");
        }
    }

    #[test]
    fn local_time_depends_on_the_zone() {
        let at = Timestamp::parse("2026-11-22T02:30:59Z").unwrap();
        let local = |zone| {
            (
                Day::of(at, zone).to_string(),
                time_of_day(at, zone).to_string(),
            )
        };
        for (zone, day, time) in [
            (Zone::Noronha, "2026-11-22", "00:30"),
            (Zone::Brasilia, "2026-11-21", "23:30"),
            (Zone::Amazon, "2026-11-21", "22:30"),
            (Zone::Acre, "2026-11-21", "21:30"),
        ] {
            assert_eq!(local(zone), (day.to_owned(), time.to_owned()), "{zone:?}");
        }
        assert_eq!(Day::of(at, Zone::default()).in_portuguese(), "21/11/2026");
        let zone = Zone::Amazon;
        assert_eq!(local_rfc3339(at, zone), "2026-11-21T22:30:59-04:00");
        assert_eq!(
            Day::of(at, zone).at(22 * 60 + 30, zone).to_string(),
            "2026-11-22T02:30:00.000Z"
        );
    }

    #[test]
    fn invalid_days_and_times_are_rejected() {
        for text in [
            "2026-02-30",
            "2026-2-3",
            "21/11/2026",
            "2026-11-21T00:00:00Z",
            "",
        ] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
        for text in [
            "25:00", "12:60", "24:01", "12", ":30", "+1:30", "012:30", "12:30:00", "",
        ] {
            assert_eq!(LocalTime::parse(text), None, "{text}");
        }
    }
}
