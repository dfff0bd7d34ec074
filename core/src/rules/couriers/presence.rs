//! What couriers say of themselves: where they are, and whether they take orders.

use crate::{
    changes::{Changes, Write},
    model::{
        Duration, Point, Timestamp,
        courier::{Courier, Position},
    },
    rules::settings::Settings,
};

/// What becomes of a reported place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionUpdate {
    /// What is to be written down; `None` where the last place is so young that this one says little more, or where it is older.
    pub stored: Option<Position>,
    /// How long it takes until the next place is stored.
    pub next: Duration,
}

/// Sandbox couriers can be simulated faster than real time, so their positions are stored every second.
const SANDBOX_SPACING: Duration = Duration::seconds(1);

/// Decides whether a courier's place is written down: at most one in so many seconds, since it is read by people and by dispatch
/// and a commit costs far more than it says.
///
/// `taken` is when the courier was there. Whatever the courier's clock says it is not later than `now`; and where the service's own clock
/// was set back it is just after the last place known, since a place is never replaced by an older one.
pub fn note(courier: &Courier, point: Point, taken: Timestamp, now: Timestamp, settings: &Settings) -> PositionUpdate {
    let spacing = match courier.sandbox {
        true => SANDBOX_SPACING,
        false => Duration::seconds(settings.dispatch.position_seconds.into()),
    };
    let mut at = taken.min(now);
    if let Some(last) = courier.position_at {
        let next = last.after(spacing);
        if last <= now && (now < next || at <= last) {
            return PositionUpdate { stored: None, next: next.since(now) };
        }
        at = at.max(last.after(Duration::millis(1)));
    }
    PositionUpdate { stored: Some(Position { courier: courier.id, point, at }), next: spacing }
}

/// Says whether a courier takes orders; `None` where that is so already. The order that the courier has is kept.
pub fn set_available(courier: &Courier, available: bool, now: Timestamp) -> Option<(Courier, Changes)> {
    if courier.available == available {
        return None;
    }
    let changed = Courier { available, version: courier.version + 1, ..courier.clone() };
    let couriers = vec![Write { expected: courier.version, value: changed.clone() }];
    Some((changed, Changes { at: now, couriers, ..Changes::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CourierId, Phone};

    fn courier(seen_at: Option<i64>, sandbox: bool) -> Courier {
        Courier {
            id: CourierId::new(7).unwrap(),
            version: 3,
            profile_id: 7,
            name: "Ana".to_owned(),
            phone: Phone::parse("+5511990000001").unwrap(),
            email: None,
            document: None,
            position: seen_at.map(|_| Point { lat_e7: 0, lon_e7: 0 }),
            position_at: seen_at.map(at),
            available: false,
            order: None,
            key: None,
            sandbox,
            removed_at: None,
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_000_000_000).after(Duration::seconds(seconds))
    }

    /// When the place counts, where it is stored, and the seconds until the next one.
    fn noted(courier: &Courier, taken: i64, now: i64) -> (Option<Timestamp>, u64) {
        let point = Point { lat_e7: 1, lon_e7: 1 };
        let noted = note(courier, point, at(taken), at(now), &Settings::default());
        (noted.stored.map(|position| position.at), noted.next.seconds_ceil())
    }

    #[test]
    fn position_is_stored_every_20_s_and_in_a_sandbox_every_second() {
        assert_eq!(noted(&courier(None, false), 100, 100), (Some(at(100)), 20));
        let seen = courier(Some(100), false);
        assert_eq!(noted(&seen, 100, 100), (None, 20));
        assert_eq!(noted(&seen, 119, 119), (None, 1));
        assert_eq!(noted(&seen, 120, 120), (Some(at(120)), 20));
        assert_eq!(noted(&courier(Some(100), true), 101, 101), (Some(at(101)), 1));
    }

    #[test]
    fn a_clock_that_is_wrong_neither_reaches_ahead_nor_freezes_a_place() {
        let seen = courier(Some(100), false);
        assert_eq!(noted(&seen, 400, 130), (Some(at(130)), 20), "the courier's clock is ahead");
        assert_eq!(noted(&seen, 90, 130), (None, 0), "an older place than the one known");
        let back = noted(&seen, 30, 30);
        assert_eq!(back, (Some(at(100).after(Duration::millis(1))), 20), "the service's clock stepped back");
    }

    #[test]
    fn saying_the_same_twice_changes_nothing() {
        let (changed, changes) = set_available(&courier(None, false), true, at(1)).unwrap();
        assert_eq!((changed.available, changed.version, changes.couriers.len()), (true, 4, 1));
        assert!(set_available(&changed, true, at(2)).is_none());
    }
}
