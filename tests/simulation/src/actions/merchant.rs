//! The actions of merchants: previews, orders and their lifecycle, keys and branches.

use despacho_core::model::{Duration, OrderId, StoreId};
use http::Method;
use serde_json::{Value, json};

use super::{address, setup, setup::KINDS};
use crate::{
    clients::KnownKey,
    exchange::{Action, Actor, Plan},
    simulation::Simulation,
    tracked_order::TrackedOrder,
};

/// The number of different order codes. It is small, so that codes repeat.
const CODES: u64 = 30;

/// Chooses a merchant's next action.
pub(crate) fn choose(simulation: &mut Simulation) -> Option<Plan> {
    let key = key(simulation)?;
    let creations = if simulation.clients.busy_store.is_some() {
        80
    } else {
        30
    };
    match simulation
        .rng
        .weighted(&[creations, 12, 8, 5, 12, 6, 4, 4, 3, 2, 3, 2, 3, 3, 2])
    {
        0 => Some(create(simulation, &key)),
        1 => Some(preview(simulation, &key)),
        2 => with_order(simulation, &key, |order, key| {
            Plan::get(
                &key.value,
                format!("/delivery/orders/{order}"),
                Action::LookUp {
                    order,
                    viewer: key.store,
                },
            )
        }),
        3 => Some(list(simulation, &key)),
        4 => cancel(simulation, &key),
        5 => signal(simulation, &key, "ready", json!({})),
        6 => {
            // A long delay takes an order out of its trip.
            let minutes = if simulation.rng.often(300) {
                simulation.rng.between(15, 30)
            } else {
                simulation.rng.between(1, 5)
            };
            signal(simulation, &key, "delay", json!({ "minutes": minutes }))
        }
        7 => {
            let step = *simulation.rng.pick(&["discard", "return"])?;
            let stop = stop(simulation, &key)?;
            let body = json!({ "deliveryId": stop.1, "reason": "o cliente mudou de ideia" });
            Some(step_plan(&key, stop.0, step, body))
        }
        8 => signal(simulation, &key, "waive", json!({})),
        9 => with_order(simulation, &key, |order, key| {
            let path = format!("/delivery/orders/{order}/cancellation");
            Plan::get(
                &key.value,
                path,
                Action::CancellationCost {
                    order,
                    viewer: key.store,
                },
            )
        }),
        10 => Some(issue_key(simulation, &key)),
        11 => revoke_key(simulation),
        12 => Some(branch(simulation, &key)),
        13 => Some(statement(simulation, &key)),
        _ => invalid_request(simulation, &key),
    }
}

/// Returns a valid key of an existing store.
fn key(simulation: &mut Simulation) -> Option<KnownKey> {
    let good: Vec<KnownKey> = simulation
        .clients
        .keys
        .iter()
        .filter(|key| !key.revoked && !key.may_be_revoked)
        .filter(|key| {
            simulation
                .model
                .stores
                .get(&key.store)
                .is_some_and(|store| !store.removed)
        })
        .cloned()
        .collect();
    simulation.rng.pick(&good).cloned()
}

/// Returns a valid key of the store of most orders, if the run has one, and sometimes none.
fn busy_key(simulation: &mut Simulation) -> Option<KnownKey> {
    let busy = simulation
        .clients
        .busy_store
        .filter(|_| simulation.rng.often(800))?;
    let is_valid = |key: &&KnownKey| key.store == busy && !key.revoked && !key.may_be_revoked;
    let exists = simulation
        .model
        .stores
        .get(&busy)
        .is_some_and(|store| !store.removed);
    simulation
        .clients
        .keys
        .iter()
        .find(is_valid)
        .filter(|_| exists)
        .cloned()
}

