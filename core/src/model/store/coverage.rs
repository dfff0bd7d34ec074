//! When and where a store delivers.

use chrono::Weekday;
use serde::{Deserialize, Serialize};

use crate::model::{Day, LocalTime, Point};

/// A store's opening hours. The default is always open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoreHours {
    /// The periods of a week, which do not overlap. Empty means open all day on every day.
    pub weekly: Vec<OpeningPeriod>,
    /// The dates, such as holidays, that have their own hours. Each date occurs once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<HoursException>,
}

/// A period of the week in which a store is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningPeriod {
    /// Days of the week on which it starts. Empty means every day.
    pub days: Vec<Weekday>,
    /// Its start and its end.
    #[serde(flatten)]
    pub span: TimeSpan,
}

/// A part of a day, in local time. If the end is not later than the start, it is on the next day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeSpan {
    /// The start.
    pub from: LocalTime,
    /// The end, exclusive.
    pub until: LocalTime,
}

/// The hours of a date. They replace the weekly periods that start on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoursException {
    /// The date.
    pub date: Day,
    /// The period in which the store is open. `None` means closed.
    pub open: Option<TimeSpan>,
    /// Name of the date, such as `Natal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The area in which a store delivers: polygons, each with its outer ring first and then its holes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServiceArea(pub Vec<Vec<Ring>>);

/// A closed ring: the last point equals the first, and edges meet only at their ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<i32>", into = "Vec<i32>")]
pub struct Ring(pub Vec<Point>);

impl StoreHours {
    pub(super) fn is_default(&self) -> bool {
        *self == StoreHours::default()
    }
}

impl TimeSpan {
    /// A whole day.
    pub const DAY: TimeSpan = TimeSpan {
        from: LocalTime::START,
        until: LocalTime::END,
    };

    /// Returns the start and the end in minutes since the start of the first day.
    pub fn minutes(self) -> (u32, u32) {
        let (from, until) = (self.from.minutes(), self.until.minutes());
        (
            from,
            if until > from {
                until
            } else {
                until + LocalTime::END.minutes()
            },
        )
    }
}

impl ServiceArea {
    /// Maximum number of rings.
    pub const MAX_RINGS: usize = 20;
    /// Maximum number of positions in all rings.
    pub const MAX_POSITIONS: usize = 500;

    /// Returns all rings.
    pub fn rings(&self) -> impl Iterator<Item = &Ring> {
        self.0.iter().flatten()
    }
}

impl From<Vec<i32>> for Ring {
    /// Reads longitudes and latitudes in alternation. As numbers they need a fifth of the bytes of
    /// objects with names, and every lookup of a key reads them.
    fn from(numbers: Vec<i32>) -> Ring {
        Ring(
            numbers
                .as_chunks()
                .0
                .iter()
                .map(|[lon_e7, lat_e7]| Point {
                    lat_e7: *lat_e7,
                    lon_e7: *lon_e7,
                })
                .collect(),
        )
    }
}

impl From<Ring> for Vec<i32> {
    fn from(ring: Ring) -> Vec<i32> {
        ring.0
            .iter()
            .flat_map(|point| [point.lon_e7, point.lat_e7])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_area_and_hours_are_read_again() {
        let point = |lat_e7, lon_e7| Point { lat_e7, lon_e7 };
        let ring = Ring(vec![point(-1, 2), point(-3, 4), point(-1, 2)]);
        let area = ServiceArea(vec![vec![ring.clone()], vec![ring]]);
        let text = serde_json::to_string(&area).unwrap();
        assert_eq!(text, "[[[2,-1,4,-3,2,-1]],[[2,-1,4,-3,2,-1]]]");
        assert_eq!(serde_json::from_str::<ServiceArea>(&text).unwrap(), area);
        let hours = StoreHours {
            weekly: vec![OpeningPeriod {
                days: vec![Weekday::Fri],
                span: TimeSpan::DAY,
            }],
            exceptions: vec![HoursException {
                date: Day::parse("2026-12-25").unwrap(),
                open: None,
                name: None,
            }],
        };
        let text = serde_json::to_string(&hours).unwrap();
        assert_eq!(crate::json::from_str::<StoreHours>(&text).unwrap(), hours);
    }

    #[test]
    fn span_past_midnight_ends_on_the_next_day() {
        let span = |from, until| TimeSpan {
            from: LocalTime::parse(from).unwrap(),
            until: LocalTime::parse(until).unwrap(),
        };
        assert_eq!(span("18:00", "02:00").minutes(), (1_080, 1_560));
        assert_eq!(span("18:00", "24:00").minutes(), (1_080, 1_440));
        assert_eq!(TimeSpan::DAY.minutes(), (0, 1_440));
    }
}
