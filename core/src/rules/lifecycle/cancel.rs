//! Cancelling: on which terms, the whole order or one stop, by the merchant or by the platform.

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

/// What a cancellation costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cancellation {
    /// Minutes after the first courier was assigned that a merchant may still cancel free of charge.
    pub free_minutes: u32,
    /// Per cent of the order's fee that a later cancellation costs, 0 to 100.
    pub fee_percent: u32,
}

impl Default for Cancellation {
    fn default() -> Cancellation {
        Cancellation { free_minutes: 2, fee_percent: 50 }
    }
}

impl Cancellation {
    /// What it costs to give up `amount` of a fee late, after `before` was given up late. The share of the sum is rounded, not each
    /// part, so that cancelling in several steps costs the same as at once.
    fn share(&self, before: Money, amount: Money) -> Money {
        let percent = rust_decimal::Decimal::new(i64::from(self.fee_percent.min(100)), 2);
        let share = |whole: Money| Money::rounded(whole.reais() * percent).unwrap_or(whole);
        share(before.plus(amount)).plus(share(before).negated())
    }
}

/// How an order can be cancelled now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The whole fee comes back.
    Free,
    /// The fee comes back but for a share.
    Paid,
    /// Not any more: the goods are with the courier and must come back.
    ReturnRequired,
    /// The order has ended.
    Ended,
}

/// The terms of a cancellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancellationTerms {
    /// How.
    pub mode: Mode,
    /// What it costs now, in addition to what late cancellations have cost so far.
    pub fee: Money,
    /// When the terms change by time alone.
    pub changes_at: Option<Timestamp>,
}

/// The terms on which a merchant may cancel an order now. They do not fall back when a courier lets the order go: somebody has set
/// out for it.
pub fn terms(order: &Order, rules: &Cancellation, now: Timestamp) -> CancellationTerms {
    let plain = |mode| CancellationTerms { mode, fee: Money::ZERO, changes_at: None };
    if order.status.is_final() {
        return plain(Mode::Ended);
    }
    if order.status >= OrderStatus::OutForDelivery {
        return plain(Mode::ReturnRequired);
    }
    let Some(first) = order.first_allocated_at else { return plain(Mode::Free) };
    let ends = first.after(Duration::minutes(rules.free_minutes.into()));
    // What was late once stays late, also where the clock is set back: an order is never cancelled free of charge after a fee.
    if now < ends && order.cancelled_late == Money::ZERO {
        return CancellationTerms { changes_at: Some(ends), ..plain(Mode::Free) };
    }
    CancellationTerms { fee: rules.share(order.cancelled_late, order.fee), ..plain(Mode::Paid) }
}

/// The terms on which a merchant may cancel one stop now, where `left` is the fee of the stops that remain. A late cancellation costs the
/// share of what it takes off the fee, so that any sequence of cancellations costs as much as cancelling at once.
pub fn stop_terms(order: &Order, left: Money, rules: &Cancellation, now: Timestamp) -> CancellationTerms {
    let terms = terms(order, rules, now);
    match terms.mode {
        Mode::Paid => CancellationTerms { fee: rules.share(order.cancelled_late, given_up(order, left)), ..terms },
        _ => terms,
    }
}

/// What an order's fee falls by where `left` is the fee of the stops that remain. It never rises.
fn given_up(order: &Order, left: Money) -> Money {
    order.fee.plus(left.negated()).max(Money::ZERO)
}

/// Cancels an order for its merchant; `courier` is who has it, where somebody does.
///
/// # Errors
/// Why not.
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
    Ok(update.done())
}

/// Cancels an order for the platform: all that was charged is refunded, fees of late cancellations too, and the store is notified.
///
/// # Errors
/// Why not.
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
    let mut update =
        OrderUpdate::new(order, courier, Actor::Platform, crate::rules::lifecycle::platform(), context.now);
    update.take(Step::CancelByPlatform, None, Some(reason))?;
    update.add_ledger_entry(EntryKind::Refund, order.fee.plus(order.cancellation_fee));
    update.order.cancellation_fee = Money::ZERO;
    update.notify(NotificationKind::OrderCancelled, ids)?;
    Ok(update.done())
}

/// The stops that are left of an order without one of them, by their place among its deliveries.
///
/// # Errors
/// Where that one cannot be cancelled: no such stop, the last one, or the goods are with the courier.
pub fn without(order: &Order, stop: DeliveryId) -> Result<Vec<usize>, StepError> {
    if !order.deliveries.iter().any(|delivery| delivery.id == stop) {
        return Err(StepError::UnknownStop);
    }
    if !order.status.is_final() && order.status >= OrderStatus::OutForDelivery {
        return Err(StepError::ReturnRequired);
    }
    if order.status.is_final() {
        return Err(StepError::Invalid { status: order.status, possible: Vec::new() });
    }
    let waits = |delivery: &crate::model::order::Delivery| delivery.status == DeliveryStatus::AwaitingPickup;
    let left = order.deliveries.iter().enumerate().filter(|(_, delivery)| waits(delivery) && delivery.id != stop);
    let left: Vec<usize> = left.map(|(at, _)| at).collect();
    if left.is_empty() { Err(StepError::LastStop) } else { Ok(left) }
}

/// A repriced order without one of its stops, and what that is decided on.
#[derive(Clone, Copy, Debug)]
pub struct Repriced<'a> {
    /// The plan of the stops that [`without`] left.
    pub plan: &'a Plan,
    /// The tariff that priced it.
    pub tariff_version: &'a str,
    /// What a cancellation costs.
    pub rules: &'a Cancellation,
}

/// Cancels one stop. The fee never rises by it: if the tariff has become more expensive since, the old fee stays. What the fee falls by is
/// refunded; from the end of the free minutes on, [`stop_terms`] are charged.
///
/// # Errors
/// Why not.
pub fn cancel_stop(
    order: &Order,
    stop: DeliveryId,
    repriced: Repriced<'_>,
    by: Person,
    reason: Option<String>,
    context: &ExecContext,
) -> Result<StepOutcome, StepError> {
    if order.has_taken(Step::CancelStop, Some(stop)) {
        return Ok(StepOutcome::Already);
    }
    let Repriced { plan, tariff_version, rules } = repriced;
    let left = without(order, stop)?;
    let (terms, given_up) = (stop_terms(order, plan.fee, rules, context.now), given_up(order, plan.fee));
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
    let riding = plan.times.delivery.since(plan.times.pickup);
    changed.expected_delivery = changed.expected_pickup.map(|pickup| pickup.after(riding));
    if given_up > Money::ZERO {
        changed.fee = plan.fee;
        changed.price_breakdown = plan.lines.clone();
        changed.tariff_version = tariff_version.to_owned();
        if terms.mode == Mode::Paid {
            changed.cancelled_late = order.cancelled_late.plus(given_up);
            changed.cancellation_fee = order.cancellation_fee.plus(terms.fee);
        }
        update.add_ledger_entry(EntryKind::Refund, given_up);
        update.add_ledger_entry(EntryKind::CancellationFee, terms.fee.negated());
    }
    Ok(update.done())
}
