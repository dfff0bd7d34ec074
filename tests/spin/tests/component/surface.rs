//! The deployment's own endpoints, and what every answer carries.

use http::Request;

use crate::support::{Place, get, send, serve};

#[test]
fn life_and_readiness_are_told_and_the_description_is_found() {
    let place = Place::new();
    let served = serve(&place.demo());
    assert_eq!(get(&served.base, "/healthz").body["status"], "alive");
    assert_eq!(get(&served.base, "/readyz").body["status"], "ready");
    let docs = get(&served.base, "/docs");
    assert_eq!((docs.status, docs.headers["location"].to_str().ok()), (307, Some("/openapi.json")));
    assert_eq!(get(&served.base, "/openapi.json").body["openapi"].as_str().map(|text| &text[..3]), Some("3.1"));
    let wrong = send(&served.base, Request::post("/healthz").body(Vec::new()).expect("a request"));
    let wrong = wrong.expect("an answer");
    assert_eq!((wrong.status, wrong.headers["allow"].to_str().ok()), (405, Some("GET, HEAD")));
}

#[test]
fn every_answer_has_a_length_an_identifier_and_its_protection() {
    let place = Place::new();
    let served = serve(&place.demo());
    for path in ["/healthz", "/docs", "/openapi.json", "/nothing", "/delivery/notifications"] {
        let response = get(&served.base, path);
        for header in ["content-length", "x-request-id", "x-content-type-options", "content-security-policy"] {
            assert!(response.headers.contains_key(header), "{path} lacks {header}: {:?}", response.headers);
        }
    }
    let head = Request::head("/openapi.json").header("x-request-id", "mine-1").body(Vec::new()).expect("a request");
    let head = send(&served.base, head).expect("an answer");
    assert_eq!((head.status, head.headers["x-request-id"].to_str().ok()), (200, Some("mine-1")));
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn a_body_that_is_too_large_is_refused_and_harms_nobody() {
    let place = Place::new();
    let served = serve(&place.demo());
    for bytes in [300 << 10, 1 << 20] {
        let request = Request::post("/delivery/orders").header("content-type", "application/json");
        let response = send(&served.base, request.body(vec![b' '; bytes]).expect("a request")).expect("an answer");
        // Without a key it is not even looked at; what matters is that an answer comes, and that the instance lives.
        assert_eq!(response.status, 401, "{bytes}");
    }
    let request = Request::post("/delivery/orders").header("x-api-token", despacho_simulator::demo::KEY);
    let response = send(&served.base, request.body(vec![b' '; 300 << 10]).expect("a request")).expect("an answer");
    assert_eq!((response.status, &response.body["code"]), (413, &"body_too_large".into()));
    assert_eq!(served.stats().traps(), 0);
}
