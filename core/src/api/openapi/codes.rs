//! The problem codes that an endpoint can return.

use crate::{
    api::{
        operation::Operation,
        problem::ProblemCode,
        route::{Access, Lasting, Route},
    },
    model::store::Role,
};

/// Returns every problem code that an endpoint can return, in the order of the documentation.
pub(super) fn codes(route: &Route, operation: &Operation) -> Vec<ProblemCode> {
    let mut codes = vec![
        ProblemCode::NotAcceptable,
        ProblemCode::InternalError,
        ProblemCode::Unavailable,
        ProblemCode::UpstreamTimeout,
    ];
    match route.access {
        Access::Store | Access::Connection => codes.extend([
            ProblemCode::ApiKeyMissing,
            ProblemCode::ApiKeyInvalid,
            ProblemCode::ApiKeyExpired,
            ProblemCode::ApiKeyRevoked,
            ProblemCode::StoreDisabled,
            ProblemCode::RateLimited,
        ]),
        Access::Courier => {
            codes.extend([
                ProblemCode::ApiKeyMissing,
                ProblemCode::ApiKeyInvalid,
                ProblemCode::ApiKeyExpired,
                ProblemCode::RateLimited,
            ]);
        }
        Access::Device(_) | Access::Operator => codes.extend([
            ProblemCode::ApiKeyMissing,
            ProblemCode::ApiKeyInvalid,
            ProblemCode::RateLimited,
        ]),
        Access::Recipient => {
            codes.extend([ProblemCode::TrackingNotFound, ProblemCode::RateLimited])
        }
        Access::OptionalConnection | Access::Public => {}
    }
    if route.access == Access::Store && route.role == Role::Owner {
        codes.push(ProblemCode::RoleNotAllowed);
    }
    if matches!(route.lasting(), Lasting::Access | Lasting::SomeAccess) {
        codes.push(ProblemCode::PasswordRequired);
    }
    if operation.request.schema().is_some() {
        let body = [
            ProblemCode::MalformedRequest,
            ProblemCode::BodyTooLarge,
            ProblemCode::UnsupportedMediaType,
            ProblemCode::ValidationFailed,
        ];
        codes.extend(body);
    }
    if route.method == http::Method::POST {
        codes.extend([ProblemCode::MalformedRequest, ProblemCode::BodyTooLarge]);
    }
    if route.takes_idempotency_key() {
        codes.extend([
            ProblemCode::RequestInProgress,
            ProblemCode::IdempotencyKeyReused,
        ]);
        if matches!(route.access, Access::Store | Access::Courier) {
            codes.push(ProblemCode::IdempotencyLimit);
        }
    }
    codes.extend(operation.codes);
    ProblemCode::ALL
        .iter()
        .copied()
        .filter(|code| codes.contains(code))
        .collect()
}
