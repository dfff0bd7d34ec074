//! Trips under conflicts, outages and concurrent requests: orders and couriers change together or
//! not at all.

use bytes::Bytes;
use despacho_core::{
    changes::{Changes, Write},
    drivers::dispatch,
    host::{CourierQuery, Host, HostError, Platform, Storage},
    memory::MemoryHost,
    model::{
        CourierId, Duration, OrderId, Phone,
        courier::{Courier, CourierKey, Handover, HandoverKind, Position},
        order::{DeliveryStatus, Order, OrderStatus},
        store::KeyHash,
    },
};
use despacho_simulator::demo::KEY;
use http::Request;
use serde_json::json;

use crate::{
    faulty_host::{FaultyHost, Rng},
    races::race,
    support::{OPERATOR, Reply, block_on, demo_host, order, post, request, send, settings},
};

const COURIERS: [(u64, &str); 2] = [
    (7, "courier-key-of-these-tests"),
    (8, "courier-key-of-another-one"),
];

/// Creates a host with an available and an unavailable courier, and ready orders of the demo store.
fn host_with_orders(count: usize) -> MemoryHost {
    let host = demo_host();
    // With a lead time, an order can be delayed until the pickup.
    let store = host.orders()[0].store;
    let terms = request(
        "PUT",
        &format!("/admin/stores/{store}/dispatch"),
        &[("x-api-token", OPERATOR)],
        r#"{"leadMinutes":10}"#,
    );
    assert_eq!(send(&host, &settings(), terms).status, 200);
    for at in 0..count {
        let mut body = order(&format!("T-{at}"));
        body["preparationTime"] = json!(0);
        body["deliveries"][0]["pickupCode"] = json!(format!("12{at:02}"));
        let created = post(&host, "/delivery/orders", &[], &body);
        assert_eq!(
            (created.status, &created.body["storeId"]),
            (201, &json!(store.get()))
        );
    }
    let orders = open_orders(&host);
    let expires_at = host.now().after(Duration::minutes(1_000_000));
    let couriers = COURIERS.map(|(id, key)| Courier {
        id: CourierId::new(id).unwrap(),
        version: 1,
        profile_id: id,
        name: format!("Courier {id}"),
        phone: Phone::parse("+5511988887777").unwrap(),
        email: None,
        document: None,
        position: None,
        position_at: None,
        available: id == 7,
        trip: Vec::new(),
        shift: None,
        key: Some(CourierKey {
            hash: KeyHash::of(key),
            expires_at,
        }),
        device: None,
        push: Vec::new(),
        sign_in: None,
        sessions: Vec::new(),
        sandbox: orders[0].sandbox,
        vehicle: despacho_core::model::Vehicle::default(),
        max_weight_g: None,
        max_volume_ml: None,
        equipment: despacho_core::model::Equipment::ALL,
        cash_limit: None,
        handovers: Vec::new(),
        pay: Vec::new(),
        suspended_at: None,
        removed_at: None,
    });
    let couriers = couriers.map(Write::insert).into();
    // The demo data's orders would get the courier too.
    for order in host
        .orders()
        .iter()
        .filter(|order| !order.status.is_final() && !order.code.starts_with("T-"))
    {
        let path = format!("/admin/orders/{}/cancel", order.id);
        assert_eq!(
            post(
                &host,
                &path,
                &[("x-api-token", OPERATOR)],
                &json!({ "reason": "test" })
            )
            .status,
            200
        );
    }
    // Positions are stored separately from couriers.
    let point = orders[0].pickup.located.point;
    let positions = COURIERS.map(|(id, _)| Position {
        courier: CourierId::new(id).unwrap(),
        point,
        at: host.now(),
    });
    let changes = Changes {
        at: host.now(),
        couriers,
        positions: positions.into(),
        ..Changes::default()
    };
    block_on(host.commit(&changes)).unwrap();
    host
}

/// Creates a host with a trip of these orders, which are at the pickup.
fn host_with_trip(count: usize) -> MemoryHost {
    let host = host_with_orders(count);
    let done = block_on(dispatch::run_pass(
        &host,
        &settings(),
        &mut host.exec_context(),
    ))
    .unwrap();
    let orders = open_orders(&host);
    let statuses: Vec<_> = orders
        .iter()
        .map(|order| (order.status, order.sandbox))
        .collect();
    assert_eq!(courier(&host, 7).trip.len(), count, "{done:?} {statuses:?}");
    for order in &orders {
        assert_eq!(
            send(&host, &settings(), act(&host, order, "arrive")).status,
            200
        );
    }
    host
}

fn run_pass(host: &impl Host) -> u32 {
    block_on(dispatch::run_pass(
        host,
        &settings(),
        &mut host.exec_context(),
    ))
    .map_or(0, |done| done.allocated)
}

