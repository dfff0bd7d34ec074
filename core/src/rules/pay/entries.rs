//! The pay of an order: fixed at the assignment, estimated until the end, and written once.

use super::lines::{Outcome, Stage, Work, order_lines, total};
use crate::{
    geo,
    model::{
        Distance, Money, Timestamp,
        courier::Courier,
        order::{Delivery, DeliveryStatus, Order, OrderStatus},
        pay::{
            OrderPay, PayEntry, PayKind, PayLine, PaySource, PayTerms, Payer, StoredPayPlan,
            TripPosition,
        },
    },
};

/// Returns the pay of an order that is assigned to a courier now: by the courier's terms for the
/// store and the version of the plan in force. `None` if the courier has no such terms.
pub fn fixed(
    order: &Order,
    courier: &Courier,
    plans: &[StoredPayPlan],
    now: Timestamp,
) -> Option<OrderPay> {
    let terms = PayTerms::of(&courier.pay, order.store)?;
    let stored = StoredPayPlan::in_force(plans, &terms.plan, now)?;
    let zone = geo::zone(&order.pickup.address).unwrap_or_default();
    Some(OrderPay {
        name: stored.name.clone(),
        plan: stored.plan.at(now, zone, &[]),
        payer: terms.payer,
        deliveries: open_deliveries(order),
        position: None,
        waited_minutes: 0,
    })
}

/// Returns the lines of an order that is delivered as planned. `expected` is the position in the
/// trip before the pickup. `None` if the order has no pay.
pub fn estimate(order: &Order, expected: TripPosition) -> Option<Vec<PayLine>> {
    let pay = order.pay.as_deref()?;
    let work = Work {
        position: pay.position.unwrap_or(expected),
        ..work(order, pay, order.return_leg, Outcome::Carried)
    };
    let mut lines = order_lines(&pay.plan, &work);
    lines.extend(cancelled_stops(order, pay));
    Some(lines)
}

/// Returns the entries of a step from one state of an order to another: the lines of the order if
/// the step ended it, otherwise none.
pub(crate) fn ended_entries(before: &Order, after: &Order, now: Timestamp) -> Vec<PayEntry> {
    if before.status.is_final() || !after.status.is_final() {
        return Vec::new();
    }
    let Some(pay) = after.pay.as_deref() else {
        return Vec::new();
    };
    if before.status.is_before_pickup() {
        let outcome = Outcome::Cancelled(stage(before));
        let work = work(before, pay, None, outcome);
        return entries(after, pay, order_lines(&pay.plan, &work), now);
    }
    let back = (before.status == OrderStatus::CourierAtReturn).then(|| way_back(after));
    let work = work(after, pay, back, Outcome::Carried);
    let mut lines = order_lines(&pay.plan, &work);
    // The courier was shown the pay of the way back, or had already turned back.
    let is_expected = after.return_leg.is_some() || before.status == OrderStatus::Returning;
    if back.is_none() && is_expected && pay.plan.returned != Default::default() {
        lines.push(zero(PayKind::Return, 1, "not_returned"));
    }
    lines.extend(cancelled_stops(after, pay));
    entries(after, pay, lines, now)
}

/// Returns the entries of an order that is taken from its courier before the pickup, not by the
/// courier: the plan's share for its stage, if that is above zero.
pub(crate) fn released_entries(order: &Order, now: Timestamp) -> Vec<PayEntry> {
    let Some(pay) = order.pay.as_deref() else {
        return Vec::new();
    };
    let work = Work {
        waited_minutes: 0,
        ..work(order, pay, None, Outcome::Cancelled(stage(order)))
    };
    let lines = order_lines(&pay.plan, &work);
    if total(&lines) == Money::ZERO {
        return Vec::new();
    }
    entries(order, pay, lines, now)
}

fn stage(order: &Order) -> Stage {
    if order.status == OrderStatus::CourierAtPickup {
        Stage::Arrived
    } else {
        Stage::Assigned
    }
}

fn work(order: &Order, pay: &OrderPay, back: Option<Distance>, outcome: Outcome) -> Work {
    let planned_back = order.return_leg.map_or(0, Distance::metres);
    Work {
        position: pay.position.unwrap_or(TripPosition::First),
        deliveries: open_deliveries(order),
        outward: Distance(order.total_distance.metres().saturating_sub(planned_back)),
        back,
        fee: order.fee,
        waited_minutes: pay.waited_minutes,
        outcome,
    }
}

/// Returns the number of deliveries that were not cancelled before the pickup.
fn open_deliveries(order: &Order) -> u32 {
    let open = order.deliveries.iter().filter(|delivery| is_open(delivery));
    u32::try_from(open.count()).unwrap_or(u32::MAX)
}

fn is_open(delivery: &Delivery) -> bool {
    delivery.status != DeliveryStatus::Cancelled
}

/// Returns the length of the way back. If none was planned, it is estimated from the last stop.
fn way_back(order: &Order) -> Distance {
    let last = order.deliveries.iter().rfind(|delivery| is_open(delivery));
    let estimated = || {
        let from = last?.place.located.point;
        Some(Distance(geo::leg(from, order.pickup.located.point).metres))
    };
    order.return_leg.or_else(estimated).unwrap_or(Distance(0))
}

/// Returns the line that says why the pay is lower than at the assignment, if stops were cancelled.
fn cancelled_stops(order: &Order, pay: &OrderPay) -> Option<PayLine> {
    let count = pay.deliveries.saturating_sub(open_deliveries(order));
    (count > 0).then(|| zero(PayKind::Cancellation, count, "stops_cancelled"))
}

/// Returns a line that only states a reason.
fn zero(kind: PayKind, quantity: u32, reason: &str) -> PayLine {
    PayLine {
        kind,
        quantity: quantity.into(),
        amount: Money::ZERO,
        note: Some(reason.to_owned()),
    }
}

fn entries(order: &Order, pay: &OrderPay, lines: Vec<PayLine>, at: Timestamp) -> Vec<PayEntry> {
    let Some(courier) = &order.courier else {
        return Vec::new();
    };
    let entry = |(number, line): (u32, PayLine)| PayEntry {
        at,
        courier: courier.id,
        payer: (pay.payer == Payer::Store).then_some(order.store),
        kind: line.kind,
        quantity: Some(line.quantity),
        amount: line.amount,
        order: Some(order.id),
        order_code: Some(order.code.clone()),
        delivery: None,
        plan_version: Some(pay.plan.version.clone()),
        corrects: None,
        reason: line.note,
        actor: None,
        source: PaySource::Order {
            attempt: order.attempt,
            line: number,
        },
    };
    (0..).zip(lines).map(entry).collect()
}

impl OrderPay {
    /// Adds a wait of the courier.
    pub(crate) fn add_wait(&mut self, waited: crate::model::Duration) {
        let minutes = u32::try_from(waited.as_millis().max(0) / 60_000).unwrap_or(u32::MAX);
        let paid = self.plan.waiting.paid_minutes(minutes);
        self.waited_minutes = self.waited_minutes.saturating_add(paid);
    }
}
