//! Updates by couriers: their positions and their availability.

use crate::{
    changes::{Changes, Write},
    model::{
        Duration, Point, Timestamp,
        courier::{Courier, Position, Shift},
    },
    rules::settings::Settings,
};

/// The result of a reported position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionUpdate {
    /// The position to store. `None` if the last stored position is too recent, or newer than the
    /// reported one.
    pub stored: Option<Position>,
    /// Time until the next position can be stored.
    pub next: Duration,
}

/// Sandbox couriers can be simulated faster than real time, so their positions are stored every
/// second.
const SANDBOX_SPACING: Duration = Duration::seconds(1);

/// Decides whether a courier's position is stored. At most one is stored per interval, because a
/// commit is expensive and neither people nor dispatch need more.
///
/// `taken` is the time of the position by the courier's clock, limited to `now`. If the server's
/// clock was set back, the stored time is just after that of the last position, because a position
/// is never replaced by an older one.
pub fn record_position(
    courier: &Courier,
    point: Point,
    taken: Timestamp,
    now: Timestamp,
    settings: &Settings,
) -> PositionUpdate {
    let spacing = match courier.sandbox {
        true => SANDBOX_SPACING,
        false => Duration::seconds(settings.dispatch.position_seconds.into()),
    };
    let mut at = taken.min(now);
    if let Some(last) = courier.position_at {
        let next = last.after(spacing);
        if last <= now && (now < next || at <= last) {
            return PositionUpdate {
                stored: None,
                next: next.since(now),
            };
        }
        at = at.max(last.after(Duration::millis(1)));
    }
    PositionUpdate {
        stored: Some(Position {
            courier: courier.id,
            point,
            at,
        }),
        next: spacing,
    }
}

/// Sets whether and when a courier is available for orders. Returns `None` if nothing changes. The
/// courier keeps the current trip, and the number of orders of a shift that is sent again.
pub fn set_available(
    courier: &Courier,
    available: bool,
    shift: Option<Shift>,
    now: Timestamp,
) -> Option<(Courier, Changes)> {
    let same_shift = |known: &Shift| shift.is_some_and(|new| new.from == known.from);
    let orders = courier
        .shift
        .filter(same_shift)
        .map_or(0, |known| known.orders);
    let shift = shift
        .filter(|_| available)
        .map(|shift| Shift { orders, ..shift });
    if courier.available == available && courier.shift == shift {
        return None;
    }
    let changed = Courier {
        available,
        shift,
        version: courier.version + 1,
        ..courier.clone()
    };
    let couriers = vec![Write {
        expected: courier.version,
        value: changed.clone(),
    }];
    Some((
        changed,
        Changes {
            at: now,
            couriers,
            ..Changes::default()
        },
    ))
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
            position: seen_at.map(|_| Point {
                lat_e7: 0,
                lon_e7: 0,
            }),
            position_at: seen_at.map(at),
            available: false,
            trip: Vec::new(),
            shift: None,
            key: None,
            device: None,
            push: Vec::new(),
            sign_in: None,
            sessions: Vec::new(),
            sandbox,
            vehicle: crate::model::Vehicle::default(),
            max_weight_g: None,
            max_volume_ml: None,
            equipment: crate::model::Equipment::ALL,
            cash_limit: None,
            handovers: Vec::new(),
            pay: Vec::new(),
            suspended_at: None,
            removed_at: None,
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_000_000_000).after(Duration::seconds(seconds))
    }

    /// Returns the time of the stored position, if any, and the seconds until the next one.
    fn report(courier: &Courier, taken: i64, now: i64) -> (Option<Timestamp>, u64) {
        let point = Point {
            lat_e7: 1,
            lon_e7: 1,
        };
        let update = record_position(courier, point, at(taken), at(now), &Settings::default());
        (
            update.stored.map(|position| position.at),
            update.next.seconds_ceil(),
        )
    }

    #[test]
    fn positions_are_stored_every_20_s_and_every_second_in_sandbox() {
        assert_eq!(report(&courier(None, false), 100, 100), (Some(at(100)), 20));
        let seen = courier(Some(100), false);
        assert_eq!(report(&seen, 100, 100), (None, 20));
        assert_eq!(report(&seen, 119, 119), (None, 1));
        assert_eq!(report(&seen, 120, 120), (Some(at(120)), 20));
        assert_eq!(
            report(&courier(Some(100), true), 101, 101),
            (Some(at(101)), 1)
        );
    }

    #[test]
    fn wrong_clocks_neither_advance_nor_freeze_a_position() {
        let seen = courier(Some(100), false);
        assert_eq!(
            report(&seen, 400, 130),
            (Some(at(130)), 20),
            "the courier's clock is ahead"
        );
        assert_eq!(
            report(&seen, 90, 130),
            (None, 0),
            "older than the last position"
        );
        let back = report(&seen, 30, 30);
        assert_eq!(
            back,
            (Some(at(100).after(Duration::millis(1))), 20),
            "the service's clock stepped back"
        );
    }

    #[test]
    fn repeated_availability_has_no_effect() {
        let (changed, changes) = set_available(&courier(None, false), true, None, at(1)).unwrap();
        assert_eq!(
            (changed.available, changed.version, changes.couriers.len()),
            (true, 4, 1)
        );
        assert!(set_available(&changed, true, None, at(2)).is_none());
    }

    #[test]
    fn shift_that_is_sent_again_keeps_its_number_of_orders() {
        let shift = |from: i64, until: Option<i64>| Shift {
            from: at(from),
            until: until.map(at),
            orders: 0,
        };
        let set = |courier: &Courier, available, shift| {
            set_available(courier, available, shift, at(1)).map(|set| set.0)
        };
        let mut courier = set(&courier(None, false), true, Some(shift(10, None))).unwrap();
        assert_eq!(courier.shift, Some(shift(10, None)));
        courier.count_order(3);
        assert_eq!(
            set(&courier, true, Some(shift(10, None))),
            None,
            "nothing changes"
        );
        let longer = set(&courier, true, Some(shift(10, Some(99)))).unwrap();
        assert_eq!(
            longer.shift,
            Some(Shift {
                orders: 3,
                ..shift(10, Some(99))
            })
        );
        assert_eq!(
            set(&longer, true, Some(shift(20, None))).unwrap().shift,
            Some(shift(20, None)),
            "a new shift"
        );
        assert_eq!(
            set(&longer, false, Some(shift(10, None))).unwrap().shift,
            None
        );
        assert_eq!(
            set(&longer, true, None).unwrap().shift,
            None,
            "available at any time"
        );
    }

    #[test]
    fn shift_limits_the_time_on_duty() {
        let shift = Some(Shift {
            from: at(10),
            until: Some(at(20)),
            orders: 0,
        });
        let courier = Courier {
            available: true,
            shift,
            ..courier(None, false)
        };
        let on_duty: Vec<i64> = (0..40).filter(|now| courier.is_on_duty(at(*now))).collect();
        assert_eq!(on_duty, (10..=20).collect::<Vec<_>>());
        assert!(
            !Courier {
                available: false,
                ..courier.clone()
            }
            .is_on_duty(at(15))
        );
        assert!(
            !Courier {
                removed_at: Some(at(1)),
                ..courier
            }
            .is_on_duty(at(15))
        );
    }
}
