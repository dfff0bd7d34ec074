//! Examples of all problems.

use super::json::Json;
use crate::{
    api::problem::{FieldError, Problem, ProblemCode},
    model::{Language, Text, Timestamp},
};

/// Returns an example document for each code of the service. The hosts that ship implement every
/// method, so they never return [`ProblemCode::NotImplemented`].
///
/// # Errors
/// A document that cannot be serialised.
pub(super) fn problems() -> serde_json::Result<Vec<(&'static str, Json)>> {
    let example = |code: &ProblemCode| {
        let document = problem(*code).document(Language::English, "/delivery/orders", "example-1");
        Ok((code.name(), Json::of(&document)?))
    };
    let returned = ProblemCode::ALL
        .iter()
        .filter(|code| **code != ProblemCode::NotImplemented);
    returned.map(example).collect()
}

fn problem(code: ProblemCode) -> Problem {
    let field = |pointer: &str, code: &'static str, detail: &str| FieldError {
        pointer: pointer.to_owned(),
        code,
        detail: Text::new(detail, detail),
    };
    let problem = Problem::new(code, code.detail().en, code.detail().pt);
    match code {
        ProblemCode::MalformedRequest => {
            problem.with_errors(vec![field("/preparationTime", "wrong_type", "Expected a number.")])
        }
        ProblemCode::ValidationFailed => problem.with_errors(vec![
            field("/code", "required", "This field is required."),
            field("/deliveries/0/pickupCode", "invalid_pickup_code", "Expected 4 to 12 letters or digits."),
        ]),
        ProblemCode::AddressNotFound => problem.with_errors(vec![field(
            "/deliveries/0/address",
            "city_not_in_state",
            "The city is not in this state. Did you mean São Paulo (SP)? For a neighbourhood, send its city or zipCode.",
        )]),
        ProblemCode::AddressImprecise => problem.with_errors(vec![field(
            "/deliveries/0/address",
            "street_unknown",
            "Unknown street. The address was located only by its municipality (municipality), within about 12000 m; its CEP (cep) is \
             required. Check the address, or send latitude and longitude. The operator can load a gazetteer of addresses.",
        )]),
        ProblemCode::StoreNotAllowed => problem.with_errors(vec![field(
            "/store/userPlatformId",
            "store_not_allowed",
            "This key is not allowed to act for this store. Use a key of the store or of its parent store.",
        )]),
        ProblemCode::PasswordRequired => problem.with_errors(vec![field(
            "/currentPassword",
            "required",
            "A panel session must confirm this request. Send the password of your login as currentPassword.",
        )]),
        ProblemCode::StoreClosed => {
            Problem { next_opening: Timestamp::parse("2026-11-22T14:00:00Z"), ..problem }
        }
        ProblemCode::InvalidTransition => Problem { possible: Some(vec!["order.courier_arrived"]), ..problem },
        ProblemCode::CodeIncorrect => {
            let problem = Problem { tries_left: Some(4), ..problem };
            let detail = "Incorrect code. 4 attempts left before codes are locked for 10 minutes.";
            problem.with_errors(vec![field("/code", "code_incorrect", detail)])
        }
        ProblemCode::OrderCodeConflict => Problem { existing_order: Some(1042), ..problem },
        _ => problem,
    }
}
