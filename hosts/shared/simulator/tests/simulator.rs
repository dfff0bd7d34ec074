//! Simulated couriers on the in-memory host: complete lifecycles, requested failures, limits, and
//! several instances.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests panic on failure")]

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use despacho_core::{
    api,
    drivers::{clock, dispatch},
    host::{CourierQuery, Platform, Storage},
    memory::MemoryHost,
    model::{
        CourierId, Duration,
        courier::Courier,
        order::{EventKind, Order, OrderStatus},
        store::KeyHash,
    },
    rules::{matching::Dispatch, settings::Settings},
};
use despacho_simulator::{Pass, Simulation, demo, run_pass};
use http::Request;
use serde_json::{Value, json};

const OPERATOR: &str = "operator-token-of-these-tests";

/// Completes a future of the in-memory host, which never waits, with a single poll.
fn block_on<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("future of the in-memory host is pending"),
    }
}

fn settings() -> Settings {
    Settings {
        operator: Some(KeyHash::of(OPERATOR)),
        ..Settings::default()
    }
}

fn post(host: &MemoryHost, path: &str, key: &str, body: &Value) -> Value {
    post_with(host, &settings(), path, key, body)
}

fn post_with(host: &MemoryHost, settings: &Settings, path: &str, key: &str, body: &Value) -> Value {
    let request = Request::post(path)
        .header("x-api-token", key)
        .header("content-type", "application/json");
    let response = block_on(api::handle(
        host,
        settings,
        request.body(Bytes::from(body.to_string())).unwrap(),
    ));
    let text = String::from_utf8_lossy(response.body()).into_owned();
    assert!(response.status().is_success(), "{path}: {text}");
    serde_json::from_str(&text).unwrap()
}

fn address() -> Value {
    json!({ "street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP",
        "latitude": -23.5558, "longitude": -46.6582 })
}

