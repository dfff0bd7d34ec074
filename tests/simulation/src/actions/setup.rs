//! The initial merchants, branches and couriers, created through the API without faults.

use despacho_core::model::{CourierId, StoreId};
use http::Method;
use serde_json::{Value, json};

use super::{degrees, within};
use crate::{
    clients::{KnownCourier, KnownKey, Reader, cnpj},
    exchange::{Action, Plan},
    service::OPERATOR,
    simulation::Simulation,
};

/// Creates stores and couriers.
///
/// # Errors
/// If a request fails or an invariant is violated.
pub(crate) fn populate(simulation: &mut Simulation) -> Result<(), String> {
    simulation.clients.wrong_codes = if simulation.rng.often(300) { 800 } else { 120 };
    let chain = create_parent(simulation, None, false)?;
    let branches = 1 + simulation.rng.index(2);
    for _ in 0..branches {
        let body = store(simulation, "Filial");
        let plan = Plan::post(&chain.value, "/delivery/stores", body, Action::OpenBranch);
        create_store(simulation, &plan)?;
    }
    let floor = simulation.rng.between(0, 40);
    let other = create_parent(simulation, Some(floor), true)?;
    // Enough for a few orders, so that the balance reaches the floor.
    let body = json!({ "amount": floor + 60, "reference": "first" });
    let path = format!("/admin/stores/{}/top-ups", other.store);
    request(
        simulation,
        &Plan::post(OPERATOR, path, body, Action::TopUp { amount: 0 }),
    )?;
    let body = store(simulation, "Filial");
    create_store(
        simulation,
        &Plan::post(&other.value, "/delivery/stores", body, Action::OpenBranch),
    )?;
    let stores: Vec<StoreId> = simulation
        .clients
        .keys
        .iter()
        .map(|key| key.store)
        .collect();
    let (store, is_busy) = (
        simulation.rng.pick(&stores).copied(),
        simulation.rng.often(600),
    );
    simulation.clients.busy_store = store.filter(|_| is_busy);
    for store in stores {
        let plan = dispatch_terms(simulation, store);
        request(simulation, &plan)?;
    }
    for _ in 0..2 + simulation.rng.index(3) {
        create_courier(simulation)?;
    }
    let readers = simulation.clients.keys.iter().enumerate();
    let reader = |(key, known): (usize, &KnownKey)| Reader {
        key,
        store: known.store,
        cursor: None,
        position: 0,
        busy: false,
    };
    simulation.clients.readers = readers.map(reader).collect();
    Ok(())
}

/// The kinds of vehicles of couriers and orders.
pub(crate) const KINDS: [&str; 4] = ["BICYCLE", "MOTORBIKE_BAG", "MOTORBIKE_BOX", "CAR"];

/// Returns the body of a new store.
pub(crate) fn store(simulation: &mut Simulation, name: &str) -> Value {
    let number = simulation.clients.next_serial();
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

/// Returns a request that sets a store's dispatch terms: a lead time of 0 to 30 minutes, and the
/// limit of its trips.
pub(crate) fn dispatch_terms(simulation: &mut Simulation, store: StoreId) -> Plan {
    let lead = *simulation
        .rng
        .pick(&[None, Some(0), Some(5), Some(15), Some(30)])
        .unwrap_or(&None);
    let limit = *simulation
        .rng
        .pick(&[None, None, Some(1), Some(2), Some(6)])
        .unwrap_or(&None);
    let body = json!({ "leadMinutes": lead, "ordersPerTrip": limit });
    Plan::post(
        OPERATOR,
        format!("/admin/stores/{store}/dispatch"),
        body,
        Action::Plain,
    )
    .with(Method::PUT)
}

/// Returns the body of a new courier. Every other courier belongs to the sandbox.
pub(crate) fn courier_body(simulation: &mut Simulation) -> Value {
    let number = simulation.clients.next_serial();
    let mut body = json!({
        "name": format!("Ana {number}"),
        "phone": format!("+55119{:08}", 10_000_000 + number),
        "available": true,
        "sandbox": number.is_multiple_of(2),
    });
    if simulation.rng.often(500) {
        body["vehicle"] = json!(simulation.rng.pick(&KINDS));
    }
    if simulation.rng.often(200) {
        body["maxWeightGrams"] = json!(simulation.rng.between(2_000, 20_000));
    }
    body
}

fn create_parent(
    simulation: &mut Simulation,
    floor: Option<i64>,
    sandbox: bool,
) -> Result<KnownKey, String> {
    let mut body = store(simulation, "Matriz");
    body["sandbox"] = json!(sandbox);
    body["address"]["latitude"] = json!(degrees(-235_500));
    body["address"]["longitude"] = json!(degrees(-466_300));
    if let Some(floor) = floor {
        body["prepaidFloor"] = json!(floor);
    }
    create_store(
        simulation,
        &Plan::post(OPERATOR, "/admin/matrices", body, Action::OpenBranch),
    )
}

fn create_store(simulation: &mut Simulation, plan: &Plan) -> Result<KnownKey, String> {
    let body = request(simulation, plan)?;
    let store = body["storeId"]
        .as_str()
        .and_then(StoreId::parse)
        .ok_or("a store without an ID")?;
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let key = KnownKey {
        store,
        id: text("id"),
        value: text("value"),
        revoked: false,
        may_be_revoked: false,
    };
    simulation.clients.keys.push(key.clone());
    Ok(key)
}

fn create_courier(simulation: &mut Simulation) -> Result<(), String> {
    let body = courier_body(simulation);
    let body = request(
        simulation,
        &Plan::post(OPERATOR, "/admin/couriers", body, Action::Register),
    )?;
    let id = body["id"]
        .as_u64()
        .and_then(CourierId::new)
        .ok_or("a courier without an ID")?;
    let key = body["value"].as_str().unwrap_or_default().to_owned();
    let (north, east) = (
        simulation.rng.between(-300, 300),
        simulation.rng.between(-300, 300),
    );
    let position =
        json!({ "latitude": degrees(-235_500 + north), "longitude": degrees(-466_300 + east) });
    request(
        simulation,
        &Plan::post(&key, "/courier/position", position, Action::Plain),
    )?;
    simulation.clients.couriers.push(KnownCourier {
        id,
        key,
        removed: false,
        silent_until_ms: 0,
        stands_until_ms: 0,
    });
    Ok(())
}

fn request(simulation: &mut Simulation, plan: &Plan) -> Result<Value, String> {
    let response = simulation.call(plan, None)?;
    let body: Value = serde_json::from_slice(response.body()).unwrap_or_default();
    if response.status().is_success() {
        Ok(body)
    } else {
        Err(format!("{}: {body}", plan.path))
    }
}
