//! What a merchant says of an order while it lives, and what the platform does to it.

use super::{
    StepError, StepOutcome, Timing, expire,
    step::OrderUpdate,
    table::{Actor, Step},
};
use crate::model::{
    DeliveryId, Duration, ExecContext, IdBlock, Person, courier::Courier, order::Order, store::NotificationKind,
};

/// A merchant's word on an order. Cancelling is [`crate::rules::lifecycle::cancel`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The goods are ready, earlier than was said.
    Ready,
    /// The goods will be ready later.
    Delay {
        /// Minutes that are added to the ready time.
        minutes: u32,
        /// Minutes from now that the new ready time may be away at most.
        max: u32,
    },
    /// What could not be handed over is not wanted back.
    Discard(DeliveryId),
    /// A delivery is to come back.
    TurnBack {
        /// The stop.
        stop: DeliveryId,
        /// Why.
        reason: String,
    },
    /// Nothing need come back.
    Waive,
}

/// Takes a merchant's word; `courier` is who has the order, where somebody does.
///
/// # Errors
/// Why not.
pub fn signal(
    order: &Order,
    courier: Option<&Courier>,
    by: Person,
    word: &Signal,
    timing: &Timing,
    context: &mut ExecContext,
) -> Result<StepOutcome, StepError> {
    let (step, stop, reason) = match word {
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
    if let Signal::Delay { minutes, max } = word {
        delay(&mut update.order, *minutes, *max, context)?;
    }
    update.take(step, stop, reason)?;
    match word {
        Signal::Ready => {
            // The search starts at once, in the same commit: it waited for nothing else.
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

/// Moves the ready time, and with it what is expected to follow.
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

/// Writes a delivery off as lost: by theft or accident.
///
/// # Errors
/// Why not.
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
