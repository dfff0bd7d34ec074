//! The deployment's own endpoints. Everything else is the core's, unknown paths too.

use bytes::Bytes;
use despacho_core::host::HostError;
use despacho_shell::{
    early::EarlyResponse,
    probes::{self, ALIVE, DOCS_ROUTE, HEALTH_ROUTE, READY, READY_ROUTE},
};
use despacho_sql::{Dialect, Driver, Query};
use http::{HeaderValue, Response, StatusCode, header, request::Parts};

use crate::{
    database::Database,
    response::{json, respond_early},
};

/// Responds to paths that need neither variables nor a database.
pub(crate) fn local(parts: &Parts) -> Option<Response<Bytes>> {
    let route = probes::route(parts.uri.path())?;
    if !probes::is_read(&parts.method) {
        return Some(respond_early(parts, route, EarlyResponse::ReadOnly));
    }
    match route {
        HEALTH_ROUTE => Some(json(parts, ALIVE)),
        DOCS_ROUTE => Some(description(parts)),
        _ => None,
    }
}

/// The answer of `/readyz`, where that was asked, once variables and schema were found in order: whether the database answers now.
pub(crate) async fn ready(parts: &Parts, database: &Database) -> Result<Option<Response<Bytes>>, HostError> {
    if probes::route(parts.uri.path()) != Some(READY_ROUTE) {
        return Ok(None);
    }
    // A question without a table would not touch the file.
    database.read(Query { sql: Dialect::VERSION_QUERY, params: Vec::new() }).await?;
    Ok(Some(json(parts, READY)))
}

/// The page that draws the document weighs as much as the whole component, so that here the document itself is shown.
fn description(parts: &Parts) -> Response<Bytes> {
    let mut response = json(parts, "{}");
    *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/openapi.json"));
    response
}
