//! The time of a courier's step: a trip without a network, the limits of the time, and what does
//! not depend on it.

use bytes::Bytes;
use despacho_core::{
    api,
    memory::MemoryHost,
    model::{
        Duration, Timestamp,
        order::{Event, Order, OrderStatus},
    },
};
use despacho_simulator::demo::KEY;
use http::Request;
use serde_json::{Value, json};

use crate::support::{
    COURIER, OPERATOR, block_on, courier, create_allocated_order, host, order as stored, send,
    settings,
};

fn events(host: &MemoryHost, order: &Order) -> Vec<Event> {
    host.recorded()
        .into_iter()
        .map(|recorded| recorded.event)
        .filter(|event| event.order == order.id)
        .collect()
}

/// Returns the steps of a trip with a postponed, a delivered and a failed delivery and a return.
fn steps(order: &Order) -> Vec<(&'static str, Value)> {
    let (first, second) = (order.deliveries[0].id.get(), order.deliveries[1].id.get());
    let stop = |id: u64| json!({ "deliveryId": id });
    vec![
        ("arrive", json!({})),
        ("pickup", json!({ "code": order.pickup_code })),
        ("en-route", stop(second)),
        ("resequence", stop(second)),
        ("en-route", stop(first)),
        ("at-door", stop(first)),
        (
            "deliver",
            json!({ "deliveryId": first, "code": order.deliveries[0].delivery_code }),
        ),
        (
            "fail",
            json!({ "deliveryId": second, "reason": "recipient not at home" }),
        ),
        ("at-return", json!({})),
        ("hand-back", json!({ "code": order.return_code })),
    ]
}

/// Takes a step with an idempotency key, as the courier's app does.
fn take(
    host: &MemoryHost,
    order: &Order,
    (name, body): &(&str, Value),
    key: usize,
) -> (u16, Value) {
    let request = Request::post(format!("/courier/orders/{}/{name}", order.id))
        .header("x-api-token", COURIER);
    let request = request
        .header("content-type", "application/json")
        .header("idempotency-key", format!("step-{key}"));
    let response = block_on(api::handle(
        host,
        &settings(),
        request.body(Bytes::from(body.to_string())).unwrap(),
    ));
    (
        response.status().as_u16(),
        serde_json::from_slice(response.body()).unwrap(),
    )
}

/// Takes a whole trip with three minutes between the steps. After `online` steps the network fails.
/// The other steps are sent at the end with their times, each twice.
fn trip(online: usize) -> (MemoryHost, Order) {
    let host = host();
    let order = create_allocated_order(&host, "O-1", &[false, true]);
    let mut queued = Vec::new();
    for (key, (name, mut body)) in steps(&order).into_iter().enumerate() {
        host.advance(Duration::minutes(3));
        body["at"] = json!(host.now().to_string());
        if key < online {
            assert_eq!(take(&host, &order, &(name, body), key).0, 200, "{name}");
        } else {
            queued.push((key, (name, body)));
        }
    }
    host.advance(Duration::minutes(7));
    for (key, step) in &queued {
        let response = take(&host, &order, step, *key);
        assert_eq!(response.0, 200, "{step:?}");
        assert_eq!(take(&host, &order, step, *key), response);
    }
    let order = stored(&host, order.id.get());
    (host, order)
}

#[test]
fn trip_without_a_network_ends_as_online() {
    let (online_host, online) = trip(usize::MAX);
    let ended = events(&online_host, &online);
    assert!(online.status.is_final() && online.status_received_at.is_none());
    assert!(ended.len() > 10 && ended.iter().all(|event| event.received_at.is_none()));
    for connected in 0..10 {
        let (host, order) = trip(connected);
        assert_eq!(
            order.status_received_at,
            Some(host.now()),
            "after {connected} steps"
        );
        let on_time = Order {
            status_received_at: None,
            last_step: online.last_step,
            ..order.clone()
        };
        assert_eq!(on_time, online, "after {connected} steps");
        let late = events(&host, &order);
        assert_eq!(
            late.iter()
                .filter(|event| event.received_at == Some(host.now()))
                .count(),
            10 - connected
        );
        let on_time: Vec<Event> = late
            .into_iter()
            .map(|event| Event {
                received_at: None,
                ..event
            })
            .collect();
        assert_eq!(on_time, ended, "after {connected} steps");
        let entries = |host: &MemoryHost| {
            host.ledger(online.store)
                .into_iter()
                .map(|entry| (entry.kind, entry.amount))
        };
        assert!(
            entries(&host).eq(entries(&online_host)),
            "after {connected} steps"
        );
        assert_eq!(
            courier(&host, 7),
            courier(&online_host, 7),
            "after {connected} steps"
        );
    }
}

