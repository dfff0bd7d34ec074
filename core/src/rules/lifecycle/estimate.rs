//! The live estimate of an order's times.

use super::{
    platform,
    step::OrderUpdate,
    table::{Actor, Step},
};
use crate::{
    changes::Changes,
    model::{
        Timestamp,
        order::{Eta, Order},
    },
};

/// Stores a new estimate. Returns `None` if the stored one is less than a minute old or about the
/// same. The first estimate is compared with the expected times; without them, it is stored without
/// an event.
pub fn estimate(order: &Order, eta: Eta, now: Timestamp) -> Option<(Order, Changes)> {
    let expected = order.expected_delivery.map(|delivery| Eta {
        pickup: order.expected_pickup,
        delivery,
        at: now,
    });
    let is_known = match (&order.eta, &expected) {
        (Some(last), _) => now < last.at.after(Eta::STEP) || !last.differs(&eta),
        (None, _) => false,
    };
    let has_moved = order
        .eta
        .or(expected)
        .is_some_and(|last| last.differs(&eta));
    if is_known {
        return None;
    }
    let mut update = OrderUpdate::new(order, None, Actor::Platform, platform(), now);
    update.order.eta = Some(eta);
    if has_moved {
        update.take(Step::Estimate, None, None).ok()?;
    }
    Some(update.done())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{
            Duration,
            order::{EventKind, OrderStatus},
        },
        rules::trips::tests::template,
    };

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_795_262_400_000 + millis)
    }

    fn eta(pickup: Option<i64>, delivery: i64, at_millis: i64) -> Eta {
        Eta {
            pickup: pickup.map(at),
            delivery: at(delivery),
            at: at(at_millis),
        }
    }

    fn allocated() -> Order {
        Order {
            status: OrderStatus::Allocated,
            expected_pickup: None,
            expected_delivery: None,
            ..template()
        }
    }

    /// Returns the numbers of stored estimates and of events.
    fn outcome(order: &Order, eta: Eta) -> (usize, usize) {
        let Some((after, changes)) = estimate(order, eta, eta.at) else {
            return (0, 0);
        };
        assert_eq!((after.eta, after.version), (Some(eta), order.version + 1));
        assert!(
            changes
                .events
                .iter()
                .all(|event| event.kind == EventKind::EtaChanged)
        );
        assert_eq!((after.status, changes.couriers.len()), (order.status, 0));
        (changes.orders.len(), changes.events.len())
    }

    #[test]
    fn first_estimate_without_expected_times_creates_no_event() {
        assert_eq!(
            outcome(&allocated(), eta(Some(500_000), 900_000, 0)),
            (1, 0)
        );
    }

    #[test]
    fn first_estimate_is_compared_with_the_expected_times() {
        let order = Order {
            expected_pickup: Some(at(500_000)),
            expected_delivery: Some(at(900_000)),
            ..allocated()
        };
        for (pickup, delivery, events) in [
            (500_000, 900_000, 0),
            (559_999, 840_001, 0),
            (560_000, 900_000, 1),
            (440_000, 900_000, 1),
            (500_000, 960_000, 1),
            (500_000, 840_000, 1),
        ] {
            assert_eq!(
                outcome(&order, eta(Some(pickup), delivery, 0)),
                (1, events),
                "{pickup} {delivery}"
            );
        }
    }

    #[test]
    fn estimate_is_replaced_once_a_minute() {
        let order = Order {
            eta: Some(eta(Some(500_000), 900_000, 0)),
            ..allocated()
        };
        assert_eq!(
            outcome(&order, eta(Some(800_000), 1_200_000, 59_999)),
            (0, 0)
        );
        assert_eq!(
            outcome(&order, eta(Some(800_000), 1_200_000, 60_000)),
            (1, 1)
        );
        assert_eq!(
            outcome(&order, eta(Some(559_999), 959_999, 600_000)),
            (0, 0)
        );
        assert_eq!(outcome(&order, eta(None, 960_000, 600_000)), (1, 1));
        // After the pickup, only the delivery is compared.
        assert_eq!(outcome(&order, eta(None, 900_000, 600_000)), (0, 0));
    }

    #[test]
    fn slow_drift_is_measured_from_the_stored_estimate() {
        let mut order = Order {
            eta: Some(eta(None, 900_000, 0)),
            status: OrderStatus::OutForDelivery,
            ..allocated()
        };
        let mut events = 0;
        for minute in 1..=10 {
            let next = eta(None, 900_000 + minute * 25_000, minute * 60_000);
            if let Some((after, changes)) = estimate(&order, next, next.at) {
                (order, events) = (after, events + changes.events.len());
            }
        }
        assert_eq!(events, 3, "after 75, 150 and 225 seconds");
    }

    #[test]
    fn order_that_is_not_on_the_way_has_no_new_estimate() {
        for status in [
            OrderStatus::Searching,
            OrderStatus::Returning,
            OrderStatus::Completed,
        ] {
            let order = Order {
                eta: Some(eta(None, 900_000, 0)),
                status,
                ..allocated()
            };
            assert_eq!(outcome(&order, eta(None, 2_000_000, 100_000)), (0, 0));
        }
        assert_eq!(Eta::STEP, Duration::minutes(1));
    }
}
