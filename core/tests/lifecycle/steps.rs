//! Lifecycle steps over the API: a complete lifecycle, codes and locks, access to other couriers'
//! orders, and rejections.

use despacho_core::{
    changes::Changes,
    host::{Host, Storage},
    model::{Duration, Point},
};
use despacho_simulator::demo::KEY;
use serde_json::{Value, json};

use crate::support::{
    COURIER, OPERATOR, OTHER, Response, block_on, courier, create_allocated_order, create_order,
    host, order, send,
};

fn post(host: &impl Host, key: &str, path: &str, body: &Value) -> Response {
    send(host, key, &format!("POST {path}"), body)
}

fn events(host: &impl Host, id: impl std::fmt::Display) -> Vec<String> {
    let details = send(
        host,
        KEY,
        &format!("GET /delivery/orders/{id}"),
        &Value::Null,
    )
    .body;
    let events = details["events"].as_array().unwrap();
    let sequences: Vec<_> = events
        .iter()
        .map(|event| event["sequence"].as_u64().unwrap())
        .collect();
    assert_eq!(sequences, (1..=events.len() as u64).collect::<Vec<_>>());
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn order_with_a_return_completes_its_lifecycle() {
    let host = host();
    let order = create_allocated_order(&host, "L-1", &[false, true]);
    let (id, first, second) = (
        order.id,
        order.deliveries[0].id.get(),
        order.deliveries[1].id.get(),
    );
    let step = |name: &str, body: &Value| {
        post(
            &host,
            COURIER,
            &format!("/courier/orders/{id}/{name}"),
            body,
        )
    };
    let position = despacho_core::model::courier::Position {
        courier: courier(&host, 7).id,
        point: Point::from_degrees(-23.55, -46.65).unwrap(),
        at: host.now(),
    };
    block_on(host.commit(&Changes {
        at: host.now(),
        positions: vec![position],
        ..Changes::default()
    }))
    .unwrap();
    let current = send(&host, COURIER, "GET /courier/order", &Value::Null);
    assert_eq!(
        (current.status, &current.body["order"]["possible"]),
        (
            200,
            &json!(["order.courier_arrived", "order.courier_released"])
        )
    );
    for received in [
        &order.pickup_code,
        &order.deliveries[0].delivery_code,
        order.return_code.as_ref().unwrap(),
    ] {
        assert!(
            !current
                .body
                .to_string()
                .contains(&format!("\"{received}\"")),
            "the courier's response contains a code"
        );
    }
    assert_eq!(step("arrive", &Value::Null).body["situation"], 220);
    assert_eq!(
        step("arrive", &Value::Null).status,
        200,
        "a repeated step changes nothing"
    );
    assert_eq!(
        step("pickup", &json!({ "code": order.pickup_code })).body["situation"],
        300
    );
    assert_eq!(
        step("en-route", &json!({ "deliveryId": second })).status,
        200
    );
    let current = step("en-route", &json!({ "deliveryId": first }));
    assert_eq!(
        current.outcome(),
        (409, Some("invalid_transition")),
        "another stop is current"
    );
    assert_eq!(
        step("resequence", &json!({ "deliveryId": second })).status,
        200
    );
    assert_eq!(
        step("en-route", &json!({ "deliveryId": first })).status,
        200
    );
    assert_eq!(step("at-door", &json!({ "deliveryId": first })).status, 200);
    let without = step("deliver", &json!({ "deliveryId": first }));
    assert_eq!(
        (without.outcome(), &without.body["errors"][0]["pointer"]),
        ((422, Some("validation_failed")), &json!("/code"))
    );
    let code = order.deliveries[0].delivery_code.clone();
    assert_eq!(
        step("deliver", &json!({ "deliveryId": first, "code": code })).body["situation"],
        300
    );
    let failed = step(
        "fail",
        &json!({ "deliveryId": second, "reason": "recipient not at home" }),
    );
    assert_eq!(
        failed.body["situation"], 400,
        "the payment and the goods must be returned"
    );
    assert_eq!(step("at-return", &Value::Null).body["situation"], 410);
    let done = step("hand-back", &json!({ "code": order.return_code }));
    assert_eq!(
        (done.status, &done.body["situation"], &done.body["possible"]),
        (200, &json!(510), &json!([]))
    );
    assert_eq!(
        step("hand-back", &json!({ "code": "whatever" })).status,
        200,
        "the step was already taken"
    );
    assert_eq!(courier(&host, 7).trip, [], "the courier is free");
    assert_eq!(
        send(&host, COURIER, "GET /courier/order", &Value::Null).body,
        json!({ "order": null })
    );
    let types = events(&host, id);
    assert_eq!(types.last().map(String::as_str), Some("order.returned"));
    let details = send(
        &host,
        KEY,
        &format!("GET /delivery/orders/{id}"),
        &Value::Null,
    )
    .body;
    let received = details["events"].as_array().unwrap();
    let failed = received
        .iter()
        .find(|event| event["type"] == "delivery.returning")
        .unwrap();
    assert_eq!(
        (
            &failed["reason"],
            &failed["situation"],
            &failed["deliveryId"]
        ),
        (&json!("recipient not at home"), &json!(400), &json!(second))
    );
    assert_eq!(
        (&failed["latitude"], &failed["requestedBy"]["name"]),
        (&json!(-23.55), &json!("Courier 7"))
    );
    let received = send(
        &host,
        KEY,
        "GET /delivery/notifications?limit=2",
        &Value::Null,
    )
    .body;
    let kinds: Vec<_> = received["notifications"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["type"])
        .collect();
    assert_eq!(kinds, ["courier_at_return", "delivery_returning"]);
}

#[test]
fn five_wrong_codes_lock_for_ten_minutes() {
    let host = host();
    let order = create_allocated_order(&host, "L-2", &[true]);
    let step = |name: &str, body: &Value| {
        post(
            &host,
            COURIER,
            &format!("/courier/orders/{}/{name}", order.id),
            body,
        )
    };
    // A code that is sent too early does not count as an attempt.
    assert_eq!(
        step("pickup", &json!({ "code": "wrong" })).outcome(),
        (409, Some("invalid_transition"))
    );
    assert_eq!(step("arrive", &Value::Null).status, 200);
    for left in (0..5).rev() {
        let wrong = step("pickup", &json!({ "code": "no" }));
        assert_eq!(
            (wrong.outcome(), &wrong.body["triesLeft"]),
            ((422, Some("code_incorrect")), &json!(left))
        );
        assert_eq!(wrong.body["errors"][0]["pointer"], "/code");
    }
    let locked = step("pickup", &json!({ "code": order.pickup_code }));
    assert_eq!(
        (locked.outcome(), locked.header("retry-after")),
        ((429, Some("code_locked")), Some("600"))
    );
    host.advance(Duration::millis(599_001));
    assert_eq!(
        step("pickup", &json!({ "code": order.pickup_code })).header("retry-after"),
        Some("1")
    );
    host.advance(Duration::seconds(1));
    assert_eq!(
        step(
            "pickup",
            &json!({ "code": format!(" {} ", order.pickup_code) })
        )
        .status,
        200
    );
    assert_eq!(
        events(&host, order.id).len(),
        5,
        "a wrong code creates no event"
    );
}

#[test]
fn five_wrong_codes_rate_limit_the_sixth_attempt() {
    let host = host();
    let order = create_allocated_order(&host, "L-3", &[true]);
    let path = format!("/courier/orders/{}", order.id);
    assert_eq!(
        post(&host, COURIER, &format!("{path}/arrive"), &Value::Null).status,
        200
    );
    for _ in 0..5 {
        assert_eq!(
            post(
                &host,
                COURIER,
                &format!("{path}/pickup"),
                &json!({ "code": "0" })
            )
            .status,
            422
        );
    }
    assert_eq!(
        post(
            &host,
            COURIER,
            &format!("{path}/pickup"),
            &json!({ "code": "0" })
        )
        .status,
        429
    );
}

#[test]
fn order_of_another_courier_returns_404() {
    let host = host();
    let order = create_allocated_order(&host, "L-4", &[true]);
    let steps = [
        "arrive",
        "decline",
        "pickup",
        "en-route",
        "resequence",
        "at-door",
        "deliver",
        "fail",
        "at-return",
        "hand-back",
    ];
    let body = json!({ "deliveryId": order.deliveries[0].id.get(), "code": order.pickup_code, "reason": "x" });
    for step in steps {
        let path = format!("/courier/orders/{}/{step}", order.id);
        assert_eq!(
            post(&host, OTHER, &path, &body).outcome(),
            (404, Some("order_not_found")),
            "{step}"
        );
        assert_eq!(
            post(&host, KEY, &path, &body).outcome(),
            (401, Some("api_key_invalid")),
            "{step}"
        );
        for unknown in ["0", "x", "999999", "9007199254740992"] {
            let path = format!("/courier/orders/{unknown}/{step}");
            assert_eq!(
                post(&host, COURIER, &path, &body).outcome(),
                (404, Some("order_not_found")),
                "{step}"
            );
        }
    }
    assert_eq!(
        send(&host, OTHER, "GET /courier/order", &Value::Null).body,
        json!({ "order": null })
    );
    let other = json!({ "deliveryId": 1, "reason": "x", "code": "1" });
    for step in ["en-route", "resequence", "at-door", "deliver", "fail"] {
        let response = post(
            &host,
            COURIER,
            &format!("/courier/orders/{}/{step}", order.id),
            &other,
        );
        assert_eq!(
            (response.status, &response.body["errors"][0]["code"]),
            (422, &json!("unknown_delivery")),
            "{step}"
        );
    }
}

#[test]
fn declined_order_gets_a_new_search_and_a_new_pickup_code() {
    let host = host();
    let order = create_allocated_order(&host, "L-5", &[true]);
    let path = format!("/courier/orders/{}/decline", order.id);
    let missing = post(&host, COURIER, &path, &json!({}));
    assert_eq!(
        (missing.status, &missing.body["errors"][0]["pointer"]),
        (422, &json!("/reason"))
    );
    for _ in 0..2 {
        assert_eq!(
            post(&host, COURIER, &path, &json!({ "reason": "flat tyre" })).status,
            204
        );
    }
    let searching = self::order(&host, order.id.get());
    assert_eq!(
        (searching.status.number(), searching.courier.is_none()),
        (200, true)
    );
    assert_ne!(searching.pickup_code, order.pickup_code);
    assert_eq!(courier(&host, 7).trip, []);
    let types = events(&host, order.id);
    assert_eq!(
        types
            .iter()
            .filter(|kind| *kind == "order.courier_released")
            .count(),
        1
    );
    let arrive = format!("/courier/orders/{}/arrive", order.id);
    assert_eq!(
        post(&host, COURIER, &arrive, &Value::Null).status,
        404,
        "the order no longer belongs to this courier"
    );
}

#[test]
fn merchant_signals_change_the_ready_time() {
    let host = host();
    let order = create_order(&host, "L-6", 30, &[true]);
    let signal = |name: &str, body: &Value| {
        post(
            &host,
            KEY,
            &format!("/delivery/orders/{}/{name}", order.id),
            body,
        )
    };
    let delayed = signal("delay", &json!({ "minutes": 10 }));
    assert_eq!(
        (delayed.status, &delayed.body["situation"]),
        (200, &json!(110))
    );
    host.advance(Duration::minutes(39));
    let path = format!("GET /delivery/orders/{}", order.id);
    assert_eq!(send(&host, KEY, &path, &Value::Null).body["situation"], 110);
    assert_eq!(
        signal("ready", &Value::Null).body["situation"],
        200,
        "the search starts at once"
    );
    assert_eq!(signal("ready", &Value::Null).status, 200);
    let late = signal("delay", &json!({ "minutes": 1 }));
    assert_eq!(late.outcome(), (409, Some("invalid_transition")));
    let possible = late.body["possible"].as_array().unwrap();
    assert!(
        !possible.contains(&json!("order.delayed")) && !possible.contains(&json!("order.ready")),
        "{possible:?}"
    );
    assert_eq!(
        events(&host, order.id),
        [
            "order.created",
            "order.delayed",
            "order.ready",
            "order.searching"
        ]
    );
    for invalid in [
        json!({}),
        json!({ "minutes": 0 }),
        json!({ "minutes": 1.5 }),
        json!({ "minutes": 1441 }),
    ] {
        assert_eq!(
            signal("delay", &invalid).outcome(),
            (422, Some("validation_failed")),
            "{invalid}"
        );
    }
    let late = create_order(&host, "L-7", 1_440, &[true]);
    let response = post(
        &host,
        KEY,
        &format!("/delivery/orders/{}/delay", late.id),
        &json!({ "minutes": 1 }),
    );
    assert_eq!(
        (response.status, &response.body["errors"][0]["pointer"]),
        (422, &json!("/minutes"))
    );
}

#[test]
fn merchant_can_discard_start_and_waive_a_return() {
    let host = host();
    let order = create_allocated_order(&host, "L-8", &[true, true]);
    let ids: Vec<u64> = order.deliveries.iter().map(|one| one.id.get()).collect();
    let step = |name: &str, body: &Value| {
        post(
            &host,
            COURIER,
            &format!("/courier/orders/{}/{name}", order.id),
            body,
        )
    };
    let signal = |name: &str, body: &Value| {
        post(
            &host,
            KEY,
            &format!("/delivery/orders/{}/{name}", order.id),
            body,
        )
    };
    assert_eq!(signal("waive", &Value::Null).status, 409);
    step("arrive", &Value::Null);
    step("pickup", &json!({ "code": order.pickup_code }));
    assert_eq!(
        signal("discard", &json!({ "deliveryId": ids[0] })).status,
        409,
        "not at the door"
    );
    step("en-route", &json!({ "deliveryId": ids[0] }));
    step("at-door", &json!({ "deliveryId": ids[0] }));
    let discarded = signal("discard", &json!({ "deliveryId": ids[0] }));
    assert_eq!(
        (
            discarded.status,
            &discarded.body["deliveries"][0]["situation"]
        ),
        (200, &json!(550))
    );
    let returning = signal(
        "return",
        &json!({ "deliveryId": ids[1], "reason": "the customer called" }),
    );
    assert_eq!(
        (
            &returning.body["situation"],
            returning.body["returnCode"].is_string()
        ),
        (&json!(400), true)
    );
    let waived = signal("waive", &Value::Null);
    assert_eq!(
        (waived.status, &waived.body["situation"]),
        (200, &json!(520))
    );
    assert_eq!(courier(&host, 7).trip, []);
    assert_eq!(signal("waive", &Value::Null).status, 200);
}

#[test]
fn operator_can_write_off_deliveries_and_cancel_orders() {
    let host = host();
    let order = create_allocated_order(&host, "L-9", &[true]);
    let stop = order.deliveries[0].id.get();
    let lost = json!({ "deliveryId": stop, "reason": "robbery" });
    let path = format!("/admin/orders/{}", order.id);
    assert_eq!(
        post(&host, OPERATOR, &format!("{path}/lost"), &lost).status,
        409
    );
    let step = |name: &str, body: &Value| {
        post(
            &host,
            COURIER,
            &format!("/courier/orders/{}/{name}", order.id),
            body,
        )
    };
    step("arrive", &Value::Null);
    step("pickup", &json!({ "code": order.pickup_code }));
    let cancel = json!({ "reason": "flood" });
    assert_eq!(
        post(&host, OPERATOR, &format!("{path}/cancel"), &cancel).outcome(),
        (409, Some("return_required"))
    );
    let done = post(&host, OPERATOR, &format!("{path}/lost"), &lost);
    assert_eq!((done.status, &done.body["situation"]), (200, &json!(520)));
    assert_eq!(courier(&host, 7).trip, []);
    let waiting = create_order(&host, "L-10", 0, &[true]);
    let done = post(
        &host,
        OPERATOR,
        &format!("/admin/orders/{}/cancel", waiting.id),
        &cancel,
    );
    assert_eq!((done.status, &done.body["situation"]), (200, &json!(620)));
    let received = send(
        &host,
        KEY,
        "GET /delivery/notifications?limit=2",
        &Value::Null,
    )
    .body;
    let kinds: Vec<_> = received["notifications"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["type"])
        .collect();
    assert_eq!(kinds, ["order_cancelled", "delivery_lost"]);
    assert_eq!(
        post(&host, KEY, &format!("{path}/cancel"), &cancel).status,
        401
    );
    assert_eq!(
        post(&host, OPERATOR, "/admin/orders/1/cancel", &cancel).outcome(),
        (404, Some("order_not_found"))
    );
}
