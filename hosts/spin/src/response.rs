//! The component's own responses.

use bytes::Bytes;
use despacho_core::model::Entropy;
use despacho_shell::{
    early::{self, EarlyResponse},
    probes,
};
use http::{HeaderValue, Response, request::Parts};

/// An early response of any host.
pub(crate) fn respond_early(parts: &Parts, route: &'static str, early: EarlyResponse) -> Response<Bytes> {
    early::respond(parts, route, early, fresh_id)
}

/// An identifier for a request that came with none.
pub(crate) fn fresh_id() -> String {
    let mut seed = [0; 32];
    // An identifier that a machine without randomness repeats is no reason to fail a request.
    let _ = getrandom::fill(&mut seed);
    Entropy::new(seed).hex()
}

/// Gives a response of the component's own what every response carries.
pub(crate) fn json(parts: &Parts, text: &'static str) -> Response<Bytes> {
    let mut response = probes::json(text);
    let headers = response.headers_mut();
    // Without a length the last piece waits for the client's delayed acknowledgement.
    headers.insert(http::header::CONTENT_LENGTH, HeaderValue::from(text.len()));
    identify(parts, &mut response);
    response
}

/// Gives a response the request's identifier.
pub(crate) fn identify(parts: &Parts, response: &mut Response<Bytes>) {
    let id = probes::request_id(&parts.headers, fresh_id);
    if let Ok(id) = HeaderValue::try_from(id) {
        response.headers_mut().insert("x-request-id", id);
    }
}
