//! Opening hours of stores.
//!
//! The hours count at the time at which the goods are ready: a store that accepts an order must be
//! able to hand it over.

use crate::model::{
    Day, Timestamp, Zone,
    store::{OpeningPeriod, StoreHours, TimeSpan},
};

/// Number of days within which a store with hours opens: a weekly period starts once in seven days,
/// and each of at most 100 exceptions closes one day.
const SEARCH_DAYS: i64 = 7 * 101;
const MINUTES_OF_DAY: u32 = 1_440;
const MINUTES_OF_WEEK: u32 = 7 * MINUTES_OF_DAY;

/// Returns the earliest time at or after `at` at which a store is open: `at` itself if it is open.
///
/// ```
/// use despacho_core::{model::{LocalTime, Timestamp, Zone, store::{OpeningPeriod, StoreHours, TimeSpan}}, rules::hours::next_opening};
/// let span = TimeSpan { from: LocalTime::parse("18:00").unwrap(), until: LocalTime::parse("02:00").unwrap() };
/// let hours = StoreHours { weekly: vec![OpeningPeriod { days: Vec::new(), span }], exceptions: Vec::new() };
/// let next = |at| next_opening(&hours, Timestamp::parse(at).unwrap(), Zone::Brasilia).unwrap().to_string();
/// assert_eq!(next("2026-11-21T12:00:00Z"), "2026-11-21T21:00:00.000Z");
/// assert_eq!(next("2026-11-22T04:59:00Z"), "2026-11-22T04:59:00.000Z");
/// ```
pub fn next_opening(hours: &StoreHours, at: Timestamp, zone: Zone) -> Option<Timestamp> {
    let today = Day::of(at, zone);
    // A period of yesterday can end today. Each day's periods start before those of the next day.
    (-1..=SEARCH_DAYS).find_map(|ahead| {
        let day = today.after(ahead);
        let starts = spans(hours, day).filter_map(|span| {
            let (from, until) = span.minutes();
            (day.at(until, zone) > at).then(|| day.at(from, zone).max(at))
        });
        starts.min()
    })
}

/// Returns the periods that start on a day.
fn spans(hours: &StoreHours, day: Day) -> impl Iterator<Item = TimeSpan> {
    let exception = hours
        .exceptions
        .iter()
        .find(|exception| exception.date == day);
    let own = exception.map_or(
        hours.weekly.is_empty().then_some(TimeSpan::DAY),
        |exception| exception.open,
    );
    let weekday = day.weekday();
    let weekly = hours.weekly.iter().filter(move |period| {
        exception.is_none() && (period.days.is_empty() || period.days.contains(&weekday))
    });
    own.into_iter().chain(weekly.map(|period| period.span))
}

