//! What must survive a kill; see `tests/kill.rs`. Here is how the tests ask their servers.

#![expect(clippy::unwrap_used, reason = "a test may stop where it fails, and so may what it asks with")]

use std::time::Duration;

use despacho_simulator::demo::KEY;
use serde_json::Value;

/// For one answer, on however busy a machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A client that takes every status for an answer, and asks nobody on the way.
#[must_use]
pub(crate) fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None);
    config.timeout_global(Some(TIMEOUT)).build().into()
}

/// Status and body of a `POST` with the demonstration's key.
#[must_use]
pub(crate) fn post(base: &str, path: &str, body: &Value) -> (u16, Value) {
    let request = agent().post(format!("{base}{path}")).header("x-api-token", KEY);
    let response = request.header("content-type", "application/json").send(body.to_string().as_bytes());
    read(response.unwrap())
}

/// Status and body of a `GET` with the demonstration's key.
#[must_use]
pub(crate) fn get(base: &str, path: &str) -> (u16, Value) {
    read(agent().get(format!("{base}{path}")).header("x-api-token", KEY).call().unwrap())
}

fn read(mut response: ureq::http::Response<ureq::Body>) -> (u16, Value) {
    let text = response.body_mut().read_to_string().unwrap();
    (response.status().as_u16(), serde_json::from_str(&text).unwrap_or_default())
}
