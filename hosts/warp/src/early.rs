//! Responses that the server returns without calling the core.

use bytes::Bytes;
use despacho_core::model::Entropy;
pub use despacho_shell::early::EarlyResponse;
use http::{Request, Response, request::Parts};

/// Copies the parts of a request that an early response depends on, for use while the request is
/// being processed.
pub fn facts<B>(request: &Request<B>) -> Parts {
    let (mut parts, ()) = Request::new(()).into_parts();
    parts.method = request.method().clone();
    parts.uri = request.uri().clone();
    for name in ["accept-language", "x-request-id"] {
        if let Some(value) = request.headers().get(name) {
            parts.headers.insert(name, value.clone());
        }
    }
    parts
}

/// Renders an early response.
pub fn respond(request: &Parts, route: &'static str, early: EarlyResponse) -> Response<Bytes> {
    despacho_shell::early::respond(request, route, early, fresh_id)
}

/// Returns an ID for a request without one.
pub fn fresh_id() -> String {
    let mut seed = [0; 32];
    // Without randomness the ID repeats, but the request can still be processed.
    let _ = getrandom::fill(&mut seed);
    Entropy::new(seed).hex()
}
