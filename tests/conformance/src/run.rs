//! Runs a case on a host and reports each failed step with its request and response.

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{Request, Response, header};
use serde_json::Value;

use crate::{
    format::{Case, Step},
    host::{OPERATOR_TOKEN, TestHost},
    invariants, matching,
    variables::Variables,
};

/// Runs all steps of a case, even after a failed step. The error lists every failed step.
pub fn run(case: &Case, host: &mut dyn TestHost) -> Result<(), String> {
    let mut variables = Variables::default();
    variables.set("operatorToken", Value::from(OPERATOR_TOKEN));
    let mut failed = Vec::new();
    for (index, step) in case.steps.iter().enumerate() {
        if let Err(error) = run_step(step, host, &mut variables) {
            failed.push(format!(
                "step {} of {}, `{}`:\n{error}",
                index + 1,
                case.steps.len(),
                step.name
            ));
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\n\n"))
    }
}

fn run_step(step: &Step, host: &mut dyn TestHost, variables: &mut Variables) -> Result<(), String> {
    if let Some(seconds) = step.advance_seconds {
        return host.advance(seconds);
    }
    let request = request(step, variables)?;
    let requested = describe_request(&request);
    let method = request.method().clone();
    let response = host.send(request)?;
    let mut errors = invariants::errors(
        &method,
        response.status(),
        response.headers(),
        response.body(),
    );
    errors.extend(check_response(step, &response, variables)?);
    if errors.is_empty() {
        return Ok(());
    }
    Err(format!(
        "  {}\n--- request\n{requested}\n--- response\n{}",
        errors.join("\n  "),
        describe_response(&response)
    ))
}

fn request(step: &Step, variables: &Variables) -> Result<Request<Bytes>, String> {
    let send = variables.text(step.send.as_deref().unwrap_or_default())?;
    let (method, path) = send.split_once(' ').unwrap_or((&send, ""));
    let mut request = Request::builder().method(method).uri(path);
    let body = body(step, variables)?;
    let is_json = body.is_some() && !step.headers.contains_key(header::CONTENT_TYPE.as_str());
    if is_json {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    for (name, value) in &step.headers {
        if let Some(value) = value {
            request = request.header(name, variables.text(value)?);
        }
    }
    request
        .body(body.unwrap_or_default())
        .map_err(|e| format!("{send}: {e}"))
}

fn body(step: &Step, variables: &Variables) -> Result<Option<Bytes>, String> {
    if let Some(value) = &step.body {
        return Ok(Some(variables.resolve(value)?.to_string().into()));
    }
    if let Some(encoded) = &step.base64 {
        return STANDARD
            .decode(encoded)
            .map(|bytes| Some(bytes.into()))
            .map_err(|e| format!("base64: {e}"));
    }
    let piece = |value: &Value| {
        let text = value.as_str().ok_or_else(|| {
            format!("`text` must be a string or an array of strings, got {value}")
        })?;
        variables.text(text)
    };
    match &step.text {
        None => Ok(None),
        Some(Value::Array(pieces)) => {
            let pieces: Result<Vec<String>, String> = pieces.iter().map(piece).collect();
            Ok(Some(pieces?.concat().into()))
        }
        Some(text) => Ok(Some(piece(text)?.into())),
    }
}

/// Compares a response with the expectations of a step, and stores the captured values.
fn check_response(
    step: &Step,
    response: &Response<Bytes>,
    variables: &mut Variables,
) -> Result<Vec<String>, String> {
    let expect = &step.expect;
    let mut errors = Vec::new();
    if expect
        .status
        .is_some_and(|status| status != response.status().as_u16())
    {
        errors.push(format!(
            "expected status {}, got {}",
            expect.status.unwrap_or_default(),
            response.status().as_u16()
        ));
    }
    let mut compare = |pattern: &Value, actual: Option<&Value>, at: &str| -> Result<(), String> {
        let comparison = matching::compare(&variables.resolve(pattern)?, actual, at);
        errors.extend(comparison.errors);
        comparison
            .captures
            .into_iter()
            .for_each(|(name, value)| variables.set(&name, value));
        Ok(())
    };
    for (name, pattern) in &expect.headers {
        let absent = serde_json::json!({"$absent": true});
        let value = response
            .headers()
            .get(name)
            .map(|value| Value::from(String::from_utf8_lossy(value.as_bytes())));
        compare(
            if pattern.is_null() { &absent } else { pattern },
            value.as_ref(),
            &format!("header {name}"),
        )?;
    }
    if let Some(pattern) = &expect.text {
        let text = Value::from(String::from_utf8_lossy(response.body()));
        compare(pattern, Some(&text), "text")?;
    }
    if let Some(pattern) = &expect.body {
        match serde_json::from_slice::<Value>(response.body()) {
            Ok(body) => compare(pattern, Some(&body), "")?,
            Err(e) => errors.push(format!("expected a JSON body: {e}")),
        }
    }
    Ok(errors)
}

fn describe_request(request: &Request<Bytes>) -> String {
    format!(
        "{} {}\n{}",
        request.method(),
        request.uri(),
        describe(request.headers(), request.body())
    )
}

fn describe_response(response: &Response<Bytes>) -> String {
    format!(
        "{}\n{}",
        response.status(),
        describe(response.headers(), response.body())
    )
}

/// Returns headers and body as text, with indented JSON and at most `READABLE` characters of the
/// body.
fn describe(headers: &header::HeaderMap, body: &[u8]) -> String {
    const READABLE: usize = 4_000;
    let headers: Vec<String> = headers
        .iter()
        .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())))
        .collect();
    let indented = serde_json::from_slice::<Value>(body)
        .and_then(|value| serde_json::to_string_pretty(&value));
    let text = indented.unwrap_or_else(|_| String::from_utf8_lossy(body).into_owned());
    let shown: String = text.chars().take(READABLE).collect();
    let rest = if shown.len() < text.len() {
        format!("… ({} bytes in total)", body.len())
    } else {
        String::new()
    };
    format!("{}\n{shown}{rest}", headers.join("\n"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use serde_json::json;

    /// Returns each request in the response, with a number that increases.
    #[derive(Default)]
    struct Echo(u64);

    impl TestHost for Echo {
        fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
            self.0 += 1;
            let text = String::from_utf8_lossy(request.body()).into_owned();
            let body = json!({"id": self.0, "path": request.uri().path(), "text": text});
            let response = Response::builder()
                .header("x-request-id", "r")
                .header("x-kind", "echo");
            response
                .body(body.to_string().into())
                .map_err(|e| e.to_string())
        }

        fn advance(&mut self, seconds: u32) -> Result<(), String> {
            self.0 += u64::from(seconds);
            Ok(())
        }
    }

    fn outcome(steps: Value) -> Result<(), String> {
        let steps = serde_json::from_value(steps).map_err(|e| e.to_string())?;
        run(
            &Case {
                name: "sample".to_owned(),
                settings: BTreeMap::new(),
                steps,
            },
            &mut Echo::default(),
        )
    }

    #[test]
    fn captured_values_are_available_in_later_steps() {
        let steps = json!([
            {"name": "one", "send": "POST /a", "body": {"token": "${operatorToken}"}, "expect": {
                "status": 200, "headers": {"x-kind": "echo", "x-none": null},
                "body": {"id": {"$capture": "id"}, "text": {"$contains": OPERATOR_TOKEN}}}},
            {"advance_seconds": 10},
            {"name": "two", "send": "GET /a/${id}", "expect": {"status": 200, "body": {"id": 12, "path": "/a/1"}}},
            {"name": "three", "send": "POST /a", "text": ["[", "]"], "expect": {"status": 200, "body": {"text": "[]"}}},
            {"name": "four", "send": "POST /a", "base64": "/w==", "expect": {"status": 200, "body": {"text": "\u{fffd}"}}},
        ]);
        assert_eq!(outcome(steps), Ok(()));
    }

    #[test]
    fn failed_steps_are_reported_with_request_and_response() {
        let steps = json!([
            {"name": "one", "send": "GET /a", "expect": {"status": 201, "headers": {"x-kind": null}, "body": {"id": 2, "fee": 1}}},
            {"name": "two", "send": "GET /a/${gone}", "expect": {"status": 200}},
        ]);
        let output = outcome(steps).expect_err("both steps fail");
        for part in [
            "step 1 of 2, `one`",
            "expected status 201, got 200",
            "header x-kind: expected no value",
            "/id: expected 2, got 1",
            "/fee: expected 1, but it is missing",
            "GET /a\n",
            "\"path\": \"/a\"",
            "step 2 of 2, `two`",
            "no value was captured as `gone`",
        ] {
            assert!(output.contains(part), "`{part}` is not in:\n{output}");
        }
    }
}
