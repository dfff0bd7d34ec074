//! What holds for every answer of every host, so that no case need say it.

use http::{HeaderMap, Method, StatusCode, header};
use serde_json::Value;

/// What is wrong with an answer whatever was asked.
#[must_use]
pub fn errors(method: &Method, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Vec<String> {
    let mut errors = Vec::new();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let request_id = header("x-request-id");
    if request_id.is_empty() {
        errors.push("every answer carries x-request-id, this one does not".to_owned());
    }
    // An answer to HEAD has headers alone, and success may be of any type.
    if method == Method::HEAD || status.as_u16() < 400 {
        return errors;
    }
    if header(header::CONTENT_TYPE.as_str()) != "application/problem+json" {
        errors.push(format!("an error is application/problem+json, not `{}`", header(header::CONTENT_TYPE.as_str())));
    }
    let document: Value = serde_json::from_slice(body).unwrap_or_default();
    for key in ["type", "title", "detail", "instance", "code", "requestId"] {
        if document[key].as_str().is_none_or(str::is_empty) {
            errors.push(format!("a problem document has a text `{key}`, this one has {}", document[key]));
        }
    }
    if document["status"].as_u64() != Some(u64::from(status.as_u16())) {
        errors.push(format!("the problem document says status {}, the answer {status}", document["status"]));
    }
    if document["requestId"].as_str() != Some(request_id) {
        errors.push(format!("the problem document says request {}, the header {request_id}", document["requestId"]));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    const PROBLEM: &str =
        r#"{"type":"t","title":"t","status":404,"detail":"d","instance":"i","code":"c","requestId":"r"}"#;

    fn count(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> usize {
        let pairs = headers
            .iter()
            .map(|(name, value)| (header::HeaderName::from_static(name), HeaderValue::from_static(value)));
        let status = StatusCode::from_u16(status).expect("a status");
        errors(&Method::GET, status, &pairs.collect(), body.as_bytes()).len()
    }

    #[test]
    fn a_sound_answer_has_no_fault() {
        assert_eq!(count(200, &[("x-request-id", "r")], "anything"), 0);
        assert_eq!(count(404, &[("x-request-id", "r"), ("content-type", "application/problem+json")], PROBLEM), 0);
    }

    #[test]
    fn each_fault_is_told() {
        let sound = [("x-request-id", "r"), ("content-type", "application/problem+json")];
        assert_eq!(count(200, &[], ""), 1);
        assert_eq!(count(404, &sound[..1], PROBLEM), 1);
        assert_eq!(count(422, &sound, PROBLEM), 1);
        assert_eq!(count(404, &[("x-request-id", "s"), sound[1]], PROBLEM), 1);
        assert_eq!(count(404, &sound, &PROBLEM.replace("\"d\"", "\"\"")), 1);
        assert!(count(404, &sound, "not found") > 1);
    }
}
