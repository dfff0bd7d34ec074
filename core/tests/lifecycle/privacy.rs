//! Access to recipients' data and its duration, erasure, export and retention.

use bytes::Bytes;
use despacho_core::{
    api,
    drivers::erasure,
    memory::MemoryHost,
    model::{Duration, Phone, order::Erasure},
    rules::settings::{RetentionConfig, Settings},
};
use http::Request;
use serde_json::{Value, json};

use crate::support::{
    COURIER, OPERATOR, Response, block_on, create_allocated_order, create_order, host, order, send,
    settings,
};
use despacho_simulator::demo::KEY;

const PHONE: &str = "+5511999990000";

fn send_with_idempotency_key(
    host: &MemoryHost,
    key: &str,
    line: &str,
    idempotency_key: &str,
    body: &Value,
) -> Response {
    let (method, path) = line.split_once(' ').unwrap();
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-token", key);
    let request = request
        .header("content-type", "application/json")
        .header("idempotency-key", idempotency_key);
    let body = if body.is_null() {
        Bytes::new()
    } else {
        Bytes::from(body.to_string())
    };
    let (parts, body) =
        block_on(api::handle(host, &settings(), request.body(body).unwrap())).into_parts();
    Response {
        status: parts.status.as_u16(),
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap(),
    }
}

fn step(host: &MemoryHost, id: u64, step: &str, body: &Value) -> Response {
    send_with_idempotency_key(
        host,
        COURIER,
        &format!("POST /courier/orders/{id}/{step}"),
        &format!("{id} {step}"),
        body,
    )
}

/// Delivers an order of one stop, and returns the responses to all steps.
fn deliver(host: &MemoryHost, id: u64) -> Vec<Response> {
    let stored = order(host, id);
    let stop = &stored.deliveries[0];
    let at_stop = json!({"deliveryId": stop.id.get()});
    let delivered = json!({"deliveryId": stop.id.get(), "code": stop.delivery_code});
    let steps = [
        ("arrive", Value::Null),
        ("pickup", json!({"code": stored.pickup_code})),
        ("en-route", at_stop.clone()),
        ("at-door", at_stop),
        ("deliver", delivered),
    ];
    let responses: Vec<Response> = steps
        .iter()
        .map(|(name, body)| step(host, id, name, body))
        .collect();
    assert!(
        responses.iter().all(|response| response.status == 200),
        "{responses:?}"
    );
    responses
}

fn is_readable(response: &Response) -> bool {
    let stop = &response.body["deliveries"][0];
    let text = response.body["deliveries"].to_string();
    let hidden = ["name", "phone", "observation", "latitude", "longitude"]
        .iter()
        .all(|name| stop[*name].is_null())
        && stop["address"]
            .as_object()
            .unwrap()
            .values()
            .all(Value::is_null)
        && !text.contains("Maria")
        && !text.contains(PHONE)
        && !text.contains("Rua Augusta");
    let is_complete = stop["name"] == "Maria"
        && stop["phone"] == PHONE
        && stop["address"]["street"] == "Rua Augusta";
    assert!(hidden != is_complete, "{text}");
    is_complete
}

#[test]
fn courier_reads_recipients_only_until_the_orders_end() {
    let host = host();
    let id = create_allocated_order(&host, "P-1", &[true]).id.get();
    let responses = deliver(&host, id);
    let readable: Vec<bool> = responses.iter().map(is_readable).collect();
    assert_eq!(readable, [true, true, true, true, false]);
    let last = order(&host, id).deliveries[0].clone();
    let repeated = send(
        &host,
        COURIER,
        &format!("POST /courier/orders/{id}/deliver"),
        &json!({"deliveryId": last.id.get(), "code": last.delivery_code}),
    );
    assert_eq!(
        (repeated.status, &repeated.body["situation"]),
        (200, &json!(500))
    );
    assert!(!is_readable(&repeated));
    // The stored response of an earlier step must not show more than a new one.
    let replayed = step(&host, id, "arrive", &Value::Null);
    assert_eq!(
        (replayed.status, replayed.header("idempotent-replayed")),
        (200, Some("true"))
    );
    assert!(!is_readable(&replayed));
    assert_eq!(replayed.body["situation"], 220);
}

