//! Sends any request to the whole API, which must not panic, must return problem documents for
//! errors, and must not return 5xx.

use std::{
    cell::RefCell,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use despacho_core::{
    api,
    memory::MemoryHost,
    rules::{
        limits::Limits,
        settings::{Secret, Settings, operator_token},
    },
};
use despacho_simulator::demo;
use http::Request;
use serde_json::Value;

use super::kind;

/// The operator's token, which an input writes as `OPERATOR`.
const OPERATOR: &str = "operator-token-of-the-fuzzer";
/// The number of requests per service, which limits its data.
const REQUESTS: u32 = 500;

thread_local! {
    static SERVICE: RefCell<Option<Service>> = const { RefCell::new(None) };
}

/// A service with demo data.
struct Service {
    host: MemoryHost,
    settings: Settings,
    courier: String,
    responded: u32,
}

fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

fn service() -> Result<Service, String> {
    let limits = Limits {
        previews_per_minute: u32::MAX,
        writes_per_minute: u32::MAX,
        reads_per_minute: u32::MAX,
        logins_per_15_minutes: 2,
        ..Limits::default()
    };
    let operator = operator_token(OPERATOR).ok();
    let settings = Settings {
        limits,
        operator,
        secret: Secret([3; 32]),
        ..Settings::default()
    };
    let host = MemoryHost::seeded(1);
    poll_once(demo::seed(&host, &settings))
        .and_then(Result::ok)
        .ok_or("the demo data could not be created")?;
    let mut service = Service {
        host,
        settings,
        courier: String::new(),
        responded: 0,
    };
    let register = "POST /admin/couriers\nx-api-token: OPERATOR\n\n{\"name\":\"Ana\",\"phone\":\"+5511990000001\"}";
    let (_, body) = service
        .reply(register.as_bytes())
        .ok_or("the courier could not be created")??;
    service.courier = body["value"].as_str().unwrap_or_default().to_owned();
    Ok(service)
}

/// Handles the request in the input: a line with method and path, header lines, an empty line, and
/// the body.
///
/// # Errors
/// If the response violates a requirement.
pub(crate) fn handle_request(bytes: &[u8]) -> Result<u64, String> {
    SERVICE.with_borrow_mut(|current| {
        if current
            .as_ref()
            .is_none_or(|service| service.responded >= REQUESTS)
        {
            *current = Some(service()?);
        }
        let Some(service) = current else { return Ok(0) };
        match service.reply(bytes) {
            None => Ok(0),
            Some(Ok((outcome, _))) => Ok(outcome),
            Some(Err(violation)) => Err(violation),
        }
    })
}

impl Service {
    /// Returns the kind of outcome and the response's body, or `None` if the input is not a valid
    /// HTTP request.
    fn reply(&mut self, bytes: &[u8]) -> Option<Result<(u64, Value), String>> {
        // A server rejects a request whose target is not a path before it reaches the API.
        let request = self
            .request(bytes)
            .filter(|request| request.uri().path().starts_with('/'))?;
        let target = format!("{} {}", request.method(), request.uri());
        self.responded += 1;
        let response = poll_once(api::handle(&self.host, &self.settings, request))?;
        let (status, body) = (response.status().as_u16(), response.body());
        let media = response
            .headers()
            .get("content-type")
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let json: Value = serde_json::from_slice(body).unwrap_or_default();
        let code = json["code"].as_str().unwrap_or_default();
        if status >= 500 {
            return Some(Err(format!("{target}: {status} {json}")));
        }
        let head = target.starts_with("HEAD ");
        if status >= 400 && !head {
            let fields = ["type", "title", "detail", "instance", "requestId", "code"];
            let is_complete = fields
                .iter()
                .all(|field| json[field].as_str().is_some_and(|text| !text.is_empty()));
            if media != "application/problem+json" || json["status"] != status || !is_complete {
                return Some(Err(format!(
                    "{target}: {status} without a problem document: {json}"
                )));
            }
        }
        if status < 300
            && media == "application/json"
            && !head
            && !(json.is_object() || json.is_array())
        {
            return Some(Err(format!(
                "{target}: {status} without JSON: {}",
                String::from_utf8_lossy(body)
            )));
        }
        let pointers: Vec<String> = json["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|error| {
                format!(
                    "{}{}",
                    error["pointer"].as_str().unwrap_or_default(),
                    error["code"]
                )
            })
            .collect();
        let path = target.split(['?', ' ']).nth(1).unwrap_or_default();
        let outcome = kind(&[path, &status.to_string(), code, &pointers.join(" ")]);
        Some(Ok((outcome, json)))
    }

    fn request(&self, bytes: &[u8]) -> Option<Request<Bytes>> {
        let split = bytes.windows(2).position(|pair| pair == b"\n\n");
        let (head, body) = match split {
            Some(at) => (bytes.get(..at)?, bytes.get(at + 2..)?),
            None => (bytes, &[][..]),
        };
        let mut lines = head.split(|byte| *byte == b'\n');
        let first = lines.next()?;
        let space = first.iter().position(|byte| *byte == b' ')?;
        let mut request = Request::builder()
            .method(first.get(..space)?)
            .uri(first.get(space + 1..)?);
        for line in lines {
            let colon = line.iter().position(|byte| *byte == b':')?;
            let (name, value) = (line.get(..colon)?, line.get(colon + 1..)?.trim_ascii());
            let value = match value {
                b"STORE" => demo::KEY.as_bytes(),
                b"OPERATOR" => OPERATOR.as_bytes(),
                b"COURIER" => self.courier.as_bytes(),
                other => other,
            };
            request = request.header(name, value);
        }
        if !head
            .windows(13)
            .any(|part| part.eq_ignore_ascii_case(b"content-type:"))
        {
            request = request.header("content-type", "application/json");
        }
        request.body(Bytes::copy_from_slice(body)).ok()
    }
}
