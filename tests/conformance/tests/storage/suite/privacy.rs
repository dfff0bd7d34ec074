//! Erasure of a recipient: all data that identifies the person is removed, and all other data
//! remains.

use bytes::Bytes;
use despacho_core::{
    api,
    drivers::{erasure, outbox},
    host::{Host, Platform, Storage},
    model::{
        Duration, OrderId, Timestamp, order::Erasure, privacy::PersonalQuery, store::KeyHash,
        webhook::AttemptResult,
    },
    rules::{
        limits::Limits,
        settings::{RetentionConfig, Secret, Settings},
        webhooks::MessageResult,
    },
};
use http::Request;
use serde_json::{Value, json};

use super::Backend;

const OPERATOR: &str = "operator-token-of-these-tests";
const PHONE: &str = "+5511987650123";
/// Texts that identify the recipient.
const MARKERS: [&str; 8] = [
    PHONE,
    "Zilda Marcador",
    "Rua do Marcador",
    "4711-M",
    "portão marcador",
    "motivo marcador",
    "recibo marcador",
    "-23.5471234",
];
/// The same coordinates as databases store them.
const STORED_LATITUDE: &str = "-235471234";

fn settings() -> Settings {
    let limits = Limits {
        writes_per_minute: 100_000,
        reads_per_minute: 100_000,
        ..Limits::default()
    };
    Settings {
        limits,
        operator: Some(KeyHash::of(OPERATOR)),
        secret: Secret([7; 32]),
        ..Settings::default()
    }
}

async fn send(host: &impl Host, key: &str, line: &str, body: &Value) -> (u16, Value) {
    let (method, path) = line.split_once(' ').unwrap();
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-token", key);
    let request = request
        .header("content-type", "application/json")
        .header("accept", "application/json");
    // Each different request has its own key, as clients should send them.
    let request = request.header(
        "idempotency-key",
        KeyHash::of(&format!("{line} {body}")).as_str(),
    );
    let body = if body.is_null() {
        Bytes::new()
    } else {
        Bytes::from(body.to_string())
    };
    let response = api::handle(host, &settings(), request.body(body).unwrap()).await;
    let body = serde_json::from_slice(response.body()).unwrap_or(Value::Null);
    (response.status().as_u16(), body)
}

async fn ok(host: &impl Host, key: &str, line: &str, body: &Value) -> Value {
    let (status, response) = send(host, key, line, body).await;
    assert!((200..300).contains(&status), "{line}: {status} {response}");
    response
}

struct Merchant {
    key: String,
    courier: String,
    webhook: u64,
}

async fn merchant(host: &impl Host) -> Merchant {
    let store = json!({
        "cnpj": "12ABC34501DE35", "name": "Padaria Central", "email": "ana@padaria.com.br", "password": "a long password",
        "responsible": {"name": "Ana Lima", "phone": "+5592991000000"}, "marketplaceBranchId": 1,
        "address": {"street": "Avenida Paulista", "number": "1000", "city": "São Paulo", "state": "SP",
            "latitude": -23.5614, "longitude": -46.6559},
    });
    let created = ok(host, OPERATOR, "POST /admin/matrices", &store).await;
    let key = created["value"].as_str().unwrap().to_owned();
    let courier = json!({"name": "Caê", "phone": "+5511990000011", "available": true});
    let courier = ok(host, OPERATOR, "POST /admin/couriers", &courier).await["value"]
        .as_str()
        .unwrap()
        .to_owned();
    let hook = ok(
        host,
        &key,
        "POST /delivery/webhooks",
        &json!({"url": "https://loja.example/gancho"}),
    )
    .await;
    Merchant {
        key,
        courier,
        webhook: hook["id"].as_u64().unwrap(),
    }
}

fn address() -> Value {
    json!({"street": "Rua do Marcador", "number": "4711-M", "neighborhood": "Sé", "city": "São Paulo", "state": "SP",
        "latitude": -23.5471234, "longitude": -46.6345678})
}

fn order(code: &str, phone: &str) -> Value {
    let delivery = json!({"name": "Zilda Marcador", "phone": phone, "observation": "portão marcador", "address": address()});
    json!({"code": code, "pickupInstructions": "balcão marcador", "deliveries": [delivery]})
}

