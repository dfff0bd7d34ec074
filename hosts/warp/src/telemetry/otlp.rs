//! Spans in the JSON of the OpenTelemetry protocol: identifiers in hexadecimal, 64-bit numbers as text, kinds and statuses as numbers.

use despacho_core::domain::hex;
use serde_json::{Value, json};

use super::{Attribute, Ended};

/// A batch as the body of `POST /v1/traces`.
pub(super) fn body(spans: &[Ended]) -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION");
    let resource = [
        ("service.name", Attribute::Text("despacho".to_owned())),
        ("service.version", Attribute::Text(version.to_owned())),
    ];
    let body = json!({
        "resourceSpans": [{
            "resource": { "attributes": attributes(&resource) },
            "scopeSpans": [{
                "scope": { "name": "despacho", "version": version },
                "spans": spans.iter().map(span).collect::<Vec<_>>(),
            }],
        }],
    });
    body.to_string().into_bytes()
}

fn span(span: &Ended) -> Value {
    let mut value = json!({
        "traceId": hex(&span.trace),
        "spanId": hex(&span.id),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": span.started.as_nanos().to_string(),
        "endTimeUnixNano": (span.started + span.took).as_nanos().to_string(),
        "attributes": attributes(&span.attributes),
        // 2 is an error; without one the status is left unset, as the conventions want.
        "status": if span.failed { json!({ "code": 2 }) } else { json!({}) },
    });
    if let Some(parent) = span.parent {
        value["parentSpanId"] = hex(&parent).into();
    }
    value
}

fn attributes(pairs: &[(&'static str, Attribute)]) -> Vec<Value> {
    let value = |value: &Attribute| match value {
        Attribute::Text(text) => json!({ "stringValue": text }),
        Attribute::Number(number) => json!({ "intValue": number.to_string() }),
    };
    pairs.iter().map(|(key, attribute)| json!({ "key": key, "value": value(attribute) })).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::telemetry::Kind;

    #[test]
    fn a_span_is_written_as_the_protocol_has_it() {
        let ended = Ended {
            trace: [0xab; 16],
            id: [1; 8],
            parent: Some([2; 8]),
            name: "GET /x",
            kind: Kind::Server,
            started: Duration::from_secs(1_700_000_000),
            took: Duration::from_millis(2),
            attributes: vec![("http.response.status_code", Attribute::Number(200))],
            failed: true,
        };
        let body: Value = serde_json::from_slice(&body(&[ended])).unwrap();
        let span = &body["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!(span["traceId"], "ab".repeat(16));
        assert_eq!((&span["spanId"], &span["parentSpanId"]), (&"01".repeat(8).into(), &"02".repeat(8).into()));
        assert_eq!((&span["kind"], &span["status"]["code"]), (&2.into(), &2.into()));
        assert_eq!(span["startTimeUnixNano"], "1700000000000000000");
        assert_eq!(span["endTimeUnixNano"], "1700000000002000000");
        assert_eq!(span["attributes"][0]["value"]["intValue"], "200");
    }
}
