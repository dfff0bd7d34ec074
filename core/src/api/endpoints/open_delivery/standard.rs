//! Problems in the standard's terms.

use crate::api::{
    call::HandlerError,
    problem::{Problem, ProblemCode},
    validate::standard_pointer,
};

/// Writes a problem in the standard's terms, with a status that the standard has.
pub(super) fn standard_error(error: HandlerError) -> HandlerError {
    match error {
        HandlerError::Problem(problem) => HandlerError::Problem(standard_problem(problem)),
        HandlerError::Conflict => HandlerError::Conflict,
    }
}

pub(super) fn standard_problem(mut problem: Problem) -> Problem {
    if matches!(problem.code.status(), 402 | 409 | 410) {
        problem.code = ProblemCode::DeliveryRejected;
    }
    for error in &mut problem.errors {
        error.pointer = standard_pointer(&error.pointer);
    }
    problem
}