#[test]
fn time_is_between_the_last_event_and_now() {
    let sent = |at: &dyn Fn(Timestamp) -> Value| {
        let host = host();
        let order = create_allocated_order(&host, "C-1", &[true]);
        let last = events(&host, &order).last().unwrap().at;
        host.advance(Duration::minutes(5));
        let response = send(
            &host,
            COURIER,
            &format!("POST /courier/orders/{}/arrive", order.id),
            &at(host.now()),
        );
        assert_eq!(response.status, 200, "{}", response.body);
        let event = events(&host, &order).pop().unwrap();
        assert_eq!(stored(&host, order.id.get()).status_since, event.at);
        let view = send(
            &host,
            KEY,
            &format!("GET /delivery/orders/{}", order.id),
            &Value::Null,
        )
        .body;
        let shown = view["events"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(shown["createdAt"], event.at.to_string());
        assert_eq!(
            shown["receivedAt"],
            json!(event.received_at.map(|at| at.to_string()))
        );
        (
            event.at.since(last).as_millis(),
            event.received_at.map(|at| at.since(last).as_millis()),
        )
    };
    let at = |text: &str| json!({ "at": text });
    let before = |millis: i64| move |now: Timestamp| json!({ "at": now.before(Duration::millis(millis)).to_string() });
    let on_time = (300_000, None);
    assert_eq!(sent(&|_| Value::Null), on_time);
    assert_eq!(sent(&|_| json!({ "at": null })), on_time);
    assert_eq!(sent(&|_| at("2999-01-01T00:00:00Z")), on_time);
    assert_eq!(sent(&before(-1)), on_time);
    assert_eq!(sent(&before(0)), on_time);
    assert_eq!(sent(&before(1_000)), (299_000, None));
    assert_eq!(sent(&before(1_001)), (298_999, Some(300_000)));
    assert_eq!(sent(&before(120_000)), (180_000, Some(300_000)));
    assert_eq!(sent(&before(300_001)), (0, Some(300_000)));
    assert_eq!(
        sent(&|_| at("1970-01-01T00:00:00-03:00")),
        (0, Some(300_000))
    );
}

#[test]
fn declining_with_an_early_time_does_not_shorten_the_search() {
    let host = host();
    let order = create_allocated_order(&host, "D-1", &[true]);
    let allocated_at = host.now();
    host.advance(Duration::minutes(25));
    let body = json!({ "reason": "flat tyre", "at": "2000-01-01T00:00:00Z" });
    assert_eq!(
        send(
            &host,
            COURIER,
            &format!("POST /courier/orders/{}/decline", order.id),
            &body
        )
        .status,
        204
    );
    let declined = stored(&host, order.id.get());
    assert_eq!(
        (declined.status_since, declined.status_received_at),
        (allocated_at, Some(host.now()))
    );
    let read = || {
        send(
            &host,
            KEY,
            &format!("GET /delivery/orders/{}", order.id),
            &Value::Null,
        )
        .body["situation"]
            .clone()
    };
    host.advance(Duration::minutes(19));
    assert_eq!(read(), 200, "the search takes 20 minutes");
    host.advance(Duration::minutes(1));
    assert_eq!(read(), OrderStatus::Expired.number());
}

#[test]
fn codes_are_locked_by_the_services_clock() {
    let host = host();
    let order = create_allocated_order(&host, "K-1", &[true]);
    let pick_up = |code: &str, at: &str| {
        let line = format!("POST /courier/orders/{}/pickup", order.id);
        send(&host, COURIER, &line, &json!({ "code": code, "at": at }))
    };
    assert_eq!(
        send(
            &host,
            COURIER,
            &format!("POST /courier/orders/{}/arrive", order.id),
            &Value::Null
        )
        .status,
        200
    );
    for _ in 0..5 {
        assert_ne!(pick_up("wrong", "2000-01-01T00:00:00Z").status, 200);
    }
    let later = host.now().after(Duration::minutes(60)).to_string();
    for at in ["2000-01-01T00:00:00Z", &later, "2999-01-01T00:00:00Z"] {
        assert_eq!(
            pick_up(&order.pickup_code, at).body["code"],
            "code_locked",
            "{at}"
        );
    }
    host.advance(Duration::minutes(10));
    assert_eq!(
        pick_up(&order.pickup_code, "2000-01-01T00:00:00Z").body["situation"],
        300
    );
}

#[test]
fn courier_is_unresponsive_only_after_the_last_received_step() {
    let host = host();
    let order = create_allocated_order(&host, "U-1", &[true]);
    let position = json!({ "latitude": -23.5557, "longitude": -46.6396 });
    assert_eq!(
        send(&host, COURIER, "POST /courier/position", &position).status,
        200
    );
    let early = host.now().after(Duration::minutes(1)).to_string();
    host.advance(Duration::minutes(15));
    let line = format!("POST /courier/orders/{}/arrive", order.id);
    assert_eq!(
        send(&host, COURIER, &line, &json!({ "at": early })).status,
        200
    );
    let pass =
        || send(&host, OPERATOR, "POST /admin/dispatch", &Value::Null).body["released"].clone();
    assert_eq!(pass(), 0, "the courier has just sent a step");
    host.advance(Duration::minutes(11));
    assert_eq!(pass(), 1);
}