/// Returns a recent order, usually one that the store may access.
fn order<'a>(simulation: &'a mut Simulation, key: &KnownKey) -> Option<&'a TrackedOrder> {
    let other = simulation.rng.often(80);
    let is_candidate = |tracked: &&TrackedOrder| {
        other || simulation.model.can_access(key.store, tracked.row.store)
    };
    let ids: Vec<OrderId> = simulation
        .model
        .orders
        .values()
        .filter(is_candidate)
        .map(|tracked| tracked.row.id)
        .collect();
    let recent = ids.get(ids.len().saturating_sub(12)..).unwrap_or_default();
    let id = *simulation.rng.pick(recent)?;
    simulation.model.orders.get(&id)
}

fn with_order(
    simulation: &mut Simulation,
    key: &KnownKey,
    plan: impl Fn(OrderId, &KnownKey) -> Plan,
) -> Option<Plan> {
    let order = order(simulation, key)?.row.id;
    Some(plan(order, key))
}

fn step_plan(key: &KnownKey, order: OrderId, step: &str, body: Value) -> Plan {
    let by = Actor::Store(key.store);
    let action = Action::Step {
        order,
        by,
        wrong_code: false,
        cancels: false,
    };
    Plan::post(
        &key.value,
        format!("/delivery/orders/{order}/{step}"),
        body,
        action,
    )
}

fn signal(simulation: &mut Simulation, key: &KnownKey, step: &str, body: Value) -> Option<Plan> {
    with_order(simulation, key, |order, key| {
        step_plan(key, order, step, body.clone())
    })
}

fn stop(simulation: &mut Simulation, key: &KnownKey) -> Option<(OrderId, u64)> {
    let tracked = order(simulation, key)?;
    let (id, stops) = (tracked.row.id, tracked.stops.clone());
    simulation.rng.pick(&stops).map(|stop| (id, stop.0))
}

/// Returns the store that a merchant acts for: the key's store or one of its branches.
fn pick_store(simulation: &mut Simulation, key: &KnownKey) -> StoreId {
    let model = &simulation.model;
    let own: Vec<StoreId> = model
        .stores
        .iter()
        .filter(|(id, store)| !store.removed && model.can_access(key.store, **id))
        .map(|(id, _)| *id)
        .collect();
    simulation.rng.pick(&own).copied().unwrap_or(key.store)
}

fn preview(simulation: &mut Simulation, key: &KnownKey) -> Plan {
    let store = pick_store(simulation, key);
    let mut content = json!({
        "store": { "userPlatformId": store.get() },
        "sortByBestRoute": simulation.rng.often(300),
        "deliveries": (0..1 + simulation.rng.index(3)).map(|_| stop_body(simulation)).collect::<Vec<_>>(),
    });
    if simulation.rng.often(200) {
        content["pickupAddress"] = address(&mut simulation.rng);
    }
    if simulation.rng.often(500) {
        content["requirements"] = requirements(simulation);
    }
    schedule(simulation, &mut content);
    let action = Action::Preview {
        store,
        content: content.clone(),
    };
    Plan {
        keyed: false,
        ..Plan::post(&key.value, "/delivery/orders/preview", content, action)
    }
}

/// Returns requirements that a kind of vehicle meets.
fn requirements(simulation: &mut Simulation) -> Value {
    let mut requirements = json!({ "packages": simulation.rng.between(1, 4) });
    if simulation.rng.often(800) {
        let max = *simulation
            .rng
            .pick(&[4_000, 11_000, 18_000, 20_000])
            .unwrap_or(&1);
        requirements["weightGrams"] = json!(simulation.rng.between(max / 2, max));
    }
    if simulation.rng.often(400) {
        requirements["volumeMillilitres"] = json!(simulation.rng.between(1, 60_000));
    }
    if simulation.rng.often(200) {
        requirements["vehicle"] = json!(["CAR", simulation.rng.pick(&KINDS)]);
    }
    requirements
}

