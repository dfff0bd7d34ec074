//! The deployment's endpoints, and the headers of every response.

use despacho_core::host::description;
use http::Request;

use crate::support::{TestDatabase, get, send, serve};

#[test]
fn probes_and_openapi_document_are_served() {
    let database = TestDatabase::new();
    let served = serve(&database.demo());
    assert_eq!(get(&served.base, "/healthz").body["status"], "alive");
    assert_eq!(get(&served.base, "/readyz").body["status"], "ready");
    let docs = get(&served.base, "/docs");
    assert_eq!(
        (docs.status, docs.headers["location"].to_str().ok()),
        (307, Some("/openapi.json"))
    );
    let document: serde_json::Value = serde_json::from_slice(description()).expect("the document");
    let served_document = get(&served.base, "/openapi.json");
    assert_eq!(served_document.headers["content-type"], "application/json");
    assert!(served_document.body == document, "another document");
    let wrong = send(
        &served.base,
        Request::post("/healthz")
            .body(Vec::new())
            .expect("a request"),
    );
    let wrong = wrong.expect("a response");
    assert_eq!(
        (wrong.status, wrong.headers["allow"].to_str().ok()),
        (405, Some("GET, HEAD"))
    );
}

#[test]
fn every_response_has_length_request_id_and_security_headers() {
    let database = TestDatabase::new();
    let served = serve(&database.demo());
    for path in [
        "/healthz",
        "/docs",
        "/openapi.json",
        "/nothing",
        "/delivery/notifications",
    ] {
        let response = get(&served.base, path);
        for header in [
            "content-length",
            "x-request-id",
            "x-content-type-options",
            "content-security-policy",
        ] {
            assert!(
                response.headers.contains_key(header),
                "{path} lacks {header}: {:?}",
                response.headers
            );
        }
    }
    let head = Request::head("/openapi.json")
        .header("x-request-id", "mine-1")
        .body(Vec::new())
        .expect("a request");
    let head = send(&served.base, head).expect("a response");
    assert_eq!(
        (head.status, head.headers["x-request-id"].to_str().ok()),
        (200, Some("mine-1"))
    );
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn body_above_limit_is_rejected_without_a_trap() {
    let database = TestDatabase::new();
    let served = serve(&database.demo());
    for bytes in [300 << 10, 1 << 20] {
        let request = Request::post("/delivery/orders").header("content-type", "application/json");
        let response = send(
            &served.base,
            request.body(vec![b' '; bytes]).expect("a request"),
        )
        .expect("a response");
        // Without a key the body is not checked. The client must receive a response, and the
        // instance must not trap.
        assert_eq!(response.status, 401, "{bytes}");
    }
    let request =
        Request::post("/delivery/orders").header("x-api-token", despacho_simulator::demo::KEY);
    let response = send(
        &served.base,
        request.body(vec![b' '; 300 << 10]).expect("a request"),
    )
    .expect("a response");
    assert_eq!(
        (response.status, &response.body["code"]),
        (413, &"body_too_large".into())
    );
    assert_eq!(served.stats().traps(), 0);
}
