//! The actions of the operator: manual dispatch, couriers, top-ups, cancellations and losses.

use despacho_core::model::{OrderId, StoreId};
use http::Method;
use serde_json::{Value, json};

use super::setup;
use crate::{
    exchange::{Action, Actor, Plan},
    service::OPERATOR,
    simulation::Simulation,
};

/// Chooses the operator's next action.
pub(crate) fn choose(simulation: &mut Simulation) -> Option<Plan> {
    match simulation.rng.weighted(&[40, 12, 3, 6, 6, 4, 3, 3, 4, 3]) {
        0 => Some(Plan {
            body: None,
            ..Plan::post(OPERATOR, "/admin/dispatch", Value::Null, Action::Plain)
        }),
        1 => top_up(simulation),
        2 => {
            let body = setup::courier_body(simulation);
            Some(Plan::post(
                OPERATOR,
                "/admin/couriers",
                body,
                Action::Register,
            ))
        }
        3 => update_courier(simulation),
        4 => {
            let order = order(simulation, 600)?;
            let action = Action::Step {
                order,
                by: Actor::Operator,
                wrong_code: false,
                cancels: true,
            };
            Some(Plan::post(
                OPERATOR,
                format!("/admin/orders/{order}/cancel"),
                json!({ "reason": "chuva" }),
                action,
            ))
        }
        5 => {
            let order = order(simulation, 500)?;
            let stops = simulation.model.orders.get(&order)?.stops.clone();
            let body = json!({ "deliveryId": simulation.rng.pick(&stops)?.0, "reason": "roubo" });
            let action = Action::Step {
                order,
                by: Actor::Operator,
                wrong_code: false,
                cancels: false,
            };
            Some(Plan::post(
                OPERATOR,
                format!("/admin/orders/{order}/lost"),
                body,
                action,
            ))
        }
        6 => Some(Plan::get(
            OPERATOR,
            "/admin/couriers?limit=3".to_owned(),
            Action::Plain,
        )),
        7 => {
            let store = pick_store(simulation)?;
            Some(setup::dispatch_terms(simulation, store))
        }
        8 => reassign(simulation),
        _ => explain(simulation),
    }
}

fn order(simulation: &mut Simulation, below: u16) -> Option<OrderId> {
    let open = simulation
        .model
        .orders
        .values()
        .filter(|tracked| tracked.status < below);
    let ids: Vec<OrderId> = open.map(|tracked| tracked.row.id).collect();
    simulation.rng.pick(&ids).copied()
}

fn pick_store(simulation: &mut Simulation) -> Option<StoreId> {
    let stores = simulation
        .model
        .stores
        .iter()
        .filter(|(_, store)| !store.removed);
    let stores: Vec<StoreId> = stores.map(|(id, _)| *id).collect();
    simulation.rng.pick(&stores).copied()
}

/// Takes an order from its courier, and in some requests gives it to another one, whose vehicle may
/// not carry it.
fn reassign(simulation: &mut Simulation) -> Option<Plan> {
    let order = order(simulation, 300)?;
    let couriers: Vec<u64> = simulation
        .clients
        .couriers
        .iter()
        .map(|courier| courier.id.get())
        .collect();
    let mut body = json!({ "reason": "moto quebrada" });
    if simulation.rng.often(700) {
        body["courierId"] = json!(simulation.rng.pick(&couriers)?);
    }
    let action = Action::Step {
        order,
        by: Actor::Operator,
        wrong_code: false,
        cancels: false,
    };
    Some(Plan::post(
        OPERATOR,
        format!("/admin/orders/{order}/reassign"),
        body,
        action,
    ))
}

/// Requests the reasons of a decision, or the decisions of a pass that changes nothing.
fn explain(simulation: &mut Simulation) -> Option<Plan> {
    if simulation.rng.often(500) {
        let path = "/admin/dispatch?dryRun=true";
        return Some(Plan {
            body: None,
            ..Plan::post(OPERATOR, path, Value::Null, Action::DryRun)
        });
    }
    let order = order(simulation, 500)?;
    Some(Plan::get(
        OPERATOR,
        format!("/admin/orders/{order}/dispatch"),
        Action::Plain,
    ))
}

fn top_up(simulation: &mut Simulation) -> Option<Plan> {
    let store = pick_store(simulation)?;
    // References are few, so that they repeat, sometimes with a different amount.
    let (number, differs) = (simulation.rng.below(40), simulation.rng.often(100));
    let amount = i64::try_from(number).unwrap_or_default() + 5 + i64::from(differs);
    let body = json!({ "amount": amount, "reference": format!("pix-{number}") });
    Some(Plan::post(
        OPERATOR,
        format!("/admin/stores/{store}/top-ups"),
        body,
        Action::TopUp {
            amount: amount * 100,
        },
    ))
}

fn update_courier(simulation: &mut Simulation) -> Option<Plan> {
    let couriers: Vec<usize> = simulation
        .clients
        .couriers
        .iter()
        .enumerate()
        .map(|(at, _)| at)
        .collect();
    let courier = *simulation.rng.pick(&couriers)?;
    let existing = simulation
        .clients
        .couriers
        .iter()
        .filter(|courier| !courier.removed)
        .count();
    let removes = existing > 2 && simulation.rng.often(250);
    let mut body = if removes {
        json!({ "removed": true })
    } else {
        json!({ "available": simulation.rng.often(700), "name": format!("Ana {}", simulation.rng.below(100)) })
    };
    if !removes && simulation.rng.often(250) {
        body["vehicle"] = json!(simulation.rng.pick(&setup::KINDS));
    }
    let id = simulation.clients.couriers.get(courier)?.id;
    let action = Action::UpdateCourier { courier, removes };
    Some(Plan::post(OPERATOR, format!("/admin/couriers/{id}"), body, action).with(Method::PATCH))
}