/// Creates a parent store and returns its key.
fn store(host: &MemoryHost, cnpj: &str, sandbox: bool) -> String {
    let body = json!({
    "cnpj": cnpj, "name": "Cantina da Praça", "email": format!("{}@exemplo.com.br", &cnpj[..2]),
    "password": "a long password", "responsible": { "name": "Rui", "phone": "+5511999990002" },
    "address": address(), "marketplaceBranchId": 1, "sandbox": sandbox,
    });
    post(host, "/admin/matrices", OPERATOR, &body)["value"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Creates an order with two deliveries, the second of which requires its code, and returns its ID.
fn order(host: &MemoryHost, key: &str, code: &str, observation: &str) -> u64 {
    let delivery = |latitude: f64, platform: bool| {
        json!({ "name": "Maria", "phone": "+5511999990000", "onlinePayment": true, "observation": observation,
            "confirmation": { "platform": platform },
            "address": { "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP",
                "latitude": latitude, "longitude": -46.6560 } })
    };
    let body = json!({ "code": code, "preparationTime": 0, "deliveries": [delivery(-23.5530, false), delivery(-23.5500, true)] });
    post(host, "/delivery/orders", key, &body)["id"]
        .as_u64()
        .unwrap()
}

fn find(host: &MemoryHost, id: u64) -> Order {
    host.orders()
        .into_iter()
        .find(|order| order.id.get() == id)
        .unwrap()
}

fn kinds(host: &MemoryHost, id: u64) -> Vec<EventKind> {
    block_on(host.events(find(host, id).id))
        .unwrap()
        .into_iter()
        .map(|recorded| recorded.event.kind)
        .collect()
}

fn couriers(host: &MemoryHost) -> Vec<Courier> {
    block_on(host.find_couriers(CourierQuery::All {
        after: None,
        limit: 1_000,
    }))
    .unwrap()
}

/// Simulates one second of a server: timed transitions and dispatch, then `instances` passes of the
/// simulation.
fn second(host: &MemoryHost, simulation: Simulation, instances: u32) -> Vec<Pass> {
    host.advance(Duration::seconds(1));
    block_on(dispatch::run_pass(
        host,
        &settings(),
        &mut host.exec_context(),
    ))
    .unwrap();
    (0..instances)
        .map(|_| block_on(run_pass(host, &settings(), simulation, None)).unwrap())
        .collect()
}

/// Simulates seconds until the order has ended and returns their number.
fn run(host: &MemoryHost, id: u64, instances: u32) -> u32 {
    for seconds in 0..2_000 {
        if find(host, id).status.is_final() {
            return seconds;
        }
        second(host, Simulation::default(), instances);
    }
    panic!("order {id} has not ended: {:?}", find(host, id));
}

#[test]
fn sandbox_order_is_delivered_in_a_minute() {
    let host = MemoryHost::seeded(1);
    let key = store(&host, "11.222.333/0001-81", true);
    let id = order(&host, &key, "A-1", "");
    let seconds = run(&host, id, 1);
    assert!((10..60).contains(&seconds), "{seconds} s");
    let delivered = find(&host, id);
    assert_eq!(
        (delivered.status, delivered.attempt),
        (OrderStatus::Completed, 1)
    );
    let events: Vec<&str> = kinds(&host, id).into_iter().map(EventKind::name).collect();
    let wanted = [
        "order.created",
        "order.searching",
        "order.allocated",
        "order.courier_arrived",
        "order.picked_up",
        "delivery.en_route",
        "delivery.arrived",
        "delivery.delivered",
        "delivery.en_route",
        "delivery.arrived",
        "delivery.delivered",
    ];
    assert_eq!(events, wanted);
    assert!(
        couriers(&host)
            .iter()
            .all(|courier| courier.sandbox && courier.trip.is_empty())
    );
    assert_eq!(
        second(&host, Simulation::default(), 1),
        [Pass::default()],
        "no open order is left"
    );
}

#[test]
fn concurrent_instances_do_not_duplicate_actions() {
    let (one, three) = (MemoryHost::seeded(1), MemoryHost::seeded(1));
    for (host, instances) in [(&one, 1), (&three, 3)] {
        let key = store(host, "11.222.333/0001-81", true);
        let id = order(host, &key, "A-1", "");
        run(host, id, instances);
        assert_eq!(couriers(host).len(), 1);
    }
    let history = |host: &MemoryHost| kinds(host, host.orders()[0].id.get());
    assert_eq!(history(&one), history(&three));
}

#[test]
fn real_couriers_never_get_sandbox_orders_and_vice_versa() {
    let host = MemoryHost::seeded(1);
    let (sandbox, real) = (
        store(&host, "11.222.333/0001-81", true),
        store(&host, "12.ABC.345/01DE-35", false),
    );
    let courier = json!({ "name": "Real", "phone": "+5511990000001", "available": true });
    let courier = post(&host, "/admin/couriers", OPERATOR, &courier)["value"]
        .as_str()
        .unwrap()
        .to_owned();
    // The courier stays next to the pickup of both stores.
    let here = json!({ "latitude": -23.5558, "longitude": -46.6582 });
    post(&host, "/courier/position", &courier, &here);
    let test = order(&host, &sandbox, "A-1", "");
    run(&host, test, 1);
    let carried = find(&host, test);
    assert_eq!(carried.status, OrderStatus::Completed);
    let real_courier = couriers(&host)
        .into_iter()
        .find(|courier| !courier.sandbox)
        .unwrap();
    assert_ne!(carried.courier.unwrap().id, real_courier.id);
    assert_eq!(
        real_courier.trip,
        [],
        "the real courier never gets an order"
    );
    // Conversely, simulated couriers are free nearby, but the real order waits for the real
    // courier.
    post(
        &host,
        "/courier/availability",
        &courier,
        &json!({ "available": false }),
    );
    let id = order(&host, &real, "R-1", "");
    for _ in 0..60 {
        second(&host, Simulation::default(), 1);
    }
    assert_eq!(find(&host, id).status, OrderStatus::Searching);
    post(
        &host,
        "/courier/availability",
        &courier,
        &json!({ "available": true }),
    );
    post(&host, "/courier/position", &courier, &here);
    second(&host, Simulation::default(), 1);
    assert_eq!(find(&host, id).courier.unwrap().id, real_courier.id);
    for _ in 0..600 {
        second(&host, Simulation::default(), 1);
    }
    assert_eq!(
        find(&host, id).status,
        OrderStatus::Searching,
        "an unresponsive real courier is not simulated"
    );
}

#[test]
fn observation_requests_a_failure() {
    let host = MemoryHost::seeded(1);
    let key = store(&host, "11.222.333/0001-81", true);
    let absent = order(&host, &key, "A-1", "sandbox:absent");
    run(&host, absent, 1);
    assert_eq!(find(&host, absent).status, OrderStatus::NotDelivered);
    for (code, marker) in [
        ("A-2", "Portão azul. sandbox:decline"),
        ("A-3", "sandbox:no-show"),
    ] {
        let id = order(&host, &key, code, marker);
        run(&host, id, 1);
        let done = find(&host, id);
        assert_eq!(
            (done.status, done.attempt),
            (OrderStatus::Completed, 2),
            "{marker}"
        );
        assert!(
            !done.released.contains(&done.courier.unwrap().id),
            "{marker}"
        );
    }
}

#[test]
fn store_has_a_limited_number_of_simulated_couriers() {
    let host = MemoryHost::seeded(1);
    let key = store(&host, "11.222.333/0001-81", true);
    let ids: Vec<u64> = (0..7)
        .map(|number| order(&host, &key, &format!("A-{number}"), ""))
        .collect();
    let simulation = Simulation {
        couriers_per_store: 2,
        speed: 600,
    };
    for _ in 0..120 {
        second(&host, simulation, 1);
        let busy = couriers(&host)
            .iter()
            .filter(|courier| !courier.trip.is_empty())
            .count();
        assert!(busy <= 2, "{busy} couriers at once");
    }
    assert_eq!(couriers(&host).len(), 2);
    assert!(
        ids.iter()
            .all(|id| find(&host, *id).status == OrderStatus::Completed)
    );
    let none = Simulation {
        couriers_per_store: 0,
        ..simulation
    };
    let waiting = order(&host, &key, "A-8", "");
    host.advance(Duration::minutes(10));
    (0..20).for_each(|_| drop(second(&host, none, 1)));
    assert_eq!(find(&host, waiting).status, OrderStatus::Searching);
}

#[test]
fn three_orders_of_a_sandbox_store_share_a_trip() {
    let host = MemoryHost::seeded(1);
    let key = store(&host, "11.222.333/0001-81", true);
    let ids: Vec<u64> = (0..3)
        .map(|number| order(&host, &key, &format!("A-{number}"), ""))
        .collect();
    let simulation = Simulation {
        couriers_per_store: 1,
        ..Simulation::default()
    };
    let mut longest = 0;
    for _ in 0..600 {
        second(&host, simulation, 2);
        let trips = couriers(&host);
        longest = longest.max(trips.first().map_or(0, |courier| courier.trip.len()));
        assert!(trips.len() <= 1);
    }
    assert_eq!(longest, 3);
    for id in ids {
        let done = find(&host, id);
        assert_eq!(
            (done.status, done.attempt),
            (OrderStatus::Completed, 1),
            "order {id}"
        );
        let picked_up = kinds(&host, id)
            .into_iter()
            .filter(|kind| *kind == EventKind::PickedUp)
            .count();
        assert_eq!(picked_up, 1);
    }
    assert!(
        couriers(&host)
            .iter()
            .all(|courier| courier.trip.is_empty())
    );
}

#[test]
fn simulated_courier_waits_until_the_goods_are_ready() {
    let host = MemoryHost::seeded(1);
    let key = store(&host, "11.222.333/0001-81", true);
    let settings = Settings {
        dispatch: Dispatch {
            lead_minutes: 20,
            ..Dispatch::default()
        },
        ..settings()
    };
    let body =
        json!({ "code": "A-1", "preparationTime": 5, "deliveries": [{ "address": address() }] });
    let id = post_with(&host, &settings, "/delivery/orders", &key, &body)["id"]
        .as_u64()
        .unwrap();
    while find(&host, id).status != OrderStatus::CourierAtPickup {
        second(&host, Simulation::default(), 1);
    }
    // Longer than `dispatch.silence-timeout-minutes`.
    post(
        &host,
        &format!("/delivery/orders/{id}/delay"),
        &key,
        &json!({ "minutes": 20 }),
    );
    run(&host, id, 1);
    let done = find(&host, id);
    assert_eq!((done.status, done.attempt), (OrderStatus::Completed, 1));
    let history = block_on(host.events(done.id)).unwrap();
    let picked_up = history
        .iter()
        .find(|recorded| recorded.event.kind == EventKind::PickedUp)
        .unwrap();
    assert!(
        picked_up.event.at >= done.ready_at
            && done.ready_at >= done.created_at.after(Duration::minutes(20))
    );
}

#[test]
fn courier_with_a_valid_key_is_not_simulated() {
    let host = MemoryHost::seeded(1);
    let key = store(&host, "11.222.333/0001-81", true);
    let new =
        json!({ "name": "Ana", "phone": "+5511990000001", "available": true, "sandbox": true });
    let registered = post(&host, "/admin/couriers", OPERATOR, &new);
    let courier = registered["value"].as_str().unwrap();
    post(
        &host,
        "/courier/position",
        courier,
        &json!({ "latitude": -23.5558, "longitude": -46.6582 }),
    );
    let id = order(&host, &key, "A-1", "");
    for _ in 0..300 {
        second(&host, Simulation::default(), 1);
    }
    let held = find(&host, id);
    let own = CourierId::new(registered["id"].as_u64().unwrap());
    assert_eq!(
        (held.status, held.courier.map(|one| one.id)),
        (OrderStatus::Allocated, own)
    );
    assert_eq!(
        couriers(&host).len(),
        1,
        "no courier is simulated while another one is free nearby"
    );
}

#[test]
fn pass_without_a_sandbox_store_has_no_effect() {
    let host = MemoryHost::seeded(1);
    let key = store(&host, "11.222.333/0001-81", false);
    let id = order(&host, &key, "R-1", "");
    for _ in 0..30 {
        assert_eq!(second(&host, Simulation::default(), 1), [Pass::default()]);
    }
    assert_eq!(
        (find(&host, id).status, couriers(&host).len()),
        (OrderStatus::Searching, 0)
    );
}

#[test]
fn demo_data_is_created_once_and_delivered() {
    let host = MemoryHost::seeded(1);
    assert_eq!(block_on(demo::seed(&host, &settings())), Ok(true));
    assert_eq!(block_on(demo::seed(&host, &settings())), Ok(false));
    assert!(host.orders().iter().all(|order| order.sandbox));
    let ids: Vec<u64> = host.orders().iter().map(|order| order.id.get()).collect();
    for id in ids {
        run(&host, id, 1);
        assert_eq!(find(&host, id).status, OrderStatus::Completed);
    }
}

#[test]
fn demo_data_and_the_store_of_the_readme_fit_in_one_database() {
    let host = MemoryHost::seeded(1);
    store(&host, "11.222.333/0001-81", false);
    assert_eq!(block_on(demo::seed(&host, &settings())), Ok(true));
}

#[test]
fn store_with_a_value_of_the_demo_is_named() {
    let host = MemoryHost::seeded(1);
    store(&host, "DE.SPA.CHO/0003-56", false);
    let error = block_on(demo::seed(&host, &settings()))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "store 1000 already has DE.SPA.CHO/0003-56, which belongs to the demo; use an empty database, or start without the demo"
    );
    assert_eq!(host.orders().len(), 0, "nothing was created");
}

#[test]
fn demo_has_three_open_orders_on_any_later_day() {
    let (host, settings) = (MemoryHost::seeded(1), settings());
    assert_eq!(block_on(demo::seed(&host, &settings)), Ok(true));
    let open = |host: &MemoryHost| {
        host.orders()
            .iter()
            .filter(|order| !order.status.is_final())
            .count()
    };
    assert_eq!(
        (
            open(&host),
            block_on(demo::replace_ended_orders(&host, &settings))
        ),
        (3, Ok(0))
    );
    for _ in 0..3 {
        // No pass runs for a day. Then the search for overdue orders starts and ends after twenty
        // minutes without a courier.
        host.advance(Duration::minutes(24 * 60));
        for minutes in [0, 21] {
            host.advance(Duration::minutes(minutes));
            block_on(clock::run_pass(&host, &settings, host.now(), 100)).unwrap();
            block_on(demo::replace_ended_orders(&host, &settings)).unwrap();
            assert_eq!(
                (open(&host), block_on(demo::missing_orders(&host))),
                (3, Ok(0))
            );
        }
    }
    // In a day without couriers, every order stays open for at least half an hour, and restarts add
    // no orders.
    let before = host.orders().len();
    for _ in 0..24 * 12 {
        host.advance(Duration::minutes(5));
        block_on(clock::run_pass(&host, &settings, host.now(), 100)).unwrap();
        block_on(demo::replace_ended_orders(&host, &settings)).unwrap();
        assert_eq!(open(&host), 3);
    }
    assert!(
        host.orders().len() - before <= 3 * 24 * 2,
        "{} orders in a day",
        host.orders().len() - before
    );
}
