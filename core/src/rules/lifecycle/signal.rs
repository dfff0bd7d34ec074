//! What a merchant says of an order while it lives, and what the platform does to it.

use super::{
    Refusal, Taken, Timing, expire,
    step::Draft,
    table::{Step, Who},
};
use crate::model::{
    DeliveryId, Duration, IdBlock, Moment, Person, courier::Courier, order::Order, store::NotificationKind,
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
        most: u32,
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
    moment: &mut Moment,
) -> Result<Taken, Refusal> {
    let (step, stop, reason) = match word {
        Signal::Ready => (Step::MakeReady, None, None),
        Signal::Delay { .. } => (Step::Delay, None, None),
        Signal::Discard(stop) => (Step::Discard, Some(*stop), None),
        Signal::TurnBack { stop, reason } => (Step::TurnBack, Some(*stop), Some(reason.clone())),
        Signal::Waive => (Step::Waive, None, None),
    };
    if order.has_taken(step, stop) {
        return Ok(Taken::Already);
    }
    let now = moment.now;
    let mut draft = Draft::new(order, courier, Who::Merchant, by, now);
    draft.may(step, stop)?;
    if let Signal::Delay { minutes, most } = word {
        delay(&mut draft.order, *minutes, *most, moment)?;
    }
    draft.take(step, stop, reason)?;
    match word {
        Signal::Ready => {
            // The search starts at once, in the same commit: it waited for nothing else.
            draft.order.ready_at = now;
            let begun = expire(&mut draft.order, timing, now);
            draft.and(begun);
        }
        Signal::TurnBack { .. } => {
            draft.order.return_code.get_or_insert_with(|| moment.entropy.code());
        }
        _ => {}
    }
    Ok(draft.done())
}

/// Moves the ready time, and with it what is expected to follow.
fn delay(order: &mut Order, minutes: u32, most: u32, moment: &Moment) -> Result<(), Refusal> {
    let span = Duration::minutes(minutes.into());
    let ready = order.ready_at.after(span);
    if ready > moment.now.after(Duration::minutes(most.into())) {
        let left = order.ready_at.since(moment.now).as_millis() / 60_000;
        return Err(Refusal::TooLate { most: most.saturating_sub(u32::try_from(left).unwrap_or(u32::MAX)) });
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
    moment: &Moment,
) -> Result<Taken, Refusal> {
    if order.has_taken(Step::Lose, Some(stop)) {
        return Ok(Taken::Already);
    }
    let mut draft = Draft::new(order, courier, Who::Platform, crate::rules::lifecycle::platform(), moment.now);
    draft.take(Step::Lose, Some(stop), Some(reason))?;
    draft.tell(NotificationKind::DeliveryLost, ids)?;
    Ok(draft.done())
}
