//! An example of each problem.

use super::json::Json;
use crate::{
    api::problem::{FieldError, Problem, ProblemCode},
    model::{Language, Text},
};

/// A problem of each code as it is written.
///
/// # Errors
/// What kept it from being written.
pub(super) fn problems() -> serde_json::Result<Vec<(&'static str, Json)>> {
    let written = |code: &ProblemCode| {
        let document = problem(*code).document(Language::English, "/delivery/orders", "example-1");
        Ok((code.name(), Json::of(&document)?))
    };
    ProblemCode::ALL.iter().map(written).collect()
}

fn problem(code: ProblemCode) -> Problem {
    let field = |pointer: &str, code: &'static str, detail: &str| FieldError {
        pointer: pointer.to_owned(),
        code,
        detail: Text::new(detail, detail),
    };
    let problem = Problem::new(code, format!("{}.", code.title().en), String::new());
    match code {
        ProblemCode::MalformedRequest => {
            problem.with_errors(vec![field("/preparationTime", "wrong_type", "Expected a number.")])
        }
        ProblemCode::ValidationFailed => problem.with_errors(vec![
            field("/code", "required", "This field is required."),
            field("/deliveries/0/phone", "invalid_phone", "Write it as +5592991000000."),
        ]),
        ProblemCode::AddressNotFound => problem.with_errors(vec![field(
            "/deliveries/0/address",
            "city_not_in_state",
            "The city is not in this state. Was São Paulo (SP) meant?",
        )]),
        ProblemCode::AddressImprecise => problem.with_errors(vec![field(
            "/deliveries/0/address",
            "street_unknown",
            "The street is not known here: the address is known by its municipality alone, and at least its CEP is wanted.",
        )]),
        ProblemCode::StoreNotAllowed => problem.with_errors(vec![field(
            "/store/userPlatformId",
            "store_not_allowed",
            "The caller is neither this store nor its matrix.",
        )]),
        ProblemCode::PasswordRequired => problem.with_errors(vec![field(
            "/currentPassword",
            "required",
            "A panel session needs the store's password here.",
        )]),
        ProblemCode::InvalidTransition => Problem { possible: Some(vec!["order.courier_arrived"]), ..problem },
        ProblemCode::CodeIncorrect => {
            let problem = Problem { tries_left: Some(4), ..problem };
            problem.with_errors(vec![field("/code", "code_incorrect", "The code is wrong; 4 more tries.")])
        }
        ProblemCode::OrderCodeConflict => Problem { existing_order: Some(1042), ..problem },
        _ => problem,
    }
}
