//! What couriers do: they report, and carry their order step by step; now and then a step that is not the next, or a wrong code.

use despacho_core::model::OrderId;
use serde_json::{Value, json};

use super::degrees;
use crate::{
    exchange::{Act, By, Plan},
    model::Tracked,
    people::KnownCourier,
    world::World,
};

/// A courier's next act.
pub(crate) fn choose(world: &mut World) -> Option<Plan> {
    let riding: Vec<KnownCourier> = world.people.couriers.iter().filter(|courier| !courier.removed).cloned().collect();
    let courier = world.chance.pick(&riding)?.clone();
    match world.chance.weighted(&[22, 3, 60, 4, 3]) {
        0 => Some(position(world, &courier)),
        1 => Some(available(world, &courier)),
        2 => step(world, &courier),
        3 => decline(world, &courier),
        _ => Some(Plan::get(&courier.key, "/courier/order".to_owned(), Act::Plain)),
    }
}

fn position(world: &mut World, courier: &KnownCourier) -> Plan {
    let (north, east) = (world.chance.between(-300, 300), world.chance.between(-300, 300));
    let body = json!({ "latitude": degrees(-235_500 + north), "longitude": degrees(-466_300 + east) });
    Plan { keyed: world.chance.often(300), ..Plan::post(&courier.key, "/courier/position", body, Act::Plain) }
}

fn available(world: &mut World, courier: &KnownCourier) -> Plan {
    let body = json!({ "available": world.chance.often(850) });
    Plan::post(&courier.key, "/courier/availability", body, Act::Plain)
}

/// The order that a courier has; rarely another one.
fn theirs<'a>(world: &'a mut World, courier: &KnownCourier) -> Option<&'a Tracked> {
    let stranger = world.chance.often(30);
    let open = |tracked: &&Tracked| (210..500).contains(&tracked.situation);
    let has = |tracked: &&Tracked| stranger || tracked.row.courier.as_ref().is_some_and(|has| has.id == courier.id);
    world.model.orders.values().filter(open).find(has)
}

fn moved(courier: &KnownCourier, order: OrderId, what: &str, body: Value, wrong: bool, keyed: bool) -> Plan {
    let act = Act::Move { order, by: By::Courier(courier.id), wrong, cancels: false };
    Plan { keyed, ..Plan::post(&courier.key, format!("/courier/orders/{order}/{what}"), body, act) }
}

fn decline(world: &mut World, courier: &KnownCourier) -> Option<Plan> {
    let order = theirs(world, courier)?.row.id;
    let act = Act::Move { order, by: By::Courier(courier.id), wrong: false, cancels: false };
    let path = format!("/courier/orders/{order}/decline");
    Some(Plan::post(&courier.key, path, json!({ "reason": "pneu furado" }), act))
}

/// The next step of the order that the courier has.
fn step(world: &mut World, courier: &KnownCourier) -> Option<Plan> {
    let tracked = theirs(world, courier)?.clone();
    let (order, keyed) = (tracked.row.id, world.chance.often(500));
    let wrong = world.chance.often(world.people.guesses);
    if world.chance.often(60) {
        // Any step, whether it is the next or not.
        let what = *world.chance.pick(&["arrive", "at-return", "en-route", "resequence", "at-door", "deliver"])?;
        let stop = world.chance.pick(&tracked.stops)?.0;
        return Some(moved(courier, order, what, json!({ "deliveryId": stop, "code": "0000" }), false, keyed));
    }
    let told = |code: &str| json!({ "code": if wrong { "0000" } else { code } });
    // "0000" may be the right one: then it is not wrong.
    let is_wrong = |code: &str| wrong && code != "0000";
    match tracked.situation {
        210 => Some(moved(courier, order, "arrive", json!({}), false, keyed)),
        220 => {
            let code = &tracked.row.pickup_code;
            Some(moved(courier, order, "pickup", told(code), is_wrong(code), keyed))
        }
        300 => carry(world, courier, &tracked, wrong, keyed),
        400 => Some(moved(courier, order, "at-return", json!({}), false, keyed)),
        _ => {
            let code = tracked.row.return_code.clone().unwrap_or_default();
            Some(moved(courier, order, "hand-back", told(&code), is_wrong(&code), keyed))
        }
    }
}

fn carry(world: &mut World, courier: &KnownCourier, tracked: &Tracked, wrong: bool, keyed: bool) -> Option<Plan> {
    let order = tracked.row.id;
    let current = tracked.stops.iter().find(|stop| matches!(stop.1, 320 | 330));
    let aboard: Vec<_> = tracked.stops.iter().filter(|stop| stop.1 == 310).collect();
    let &(stop, situation, _) = current.or(world.chance.pick(&aboard).copied())?;
    let body = json!({ "deliveryId": stop });
    if world.chance.often(100) {
        let body = json!({ "deliveryId": stop, "reason": "ninguém em casa" });
        return Some(moved(courier, order, "fail", body, false, keyed));
    }
    if situation != 310 && world.chance.often(100) {
        return Some(moved(courier, order, "resequence", body, false, keyed));
    }
    match situation {
        310 => Some(moved(courier, order, "en-route", body, false, keyed)),
        320 => Some(moved(courier, order, "at-door", body, false, keyed)),
        _ => {
            let delivery = tracked.row.deliveries.iter().find(|delivery| delivery.id.get() == stop)?;
            let code = if wrong { "0000" } else { delivery.delivery_code.as_str() };
            let is_wrong = wrong && delivery.delivery_code != "0000" && delivery.asks_code();
            let body = json!({ "deliveryId": stop, "code": code });
            Some(moved(courier, order, "deliver", body, is_wrong, keyed))
        }
    }
}
