//! Pushes to couriers from the built component to a push service on loopback.

use despacho_bench::orders::order;
use despacho_core::rules::push::VapidKey;
use despacho_spin_tests::{Options, TestServer};
use serde_json::{Value, json};

use crate::{
    support::{Response, TOKEN, TestDatabase, post, send, serve_ready},
    upstream::Upstream,
    webhooks::dispatch,
};

fn request(served: &TestServer, method: &str, path: &str, key: &str, body: &Value) -> Response {
    let request = http::Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-token", key);
    let body = if body.is_null() {
        Vec::new()
    } else {
        body.to_string().into_bytes()
    };
    let request = request
        .header("content-type", "application/json")
        .body(body)
        .expect("a request");
    let response =
        send(&served.base, request).unwrap_or_else(|error| panic!("{method} {path}: {error}"));
    assert!(
        (200..300).contains(&response.status),
        "{method} {path}: {}",
        response.body
    );
    response
}

#[test]
fn dispatch_pass_pushes_assigned_orders() {
    let (database, service) = (TestDatabase::new(), Upstream::fixed(201, ""));
    let key = VapidKey::new([7; 32]).expect("a private key");
    let push =
        json!({ "vapid-key": key.private_key(), "contact": "mailto:suporte@entregas.example" });
    let settings = json!({ "push": push, "webhooks": { "loopback": true } }).to_string();
    let options = Options {
        outbound: vec![service.address],
        ..database.demo().variable("settings", &settings)
    };
    let served = serve_ready(&options);
    // Only sandbox couriers carry the orders of the demo's store.
    let new = json!({ "name": "Ana Souza", "phone": "+5511990000001", "available": true, "sandbox": true });
    let courier = request(&served, "POST", "/admin/couriers", TOKEN, &new).body;
    let courier = courier["value"].as_str().expect("a key");
    let shown = request(&served, "GET", "/courier/push", courier, &Value::Null).body;
    assert_eq!(shown["publicKey"], json!(key.public_key()));
    let endpoint = json!({ "endpoint": format!("{}/browser", service.base()) });
    request(&served, "POST", "/courier/push", courier, &endpoint);
    let position = json!({ "latitude": -23.5614, "longitude": -46.6559 });
    request(&served, "POST", "/courier/position", courier, &position);
    // More orders than couriers of the demo, so that this courier gets one.
    for number in 0..12 {
        let mut order = order(&format!("PUSH-{number}"), 1, false);
        order["preparationTime"] = json!(0);
        assert_eq!(post(&served.base, "/delivery/orders", &order).status, 201);
    }
    for _ in 0..3 {
        assert_eq!(dispatch(&served).status, 200);
    }
    let carried = request(&served, "GET", "/courier/me", courier, &Value::Null).body;
    assert_ne!(carried["orderId"], Value::Null, "{carried}");
    let requests = service.requests();
    let push = requests.first().expect("a push");
    let header = |name: &str| push.headers.get(name).map_or("", String::as_str);
    assert_eq!(
        (&*push.line, push.body.len(), header("content-length")),
        ("POST /browser", 0, "0")
    );
    assert_eq!(
        [header("ttl"), header("urgency"), header("topic")],
        ["600", "high", "trip"]
    );
    let public = format!(", k={}", key.public_key());
    assert!(
        header("authorization").starts_with("vapid t=")
            && header("authorization").ends_with(&public),
        "{push:?}"
    );
    assert_eq!(served.stats().traps(), 0);
}
