//! What couriers do: they report, and carry their order step by step; now and then a step that is not the next, or a wrong code.

use despacho_core::model::OrderId;
use serde_json::{Value, json};

use super::degrees;
use crate::{
    exchange::{Act, By, Plan},
    model::Tracked,
    people::KnownCourier,
    simulation::Simulation,
};

/// A courier's next act.
pub(crate) fn choose(simulation: &mut Simulation) -> Option<Plan> {
    let riding: Vec<KnownCourier> =
        simulation.people.couriers.iter().filter(|courier| !courier.removed).cloned().collect();
    let courier = simulation.rng.pick(&riding)?.clone();
    match simulation.rng.weighted(&[22, 3, 60, 4, 3]) {
        0 => Some(position(simulation, &courier)),
        1 => Some(available(simulation, &courier)),
        2 => step(simulation, &courier),
        3 => decline(simulation, &courier),
        _ => Some(Plan::get(&courier.key, "/courier/order".to_owned(), Act::Plain)),
    }
}

fn position(simulation: &mut Simulation, courier: &KnownCourier) -> Plan {
    let (north, east) = (simulation.rng.between(-300, 300), simulation.rng.between(-300, 300));
    let body = json!({ "latitude": degrees(-235_500 + north), "longitude": degrees(-466_300 + east) });
    Plan { keyed: simulation.rng.often(300), ..Plan::post(&courier.key, "/courier/position", body, Act::Plain) }
}

fn available(simulation: &mut Simulation, courier: &KnownCourier) -> Plan {
    let body = json!({ "available": simulation.rng.often(850) });
    Plan::post(&courier.key, "/courier/availability", body, Act::Plain)
}

/// The order that a courier has; rarely another one.
fn theirs<'a>(simulation: &'a mut Simulation, courier: &KnownCourier) -> Option<&'a Tracked> {
    let other = simulation.rng.often(30);
    let open = |tracked: &&Tracked| (210..500).contains(&tracked.status);
    let has = |tracked: &&Tracked| other || tracked.row.courier.as_ref().is_some_and(|has| has.id == courier.id);
    simulation.model.orders.values().filter(open).find(has)
}

fn moved(courier: &KnownCourier, order: OrderId, what: &str, body: Value, wrong: bool, keyed: bool) -> Plan {
    let act = Act::Move { order, by: By::Courier(courier.id), wrong, cancels: false };
    Plan { keyed, ..Plan::post(&courier.key, format!("/courier/orders/{order}/{what}"), body, act) }
}

fn decline(simulation: &mut Simulation, courier: &KnownCourier) -> Option<Plan> {
    let order = theirs(simulation, courier)?.row.id;
    let act = Act::Move { order, by: By::Courier(courier.id), wrong: false, cancels: false };
    let path = format!("/courier/orders/{order}/decline");
    Some(Plan::post(&courier.key, path, json!({ "reason": "pneu furado" }), act))
}

/// The next step of the order that the courier has.
fn step(simulation: &mut Simulation, courier: &KnownCourier) -> Option<Plan> {
    let tracked = theirs(simulation, courier)?.clone();
    let (order, keyed) = (tracked.row.id, simulation.rng.often(500));
    let wrong = simulation.rng.often(simulation.people.guesses);
    if simulation.rng.often(60) {
        // Any step, whether it is the next or not.
        let what = *simulation.rng.pick(&["arrive", "at-return", "en-route", "resequence", "at-door", "deliver"])?;
        let stop = simulation.rng.pick(&tracked.stops)?.0;
        return Some(moved(courier, order, what, json!({ "deliveryId": stop, "code": "0000" }), false, keyed));
    }
    let seen = |code: &str| json!({ "code": if wrong { "0000" } else { code } });
    // "0000" may be the right one: then it is not wrong.
    let is_wrong = |code: &str| wrong && code != "0000";
    match tracked.status {
        210 => Some(moved(courier, order, "arrive", json!({}), false, keyed)),
        220 => {
            let code = &tracked.row.pickup_code;
            Some(moved(courier, order, "pickup", seen(code), is_wrong(code), keyed))
        }
        300 => carry(simulation, courier, &tracked, wrong, keyed),
        400 => Some(moved(courier, order, "at-return", json!({}), false, keyed)),
        _ => {
            let code = tracked.row.return_code.clone().unwrap_or_default();
            Some(moved(courier, order, "hand-back", seen(&code), is_wrong(&code), keyed))
        }
    }
}

fn carry(
    simulation: &mut Simulation,
    courier: &KnownCourier,
    tracked: &Tracked,
    wrong: bool,
    keyed: bool,
) -> Option<Plan> {
    let order = tracked.row.id;
    let current = tracked.stops.iter().find(|stop| matches!(stop.1, 320 | 330));
    let aboard: Vec<_> = tracked.stops.iter().filter(|stop| stop.1 == 310).collect();
    let &(stop, status, _) = current.or(simulation.rng.pick(&aboard).copied())?;
    let body = json!({ "deliveryId": stop });
    if simulation.rng.often(100) {
        let body = json!({ "deliveryId": stop, "reason": "ninguém em casa" });
        return Some(moved(courier, order, "fail", body, false, keyed));
    }
    if status != 310 && simulation.rng.often(100) {
        return Some(moved(courier, order, "resequence", body, false, keyed));
    }
    match status {
        310 => Some(moved(courier, order, "en-route", body, false, keyed)),
        320 => Some(moved(courier, order, "at-door", body, false, keyed)),
        _ => {
            let delivery = tracked.row.deliveries.iter().find(|delivery| delivery.id.get() == stop)?;
            let code = if wrong { "0000" } else { delivery.delivery_code.as_str() };
            let is_wrong = wrong && delivery.delivery_code != "0000" && delivery.requires_code();
            let body = json!({ "deliveryId": stop, "code": code });
            Some(moved(courier, order, "deliver", body, is_wrong, keyed))
        }
    }
}
