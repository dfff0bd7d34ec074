//! Open Delivery: the messages to a merchant's system, their signatures, and the codes that it
//! checks.
//!
//! If DESPACHO_OPEN_DELIVERY_RECORDS names a file, every response and message is appended to it
//! with the name of the standard's schema.

use std::{fs::OpenOptions, io::Write as _};

use bytes::Bytes;
use despacho_core::{
    api,
    drivers::outbox::{self, Job},
    host::{Host, HostError, Platform, Storage},
    memory::MemoryHost,
    model::{
        Duration, WebhookId, hex, hmac_sha256_of_text,
        order::Order,
        webhook::{AttemptResult, SendError},
    },
    rules::{lifecycle::allocate, webhooks::MessageResult},
};
use despacho_simulator::demo::KEY;
use http::Request;
use serde_json::{Value, json};

use crate::support::{COURIER, block_on, courier, host, reasons, send, settings};

const MERCHANT: &str = "11222333000181-de7e5f0c-7d2e-4b8a-9f4e-0a3d6b1c2f10";
const ORDER: &str = "52122852-6626-11ed-9022-0242ac120002";

/// A connection of the demo store.
struct Connection {
    host: MemoryHost,
    id: WebhookId,
    secret: String,
    token: String,
}

impl Connection {
    fn new() -> Connection {
        let host = host();
        let body = json!({ "url": "https://pdv.example/hook/", "openDelivery": { "merchantId": MERCHANT } });
        let created = send(&host, KEY, "POST /delivery/webhooks", &body);
        assert_eq!(created.status, 201, "{}", created.body);
        let secret = created.body["secret"].as_str().unwrap().to_owned();
        let id = WebhookId::new(created.body["id"].as_u64().unwrap()).unwrap();
        let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
        let request = Request::post("/oauth/token")
            .header("content-type", "application/x-www-form-urlencoded");
        let response = block_on(api::handle(
            &host,
            &settings(),
            request.body(Bytes::from(form)).unwrap(),
        ));
        let body: Value = serde_json::from_slice(response.body()).unwrap();
        record("TokenResponse", &body);
        Connection {
            token: body["access_token"].as_str().unwrap().to_owned(),
            host,
            id,
            secret,
        }
    }

    fn call(&self, line: &str, body: &Value) -> (u16, Value) {
        let (method, path) = line.split_once(' ').unwrap();
        let request = Request::builder()
            .method(method)
            .uri(format!("/v1/logistics/{path}"));
        let request = request.header("authorization", format!("Bearer {}", self.token));
        let request = request.header("content-type", "application/json");
        let bytes = if body.is_null() {
            Bytes::new()
        } else {
            Bytes::from(body.to_string())
        };
        let response = block_on(api::handle(
            &self.host,
            &settings(),
            request.body(bytes).unwrap(),
        ));
        let status = response.status().as_u16();
        let body = serde_json::from_slice(response.body()).unwrap_or(Value::Null);
        let schema = match (status, path.split('/').next().unwrap()) {
            (400.., _) => "Error",
            (_, "cancel") => "DeliveryCancelResponse",
            (_, "delivery") if method == "GET" => "DeliveryOrderDetails",
            (_, "delivery") => "DeliveryOrderResponse",
            // The other responses have no body.
            _ => return (status, body),
        };
        record(schema, &body);
        (status, body)
    }

    /// Requests a delivery with these fields in addition.
    fn create(&self, extra: &Value) -> Order {
        let address = |number: &str, latitude: f64| {
            json!({
                "country": "BR", "state": "SP", "city": "São Paulo", "district": "Consolação", "street": "Rua Augusta",
                "number": number, "postalCode": "01304-001", "complement": "", "latitude": latitude, "longitude": -46.6560,
            })
        };
        let mut body = json!({
            "orderId": ORDER, "orderDisplayId": "1042", "merchant": { "id": MERCHANT, "name": "Pizzaria Boa" },
            "pickupAddress": address("900", -23.5530), "deliveryAddress": address("1500", -23.5580),
            "returnToMerchant": false, "canCombine": false, "customerName": "Maria",
            "vehicle": { "type": ["MOTORBIKE_BAG"], "container": "NORMAL" }, "limitTimes": {},
            "totalOrderPrice": { "value": 57.9, "currency": "BRL" }, "totalWeight": 0,
        });
        body.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let (status, response) = self.call("POST delivery", &body);
        assert_eq!(status, 202, "{response}");
        self.order()
    }

