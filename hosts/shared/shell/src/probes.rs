//! The endpoints outside the API that every host serves: health, readiness, documentation.

use bytes::Bytes;
use despacho_core::api::sent_request_id;
use http::{HeaderMap, HeaderValue, Method, Response, header};

/// The response of `GET /healthz`, for a process that runs.
pub const ALIVE: &str = r#"{"status":"alive"}"#;
/// The response of `GET /readyz`, for a host whose database responds.
pub const READY: &str = r#"{"status":"ready"}"#;
/// The route of [`ALIVE`].
pub const HEALTH_ROUTE: &str = "GET /healthz";
/// The route of [`READY`].
pub const READY_ROUTE: &str = "GET /readyz";
/// The route of the API's documentation.
pub const DOCS_ROUTE: &str = "GET /docs";
/// The route of the merchant panel's files.
pub const PANEL_ROUTE: &str = "GET /{panelFile}";

/// Returns the route of a path outside the API. Paths of the panel's files have none, because they
/// depend on a folder.
#[must_use]
pub fn route(path: &str) -> Option<&'static str> {
    match path {
        "/healthz" => Some(HEALTH_ROUTE),
        "/readyz" => Some(READY_ROUTE),
        "/docs" | "/docs/" => Some(DOCS_ROUTE),
        _ => None,
    }
}

/// Whether a method only reads. Endpoints outside the API accept no other method.
#[must_use]
pub fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Returns a response with a JSON document.
#[must_use]
pub fn json(text: &'static str) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from_static(text.as_bytes()));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}

/// Returns the request ID that the client sent, or a new one.
#[must_use]
pub fn request_id(headers: &HeaderMap, fresh_id: fn() -> String) -> String {
    sent_request_id(headers).map_or_else(fresh_id, str::to_owned)
}
