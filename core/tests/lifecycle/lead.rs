//! The lead time over the API: the start of the search, the expiry, the expected times, and rows of
//! earlier versions.

use despacho_core::{
    changes::{Changes, Write},
    host::Storage,
    memory::MemoryHost,
    model::{
        Duration, OrderId, Point, Timestamp,
        courier::{Courier, Position, TripOrder},
        order::{Order, OrderDispatch},
    },
};
use despacho_simulator::demo::KEY;
use serde_json::{Value, json};

use crate::support::{COURIER, OPERATOR, block_on, courier, create_order, host, order, send};

/// Creates a host whose demo store has this lead time.
fn host_with_lead(minutes: u32) -> MemoryHost {
    let host = host();
    let store = create_order(&host, "FIRST", 30, &[true]).store;
    // The other orders would share the courier's trip.
    for order in host
        .orders()
        .iter()
        .filter(|order| !order.status.is_final())
    {
        let path = format!("POST /admin/orders/{}/cancel", order.id);
        assert_eq!(
            send(&host, OPERATOR, &path, &json!({ "reason": "test" })).status,
            200
        );
    }
    let terms = json!({ "leadMinutes": minutes });
    let response = send(
        &host,
        OPERATOR,
        &format!("PUT /admin/stores/{store}/dispatch"),
        &terms,
    );
    assert_eq!(
        (response.status, &response.body["effective"]["leadMinutes"]),
        (200, &json!(minutes))
    );
    host
}

fn situation_at(host: &MemoryHost, order: &Order, now: Timestamp) -> u64 {
    host.set_now(now);
    let details = send(
        host,
        KEY,
        &format!("GET /delivery/orders/{}", order.id),
        &Value::Null,
    );
    details.body["situation"].as_u64().unwrap()
}

/// Checks that the order has one status until this time, and another one from then on.
fn assert_changes_at(host: &MemoryHost, order: &Order, at: Timestamp, from: u64, to: u64) {
    assert_eq!(
        situation_at(host, order, at.before(Duration::millis(1))),
        from
    );
    assert_eq!(situation_at(host, order, at), to);
}

fn signal(host: &MemoryHost, order: &Order, name: &str, body: &Value) -> Value {
    let response = send(
        host,
        KEY,
        &format!("POST /delivery/orders/{}/{name}", order.id),
        body,
    );
    assert_eq!(response.status, 200, "{}", response.body);
    response.body
}

/// Returns the types of an order's events.
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

#[test]
fn search_starts_at_the_lead_time_before_the_ready_time() {
    for (lead, preparation) in [(0, 30), (1, 30), (15, 30), (29, 30), (60, 90)] {
        let host = host_with_lead(lead);
        let order = create_order(&host, "L-1", preparation, &[true]);
        let ready_at = order
            .created_at
            .after(Duration::minutes(preparation.into()));
        assert_eq!(
            (order.dispatch.lead_minutes, order.ready_at),
            (lead, ready_at)
        );
        assert_changes_at(
            &host,
            &order,
            ready_at.before(Duration::minutes(lead.into())),
            110,
            200,
        );
        let types = if lead == 0 {
            vec!["order.created", "order.ready", "order.searching"]
        } else {
            vec!["order.created", "order.searching"]
        };
        assert_eq!(events(&host, &order), types);
        // The search ends 20 minutes after the goods are ready, whenever it started.
        assert_changes_at(
            &host,
            &order,
            ready_at.after(Duration::minutes(20)),
            200,
            630,
        );
    }
}

#[test]
fn lead_time_beyond_the_preparation_starts_the_search_at_once() {
    let host = host_with_lead(60);
    let order = create_order(&host, "L-1", 30, &[true]);
    assert_eq!(situation_at(&host, &order, order.created_at), 200);
    assert_changes_at(
        &host,
        &order,
        order.created_at.after(Duration::minutes(50)),
        200,
        630,
    );
    let ready = create_order(&host, "L-2", 0, &[true]);
    assert_eq!(situation_at(&host, &ready, ready.created_at), 200);
    assert_changes_at(
        &host,
        &ready,
        ready.created_at.after(Duration::minutes(20)),
        200,
        630,
    );
}

#[test]
fn delay_before_the_search_moves_its_start() {
    let host = host_with_lead(10);
    let order = create_order(&host, "L-1", 30, &[true]);
    let body = signal(&host, &order, "delay", &json!({ "minutes": 7 }));
    assert_eq!(body["situation"], 110);
    let after = |minutes| order.created_at.after(Duration::minutes(minutes));
    assert_changes_at(&host, &order, after(27), 110, 200);
    assert_changes_at(&host, &order, after(57), 200, 630);
}

