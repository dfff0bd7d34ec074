//! temporary until the core offers problems to hosts.
use bytes::Bytes;
use despacho_core::api::Outcome;
use http::{HeaderMap, HeaderValue, Response, StatusCode};

/// Kinds.
#[derive(Clone, Copy, Debug)]
pub enum Refusal {
    /// 500
    Internal,
    /// 503
    Unavailable,
    /// 504
    Timeout,
    /// 405
    Method,
    /// 503
    Overloaded,
    /// 503
    LateBody,
}

/// A problem document of the host's own.
pub fn problem(refusal: Refusal, route: &'static str, _uri: &http::Uri, headers: &HeaderMap) -> Response<Bytes> {
    let (status, code) = match refusal {
        Refusal::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal_error"),
        Refusal::Unavailable | Refusal::Overloaded | Refusal::LateBody => {
            (StatusCode::SERVICE_UNAVAILABLE, "unavailable")
        }
        Refusal::Timeout => (StatusCode::GATEWAY_TIMEOUT, "upstream_timeout"),
        Refusal::Method => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
    };
    let mut response = Response::new(Bytes::from(format!("{{\"code\":\"{code}\"}}")));
    *response.status_mut() = status;
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/problem+json"));
    if let Some(id) = headers.get("x-request-id") {
        response.headers_mut().insert("x-request-id", id.clone());
    }
    response.extensions_mut().insert(Outcome { route, code: Some(code) });
    response
}