/// Adds a time or windows to some previews and orders. Most of them are within the run, and some
/// cannot be met.
fn schedule(simulation: &mut Simulation, content: &mut Value) {
    // A busy store has fewer, so that its orders still share trips.
    let share = if simulation.clients.busy_store.is_some() {
        1
    } else {
        3
    };
    let (now, rng) = (simulation.service.clock(), &mut simulation.rng);
    let at = |minutes: i64| json!(now.after(Duration::minutes(minutes)).to_string());
    let has_time = rng.often(90 * share);
    if has_time {
        let minutes = if rng.often(150) {
            rng.between(60, 600)
        } else {
            rng.between(12, 60)
        };
        content["deliverAt"] = at(minutes);
    }
    if rng.often(if has_time { 80 } else { 50 * share }) {
        for stop in content["deliveries"].as_array_mut().into_iter().flatten() {
            if rng.often(300) {
                continue;
            }
            let from = rng.between(0, 70);
            stop["window"] = json!({ "from": at(from), "until": at(from + rng.between(15, 120)) });
        }
    }
}

fn stop_body(simulation: &mut Simulation) -> Value {
    json!({ "address": address(&mut simulation.rng), "onlinePayment": simulation.rng.often(750) })
}

fn create(simulation: &mut Simulation, key: &KnownKey) -> Plan {
    let key = &busy_key(simulation).unwrap_or_else(|| key.clone());
    let mut store = pick_store(simulation, key);
    if let Some(busy) = simulation
        .clients
        .busy_store
        .filter(|busy| simulation.model.can_access(key.store, *busy))
    {
        store = busy;
    }
    let (mut content, mut quote) = (preview(simulation, key).body.unwrap_or_default(), None);
    if simulation.rng.often(350) && !simulation.clients.quotes.is_empty() {
        let quotes = &simulation.clients.quotes;
        let recent = quotes.len().saturating_sub(6);
        let at = recent + simulation.rng.index(quotes.len() - recent);
        if let Some(known) = quotes.get(at) {
            content = known.body.clone();
            content["quoteId"] = json!(known.id);
            if simulation.model.can_access(key.store, known.store) {
                store = known.store;
            }
            quote = Some(at);
        }
        // Sometimes the content differs from the quote's preview.
        if simulation.rng.often(150) {
            content["deliveries"] = json!([stop_body(simulation)]);
        }
    }
    content["store"] = json!({ "userPlatformId": store.get() });
    content["code"] = json!(format!("PED-{}", simulation.rng.below(CODES)));
    content["preparationTime"] = json!([0, 0, 0, 1, 3, 12, 25].get(simulation.rng.index(7)));
    if simulation.rng.often(250) {
        content["combinable"] = json!(simulation.rng.often(200));
    }
    for stop in content["deliveries"].as_array_mut().into_iter().flatten() {
        stop["confirmation"] = json!({ "platform": simulation.rng.often(500) });
    }
    if simulation.rng.often(200) {
        content["deliveries"][0]["pickupCode"] = json!("9157");
    }
    let keyed = simulation.rng.often(750);
    let action = Action::Create {
        store,
        quote,
        content: content.clone(),
    };
    Plan {
        keyed,
        ..Plan::post(&key.value, "/delivery/orders", content, action)
    }
}

fn list(simulation: &mut Simulation, key: &KnownKey) -> Plan {
    let action = Action::List { viewer: key.store };
    let status = simulation
        .rng
        .pick(&["", "&situation=200", "&situation=500"])
        .copied()
        .unwrap_or_default();
    let limit = simulation.rng.between(1, 20);
    Plan::get(
        &key.value,
        format!("/delivery/orders?limit={limit}{status}"),
        action,
    )
}

fn cancel(simulation: &mut Simulation, key: &KnownKey) -> Option<Plan> {
    let (order, stop) = stop(simulation, key)?;
    let by = Actor::Store(key.store);
    let whole = simulation.rng.often(650);
    let body = if whole {
        json!({ "orderId": order.get(), "reason": "fechamos" })
    } else {
        json!({ "orderId": order.get(), "deliveryId": stop })
    };
    let action = Action::Step {
        order,
        by,
        wrong_code: false,
        cancels: whole,
    };
    Some(Plan::post(
        &key.value,
        "/delivery/orders/cancel",
        body,
        action,
    ))
}

