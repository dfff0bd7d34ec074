//! Transitions that time makes: a deadline that an order waits for, and what happens when it has passed.
//!
//! Whoever drives the clock (a scheduler, a cron, or a read of an order that is due) calls [`expire`] and commits the result;
//! the rule is the same for all.

use serde::{Deserialize, Serialize};

use super::table::Step;
use crate::model::{
    Duration, Money, Person, Timestamp,
    order::{Event, Order, OrderStatus},
    store::{EntryKind, LedgerEntry},
};

/// How long an order may stay where time alone ends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Timing {
    /// Minutes that a courier is looked for before the order expires.
    pub search_minutes: u32,
}

impl Default for Timing {
    fn default() -> Timing {
        Timing { search_minutes: 20 }
    }
}

/// When time alone moves this order on; `None` where it waits for somebody.
pub fn next_deadline(order: &Order, timing: &Timing) -> Option<Timestamp> {
    match order.status {
        OrderStatus::Preparing | OrderStatus::Ready => Some(order.ready_at),
        OrderStatus::Searching => Some(order.status_since.after(Duration::minutes(i64::from(timing.search_minutes)))),
        _ => None,
    }
}

/// Takes the order through every timed transition that is due, and gives the events and the money that come of it.
/// Nothing happens before the deadline, so that two hosts that race do it once.
pub fn expire(order: &mut Order, timing: &Timing, now: Timestamp) -> (Vec<Event>, Vec<LedgerEntry>) {
    let (mut events, mut ledger) = (Vec::new(), Vec::new());
    while next_deadline(order, timing).is_some_and(|deadline| deadline <= now) {
        let step = match order.status {
            OrderStatus::Preparing => Step::MakeReady,
            OrderStatus::Ready => Step::Search,
            _ => Step::Expire,
        };
        let Some(event) = order.take(step, None, platform(), now) else { break };
        events.push(event);
        if step == Step::Expire {
            ledger.push(refund(order, now));
            order.cancellation_fee = Money::ZERO;
        }
    }
    (events, ledger)
}

/// Refunds all that was charged: what the platform does not carry costs nothing.
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

/// Who causes what time brings.
pub fn platform() -> Person {
    Person { name: "platform".to_owned(), phone: None }
}