/// Creates an order that the courier delivers, or returns with a reason.
async fn carry(host: &impl Host, merchant: &Merchant, code: &str, delivers: bool) -> u64 {
    let created = ok(
        host,
        &merchant.key,
        "POST /delivery/orders",
        &order(code, PHONE),
    )
    .await;
    let id = created["id"].as_u64().unwrap();
    report(host, merchant, -23.5614).await;
    for attempt in 0..5 {
        ok(
            host,
            OPERATOR,
            "POST /admin/dispatch",
            &json!({"attempt": attempt, "order": id}),
        )
        .await;
    }
    let step = async |name: &str, body: Value| {
        ok(
            host,
            &merchant.courier,
            &format!("POST /courier/orders/{id}/{name}"),
            &body,
        )
        .await
    };
    let stored = host
        .order(OrderId::new(id).unwrap())
        .await
        .unwrap()
        .unwrap();
    let stop = json!({"deliveryId": stored.deliveries[0].id.get()});
    step("arrive", Value::Null).await;
    step("pickup", json!({"code": stored.pickup_code})).await;
    step("en-route", stop.clone()).await;
    step("at-door", stop.clone()).await;
    if delivers {
        let proof =
            json!({"receivedBy": "recibo marcador", "latitude": -23.5471234, "longitude": -46.6});
        step(
            "deliver",
            json!({"deliveryId": stop["deliveryId"], "proof": proof}),
        )
        .await;
        return id;
    }
    let failed = json!({"deliveryId": stop["deliveryId"], "reason": "motivo marcador"});
    step("fail", failed).await;
    step("at-return", Value::Null).await;
    let stored = host
        .order(OrderId::new(id).unwrap())
        .await
        .unwrap()
        .unwrap();
    step("hand-back", json!({"code": stored.return_code.unwrap()})).await;
    id
}

async fn report(host: &impl Host, merchant: &Merchant, latitude: f64) {
    let position = json!({"latitude": latitude, "longitude": -46.6345678});
    ok(host, &merchant.courier, "POST /courier/position", &position).await;
}

/// Sends the messages of the webhook to a failing receiver, so they are stored for a retry and the
/// attempts are logged.
async fn fail_webhook(host: &impl Host, merchant: &Merchant) {
    let hook = host
        .webhook(despacho_core::model::WebhookId::new(merchant.webhook).unwrap())
        .await
        .unwrap()
        .unwrap();
    let batch = outbox::take(host, &settings(), &hook)
        .await
        .unwrap()
        .unwrap();
    let at = host.exec_context().now;
    let tried = batch.lanes.iter().flatten().map(|job| MessageResult {
        message: job.message.clone(),
        sent: Some((at, 5, AttemptResult::Status(500))),
    });
    outbox::finish(host, &settings(), &batch, tried.collect())
        .await
        .unwrap();
}

/// Returns the statement and the orders without personal data.
async fn accounts(host: &impl Host, merchant: &Merchant) -> Value {
    let statement = ok(host, &merchant.key, "GET /delivery/statement", &Value::Null).await;
    let mut orders = ok(host, &merchant.key, "GET /delivery/orders", &Value::Null).await;
    for order in orders["orders"].as_array_mut().unwrap() {
        for delivery in order["deliveries"].as_array_mut().unwrap() {
            for name in [
                "name",
                "phone",
                "observation",
                "address",
                "location",
                "precision",
            ] {
                delivery[name] = Value::Null;
            }
        }
        order.as_object_mut().unwrap().remove("pickupInstructions");
        order["deliveryMan"]["latitude"] = Value::Null;
        order["deliveryMan"]["longitude"] = Value::Null;
    }
    assert!(
        statement["lines"]
            .as_array()
            .is_some_and(|lines| !lines.is_empty()),
        "{statement}"
    );
    json!([statement, orders])
}

pub(crate) async fn erasure_leaves_no_marker(backend: impl Backend) {
    let host = backend.host();
    let merchant = merchant(host).await;
    ok(
        host,
        &merchant.key,
        "POST /delivery/orders/preview",
        &json!({"deliveries": [{"address": address()}]}),
    )
    .await;
    let delivered = carry(host, &merchant, "M-1", true).await;
    let returned = carry(host, &merchant, "M-2", false).await;
    let mut invalid = order("M-3", PHONE);
    invalid["deliveries"][0]["address"]["state"] = json!("XX");
    let rejected = send(host, &merchant.key, "POST /delivery/orders", &invalid).await;
    assert_eq!(rejected.0, 422, "it creates a notification: {}", rejected.1);
    fail_webhook(host, &merchant).await;
    let before = backend.dump().await;
    for marker in MARKERS
        .iter()
        .filter(|marker| **marker != "-23.5471234")
        .chain([&STORED_LATITUDE])
    {
        assert!(
            before.contains(marker),
            "{marker} is stored before the erasure"
        );
    }
    let accounts_before = accounts(host, &merchant).await;
    let export = ok(
        host,
        OPERATOR,
        "POST /admin/privacy/export",
        &json!({"phone": PHONE}),
    )
    .await;
    assert_eq!(export["orders"].as_array().map(Vec::len), Some(2));
    assert!(export.to_string().contains("motivo marcador"), "{export}");
    // The reason of a failed order names no telephone: what is none becomes part of the
    // observation.
    assert_eq!(export["notifications"], json!([]));

    let erased = ok(
        host,
        OPERATOR,
        "POST /admin/privacy/erase",
        &json!({"phone": PHONE}),
    )
    .await;
    assert_eq!(
        (
            &erased["orders"],
            &erased["deliveries"],
            &erased["openOrders"]
        ),
        (&json!(2), &json!(2), &json!([]))
    );
    assert!(erased["nextCursor"].is_null());
    assert_eq!(accounts(host, &merchant).await, accounts_before);
    let after = backend.dump().await;
    let left: Vec<&&str> = MARKERS
        .iter()
        .chain([&STORED_LATITUDE])
        .filter(|marker| after.contains(**marker))
        .collect();
    assert!(left.is_empty(), "{left:?} in {}", excerpt(&after, left[0]));
    let export = ok(
        host,
        OPERATOR,
        "POST /admin/privacy/export",
        &json!({"phone": PHONE}),
    )
    .await;
    assert_eq!(
        (
            &export["orders"],
            &export["notifications"],
            &export["storedResponses"]
        ),
        (&json!([]), &json!([]), &json!(0))
    );
    for id in [delivered, returned] {
        let stored = host
            .order(OrderId::new(id).unwrap())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(stored.erasure, Erasure::Recipients);
    }
    let same = ok(
        host,
        &merchant.key,
        "POST /delivery/orders",
        &order("M-1", PHONE),
    )
    .await;
    assert_eq!(
        same["id"], delivered,
        "the idempotency key still returns the order"
    );
    assert!(!same.to_string().contains("Marcador"));
}