    fn order(&self) -> Order {
        self.host
            .orders()
            .into_iter()
            .rev()
            .find(|order| order.code == ORDER)
            .unwrap()
    }

    /// Assigns the order to courier 7.
    fn assign(&self) {
        self.call(&format!("GET delivery/{ORDER}"), &Value::Null);
        let order = Order {
            sandbox: true,
            ..self.order()
        };
        let (courier, context) = (courier(&self.host, 7), self.host.exec_context());
        let reasons = reasons(courier.id, context.now);
        let (_, changes) = allocate(&order, &courier, &[], 3, reasons, &[], &context).unwrap();
        block_on(self.host.commit(&changes)).unwrap();
    }

    fn step(&self, step: &str, extra: &Value) -> u16 {
        let order = self.order();
        let mut body =
            json!({ "deliveryId": order.deliveries[0].id.get(), "code": order.pickup_code });
        body.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        send(
            &self.host,
            COURIER,
            &format!("POST /courier/orders/{}/{step}", order.id),
            &body,
        )
        .status
    }

    fn steps(&self, steps: &[&str]) {
        for step in steps {
            self.host.advance(Duration::seconds(60));
            assert_eq!(self.step(step, &json!({})), 200, "{step}");
        }
    }

    /// Returns the requests that are due, which the receiver answers with `result`.
    fn deliver(&self, result: AttemptResult) -> Vec<(String, Job)> {
        let mut sent = Vec::new();
        loop {
            let webhook = block_on(self.host.webhook(self.id)).unwrap().unwrap();
            let Some(batch) = block_on(outbox::take(&self.host, &settings(), &webhook)).unwrap()
            else {
                return sent;
            };
            let at = self.host.exec_context().now;
            let mut results = Vec::new();
            for job in batch.lanes.iter().flatten() {
                sent.push((batch.url.clone(), job.clone()));
                results.push(MessageResult {
                    message: job.message.clone(),
                    sent: Some((at, 5, result)),
                });
            }
            block_on(outbox::finish(&self.host, &settings(), &batch, results)).unwrap();
        }
    }

