//! Cancellation terms and refunds, and lists of orders.

use despacho_core::{
    memory::MemoryHost,
    model::{Duration, Money, StoreId, store::EntryKind},
};
use despacho_simulator::demo::KEY;
use serde_json::{Value, json};

use crate::support::{
    COURIER, Response, courier, create_allocated_order, create_order, host, order, send,
};

fn post(host: &MemoryHost, path: &str, body: &Value) -> Response {
    send(host, KEY, &format!("POST {path}"), body)
}

fn terms(host: &MemoryHost, id: impl std::fmt::Display) -> Value {
    let response = send(
        host,
        KEY,
        &format!("GET /delivery/orders/{id}/cancellation"),
        &Value::Null,
    );
    assert_eq!(response.status, 200, "{}", response.body);
    response.body
}

fn cancel(host: &MemoryHost, id: u64) -> Response {
    post(
        host,
        "/delivery/orders/cancel",
        &json!({ "orderId": id, "reason": "changed my mind" }),
    )
}

/// Returns the order's entries in the store's ledger, with amounts in centavos.
fn ledger_entries(host: &MemoryHost, store: StoreId, id: u64) -> Vec<(EntryKind, i64)> {
    let ledger = host.ledger(store);
    let entries = ledger
        .iter()
        .filter(|entry| entry.order.map(|order| order.get()) == Some(id));
    entries
        .map(|entry| (entry.kind, entry.amount.centavos()))
        .collect()
}

fn balance(host: &MemoryHost, store: StoreId) -> f64 {
    send(
        host,
        KEY,
        &format!("GET /delivery/stores/{store}"),
        &Value::Null,
    )
    .body["balance"]
        .as_f64()
        .unwrap()
}

#[test]
fn cancellation_is_free_until_two_minutes_after_allocation() {
    let host = host();
    let waiting = create_order(&host, "C-1", 30, &[true]);
    let before = balance(&host, waiting.store);
    assert_eq!(
        terms(&host, waiting.id),
        json!({ "allowed": true, "mode": "free", "fee": 0, "changesAt": null })
    );
    let done = cancel(&host, waiting.id.get());
    assert_eq!(
        (
            done.status,
            &done.body["situation"],
            &done.body["deliveries"][0]["situation"]
        ),
        (200, &json!(600), &json!(600))
    );
    let fee = waiting.fee.centavos();
    assert_eq!(
        ledger_entries(&host, waiting.store, waiting.id.get()),
        [(EntryKind::Fee, -fee), (EntryKind::Refund, fee)]
    );
    assert!(balance(&host, waiting.store) > before);
    assert_eq!(
        cancel(&host, waiting.id.get()).status,
        200,
        "a repeated cancellation changes nothing"
    );
    assert_eq!(
        ledger_entries(&host, waiting.store, waiting.id.get()).len(),
        2
    );
    assert_eq!(terms(&host, waiting.id)["mode"], Value::Null);
    // The code can be reused.
    create_order(&host, "C-1", 30, &[true]);

    let order = create_allocated_order(&host, "C-2", &[true]);
    let changes_at = host.now().after(Duration::minutes(2)).to_string();
    assert_eq!(
        terms(&host, order.id),
        json!({ "allowed": true, "mode": "free", "fee": 0, "changesAt": changes_at })
    );
    host.advance(Duration::millis(119_999));
    assert_eq!(terms(&host, order.id)["mode"], "free");
    host.advance(Duration::millis(1));
    let half = Money::rounded(order.fee.reais() / rust_decimal::Decimal::TWO)
        .unwrap()
        .centavos();
    let paid = terms(&host, order.id);
    assert_eq!(
        (&paid["mode"], &paid["changesAt"]),
        (&json!("paid"), &Value::Null)
    );
    let done = cancel(&host, order.id.get());
    assert_eq!((done.status, &done.body["situation"]), (200, &json!(610)));
    let fee = order.fee.centavos();
    let entries = [
        (EntryKind::Fee, -fee),
        (EntryKind::Refund, fee),
        (EntryKind::CancellationFee, -half),
    ];
    assert_eq!(ledger_entries(&host, order.store, order.id.get()), entries);
    assert_eq!(courier(&host, 7).trip, [], "the courier is free");
    assert_eq!(
        send(
            &host,
            COURIER,
            &format!("POST /courier/orders/{}/arrive", order.id),
            &Value::Null
        )
        .status,
        409
    );
}

#[test]
fn cancellation_after_pickup_requires_a_return() {
    let host = host();
    let order = create_allocated_order(&host, "C-3", &[true, true]);
    let step = |name: &str, body: &Value| {
        send(
            &host,
            COURIER,
            &format!("POST /courier/orders/{}/{name}", order.id),
            body,
        )
    };
    step("arrive", &Value::Null);
    assert_eq!(
        step("pickup", &json!({ "code": order.pickup_code })).status,
        200
    );
    assert_eq!(
        terms(&host, order.id),
        json!({ "allowed": false, "mode": "return_required", "fee": 0, "changesAt": null })
    );
    assert_eq!(
        cancel(&host, order.id.get()).outcome(),
        (409, Some("return_required"))
    );
    let stop = json!({ "orderId": order.id.get(), "deliveryId": order.deliveries[0].id.get() });
    assert_eq!(
        post(&host, "/delivery/orders/cancel", &stop).outcome(),
        (409, Some("return_required"))
    );
}