#[test]
fn delay_during_the_search_moves_the_expiry() {
    let host = host_with_lead(10);
    let order = create_order(&host, "L-1", 30, &[true]);
    let after = |minutes| order.created_at.after(Duration::minutes(minutes));
    assert_eq!(situation_at(&host, &order, after(20)), 200);
    let body = signal(&host, &order, "delay", &json!({ "minutes": 7 }));
    assert_eq!(body["situation"], 200);
    let expected = |before: Option<Timestamp>| before.map(|at| at.after(Duration::minutes(7)));
    let delayed = self::order(&host, order.id.get());
    assert_eq!(delayed.ready_at, after(37));
    assert_eq!(delayed.expected_pickup, expected(order.expected_pickup));
    assert_eq!(delayed.expected_delivery, expected(order.expected_delivery));
    assert_eq!(events(&host, &order).last().unwrap(), "order.delayed");
    assert_changes_at(&host, &order, after(57), 200, 630);
}

#[test]
fn ready_signal_moves_the_search_and_the_expiry() {
    let host = host_with_lead(10);
    let [before, during] = ["L-1", "L-2"].map(|code| create_order(&host, code, 30, &[true]));
    let after = |minutes| before.created_at.after(Duration::minutes(minutes));
    host.set_now(after(5));
    assert_eq!(
        signal(&host, &before, "ready", &Value::Null)["situation"],
        200
    );
    assert_changes_at(&host, &before, after(25), 200, 630);
    assert_eq!(situation_at(&host, &during, after(25)), 200);
    assert_eq!(
        signal(&host, &during, "ready", &Value::Null)["situation"],
        200
    );
    assert_eq!(self::order(&host, during.id.get()).ready_at, after(25));
    // A repeated signal changes nothing.
    assert_eq!(
        signal(&host, &during, "ready", &Value::Null)["situation"],
        200
    );
    assert_eq!(
        events(&host, &during),
        ["order.created", "order.searching", "order.ready"]
    );
    assert_changes_at(&host, &during, after(45), 200, 630);
}

/// Places an available courier at the pickup, who carries orders of this store.
fn place(host: &MemoryHost, order: &Order) {
    let courier = courier(host, 7);
    let position = Position {
        courier: courier.id,
        point: order.pickup.located.point,
        at: host.now(),
    };
    let couriers = vec![Write {
        expected: courier.version,
        value: Courier {
            sandbox: order.sandbox,
            ..courier
        },
    }];
    let changes = Changes {
        at: host.now(),
        couriers,
        positions: vec![position],
        ..Changes::default()
    };
    block_on(host.commit(&changes)).unwrap();
}

/// Runs a pass and returns the order's status.
fn run_pass(host: &MemoryHost, order: &Order) -> u16 {
    let response = send(host, OPERATOR, "POST /admin/dispatch", &json!({}));
    assert_eq!(response.status, 200, "{}", response.body);
    self::order(host, order.id.get()).status.number()
}

#[test]
fn order_without_lead_is_allocated_when_it_is_ready() {
    let host = host_with_lead(0);
    let order = create_order(&host, "L-1", 30, &[true]);
    let ready_at = order.created_at.after(Duration::minutes(30));
    host.set_now(ready_at.before(Duration::millis(1)));
    place(&host, &order);
    assert_eq!(run_pass(&host, &order), 110);
    host.set_now(ready_at);
    assert_eq!(run_pass(&host, &order), 210);
    let allocated = self::order(&host, order.id.get());
    assert_eq!(
        (allocated.status.number(), allocated.status_since),
        (210, ready_at)
    );
    assert_eq!(
        (allocated.eta.is_some(), allocated.assignments.len()),
        (true, 1)
    );
}

#[test]
fn order_with_lead_is_allocated_in_time_for_the_pickup() {
    let host = host_with_lead(10);
    let order = create_order(&host, "L-1", 30, &[true]);
    // The courier is at the pickup: half of the pickup's 3 minutes, the margin and a pass are
    // before the ready time.
    let last = order.ready_at.before(Duration::seconds(90 + 30 + 3));
    host.set_now(last);
    place(&host, &order);
    assert_eq!(run_pass(&host, &order), 200);
    host.set_now(last.after(Duration::seconds(1)));
    assert_eq!(run_pass(&host, &order), 210);
    let allocated = self::order(&host, order.id.get());
    let eta = allocated.eta.unwrap();
    assert_eq!(
        (allocated.status.number(), eta.pickup),
        (210, Some(order.ready_at))
    );
    let planned = allocated.assignments.last().unwrap();
    assert_eq!(
        (planned.courier.get(), planned.orders, planned.at),
        (7, 1, host.now())
    );
}

