//! The steps of recipients: choices, ratings and messages.

use super::{
    StepError, StepOutcome, platform,
    step::OrderUpdate,
    table::{Actor, Step},
};
use crate::model::{
    DeliveryId, Person, Timestamp,
    order::{Delivery, Event, Order, Rating},
    store::{NotifyAt, RecipientChoice},
};

/// A step of a recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecipientStep {
    /// What the courier does if the recipient is not at home.
    Choose(RecipientChoice),
    /// A rating.
    Rate {
        /// 1 to 5.
        stars: u8,
        /// A text.
        text: Option<String>,
    },
}

/// The reason a step of a recipient is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecipientStepError {
    /// The recipient has rated the delivery.
    #[error("the recipient has rated the delivery")]
    AlreadyRated,
    /// The step is not valid for the delivery's status.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Returns the recipient as the person that causes an event. Events are stored longer than the
/// recipient's data.
fn recipient() -> Person {
    Person {
        name: "recipient".to_owned(),
        phone: None,
    }
}

/// Takes a recipient's step. The caller must have checked that the store allows the choice.
///
/// # Errors
/// If the delivery's status does not allow the step, or it was rated before.
pub fn recipient_step(
    order: &Order,
    stop: DeliveryId,
    act: &RecipientStep,
    now: Timestamp,
) -> Result<StepOutcome, RecipientStepError> {
    let mut update = OrderUpdate::new(order, None, Actor::Recipient, recipient(), now);
    let known = order.deliveries.iter().find(|delivery| delivery.id == stop);
    let tracking = known.and_then(|delivery| delivery.tracking.as_ref());
    let Some(tracking) = tracking else {
        return Err(RecipientStepError::Step(StepError::UnknownStop));
    };
    let mut changed = tracking.clone();
    let (step, reason) = match act {
        RecipientStep::Choose(choice) if tracking.choice == Some(*choice) => {
            return Ok(StepOutcome::Already);
        }
        RecipientStep::Choose(choice) => {
            changed.choice = Some(*choice);
            (Step::Choose, Some(choice.name().to_owned()))
        }
        RecipientStep::Rate { .. } if tracking.rating.is_some() => {
            return Err(RecipientStepError::AlreadyRated);
        }
        RecipientStep::Rate { stars, text } => {
            changed.rating = Some(Rating {
                stars: *stars,
                text: text.clone(),
                at: now,
            });
            (Step::Rate, text.clone())
        }
    };
    update
        .take(step, Some(stop), reason)
        .map_err(RecipientStepError::Step)?;
    let delivery = update
        .order
        .deliveries
        .iter_mut()
        .find(|delivery| delivery.id == stop);
    delivery
        .into_iter()
        .for_each(|delivery| delivery.tracking = Some(changed.clone()));
    Ok(update.outcome())
}

impl Order {
    /// Records the messages that are due at a step, of one delivery or of all. Each is due once.
    pub(super) fn notify_recipients(
        &mut self,
        due: NotifyAt,
        stop: Option<DeliveryId>,
        now: Timestamp,
    ) -> Vec<Event> {
        let is_due = |delivery: &&mut Delivery| stop.is_none_or(|stop| delivery.id == stop);
        let mut recipients = Vec::new();
        for delivery in self.deliveries.iter_mut().filter(is_due) {
            let has_contact = delivery.phone.is_some() || delivery.email.is_some();
            let Some(tracking) = delivery
                .tracking
                .as_mut()
                .filter(|tracking| tracking.link.is_some())
            else {
                continue;
            };
            let before = tracking.notify_at.len();
            tracking.notify_at.retain(|at| *at != due);
            if has_contact && tracking.notify_at.len() < before {
                recipients.push(delivery.id);
            }
        }
        let mut event = |stop| {
            let event = self.take(Step::Notify, Some(stop), platform(), now)?;
            Some(Event {
                reason: Some(due.name().to_owned()),
                ..event
            })
        };
        recipients.into_iter().filter_map(&mut event).collect()
    }
}
