//! The world before its first step: merchants with branches, and couriers, all made through the API in calm weather.

use despacho_core::model::{CourierId, StoreId};
use serde_json::{Value, json};

use super::{degrees, within};
use crate::{
    exchange::{Act, Plan},
    people::{KnownCourier, KnownKey, Reader, cnpj},
    service::OPERATOR,
    simulation::Simulation,
};

/// Makes stores and couriers.
///
/// # Errors
/// What the service did wrong.
pub(crate) fn populate(simulation: &mut Simulation) -> Result<(), String> {
    simulation.people.guesses = if simulation.rng.often(300) { 800 } else { 120 };
    let chain = matrix(simulation, None, false)?;
    let branches = 1 + simulation.rng.index(2);
    for _ in 0..branches {
        let body = store(simulation, "Filial");
        let plan = Plan::post(&chain.text, "/delivery/stores", body, Act::OpenBranch);
        opened(simulation, &plan)?;
    }
    let floor = simulation.rng.between(0, 40);
    let other = matrix(simulation, Some(floor), true)?;
    // Enough for a few orders, so that they meet at the floor.
    let body = json!({ "amount": floor + 60, "reference": "first" });
    let path = format!("/admin/stores/{}/top-ups", other.store);
    done(simulation, &Plan::post(OPERATOR, path, body, Act::TopUp { amount: 0 }))?;
    let body = store(simulation, "Filial");
    opened(simulation, &Plan::post(&other.text, "/delivery/stores", body, Act::OpenBranch))?;
    for _ in 0..2 + simulation.rng.index(3) {
        courier(simulation)?;
    }
    let readers = simulation.people.keys.iter().enumerate();
    let reader =
        |(key, known): (usize, &KnownKey)| Reader { key, store: known.store, cursor: None, place: 0, busy: false };
    simulation.people.readers = readers.map(reader).collect();
    Ok(())
}

/// A new store's body.
pub(crate) fn store(simulation: &mut Simulation, name: &str) -> Value {
    let number = simulation.people.next();
    json!({
        "cnpj": cnpj(number),
        "name": format!("{name} {number}"),
        "responsible": { "name": "Rui Costa", "phone": "+5511988887777" },
        "email": format!("loja{number}@padaria.example"),
        "password": format!("uma senha bem longa {number}"),
        "address": within(&mut simulation.rng, 200),
        "marketplaceBranchId": 1,
    })
}

/// A new courier's body; every other one is a sandbox courier.
pub(crate) fn rider(simulation: &mut Simulation) -> Value {
    let number = simulation.people.next();
    json!({
        "name": format!("Ana {number}"),
        "phone": format!("+55119{:08}", 10_000_000 + number),
        "available": true,
        "sandbox": number.is_multiple_of(2),
    })
}

fn matrix(simulation: &mut Simulation, floor: Option<i64>, sandbox: bool) -> Result<KnownKey, String> {
    let mut body = store(simulation, "Matriz");
    body["sandbox"] = json!(sandbox);
    body["address"]["latitude"] = json!(degrees(-235_500));
    body["address"]["longitude"] = json!(degrees(-466_300));
    if let Some(floor) = floor {
        body["prepaidFloor"] = json!(floor);
    }
    opened(simulation, &Plan::post(OPERATOR, "/admin/matrices", body, Act::OpenBranch))
}

fn opened(simulation: &mut Simulation, plan: &Plan) -> Result<KnownKey, String> {
    let body = done(simulation, plan)?;
    let store = body["storeId"].as_str().and_then(StoreId::parse).ok_or("a store without a number")?;
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let key = KnownKey { store, id: text("id"), text: text("value"), revoked: false, doubtful: false };
    simulation.people.keys.push(key.clone());
    Ok(key)
}

fn courier(simulation: &mut Simulation) -> Result<(), String> {
    let body = rider(simulation);
    let body = done(simulation, &Plan::post(OPERATOR, "/admin/couriers", body, Act::Register))?;
    let id = body["id"].as_u64().and_then(CourierId::new).ok_or("a courier without a number")?;
    let key = body["value"].as_str().unwrap_or_default().to_owned();
    let (north, east) = (simulation.rng.between(-300, 300), simulation.rng.between(-300, 300));
    let place = json!({ "latitude": degrees(-235_500 + north), "longitude": degrees(-466_300 + east) });
    done(simulation, &Plan::post(&key, "/courier/position", place, Act::Plain))?;
    simulation.people.couriers.push(KnownCourier { id, key, removed: false });
    Ok(())
}

fn done(simulation: &mut Simulation, plan: &Plan) -> Result<Value, String> {
    let response = simulation.call(plan, None)?;
    let body: Value = serde_json::from_slice(response.body()).unwrap_or_default();
    if response.status().is_success() { Ok(body) } else { Err(format!("{}: {body}", plan.path)) }
}
