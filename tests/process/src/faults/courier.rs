//! Couriers: each asks for its order and takes the next step, through whichever server there is.

use std::{sync::atomic::Ordering, time::Duration};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::faults::{
    client::{Caller, Reply},
    run::{Parties, Party, StormRun},
};

/// Between two questions for an order.
const POLL_INTERVAL: Duration = Duration::from_millis(400);

/// A courier's work until the run is settled. It remembers nothing that the service does not tell.
pub(crate) fn ride(storm: &StormRun<'_>, parties: &Parties, me: &Party) {
    let caller = Caller::new(storm, &me.key);
    let shops: Vec<Caller<'_>> = parties.merchants.iter().map(|merchant| Caller::new(storm, &merchant.key)).collect();
    let mut rng = Rng::with_seed(storm.plan.seed ^ me.id << 16);
    while !storm.settled.load(Ordering::SeqCst) && !storm.is_over() {
        match caller.try_once("GET", "/courier/order", None, &Value::Null) {
            Reply::Response(200, response) if response["order"]["id"].is_u64() => {
                step(&caller, &shops, &response["order"], &mut rng);
            }
            Reply::Response(200, _) => {
                let place = json!({ "latitude": -23.5558, "longitude": -46.6582, "accuracy": 5 });
                _ = caller.try_once("POST", "/courier/position", None, &place);
                std::thread::sleep(POLL_INTERVAL);
            }
            Reply::Response(status, response) if status < 500 && status != 429 => {
                storm.wrong(format!("courier {} was answered {status}: {response}", me.id));
                return;
            }
            _ => std::thread::sleep(POLL_INTERVAL),
        }
    }
}

/// What comes next with an order. What is not answered, or is not possible any more, is seen at the next question.
fn step(caller: &Caller<'_>, shops: &[Caller<'_>], order: &Value, rng: &mut Rng) {
    let Some(id) = order["id"].as_u64() else { return };
    let take = |name: &str, body: Value| {
        let reply = caller.try_once("POST", &format!("/courier/orders/{id}/{name}"), None, &body);
        if !matches!(reply, Reply::Response(200, _)) {
            std::thread::sleep(POLL_INTERVAL);
        }
    };
    let with_status = |status: u64| {
        let stops = order["deliveries"].as_array().into_iter().flatten();
        stops.into_iter().find(|stop| stop["situation"] == status).and_then(|stop| stop["id"].as_u64())
    };
    match order["situation"].as_u64() {
        Some(210) if rng.u8(..16) == 0 => take("decline", json!({ "reason": "a flat tyre" })),
        Some(210) => take("arrive", json!({})),
        Some(220) => take("pickup", json!({ "code": read_code(shops, id, "pickupCode") })),
        Some(300) => match (with_status(330), with_status(320), with_status(310)) {
            (Some(door), ..) => take("deliver", json!({ "deliveryId": door })),
            (_, Some(way), _) => take("at-door", json!({ "deliveryId": way })),
            (.., Some(aboard)) => take("en-route", json!({ "deliveryId": aboard })),
            _ => std::thread::sleep(POLL_INTERVAL),
        },
        Some(400) => take("at-return", json!({})),
        Some(410) => take("hand-back", json!({ "code": read_code(shops, id, "returnCode") })),
        _ => std::thread::sleep(POLL_INTERVAL),
    }
}

/// A code that the order's merchant tells.
fn read_code(shops: &[Caller<'_>], id: u64, code: &str) -> Value {
    let path = format!("/delivery/orders/{id}");
    let orders = shops.iter().filter_map(|shop| match shop.try_once("GET", &path, None, &Value::Null) {
        Reply::Response(200, order) => Some(order),
        _ => None,
    });
    orders.into_iter().next().map_or(json!("0000"), |order| order[code].clone())
}
