//! Steps of the merchant, and the write-off of lost deliveries by the platform.

use super::{
    StepError, StepOutcome, Timing, expire,
    step::OrderUpdate,
    table::{Actor, Step},
};
use crate::model::{
    DeliveryId, Duration, ExecContext, IdBlock, Person, courier::Courier, order::Order, store::NotificationKind,
};

/// A step of the merchant. For cancellation, see [`crate::rules::lifecycle::cancel`].
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

/// Takes a step of the merchant. `courier` is the order's courier, if any.
///
/// # Errors
/// If the step is not valid.
pub fn signal(
    order: &Order,
    courier: Option<&Courier>,
    by: Person,
    signal: &Signal,
    timing: &Timing,
    context: &mut ExecContext,
) -> Result<StepOutcome, StepError> {
    let (step, stop, reason) = match signal {
        Signal::Ready => (Step::MakeReady, None, None),
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
        Signal::Ready => {
            // The search starts in the same commit, because it waited only for the goods.
            update.order.ready_at = now;
            let begun = expire(&mut update.order, timing, now);
            update.and(begun);
        }
        Signal::TurnBack { .. } => {
            update.order.return_code.get_or_insert_with(|| context.entropy.code());
        }
        _ => {}
    }
    Ok(update.done())
}

/// Postpones the ready time and the expected times.
fn delay(order: &mut Order, minutes: u32, max: u32, context: &ExecContext) -> Result<(), StepError> {
    let span = Duration::minutes(minutes.into());
    let ready = order.ready_at.after(span);
    if ready > context.now.after(Duration::minutes(max.into())) {
        let left = order.ready_at.since(context.now).as_millis() / 60_000;
        return Err(StepError::TooLate { max: max.saturating_sub(u32::try_from(left).unwrap_or(u32::MAX)) });
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
    let mut update =
        OrderUpdate::new(order, courier, Actor::Platform, crate::rules::lifecycle::platform(), context.now);
    update.take(Step::Lose, Some(stop), Some(reason))?;
    update.notify(NotificationKind::DeliveryLost, ids)?;
    Ok(update.done())
}
