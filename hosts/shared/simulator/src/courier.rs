//! Determines the next action of a simulated courier from the order's status and the courier's last
//! position.

use despacho_core::{
    geo::great_circle_m,
    model::{
        Duration, Point, Timestamp,
        courier::Courier,
        order::{Delivery, DeliveryStatus, Order, OrderStatus},
    },
    rules::lifecycle::Carry,
};

/// An action of a courier, with the courier's position after it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Travels towards the next stop.
    Travel { at: Point },
    /// Takes a step of the order's lifecycle.
    Step { at: Point, carry: Carry },
    /// Declines the order before pickup.
    Decline { at: Point, reason: &'static str },
}

impl Action {
    pub(crate) fn point(&self) -> Point {
        match self {
            Action::Travel { at } | Action::Step { at, .. } | Action::Decline { at, .. } => *at,
        }
    }
}

/// Speed along the straight line: 18 km/h door to door, including detours.
const METRES_PER_SECOND: i64 = 5;
/// Duration of a handover at the pickup or at a door.
const HANDOVER_MS: i64 = 60_000;
/// Time between two positions of a courier who waits for the goods, in real time. Without them,
/// dispatch would release the courier.
const WAITING_POSITION_MS: i64 = 60_000;

/// A delivery whose `observation` contains this cannot be delivered: the courier returns the goods.
const ABSENT: &str = "sandbox:absent";
/// The first courier of an order declines it if the `observation` of a delivery contains this.
const DECLINE: &str = "sandbox:decline";
/// The first courier of an order becomes unresponsive if the `observation` of a delivery contains
/// this.
const NO_SHOW: &str = "sandbox:no-show";

/// Returns the current time, or the time after the last position if the clock was set back. Storage
/// ignores a position that is not newer than the stored one.
pub(crate) fn position_time(last: Option<Timestamp>, now: Timestamp) -> Timestamp {
    last.map_or(now, |last| last.after(Duration::millis(1)).max(now))
}

/// Returns the courier's next action, or `None` if the courier waits.
pub(crate) fn next_action(
    order: &Order,
    courier: &Courier,
    now: Timestamp,
    speed: u32,
) -> Option<Action> {
    let pickup = order.pickup.located.point;
    let since = courier.position_at.unwrap_or(order.status_since);
    // If the clock was set back, the courier advances by one second per pass.
    let elapsed_ms = if since > now {
        1_000
    } else {
        now.since(since).as_millis()
    };
    let at = courier.position.unwrap_or(pickup);
    let simulated = Progress {
        at,
        elapsed_ms: elapsed_ms.saturating_mul(speed.into()),
    };
    let code = |code: Option<&String>| code.cloned().unwrap_or_default();
    match order.status {
        OrderStatus::Allocated if order.attempt <= 1 && has_marker(order, NO_SHOW) => None,
        OrderStatus::Allocated if order.attempt <= 1 && has_marker(order, DECLINE) => {
            simulated.has_handed_over().then_some(Action::Decline {
                at,
                reason: "flat tyre",
            })
        }
        OrderStatus::Allocated => simulated.travel(pickup, Carry::ReachPickup),
        OrderStatus::CourierAtPickup if now < order.ready_at => {
            (elapsed_ms >= WAITING_POSITION_MS).then_some(Action::Travel { at })
        }
        OrderStatus::CourierAtPickup => simulated.hand_over(Carry::PickUp {
            code: code(Some(&order.pickup_code)),
        }),
        OrderStatus::OutForDelivery => deliver(order, &simulated),
        OrderStatus::Returning => simulated.travel(pickup, Carry::ReachReturn),
        OrderStatus::CourierAtReturn => simulated.hand_over(Carry::HandBack {
            code: code(order.return_code.as_ref()),
        }),
        _ => None,
    }
}