#[test]
fn courier_without_the_order_reads_no_recipients() {
    let host = host();
    let id = create_allocated_order(&host, "P-2", &[true]).id.get();
    assert!(is_readable(&step(&host, id, "arrive", &Value::Null)));
    let declined = send(
        &host,
        COURIER,
        &format!("POST /courier/orders/{id}/decline"),
        &json!({"reason": "flat tyre"}),
    );
    assert_eq!(declined.status, 204);
    assert!(!is_readable(&step(&host, id, "arrive", &Value::Null)));
    let again = send(
        &host,
        COURIER,
        &format!("POST /courier/orders/{id}/arrive"),
        &Value::Null,
    );
    assert_eq!(again.outcome(), (404, Some("order_not_found")));
}

#[test]
fn merchant_reads_no_document_and_no_email_of_a_courier() {
    let host = host();
    let new = json!({"name": "Ana", "phone": "+5511990000011", "email": "ana@exemplo.com.br", "document": "123.456.789-09"});
    let registered = send(&host, OPERATOR, "POST /admin/couriers", &new);
    assert_eq!(registered.body["document"], "123.456.789-09");
    let assigned = {
        let id = registered.body["id"]
            .as_u64()
            .and_then(despacho_core::model::CourierId::new)
            .unwrap();
        block_on(despacho_core::host::Host::courier(&host, id))
            .unwrap()
            .unwrap()
            .assigned()
    };
    assert!(
        !serde_json::to_string(&assigned)
            .unwrap()
            .contains("123.456"),
        "the order has no copy either"
    );
    let id = create_allocated_order(&host, "P-3", &[true]).id.get();
    let courier = send(
        &host,
        KEY,
        &format!("GET /delivery/orders/{id}"),
        &Value::Null,
    )
    .body["deliveryMan"]
        .clone();
    assert_eq!(
        (&courier["name"], &courier["email"], &courier["document"]),
        (&json!("Courier 7"), &Value::Null, &Value::Null)
    );
}

fn erase(host: &MemoryHost) -> Response {
    send(
        host,
        OPERATOR,
        "POST /admin/privacy/erase",
        &json!({"phone": PHONE}),
    )
}

#[test]
fn erasure_keeps_the_order_its_code_and_its_fee() {
    let host = host();
    let id = create_allocated_order(&host, "P-4", &[true]).id.get();
    deliver(&host, id);
    let open = create_order(&host, "P-5", 30, &[true]).id.get();
    let path = format!("GET /delivery/orders/{id}");
    let before = send(&host, KEY, &path, &Value::Null).body;
    let erased = erase(&host);
    assert_eq!(
        (
            erased.status,
            &erased.body["orders"],
            &erased.body["openOrders"][0]["id"]
        ),
        (200, &json!(1), &json!(open))
    );
    let after = send(&host, KEY, &path, &Value::Null).body;
    let text = after.to_string();
    assert!(
        !text.contains("Maria")
            && !text.contains(PHONE)
            && !text.contains("Rua Augusta")
            && !text.contains("portão")
    );
    for same in [
        "code",
        "situation",
        "deliveryFee",
        "priceBreakdown",
        "totalDistance",
        "createdAt",
        "pickupCode",
    ] {
        assert_eq!(before[same], after[same], "{same}");
    }
    let address = &after["deliveries"][0]["address"];
    assert_eq!(
        (&address["city"], &address["state"], &address["street"]),
        (&json!("São Paulo"), &json!("SP"), &Value::Null)
    );
    assert_eq!(
        before["events"].as_array().unwrap().len(),
        after["events"].as_array().unwrap().len()
    );
    assert_eq!(order(&host, id).erasure, Erasure::Recipients);
    assert_eq!(
        order(&host, open).erasure,
        Erasure::NotErased,
        "an open order is not changed"
    );
    // The keyed digest still recognises the content that created the order.
    let same = create_again(&host, "P-4", "Maria");
    assert_eq!((same.status, &same.body["id"]), (200, &json!(id)));
    assert!(!same.body.to_string().contains("Maria"));
    assert_eq!(
        create_again(&host, "P-4", "João").outcome(),
        (409, Some("order_code_conflict"))
    );
}

