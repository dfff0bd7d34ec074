//! The problem of a suspended courier.

use crate::api::problem::{Problem, ProblemCode};

/// Returns the problem of a suspended courier who is to become available.
pub(in crate::api) fn suspended() -> Problem {
    Problem::new(
        ProblemCode::CourierSuspended,
        "The operator has suspended this courier: no new orders until the operator ends the suspension.",
        "O operador suspendeu este entregador: sem novos pedidos até que o operador encerre a suspensão.",
    )
}