/// Continues with the delivery whose door the courier has reached, else with the one that is en
/// route, else with the next one.
fn deliver(order: &Order, simulated: &Progress) -> Option<Action> {
    let first = |status| {
        order
            .deliveries
            .iter()
            .find(|delivery| delivery.status == status)
    };
    if let Some(delivery) = first(DeliveryStatus::Arrived) {
        let carry = if contains(delivery, ABSENT) {
            Carry::Fail {
                stop: delivery.id,
                reason: "recipient not at home".to_owned(),
            }
        } else {
            let code = delivery
                .requires_code()
                .then(|| delivery.delivery_code.clone());
            Carry::Deliver {
                stop: delivery.id,
                code,
            }
        };
        return simulated.hand_over(carry);
    }
    if let Some(delivery) = first(DeliveryStatus::EnRoute) {
        return simulated.travel(delivery.place.located.point, Carry::ReachDoor(delivery.id));
    }
    let delivery = first(DeliveryStatus::OnBoard)?;
    Some(Action::Step {
        at: simulated.at,
        carry: Carry::SetOut(delivery.id),
    })
}

fn has_marker(order: &Order, marker: &str) -> bool {
    order
        .deliveries
        .iter()
        .any(|delivery| contains(delivery, marker))
}

fn contains(delivery: &Delivery, marker: &str) -> bool {
    delivery
        .observation
        .as_ref()
        .is_some_and(|observation| observation.contains(marker))
}

/// The courier's last position and the simulated time since then.
struct Progress {
    at: Point,
    elapsed_ms: i64,
}

impl Progress {
    fn has_handed_over(&self) -> bool {
        self.elapsed_ms >= HANDOVER_MS
    }

    fn hand_over(&self, carry: Carry) -> Option<Action> {
        self.has_handed_over()
            .then_some(Action::Step { at: self.at, carry })
    }

    /// Travels in a straight line and takes the step on arrival.
    fn travel(&self, to: Point, carry: Carry) -> Option<Action> {
        let distance_m = i64::from(great_circle_m(self.at, to));
        let reach_m = self.elapsed_ms.saturating_mul(METRES_PER_SECOND) / 1_000;
        if reach_m >= distance_m {
            return Some(Action::Step { at: to, carry });
        }
        let part = |from: i32, to: i32| {
            let moved = i64::from(from) + (i64::from(to) - i64::from(from)) * reach_m / distance_m;
            i32::try_from(moved).unwrap_or(to)
        };
        let at = Point {
            lat_e7: part(self.at.lat_e7, to.lat_e7),
            lon_e7: part(self.at.lon_e7, to.lon_e7),
        };
        (at != self.at).then_some(Action::Travel { at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(latitude: f64) -> Point {
        Point::from_degrees(latitude, -46.65).unwrap_or(Point {
            lat_e7: 0,
            lon_e7: 0,
        })
    }

    #[test]
    fn trip_passes_the_midpoint_and_ends_at_the_target() {
        let (from, to) = (at(-23.56), at(-23.54));
        let after = |seconds: i64| {
            Progress {
                at: from,
                elapsed_ms: seconds * 1_000,
            }
            .travel(to, Carry::ReachPickup)
        };
        // 2,224 m take 445 s.
        assert_eq!(after(0), None);
        assert_eq!(
            after(444).map(|action| matches!(action, Action::Travel { .. })),
            Some(true)
        );
        assert_eq!(
            after(445),
            Some(Action::Step {
                at: to,
                carry: Carry::ReachPickup
            })
        );
        let half = after(222)
            .map(|action| action.point())
            .map_or(0, |point| point.lat_e7);
        assert!((-235_502_000..-235_498_000).contains(&half), "{half}");
        assert_eq!(
            after(i64::MAX / 1_000),
            Some(Action::Step {
                at: to,
                carry: Carry::ReachPickup
            })
        );
    }

    #[test]
    fn handover_takes_a_minute() {
        let after = |seconds: i64| {
            Progress {
                at: at(0.0),
                elapsed_ms: seconds * 1_000,
            }
            .hand_over(Carry::ReachReturn)
        };
        assert_eq!((after(59), after(60).is_some()), (None, true));
    }
}
