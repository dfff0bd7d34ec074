//! Responses that the component returns without the core.

use bytes::Bytes;
use despacho_core::model::Entropy;
use despacho_shell::{
    early::{self, EarlyResponse},
    probes,
};
use http::{HeaderValue, Response, request::Parts};

/// Renders an early response.
pub(crate) fn respond_early(
    parts: &Parts,
    route: &'static str,
    early: EarlyResponse,
) -> Response<Bytes> {
    early::respond(parts, route, early, fresh_id)
}

/// Returns an ID for a request without one.
pub(crate) fn fresh_id() -> String {
    let mut seed = [0; 32];
    // Without randomness the ID repeats, but the request can still be processed.
    let _ = getrandom::fill(&mut seed);
    Entropy::new(seed).hex()
}

/// Returns a JSON response with the headers that every response has.
pub(crate) fn json(parts: &Parts, text: &'static str) -> Response<Bytes> {
    let mut response = probes::json(text);
    let headers = response.headers_mut();
    // Without a length the last chunk waits for the client's delayed acknowledgement.
    headers.insert(http::header::CONTENT_LENGTH, HeaderValue::from(text.len()));
    identify(parts, &mut response);
    response
}

/// Adds the request ID to a response.
pub(crate) fn identify(parts: &Parts, response: &mut Response<Bytes>) {
    let id = probes::request_id(&parts.headers, fresh_id);
    if let Ok(id) = HeaderValue::try_from(id) {
        response.headers_mut().insert("x-request-id", id);
    }
}