#[test]
fn expected_pickup_is_ready_time_plus_the_approach_beyond_lead() {
    // The approach takes 8 minutes.
    for (lead, minutes) in [(0, 38), (3, 35), (8, 30), (20, 30)] {
        let host = host_with_lead(lead);
        let address = json!({ "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP",
            "latitude": -23.5530, "longitude": -46.6560 });
        let delivery = json!({ "name": "Maria", "phone": "+5511999990000", "onlinePayment": true, "address": address });
        let body = json!({ "code": "L-1", "preparationTime": 30, "previewDeliveryTime": true, "deliveries": [delivery] });
        let preview = send(&host, KEY, "POST /delivery/orders/preview", &body).body;
        let expected = host.now().after(Duration::minutes(minutes)).to_string();
        assert_eq!(preview["expectedPickup"], json!(expected), "{preview}");
        let created = send(&host, KEY, "POST /delivery/orders", &body).body;
        assert_eq!(created["expectedPickup"], json!(expected), "{created}");
    }
}

#[test]
fn stored_rows_of_earlier_versions_are_read() {
    let host = host();
    let order = create_order(&host, "L-1", 30, &[true]);
    let mut row = serde_json::to_value(&order).unwrap();
    for field in ["dispatch", "eta", "assignments"] {
        assert!(row.get(field).is_none(), "a default is not stored");
    }
    assert_eq!(serde_json::from_value::<Order>(row.clone()).unwrap(), order);
    row["dispatch"] = json!({ "lead_minutes": 15 });
    let dispatch = OrderDispatch {
        lead_minutes: 15,
        combinable: true,
        orders_per_trip: None,
    };
    assert_eq!(
        serde_json::from_value::<Order>(row).unwrap(),
        Order { dispatch, ..order }
    );
    let courier = courier(&host, 7);
    let mut row = serde_json::to_value(&courier).unwrap();
    row.as_object_mut().unwrap().remove("trip");
    for (field, trip) in [(json!(null), vec![]), (json!(5), vec![(5, true)])] {
        row["order"] = field;
        let trip = trip.into_iter().map(|(id, picked_up)| TripOrder {
            id: OrderId::new(id).unwrap(),
            picked_up,
        });
        let expected = Courier {
            trip: trip.collect(),
            shift: None,
            ..courier.clone()
        };
        assert_eq!(
            serde_json::from_value::<Courier>(row.clone()).unwrap(),
            expected
        );
    }
}

#[test]
fn moved_estimate_creates_one_event_a_minute() {
    let host = host_with_lead(10);
    let order = create_order(&host, "L-1", 30, &[true]);
    host.set_now(order.ready_at);
    place(&host, &order);
    assert_eq!(run_pass(&host, &order), 210);
    let estimates = || {
        events(&host, &order)
            .iter()
            .filter(|kind| *kind == "order.eta_changed")
            .count()
    };
    let moved = |east: f64| {
        let pickup = order.pickup.located.point;
        let point = Point::from_degrees(pickup.latitude(), pickup.longitude() + east).unwrap();
        let body = json!({ "latitude": point.latitude(), "longitude": point.longitude() });
        assert_eq!(
            send(&host, COURIER, "POST /courier/position", &body).status,
            200
        );
        (estimates(), self::order(&host, order.id.get()).eta.unwrap())
    };
    let first = self::order(&host, order.id.get()).eta.unwrap();
    host.advance(Duration::seconds(30));
    assert_eq!(moved(0.05), (0, first), "within a minute");
    host.advance(Duration::seconds(30));
    let (count, second) = moved(0.06);
    assert!(
        count == 1 && second.differs(&first) && second.at == host.now(),
        "{count} {second:?}"
    );
    host.advance(Duration::seconds(59));
    assert_eq!(moved(0.01), (1, second));
    let details = send(
        &host,
        KEY,
        &format!("GET /delivery/orders/{}", order.id),
        &Value::Null,
    )
    .body;
    assert_eq!(
        details["eta"]["pickup"],
        json!(second.pickup.unwrap().to_string())
    );
    // The estimate of the pickup ends with the pickup, and the estimate of the delivery with the
    // delivery.
    let delivery = &details["deliveries"][0];
    let bodies = [
        ("arrive", json!({})),
        ("pickup", json!({ "code": details["pickupCode"] })),
        ("en-route", json!({ "deliveryId": delivery["id"] })),
        ("at-door", json!({ "deliveryId": delivery["id"] })),
        (
            "deliver",
            json!({ "deliveryId": delivery["id"], "code": delivery["deliveryCode"] }),
        ),
    ];
    let etas = bodies.map(|(step, body)| {
        let response = send(
            &host,
            COURIER,
            &format!("POST /courier/orders/{}/{step}", order.id),
            &body,
        );
        assert_eq!(response.status, 200, "{step}: {}", response.body);
        self::order(&host, order.id.get()).eta.map(|eta| eta.pickup)
    });
    assert_eq!(
        etas,
        [
            Some(second.pickup),
            Some(None),
            Some(None),
            Some(None),
            None
        ]
    );
}
