//! Applications for tests, and requests to them.

use std::{path::PathBuf, sync::OnceLock, time::Duration};

use despacho_bench::orders::order;
use despacho_simulator::demo::KEY;
use despacho_spin_tests::{CompiledComponent, Options, TestServer};
use serde_json::Value;

pub(crate) const TOKEN: &str = "operator-token-of-a-test";

/// Returns the component, compiled once per test process.
pub(crate) fn compiled() -> &'static CompiledComponent {
    static COMPILED: OnceLock<CompiledComponent> = OnceLock::new();
    COMPILED.get_or_init(|| CompiledComponent::shipped().unwrap_or_else(|error| panic!("{error}")))
}

/// A temporary folder with a database.
pub(crate) struct TestDatabase {
    folder: tempfile::TempDir,
}

impl TestDatabase {
    pub(crate) fn new() -> TestDatabase {
        TestDatabase {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("despacho.db")
    }

    /// Returns options with the demo data, which includes an API key.
    pub(crate) fn demo(&self) -> Options {
        Options::new(self.file(), TOKEN).variable("demo", "true")
    }

    /// Returns the number that a query selects from the database.
    pub(crate) fn count(&self, sql: &str) -> i64 {
        let connection = rusqlite::Connection::open(self.file()).expect("the database");
        connection
            .query_row(sql, [], |row| row.get(0))
            .expect("a number")
    }
}

pub(crate) fn serve(options: &Options) -> TestServer {
    TestServer::start(compiled(), options).unwrap_or_else(|error| panic!("{error}"))
}

/// Serves the application after it created the demo data, which only the component `despacho` does.
pub(crate) fn serve_ready(options: &Options) -> TestServer {
    let served = serve(options);
    assert_eq!(get(&served.base, "/readyz").status, 200);
    served
}

/// A response with its status, JSON body and headers.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) headers: http::HeaderMap,
}

/// Sends a request. Returns an error if the connection breaks.
pub(crate) fn send(base: &str, request: http::Request<Vec<u8>>) -> Result<Response, String> {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None);
    let agent: ureq::Agent = config
        .timeout_global(Some(Duration::from_secs(60)))
        .build()
        .into();
    let (mut parts, body) = request.into_parts();
    parts.uri = format!("{base}{}", parts.uri).parse().expect("an address");
    let response = agent
        .run(http::Request::from_parts(parts, &body[..]))
        .map_err(|error| error.to_string())?;
    let (parts, mut body) = response.into_parts();
    let body = body.read_to_vec().map_err(|error| error.to_string())?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Response {
        status: parts.status.as_u16(),
        body,
        headers: parts.headers,
    })
}

pub(crate) fn get(base: &str, path: &str) -> Response {
    let request = http::Request::get(path)
        .header("x-api-token", KEY)
        .body(Vec::new())
        .expect("a request");
    send(base, request).unwrap_or_else(|error| panic!("GET {path}: {error}"))
}

pub(crate) fn try_post(base: &str, path: &str, body: &Value) -> Result<Response, String> {
    let request = http::Request::post(path)
        .header("x-api-token", KEY)
        .header("content-type", "application/json");
    send(
        base,
        request
            .body(body.to_string().into_bytes())
            .expect("a request"),
    )
}

pub(crate) fn post(base: &str, path: &str, body: &Value) -> Response {
    try_post(base, path, body).unwrap_or_else(|error| panic!("POST {path}: {error}"))
}

/// Creates an order of two stops with a code.
pub(crate) fn create(base: &str, code: &str) -> Result<Response, String> {
    try_post(base, "/delivery/orders", &order(code, 2, false))
}
