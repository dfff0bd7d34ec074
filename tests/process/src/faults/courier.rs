//! Couriers poll for their order and take its next step, on any available server.

use std::{sync::atomic::Ordering, time::Duration};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::faults::{
    client::{Caller, Reply},
    run::{Client, Clients, RunState},
};

/// The interval between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(400);

/// Delivers orders until the run is settled. Each step follows only from the service's response,
/// without local state.
pub(crate) fn deliver_orders(state: &RunState<'_>, clients: &Clients, courier: &Client) {
    let caller = Caller::new(state, &courier.key);
    let shops: Vec<Caller<'_>> = clients
        .merchants
        .iter()
        .map(|merchant| Caller::new(state, &merchant.key))
        .collect();
    let mut rng = Rng::with_seed(state.plan.seed ^ courier.id << 16);
    while !state.settled.load(Ordering::SeqCst) && !state.is_over() {
        match caller.try_once("GET", "/courier/order", None, &Value::Null) {
            Reply::Response(200, response) if response["order"]["id"].is_u64() => {
                take_next_step(&caller, &shops, &response["order"], &mut rng);
            }
            Reply::Response(200, _) => {
                let position =
                    json!({ "latitude": -23.5558, "longitude": -46.6582, "accuracy": 5 });
                _ = caller.try_once("POST", "/courier/position", None, &position);
                std::thread::sleep(POLL_INTERVAL);
            }
            Reply::Response(status, response) if status < 500 && status != 429 => {
                state.record_violation(format!("courier {} got {status}: {response}", courier.id));
                return;
            }
            _ => std::thread::sleep(POLL_INTERVAL),
        }
    }
}

/// Takes the next step of an order. If it fails, the next poll shows the order's current status.
fn take_next_step(caller: &Caller<'_>, shops: &[Caller<'_>], order: &Value, rng: &mut Rng) {
    let Some(id) = order["id"].as_u64() else {
        return;
    };
    let take = |name: &str, body: Value| {
        let reply = caller.try_once("POST", &format!("/courier/orders/{id}/{name}"), None, &body);
        if !matches!(reply, Reply::Response(200, _)) {
            std::thread::sleep(POLL_INTERVAL);
        }
    };
    let with_status = |status: u64| {
        let stops = order["deliveries"].as_array().into_iter().flatten();
        stops
            .into_iter()
            .find(|stop| stop["situation"] == status)
            .and_then(|stop| stop["id"].as_u64())
    };
    match order["situation"].as_u64() {
        Some(210) if rng.u8(..16) == 0 => take("decline", json!({ "reason": "a flat tyre" })),
        Some(210) => take("arrive", json!({})),
        Some(220) => take(
            "pickup",
            json!({ "code": read_code(shops, id, "pickupCode") }),
        ),
        Some(300) => match (with_status(330), with_status(320), with_status(310)) {
            (Some(door), ..) => take("deliver", json!({ "deliveryId": door })),
            (_, Some(way), _) => take("at-door", json!({ "deliveryId": way })),
            (.., Some(aboard)) => take("en-route", json!({ "deliveryId": aboard })),
            _ => std::thread::sleep(POLL_INTERVAL),
        },
        Some(400) => take("at-return", json!({})),
        Some(410) => take(
            "hand-back",
            json!({ "code": read_code(shops, id, "returnCode") }),
        ),
        _ => std::thread::sleep(POLL_INTERVAL),
    }
}

/// Returns a code of an order, as its merchant reads it.
fn read_code(shops: &[Caller<'_>], id: u64, code: &str) -> Value {
    let path = format!("/delivery/orders/{id}");
    let orders =
        shops.iter().filter_map(
            |shop| match shop.try_once("GET", &path, None, &Value::Null) {
                Reply::Response(200, order) => Some(order),
                _ => None,
            },
        );
    orders
        .into_iter()
        .next()
        .map_or(json!("0000"), |order| order[code].clone())
}