/// Returns the orders of these tests.
fn open_orders(host: &MemoryHost) -> Vec<Order> {
    host.orders()
        .into_iter()
        .filter(|order| order.code.starts_with("T-"))
        .collect()
}

fn couriers(host: &MemoryHost) -> Vec<Courier> {
    block_on(host.find_couriers(CourierQuery::All {
        after: None,
        limit: 1_000,
    }))
    .unwrap()
}

fn courier(host: &MemoryHost, id: u64) -> Courier {
    couriers(host)
        .into_iter()
        .find(|courier| courier.id.get() == id)
        .unwrap()
}

/// Returns a courier's, the merchant's or the operator's request about an order, with the correct
/// codes.
fn act(host: &MemoryHost, order: &Order, name: &str) -> Request<Bytes> {
    let (id, courier) = (order.id, courier(host, 7));
    let stop = order
        .deliveries
        .iter()
        .find(|delivery| !delivery.status.is_final())
        .unwrap_or(&order.deliveries[0]);
    let code = match name {
        "pickup" => order.pickup_code.clone(),
        "hand-back" => order.return_code.clone().unwrap_or_default(),
        _ => stop.delivery_code.clone(),
    };
    let mut body =
        json!({ "deliveryId": stop.id.get(), "code": code, "reason": "test", "minutes": 30 });
    let (method, key, path) = match name {
        "delay" | "ready" | "return" | "discard" | "waive" => {
            ("POST", KEY, format!("/delivery/orders/{id}/{name}"))
        }
        "cancel" => {
            body = json!({ "orderId": id.get() });
            ("POST", KEY, "/delivery/orders/cancel".to_owned())
        }
        "lost" => ("POST", OPERATOR, format!("/admin/orders/{id}/lost")),
        "platform" => ("POST", OPERATOR, format!("/admin/orders/{id}/cancel")),
        "dispatch" => ("POST", OPERATOR, "/admin/dispatch".to_owned()),
        "remove" => {
            body = json!({ "removed": true });
            ("PATCH", OPERATOR, format!("/admin/couriers/{}", courier.id))
        }
        _ => (
            "POST",
            COURIERS[0].1,
            format!("/courier/orders/{id}/{name}"),
        ),
    };
    request(method, &path, &[("x-api-token", key)], body.to_string())
}

/// Checks that orders and couriers agree, and that every trip keeps its rules.
fn check(host: &MemoryHost) {
    let (orders, mut carried) = (host.orders(), Vec::new());
    for courier in couriers(host) {
        let trip: Vec<&Order> = courier
            .trip
            .iter()
            .map(|one| orders.iter().find(|order| order.id == one.id).unwrap())
            .collect();
        let is_current =
            |status| matches!(status, DeliveryStatus::EnRoute | DeliveryStatus::Arrived);
        let current = trip
            .iter()
            .flat_map(|order| &order.deliveries)
            .filter(|stop| is_current(stop.status))
            .count();
        let waits = trip.iter().any(|order| order.status.is_before_pickup());
        assert!(
            current <= 1 && !(current == 1 && waits),
            "{current} current stops, {waits}"
        );
        for (one, order) in courier.trip.iter().zip(&trip) {
            assert_eq!(
                order.courier.as_ref().map(|assigned| assigned.id),
                Some(courier.id)
            );
            assert_eq!(one.picked_up, order.status >= OrderStatus::OutForDelivery);
            assert!(!order.status.is_final());
            carried.push(order.id);
        }
        assert!(trip.len() <= 3);
    }
    let is_carried = |order: &&Order| order.courier.is_some() && !order.status.is_final();
    let assigned: Vec<OrderId> = orders
        .iter()
        .filter(is_carried)
        .map(|order| order.id)
        .collect();
    carried.sort_unstable();
    assert_eq!(assigned, carried);
    for order in &orders {
        let recorded = host
            .recorded()
            .into_iter()
            .filter(|one| one.event.order == order.id);
        let sequences: Vec<u32> = recorded.map(|one| one.event.sequence).collect();
        assert_eq!(sequences, (1..=order.last_sequence).collect::<Vec<_>>());
    }
}

fn unavailable() -> HostError {
    HostError::Unavailable {
        what: "database",
        detail: "disk 7".to_owned(),
    }
}

#[test]
fn conflict_at_any_commit_of_a_pass_leaves_whole_trips() {
    let mut trips = std::collections::BTreeSet::new();
    for at in 1..=10 {
        for error in [
            HostError::Conflict,
            unavailable(),
            HostError::Internal {
                detail: "torn row".to_owned(),
            },
        ] {
            let host = host_with_orders(3);
            run_pass(&FaultyHost::failing(&host, [(at, error)]));
            check(&host);
            trips.insert(courier(&host, 7).trip.len());
            // The courier leaves the pickup 90 seconds after the assignment: the pass before adds
            // the orders that failed.
            host.advance(Duration::seconds(88));
            run_pass(&host);
            check(&host);
            assert_eq!(courier(&host, 7).trip.len(), 3);
            assert!(open_orders(&host).iter().all(|order| order.attempt == 1));
        }
    }
    assert!(trips.len() > 2, "no assignment failed: {trips:?}");
}

