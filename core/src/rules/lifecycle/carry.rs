//! The steps of a courier.

use super::{
    Progress, Receipt, StepError, StepOutcome,
    codes::is_same_code,
    step::OrderUpdate,
    table::{Actor, Step},
};
use crate::{
    changes::Changes,
    model::{
        CourierId, DeliveryId, ExecContext, IdBlock, Timestamp,
        courier::Courier,
        order::{Order, OrderStatus, ProofPart, ProofParts, ProofStep},
        store::NotificationKind,
    },
    rules::trips::TripContext,
};

/// A step of a courier. For declining an order, see [`crate::rules::lifecycle::decline`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carry {
    /// The courier arrived at the pickup.
    ReachPickup,
    /// The courier received the goods and the code from the merchant.
    PickUp {
        /// The pickup code.
        code: String,
    },
    /// The courier is on the way to a stop.
    SetOut(DeliveryId),
    /// The courier postpones a stop.
    Resequence(DeliveryId),
    /// The courier arrived at the door.
    ReachDoor(DeliveryId),
    /// The delivery was handed over. If the stop requires a code, the recipient gave it to the
    /// courier.
    Deliver {
        /// The stop.
        stop: DeliveryId,
        /// The delivery code.
        code: Option<String>,
    },
    /// The delivery failed and is being returned.
    Fail {
        /// The stop.
        stop: DeliveryId,
        /// The reason.
        reason: String,
    },
    /// The courier arrived back at the pickup.
    ReachReturn,
    /// The courier handed back the goods or the payment and received the code from the merchant.
    HandBack {
        /// The return code.
        code: String,
    },
}

/// Who checks the code of a delivery, and the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CodeCheck {
    /// The service compares the code with that of the delivery.
    #[default]
    Own,
    /// The merchant's system has confirmed the code.
    Confirmed,
    /// The merchant's system has rejected the code.
    Rejected,
}

impl CodeCheck {
    fn accepts(self, code: &str, given: &str) -> bool {
        match self {
            CodeCheck::Own => is_same_code(code, given),
            CodeCheck::Confirmed => true,
            CodeCheck::Rejected => false,
        }
    }
}

/// A step of a courier with its proof and the time at which the courier took it.
#[derive(Clone, Copy, Debug)]
pub struct CourierStep<'a> {
    /// The step.
    pub act: &'a Carry,
    /// The proof. Steps that have none ignore it.
    pub proof: &'a ProofParts,
    /// The time that the courier's app sent. `None` if the step is taken now.
    pub at: Option<Timestamp>,
    /// The check of the code, if the step has one.
    pub check: CodeCheck,
    /// The payment that the courier received, if the delivery is handed over.
    pub receipt: Option<&'a Receipt>,
}

impl<'a> From<&'a Carry> for CourierStep<'a> {
    /// Creates a step without a proof that is taken now.
    fn from(act: &'a Carry) -> CourierStep<'a> {
        const NONE: &ProofParts = &ProofParts {
            photos: Vec::new(),
            received_by: None,
            note: None,
            position: None,
        };
        CourierStep {
            act,
            proof: NONE,
            at: None,
            check: CodeCheck::Own,
            receipt: None,
        }
    }
}

/// A rejected step, and the changes to commit in spite of the rejection.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedStep {
    /// The reason.
    pub error: StepError,
    /// The count of a wrong code, which must be committed before the error is returned.
    pub counted: Option<Box<Changes>>,
}

impl From<StepError> for FailedStep {
    fn from(error: StepError) -> FailedStep {
        FailedStep {
            error,
            counted: None,
        }
    }
}

