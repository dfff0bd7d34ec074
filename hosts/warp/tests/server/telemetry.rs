//! Traces, received by a collector on loopback.

use std::{
    net::TcpListener,
    sync::mpsc::{Receiver, channel},
    time::Instant,
};

use serde_json::Value;

use crate::{
    harness::{Server, TIMEOUT},
    upstream::{ReceivedRequest, Upstream},
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const ORDER: &str = r#"{"code": "T-1", "preparationTime": 600, "deliveries": [{"name": "Rita", "phone": "+5511987654321",
    "onlinePayment": true, "address": {"street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP",
    "latitude": -23.557, "longitude": -46.66}}]}"#;

/// Starts a service that responds 200 to every request and forwards it.
fn receiver() -> (String, Receiver<ReceivedRequest>) {
    let (send, received) = channel();
    let upstream = Upstream::start(move |request| {
        // The test may have dropped the receiver.
        let _ = send.send(request.clone());
        (200, String::new())
    });
    (upstream.base, received)
}

/// Receives spans until one matches.
fn spans_until(
    received: &Receiver<ReceivedRequest>,
    matches: impl Fn(&Value) -> bool,
) -> Vec<Value> {
    let (deadline, mut spans) = (Instant::now() + TIMEOUT, Vec::new());
    while !spans.iter().any(&matches) {
        let left = deadline.saturating_duration_since(Instant::now());
        let export = received
            .recv_timeout(left)
            .unwrap_or_else(|_| panic!("no span matched: {spans:#?}"));
        assert_eq!(export.line, "POST /v1/traces");
        assert_eq!(
            (export.header("content-type"), export.header("x-team")),
            (Some("application/json"), Some("despacho"))
        );
        let message: Value = serde_json::from_str(&export.body).unwrap();
        let resource = &message["resourceSpans"][0];
        assert_eq!(
            attribute(&resource["resource"], "service.name"),
            Some(&"despacho".into())
        );
        spans.extend(
            resource["scopeSpans"][0]["spans"]
                .as_array()
                .unwrap()
                .iter()
                .cloned(),
        );
    }
    spans
}

fn attribute<'a>(span: &'a Value, key: &str) -> Option<&'a Value> {
    let attributes = span["attributes"].as_array()?;
    let value = &attributes
        .iter()
        .find(|attribute| attribute["key"] == key)?["value"];
    value.get("stringValue").or_else(|| value.get("intValue"))
}

/// Starts a server that sends traces to a collector, with a header that the collector requires.
fn traced(collector: &str, args: &[&str]) -> Server {
    let folder = tempfile::tempdir().unwrap();
    // Secrets have no flag: other users of a machine can read flags.
    let file = folder.path().join("despacho.toml");
    std::fs::write(
        &file,
        format!("[otlp]\nendpoint = \"{collector}\"\nheaders = \"x-team=despacho\"\n"),
    )
    .unwrap();
    let file = file.to_string_lossy().into_owned();
    Server::start_in(folder, &[&["--config", &file, "--demo"], args].concat())
}

