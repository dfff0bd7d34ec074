//! What the operator does: rounds of dispatch by hand, couriers, money, and what only the platform may.

use despacho_core::model::OrderId;
use http::Method;
use serde_json::{Value, json};

use super::setup;
use crate::{
    exchange::{Act, By, Plan},
    service::OPERATOR,
    simulation::Simulation,
};

/// The operator's next act.
pub(crate) fn choose(simulation: &mut Simulation) -> Option<Plan> {
    match simulation.rng.weighted(&[40, 12, 3, 6, 6, 4, 3]) {
        0 => Some(Plan { body: None, ..Plan::post(OPERATOR, "/admin/dispatch", Value::Null, Act::Plain) }),
        1 => top_up(simulation),
        2 => {
            let body = setup::rider(simulation);
            Some(Plan::post(OPERATOR, "/admin/couriers", body, Act::Register))
        }
        3 => alter(simulation),
        4 => {
            let order = order(simulation, 600)?;
            let act = Act::Move { order, by: By::Operator, wrong: false, cancels: true };
            Some(Plan::post(OPERATOR, format!("/admin/orders/{order}/cancel"), json!({ "reason": "chuva" }), act))
        }
        5 => {
            let order = order(simulation, 500)?;
            let stops = simulation.model.orders.get(&order)?.stops.clone();
            let body = json!({ "deliveryId": simulation.rng.pick(&stops)?.0, "reason": "roubo" });
            let act = Act::Move { order, by: By::Operator, wrong: false, cancels: false };
            Some(Plan::post(OPERATOR, format!("/admin/orders/{order}/lost"), body, act))
        }
        _ => Some(Plan::get(OPERATOR, "/admin/couriers?limit=3".to_owned(), Act::Plain)),
    }
}

fn order(simulation: &mut Simulation, below: u16) -> Option<OrderId> {
    let open = simulation.model.orders.values().filter(|tracked| tracked.status < below);
    let ids: Vec<OrderId> = open.map(|tracked| tracked.row.id).collect();
    simulation.rng.pick(&ids).copied()
}

fn top_up(simulation: &mut Simulation) -> Option<Plan> {
    let stores: Vec<_> =
        simulation.model.stores.iter().filter(|(_, store)| !store.removed).map(|(id, _)| *id).collect();
    let store = simulation.rng.pick(&stores)?;
    // Few references, so that the same one comes again, with the same amount or another.
    let (number, twice) = (simulation.rng.below(40), simulation.rng.often(100));
    let amount = i64::try_from(number).unwrap_or_default() + 5 + i64::from(twice);
    let body = json!({ "amount": amount, "reference": format!("pix-{number}") });
    Some(Plan::post(OPERATOR, format!("/admin/stores/{store}/top-ups"), body, Act::TopUp { amount: amount * 100 }))
}

fn alter(simulation: &mut Simulation) -> Option<Plan> {
    let couriers: Vec<usize> = simulation.people.couriers.iter().enumerate().map(|(at, _)| at).collect();
    let courier = *simulation.rng.pick(&couriers)?;
    let existing = simulation.people.couriers.iter().filter(|courier| !courier.removed).count();
    let removes = existing > 2 && simulation.rng.often(250);
    let body = if removes {
        json!({ "removed": true })
    } else {
        json!({ "available": simulation.rng.often(700), "name": format!("Ana {}", simulation.rng.below(100)) })
    };
    let id = simulation.people.couriers.get(courier)?.id;
    let act = Act::Alter { courier, removes };
    Some(Plan::post(OPERATOR, format!("/admin/couriers/{id}"), body, act).with(Method::PATCH))
}