fn excerpt(text: &str, marker: &str) -> String {
    let at = text.find(marker).unwrap_or(0);
    text.chars()
        .skip(text[..at].chars().count().saturating_sub(300))
        .take(600)
        .collect()
}

pub(crate) async fn open_orders_are_listed_but_not_erased(backend: impl Backend) {
    let host = backend.host();
    let merchant = merchant(host).await;
    let id = ok(
        host,
        &merchant.key,
        "POST /delivery/orders",
        &order("O-1", PHONE),
    )
    .await["id"]
        .as_u64()
        .unwrap();
    let erased = ok(
        host,
        OPERATOR,
        "POST /admin/privacy/erase",
        &json!({"phone": PHONE}),
    )
    .await;
    assert_eq!(
        (&erased["orders"], &erased["openOrders"][0]["id"]),
        (&json!(0), &json!(id))
    );
    let stored = host
        .order(OrderId::new(id).unwrap())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.deliveries[0].name.as_deref(), Some("Zilda Marcador"));
}

pub(crate) async fn orders_of_a_phone_are_found_in_pages(backend: impl Backend) {
    let host = backend.host();
    let merchant = merchant(host).await;
    for number in 0..7 {
        let phone = if number % 2 == 0 {
            PHONE
        } else {
            "+5511900000000"
        };
        ok(
            host,
            &merchant.key,
            "POST /delivery/orders",
            &order(&format!("W-{number}"), phone),
        )
        .await;
    }
    let phone = despacho_core::model::Phone::parse(PHONE).unwrap();
    let (mut after, mut found) = (0, vec![]);
    loop {
        let query = PersonalQuery::Orders {
            phone: phone.clone(),
            after,
            limit: 3,
        };
        let orders = host.personal_data(&query).await.unwrap().orders;
        let Some(last) = orders.last() else { break };
        after = last.id.get();
        found.push(
            orders
                .iter()
                .map(|order| order.code.clone())
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(found, [vec!["W-0", "W-2", "W-4"], vec!["W-6"]]);
}

pub(crate) async fn retention_follows_the_clock(backend: impl Backend) {
    let host = backend.host();
    let merchant = merchant(host).await;
    let id = carry(host, &merchant, "R-1", false).await;
    report(host, &merchant, -23.5471234).await;
    let settings = Settings {
        retention: RetentionConfig {
            recipients_days: 180,
            positions_days: 30,
            proofs_days: 0,
            ..RetentionConfig::default()
        },
        ..settings()
    };
    let start = host.exec_context().now;
    let pass = async |days: i64| {
        let later: Timestamp = start.after(Duration::minutes(days * 24 * 60));
        erasure::retain(host, &settings, later)
            .await
            .unwrap()
            .orders
    };
    let erasure = async || {
        host.order(OrderId::new(id).unwrap())
            .await
            .unwrap()
            .unwrap()
            .erasure
    };
    assert_eq!((pass(29).await, erasure().await), (0, Erasure::NotErased));
    assert_eq!((pass(31).await, erasure().await), (1, Erasure::Positions));
    let dump = backend.dump().await;
    assert!(!dump.contains("motivo marcador") && dump.contains("Zilda Marcador"));
    // Two concurrent instances erase each order once.
    let both = futures_util::future::join(pass(181), pass(181)).await;
    assert_eq!(
        (both.0.max(both.1), erasure().await),
        (1, Erasure::Recipients)
    );
    assert_eq!(pass(181).await, 0);
    let dump = backend.dump().await;
    let left: Vec<&&str> = MARKERS
        .iter()
        .chain([&STORED_LATITUDE])
        .filter(|marker| dump.contains(**marker))
        .collect();
    assert!(left.is_empty(), "{left:?} in {}", excerpt(&dump, left[0]));
    let records = host
        .personal_data(&PersonalQuery::Records {
            before: None,
            limit: 10,
        })
        .await
        .unwrap()
        .records;
    assert_eq!(
        records
            .iter()
            .map(|one| one.record.orders)
            .collect::<Vec<_>>(),
        [1, 1],
        "one record per day"
    );
}
