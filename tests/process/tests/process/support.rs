//! HTTP requests of the tests to their servers.

#![expect(
    clippy::unwrap_used,
    reason = "a test may panic where it fails, and so may its helpers"
)]

use std::time::Duration;

use despacho_simulator::demo::KEY;
use serde_json::Value;

/// The timeout for one response, on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Creates an HTTP client that returns every status as a response and uses no proxy.
#[must_use]
pub(crate) fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None);
    config.timeout_global(Some(TIMEOUT)).build().into()
}

/// Sends a `POST` with the demo key and returns the status and body.
#[must_use]
pub(crate) fn post(base: &str, path: &str, body: &Value) -> (u16, Value) {
    let request = agent()
        .post(format!("{base}{path}"))
        .header("x-api-token", KEY);
    let response = request
        .header("content-type", "application/json")
        .send(body.to_string().as_bytes());
    read(response.unwrap())
}

/// Sends a `GET` with the demo key and returns the status and body.
#[must_use]
pub(crate) fn get(base: &str, path: &str) -> (u16, Value) {
    read(
        agent()
            .get(format!("{base}{path}"))
            .header("x-api-token", KEY)
            .call()
            .unwrap(),
    )
}

fn read(mut response: ureq::http::Response<ureq::Body>) -> (u16, Value) {
    let text = response.body_mut().read_to_string().unwrap();
    (
        response.status().as_u16(),
        serde_json::from_str(&text).unwrap_or_default(),
    )
}
