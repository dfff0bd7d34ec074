//! The actions of couriers: they report positions and take the steps of their order, sometimes out
//! of sequence or with a wrong code.

use despacho_core::model::{Duration, OrderId, StoreId};
use serde_json::{Value, json};

use super::degrees;
use crate::{
    clients::KnownCourier,
    exchange::{Action, Actor, Plan},
    simulation::Simulation,
    tracked_order::TrackedOrder,
};

/// Chooses a courier's next action.
pub(crate) fn choose(simulation: &mut Simulation) -> Option<Plan> {
    let now_ms = simulation.service.time_ms.get();
    let couriers = simulation.clients.couriers.iter().enumerate();
    let active =
        couriers.filter(|(_, courier)| !courier.removed && courier.silent_until_ms <= now_ms);
    let active: Vec<usize> = active.map(|(at, _)| at).collect();
    let at = *simulation.rng.pick(&active)?;
    if simulation.rng.often(4) {
        // The courier disappears, possibly in the middle of a trip.
        let until_ms = now_ms + simulation.rng.between(5, 60) * 60_000;
        simulation.clients.couriers.get_mut(at)?.silent_until_ms = until_ms;
        return None;
    }
    if simulation.rng.often(4) {
        simulation.clients.couriers.get_mut(at)?.stands_until_ms =
            now_ms + simulation.rng.between(5, 60) * 60_000;
        return None;
    }
    let courier = simulation.clients.couriers.get(at)?.clone();
    if courier.stands_until_ms > now_ms {
        return Some(stand_still(simulation, &courier));
    }
    match simulation.rng.weighted(&[22, 3, 60, 4, 3, 4]) {
        0 => Some(report_position(simulation, &courier)),
        1 => Some(set_availability(simulation, &courier)),
        2 => take_step(simulation, &courier),
        3 => decline(simulation, &courier),
        4 => Some(Plan::get(
            &courier.key,
            "/courier/order".to_owned(),
            Action::Plain,
        )),
        _ => Some(Plan::get(
            &courier.key,
            "/courier/trip".to_owned(),
            Action::Trip {
                courier: courier.id,
            },
        )),
    }
}

fn report_position(simulation: &mut Simulation, courier: &KnownCourier) -> Plan {
    let (north, east) = (
        simulation.rng.between(-300, 300),
        simulation.rng.between(-300, 300),
    );
    let body =
        json!({ "latitude": degrees(-235_500 + north), "longitude": degrees(-466_300 + east) });
    Plan {
        keyed: simulation.rng.often(300),
        ..Plan::post(&courier.key, "/courier/position", body, Action::Plain)
    }
}

/// Reports the last position again.
fn stand_still(simulation: &mut Simulation, courier: &KnownCourier) -> Plan {
    let Some(point) = simulation
        .service
        .backend
        .courier(courier.id)
        .and_then(|stored| stored.position)
    else {
        return report_position(simulation, courier);
    };
    let body = json!({ "latitude": point.latitude(), "longitude": point.longitude() });
    Plan::post(&courier.key, "/courier/position", body, Action::Plain)
}

/// Returns whether the clerk of a store does nothing, so that couriers wait for a code.
fn is_clerk_absent(simulation: &mut Simulation, store: StoreId) -> bool {
    let now_ms = simulation.service.time_ms.get();
    if simulation.rng.often(20) {
        let until_ms = now_ms + simulation.rng.between(5, 60) * 60_000;
        simulation.clients.absent_clerks.insert(store, until_ms);
    }
    simulation
        .clients
        .absent_clerks
        .get(&store)
        .is_some_and(|until_ms| *until_ms > now_ms)
}

fn set_availability(simulation: &mut Simulation, courier: &KnownCourier) -> Plan {
    let mut body = json!({ "available": simulation.rng.often(850) });
    let now = simulation.service.clock();
    if simulation.rng.often(200) {
        body["availableFrom"] = json!(
            now.after(Duration::minutes(simulation.rng.between(-5, 15)))
                .to_string()
        );
    }
    if simulation.rng.often(200) {
        body["availableUntil"] = json!(
            now.after(Duration::minutes(simulation.rng.between(20, 90)))
                .to_string()
        );
    }
    Plan::post(&courier.key, "/courier/availability", body, Action::Plain)
}

/// Returns an order of the courier's trip, or rarely another one. Mostly one that blocks the others
/// of the trip.
fn pick_order<'a>(
    simulation: &'a mut Simulation,
    courier: &KnownCourier,
) -> Option<&'a TrackedOrder> {
    let (other, any) = (simulation.rng.often(30), simulation.rng.often(200));
    let open = |tracked: &&TrackedOrder| (210..500).contains(&tracked.status);
    let has = |tracked: &&TrackedOrder| other || is_carried(tracked, courier);
    let found: Vec<&TrackedOrder> = simulation
        .model
        .orders
        .values()
        .filter(open)
        .filter(has)
        .collect();
    let is_current =
        |tracked: &TrackedOrder| tracked.stops.iter().any(|stop| matches!(stop.1, 320 | 330));
    let blocks = |tracked: &&&TrackedOrder| tracked.status < 300 || is_current(tracked);
    let blocking: Vec<&TrackedOrder> = found.iter().filter(blocks).copied().collect();
    let list = if any || blocking.is_empty() {
        &found
    } else {
        &blocking
    };
    let id = simulation.rng.pick(list)?.row.id;
    simulation.model.orders.get(&id)
}

