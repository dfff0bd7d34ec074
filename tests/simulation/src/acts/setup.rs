//! The world before its first step: merchants with branches, and couriers, all made through the API in calm weather.

use despacho_core::model::{CourierId, StoreId};
use serde_json::{Value, json};

use super::{degrees, within};
use crate::{
    exchange::{Act, Plan},
    people::{KnownCourier, KnownKey, Reader, cnpj},
    service::OPERATOR,
    world::World,
};

/// Makes stores and couriers.
///
/// # Errors
/// What the service did wrong.
pub(crate) fn populate(world: &mut World) -> Result<(), String> {
    world.people.guesses = if world.chance.often(300) { 800 } else { 120 };
    let chain = matrix(world, None, false)?;
    let branches = 1 + world.chance.index(2);
    for _ in 0..branches {
        let body = store(world, "Filial");
        let plan = Plan::post(&chain.text, "/delivery/stores", body, Act::OpenBranch);
        opened(world, &plan)?;
    }
    let floor = world.chance.between(0, 40);
    let other = matrix(world, Some(floor), true)?;
    // Enough for a few orders, so that they meet at the floor.
    let body = json!({ "amount": floor + 60, "reference": "first" });
    let path = format!("/admin/stores/{}/top-ups", other.store);
    done(world, &Plan::post(OPERATOR, path, body, Act::TopUp { amount: 0 }))?;
    let body = store(world, "Filial");
    opened(world, &Plan::post(&other.text, "/delivery/stores", body, Act::OpenBranch))?;
    for _ in 0..2 + world.chance.index(3) {
        courier(world)?;
    }
    let readers = world.people.keys.iter().enumerate();
    let reader =
        |(key, known): (usize, &KnownKey)| Reader { key, store: known.store, cursor: None, place: 0, busy: false };
    world.people.readers = readers.map(reader).collect();
    Ok(())
}

/// A new store's body.
pub(crate) fn store(world: &mut World, name: &str) -> Value {
    let number = world.people.next();
    json!({
        "cnpj": cnpj(number),
        "name": format!("{name} {number}"),
        "responsible": { "name": "Rui Costa", "phone": "+5511988887777" },
        "email": format!("loja{number}@padaria.example"),
        "password": format!("uma senha bem longa {number}"),
        "address": within(&mut world.chance, 200),
        "marketplaceBranchId": 1,
    })
}

/// A new courier's body; every other one is a sandbox courier.
pub(crate) fn rider(world: &mut World) -> Value {
    let number = world.people.next();
    json!({
        "name": format!("Ana {number}"),
        "phone": format!("+55119{:08}", 10_000_000 + number),
        "available": true,
        "sandbox": number.is_multiple_of(2),
    })
}

fn matrix(world: &mut World, floor: Option<i64>, sandbox: bool) -> Result<KnownKey, String> {
    let mut body = store(world, "Matriz");
    body["sandbox"] = json!(sandbox);
    body["address"]["latitude"] = json!(degrees(-235_500));
    body["address"]["longitude"] = json!(degrees(-466_300));
    if let Some(floor) = floor {
        body["prepaidFloor"] = json!(floor);
    }
    opened(world, &Plan::post(OPERATOR, "/admin/matrices", body, Act::OpenBranch))
}

fn opened(world: &mut World, plan: &Plan) -> Result<KnownKey, String> {
    let body = done(world, plan)?;
    let store = body["storeId"].as_str().and_then(StoreId::parse).ok_or("a store without a number")?;
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let key = KnownKey { store, id: text("id"), text: text("value"), revoked: false, doubtful: false };
    world.people.keys.push(key.clone());
    Ok(key)
}

fn courier(world: &mut World) -> Result<(), String> {
    let body = rider(world);
    let body = done(world, &Plan::post(OPERATOR, "/admin/couriers", body, Act::Register))?;
    let id = body["id"].as_u64().and_then(CourierId::new).ok_or("a courier without a number")?;
    let key = body["value"].as_str().unwrap_or_default().to_owned();
    let (north, east) = (world.chance.between(-300, 300), world.chance.between(-300, 300));
    let place = json!({ "latitude": degrees(-235_500 + north), "longitude": degrees(-466_300 + east) });
    done(world, &Plan::post(&key, "/courier/position", place, Act::Plain))?;
    world.people.couriers.push(KnownCourier { id, key, removed: false });
    Ok(())
}

fn done(world: &mut World, plan: &Plan) -> Result<Value, String> {
    let response = world.call(plan, None)?;
    let body: Value = serde_json::from_slice(response.body()).unwrap_or_default();
    if response.status().is_success() { Ok(body) } else { Err(format!("{}: {body}", plan.path)) }
}
