//! Steps of the merchant, and the write-off of lost deliveries by the platform.

use super::{
    StepError, StepOutcome, Timing, expire, platform,
    step::OrderUpdate,
    table::{Actor, Step},
};
use crate::model::{
    DeliveryId, Duration, ExecContext, IdBlock, Person,
    courier::Courier,
    order::{Order, OrderStatus},
    store::NotificationKind,
};

/// A step of the merchant. For cancellation, see `rules::lifecycle::cancel`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The goods are ready earlier than expected.
    Ready,
    /// The goods will be ready later.
    Delay {
        /// Minutes to add to the ready time.
        minutes: u32,
        /// Maximum minutes from now to the new ready time.
        max: u32,
    },
    /// A delivery failed and the merchant does not want the goods back.
    Discard(DeliveryId),
    /// The merchant requests the return of a delivery.
    TurnBack {
        /// The stop.
        stop: DeliveryId,
        /// The reason.
        reason: String,
    },
    /// The merchant waives the return.
    Waive,
}

/// The courier of an order and the other orders of the trip.
#[derive(Clone, Copy, Debug, Default)]
pub struct Carrier<'a> {
    /// The order's courier, if any.
    pub courier: Option<&'a Courier>,
    /// The other orders that the courier carries.
    pub others: &'a [Order],
    /// Maximum difference between the ready times of a trip's orders.
    pub ready_spread: Duration,
}

/// Takes a step of the merchant.
///
/// # Errors
/// If the step is not valid.
pub fn signal(
    order: &Order,
    carrier: Carrier<'_>,
    by: Person,
    signal: &Signal,
    timing: &Timing,
    context: &mut ExecContext,
) -> Result<StepOutcome, StepError> {
    let Carrier {
        courier,
        others,
        ready_spread,
    } = carrier;
    // With a lead time, the search starts during the preparation.
    let is_early = order.dispatch.lead_minutes > 0 && order.status >= OrderStatus::Searching;
    let (step, stop, reason) = match signal {
        Signal::Ready if is_early && order.ready_at > context.now => {
            (Step::FinishEarly, None, None)
        }
        Signal::Ready => (Step::MakeReady, None, None),
        Signal::Delay { .. } if is_early => (Step::Postpone, None, None),
        Signal::Delay { .. } => (Step::Delay, None, None),
        Signal::Discard(stop) => (Step::Discard, Some(*stop), None),
        Signal::TurnBack { stop, reason } => (Step::TurnBack, Some(*stop), Some(reason.clone())),
        Signal::Waive => (Step::Waive, None, None),
    };
    if order.has_taken(step, stop) {
        return Ok(StepOutcome::Already);
    }
    let now = context.now;
    let mut update = OrderUpdate::new(order, courier, Actor::Merchant, by, now);
    update.may(step, stop)?;
    if let Signal::Delay { minutes, max } = signal {
        delay(&mut update.order, *minutes, *max, context)?;
    }
    update.take(step, stop, reason)?;
    match signal {
        Signal::Ready if step == Step::FinishEarly => update.order.ready_at = now,
        Signal::Delay { .. }
            if step == Step::Postpone && delays_others(&update.order, others, ready_spread) =>
        {
            update.release(Step::Release, platform(), None, context);
        }
        Signal::Ready => {
            // The search starts in the same commit, because it waited only for the goods.
            update.order.ready_at = now;
            let begun = expire(&mut update.order, timing, now);
            update.and(begun);
        }
        Signal::TurnBack { .. } => {
            update
                .order
                .return_code
                .get_or_insert_with(|| context.entropy.code());
        }
        _ => {}
    }
    Ok(update.outcome())
}

/// Returns whether the goods will be ready too late for the other orders of the trip.
fn delays_others(order: &Order, others: &[Order], ready_spread: Duration) -> bool {
    let waiting = others
        .iter()
        .filter(|other| other.status.is_before_pickup());
    order.courier.is_some()
        && waiting
            .map(|other| other.ready_at)
            .max()
            .is_some_and(|ready| order.ready_at > ready.after(ready_spread))
}

/// Postpones the ready time and the expected times.
fn delay(
    order: &mut Order,
    minutes: u32,
    max: u32,
    context: &ExecContext,
) -> Result<(), StepError> {
    let span = Duration::minutes(minutes.into());
    let ready = order.ready_at.after(span);
    if ready > context.now.after(Duration::minutes(max.into())) {
        let left = order.ready_at.since(context.now).as_millis() / 60_000;
        return Err(StepError::TooLate {
            max: max.saturating_sub(u32::try_from(left).unwrap_or(u32::MAX)),
        });
    }
    order.ready_at = ready;
    order.expected_pickup = order.expected_pickup.map(|at| at.after(span));
    order.expected_delivery = order.expected_delivery.map(|at| at.after(span));
    Ok(())
}

/// Writes off a lost delivery, for example after theft or an accident.
///
/// # Errors
/// If the step is not valid.
pub fn lose(
    order: &Order,
    courier: Option<&Courier>,
    stop: DeliveryId,
    reason: String,
    ids: &mut IdBlock,
    context: &ExecContext,
) -> Result<StepOutcome, StepError> {
    if order.has_taken(Step::Lose, Some(stop)) {
        return Ok(StepOutcome::Already);
    }
    let mut update = OrderUpdate::new(
        order,
        courier,
        Actor::Platform,
        crate::rules::lifecycle::platform(),
        context.now,
    );
    update.take(Step::Lose, Some(stop), Some(reason))?;
    update.notify(NotificationKind::DeliveryLost, ids)?;
    Ok(update.outcome())
}