#[test]
fn request_and_its_calls_share_a_trace() {
    let (collector, spans) = receiver();
    let (roads, requests) = receiver();
    let server = traced(&collector, &["--osrm", &roads]);
    let key = server.key.clone().unwrap();
    let head = format!(
        "POST /delivery/orders\nx-api-token: {key}\ncontent-type: application/json\nx-request-id: traced-1\n\
         traceparent: 00-{TRACE}-{PARENT}-01"
    );
    assert_eq!(server.send(&head, ORDER.as_bytes()).status, 201);
    let is_request = |span: &Value| span["name"] == "POST /delivery/orders";
    let spans = spans_until(&spans, is_request);
    let request = spans.iter().find(|span| is_request(span)).unwrap();
    assert_eq!(
        (&request["traceId"], &request["parentSpanId"]),
        (&TRACE.into(), &PARENT.into())
    );
    assert_eq!(request["kind"], 2);
    assert_eq!(
        attribute(request, "http.response.status_code"),
        Some(&"201".into())
    );
    assert_eq!(
        attribute(request, "despacho.request_id"),
        Some(&"traced-1".into())
    );
    for name in ["read", "transaction", "service"] {
        let found = spans
            .iter()
            .find(|span| span["name"] == name && span["parentSpanId"] == request["spanId"]);
        let found = found.unwrap_or_else(|| panic!("no {name} in {spans:#?}"));
        assert_eq!(
            (&found["traceId"], &found["kind"]),
            (&TRACE.into(), &3.into())
        );
        let nanos = |span: &Value, key: &str| span[key].as_str().unwrap().parse::<u128>().unwrap();
        assert!(
            nanos(found, "startTimeUnixNano") >= nanos(request, "startTimeUnixNano"),
            "{name}"
        );
        assert!(
            nanos(found, "endTimeUnixNano") >= nanos(found, "startTimeUnixNano"),
            "{name}"
        );
    }
    // The called service receives the trace with the ID of the calling span.
    let service = spans.iter().find(|span| span["name"] == "service").unwrap();
    let passed_on = format!("00-{TRACE}-{}-01", service["spanId"].as_str().unwrap());
    // Earlier requests belong to the orders of the demo data.
    while requests
        .recv_timeout(TIMEOUT)
        .unwrap()
        .header("traceparent")
        != Some(&passed_on)
    {}
    // Traces contain no data of requests.
    let whole = serde_json::to_string(&spans).unwrap();
    for hidden in ["Rita", "Augusta", "987654321", &key] {
        assert!(!whole.contains(hidden), "{hidden} in {whole}");
    }
    let metrics = server.metrics().text().to_owned();
    assert!(
        metrics.contains("despacho_trace_spans_dropped_total 0"),
        "{metrics}"
    );
}

#[test]
fn webhook_trace_is_sampled_independently() {
    let (collector, spans) = receiver();
    let (hook, messages) = receiver();
    let server = traced(&collector, &["--webhooks-loopback"]);
    let head = |path: &str| {
        let key = server.key.as_deref().unwrap();
        format!(
            "POST {path}\nx-api-token: {key}\ncontent-type: application/json\ntraceparent: 00-{TRACE}-{PARENT}-00"
        )
    };
    let made = server.send(
        &head("/delivery/webhooks"),
        format!(r#"{{"url": "{hook}/hook"}}"#).as_bytes(),
    );
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(
        server
            .send(&head("/delivery/orders"), ORDER.as_bytes())
            .status,
        201
    );
    let message = messages.recv_timeout(TIMEOUT).unwrap();
    // An order has several events, and spans may be exported in another order than messages.
    let is_notified = |span: &Value| {
        let (trace, id) = (
            span["traceId"].as_str().unwrap(),
            span["spanId"].as_str().unwrap(),
        );
        span["name"] == "webhook"
            && message.header("traceparent") == Some(&format!("00-{trace}-{id}-01"))
    };
    let spans = spans_until(&spans, is_notified);
    let trace = &spans.iter().find(|span| is_notified(span)).unwrap()["traceId"];
    assert_ne!(trace, TRACE);
    assert!(
        spans.iter().all(|span| span["traceId"] != TRACE),
        "the client's trace is not sampled: {spans:#?}"
    );
}

#[test]
fn unavailable_collector_does_not_delay_requests() {
    // A port that was free and is closed again.
    let nowhere = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let server = Server::start(&["--otlp-endpoint", &format!("http://{nowhere}")]);
    for _ in 0..20 {
        server
            .get("/delivery/orders")
            .is_problem(401, "api_key_missing");
    }
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let metrics = server.metrics().text().to_owned();
        let dropped = metrics
            .lines()
            .find_map(|line| line.strip_prefix("despacho_trace_spans_dropped_total "))
            .unwrap();
        if dropped != "0" {
            break;
        }
        assert!(Instant::now() < deadline, "{metrics}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    server.signal("TERM");
    assert!(server.ended(TIMEOUT).0.success());
}
