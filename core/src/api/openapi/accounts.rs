//! The descriptions of the endpoints for passwords.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an endpoint for passwords.
pub(super) fn account(_endpoint: Endpoint) -> Operation {
    Operation {
        tag: "Sessions",
        id: "changePassword",
        summary: "Change your password",
        description: "Changes the password of the calling session's login, and ends all its other sessions. Only a panel session can \
            send this request. Attempts count as logins. Requests are never replayed: an `Idempotency-Key` has no effect.",
        request: Some("ChangePassword"),
        documented: &[(204, None, "The password was changed.")],
        parameters: &[],
        codes: &[ProblemCode::PasswordRequired, ProblemCode::SessionRequired],
    }
}
