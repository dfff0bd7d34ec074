//! Traces: a real collector on the loopback decodes what it is sent.

use std::{
    net::TcpListener,
    sync::mpsc::{Receiver, channel},
    time::Instant,
};

use serde_json::Value;

use crate::{
    harness::{Server, TIMEOUT},
    upstream::{Received, Upstream},
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const ORDER: &str = r#"{"code": "T-1", "preparationTime": 600, "deliveries": [{"name": "Rita", "phone": "+5511987654321",
    "onlinePayment": true, "address": {"street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP",
    "latitude": -23.557, "longitude": -46.66}}]}"#;

/// Somebody who answers every request with 200 and passes it on.
fn receiver() -> (String, Receiver<Received>) {
    let (send, received) = channel();
    let upstream = Upstream::start(move |request| {
        // A test that has seen enough hears no more.
        let _ = send.send(request.clone());
        (200, String::new())
    });
    (upstream.base, received)
}

/// Spans that come until one fits.
fn spans_until(received: &Receiver<Received>, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
    let (deadline, mut spans) = (Instant::now() + TIMEOUT, Vec::new());
    while !spans.iter().any(&fits) {
        let left = deadline.saturating_duration_since(Instant::now());
        let export = received.recv_timeout(left).unwrap_or_else(|_| panic!("it never came: {spans:#?}"));
        assert_eq!(export.line, "POST /v1/traces");
        assert_eq!(
            (export.header("content-type"), export.header("x-team")),
            (Some("application/json"), Some("despacho"))
        );
        let message: Value = serde_json::from_str(&export.body).unwrap();
        let resource = &message["resourceSpans"][0];
        assert_eq!(attribute(&resource["resource"], "service.name"), Some(&"despacho".into()));
        spans.extend(resource["scopeSpans"][0]["spans"].as_array().unwrap().iter().cloned());
    }
    spans
}

fn attribute<'a>(span: &'a Value, key: &str) -> Option<&'a Value> {
    let attributes = span["attributes"].as_array()?;
    let value = &attributes.iter().find(|attribute| attribute["key"] == key)?["value"];
    value.get("stringValue").or_else(|| value.get("intValue"))
}

/// A server that sends traces there, with a key that its collector wants.
fn traced(collector: &str, args: &[&str]) -> Server {
    let folder = tempfile::tempdir().unwrap();
    // Secrets have no flag: other users of a machine can read flags.
    let file = folder.path().join("despacho.toml");
    std::fs::write(&file, format!("[otlp]\nendpoint = \"{collector}\"\nheaders = \"x-team=despacho\"\n")).unwrap();
    let file = file.to_string_lossy().into_owned();
    Server::start_in(folder, &[&["--config", &file, "--demo"], args].concat())
}

#[test]
fn a_request_and_what_it_waited_for_are_one_trace() {
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
    assert_eq!((&request["traceId"], &request["parentSpanId"]), (&TRACE.into(), &PARENT.into()));
    assert_eq!(request["kind"], 2);
    assert_eq!(attribute(request, "http.response.status_code"), Some(&"201".into()));
    assert_eq!(attribute(request, "despacho.request_id"), Some(&"traced-1".into()));
    for name in ["read", "transaction", "service"] {
        let found = spans.iter().find(|span| span["name"] == name && span["parentSpanId"] == request["spanId"]);
        let found = found.unwrap_or_else(|| panic!("no {name} in {spans:#?}"));
        assert_eq!((&found["traceId"], &found["kind"]), (&TRACE.into(), &3.into()));
        let nanos = |span: &Value, key: &str| span[key].as_str().unwrap().parse::<u128>().unwrap();
        assert!(nanos(found, "startTimeUnixNano") >= nanos(request, "startTimeUnixNano"), "{name}");
        assert!(nanos(found, "endTimeUnixNano") >= nanos(found, "startTimeUnixNano"), "{name}");
    }
    // Who is asked on the way is told the trace, with the span that asks.
    let service = spans.iter().find(|span| span["name"] == "service").unwrap();
    let passed_on = format!("00-{TRACE}-{}-01", service["spanId"].as_str().unwrap());
    // Others were asked before, for the demonstration's own orders.
    while requests.recv_timeout(TIMEOUT).unwrap().header("traceparent") != Some(&passed_on) {}
    // Nothing of what people sent is in a trace.
    let whole = serde_json::to_string(&spans).unwrap();
    for hidden in ["Rita", "Augusta", "987654321", &key] {
        assert!(!whole.contains(hidden), "{hidden} in {whole}");
    }
    let metrics = server.metrics().text().to_owned();
    assert!(metrics.contains("despacho_trace_spans_dropped_total 0"), "{metrics}");
}

#[test]
fn a_webhook_takes_a_trace_along_and_who_is_not_sampled_has_none() {
    let (collector, spans) = receiver();
    let (hook, messages) = receiver();
    let server = traced(&collector, &["--webhooks-loopback"]);
    let head = |path: &str| {
        let key = server.key.as_deref().unwrap();
        format!("POST {path}\nx-api-token: {key}\ncontent-type: application/json\ntraceparent: 00-{TRACE}-{PARENT}-00")
    };
    let made = server.send(&head("/delivery/webhooks"), format!(r#"{{"url": "{hook}/hook"}}"#).as_bytes());
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(server.send(&head("/delivery/orders"), ORDER.as_bytes()).status, 201);
    let message = messages.recv_timeout(TIMEOUT).unwrap();
    // An order has more than one event, and who is sent first need not be recorded first.
    let is_notified = |span: &Value| {
        let (trace, id) = (span["traceId"].as_str().unwrap(), span["spanId"].as_str().unwrap());
        span["name"] == "webhook" && message.header("traceparent") == Some(&format!("00-{trace}-{id}-01"))
    };
    let spans = spans_until(&spans, is_notified);
    let trace = &spans.iter().find(|span| is_notified(span)).unwrap()["traceId"];
    assert_ne!(trace, TRACE);
    assert!(spans.iter().all(|span| span["traceId"] != TRACE), "whoever called does not record this: {spans:#?}");
}

#[test]
fn a_collector_that_is_not_there_holds_nobody_up() {
    // A port that was free a moment ago.
    let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Server::start(&["--otlp-endpoint", &format!("http://{nowhere}")]);
    for _ in 0..20 {
        server.get("/delivery/orders").is_problem(401, "api_key_missing");
    }
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let metrics = server.metrics().text().to_owned();
        let dropped =
            metrics.lines().find_map(|line| line.strip_prefix("despacho_trace_spans_dropped_total ")).unwrap();
        if dropped != "0" {
            break;
        }
        assert!(Instant::now() < deadline, "{metrics}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    server.signal("TERM");
    assert!(server.ended(TIMEOUT).0.success());
}
