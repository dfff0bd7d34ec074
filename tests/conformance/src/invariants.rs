//! Checks that apply to every response of every host, so cases do not repeat them.

use http::{HeaderMap, Method, StatusCode, header};
use serde_json::Value;

/// Returns the violations of the rules that apply to every response.
#[must_use]
pub fn errors(
    method: &Method,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> Vec<String> {
    let mut errors = Vec::new();
    let header = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    let request_id = header("x-request-id");
    if request_id.is_empty() {
        errors.push("the response has no x-request-id".to_owned());
    }
    // A response to HEAD has only headers, and a successful response can have any type.
    if method == Method::HEAD || status.as_u16() < 400 {
        return errors;
    }
    if header(header::CONTENT_TYPE.as_str()) != "application/problem+json" {
        errors.push(format!(
            "an error must be application/problem+json, not `{}`",
            header(header::CONTENT_TYPE.as_str())
        ));
    }
    let document: Value = serde_json::from_slice(body).unwrap_or_default();
    for key in ["type", "title", "detail", "instance", "code", "requestId"] {
        if document[key].as_str().is_none_or(str::is_empty) {
            errors.push(format!(
                "`{key}` of the problem document must be a string that is not empty, got {}",
                document[key]
            ));
        }
    }
    if document["status"].as_u64() != Some(u64::from(status.as_u16())) {
        errors.push(format!(
            "the problem document has status {}, the response {status}",
            document["status"]
        ));
    }
    if document["requestId"].as_str() != Some(request_id) {
        errors.push(format!(
            "the problem document has request ID {}, the header {request_id}",
            document["requestId"]
        ));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    const PROBLEM: &str = r#"{"type":"t","title":"t","status":404,"detail":"d","instance":"i","code":"c","requestId":"r"}"#;

    fn count(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> usize {
        let pairs = headers.iter().map(|(name, value)| {
            (
                header::HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        let status = StatusCode::from_u16(status).expect("a status");
        errors(&Method::GET, status, &pairs.collect(), body.as_bytes()).len()
    }

    #[test]
    fn valid_response_has_no_errors() {
        assert_eq!(count(200, &[("x-request-id", "r")], "anything"), 0);
        assert_eq!(
            count(
                404,
                &[
                    ("x-request-id", "r"),
                    ("content-type", "application/problem+json")
                ],
                PROBLEM
            ),
            0
        );
    }

    #[test]
    fn every_violation_is_reported() {
        let valid = [
            ("x-request-id", "r"),
            ("content-type", "application/problem+json"),
        ];
        assert_eq!(count(200, &[], ""), 1);
        assert_eq!(count(404, &valid[..1], PROBLEM), 1);
        assert_eq!(count(422, &valid, PROBLEM), 1);
        assert_eq!(count(404, &[("x-request-id", "s"), valid[1]], PROBLEM), 1);
        assert_eq!(count(404, &valid, &PROBLEM.replace("\"d\"", "\"\"")), 1);
        assert!(count(404, &valid, "not found") > 1);
    }
}
