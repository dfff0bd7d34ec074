//! The service's main guarantees, on the in-memory host.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests panic on failure")]

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use despacho_core::{
    api::{self, Endpoint},
    drivers::clock,
    host::Platform,
    memory::MemoryHost,
    model::Duration,
    rules::settings::Settings,
};
use despacho_simulator::demo::{self, KEY};
use http::Request;
use serde_json::{Value, json};

/// Completes a future of the in-memory host, which never waits, with a single poll.
fn block_on<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("future of the in-memory host is pending"),
    }
}

fn call(
    host: &MemoryHost,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> (u16, Value) {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = block_on(api::handle(
        host,
        &Settings::default(),
        request.body(Bytes::from(body.to_string())).unwrap(),
    ));
    (
        response.status().as_u16(),
        serde_json::from_slice(response.body()).unwrap_or_default(),
    )
}

fn demo_host() -> MemoryHost {
    let host = MemoryHost::seeded(1);
    assert_eq!(block_on(demo::seed(&host, &Settings::default())), Ok(true));
    assert_eq!(block_on(demo::seed(&host, &Settings::default())), Ok(false));
    host
}

fn order(code: &str) -> Value {
    let address = |number: &str, latitude: f64, longitude: f64| json!({ "street": "Rua Augusta", "number": number, "city": "São Paulo", "state": "SP", "latitude": latitude, "longitude": longitude });
    json!({
    "code": code,
    "preparationTime": 40,
    "previewDeliveryTime": true,
    "deliveries": [
    { "name": "Maria", "phone": "+5511999990000", "address": address("900", -23.5530, -46.6560), "onlinePayment": true, "productValue": 57.9 },
    { "name": "José", "phone": "+5511999990001", "address": address("1500", -23.5580, -46.6600), "onlinePayment": true },
    ],
    })
}

#[test]
fn previews_without_idempotency_key_write_nothing() {
    let may_write = |method: &str, path: &str, header: &str| {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header, "1")
            .body(())
            .unwrap();
        Endpoint::of(request.method(), request.uri().path()).may_write(request.headers())
    };
    for (method, path, header, expected) in [
        ("POST", "/delivery/orders/preview", "x-api-token", false),
        ("POST", "/delivery/orders/preview", "idempotency-key", true),
        ("POST", "/delivery/orders", "x-api-token", true),
        ("PUT", "/delivery/stores", "x-api-token", true),
        ("GET", "/delivery/orders", "idempotency-key", false),
        ("HEAD", "/delivery/orders", "x-api-token", false),
        (
            "GET",
            "/courier/positions/osmand?id=x&lat=1",
            "x-api-token",
            true,
        ),
        (
            "POST",
            "/courier/positions/owntracks",
            "authorization",
            true,
        ),
    ] {
        assert_eq!(
            may_write(method, path, header),
            expected,
            "{method} {path} {header}"
        );
    }
}

#[test]
fn order_has_the_price_and_times_of_its_preview() {
    let host = demo_host();
    let key = [("x-api-token", KEY)];
    let (status, preview) = call(
        &host,
        "POST",
        "/delivery/orders/preview",
        &key,
        &order("A-1"),
    );
    assert_eq!(status, 200, "{preview}");
    let (status, created) = call(&host, "POST", "/delivery/orders", &key, &order("A-1"));
    assert_eq!(status, 201, "{created}");
    for field in [
        "deliveryFee",
        "totalDistance",
        "priceBreakdown",
        "expectedPickup",
        "expectedDelivery",
    ] {
        assert_eq!(preview[field], created[field], "{field}");
    }
    let (status, found) = call(
        &host,
        "GET",
        &format!("/delivery/orders/{}", created["id"]),
        &key,
        &Value::Null,
    );
    assert_eq!(
        (status, &found["events"][0]["type"]),
        (200, &json!("order.created"))
    );
}

#[test]
fn repeated_order_returns_the_existing_order() {
    let host = demo_host();
    let key = [("x-api-token", KEY)];
    let (_, first) = call(&host, "POST", "/delivery/orders", &key, &order("A-2"));
    assert_eq!(
        call(&host, "POST", "/delivery/orders", &key, &order("A-2")),
        (200, first.clone())
    );
    let mut other = order("A-2");
    other["preparationTime"] = json!(41);
    let (status, problem) = call(&host, "POST", "/delivery/orders", &key, &other);
    assert_eq!(
        (status, &problem["code"], &problem["orderId"]),
        (409, &json!("order_code_conflict"), &first["id"])
    );
}

#[test]
fn quote_is_valid_for_its_content_until_it_expires() {
    let host = demo_host();
    let key = [("x-api-token", KEY)];
    let (_, preview) = call(
        &host,
        "POST",
        "/delivery/orders/preview",
        &key,
        &order("A-3"),
    );
    let mut quoted = order("A-3");
    quoted["quoteId"] = preview["quote"]["id"].clone();
    let mut changed = quoted.clone();
    changed["deliveries"][0]["address"]["latitude"] = json!(-23.5531);
    let (_, problem) = call(&host, "POST", "/delivery/orders", &key, &changed);
    assert_eq!(
        (&problem["code"], &problem["errors"][0]["pointer"]),
        (&json!("quote_mismatch"), &json!("/deliveries/0/address"))
    );
    let (status, created) = call(&host, "POST", "/delivery/orders", &key, &quoted);
    assert_eq!(
        (status, &created["deliveryFee"]),
        (201, &preview["deliveryFee"])
    );
    host.advance(Duration::minutes(16));
    quoted["code"] = json!("A-4");
    assert_eq!(
        call(&host, "POST", "/delivery/orders", &key, &quoted).0,
        410
    );
}

