//! What couriers say of themselves: where they are, and whether they take orders.

use super::{Courier, Position};
use crate::{
    domain::{Duration, Point, Timestamp},
    host::{Changes, Write},
    settings::Settings,
};

/// What becomes of a reported place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noted {
    /// What is to be written down; `None` where the last place is so young that this one says little more, or where it is older.
    pub stored: Option<Position>,
    /// How long it takes until the next place is stored.
    pub next: Duration,
}

/// Robots of the demonstration live faster than the clock: of each a place is stored every second.
const ROBOT_SPACING: Duration = Duration::seconds(1);

/// Decides whether a courier's place is written down: at most one in so many seconds, since it is read by people and by dispatch
/// and a commit costs far more than it says.
///
/// `taken` is when the courier was there. Whatever the courier's clock says it is not later than `now`; and where the service's own clock
/// was set back it is just after the last place known, since a place is never replaced by an older one.
pub fn note(courier: &Courier, point: Point, taken: Timestamp, now: Timestamp, settings: &Settings) -> Noted {
    let spacing = match courier.demo {
        true => ROBOT_SPACING,
        false => Duration::seconds(settings.dispatch.position_seconds.into()),
    };
    let mut at = taken.min(now);
    if let Some(last) = courier.position_at {
        let next = last.after(spacing);
        if last <= now && (now < next || at <= last) {
            return Noted { stored: None, next: next.since(now) };
        }
        at = at.max(last.after(Duration::millis(1)));
    }
    Noted { stored: Some(Position { courier: courier.id, point, at }), next: spacing }
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
