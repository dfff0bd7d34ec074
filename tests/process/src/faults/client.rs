//! HTTP requests to any available server.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::faults::run::RunState;

/// The time limit for a final response after the last fault, on a busy machine.
const FINAL_RESPONSE_TIMEOUT: Duration = Duration::from_secs(120);

/// The timeout for one response.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// The result of a request.
pub(crate) enum Reply {
    /// A complete response: its status and body.
    Response(u16, Value),
    /// No complete response. The server may or may not have processed the request.
    Nothing,
}

/// An authenticated HTTP client with its own connections.
pub(crate) struct Caller<'a> {
    agent: ureq::Agent,
    state: &'a RunState<'a>,
    key: String,
}

impl<'a> Caller<'a> {
    /// Creates a caller with an API key.
    pub(crate) fn new(state: &'a RunState<'a>, key: &str) -> Caller<'a> {
        Caller {
            agent: agent(TIMEOUT),
            state,
            key: key.to_owned(),
        }
    }

    /// Sends a request once, to one of the running servers.
    pub(crate) fn try_once(
        &self,
        method: &str,
        path: &str,
        idempotency: Option<&str>,
        body: &Value,
    ) -> Reply {
        let Some(base) = self.state.some_base() else {
            return Reply::Nothing;
        };
        let url = format!("{base}{path}");
        let response = if matches!(method, "GET" | "DELETE") {
            let request = if method == "GET" {
                self.agent.get(&url)
            } else {
                self.agent.delete(&url)
            };
            request.header("x-api-token", &self.key).call()
        } else {
            let mut request = match method {
                "PATCH" => self.agent.patch(&url),
                _ => self.agent.post(&url),
            };
            if let Some(key) = idempotency {
                request = request.header("idempotency-key", key);
            }
            let request = request
                .header("x-api-token", &self.key)
                .header("content-type", "application/json");
            request.send(body.to_string().as_bytes())
        };
        self.read(&format!("{method} {path}"), response)
    }

    /// Sends a `POST` with a raw body and a content type.
    pub(crate) fn send_raw(&self, path: &str, kind: &str, body: &[u8]) -> Reply {
        let Some(base) = self.state.some_base() else {
            return Reply::Nothing;
        };
        let request = self
            .agent
            .post(format!("{base}{path}"))
            .header("x-api-token", &self.key);
        self.read(
            &format!("POST {path}"),
            request.header("content-type", kind).send(body),
        )
    }

    /// Reads a response and checks that an error is a problem document and not 500.
    fn read(
        &self,
        request: &str,
        response: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Reply {
        let state = self.state;
        let Ok(mut response) = response else {
            return Reply::Nothing;
        };
        let status = response.status().as_u16();
        let Ok(text) = response.body_mut().read_to_string() else {
            return Reply::Nothing;
        };
        let body = serde_json::from_str(&text).unwrap_or_else(|_| json!({ "text": text }));
        state.count(status);
        state.check(status != 500, || format!("{request} returned 500: {body}"));
        state.check(
            status < 400 || (body["status"] == status && body["code"].is_string()),
            || format!("{request} returned {status} without a problem document: {body}"),
        );
        Reply::Response(status, body)
    }

    /// Retries a request until a response shows its outcome. Returns `None` if no such response
    /// arrives in time after the last fault, or if the run ends.
    pub(crate) fn retry_until_response(
        &self,
        method: &str,
        path: &str,
        idempotency: Option<&str>,
        body: &Value,
    ) -> Option<(u16, Value)> {
        let (mut pause, mut closed_at) = (20, None);
        while !self.state.is_over() {
            let closing = self.state.closing.load(Ordering::SeqCst);
            if closing
                && closed_at.get_or_insert_with(Instant::now).elapsed() > FINAL_RESPONSE_TIMEOUT
            {
                return None;
            }
            // A request that was in progress in a killed server blocks its idempotency key for 90
            // seconds. At the end of the run the key is omitted, because the order's code also
            // identifies the repeated request.
            let idempotency = idempotency.filter(|_| !closing);
            match self.try_once(method, path, idempotency, body) {
                Reply::Response(409, body) if body["code"] == "request_in_progress" => {}
                Reply::Response(status, body) if status < 500 && status != 429 => {
                    return Some((status, body));
                }
                _ => {}
            }
            std::thread::sleep(Duration::from_millis(pause));
            pause = (pause * 2).min(500);
        }
        None
    }
}

/// Creates an HTTP client with a timeout.
pub(crate) fn agent(timeout: Duration) -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None);
    config.timeout_global(Some(timeout)).build().into()
}