#[test]
fn failed_release_of_a_silent_courier_leaves_whole_trips() {
    for at in 1..=6 {
        let host = host_with_trip(3);
        host.advance(Duration::minutes(11));
        run_pass(&FaultyHost::failing(&host, [(at, HostError::Conflict)]));
        check(&host);
        run_pass(&host);
        check(&host);
        assert_eq!(courier(&host, 7).trip, []);
        assert!(
            open_orders(&host)
                .iter()
                .all(|order| order.status == OrderStatus::Searching)
        );
    }
}

/// A request about one order of a trip, and whether the goods are picked up before.
const STEPS: [(&str, bool); 10] = [
    ("pickup", false),
    ("decline", false),
    ("cancel", false),
    ("platform", false),
    ("delay", false),
    ("remove", false),
    ("en-route", true),
    ("fail", true),
    ("lost", true),
    ("return", true),
];

/// Creates a host with a trip of three orders, and a request about its second order.
fn prepare(name: &str, picked_up: bool) -> (MemoryHost, Request<Bytes>) {
    let host = host_with_trip(3);
    if picked_up {
        for order in open_orders(&host) {
            assert_eq!(
                send(&host, &settings(), act(&host, &order, "pickup")).status,
                200
            );
        }
    }
    // The order of the next stop, so that the courier can set out to it.
    let key = COURIERS[0].1;
    let current = send(
        &host,
        &settings(),
        request("GET", "/courier/order", &[("x-api-token", key)], ""),
    )
    .body;
    let mut orders = open_orders(&host);
    let at = if picked_up {
        orders
            .iter()
            .position(|order| current["order"]["id"] == order.id.get())
            .unwrap()
    } else {
        1
    };
    let order = orders.remove(at);
    let request = act(&host, &order, name);
    (host, request)
}

/// Returns the orders and couriers as stored.
fn stored(host: &MemoryHost) -> (Vec<Order>, Vec<Courier>) {
    (host.orders(), couriers(host))
}

#[test]
fn outage_during_a_step_of_a_trip_changes_nothing() {
    for (name, picked_up) in STEPS {
        let (host, request) = prepare(name, picked_up);
        let before = stored(&host);
        let failed = send(
            &FaultyHost::failing(&host, [(1, unavailable())]),
            &settings(),
            request,
        );
        assert_eq!(failed.outcome(), (503, Some("unavailable")), "{name}");
        assert_eq!(stored(&host), before, "{name}");
    }
}

#[test]
fn step_of_a_trip_is_retried_after_conflicts() {
    for (name, picked_up) in STEPS {
        let (host, request) = prepare(name, picked_up);
        let conflicts = [1, 2, 3].map(|at| (at, HostError::Conflict));
        let taken = send(&FaultyHost::failing(&host, conflicts), &settings(), request);
        assert!(matches!(taken.status, 200 | 204), "{name}: {}", taken.body);
        check(&host);
        let (left, removed) = (courier(&host, 7).trip.len(), name == "remove");
        let leaves = matches!(name, "decline" | "cancel" | "platform" | "delay");
        assert_eq!(
            left,
            if removed { 0 } else { 3 - usize::from(leaves) },
            "{name}"
        );
    }
}

#[test]
fn step_with_a_lost_confirmation_is_applied_as_a_whole() {
    for (name, picked_up) in STEPS {
        let (host, request) = prepare(name, picked_up);
        let failed = send(
            &FaultyHost::unconfirmed(&host, [(1, unavailable())]),
            &settings(),
            request,
        );
        assert_eq!(failed.outcome(), (503, Some("unavailable")), "{name}");
        check(&host);
    }
}