fn create_again(host: &MemoryHost, code: &str, name: &str) -> Response {
    let delivery = json!({
    "name": name, "phone": PHONE, "onlinePayment": true, "observation": "portão azul", "confirmation": {"platform": true},
    "address": {
    "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP",
    "latitude": -23.5530, "longitude": -46.6560,
    },
    });
    let body = json!({"code": code, "preparationTime": 0, "previewDeliveryTime": true, "deliveries": [delivery]});
    send(host, KEY, "POST /delivery/orders", &body)
}

#[test]
fn erasure_is_recorded_without_the_phone() {
    let host = host();
    let id = create_allocated_order(&host, "P-6", &[true]).id.get();
    deliver(&host, id);
    let first = erase(&host);
    host.advance(Duration::minutes(1));
    assert_eq!(
        erase(&host).body["orders"],
        0,
        "a repetition erases nothing"
    );
    let records = send(
        &host,
        OPERATOR,
        "GET /admin/privacy/erasures?limit=1",
        &Value::Null,
    )
    .body;
    assert_eq!(records["erasures"][0]["orders"], 0);
    let cursor = records["nextCursor"].as_str().unwrap();
    let older = send(
        &host,
        OPERATOR,
        &format!("GET /admin/privacy/erasures?cursor={cursor}"),
        &Value::Null,
    )
    .body;
    let record = &older["erasures"][0];
    assert_eq!(
        (&record["cause"], &record["orders"], &record["deliveries"]),
        (&json!("request"), &json!(1), &json!(1))
    );
    assert_eq!(record["subjectId"], first.body["subjectId"]);
    assert!(!older.to_string().contains(PHONE) && !records.to_string().contains(PHONE));
}