fn issue_key(simulation: &mut Simulation, key: &KnownKey) -> Plan {
    let store = pick_store(simulation, key);
    let body = json!({ "storeId": store.get(), "name": "caixa" });
    Plan::post(&key.value, "/delivery/keys", body, Action::IssueKey)
}

/// Revokes a key with the key itself, but never the last key of a store.
fn revoke_key(simulation: &mut Simulation) -> Option<Plan> {
    let at = simulation.rng.index(simulation.clients.keys.len());
    let key = simulation.clients.keys.get(at)?.clone();
    let good =
        |other: &&KnownKey| other.store == key.store && !other.revoked && !other.may_be_revoked;
    let read = simulation
        .clients
        .readers
        .iter()
        .any(|reader| reader.key == at);
    if read || key.may_be_revoked || simulation.clients.keys.iter().filter(good).count() < 2 {
        return None;
    }
    simulation.clients.keys.get_mut(at)?.may_be_revoked = true;
    let path = format!("/delivery/keys/{}", key.id);
    Some(Plan {
        body: None,
        ..Plan::post(&key.value, path, Value::Null, Action::RevokeKey { key: at })
            .with(Method::DELETE)
    })
}

/// Creates, removes or updates a store.
fn branch(simulation: &mut Simulation, key: &KnownKey) -> Plan {
    let others: Vec<StoreId> = simulation
        .model
        .stores
        .iter()
        .filter(|(id, store)| store.matrix == key.store && **id != key.store && !store.removed)
        .map(|(id, _)| *id)
        .collect();
    if let Some(branch) = simulation.rng.pick(&others).copied()
        && simulation.rng.often(300)
    {
        let path = format!("/delivery/stores/{branch}");
        return Plan {
            body: None,
            ..Plan::post(&key.value, path, Value::Null, Action::Plain).with(Method::DELETE)
        };
    }
    if simulation.rng.often(400) {
        let mut body = setup::store(simulation, "Loja");
        if let Some(members) = body.as_object_mut() {
            members.retain(|name, _| {
                !matches!(name.as_str(), "cnpj" | "password" | "marketplaceBranchId")
            });
        }
        return Plan::post(&key.value, "/delivery/stores", body, Action::Plain).with(Method::PUT);
    }
    let body = setup::store(simulation, "Filial");
    Plan::post(&key.value, "/delivery/stores", body, Action::OpenBranch)
}

fn statement(simulation: &mut Simulation, key: &KnownKey) -> Plan {
    let store = pick_store(simulation, key);
    let limit = simulation.rng.between(2, 30);
    Plan::get(
        &key.value,
        format!("/delivery/statement?storeId={store}&limit={limit}"),
        Action::Statement { store },
    )
}

/// Returns a request that must be rejected, with a revoked key or an invalid body.
fn invalid_request(simulation: &mut Simulation, key: &KnownKey) -> Option<Plan> {
    let revoked: Vec<String> = simulation
        .clients
        .keys
        .iter()
        .filter(|key| key.revoked)
        .map(|key| key.value.clone())
        .collect();
    if let Some(text) = simulation.rng.pick(&revoked) {
        return Some(Plan::get(
            text,
            "/delivery/orders".to_owned(),
            Action::Invalid,
        ));
    }
    let body = *simulation.rng.pick(&["/code", "/deliveries", "/both"])?;
    let body = match body {
        "/code" => json!({ "deliveries": [stop_body(simulation)] }),
        "/deliveries" => json!({ "code": "PED-0", "deliveries": [] }),
        _ => json!({ "code": 7, "deliveries": [{ "address": { "latitude": -23.55 } }] }),
    };
    Some(Plan::post(
        &key.value,
        "/delivery/orders",
        body,
        Action::Invalid,
    ))
}
