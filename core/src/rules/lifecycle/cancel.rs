//! Cancellation of orders and of single stops, by the merchant or the platform.
//!
//! A late cancellation costs a share of the fee's reduction, for one stop as for the whole order.
//! The share is rounded over the sum, so no sequence of cancellations is cheaper than another, and
//! a late cancellation stays late if the clock is set back. If the platform ends an order, fees of
//! earlier cancellations are also refunded.

use serde::{Deserialize, Serialize};

use super::{
    StepError, StepOutcome,
    step::OrderUpdate,
    table::{Actor, Step},
};
use crate::{
    model::{
        DeliveryId, Distance, Duration, ExecContext, IdBlock, Money, Person, Timestamp,
        courier::Courier,
        order::{DeliveryStatus, Order, OrderStatus},
        store::{EntryKind, NotificationKind},
    },
    rules::pricing::Plan,
};

/// Cancellation fees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cancellation {
    /// Minutes after the first assignment of a courier during which cancelling is free of charge.
    pub free_minutes: u32,
    /// Cost of a later cancellation in per cent of the order's fee, 0 to 100.
    pub fee_percent: u32,
}

impl Default for Cancellation {
    fn default() -> Cancellation {
        Cancellation {
            free_minutes: 2,
            fee_percent: 50,
        }
    }
}

impl Cancellation {
    /// Returns the cost of a late reduction of the fee by `amount`, after earlier late reductions
    /// by `before`. The share of the sum is rounded, not each part, so cancelling in several steps
    /// costs the same as at once.
    fn share(&self, before: Money, amount: Money) -> Money {
        let percent = rust_decimal::Decimal::new(i64::from(self.fee_percent.min(100)), 2);
        let share = |whole: Money| Money::rounded(whole.reais() * percent).unwrap_or(whole);
        share(before.plus(amount)).plus(share(before).negated())
    }
}

/// How an order can be cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Free of charge: the fee is refunded.
    Free,
    /// With a cancellation fee: the rest is refunded.
    Paid,
    /// Not possible, because the courier has the goods and must return them first.
    ReturnRequired,
    /// The order has ended.
    Ended,
}

/// The terms of a cancellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancellationTerms {
    /// How the order can be cancelled.
    pub mode: Mode,
    /// Cost of cancelling now, in addition to the cost of earlier late cancellations.
    pub fee: Money,
    /// Time at which the terms change if the status stays the same.
    pub changes_at: Option<Timestamp>,
}

/// Returns the terms for cancelling an order now. A later release of the courier does not make
/// cancelling free again, because a courier has already travelled.
pub fn terms(order: &Order, rules: &Cancellation, now: Timestamp) -> CancellationTerms {
    let plain = |mode| CancellationTerms {
        mode,
        fee: Money::ZERO,
        changes_at: None,
    };
    if order.status.is_final() {
        return plain(Mode::Ended);
    }
    if order.status >= OrderStatus::OutForDelivery {
        return plain(Mode::ReturnRequired);
    }
    let Some(first) = order.first_allocated_at else {
        return plain(Mode::Free);
    };
    let ends = first.after(Duration::minutes(rules.free_minutes.into()));
    // After a late cancellation of a stop, cancelling is never free again, even if the clock is set
    // back.
    if now < ends && order.cancelled_late == Money::ZERO {
        return CancellationTerms {
            changes_at: Some(ends),
            ..plain(Mode::Free)
        };
    }
    CancellationTerms {
        fee: rules.share(order.cancelled_late, order.fee),
        ..plain(Mode::Paid)
    }
}

/// Returns the terms for cancelling one stop now, if `left` is the fee of the remaining stops. A
/// late cancellation costs a share of the reduction of the fee, so any sequence of cancellations
/// costs as much as cancelling at once.
pub fn stop_terms(
    order: &Order,
    left: Money,
    rules: &Cancellation,
    now: Timestamp,
) -> CancellationTerms {
    let terms = terms(order, rules, now);
    match terms.mode {
        Mode::Paid => CancellationTerms {
            fee: rules.share(order.cancelled_late, reduction(order, left)),
            ..terms
        },
        _ => terms,
    }
}

/// Returns the reduction of the order's fee if `left` is the fee of the remaining stops. It is
/// never negative.
fn reduction(order: &Order, left: Money) -> Money {
    order.fee.plus(left.negated()).max(Money::ZERO)
}

/// Cancels an order for its merchant. `courier` is the order's courier, if any.
///
/// # Errors
/// If the order cannot be cancelled.
pub fn cancel(
    order: &Order,
    courier: Option<&Courier>,
    by: Person,
    reason: Option<String>,
    rules: &Cancellation,
    context: &ExecContext,
) -> Result<StepOutcome, StepError> {
    if order.has_taken(Step::Cancel, None) {
        return Ok(StepOutcome::Already);
    }
    let terms = terms(order, rules, context.now);
    let step = match terms.mode {
        Mode::ReturnRequired => return Err(StepError::ReturnRequired),
        Mode::Paid => Step::CancelLate,
        Mode::Free | Mode::Ended => Step::Cancel,
    };
    let mut update = OrderUpdate::new(order, courier, Actor::Merchant, by, context.now);
    update.take(step, None, reason)?;
    update.add_ledger_entry(EntryKind::Refund, order.fee);
    update.add_ledger_entry(EntryKind::CancellationFee, terms.fee.negated());
    update.order.cancellation_fee = order.cancellation_fee.plus(terms.fee);
    Ok(update.outcome())
}

