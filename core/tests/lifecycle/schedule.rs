//! Scheduled orders over the API: their times, prices and transitions.

use despacho_core::{
    api::page::Previewer,
    drivers::clock,
    geo::Gazetteer,
    memory::MemoryHost,
    model::{Duration, Language, Timestamp, order::Order},
    wire::PreviewContext,
};
use despacho_simulator::demo::KEY;
use serde_json::{Value, json};

use crate::support::{OPERATOR, block_on, host, order, send, settings};

/// Returns the body of an order with stops at distances of 300 m.
fn body(code: &str, minutes: u32, stops: u32) -> Value {
    let delivery = |at: u32| {
        json!({
            "name": "Maria", "phone": "+5511999990000", "onlinePayment": true,
            "address": {
                "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP",
                "latitude": -23.5530 - f64::from(at) / 300.0, "longitude": -46.6560,
            },
        })
    };
    json!({ "code": code, "preparationTime": minutes, "deliveries": (0..stops).map(delivery).collect::<Vec<_>>() })
}

/// Returns the body with a time this many minutes from now.
fn body_at(host: &MemoryHost, code: &str, minutes: u32, stops: u32, deliver_in: i64) -> Value {
    let mut body = body(code, minutes, stops);
    body["deliverAt"] = json!(after(host, deliver_in).to_string());
    body
}

fn after(host: &MemoryHost, minutes: i64) -> Timestamp {
    host.now().after(Duration::minutes(minutes))
}

fn create(host: &MemoryHost, body: &Value) -> Order {
    let response = send(host, KEY, "POST /delivery/orders", body);
    assert_eq!(response.status, 201, "{}", response.body);
    order(host, response.body["id"].as_u64().unwrap())
}

/// Runs a pass over due orders and returns the order's status.
fn pass(host: &MemoryHost, order: &Order) -> u16 {
    block_on(clock::run_pass(host, &settings(), host.now(), 100)).unwrap();
    self::order(host, order.id.get()).status.number()
}

