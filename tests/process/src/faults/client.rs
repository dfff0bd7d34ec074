//! Requests to whichever server there is.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::faults::run::StormRun;

/// Within so long a request is answered when nothing fails any more, on however busy a machine.
const CALM: Duration = Duration::from_secs(120);

/// For one response.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// What became of a request.
pub(crate) enum Reply {
    /// Status and body.
    Response(u16, Value),
    /// No whole answer came: it may have been carried out or not.
    Nothing,
}

/// A caller with connections of its own.
pub(crate) struct Caller<'a> {
    agent: ureq::Agent,
    storm: &'a StormRun<'a>,
    key: String,
}

impl<'a> Caller<'a> {
    /// A caller with a key.
    pub(crate) fn new(storm: &'a StormRun<'a>, key: &str) -> Caller<'a> {
        Caller { agent: agent(TIMEOUT), storm, key: key.to_owned() }
    }

    /// Sends a request once, to one of the servers that are there.
    pub(crate) fn try_once(&self, method: &str, path: &str, idempotency: Option<&str>, body: &Value) -> Reply {
        let Some(base) = self.storm.some_base() else { return Reply::Nothing };
        let url = format!("{base}{path}");
        let response = if matches!(method, "GET" | "DELETE") {
            let request = if method == "GET" { self.agent.get(&url) } else { self.agent.delete(&url) };
            request.header("x-api-token", &self.key).call()
        } else {
            let mut request = match method {
                "PATCH" => self.agent.patch(&url),
                _ => self.agent.post(&url),
            };
            if let Some(key) = idempotency {
                request = request.header("idempotency-key", key);
            }
            let request = request.header("x-api-token", &self.key).header("content-type", "application/json");
            request.send(body.to_string().as_bytes())
        };
        self.read(&format!("{method} {path}"), response)
    }

    /// Sends a body as it is, with a content type.
    pub(crate) fn send_raw(&self, path: &str, kind: &str, body: &[u8]) -> Reply {
        let Some(base) = self.storm.some_base() else { return Reply::Nothing };
        let request = self.agent.post(format!("{base}{path}")).header("x-api-token", &self.key);
        self.read(&format!("POST {path}"), request.header("content-type", kind).send(body))
    }

    /// Reads a response. An error must be a problem document, and none may be an internal error.
    fn read(&self, what: &str, response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Reply {
        let storm = self.storm;
        let Ok(mut response) = response else { return Reply::Nothing };
        let status = response.status().as_u16();
        let Ok(text) = response.body_mut().read_to_string() else { return Reply::Nothing };
        let body = serde_json::from_str(&text).unwrap_or_else(|_| json!({ "text": text }));
        storm.count(status);
        storm.check(status != 500, || format!("{what} was answered 500: {body}"));
        storm.check(status < 400 || (body["status"] == status && body["code"].is_string()), || {
            format!("{what} was answered {status} without a problem document: {body}")
        });
        Reply::Response(status, body)
    }

    /// Sends a request until it is answered with something that tells what became of it; `None` where that does not come about although
    /// nothing fails any more, or the world is over before.
    pub(crate) fn retry_until_response(
        &self,
        method: &str,
        path: &str,
        idempotency: Option<&str>,
        body: &Value,
    ) -> Option<(u16, Value)> {
        let (mut pause, mut calm) = (20, None);
        while !self.storm.is_over() {
            let closing = self.storm.closing.load(Ordering::SeqCst);
            if closing && calm.get_or_insert_with(Instant::now).elapsed() > CALM {
                return None;
            }
            // What a server had begun when it was killed keeps its key for 90 seconds. By then everybody has gone home: the order's code, and
            // what was done before, say as well that it is the same request.
            let idempotency = idempotency.filter(|_| !closing);
            match self.try_once(method, path, idempotency, body) {
                Reply::Response(409, body) if body["code"] == "request_in_progress" => {}
                Reply::Response(status, body) if status < 500 && status != 429 => return Some((status, body)),
                _ => {}
            }
            std::thread::sleep(Duration::from_millis(pause));
            pause = (pause * 2).min(500);
        }
        None
    }
}

/// Connections that give up after so long.
pub(crate) fn agent(timeout: Duration) -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None);
    config.timeout_global(Some(timeout)).build().into()
}