#[test]
fn invalid_phone_and_cursor_are_named() {
    let host = host();
    for path in ["erase", "export"] {
        let line = format!("POST /admin/privacy/{path}");
        let response = send(
            &host,
            OPERATOR,
            &line,
            &json!({"phone": "11 99999-0000", "cursor": "x"}),
        );
        let pointers: Vec<&str> = response.body["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| error["pointer"].as_str().unwrap())
            .collect();
        assert_eq!(
            (response.status, pointers),
            (422, vec!["/phone", "/cursor"])
        );
        assert_eq!(
            send(&host, KEY, &line, &json!({"phone": PHONE})).status,
            401,
            "stores have no access"
        );
    }
}

#[test]
fn export_holds_only_the_recipients_own_deliveries() {
    let host = host();
    let order = create_order(&host, "P-7", 30, &[true, true]);
    let found = send(
        &host,
        OPERATOR,
        "POST /admin/privacy/export",
        &json!({"phone": PHONE}),
    )
    .body;
    assert_eq!(found["orders"][0]["id"], order.id.get());
    assert_eq!(
        found["orders"][0]["deliveries"].as_array().unwrap().len(),
        2
    );
    let export = send_with_idempotency_key(
        &host,
        OPERATOR,
        "POST /admin/privacy/export",
        "same key",
        &json!({"phone": PHONE}),
    );
    let other = send_with_idempotency_key(
        &host,
        OPERATOR,
        "POST /admin/privacy/export",
        "same key",
        &json!({"phone": "+5511911112222"}),
    );
    assert_eq!(
        (export.status, other.status),
        (200, 200),
        "the response of an export is not stored"
    );
    assert_eq!(other.body["orders"], json!([]));
    let unknown = Phone::parse("+5511911112222").unwrap();
    assert!(
        block_on(erasure::find(&host, &unknown, 0))
            .unwrap()
            .orders
            .is_empty()
    );
}

#[test]
fn many_orders_are_erased_over_several_requests() {
    let host = host();
    for number in 0..230 {
        let id = create_order(&host, &format!("C-{number}"), 30, &[true])
            .id
            .get();
        assert_eq!(
            send(
                &host,
                KEY,
                "POST /delivery/orders/cancel",
                &json!({"orderId": id})
            )
            .status,
            200
        );
    }
    let (mut orders, mut cursor) = (Vec::new(), Value::Null);
    for _ in 0..2 {
        let body = json!({"phone": PHONE, "cursor": cursor});
        let erased = send(&host, OPERATOR, "POST /admin/privacy/erase", &body).body;
        orders.push(erased["orders"].as_u64().unwrap());
        cursor = erased["nextCursor"].clone();
    }
    assert_eq!((orders, cursor), (vec![200, 30], Value::Null));
    let records = send(&host, OPERATOR, "GET /admin/privacy/erasures", &Value::Null).body;
    assert_eq!(
        records["erasures"].as_array().unwrap().len(),
        1,
        "the requests of one run add up"
    );
    assert_eq!(records["erasures"][0]["orders"], 230);
}

fn with_retention(recipients_days: u32, positions_days: u32) -> Settings {
    Settings {
        retention: RetentionConfig {
            recipients_days,
            positions_days,
            proofs_days: 0,
            ..RetentionConfig::default()
        },
        ..settings()
    }
}

#[test]
fn retention_erases_positions_first_and_recipients_later() {
    let host = host();
    let position = json!({"latitude": -23.5532, "longitude": -46.6561});
    let id = create_allocated_order(&host, "P-8", &[true]).id.get();
    assert_eq!(
        send(&host, COURIER, "POST /courier/position", &position).status,
        200
    );
    deliver(&host, id);
    let open = create_order(&host, "P-9", 30, &[true]).id.get();
    let (settings, day) = (with_retention(180, 30), Duration::minutes(24 * 60));
    let pass = |days: i64| {
        let later = host.now().after(Duration::minutes(days * 24 * 60));
        block_on(erasure::retain(&host, &settings, later))
            .unwrap()
            .orders
    };
    let with_points = || {
        host.recorded()
            .iter()
            .filter(|one| one.event.order.get() == id && one.event.point.is_some())
            .count()
    };
    assert!(with_points() > 0);
    assert_eq!(pass(29), 0);
    assert_eq!(
        (pass(31), with_points(), order(&host, id).erasure),
        (1, 0, Erasure::Positions)
    );
    assert_eq!(
        order(&host, id).deliveries[0].name.as_deref(),
        Some("Maria")
    );
    assert_eq!(pass(31), 0, "each order is erased once");
    assert_eq!(
        (pass(181), order(&host, id).erasure),
        (1, Erasure::Recipients)
    );
    assert_eq!(order(&host, id).deliveries[0].name, None);
    assert_eq!(
        order(&host, open).deliveries[0].name.as_deref(),
        Some("Maria"),
        "an open order is never erased"
    );
    host.advance(day);
    assert_eq!(
        block_on(erasure::retain(&host, &with_retention(0, 0), host.now()))
            .unwrap()
            .orders,
        0,
        "0 erases nothing"
    );
}

#[test]
fn retention_reaches_every_order_in_bounded_passes() {
    let host = host();
    let ids: Vec<u64> = (0..230)
        .map(|number| {
            create_order(&host, &format!("R-{number}"), 30, &[true])
                .id
                .get()
        })
        .collect();
    for id in &ids {
        let cancelled = send(
            &host,
            KEY,
            "POST /delivery/orders/cancel",
            &json!({"orderId": id}),
        );
        assert_eq!(cancelled.status, 200);
    }
    let later = host.now().after(Duration::minutes(400 * 24 * 60));
    let settings = with_retention(180, 0);
    let passes: Vec<(u32, bool)> = (0..4)
        .map(|_| block_on(erasure::retain(&host, &settings, later)).unwrap())
        .map(|pass| (pass.orders, pass.more))
        .collect();
    assert_eq!(passes, [(100, true), (100, true), (30, false), (0, false)]);
    assert!(
        ids.iter()
            .all(|id| order(&host, *id).erasure == Erasure::Recipients)
    );
}