#[test]
fn cancelling_a_stop_recalculates_the_price() {
    let host = host();
    let order = create_allocated_order(&host, "C-4", &[true, true, false]);
    let ids: Vec<u64> = order.deliveries.iter().map(|one| one.id.get()).collect();
    let one = |stop: u64| json!({ "orderId": order.id.get().to_string(), "reason": "sold out", "deliveryId": stop });
    let done = post(&host, "/delivery/orders/cancel", &one(ids[2]));
    assert_eq!(
        (done.status, &done.body["situation"]),
        (200, &json!(210)),
        "{}",
        done.body
    );
    // No return is needed any more, and the price is that of an order with only the remaining
    // stops.
    assert_eq!(done.body["returnCode"], Value::Null);
    let single = create_order(&host, "C-5", 0, &[true, true]);
    let single = send(
        &host,
        KEY,
        &format!("GET /delivery/orders/{}", single.id),
        &Value::Null,
    )
    .body;
    for field in ["deliveryFee", "totalDistance", "priceBreakdown"] {
        assert_eq!(done.body[field], single[field], "{field}");
    }
    let fee = self::order(&host, order.id.get()).fee;
    let back = order.fee.centavos() - fee.centavos();
    assert!(back > 0);
    assert_eq!(
        ledger_entries(&host, order.store, order.id.get()),
        [
            (EntryKind::Fee, -order.fee.centavos()),
            (EntryKind::Refund, back)
        ]
    );
    assert_eq!(
        post(&host, "/delivery/orders/cancel", &one(ids[2])).status,
        200,
        "a repeated cancellation changes nothing"
    );
    assert_eq!(ledger_entries(&host, order.store, order.id.get()).len(), 2);
    assert_eq!(
        post(&host, "/delivery/orders/cancel", &one(ids[0])).status,
        200
    );
    let last = post(&host, "/delivery/orders/cancel", &one(ids[1]));
    assert_eq!(
        last.outcome(),
        (409, Some("invalid_transition")),
        "the last stop cannot be cancelled separately"
    );
    let unknown = post(&host, "/delivery/orders/cancel", &one(1));
    assert_eq!(
        (unknown.status, &unknown.body["errors"][0]["code"]),
        (422, &json!("unknown_delivery"))
    );
    // The courier delivers the remaining stop.
    let step = |name: &str, body: &Value| {
        send(
            &host,
            COURIER,
            &format!("POST /courier/orders/{}/{name}", order.id),
            body,
        )
    };
    step("arrive", &Value::Null);
    let out = step("pickup", &json!({ "code": order.pickup_code })).body;
    let stored: Vec<_> = out["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["situation"])
        .collect();
    assert_eq!(stored, [600, 310, 600]);
    step("en-route", &json!({ "deliveryId": ids[1] }));
    step("at-door", &json!({ "deliveryId": ids[1] }));
    assert_eq!(
        step("deliver", &json!({ "deliveryId": ids[1] })).body["situation"],
        500
    );
}

#[test]
fn invalid_cancellation_names_the_invalid_field() {
    let host = host();
    let path = "/delivery/orders/cancel";
    let missing = post(&host, path, &json!({}));
    assert_eq!(
        (missing.status, &missing.body["errors"][0]["pointer"]),
        (422, &json!("/orderId"))
    );
    for unknown in [
        json!(0),
        json!(1),
        json!("7"),
        json!(9_007_199_254_740_992_u64),
    ] {
        assert_eq!(
            post(&host, path, &json!({ "orderId": unknown })).outcome(),
            (404, Some("order_not_found"))
        );
    }
    assert_eq!(
        post(&host, path, &json!({ "orderId": true })).outcome(),
        (400, Some("malformed_request"))
    );
    let long = json!({ "orderId": 1, "reason": "x".repeat(256) });
    assert_eq!(
        post(&host, path, &long).body["errors"][0]["code"],
        "too_long"
    );
}

#[test]
fn orders_are_listed_newest_first_in_pages() {
    let host = host();
    let before = send(&host, KEY, "GET /delivery/orders", &Value::Null).body["orders"]
        .as_array()
        .unwrap()
        .len();
    let made: Vec<u64> = (0..5)
        .map(|at| {
            create_order(&host, &format!("P-{at}"), 30, &[true])
                .id
                .get()
        })
        .collect();
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = send(
            &host,
            KEY,
            &format!("GET /delivery/orders?limit=2{cursor}"),
            &Value::Null,
        )
        .body;
        seen.extend(
            page["orders"]
                .as_array()
                .unwrap()
                .iter()
                .map(|order| order["id"].as_u64().unwrap()),
        );
        let Some(next) = page["nextCursor"].as_str() else {
            break;
        };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen.len(), before + 5);
    assert!(seen.is_sorted_by(|one, other| one > other));
    let ids = |query: &str| {
        let response = send(
            &host,
            KEY,
            &format!("GET /delivery/orders?{query}"),
            &Value::Null,
        );
        assert_eq!(response.status, 200, "{query}: {}", response.body);
        let orders = response.body["orders"].as_array().unwrap();
        orders
            .iter()
            .map(|order| order["id"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids("code=P-3"), [made[3]]);
    cancel(&host, made[1]);
    assert_eq!(ids("situation=600"), [made[1]]);
    let now = host.now().to_string();
    assert_eq!(ids(&format!("from={now}")).len(), before + 5);
    assert_eq!(ids(&format!("to={now}")), [0_u64; 0]);
    for invalid in [
        "situation=150",
        "situation=x",
        "from=yesterday",
        "to=1",
        "cursor=x",
        "limit=0",
        "limit=101",
    ] {
        let response = send(
            &host,
            KEY,
            &format!("GET /delivery/orders?{invalid}"),
            &Value::Null,
        );
        assert_eq!(
            response.outcome(),
            (422, Some("validation_failed")),
            "{invalid}"
        );
    }
}

#[test]
fn branch_with_open_orders_cannot_be_removed() {
    let host = host();
    let list = send(&host, KEY, "GET /delivery/stores", &Value::Null).body;
    let stores: Vec<u64> = list["stores"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_u64().unwrap())
        .collect();
    assert_eq!((stores.len(), &list["nextCursor"]), (3, &Value::Null));
    let (parent, branch) = (stores[0], stores[1]);
    let key = post(&host, "/delivery/keys", &json!({ "storeId": branch })).body["value"]
        .as_str()
        .unwrap()
        .to_owned();
    let own = send(&host, &key, "GET /delivery/stores", &Value::Null).body;
    assert_eq!(own["stores"].as_array().unwrap().len(), 1);
    let remove = |key: &str, id: u64| {
        send(
            &host,
            key,
            &format!("DELETE /delivery/stores/{id}"),
            &Value::Null,
        )
    };
    assert_eq!(
        remove(&key, branch).outcome(),
        (403, Some("matrix_required"))
    );
    assert_eq!(
        remove(KEY, parent).outcome(),
        (403, Some("store_not_allowed"))
    );
    assert_eq!(remove(KEY, 1).outcome(), (404, Some("store_not_found")));
    assert_eq!(remove(KEY, branch).outcome(), (409, Some("open_orders")));
    for order in host
        .orders()
        .into_iter()
        .filter(|order| order.store.get() == branch)
    {
        cancel(&host, order.id.get());
    }
    assert_eq!(remove(KEY, branch).status, 204);
    assert_eq!(remove(KEY, branch).status, 404);
    assert_eq!(
        send(&host, &key, "GET /delivery/stores", &Value::Null).outcome(),
        (401, Some("api_key_revoked"))
    );
    let list = send(&host, KEY, "GET /delivery/stores", &Value::Null).body;
    assert_eq!(list["stores"].as_array().unwrap().len(), 2);
}

#[test]
fn late_cancellation_costs_the_same_stop_by_stop() {
    let host = host();
    let fee_of =
        |entries: Vec<(EntryKind, i64)>| -entries.iter().map(|(_, amount)| amount).sum::<i64>();
    let run = |code: &str, paid: &[bool], sequence: &[usize]| {
        let order = create_allocated_order(&host, code, paid);
        host.advance(Duration::minutes(3));
        let fee_in = |response: &Value, field: &str| {
            Money::from_number(response[field].as_f64().unwrap())
                .unwrap()
                .centavos()
        };
        let mut announced = 0;
        for at in sequence {
            let id = order.deliveries[*at].id.get();
            let path = format!(
                "GET /delivery/orders/{}/cancellation?deliveryId={id}",
                order.id
            );
            announced += fee_in(&send(&host, KEY, &path, &Value::Null).body, "fee");
            let stop = json!({ "orderId": order.id.get(), "deliveryId": id });
            assert_eq!(post(&host, "/delivery/orders/cancel", &stop).status, 200);
        }
        announced += fee_in(&terms(&host, order.id), "fee");
        let done = cancel(&host, order.id.get());
        assert_eq!(
            (done.status, &done.body["situation"]),
            (200, &json!(610)),
            "{}",
            done.body
        );
        let fee = fee_of(ledger_entries(&host, order.store, order.id.get()));
        assert_eq!(
            (fee_in(&done.body, "cancellationFee"), announced),
            (fee, fee)
        );
        fee
    };
    let at_once = run("L-0", &[true, true, true, false], &[]);
    for (index, sequence) in [[3, 2, 1], [0, 1, 2], [1, 3, 0]].iter().enumerate() {
        let stepwise = run(
            &format!("L-{}", index + 1),
            &[true, true, true, false],
            sequence,
        );
        assert_eq!(stepwise, at_once, "{sequence:?}");
    }
}