/// Takes a courier's step. The caller must have checked that the order is assigned to this courier.
/// `trip` are the other orders that the courier carries.
///
/// Only the event and the time of the order's status have the time that the app sent, which a
/// courier can choose freely. Attempts at a code and its lockout, notifications, the ledger, and
/// every timeout use the service's clock.
///
/// # Errors
/// [`FailedStep`] if the step is not valid for the order's status, a part of the proof is missing,
/// or a code is wrong.
pub fn carry<'a>(
    order: &Order,
    courier: &Courier,
    trip: TripContext<'_>,
    step: impl Into<CourierStep<'a>>,
    ids: &mut IdBlock,
    context: &mut ExecContext,
) -> Result<StepOutcome, FailedStep> {
    let CourierStep {
        act,
        proof,
        at,
        check,
        receipt,
    } = step.into();
    let (step, stop) = act.step();
    if order.has_taken(step, stop) {
        return Ok(StepOutcome::Already);
    }
    let mut update = OrderUpdate::new(
        order,
        Some(courier),
        Actor::Courier,
        courier.assigned().person(),
        context.now,
    );
    update.taken_at(at);
    update.may(step, stop)?;
    act.comes_next(order, trip)?;
    let is_waiting = order
        .open_delivery
        .as_deref()
        .is_some_and(|own| own.awaits_ready || own.awaits_pickup);
    if is_waiting && step == Step::PickUp {
        return Err(StepError::MerchantConfirmationRequired.into());
    }
    // Before the code: a request that cannot succeed must neither use up an attempt nor reveal
    // whether the code is correct.
    let proven = act.check_proof(order, courier.id, proof)?;
    let received = receipt.filter(|_| step == Step::Deliver).zip(stop);
    if let Some((receipt, stop)) = received {
        let delivery = order.deliveries.iter().find(|one| one.id == stop);
        receipt.check_at_door(delivery.ok_or(StepError::UnknownStop)?)?;
    }
    if let Some((code, given)) = act.codes(order)? {
        let is_right = || check.accepts(code, given);
        let checked = update.order.tries.check(is_right, context.now);
        if let Err(error) = checked {
            let counted =
                matches!(error, StepError::CodeWrong { .. }).then(|| Box::new(update.counted()));
            let is_code =
                |other: &&Order| act.other_codes(other).any(|code| is_same_code(code, given));
            let other = trip
                .others
                .iter()
                .find(is_code)
                .filter(|_| counted.is_some());
            let error = other.map_or(error, |other| StepError::CodeOfOther { other: other.id });
            return Err(FailedStep { error, counted });
        }
        if check == CodeCheck::Confirmed {
            // The order then has the code, like an order whose code the service issued.
            let mut deliveries = update.order.deliveries.iter_mut();
            if let Some(delivery) = deliveries.find(|delivery| Some(delivery.id) == stop) {
                given.trim().clone_into(&mut delivery.delivery_code);
            }
        }
    }
    let reason = match act {
        Carry::Fail { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    if let (Step::Deliver, Some(stop)) = (step, stop) {
        update.collect(stop, receipt)?;
    }
    update.take(step, stop, reason)?;
    if let Some(proven) = proven {
        update.prove(proven, stop, proof);
    }
    match step {
        Step::TurnBack => {
            update
                .order
                .return_code
                .get_or_insert_with(|| context.entropy.code());
            update.notify(NotificationKind::DeliveryReturning, ids)?;
        }
        Step::ReachReturn => update.notify(NotificationKind::CourierAtReturn, ids)?,
        Step::HandBack => update.hand_over_cash(),
        _ => {}
    }
    Ok(update.outcome())
}

impl Carry {
    /// Returns the step of the table and the affected stop.
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

    /// Returns the step of the proof, or `None` if the step has none.
    pub fn proof_step(&self) -> Option<ProofStep> {
        match self {
            Carry::PickUp { .. } => Some(ProofStep::Pickup),
            Carry::Deliver { .. } => Some(ProofStep::Delivery),
            Carry::Fail { .. } => Some(ProofStep::Failure),
            Carry::HandBack { .. } => Some(ProofStep::Return),
            _ => None,
        }
    }

    /// Returns the parts of a proof that the step requires.
    pub fn required_proof(&self, order: &Order) -> Vec<ProofPart> {
        let reason = match self {
            Carry::Fail { reason, .. } => Some(reason.as_str()),
            _ => None,
        };
        self.proof_step()
            .map_or_else(Vec::new, |step| order.proof.required(step, reason))
    }

    /// Checks that the proof has every required part, and that this courier sent its photos for
    /// this order.
    fn check_proof(
        &self,
        order: &Order,
        courier: CourierId,
        proof: &ProofParts,
    ) -> Result<Option<ProofStep>, StepError> {
        let Some(step) = self.proof_step() else {
            return Ok(None);
        };
        let is_own = |id| {
            order
                .proof
                .photo(id)
                .is_some_and(|photo| photo.courier == courier)
        };
        if let Some(index) = proof.photos.iter().position(|id| !is_own(*id)) {
            return Err(StepError::UnknownPhoto { index });
        }
        let mut missing = self.required_proof(order);
        missing.retain(|part| !proof.has(*part));
        if missing.is_empty() {
            Ok(Some(step))
        } else {
            Err(StepError::ProofRequired { missing })
        }
    }

    /// Returns the codes of another order that a courier can confuse with the expected one.
    fn other_codes<'a>(&self, other: &'a Order) -> impl Iterator<Item = &'a str> {
        let own = match self {
            Carry::PickUp { .. } => Some(other.pickup_code.as_str()),
            Carry::HandBack { .. } => other.return_code.as_deref(),
            _ => None,
        };
        let at_door = matches!(self, Carry::Deliver { .. });
        let deliveries = other
            .deliveries
            .iter()
            .filter(move |delivery| at_door && delivery.requires_code());
        own.into_iter()
            .chain(deliveries.map(|delivery| delivery.delivery_code.as_str()))
    }

    /// Checks that the other orders of the trip allow the step: the courier sets out with all of
    /// them, visits one stop at a time in the order of the trip, and returns to the pickup after
    /// the last delivery.
    fn comes_next(&self, order: &Order, trip: TripContext<'_>) -> Result<(), StepError> {
        let waits = |other: &&Order| other.status.is_before_pickup();
        let is_out = |other: &&Order| other.status == OrderStatus::OutForDelivery;
        let blocking = match self {
            Carry::SetOut(_) => {
                let waiting = trip.others.iter().find(waits).map(|other| other.id);
                waiting.or(trip
                    .next
                    .filter(|next| *next != order.id && !trip.others.is_empty()))
            }
            Carry::ReachReturn => trip
                .others
                .iter()
                .find(|other| waits(other) || is_out(other))
                .map(|other| other.id),
            _ => None,
        };
        blocking.map_or(Ok(()), |next| Err(StepError::NotNext { next }))
    }

    /// Returns the expected code and the code that was sent, or `None` if no code is required.
    fn codes<'a>(&'a self, order: &'a Order) -> Result<Option<(&'a str, &'a str)>, StepError> {
        match self {
            Carry::PickUp { code } => Ok(Some((&order.pickup_code, code))),
            Carry::HandBack { code } => Ok(order
                .return_code
                .as_deref()
                .map(|expected| (expected, code.as_str()))),
            Carry::Deliver { stop, code } => {
                let delivery = order
                    .deliveries
                    .iter()
                    .find(|delivery| delivery.id == *stop);
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

/// Returns the steps that the courier of an order can take next.
pub fn next_steps(order: &Order) -> Vec<Step> {
    let mut steps = Progress::of(order).possible(Actor::Courier);
    // It is a part of the handover.
    steps.retain(|step| *step != Step::RecordPayment);
    steps
}