#[test]
fn concurrent_steps_of_a_trip_keep_its_rules() {
    let names = [
        "pickup",
        "pickup",
        "pickup",
        "en-route",
        "en-route",
        "en-route",
        "at-door",
        "at-door",
        "deliver",
        "deliver",
        "fail",
        "resequence",
        "decline",
        "cancel",
        "delay",
        "lost",
        "return",
        "at-return",
        "hand-back",
        "dispatch",
        "arrive",
        "arrive",
        "dispatch",
    ];
    let (mut taken, mut conflicts, mut ended) = (0, 0, 0);
    for seed in 0..60 {
        let (host, mut rng) = (host_with_orders(3), Rng(seed));
        // One order joins the trip concurrently with the courier's steps.
        run_pass(&host);
        let orders = open_orders(&host);
        let declined = send(&host, &settings(), act(&host, rng.pick(&orders), "decline"));
        assert_eq!(declined.status, 204);
        for _ in 0..25 {
            let orders = open_orders(&host);
            let requests = (0..3)
                .map(|_| act(&host, rng.pick(&orders), names[rng.below(names.len())]))
                .collect();
            let responses = race(&host, rng.next(), requests);
            let is = |reply: &&Reply, status: u16| reply.status == status;
            taken += responses.iter().filter(|reply| is(reply, 200)).count();
            conflicts += responses.iter().filter(|reply| is(reply, 409)).count();
            assert!(
                responses
                    .iter()
                    .all(|reply| reply.status < 500 && reply.status != 400),
                "seed {seed}"
            );
            check(&host);
            host.advance(Duration::seconds(5));
        }
        ended += open_orders(&host)
            .iter()
            .filter(|order| order.status.is_final())
            .count();
    }
    assert!(
        taken > 400 && conflicts > 400 && ended > 40,
        "{taken} taken, {conflicts} conflicts, {ended} ended"
    );
}

#[test]
fn concurrent_set_outs_leave_one_current_stop() {
    for seed in 0..60 {
        let (host, _) = prepare("en-route", true);
        let requests = open_orders(&host)
            .iter()
            .map(|order| act(&host, order, "en-route"))
            .collect();
        let responses = race(&host, seed, requests);
        let mut outcomes: Vec<_> = responses.iter().map(Reply::outcome).collect();
        outcomes.sort_unstable();
        let not_next = (409, Some("not_next_in_trip"));
        assert_eq!(outcomes, [(200, None), not_next, not_next], "seed {seed}");
        check(&host);
    }
}

#[test]
fn code_of_another_order_of_the_trip_has_its_own_problem() {
    let host = host_with_trip(2);
    let orders = open_orders(&host);
    let body = json!({ "code": orders[1].pickup_code });
    let path = format!("/courier/orders/{}/pickup", orders[0].id);
    let rejected = post(&host, &path, &[("x-api-token", COURIERS[0].1)], &body);
    assert_eq!(
        rejected.outcome(),
        (422, Some("code_of_other_order")),
        "{}",
        rejected.body
    );
    assert_eq!(rejected.body["orderId"].as_u64(), Some(orders[1].id.get()));
    // If the count cannot be stored, the response does not reveal that the code is incorrect.
    let wrong = request(
        "POST",
        &path,
        &[("x-api-token", COURIERS[0].1)],
        body.to_string(),
    );
    let failed = send(
        &FaultyHost::failing(&host, [(1, unavailable())]),
        &settings(),
        wrong,
    );
    assert_eq!(failed.outcome(), (503, Some("unavailable")));
    assert!(
        !failed.body.to_string().contains(&orders[1].id.to_string()),
        "{}",
        failed.body
    );
    let next = open_orders(&host).remove(0);
    assert_eq!(
        (next.tries.wrong, next.status),
        (1, OrderStatus::CourierAtPickup)
    );
}

#[test]
fn health_and_dispatch_expect_the_same_wait_at_a_store() {
    let host = host_with_trip(1);
    // The other courier knows how long this store takes: a quarter of an hour.
    let mut other = courier(&host, 8);
    let wait = Handover {
        kind: HandoverKind::Pickup,
        store: open_orders(&host)[0].store,
        seconds: 900,
    };
    let expected = other.version;
    (other.version, other.available) = (expected + 1, true);
    other.handovers = vec![wait; 3];
    let stuck = |host: &MemoryHost| {
        // The courier is still heard of.
        let point = open_orders(host)[0].pickup.located.point;
        let body = json!({ "latitude": point.latitude(), "longitude": point.longitude() });
        let key = [("x-api-token", COURIERS[0].1)];
        assert_eq!(post(host, "/courier/position", &key, &body).status, 200);
        let health = request("GET", "/admin/health", &[("x-api-token", OPERATOR)], "");
        let health = send(host, &settings(), health).body;
        let figures = health["figures"].as_array().unwrap();
        let figure = figures.iter().find(|one| one["name"] == "stuckCouriers");
        figure.unwrap()["value"].clone()
    };
    host.advance(Duration::minutes(15));
    assert_eq!(stuck(&host), json!(1));
    let changes = Changes {
        at: host.now(),
        couriers: vec![Write {
            expected,
            value: other,
        }],
        ..Changes::default()
    };
    block_on(host.commit(&changes)).unwrap();
    assert_eq!(stuck(&host), json!(0));
    host.advance(Duration::minutes(11));
    assert_eq!(stuck(&host), json!(1));
}
