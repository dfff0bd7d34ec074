//! Requests of Open Delivery besides new deliveries: tokens, and steps of a delivery.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    model::Timestamp,
    wire::open_delivery::{CancelDelivery, FinishDelivery, HandleProblem},
};

const ACTIONS: [(&str, Decision); 3] = [
    ("RETURN_TO_STORE", Decision::Return),
    ("DELIVER_PRODUCT", Decision::Deliver),
    ("CANCEL_DELIVERY", Decision::Discard),
];
const CANCEL_REASONS: [&str; 8] = [
    "CONSUMER_CANCELLATION_REQUESTED",
    "NO_SHOW",
    "PROBLEM_AT_MERCHANT",
    "HIGH_ACCEPTANCE_TIME",
    "INCORRECT_ORDER_OR_PRODUCT_PICKUP",
    "PROBLEM_RESOLUTION",
    "DISCOMBINE_ORDER",
    "OTHER",
];
const PROBLEM_REASONS: [&str; 13] = [
    "DELIVERYPERSON_OCCURRENCE",
    "PAYMENT_PROBLEMS",
    "WRONG_PRODUCT_OR_ITEM",
    "ORDER_DELAYED",
    "ORDER_DAMAGED_OR_VIOLATED",
    "CUSTOMER_DID_NOT_PLACE_ORDER",
    "CUSTOMER_ADDRESS_UNKNOWN",
    "ORDER_MISSING_ITEMS",
    "NOBODY_TO_RECEIVE",
    "DELIVERYPERSON_WAITING_PAYMENT_FOR_ALREADY_PAID_ORDER",
    "ORDER_DELIVERED_WITHOUT_PAYMENT",
    "FRAUD_OR_THEFT",
    "OTHER",
];

/// A merchant's decision on a delivery with a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The goods are returned.
    Return,
    /// The courier tries again.
    Deliver,
    /// The goods are not returned.
    Discard,
}

/// Validates a request for an access token: a form with `grant_type`, `client_id` and
/// `client_secret`. Returns the ID and the secret.
///
/// # Errors
/// Every invalid field.
pub fn token_request(body: &[u8]) -> Result<(String, String), Problem> {
    let (mut checker, root) = (Checker::default(), Path::Root);
    let value = |name: &str| {
        let found = form_urlencoded::parse(body).find(|(key, _)| key == name);
        found.map(|(_, value)| value.into_owned())
    };
    checker.one_of(
        &root.member("grant_type"),
        value("grant_type").as_ref(),
        &["client_credentials"],
        true,
    );
    let id = checker.required_text(
        &root.member("client_id"),
        value("client_id").as_ref(),
        bounds::CODE,
    );
    let secret = checker.required_text(
        &root.member("client_secret"),
        value("client_secret").as_ref(),
        bounds::NAME,
    );
    checker.finish(id.zip(secret))
}

/// Validates the end of a delivery. Returns its time.
///
/// # Errors
/// Every invalid field.
pub fn finish_date(body: Body<FinishDelivery>) -> Result<Timestamp, Problem> {
    let mut checker = Checker::new(body.wrong);
    let path = Path::Root.member("finishDate");
    let at = checker.timestamp(&path, body.value.finish_date.as_ref());
    if body
        .value
        .finish_date
        .as_ref()
        .is_none_or(|text| text.trim().is_empty())
    {
        checker.required(&path);
    }
    checker.finish(at)
}

/// Validates a decision on a problem. Returns the decision and its reason.
///
/// # Errors
/// Every invalid field.
pub fn problem_decision(body: Body<HandleProblem>) -> Result<(Decision, String), Problem> {
    let (mut checker, root) = (Checker::new(body.wrong), Path::Root);
    let reason = checker.one_of(
        &root.member("reason"),
        body.value.reason.as_ref(),
        &PROBLEM_REASONS,
        true,
    );
    let action = checker.one_of(
        &root.member("action"),
        body.value.action.as_ref(),
        &ACTIONS.map(|(name, _)| name),
        true,
    );
    let note = checker.text(
        &root.member("message"),
        body.value.message.as_ref(),
        bounds::NAME,
    );
    let decision = ACTIONS
        .iter()
        .find(|(name, _)| action == Some(*name))
        .map(|(_, decision)| *decision);
    checker.finish(decision.zip(reason.map(|reason| noted(reason, note))))
}

/// Validates a cancellation. Returns the decision for goods that are on the way, and the reason.
///
/// # Errors
/// Every invalid field.
pub fn delivery_cancellation(body: Body<CancelDelivery>) -> Result<(Decision, String), Problem> {
    let (mut checker, root) = (Checker::new(body.wrong), Path::Root);
    let reason = checker.one_of(
        &root.member("reason"),
        body.value.reason.as_ref(),
        &CANCEL_REASONS,
        true,
    );
    let actions = ["RETURN_TO_STORE", "CANCEL_DELIVERY"];
    let action = checker.one_of(
        &root.member("action"),
        body.value.action.as_ref(),
        &actions,
        false,
    );
    let note = checker.text(
        &root.member("message"),
        body.value.message.as_ref(),
        bounds::NAME,
    );
    let decision = if action == Some("CANCEL_DELIVERY") {
        Decision::Discard
    } else {
        Decision::Return
    };
    checker.finish(reason.map(|reason| (decision, noted(reason, note))))
}

fn noted(reason: &str, note: Option<String>) -> String {
    note.map_or_else(|| reason.to_owned(), |note| format!("{reason}: {note}"))
}
