//! The deployment's endpoints: probes and documentation. The core handles all other paths,
//! including unknown ones.

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

/// Returns the response of `/readyz` if it was requested. Called after variables and schema were
/// checked; checks that the database responds.
pub(crate) async fn ready(
    parts: &Parts,
    database: &Database,
) -> Result<Option<Response<Bytes>>, HostError> {
    if probes::route(parts.uri.path()) != Some(READY_ROUTE) {
        return Ok(None);
    }
    // A query without a table would not access the file.
    database
        .read(Query {
            sql: Dialect::VERSION_QUERY.into(),
            params: Vec::new(),
        })
        .await?;
    Ok(Some(json(parts, READY)))
}

/// Redirects to the OpenAPI document: the page that renders it would double the component's size.
fn description(parts: &Parts) -> Response<Bytes> {
    let mut response = json(parts, "{}");
    *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    response
        .headers_mut()
        .insert(header::LOCATION, HeaderValue::from_static("/openapi.json"));
    response
}
