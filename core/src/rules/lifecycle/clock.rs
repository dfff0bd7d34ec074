//! Transitions that are due at a point in time.
//!
//! Every host process that handles timeouts (a scheduler, a cron job, or a read of a due order)
//! calls [`expire`] and commits the result.

use serde::{Deserialize, Serialize};

use super::table::Step;
use crate::model::{
    Duration, Money, Person, Timestamp,
    order::{Event, Order, OrderStatus},
    store::{EntryKind, LedgerEntry},
};

/// Timeouts of orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Timing {
    /// Minutes of searching for a courier after which the order expires.
    pub search_minutes: u32,
}

impl Default for Timing {
    fn default() -> Timing {
        Timing { search_minutes: 20 }
    }
}

impl Timing {
    /// Returns the duration of a search.
    pub fn search(&self) -> Duration {
        Duration::minutes(i64::from(self.search_minutes))
    }
}

/// Returns the time of the order's next timed transition, or `None` if it has none.
pub fn next_deadline(order: &Order, timing: &Timing) -> Option<Timestamp> {
    match order.status {
        OrderStatus::Scheduled => Some(order.starts_at()),
        OrderStatus::Preparing => Some(order.search_from()),
        OrderStatus::Ready => Some(order.ready_at),
        // With a lead time, the search starts before the goods are ready.
        OrderStatus::Searching => {
            // A courier can decline with an earlier time, which must not shorten the search.
            let from = order.status_received().max(order.ready_at);
            Some(from.after(timing.search()))
        }
        _ => None,
    }
}

/// Takes every timed transition that is due, and returns the events and ledger entries. Nothing
/// happens before the deadline, so concurrent hosts take each transition only once.
pub fn expire(
    order: &mut Order,
    timing: &Timing,
    now: Timestamp,
) -> (Vec<Event>, Vec<LedgerEntry>) {
    let (mut events, mut ledger) = (Vec::new(), Vec::new());
    while next_deadline(order, timing).is_some_and(|deadline| deadline <= now) {
        let step = match order.status {
            OrderStatus::Scheduled => Step::StartPreparation,
            OrderStatus::Preparing if order.ready_at <= now => Step::MakeReady,
            OrderStatus::Preparing => Step::Search,
            OrderStatus::Ready => Step::Search,
            _ => Step::Expire,
        };
        let Some(event) = order.take(step, None, platform(), now) else {
            break;
        };
        events.push(event);
        if step == Step::Expire {
            ledger.push(refund(order, now));
            order.cancellation_fee = Money::ZERO;
        }
    }
    (events, ledger)
}

/// Refunds all charges, because an expired order was not carried.
fn refund(order: &Order, at: Timestamp) -> LedgerEntry {
    LedgerEntry {
        store: order.store,
        account: None,
        order: Some(order.id),
        kind: EntryKind::Refund,
        amount: order.fee.plus(order.cancellation_fee),
        at,
        floor: None,
    }
}

/// Returns the person that stands for the platform in events.
pub fn platform() -> Person {
    Person {
        name: "platform".to_owned(),
        phone: None,
    }
}