#[test]
fn idempotency_key_executes_a_request_only_once() {
    let host = demo_host();
    let branch = json!({
    "cnpj": "12ABC34501DE35", "name": "Filial Nova", "email": "nova@exemplo.com.br", "password": "uma senha longa",
    "responsible": { "name": "Rui", "phone": "+5511999990002" }, "marketplaceBranchId": 2,
    "address": { "street": "Rua A", "number": "S/N", "city": "São Paulo", "state": "sp", "latitude": -23.55, "longitude": -46.63 },
    });
    let headers = [("x-api-token", KEY), ("idempotency-key", "k-1")];
    let (status, first) = call(&host, "POST", "/delivery/stores", &headers, &branch);
    assert_eq!(status, 201, "{first}");
    // The replay contains the key value, although the store's record has only its hash.
    assert_eq!(
        call(&host, "POST", "/delivery/stores", &headers, &branch),
        (201, first.clone())
    );
    let own = [("x-api-token", first["value"].as_str().unwrap())];
    assert_eq!(
        call(&host, "POST", "/delivery/orders/preview", &own, &order("x")).0,
        200
    );
    let (status, problem) = call(&host, "POST", "/delivery/stores", &headers, &json!({}));
    assert_eq!(
        (status, &problem["code"]),
        (422, &json!("idempotency_key_reused"))
    );
}

#[test]
fn failed_creation_creates_only_a_notification() {
    let host = demo_host();
    let key = [("x-api-token", KEY), ("accept-language", "pt-BR")];
    let before = host.orders().len();
    let mut invalid = order("A-5");
    invalid["deliveries"][1]["productValue"] = json!(-1);
    invalid["deliveries"][0]["address"]["state"] = json!("XX");
    let (status, problem) = call(&host, "POST", "/delivery/orders", &key, &invalid);
    let pointers: Vec<_> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| &error["pointer"])
        .collect();
    assert_eq!(
        (status, pointers),
        (
            422,
            vec![
                &json!("/deliveries/0/address/state"),
                &json!("/deliveries/1/productValue")
            ]
        )
    );
    assert_eq!(host.orders().len(), before);
    let (_, page) = call(&host, "GET", "/delivery/notifications", &key, &Value::Null);
    let received = &page["notifications"][0];
    assert_eq!(
        (&received["orderCode"], &received["code"]),
        (&json!("A-5"), &json!("validation_failed"))
    );
    assert_eq!(
        received["errors"][1]["pointer"],
        "/deliveries/1/productValue"
    );
}

#[test]
fn search_starts_after_preparation_and_expiry_refunds_the_fee() {
    let host = demo_host();
    let key = [("x-api-token", KEY)];
    let (_, created) = call(&host, "POST", "/delivery/orders", &key, &order("A-6"));
    let path = format!("/delivery/orders/{}", created["id"]);
    let status =
        |host: &MemoryHost| call(host, "GET", &path, &key, &Value::Null).1["situation"].clone();
    host.advance(Duration::millis(40 * 60_000 - 1));
    assert_eq!(status(&host), 110);
    host.advance(Duration::millis(1));
    assert_eq!(status(&host), 200);
    host.advance(Duration::minutes(20));
    let instant = host.exec_context().now;
    assert!(block_on(clock::run_pass(&host, &Settings::default(), instant, 100)).unwrap() >= 1);
    assert_eq!(status(&host), 630);
    let (_, details) = call(&host, "GET", &path, &key, &Value::Null);
    let sequences: Vec<_> = details["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["sequence"].as_u64())
        .collect();
    assert_eq!(sequences, [Some(1), Some(2), Some(3), Some(4)]);
    // The code of an expired order can be reused.
    assert_eq!(
        call(&host, "POST", "/delivery/orders", &key, &order("A-6")).0,
        201
    );
}

/// Lists a store's orders page by page. Returns their codes and the size of the largest page in
/// bytes.
fn list_orders(host: &MemoryHost, limit: u32) -> (Vec<String>, usize) {
    let (mut codes, mut largest, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let path = format!("/delivery/orders?limit={limit}{cursor}");
        let (status, page) = call(host, "GET", &path, &[("x-api-token", KEY)], &Value::Null);
        assert_eq!(status, 200, "{page}");
        let orders = page["orders"].as_array().unwrap();
        assert!(
            !orders.is_empty() && orders.len() <= limit as usize,
            "page size"
        );
        codes.extend(
            orders
                .iter()
                .map(|order| order["code"].as_str().unwrap().to_owned()),
        );
        largest = largest.max(page.to_string().len());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return (codes, largest),
        }
    }
}

#[test]
fn pages_of_large_orders_have_a_bounded_size() {
    let host = demo_host();
    let mut large = order("");
    let mut delivery = large["deliveries"][0].clone();
    delivery["observation"] = json!("x".repeat(1_000));
    large["deliveries"] = Value::Array(vec![delivery; 50]);
    let before = list_orders(&host, 100).0.len();
    for number in 0..12 {
        large["code"] = json!(format!("L-{number}"));
        let (status, created) = call(
            &host,
            "POST",
            "/delivery/orders",
            &[("x-api-token", KEY)],
            &large,
        );
        assert_eq!(status, 201, "{created}");
        assert!(created.to_string().len() > 50_000);
    }
    for limit in [1, 3, 100] {
        let (codes, largest) = list_orders(&host, limit);
        assert_eq!(codes.len(), before + 12, "limit {limit}");
        let newest: Vec<String> = (0..12).rev().map(|number| format!("L-{number}")).collect();
        assert_eq!(codes[..12], newest, "limit {limit}");
        assert!(largest <= 256 * 1024, "limit {limit}: {largest} bytes");
    }
}
