//! Decisions about the cash that couriers carry: what the counter books, and closings.

use crate::{
    changes::Changes,
    model::{
        CourierId, Money, StoreId, Timestamp,
        audit::Actor,
        cash::{CardSlip, CashBalance, CashClosing, CashEntry, CashKind, RecordedCash},
        courier::Courier,
        order::{Order, PaymentMethod},
    },
};

/// An amount that the counter gives to a courier, or receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CashMove {
    /// The amount, above zero.
    pub amount: Money,
    /// How it is paid.
    pub method: PaymentMethod,
    /// What shows that it took place.
    pub evidence: Option<String>,
}

/// What was counted at a closing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CashCount {
    /// The amount, which the courier hands over.
    pub counted: Money,
    /// The slips of the card machine.
    pub slips: Vec<CardSlip>,
    /// The reason for a difference, if it is known.
    pub reason: Option<String>,
    /// The period that the counter saw. `None` closes the current one.
    pub period: Option<u32>,
}

/// The reason why a period is not closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CloseError {
    /// The period was closed before.
    #[error("the period was closed before")]
    Closed,
    /// The period has no entries.
    #[error("the period has no entries")]
    Empty,
}

/// Returns the changes that book a float or a handover of a courier to a store.
pub fn book(
    kind: CashKind,
    (courier, store): (CourierId, StoreId),
    moved: &CashMove,
    by: Actor,
    now: Timestamp,
) -> Changes {
    let entry = CashEntry {
        amount: moved.amount,
        method: moved.method,
        evidence: moved.evidence.clone(),
        ..blank(kind, (courier, store), by, now)
    };
    booked(vec![entry], now)
}

/// Closes the period of a balance: books what was counted as handed over, and the difference, also
/// if it is zero.
///
/// # Errors
/// If the period was closed before, or has no entries.
pub fn close(
    balance: &CashBalance,
    count: &CashCount,
    by: Actor,
    now: Timestamp,
) -> Result<Changes, CloseError> {
    if count.period.is_some_and(|period| period != balance.period) {
        return Err(CloseError::Closed);
    }
    if balance.entries == 0 {
        return Err(CloseError::Empty);
    }
    let key = (balance.courier, balance.store);
    let closing = CashClosing {
        period: balance.period,
        float: balance.float,
        collected: balance.collected,
        handed_over: balance.handed_over,
        to_store_directly: balance.to_store_directly,
        counted: count.counted,
        slips: count.slips.clone(),
    };
    let mut entries = Vec::new();
    if count.counted > Money::ZERO {
        entries.push(CashEntry {
            amount: count.counted,
            ..blank(CashKind::HandedOver, key, by.clone(), now)
        });
    }
    entries.push(CashEntry {
        amount: closing.difference(),
        reason: count.reason.clone(),
        closing: Some(Box::new(closing)),
        ..blank(CashKind::Difference, key, by, now)
    });
    Ok(booked(entries, now))
}

/// Returns the changes that add a reason to a difference.
pub fn explain(difference: &RecordedCash, reason: String, by: Actor, now: Timestamp) -> Changes {
    let key = (difference.entry.courier, difference.entry.store);
    let note = CashEntry {
        reason: Some(reason),
        about: Some(difference.id),
        ..blank(CashKind::Note, key, by, now)
    };
    booked(vec![note], now)
}

/// Returns whether a courier has worked for a store, without its balance: a trip of the store's
/// orders, or one of the last waits. Stores cannot read other couriers.
pub fn has_worked_for(courier: &Courier, store: StoreId, trip: &[Order]) -> bool {
    trip.iter().any(|order| order.store == store)
        || courier
            .handovers
            .iter()
            .any(|handover| handover.store == store)
}

/// Returns the cash for which a courier has room: the limit without what is in hand for all stores,
/// and without what the trip will collect. `None` without a limit.
pub fn room(courier: &Courier, trip: &[Order], in_hand: Money) -> Option<Money> {
    let due: Money = trip.iter().map(Order::cash_due).sum();
    let limit = courier.cash_limit?;
    Some(limit.plus(in_hand.negated()).plus(due.negated()))
}

/// Returns whether an order leads a courier above the limit of cash. Orders without cash never do.
pub fn exceeds(order: &Order, room: Option<Money>) -> bool {
    let due = order.cash_due();
    due > Money::ZERO && room.is_some_and(|room| due > room)
}

fn booked(cash: Vec<CashEntry>, at: Timestamp) -> Changes {
    Changes {
        at,
        cash,
        ..Changes::default()
    }
}

fn blank(
    kind: CashKind,
    (courier, store): (CourierId, StoreId),
    by: Actor,
    at: Timestamp,
) -> CashEntry {
    CashEntry {
        courier,
        store,
        kind,
        amount: Money::ZERO,
        method: PaymentMethod::Cash,
        at,
        by,
        order: None,
        delivery: None,
        evidence: None,
        reason: None,
        about: None,
        closing: None,
    }
}