fn events(host: &MemoryHost, order: &Order) -> Vec<String> {
    let details = send(
        host,
        KEY,
        &format!("GET /delivery/orders/{}", order.id),
        &Value::Null,
    )
    .body;
    details["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["type"].as_str().unwrap().to_owned())
        .collect()
}

fn set_lead(host: &MemoryHost, minutes: u32) {
    let store = create(host, &body("FIRST", 30, 1)).store;
    let terms = json!({ "leadMinutes": minutes });
    assert_eq!(
        send(
            host,
            OPERATOR,
            &format!("PUT /admin/stores/{store}/dispatch"),
            &terms
        )
        .status,
        200
    );
}

#[test]
fn scheduled_order_moves_at_its_exact_times() {
    let host = host();
    let order = create(&host, &body_at(&host, "S-1", 30, 2, 300));
    assert_eq!(order.status.number(), 100);
    // The handover of the last stop is after the arrival.
    let handover = Duration::minutes(3);
    assert_eq!(
        order
            .expected_delivery
            .unwrap()
            .before(handover)
            .since(order.created_at),
        Duration::minutes(300)
    );
    let start = order.ready_at.before(Duration::minutes(30));
    for (at, status) in [
        (start.before(Duration::millis(1)), 100),
        (start, 110),
        (order.ready_at.before(Duration::millis(1)), 110),
        (order.ready_at, 200),
    ] {
        host.set_now(at);
        assert_eq!(pass(&host, &order), status, "{at}");
    }
    assert_eq!(
        events(&host, &order),
        [
            "order.created",
            "order.preparing",
            "order.ready",
            "order.searching"
        ]
    );
}

#[test]
fn longer_lead_time_starts_the_search_before_the_preparation() {
    let host = host();
    set_lead(&host, 45);
    let order = create(&host, &body_at(&host, "S-1", 30, 1, 300));
    let start = order.ready_at.before(Duration::minutes(45));
    host.set_now(start.before(Duration::millis(1)));
    assert_eq!(pass(&host, &order), 100);
    host.set_now(start);
    assert_eq!(pass(&host, &order), 200);
    assert_eq!(
        events(&host, &order),
        ["order.created", "order.preparing", "order.searching"]
    );
}

#[test]
fn missed_transitions_are_made_up_for_after_an_outage() {
    let host = host();
    let order = create(&host, &body_at(&host, "S-1", 30, 1, 300));
    host.set_now(after(&host, 1_000));
    assert_eq!(pass(&host, &order), 200);
    // The search has its whole duration.
    host.advance(Duration::millis(19 * 60_000));
    assert_eq!(pass(&host, &order), 200);
    host.advance(Duration::minutes(1));
    assert_eq!(pass(&host, &order), 630);
}

#[test]
fn clock_that_is_set_back_delays_no_transition_twice() {
    let host = host();
    let order = create(&host, &body_at(&host, "S-1", 30, 1, 300));
    let start = order.ready_at.before(Duration::minutes(30));
    host.set_now(start);
    assert_eq!(pass(&host, &order), 110);
    host.set_now(order.created_at.before(Duration::minutes(60)));
    assert_eq!(pass(&host, &order), 110, "no transition is undone");
    host.set_now(order.ready_at);
    assert_eq!(pass(&host, &order), 200);
    assert_eq!(
        events(&host, &order),
        [
            "order.created",
            "order.preparing",
            "order.ready",
            "order.searching"
        ]
    );
}

#[test]
fn earliest_time_that_a_problem_names_is_accepted() {
    let host = host();
    let early = send(
        &host,
        KEY,
        "POST /delivery/orders",
        &body_at(&host, "S-1", 30, 2, 31),
    );
    assert_eq!(
        (early.status, &early.body["errors"][0]["code"]),
        (422, &json!("too_soon")),
        "{}",
        early.body
    );
    let detail = early.body["errors"][0]["detail"].as_str().unwrap();
    let earliest = detail
        .split_whitespace()
        .last()
        .unwrap()
        .trim_end_matches('.');
    assert!(earliest.ends_with("-03:00"), "{detail}");
    let mut again = body("S-1", 30, 2);
    again["deliverAt"] = json!(earliest);
    host.advance(Duration::seconds(30));
    let order = create(&host, &again);
    assert!(matches!(order.status.number(), 100 | 110));
    assert!(order.starts_at().since(host.now()) < Duration::minutes(2));
}

#[test]
fn price_is_that_of_the_pickups_local_time() {
    let host = host();
    // Noon in São Paulo. From 22:00 to 06:00 the default tariff adds 20 per cent.
    host.set_now(Timestamp::parse("2026-11-23T15:00:00Z").unwrap());
    let fee = |body: &Value| {
        let preview = send(&host, KEY, "POST /delivery/orders/preview", body);
        assert_eq!(preview.status, 200, "{}", preview.body);
        let created = send(&host, KEY, "POST /delivery/orders", body);
        assert_eq!(
            created.body["deliveryFee"], preview.body["deliveryFee"],
            "{}",
            created.body
        );
        assert_eq!(
            created.body["expectedPickup"],
            preview.body["expectedPickup"]
        );
        created.body["deliveryFee"].as_f64().unwrap()
    };
    let day = fee(&body("P-1", 10, 1));
    assert_eq!(
        fee(&body_at(&host, "P-2", 10, 1, 240)).to_string(),
        day.to_string()
    );
    let night = fee(&body_at(&host, "P-3", 10, 1, 11 * 60));
    assert!(night > day * 1.19, "{night} {day}");
    let mut window = body("P-4", 10, 1);
    window["deliveries"][0]["window"] = json!({ "from": after(&host, 11 * 60).to_string(), "until": after(&host, 12 * 60).to_string() });
    assert_eq!(fee(&window).to_string(), night.to_string());
    // The comparison with a draft uses the same time.
    let current =
        send(&host, OPERATOR, "GET /admin/tariffs", &Value::Null).body["tariffs"][0]["tariff"]
            .clone();
    let sums = send(
        &host,
        OPERATOR,
        "POST /admin/tariffs/what-if",
        &json!({ "tariff": current, "days": 1 }),
    )
    .body;
    assert_eq!(sums["total"]["current"], sums["total"]["draft"], "{sums}");
}

#[test]
fn quote_is_valid_only_for_the_same_time() {
    let host = host();
    let body = body_at(&host, "Q-1", 10, 1, 300);
    let quote =
        send(&host, KEY, "POST /delivery/orders/preview", &body).body["quote"]["id"].clone();
    let sent = |change: &dyn Fn(&mut Value)| {
        let mut body = body.clone();
        body["quoteId"] = quote.clone();
        change(&mut body);
        let response = send(&host, KEY, "POST /delivery/orders", &body);
        (response.status, response.body["code"].clone())
    };
    assert_eq!(
        sent(&|body| body["deliverAt"] = json!(after(&host, 301).to_string())),
        (422, json!("quote_mismatch"))
    );
    assert_eq!(
        sent(&|body| body["deliverAt"] = Value::Null),
        (422, json!("quote_mismatch"))
    );
    assert_eq!(sent(&|_| ()).0, 201);
}

#[test]
fn page_previews_scheduled_orders_as_the_service_does() {
    let host = host();
    let context = send(&host, KEY, "GET /delivery/preview-context", &Value::Null).body;
    let context: PreviewContext = serde_json::from_value(context).unwrap();
    let page = Previewer::new(context, Gazetteer::embedded()).unwrap();
    let mut window = body_at(&host, "B-1", 10, 2, 300);
    window["deliveries"][0]["window"] =
        json!({ "from": after(&host, 240).to_string(), "until": after(&host, 300).to_string() });
    let mut missed = window.clone();
    missed["deliveries"][0]["window"]["until"] = json!(after(&host, 250).to_string());
    for body in [
        window,
        missed,
        body_at(&host, "B-1", 10, 1, 5),
        body_at(&host, "B-1", 10, 1, -5),
        body("B-1", 10, 1),
    ] {
        let service = send(&host, KEY, "POST /delivery/orders/preview", &body);
        match page.preview(body.to_string().as_bytes(), host.now(), Language::default()) {
            Ok(preview) => {
                let mut expected = service.body;
                expected["quote"] = Value::Null;
                assert_eq!(
                    (200, serde_json::to_value(&preview).unwrap()),
                    (service.status, expected)
                );
            }
            Err(problem) => {
                assert_eq!(
                    (problem.code.status(), json!(problem.code.name())),
                    (service.status, service.body["code"].clone())
                );
                assert_eq!(
                    service.body["errors"][0]["detail"],
                    json!(problem.errors[0].detail.en)
                );
            }
        }
    }
}

#[test]
fn cancelled_stop_keeps_the_requested_arrival() {
    let host = host();
    let order = create(&host, &body_at(&host, "C-1", 30, 2, 300));
    let last = order.deliveries[1].id.get();
    let body = json!({ "orderId": order.id.get(), "deliveryId": last });
    assert_eq!(
        send(&host, KEY, "POST /delivery/orders/cancel", &body).status,
        200
    );
    let left = self::order(&host, order.id.get());
    assert_eq!(left.expected_delivery, order.expected_delivery);
    assert_eq!(
        left.ready_at.since(order.ready_at),
        left.expected_pickup
            .unwrap()
            .since(order.expected_pickup.unwrap())
    );
    assert!(left.ready_at > order.ready_at && left.status.number() == 100);
}
