//! Couriers: each asks for its order and takes the next step, through whichever server there is.

use std::{sync::atomic::Ordering, time::Duration};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::faults::{
    client::{Caller, Reply},
    world::{Parties, Party, World},
};

/// Between two questions for an order.
const ASKS: Duration = Duration::from_millis(400);

/// A courier's work until the run is settled. It remembers nothing that the service does not tell.
pub(crate) fn ride(world: &World<'_>, parties: &Parties, me: &Party) {
    let caller = Caller::new(world, &me.key);
    let shops: Vec<Caller<'_>> = parties.merchants.iter().map(|merchant| Caller::new(world, &merchant.key)).collect();
    let mut dice = Rng::with_seed(world.plan.seed ^ me.id << 16);
    while !world.settled.load(Ordering::SeqCst) && !world.is_over() {
        match caller.try_once("GET", "/courier/order", None, &Value::Null) {
            Reply::Answer(200, answer) if answer["order"]["id"].is_u64() => {
                step(&caller, &shops, &answer["order"], &mut dice);
            }
            Reply::Answer(200, _) => {
                let place = json!({ "latitude": -23.5558, "longitude": -46.6582, "accuracy": 5 });
                _ = caller.try_once("POST", "/courier/position", None, &place);
                std::thread::sleep(ASKS);
            }
            Reply::Answer(status, answer) if status < 500 && status != 429 => {
                world.wrong(format!("courier {} was answered {status}: {answer}", me.id));
                return;
            }
            _ => std::thread::sleep(ASKS),
        }
    }
}

/// What comes next with an order. What is not answered, or is not possible any more, is seen at the next question.
fn step(caller: &Caller<'_>, shops: &[Caller<'_>], order: &Value, dice: &mut Rng) {
    let Some(id) = order["id"].as_u64() else { return };
    let take = |name: &str, body: Value| {
        let reply = caller.try_once("POST", &format!("/courier/orders/{id}/{name}"), None, &body);
        if !matches!(reply, Reply::Answer(200, _)) {
            std::thread::sleep(ASKS);
        }
    };
    let standing = |situation: u64| {
        let stops = order["deliveries"].as_array().into_iter().flatten();
        stops.into_iter().find(|stop| stop["situation"] == situation).and_then(|stop| stop["id"].as_u64())
    };
    match order["situation"].as_u64() {
        Some(210) if dice.u8(..16) == 0 => take("decline", json!({ "reason": "a flat tyre" })),
        Some(210) => take("arrive", json!({})),
        Some(220) => take("pickup", json!({ "code": told(shops, id, "pickupCode") })),
        Some(300) => match (standing(330), standing(320), standing(310)) {
            (Some(door), ..) => take("deliver", json!({ "deliveryId": door })),
            (_, Some(way), _) => take("at-door", json!({ "deliveryId": way })),
            (.., Some(aboard)) => take("en-route", json!({ "deliveryId": aboard })),
            _ => std::thread::sleep(ASKS),
        },
        Some(400) => take("at-return", json!({})),
        Some(410) => take("hand-back", json!({ "code": told(shops, id, "returnCode") })),
        _ => std::thread::sleep(ASKS),
    }
}

/// A code that the order's merchant tells.
fn told(shops: &[Caller<'_>], id: u64, code: &str) -> Value {
    let path = format!("/delivery/orders/{id}");
    let orders = shops.iter().filter_map(|shop| match shop.try_once("GET", &path, None, &Value::Null) {
        Reply::Answer(200, order) => Some(order),
        _ => None,
    });
    orders.into_iter().next().map_or(json!("0000"), |order| order[code].clone())
}
