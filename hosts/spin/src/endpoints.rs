//! The deployment's own endpoints. Everything else is the core's, unknown paths too.

use bytes::Bytes;
use despacho_core::{
    api::problem::{Code, Problem},
    host::HostError,
};
use despacho_sql::{Dialect, Driver, Query};
use http::{HeaderValue, Method, Response, StatusCode, header, request::Parts};

use crate::{
    answer::{json, refuse},
    database::Database,
};

/// The answer to what needs neither variables nor a database.
pub(crate) fn alone(parts: &Parts) -> Option<Response<Bytes>> {
    let route = match parts.uri.path() {
        "/healthz" => "GET /healthz",
        "/readyz" => "GET /readyz",
        "/docs" | "/docs/" => "GET /docs",
        _ => return None,
    };
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return Some(refuse(parts, route, read_only()));
    }
    match route {
        "GET /healthz" => Some(json(parts, r#"{"status":"alive"}"#)),
        "GET /docs" => Some(description(parts)),
        _ => None,
    }
}

/// The answer of `/readyz`, where that was asked, once variables and schema were found in order: whether the database answers now.
pub(crate) async fn ready(parts: &Parts, database: &Database) -> Result<Option<Response<Bytes>>, HostError> {
    if parts.uri.path() != "/readyz" {
        return Ok(None);
    }
    // A question without a table would not touch the file.
    database.read(Query { sql: Dialect::VERSION_QUERY, params: Vec::new() }).await?;
    Ok(Some(json(parts, r#"{"status":"ready"}"#)))
}

/// The page that draws the document weighs as much as the whole component, so that here the document itself is shown.
fn description(parts: &Parts) -> Response<Bytes> {
    let mut response = json(parts, "{}");
    *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/openapi.json"));
    response
}

/// What is said to other methods than those that read.
pub(crate) fn read_only() -> Problem {
    Problem {
        allow: Some("GET, HEAD".to_owned()),
        ..Problem::new(Code::MethodNotAllowed, "This endpoint takes GET, HEAD.", "Este endereço aceita GET, HEAD.")
    }
}
