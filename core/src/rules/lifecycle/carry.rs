//! What a courier does with an order, step by step.

use super::{
    Progress, StepError, StepOutcome,
    step::OrderUpdate,
    table::{Actor, Step},
};
use crate::{
    changes::Changes,
    model::{DeliveryId, ExecContext, IdBlock, courier::Courier, order::Order, store::NotificationKind},
};

/// A courier's step. Letting an order go is [`crate::rules::lifecycle::release`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carry {
    /// At the pickup.
    ReachPickup,
    /// Has the goods; the merchant told the code.
    PickUp {
        /// The pickup code.
        code: String,
    },
    /// Sets out for a stop.
    SetOut(DeliveryId),
    /// Lets a stop wait for another one.
    Resequence(DeliveryId),
    /// At the door.
    ReachDoor(DeliveryId),
    /// Handed over; the recipient told the code where the stop asks for it.
    Deliver {
        /// The stop.
        stop: DeliveryId,
        /// The delivery code.
        code: Option<String>,
    },
    /// It cannot be handed over, and goes back.
    Fail {
        /// The stop.
        stop: DeliveryId,
        /// Why.
        reason: String,
    },
    /// Back at the pickup.
    ReachReturn,
    /// Handed back; the merchant told the code.
    HandBack {
        /// The return code.
        code: String,
    },
}

/// A refused step, and what is counted though it was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedStep {
    /// Why.
    pub error: StepError,
    /// To be committed before the refusal is told: a wrong code.
    pub counted: Option<Box<Changes>>,
}

impl From<StepError> for FailedStep {
    fn from(error: StepError) -> FailedStep {
        FailedStep { error, counted: None }
    }
}

/// Takes a courier's step on the order that the courier has. Whether it is this courier's order is for the caller to see to.
///
/// # Errors
/// [`FailedStep`] where the table does not have the step from here, or a code is wrong.
pub fn carry(
    order: &Order,
    courier: &Courier,
    act: &Carry,
    ids: &mut IdBlock,
    context: &mut ExecContext,
) -> Result<StepOutcome, FailedStep> {
    let (step, stop) = act.step();
    if order.has_taken(step, stop) {
        return Ok(StepOutcome::Already);
    }
    let mut update = OrderUpdate::new(order, Some(courier), Actor::Courier, courier.assigned().person(), context.now);
    update.may(step, stop)?;
    if let Some((code, given)) = act.codes(order)? {
        let checked = update.order.tries.check(code, given, context.now);
        if let Err(error) = checked {
            let counted = matches!(error, StepError::CodeWrong { .. }).then(|| Box::new(update.counted()));
            return Err(FailedStep { error, counted });
        }
    }
    let reason = match act {
        Carry::Fail { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    update.take(step, stop, reason)?;
    match step {
        Step::TurnBack => {
            update.order.return_code.get_or_insert_with(|| context.entropy.code());
            update.notify(NotificationKind::DeliveryReturning, ids)?;
        }
        Step::ReachReturn => update.notify(NotificationKind::CourierAtReturn, ids)?,
        _ => {}
    }
    Ok(update.done())
}

impl Carry {
    /// The table's step, and the stop that it is about.
    pub fn step(&self) -> (Step, Option<DeliveryId>) {
        match self {
            Carry::ReachPickup => (Step::ReachPickup, None),
            Carry::PickUp { .. } => (Step::PickUp, None),
            Carry::SetOut(stop) => (Step::SetOut, Some(*stop)),
            Carry::Resequence(stop) => (Step::Resequence, Some(*stop)),
            Carry::ReachDoor(stop) => (Step::ReachDoor, Some(*stop)),
            Carry::Deliver { stop, .. } => (Step::Deliver, Some(*stop)),
            Carry::Fail { stop, .. } => (Step::TurnBack, Some(*stop)),
            Carry::ReachReturn => (Step::ReachReturn, None),
            Carry::HandBack { .. } => (Step::HandBack, None),
        }
    }

    /// The code that is asked for and the one that was told; nothing where none is asked for.
    fn codes<'a>(&'a self, order: &'a Order) -> Result<Option<(&'a str, &'a str)>, StepError> {
        match self {
            Carry::PickUp { code } => Ok(Some((&order.pickup_code, code))),
            Carry::HandBack { code } => Ok(order.return_code.as_deref().map(|expected| (expected, code.as_str()))),
            Carry::Deliver { stop, code } => {
                let delivery = order.deliveries.iter().find(|delivery| delivery.id == *stop);
                match (delivery.filter(|delivery| delivery.requires_code()), code) {
                    (None, _) => Ok(None),
                    (Some(delivery), Some(code)) => Ok(Some((&delivery.delivery_code, code))),
                    (Some(_), None) => Err(StepError::CodeNeeded),
                }
            }
            _ => Ok(None),
        }
    }
}

/// What a courier could do next with an order, by the table.
pub fn next_steps(order: &Order) -> Vec<Step> {
    Progress::of(order).possible(Actor::Courier)
}