/// Returns the indices of the weekly periods that overlap with a period before them in the list, in
/// ascending order.
pub fn overlapping(weekly: &[OpeningPeriod]) -> Vec<usize> {
    let mut spans = Vec::new();
    for (index, period) in weekly.iter().enumerate() {
        let (from, until) = period.span.minutes();
        let day = |day: &chrono::Weekday| day.num_days_from_monday();
        let days = if period.days.is_empty() {
            (0..7).collect()
        } else {
            period.days.iter().map(day).collect::<Vec<_>>()
        };
        // The week begins again, so every period is also compared one week later.
        let starts = days
            .iter()
            .flat_map(|day| [0, MINUTES_OF_WEEK].map(|week| week + day * MINUTES_OF_DAY));
        spans.extend(starts.map(|start| (start + from, start + until, index)));
    }
    spans.sort_unstable();
    let (mut found, mut latest) = (Vec::new(), (0, 0));
    for (from, until, index) in spans {
        if from < latest.0 {
            found.push(index.max(latest.1));
        }
        latest = latest.max((until, index));
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use chrono::Weekday;

    use super::*;
    use crate::model::{LocalTime, store::HoursException};

    fn span(text: &str) -> TimeSpan {
        let (from, until) = text.split_once('-').unwrap();
        TimeSpan {
            from: LocalTime::parse(from).unwrap(),
            until: LocalTime::parse(until).unwrap(),
        }
    }

    fn period(days: &[Weekday], text: &str) -> OpeningPeriod {
        OpeningPeriod {
            days: days.to_vec(),
            span: span(text),
        }
    }

    fn closed(date: &str) -> HoursException {
        HoursException {
            date: Day::parse(date).unwrap(),
            open: None,
            name: None,
        }
    }

    fn next(hours: &StoreHours, at: &str) -> Option<String> {
        next_opening(hours, Timestamp::parse(at).unwrap(), Zone::Brasilia).map(|at| at.to_string())
    }

    #[test]
    fn store_without_hours_is_always_open_except_on_exceptions() {
        let at = "2026-11-21T14:30:00.007Z";
        assert_eq!(next(&StoreHours::default(), at).as_deref(), Some(at));
        let hours = StoreHours {
            exceptions: vec![closed("2026-11-21")],
            ..StoreHours::default()
        };
        assert_eq!(
            next(&hours, at).as_deref(),
            Some("2026-11-22T03:00:00.000Z")
        );
    }

    #[test]
    fn period_ends_before_its_last_millisecond() {
        let hours = StoreHours {
            weekly: vec![period(&[Weekday::Sat], "11:00-14:30")],
            exceptions: Vec::new(),
        };
        assert_eq!(
            next(&hours, "2026-11-21T13:59:59.999Z").as_deref(),
            Some("2026-11-21T14:00:00.000Z")
        );
        assert_eq!(
            next(&hours, "2026-11-21T17:29:59.999Z").as_deref(),
            Some("2026-11-21T17:29:59.999Z")
        );
        assert_eq!(
            next(&hours, "2026-11-21T17:30:00Z").as_deref(),
            Some("2026-11-28T14:00:00.000Z")
        );
    }

    #[test]
    fn closed_date_does_not_end_the_night_before() {
        let hours = StoreHours {
            weekly: vec![period(&[], "18:00-02:00")],
            exceptions: vec![closed("2026-11-21")],
        };
        // 01:59 of the closed date, in the period that started on Friday.
        assert_eq!(
            next(&hours, "2026-11-21T04:59:00Z").as_deref(),
            Some("2026-11-21T04:59:00.000Z")
        );
        assert_eq!(
            next(&hours, "2026-11-21T05:00:00Z").as_deref(),
            Some("2026-11-22T21:00:00.000Z")
        );
    }

    #[test]
    fn exception_has_its_own_hours() {
        let mut easter = closed("2026-11-22");
        easter.open = Some(span("09:00-24:00"));
        let hours = StoreHours {
            weekly: vec![period(&[Weekday::Mon], "11:00-14:00")],
            exceptions: vec![easter],
        };
        assert_eq!(
            next(&hours, "2026-11-21T14:00:00Z").as_deref(),
            Some("2026-11-22T12:00:00.000Z")
        );
        assert_eq!(
            next(&hours, "2026-11-23T02:59:59Z").as_deref(),
            Some("2026-11-23T02:59:59.000Z")
        );
        assert_eq!(
            next(&hours, "2026-11-23T03:00:00Z").as_deref(),
            Some("2026-11-23T14:00:00.000Z")
        );
    }

    #[test]
    fn store_that_is_closed_on_a_hundred_days_opens_afterwards() {
        let first = Day::parse("2026-11-21").unwrap();
        let exceptions = (0..100).map(|week| HoursException {
            date: first.after(7 * week),
            open: None,
            name: None,
        });
        let hours = StoreHours {
            weekly: vec![period(&[Weekday::Sat], "11:00-14:00")],
            exceptions: exceptions.collect(),
        };
        assert_eq!(
            next(&hours, "2026-11-21T14:00:00Z").as_deref(),
            Some("2028-10-21T14:00:00.000Z")
        );
    }

    #[test]
    fn overlapping_periods_are_found_across_midnight_and_weeks() {
        use Weekday::{Fri, Mon, Sat, Sun};
        for (periods, expected) in [
            (
                vec![period(&[], "11:00-14:00"), period(&[], "14:00-11:00")],
                vec![],
            ),
            (
                vec![period(&[], "11:00-14:00"), period(&[Fri], "13:59-15:00")],
                vec![1],
            ),
            (
                vec![period(&[Fri], "18:00-02:00"), period(&[Sat], "01:00-03:00")],
                vec![1],
            ),
            (
                vec![period(&[Mon], "01:00-03:00"), period(&[Sun], "18:00-02:00")],
                vec![1],
            ),
            (
                vec![period(&[Sun], "18:00-01:00"), period(&[Mon], "01:00-03:00")],
                vec![],
            ),
            (
                vec![
                    period(&[Fri], "00:00-24:00"),
                    period(&[Sat], "00:00-24:00"),
                    period(&[], "12:00-12:01"),
                ],
                vec![2],
            ),
            (
                vec![
                    period(&[], "00:00-24:00"),
                    period(&[Mon], "08:00-09:00"),
                    period(&[Mon], "10:00-11:00"),
                ],
                vec![1, 2],
            ),
        ] {
            assert_eq!(overlapping(&periods), expected, "{periods:?}");
        }
    }
}
