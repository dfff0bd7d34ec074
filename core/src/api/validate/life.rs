//! Bodies of the requests of an order's lifecycle.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    model::{CourierId, DeliveryId, Timestamp, order::ProofParts},
    rules::{lifecycle::Receipt, limits::Limits},
    wire::{
        CancelOrder, DelayOrder, FailDelivery, GiveCode, GiveDeliveryCode, GiveDeliveryReason,
        GiveReason, Id, NameDelivery, ReassignOrder, StepTime,
    },
};

/// A validated cancellation.
pub struct Cancelled {
    /// The order's ID as it was sent.
    pub order: u64,
    /// The reason.
    pub reason: Option<String>,
    /// The delivery to cancel, or `None` for the whole order. The inner `None` is a number that is
    /// not a valid delivery ID.
    pub stop: Option<Option<DeliveryId>>,
}

/// Validates a handover code and the proof.
///
/// # Errors
/// Every invalid field.
pub fn handover_code(body: Body<GiveCode>) -> Result<(String, ProofParts), Problem> {
    let mut checker = Checker::new(body.wrong);
    let code = checker.required_text(
        &Path::Root.member("code"),
        body.value.code.as_ref(),
        bounds::CODE,
    );
    let proof = checker.proof(body.value.proof);
    checker.finish(code.zip(proof))
}

/// Validates the time of a courier's step; `None` if none was sent.
///
/// # Errors
/// Every invalid field.
pub fn step_time(body: Body<StepTime>) -> Result<Option<Timestamp>, Problem> {
    let mut checker = Checker::new(body.wrong);
    let at = checker.timestamp(&Path::Root.member("at"), body.value.at.as_ref());
    checker.finish(Some(at))
}

/// Validates a reason.
///
/// # Errors
/// Every invalid field.
pub fn reason(body: Body<GiveReason>) -> Result<String, Problem> {
    let mut checker = Checker::new(body.wrong);
    let reason = checker.required_text(
        &Path::Root.member("reason"),
        body.value.reason.as_ref(),
        bounds::NAME,
    );
    checker.finish(reason)
}

/// Validates the operator's reassignment of an order: the reason and the chosen courier, if any.
/// The latter is `None` if the number is not a valid courier ID.
///
/// # Errors
/// Every invalid field.
pub fn reassignment(
    body: Body<ReassignOrder>,
) -> Result<(String, Option<Option<CourierId>>), Problem> {
    let mut checker = Checker::new(body.wrong);
    let reason = checker.required_text(
        &Path::Root.member("reason"),
        body.value.reason.as_ref(),
        bounds::NAME,
    );
    let chosen = body
        .value
        .courier_id
        .map(|Id(number)| CourierId::new(number));
    checker.finish(reason.map(|reason| (reason, chosen)))
}

/// Validates a delivery's ID; `None` if the number is not a valid delivery ID.
///
/// # Errors
/// Every invalid field.
pub fn delivery(body: Body<NameDelivery>) -> Result<Option<DeliveryId>, Problem> {
    let mut checker = Checker::new(body.wrong);
    let stop = checker.stop_id(body.value.delivery_id);
    checker.finish(stop)
}

/// A delivery that was handed over.
pub struct HandedOver {
    /// The delivery, or `None` if the number is not a valid ID.
    pub stop: Option<DeliveryId>,
    /// The recipient's code.
    pub code: Option<String>,
    /// The proof.
    pub proof: ProofParts,
    /// The payment that the courier received.
    pub receipt: Option<Receipt>,
}

/// Validates a delivery's ID, the recipient's code, the proof and the payment.
///
/// # Errors
/// Every invalid field.
pub fn delivery_code(body: Body<GiveDeliveryCode>) -> Result<HandedOver, Problem> {
    let mut checker = Checker::new(body.wrong);
    let stop = checker.stop_id(body.value.delivery_id);
    let code = checker.text(
        &Path::Root.member("code"),
        body.value.code.as_ref(),
        bounds::CODE,
    );
    let proof = checker.proof(body.value.proof);
    let payment = body.value.payment.as_ref();
    let receipt = payment.and_then(|sent| checker.receipt(&Path::Root.member("payment"), sent));
    checker.finish(stop.zip(proof).map(|(stop, proof)| HandedOver {
        stop,
        code,
        proof,
        receipt,
    }))
}

/// Validates a delivery's ID and a reason.
///
/// # Errors
/// Every invalid field.
pub fn delivery_reason(
    body: Body<GiveDeliveryReason>,
) -> Result<(Option<DeliveryId>, String), Problem> {
    let mut checker = Checker::new(body.wrong);
    let stop = checker.stop_id(body.value.delivery_id);
    let reason = checker.required_text(
        &Path::Root.member("reason"),
        body.value.reason.as_ref(),
        bounds::NAME,
    );
    checker.finish(stop.zip(reason))
}

/// Validates a delivery's ID, a reason and the proof.
///
/// # Errors
/// Every invalid field.
pub fn failure(
    body: Body<FailDelivery>,
) -> Result<(Option<DeliveryId>, String, ProofParts), Problem> {
    let mut checker = Checker::new(body.wrong);
    let stop = checker.stop_id(body.value.delivery_id);
    let reason = checker.required_text(
        &Path::Root.member("reason"),
        body.value.reason.as_ref(),
        bounds::NAME,
    );
    let proof = checker.proof(body.value.proof);
    checker.finish(
        stop.zip(reason)
            .zip(proof)
            .map(|((stop, reason), proof)| (stop, reason, proof)),
    )
}

/// Validates a delay in minutes.
///
/// # Errors
/// Every invalid field.
pub fn delay(body: Body<DelayOrder>, limits: &Limits) -> Result<u32, Problem> {
    let mut checker = Checker::new(body.wrong);
    let root = Path::Root;
    let path = root.member("minutes");
    let minutes = checker.integer(
        &path,
        body.value.minutes,
        1..=limits.preparation_minutes.max(1),
    );
    if body.value.minutes.is_none() {
        checker.required(&path);
    }
    checker.finish(minutes)
}

/// Validates a cancellation.
///
/// # Errors
/// Every invalid field.
pub fn cancel(body: Body<CancelOrder>) -> Result<Cancelled, Problem> {
    let (mut checker, sent, root) = (Checker::new(body.wrong), body.value, Path::Root);
    let reason = checker.text(&root.member("reason"), sent.reason.as_ref(), bounds::NAME);
    if sent.order_id.is_none() {
        checker.required(&root.member("orderId"));
    }
    let stop = sent.delivery_id.map(|Id(number)| DeliveryId::new(number));
    checker.finish(sent.order_id.map(|Id(order)| Cancelled {
        order,
        reason,
        stop,
    }))
}

impl Checker {
    pub(super) fn stop_id(&mut self, sent: Option<Id>) -> Option<Option<DeliveryId>> {
        if sent.is_none() {
            self.required(&Path::Root.member("deliveryId"));
        }
        sent.map(|Id(number)| DeliveryId::new(number))
    }
}
