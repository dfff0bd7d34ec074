//! The descriptions of the endpoints for the sign-in of couriers and of the operator.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an endpoint for sign-in links or sessions.
pub(super) fn sign_in(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::CreateSignInCode => Operation {
            tag: "Operator",
            id: "createSignInCode",
            summary: "Issue a sign-in link",
            description: "Issues a link with which the courier signs in to the courier's app. The link can be used once, within an hour unless \
                the deployment configures another time, and replaces the previous one. `value` and `url` are returned only once. Has \
                no request body.",
            request: None,
            documented: &[(201, Some("SignInCode"), "The new code.")],
            parameters: &["courierId"],
            codes: &[ProblemCode::CourierNotFound, ProblemCode::InvalidTransition],
        },
        Endpoint::StartCourierSession => Operation {
            tag: "Couriers",
            id: "startCourierSession",
            summary: "Sign in with a link",
            description: "Exchanges the code of a sign-in link for a session. The session is in an HttpOnly cookie, which the courier's \
                endpoints accept instead of the courier's key. A write that a browser sends from a page of another origin is rejected \
                (401). A courier has at most five sessions; one more ends the oldest. Removal of the courier and a new courier key end \
                all. Unknown, used and expired codes return the same problem. Requests are never replayed.",
            request: Some("StartCourierSession"),
            documented: &[(201, Some("CourierSelf"), "The courier is signed in.")],
            parameters: &[],
            codes: &[ProblemCode::ApiKeyInvalid, ProblemCode::RateLimited],
        },
        Endpoint::StartOperatorSession => Operation {
            tag: "Operator",
            id: "startOperatorSession",
            summary: "Sign in as the operator",
            description: "Exchanges the operator's token for a session of twelve hours. The session is in an HttpOnly cookie, which the \
                endpoints under `/admin` accept instead of the token. A write that a browser sends from a page of another origin is \
                rejected (401). A new token ends all sessions. Each request counts as a login attempt of its IP address. Requests are \
                never replayed.",
            request: Some("StartOperatorSession"),
            documented: &[(204, None, "The operator is signed in.")],
            parameters: &[],
            codes: &[ProblemCode::ApiKeyInvalid, ProblemCode::RateLimited],
        },
        Endpoint::EndOperatorSession => Operation {
            tag: "Operator",
            id: "endOperatorSession",
            summary: "Sign out as the operator",
            description: "Removes the cookie. The service stores no sessions, so a copy of the cookie stays valid until it expires or the \
                token changes.",
            request: None,
            documented: &[(204, None, "The cookie is removed.")],
            parameters: &[],
            codes: &[],
        },
        _ => Operation {
            tag: "Couriers",
            id: "endCourierSession",
            summary: "Sign out",
            description: "Ends the session of the cookie and removes the cookie. With the courier's key it ends every session of the \
                courier.",
            request: None,
            documented: &[(204, None, "The session has ended.")],
            parameters: &[],
            codes: &[],
        },
    }
}