/// Cancels an order for the platform. All charges are refunded, including cancellation fees, and
/// the store is notified.
///
/// # Errors
/// If the order cannot be cancelled.
pub fn cancel_by_platform(
    order: &Order,
    courier: Option<&Courier>,
    reason: String,
    ids: &mut IdBlock,
    context: &ExecContext,
) -> Result<StepOutcome, StepError> {
    if order.has_taken(Step::CancelByPlatform, None) {
        return Ok(StepOutcome::Already);
    }
    if terms(order, &Cancellation::default(), context.now).mode == Mode::ReturnRequired {
        return Err(StepError::ReturnRequired);
    }
    let mut update = OrderUpdate::new(
        order,
        courier,
        Actor::Platform,
        crate::rules::lifecycle::platform(),
        context.now,
    );
    update.take(Step::CancelByPlatform, None, Some(reason))?;
    update.add_ledger_entry(EntryKind::Refund, order.fee.plus(order.cancellation_fee));
    update.order.cancellation_fee = Money::ZERO;
    update.notify(NotificationKind::OrderCancelled, ids)?;
    Ok(update.outcome())
}

/// Returns the indices of the deliveries that remain after a stop is cancelled.
///
/// # Errors
/// If the stop does not exist, is the last one, or the courier has the goods.
pub fn without(order: &Order, stop: DeliveryId) -> Result<Vec<usize>, StepError> {
    if !order.deliveries.iter().any(|delivery| delivery.id == stop) {
        return Err(StepError::UnknownStop);
    }
    if !order.status.is_final() && order.status >= OrderStatus::OutForDelivery {
        return Err(StepError::ReturnRequired);
    }
    if order.status.is_final() {
        return Err(StepError::Invalid {
            status: order.status,
            possible: Vec::new(),
        });
    }
    let waits = |delivery: &crate::model::order::Delivery| {
        delivery.status == DeliveryStatus::AwaitingPickup
    };
    let left = order
        .deliveries
        .iter()
        .enumerate()
        .filter(|(_, delivery)| waits(delivery) && delivery.id != stop);
    let left: Vec<usize> = left.map(|(at, _)| at).collect();
    if left.is_empty() {
        Err(StepError::LastStop)
    } else {
        Ok(left)
    }
}

/// Returns whether a cancelled stop delays the preparation, so that the courier still arrives at
/// the last stop at the requested time. With windows, the other arrivals are kept instead.
fn keeps_arrival(order: &Order) -> bool {
    order.status == OrderStatus::Scheduled
        && order
            .schedule
            .is_some_and(|schedule| schedule.deliver_at.is_some())
        && order
            .deliveries
            .iter()
            .all(|delivery| delivery.window.is_none())
}

/// The new price of an order without one of its stops.
#[derive(Clone, Copy, Debug)]
pub struct Repricing<'a> {
    /// The plan of the stops that [`without`] returned.
    pub plan: &'a Plan,
    /// Version of the tariff that was applied.
    pub tariff_version: &'a str,
    /// Cancellation fees.
    pub rules: &'a Cancellation,
}

/// Cancels one stop. The fee never rises: if the tariff has become more expensive since, the old
/// fee is kept. A reduction of the fee is refunded. After the free minutes, the fee of
/// [`stop_terms`] is charged.
///
/// # Errors
/// If the order cannot be cancelled.
pub fn cancel_stop(
    order: &Order,
    stop: DeliveryId,
    repriced: Repricing<'_>,
    by: Person,
    reason: Option<String>,
    context: &ExecContext,
) -> Result<StepOutcome, StepError> {
    if order.has_taken(Step::CancelStop, Some(stop)) {
        return Ok(StepOutcome::Already);
    }
    let Repricing {
        plan,
        tariff_version,
        rules,
    } = repriced;
    let left = without(order, stop)?;
    let (terms, reduction) = (
        stop_terms(order, plan.fee, rules, context.now),
        reduction(order, plan.fee),
    );
    let mut update = OrderUpdate::new(order, None, Actor::Merchant, by, context.now);
    update.take(Step::CancelStop, Some(stop), reason)?;
    let changed = &mut update.order;
    for delivery in &mut changed.deliveries {
        if delivery.id == stop {
            delivery.distance = Distance(0);
        }
    }
    for (at, leg) in left.iter().zip(&plan.legs) {
        if let Some(delivery) = changed.deliveries.get_mut(*at) {
            delivery.distance = Distance(leg.metres);
        }
    }
    changed.total_distance = plan.total_distance;
    changed.return_leg = plan.back.map(|leg| Distance(leg.metres));
    changed.estimated = plan.estimated;
    if plan.back.is_none() {
        changed.return_code = None;
    }
    // Fewer stops take less time. A scheduled order keeps the arrival that was requested, and starts
    // later; any other order arrives earlier.
    let travel = plan.times.delivery.since(plan.times.pickup);
    let expected = changed.expected_pickup.map(|pickup| pickup.after(travel));
    let shift = match expected.zip(order.expected_delivery) {
        Some((expected, promised)) if keeps_arrival(order) => promised.since(expected),
        _ => Duration::default(),
    };
    changed.ready_at = changed.ready_at.after(shift);
    changed.expected_pickup = changed.expected_pickup.map(|pickup| pickup.after(shift));
    changed.expected_delivery = expected.map(|delivery| delivery.after(shift));
    if reduction > Money::ZERO {
        changed.fee = plan.fee;
        changed.price_breakdown = plan.lines.clone();
        changed.tariff_version = tariff_version.to_owned();
        if terms.mode == Mode::Paid {
            changed.cancelled_late = order.cancelled_late.plus(reduction);
            changed.cancellation_fee = order.cancellation_fee.plus(terms.fee);
        }
        update.add_ledger_entry(EntryKind::Refund, reduction);
        update.add_ledger_entry(EntryKind::CancellationFee, terms.fee.negated());
    }
    Ok(update.outcome())
}
