//! Opening hours and service areas of stores: random ones, their bodies, and an oracle for each.

use despacho_core::model::{Entropy, Timestamp};
use serde_json::{Value, json};

use super::MINUTE;

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// São Paulo, near the demo store.
pub(super) const CENTRE: (f64, f64) = (-23.5558, -46.6582);

pub(super) fn below(entropy: &mut Entropy, limit: u32) -> u32 {
    u32::from_le_bytes(entropy.bytes::<4>()) % limit
}

/// Returns a number from -1 to 1.
pub(super) fn signed(entropy: &mut Entropy) -> f64 {
    f64::from(below(entropy, 2_000_001)) / 1e6 - 1.0
}

fn clock(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// A period: its day as a number of days since 1970 or of the week, and the minutes of its start
/// and its end.
type Span = (i64, u32, u32);

/// The hours of a store, as sent and for the oracle.
#[derive(Default)]
pub(super) struct Hours {
    weekly: Vec<Span>,
    /// `None` is closed.
    exceptions: Vec<(i64, Option<Span>)>,
}

impl Hours {
    /// Returns hours with at most one period on each day of the week. Periods may end on the next
    /// day.
    pub(super) fn random(entropy: &mut Entropy, today: i64) -> Hours {
        let mut hours = Hours::default();
        if below(entropy, 8) > 0 {
            for weekday in (0..7).filter(|_| below(entropy, 4) > 0).collect::<Vec<_>>() {
                let from = 300 + below(entropy, 1_100);
                hours.weekly.push((
                    weekday,
                    from,
                    from + 30 + below(entropy, 1_440 - from + 200),
                ));
            }
        }
        for day in (today - 3..today + 32)
            .filter(|_| below(entropy, 5) == 0)
            .collect::<Vec<_>>()
        {
            let from = below(entropy, 1_000);
            let open = below(entropy, 2) == 0;
            hours.exceptions.push((
                day,
                open.then(|| (day, from, from + 1 + below(entropy, 900))),
            ));
        }
        hours
    }

    pub(super) fn body(&self) -> Value {
        let until = |minutes: u32| {
            if minutes == 1_440 {
                "24:00".to_owned()
            } else {
                clock(minutes % 1_440)
            }
        };
        let weekly = self.weekly.iter().map(|(day, from, end)| {
            json!({ "days": [DAYS[usize::try_from(*day).unwrap()]], "from": clock(*from), "until": until(*end) })
        });
        let exceptions = self.exceptions.iter().map(|(day, open)| {
            let at = Timestamp::from_millis(day * 1_440 * MINUTE).to_string();
            match open {
                Some((_, from, end)) => {
                    json!({ "date": at[..10], "from": clock(*from), "until": until(*end) })
                }
                None => json!({ "date": at[..10], "closed": true, "name": "Feriado" }),
            }
        });
        json!({ "hours": weekly.collect::<Vec<_>>(), "exceptions": exceptions.collect::<Vec<_>>() })
    }

    /// Whether the store is open at a number of minutes since 1970 in local time.
    pub(super) fn is_open(&self, minute: i64) -> bool {
        let today = minute.div_euclid(1_440);
        [today - 1, today].into_iter().any(|day| {
            let minute = u32::try_from(minute - day * 1_440).unwrap();
            let covers = |(_, from, end): &Span| (*from..*end).contains(&minute);
            match self.exceptions.iter().find(|(date, _)| *date == day) {
                Some((_, open)) => open.as_ref().is_some_and(covers),
                None if self.weekly.is_empty() => day == today,
                None => self
                    .weekly
                    .iter()
                    .any(|span| span.0 == (day + 3).rem_euclid(7) && covers(span)),
            }
        })
    }
}

/// Returns an outline around the centre, with corners at ascending angles, or none.
pub(super) fn random_area(entropy: &mut Entropy) -> Vec<(f64, f64)> {
    let corners = below(entropy, 12);
    let corner = |at: u32| {
        let angle = f64::from(at) / f64::from(corners) * std::f64::consts::TAU;
        let radius = 0.03 + f64::from(below(entropy, 1_000)) / 3_000.0;
        (
            CENTRE.0 + radius * libm::sin(angle),
            CENTRE.1 + radius * libm::cos(angle),
        )
    };
    if corners < 3 {
        Vec::new()
    } else {
        (0..corners).map(corner).collect()
    }
}

pub(super) fn area_body(area: &[(f64, f64)]) -> Value {
    if area.is_empty() {
        return json!({ "serviceArea": null });
    }
    let ring: Vec<_> = area
        .iter()
        .chain(area.first())
        .map(|(latitude, longitude)| [longitude, latitude])
        .collect();
    json!({ "serviceArea": { "type": "Polygon", "coordinates": [ring] } })
}

/// Whether a point is in the outline: the angles under which it sees the edges are a full turn.
pub(super) fn is_inside(area: &[(f64, f64)], at: (f64, f64)) -> bool {
    let angle = |corner: &(f64, f64)| libm::atan2(corner.0 - at.0, corner.1 - at.1);
    let turn = |(from, to)| {
        let difference: f64 = angle(to) - angle(from);
        difference - (difference / std::f64::consts::TAU).round() * std::f64::consts::TAU
    };
    area.iter()
        .zip(area.iter().cycle().skip(1))
        .map(turn)
        .sum::<f64>()
        .abs()
        > std::f64::consts::PI
}
