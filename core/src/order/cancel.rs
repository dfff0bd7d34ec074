//! Cancelling: on which terms, the whole order or one stop, by the merchant or by the platform.

use serde::{Deserialize, Serialize};

use super::{
    DeliverySituation, Order, OrderSituation,
    step::{Draft, Refusal, Taken},
    table::{Step, Who},
};
use crate::{
    courier::Courier,
    domain::{DeliveryId, Distance, Duration, IdBlock, Moment, Money, Person, Timestamp},
    quote::Plan,
    store::{EntryKind, NotificationKind},
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
pub struct Terms {
    /// How.
    pub mode: Mode,
    /// What it costs.
    pub fee: Money,
    /// When the terms change by time alone.
    pub changes_at: Option<Timestamp>,
}

/// The terms on which a merchant may cancel an order now. They do not fall back when a courier lets the order go: somebody has set
/// out for it.
pub fn terms(order: &Order, rules: &Cancellation, now: Timestamp) -> Terms {
    let plain = |mode| Terms { mode, fee: Money::ZERO, changes_at: None };
    if order.situation.is_final() {
        return plain(Mode::Ended);
    }
    if order.situation >= OrderSituation::OutForDelivery {
        return plain(Mode::ReturnRequired);
    }
    let Some(first) = order.first_allocated_at else { return plain(Mode::Free) };
    let ends = first.after(Duration::minutes(rules.free_minutes.into()));
    if now < ends {
        return Terms { changes_at: Some(ends), ..plain(Mode::Free) };
    }
    let share = rust_decimal::Decimal::new(i64::from(rules.fee_percent.min(100)), 2);
    Terms { fee: Money::rounded(order.fee.reais() * share).unwrap_or(order.fee), ..plain(Mode::Paid) }
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
    moment: &Moment,
) -> Result<Taken, Refusal> {
    if order.took(Step::Cancel, None) {
        return Ok(Taken::Already);
    }
    let terms = terms(order, rules, moment.now);
    let step = match terms.mode {
        Mode::ReturnRequired => return Err(Refusal::ReturnRequired),
        Mode::Paid => Step::CancelLate,
        Mode::Free | Mode::Ended => Step::Cancel,
    };
    let mut draft = Draft::new(order, courier, Who::Merchant, by, moment.now);
    draft.take(step, None, reason)?;
    draft.pay(EntryKind::Refund, order.fee);
    draft.pay(EntryKind::CancellationFee, terms.fee.negated());
    Ok(draft.done())
}

/// Cancels an order for the platform: the whole fee comes back, and the store is told.
///
/// # Errors
/// Why not.
pub fn cancel_by_platform(
    order: &Order,
    courier: Option<&Courier>,
    reason: String,
    ids: &mut IdBlock,
    moment: &Moment,
) -> Result<Taken, Refusal> {
    if order.took(Step::CancelByPlatform, None) {
        return Ok(Taken::Already);
    }
    if terms(order, &Cancellation::default(), moment.now).mode == Mode::ReturnRequired {
        return Err(Refusal::ReturnRequired);
    }
    let mut draft = Draft::new(order, courier, Who::Platform, super::platform(), moment.now);
    draft.take(Step::CancelByPlatform, None, Some(reason))?;
    draft.pay(EntryKind::Refund, order.fee);
    draft.tell(NotificationKind::OrderCancelled, ids)?;
    Ok(draft.done())
}

/// The stops that are left of an order without one of them, by their place among its deliveries.
///
/// # Errors
/// Where that one cannot be cancelled: no such stop, the last one, or the goods are with the courier.
pub fn without(order: &Order, stop: DeliveryId) -> Result<Vec<usize>, Refusal> {
    if !order.deliveries.iter().any(|delivery| delivery.id == stop) {
        return Err(Refusal::UnknownStop);
    }
    if !order.situation.is_final() && order.situation >= OrderSituation::OutForDelivery {
        return Err(Refusal::ReturnRequired);
    }
    if order.situation.is_final() {
        return Err(Refusal::Invalid { situation: order.situation, possible: Vec::new() });
    }
    let waits = |delivery: &super::Delivery| delivery.situation == DeliverySituation::AwaitingPickup;
    let left = order.deliveries.iter().enumerate().filter(|(_, delivery)| waits(delivery) && delivery.id != stop);
    let left: Vec<usize> = left.map(|(at, _)| at).collect();
    if left.is_empty() { Err(Refusal::LastStop) } else { Ok(left) }
}

/// Cancels one stop; `plan` is that of the stops that [`without`] left. The fee never rises by it: where the tariff has become dearer
/// since, the old one stands.
///
/// # Errors
/// Why not.
pub fn cancel_stop(
    order: &Order,
    stop: DeliveryId,
    plan: &Plan,
    by: Person,
    reason: Option<String>,
    tariff_version: &str,
    moment: &Moment,
) -> Result<Taken, Refusal> {
    if order.took(Step::CancelStop, Some(stop)) {
        return Ok(Taken::Already);
    }
    let left = without(order, stop)?;
    let mut draft = Draft::new(order, None, Who::Merchant, by, moment.now);
    draft.take(Step::CancelStop, Some(stop), reason)?;
    let changed = &mut draft.order;
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
    if plan.fee < order.fee {
        changed.fee = plan.fee;
        changed.price_breakdown = plan.lines.clone();
        changed.tariff_version = tariff_version.to_owned();
        draft.pay(EntryKind::Refund, order.fee.plus(plan.fee.negated()));
    }
    Ok(draft.done())
}