    /// Returns the types of the events that are due, after a check of every message.
    fn events(&self) -> Vec<String> {
        let sent = self.deliver(AttemptResult::Status(204));
        sent.iter()
            .map(|(url, job)| {
                self.checked(url, job)["event"]["type"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    }

    fn checked(&self, url: &str, job: &Job) -> Value {
        assert_eq!(url, "https://pdv.example/hook/v1/newLogisticEvent");
        let request = job.request(url).unwrap();
        let header = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(
            header("x-app-signature"),
            hex(&hmac_sha256_of_text(&self.secret, &job.body))
        );
        assert_eq!(
            (
                header("x-app-merchantid").as_str(),
                header("x-app-id").len()
            ),
            (MERCHANT, 36)
        );
        let body: Value = serde_json::from_slice(&job.body).unwrap();
        record("DeliveryOrderEvent", &body);
        assert_eq!(body["orderId"], ORDER);
        assert_eq!(
            body["merchant"],
            json!({ "id": MERCHANT, "name": "Pizzaria Boa" })
        );
        let kind = body["event"]["type"].as_str().unwrap();
        // The standard requires these members, except in three types.
        let is_bare = matches!(kind, "PENDING" | "REJECTED" | "CANCELLED");
        for member in ["vehicle", "eta", "deliveryPerson"] {
            assert_eq!(body.get(member).is_some(), !is_bare, "{member} in {kind}");
        }
        assert_eq!(body["deliveryPrice"]["pricingList"], "NORMAL");
        body
    }
}

/// Appends a document to the records.
fn record(schema: &str, value: &Value) {
    let Some(path) = std::env::var_os("DESPACHO_OPEN_DELIVERY_RECORDS") else {
        return;
    };
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .unwrap();
    // One write for each line: tests run in several processes.
    file.write_all(format!("{}\n", json!([schema, value])).as_bytes())
        .unwrap();
}

const TRIP: [&str; 5] = ["arrive", "pickup", "en-route", "at-door", "deliver"];

#[test]
fn connection_gets_every_event_of_a_delivery_once() {
    let connection = Connection::new();
    connection.create(&json!({}));
    assert_eq!(connection.events(), ["PENDING"]);
    connection.assign();
    connection.steps(&TRIP);
    let expected = [
        "ACCEPTED",
        "ARRIVED_AT_MERCHANT",
        "ORDER_PICKED",
        "DELIVERY_ONGOING",
        "ARRIVED_AT_CUSTOMER",
        "ORDER_DELIVERED",
        "DELIVERY_FINISHED",
    ];
    let events: Vec<String> = connection.events();
    // A new estimate repeats the ongoing event.
    let distinct: Vec<&String> = events
        .iter()
        .filter(|one| *one != "PICKUP_ONGOING")
        .collect();
    assert_eq!(distinct, expected.iter().collect::<Vec<_>>());
    assert!(connection.events().is_empty());
}

#[test]
fn failed_messages_are_repeated_in_order() {
    let connection = Connection::new();
    connection.create(&json!({}));
    connection.assign();
    connection.steps(&TRIP);
    let unavailable = AttemptResult::Failed(SendError::Connect);
    assert!(!connection.deliver(unavailable).is_empty());
    connection.host.advance(Duration::minutes(30));
    let events = connection.events();
    assert_eq!(events.first().map(String::as_str), Some("PENDING"));
    assert_eq!(events.last().map(String::as_str), Some("DELIVERY_FINISHED"));
}

#[test]
fn orders_of_other_origins_are_not_sent() {
    let connection = Connection::new();
    crate::support::create_order(&connection.host, "A-1", 0, &[true]);
    assert!(connection.events().is_empty());
}

#[test]
fn order_without_a_courier_is_rejected_and_can_be_sent_again() {
    let connection = Connection::new();
    connection.create(&json!({}));
    // The search starts at the first read.
    connection.call(&format!("GET delivery/{ORDER}"), &Value::Null);
    connection.host.advance(Duration::minutes(30));
    let (_, details) = connection.call(&format!("GET delivery/{ORDER}"), &Value::Null);
    assert_eq!(details["events"][1]["type"], "REJECTED");
    let sent = connection.deliver(AttemptResult::Status(200));
    let body = connection.checked(&sent[1].0, &sent[1].1);
    assert_eq!(
        body["event"]["rejectionInfo"],
        json!({ "reason": "NO_DELIVERYPERSON_AVAILABLE" })
    );
    connection.create(&json!({}));
    assert_eq!(connection.events(), ["PENDING"]);
}

#[test]
fn finish_is_sent_after_the_merchant_confirms_it() {
    let connection = Connection::new();
    connection.create(&json!({ "notifyConclusion": true }));
    connection.assign();
    connection.steps(&TRIP);
    assert_eq!(
        connection.events().last().map(String::as_str),
        Some("ORDER_DELIVERED")
    );
    let body = json!({ "finishDate": "2026-11-21T12:10:00Z" });
    assert_eq!(
        connection
            .call(&format!("POST finishDelivery/{ORDER}"), &body)
            .0,
        200
    );
    assert_eq!(
        connection
            .call(&format!("POST finishDelivery/{ORDER}"), &body)
            .0,
        200
    );
    assert_eq!(connection.events(), ["DELIVERY_FINISHED"]);
}

#[test]
fn early_confirmation_waits_for_the_unsent_events() {
    let connection = Connection::new();
    connection.create(&json!({ "notifyConclusion": true }));
    connection.events();
    connection.assign();
    connection.steps(&TRIP);
    let body = json!({ "finishDate": "2026-11-21T12:10:00Z" });
    assert_eq!(
        connection
            .call(&format!("POST finishDelivery/{ORDER}"), &body)
            .0,
        200
    );
    let events = connection.events();
    assert_eq!(
        events[events.len() - 2..],
        ["ORDER_DELIVERED", "DELIVERY_FINISHED"],
        "{events:?}"
    );
}

#[test]
fn return_of_goods_is_sent_with_its_problem() {
    let connection = Connection::new();
    connection.create(&json!({}));
    connection.assign();
    connection.steps(&TRIP[..4]);
    connection.events();
    assert_eq!(
        connection.step("fail", &json!({ "reason": "Ninguém em casa" })),
        200
    );
    let sent = connection.deliver(AttemptResult::Status(200));
    let body = connection.checked(&sent[0].0, &sent[0].1);
    assert_eq!(body["event"]["type"], "RETURNING_TO_MERCHANT");
    assert_eq!(body["problem"][0]["message"], "Ninguém em casa");
    connection.steps(&["at-return"]);
    let code = connection.order().return_code.unwrap();
    assert_eq!(connection.step("hand-back", &json!({ "code": code })), 200);
    assert_eq!(
        connection.events(),
        [
            "RETURNING_TO_MERCHANT",
            "RETURNED_TO_MERCHANT",
            "DELIVERY_FINISHED"
        ]
    );
}

#[test]
fn merchant_system_cancels_or_solves_a_problem() {
    // The steps before the call, the call with its body, the steps after it, and the events that
    // follow the call.
    type Life = (
        usize,
        &'static str,
        Value,
        &'static [&'static str],
        &'static [&'static str],
    );
    let lives: [Life; 4] = [
        (
            0,
            "cancel",
            json!({ "reason": "PROBLEM_AT_MERCHANT" }),
            &[],
            &["CANCELLED"],
        ),
        (
            4,
            "cancel",
            json!({ "reason": "NO_SHOW", "action": "RETURN_TO_STORE" }),
            &["at-return", "hand-back"],
            &[
                "RETURNING_TO_MERCHANT",
                "RETURNING_TO_MERCHANT",
                "RETURNED_TO_MERCHANT",
                "DELIVERY_FINISHED",
            ],
        ),
        (
            4,
            "handleProblem",
            json!({ "reason": "NOBODY_TO_RECEIVE", "action": "DELIVER_PRODUCT" }),
            &["deliver"],
            &["ORDER_DELIVERED", "DELIVERY_FINISHED"],
        ),
        (
            4,
            "handleProblem",
            json!({ "reason": "ORDER_DAMAGED_OR_VIOLATED", "action": "CANCEL_DELIVERY" }),
            &[],
            &["CANCELLED"],
        ),
    ];
    for (before, call, body, after, expected) in lives {
        let connection = Connection::new();
        connection.create(&json!({}));
        connection.assign();
        connection.steps(&TRIP[..before]);
        connection.events();
        let (status, response) = connection.call(&format!("POST {call}/{ORDER}"), &body);
        assert!(status < 300, "{call} {body}: {status} {response}");
        for step in after {
            let order = connection.order();
            let code = if *step == "hand-back" {
                order.return_code
            } else {
                Some(order.pickup_code)
            };
            assert_eq!(
                connection.step(step, &json!({ "code": code })),
                200,
                "{call} {body}: {step}"
            );
        }
        assert_eq!(connection.events(), expected, "{call} {body}");
        connection.call(&format!("GET delivery/{ORDER}"), &Value::Null);
    }
}

#[test]
fn cancellation_before_a_courier_is_sent() {
    let connection = Connection::new();
    connection.create(&json!({}));
    let (status, response) = connection.call(
        &format!("POST cancel/{ORDER}"),
        &json!({ "reason": "CONSUMER_CANCELLATION_REQUESTED" }),
    );
    assert_eq!(status, 202, "{response}");
    assert_eq!(connection.events(), ["PENDING", "CANCELLED"]);
}

#[test]
fn payment_at_the_door_is_returned_before_the_finish() {
    let connection = Connection::new();
    let payments = json!({
        "method": "OFFLINE", "change": { "value": 42.1, "currency": "BRL" },
        "offlineMethod": [{ "type": "CASH", "amount": { "value": 57.9, "currency": "BRL" } }],
    });
    let order = connection.create(&json!({ "payments": payments, "returnToMerchant": true }));
    let payment = order.deliveries[0].payment.clone().unwrap();
    assert_eq!(
        (
            payment.method.name(),
            payment.change_for.unwrap().centavos()
        ),
        ("CASH", 10_000)
    );
    connection.assign();
    connection.steps(&TRIP);
    assert_eq!(
        connection.events().last().map(String::as_str),
        Some("ORDER_DELIVERED")
    );
    connection.steps(&["at-return"]);
    let code = connection.order().return_code.unwrap();
    assert_eq!(connection.step("hand-back", &json!({ "code": code })), 200);
    assert_eq!(
        connection.events(),
        [
            "RETURNING_TO_MERCHANT",
            "RETURNED_TO_MERCHANT",
            "DELIVERY_FINISHED"
        ]
    );
}

#[test]
fn merchant_system_decides_on_the_recipients_code() {
    let connection = Connection::new();
    connection.create(&json!({ "confirmationCodeRequired": true }));
    connection.assign();
    connection.steps(&TRIP[..4]);
    assert_eq!(
        connection.step("deliver", &json!({ "code": "77" })),
        503,
        "no system"
    );
    connection
        .host
        .set_receiver(Some(AttemptResult::Failed(SendError::Timeout)));
    assert_eq!(
        connection.step("deliver", &json!({ "code": "77" })),
        503,
        "no response"
    );
    connection
        .host
        .set_receiver(Some(AttemptResult::Status(400)));
    assert_eq!(
        connection.step("deliver", &json!({ "code": "77" })),
        422,
        "incorrect"
    );
    connection
        .host
        .set_receiver(Some(AttemptResult::Status(200)));
    connection.host.take_sent();
    assert_eq!(connection.step("deliver", &json!({ "code": " 78 " })), 200);
    let request = connection.host.take_sent().pop().unwrap();
    assert_eq!(
        request.uri(),
        "https://pdv.example/hook/v1/confirmationCode"
    );
    let body: Value = serde_json::from_slice(request.body()).unwrap();
    record("DeliveryConfirmationCode", &body);
    assert_eq!(body, json!({ "orderId": ORDER, "deliveryCode": "78" }));
    let signature = hex(&hmac_sha256_of_text(&connection.secret, request.body()));
    assert_eq!(request.headers()["x-app-signature"], signature);
    assert_eq!(connection.order().deliveries[0].delivery_code, "78");
}

#[test]
fn merchant_system_is_asked_once_although_the_commit_conflicts() {
    let connection = Connection::new();
    connection.create(&json!({ "confirmationCodeRequired": true }));
    connection.assign();
    connection.steps(&TRIP[..4]);
    connection
        .host
        .set_receiver(Some(AttemptResult::Status(200)));
    connection.host.take_sent();
    connection.host.fail_next_commit(HostError::Conflict);
    assert_eq!(connection.step("deliver", &json!({ "code": "78" })), 200);
    assert_eq!(connection.host.take_sent().len(), 1);
}

#[test]
fn five_codes_that_the_system_rejects_lock_the_order() {
    let connection = Connection::new();
    connection.create(&json!({ "confirmationCodeRequired": true }));
    connection.assign();
    connection.steps(&TRIP[..4]);
    connection
        .host
        .set_receiver(Some(AttemptResult::Status(400)));
    for _ in 0..5 {
        assert_eq!(connection.step("deliver", &json!({ "code": "77" })), 422);
    }
    connection.host.take_sent();
    assert_eq!(connection.step("deliver", &json!({ "code": "78" })), 429);
    assert!(
        connection.host.take_sent().is_empty(),
        "a locked order sends no request"
    );
}
