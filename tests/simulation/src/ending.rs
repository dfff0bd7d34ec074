//! The end of a run: the couriers complete their trips, stop by stop in the published sequence, so
//! that every order ends.

use despacho_core::model::{CourierId, DeliveryId, OrderId};
use serde_json::{Value, json};

use crate::{
    clients::KnownCourier,
    exchange::{Action, Actor, Plan},
    model::CheckResult,
    simulation::Simulation,
    tracked_order::TrackedOrder,
};

/// The maximum number of steps of a trip.
const MAX_STEPS: u32 = 200;
/// Longer than the lock after wrong codes.
const STEP_MS: i64 = 15 * 60_000;

/// Completes all trips without faults, and checks that every order has ended.
///
/// # Errors
/// If a step fails, or an order is still open.
pub(crate) fn complete_trips(simulation: &mut Simulation) -> CheckResult {
    for courier in simulation.clients.couriers.clone() {
        complete_trip(simulation, &courier)?;
    }
    let open = simulation
        .model
        .orders
        .values()
        .find(|tracked| tracked.status < 500);
    open.map_or(Ok(()), |open| {
        Err(format!(
            "order {} did not end: status {}",
            open.row.id, open.status
        ))
    })
}

/// Returns the orders that the model assigns to a courier.
fn carried(simulation: &Simulation, courier: CourierId) -> Vec<u64> {
    let open = simulation
        .model
        .orders
        .values()
        .filter(|tracked| tracked.status < 500);
    let own = open.filter(|tracked| {
        tracked
            .row
            .courier
            .as_ref()
            .is_some_and(|one| one.id == courier)
    });
    own.map(|tracked| tracked.row.id.get()).collect()
}

fn complete_trip(simulation: &mut Simulation, courier: &KnownCourier) -> CheckResult {
    for _ in 0..MAX_STEPS {
        let expected = carried(simulation, courier.id);
        if expected.is_empty() {
            return Ok(());
        }
        simulation.advance_time(STEP_MS);
        let action = Action::Trip {
            courier: courier.id,
        };
        let trip = send(
            simulation,
            &Plan::get(&courier.key, "/courier/trip".to_owned(), action),
        )?["trip"]
            .take();
        let mut listed: Vec<u64> = trip["orders"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|order| order["id"].as_u64())
            .collect();
        listed.sort_unstable();
        if listed != expected {
            return Err(format!(
                "courier {} has the orders {expected:?}, but the trip is {trip}",
                courier.id
            ));
        }
        let plan = next_step(simulation, courier, &trip["stops"][0]);
        send(
            simulation,
            &plan.ok_or_else(|| {
                format!(
                    "the trip of courier {} has no next step: {trip}",
                    courier.id
                )
            })?,
        )?;
    }
    Err(format!("the trip of courier {} does not end", courier.id))
}

/// Returns the step that the next stop of a trip requires.
fn next_step(simulation: &Simulation, courier: &KnownCourier, stop: &Value) -> Option<Plan> {
    let order = OrderId::new(stop["orderId"].as_u64()?)?;
    let tracked = simulation.model.orders.get(&order)?;
    let (step, body) = match (stop["type"].as_str()?, tracked.status) {
        ("PICKUP", 210) => ("arrive", json!({})),
        ("PICKUP", 220) => ("pickup", json!({ "code": tracked.row.pickup_code })),
        ("DELIVERY", 300) => {
            delivery_step(tracked, DeliveryId::new(stop["deliveryId"].as_u64()?)?)?
        }
        ("RETURN", 400) => ("at-return", json!({})),
        ("RETURN", 410) => (
            "hand-back",
            json!({ "code": tracked.row.return_code.clone().unwrap_or_default() }),
        ),
        _ => return None,
    };
    let action = Action::Step {
        order,
        by: Actor::Courier(courier.id),
        wrong_code: false,
        cancels: false,
    };
    Some(Plan::post(
        &courier.key,
        format!("/courier/orders/{order}/{step}"),
        body,
        action,
    ))
}

fn delivery_step(tracked: &TrackedOrder, stop: DeliveryId) -> Option<(&'static str, Value)> {
    let status = tracked.stops.iter().find(|known| known.0 == stop.get())?.1;
    let code = &tracked
        .row
        .deliveries
        .iter()
        .find(|delivery| delivery.id == stop)?
        .delivery_code;
    match status {
        310 => Some(("en-route", json!({ "deliveryId": stop.get() }))),
        320 => Some(("at-door", json!({ "deliveryId": stop.get() }))),
        330 => Some(("deliver", json!({ "deliveryId": stop.get(), "code": code }))),
        _ => None,
    }
}

fn send(simulation: &mut Simulation, plan: &Plan) -> Result<Value, String> {
    let response = simulation.call(plan, None)?;
    let body: Value = serde_json::from_slice(response.body()).unwrap_or_default();
    if response.status().is_success() {
        Ok(body)
    } else {
        Err(format!("{}: {} {body}", plan.path, response.status()))
    }
}