fn is_carried(tracked: &TrackedOrder, courier: &KnownCourier) -> bool {
    tracked
        .row
        .courier
        .as_ref()
        .is_some_and(|has| has.id == courier.id)
}

/// Returns a wrong pickup code: sometimes that of another order of the trip.
fn wrong_code(simulation: &mut Simulation, courier: &KnownCourier, order: OrderId) -> String {
    let open =
        |tracked: &&TrackedOrder| (210..300).contains(&tracked.status) && tracked.row.id != order;
    let others = simulation
        .model
        .orders
        .values()
        .filter(open)
        .filter(|tracked| is_carried(tracked, courier));
    let codes: Vec<String> = others
        .map(|tracked| tracked.row.pickup_code.clone())
        .collect();
    let other = simulation
        .rng
        .often(700)
        .then(|| simulation.rng.pick(&codes).cloned())
        .flatten();
    other.unwrap_or_else(|| "0000".to_owned())
}

fn step_plan(
    courier: &KnownCourier,
    order: OrderId,
    step: &str,
    body: Value,
    wrong_code: bool,
    keyed: bool,
) -> Plan {
    let action = Action::Step {
        order,
        by: Actor::Courier(courier.id),
        wrong_code,
        cancels: false,
    };
    Plan {
        keyed,
        ..Plan::post(
            &courier.key,
            format!("/courier/orders/{order}/{step}"),
            body,
            action,
        )
    }
}

fn decline(simulation: &mut Simulation, courier: &KnownCourier) -> Option<Plan> {
    let order = pick_order(simulation, courier)?.row.id;
    let action = Action::Step {
        order,
        by: Actor::Courier(courier.id),
        wrong_code: false,
        cancels: false,
    };
    let path = format!("/courier/orders/{order}/decline");
    Some(Plan::post(
        &courier.key,
        path,
        json!({ "reason": "pneu furado" }),
        action,
    ))
}

/// Takes the next step of the courier's order.
fn take_step(simulation: &mut Simulation, courier: &KnownCourier) -> Option<Plan> {
    let tracked = pick_order(simulation, courier)?.clone();
    let (order, keyed) = (tracked.row.id, simulation.rng.often(500));
    let wrong = simulation.rng.often(simulation.clients.wrong_codes);
    if matches!(tracked.status, 220 | 410) && is_clerk_absent(simulation, tracked.row.store) {
        return Some(stand_still(simulation, courier));
    }
    if simulation.rng.often(60) {
        // A random step, possibly out of sequence.
        let step = *simulation.rng.pick(&[
            "arrive",
            "at-return",
            "en-route",
            "resequence",
            "at-door",
            "deliver",
        ])?;
        let stop = simulation.rng.pick(&tracked.stops)?.0;
        return Some(step_plan(
            courier,
            order,
            step,
            json!({ "deliveryId": stop, "code": "0000" }),
            false,
            keyed,
        ));
    }
    let false_code = if wrong {
        wrong_code(simulation, courier, order)
    } else {
        String::new()
    };
    let body = |code: &str| json!({ "code": if wrong { &false_code } else { code } });
    // Two random codes can be equal.
    let is_wrong = |code: &str| wrong && code != false_code;
    match tracked.status {
        210 => Some(step_plan(courier, order, "arrive", json!({}), false, keyed)),
        220 => {
            let code = &tracked.row.pickup_code;
            Some(step_plan(
                courier,
                order,
                "pickup",
                body(code),
                is_wrong(code),
                keyed,
            ))
        }
        300 => deliver(simulation, courier, &tracked, wrong, keyed),
        400 => Some(step_plan(
            courier,
            order,
            "at-return",
            json!({}),
            false,
            keyed,
        )),
        _ => {
            let code = tracked.row.return_code.clone().unwrap_or_default();
            Some(step_plan(
                courier,
                order,
                "hand-back",
                body(&code),
                is_wrong(&code),
                keyed,
            ))
        }
    }
}

fn deliver(
    simulation: &mut Simulation,
    courier: &KnownCourier,
    tracked: &TrackedOrder,
    wrong: bool,
    keyed: bool,
) -> Option<Plan> {
    let order = tracked.row.id;
    let current = tracked
        .stops
        .iter()
        .find(|stop| matches!(stop.1, 320 | 330));
    let aboard: Vec<_> = tracked.stops.iter().filter(|stop| stop.1 == 310).collect();
    let &(stop, status, _) = current.or(simulation.rng.pick(&aboard).copied())?;
    let body = json!({ "deliveryId": stop });
    if simulation.rng.often(100) {
        let body = json!({ "deliveryId": stop, "reason": "ninguém em casa" });
        return Some(step_plan(courier, order, "fail", body, false, keyed));
    }
    if status != 310 && simulation.rng.often(100) {
        return Some(step_plan(courier, order, "resequence", body, false, keyed));
    }
    match status {
        310 => Some(step_plan(courier, order, "en-route", body, false, keyed)),
        320 => Some(step_plan(courier, order, "at-door", body, false, keyed)),
        _ => {
            let delivery = tracked
                .row
                .deliveries
                .iter()
                .find(|delivery| delivery.id.get() == stop)?;
            let code = if wrong {
                "0000"
            } else {
                delivery.delivery_code.as_str()
            };
            let is_wrong = wrong && delivery.delivery_code != "0000" && delivery.requires_code();
            let body = json!({ "deliveryId": stop, "code": code });
            Some(step_plan(courier, order, "deliver", body, is_wrong, keyed))
        }
    }
}
