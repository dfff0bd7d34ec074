//! An application of a test's own, and requests to it.

use std::{path::PathBuf, sync::OnceLock, time::Duration};

use despacho_bench::orders::order;
use despacho_simulator::demo::KEY;
use despacho_spin_tests::{Compiled, Options, Served};
use serde_json::Value;

pub(crate) const TOKEN: &str = "operator-token-of-a-test";

/// The component, compiled once for all tests of a process.
pub(crate) fn compiled() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| Compiled::shipped().unwrap_or_else(|error| panic!("{error}")))
}

/// A folder for a database, and what to serve on it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("despacho.db")
    }

    /// An application with the demonstration's data, so that there is a key to ask with.
    pub(crate) fn demo(&self) -> Options {
        Options::new(self.file(), TOKEN).variable("demo", "true")
    }

    /// What a question finds in the database itself.
    pub(crate) fn count(&self, sql: &str) -> i64 {
        let connection = rusqlite::Connection::open(self.file()).expect("the database");
        connection.query_row(sql, [], |row| row.get(0)).expect("a number")
    }
}

pub(crate) fn serve(options: &Options) -> Served {
    Served::start(compiled(), options).unwrap_or_else(|error| panic!("{error}"))
}

/// An answer: its status, its body as JSON, and its headers.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) headers: http::HeaderMap,
}

/// Sends a request; an error is a connection that broke.
pub(crate) fn send(base: &str, request: http::Request<Vec<u8>>) -> Result<Response, String> {
    let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).proxy(None);
    let agent: ureq::Agent = config.timeout_global(Some(Duration::from_secs(60))).build().into();
    let (mut parts, body) = request.into_parts();
    parts.uri = format!("{base}{}", parts.uri).parse().expect("an address");
    let response = agent.run(http::Request::from_parts(parts, &body[..])).map_err(|error| error.to_string())?;
    let (parts, mut body) = response.into_parts();
    let body = body.read_to_vec().map_err(|error| error.to_string())?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Response { status: parts.status.as_u16(), body, headers: parts.headers })
}

pub(crate) fn get(base: &str, path: &str) -> Response {
    let request = http::Request::get(path).header("x-api-token", KEY).body(Vec::new()).expect("a request");
    send(base, request).unwrap_or_else(|error| panic!("GET {path}: {error}"))
}

pub(crate) fn try_post(base: &str, path: &str, body: &Value) -> Result<Response, String> {
    let request = http::Request::post(path).header("x-api-token", KEY).header("content-type", "application/json");
    send(base, request.body(body.to_string().into_bytes()).expect("a request"))
}

pub(crate) fn post(base: &str, path: &str, body: &Value) -> Response {
    try_post(base, path, body).unwrap_or_else(|error| panic!("POST {path}: {error}"))
}

/// An order of two stops with this code.
pub(crate) fn create(base: &str, code: &str) -> Result<Response, String> {
    try_post(base, "/delivery/orders", &order(code, 2, false))
}
