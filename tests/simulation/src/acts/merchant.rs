//! What merchants do: previews, orders and their life, keys and branches.

use despacho_core::model::{OrderId, StoreId};
use http::Method;
use serde_json::{Value, json};

use super::{address, setup};
use crate::{
    exchange::{Act, By, Plan},
    model::Tracked,
    people::KnownKey,
    world::World,
};

/// Codes that merchants give: few, so that they meet.
const CODES: u64 = 30;

/// A merchant's next act.
pub(crate) fn choose(world: &mut World) -> Option<Plan> {
    let key = key(world)?;
    match world.chance.weighted(&[30, 12, 8, 5, 12, 6, 4, 4, 3, 2, 3, 2, 3, 3, 2]) {
        0 => Some(create(world, &key)),
        1 => Some(preview(world, &key)),
        2 => with_order(world, &key, |order, key| {
            Plan::get(&key.text, format!("/delivery/orders/{order}"), Act::Look { order, viewer: key.store })
        }),
        3 => Some(list(world, &key)),
        4 => cancel(world, &key),
        5 => word(world, &key, "ready", json!({})),
        6 => {
            let minutes = world.chance.between(1, 5);
            word(world, &key, "delay", json!({ "minutes": minutes }))
        }
        7 => {
            let what = *world.chance.pick(&["discard", "return"])?;
            let stop = stop(world, &key)?;
            let body = json!({ "deliveryId": stop.1, "reason": "o cliente mudou de ideia" });
            Some(moved(&key, stop.0, what, body))
        }
        8 => word(world, &key, "waive", json!({})),
        9 => with_order(world, &key, |order, key| {
            let path = format!("/delivery/orders/{order}/cancellation");
            Plan::get(&key.text, path, Act::Terms { order, viewer: key.store })
        }),
        10 => Some(issue_key(world, &key)),
        11 => revoke_key(world),
        12 => Some(branch(world, &key)),
        13 => Some(statement(world, &key)),
        _ => wrong(world, &key),
    }
}

/// A key that opens its store.
fn key(world: &mut World) -> Option<KnownKey> {
    let good: Vec<KnownKey> = world
        .people
        .keys
        .iter()
        .filter(|key| !key.revoked && !key.doubtful)
        .filter(|key| world.model.stores.get(&key.store).is_some_and(|store| !store.removed))
        .cloned()
        .collect();
    world.chance.pick(&good).cloned()
}

/// An order, mostly one that its caller sees, younger ones first.
fn order<'a>(world: &'a mut World, key: &KnownKey) -> Option<&'a Tracked> {
    let stranger = world.chance.often(80);
    let seen = |tracked: &&Tracked| stranger || world.model.sees(key.store, tracked.row.store);
    let ids: Vec<OrderId> = world.model.orders.values().filter(seen).map(|tracked| tracked.row.id).collect();
    let recent = ids.get(ids.len().saturating_sub(12)..).unwrap_or_default();
    let id = *world.chance.pick(recent)?;
    world.model.orders.get(&id)
}

fn with_order(world: &mut World, key: &KnownKey, plan: impl Fn(OrderId, &KnownKey) -> Plan) -> Option<Plan> {
    let order = order(world, key)?.row.id;
    Some(plan(order, key))
}

fn moved(key: &KnownKey, order: OrderId, what: &str, body: Value) -> Plan {
    let by = By::Store(key.store);
    let act = Act::Move { order, by, wrong: false, cancels: false };
    Plan::post(&key.text, format!("/delivery/orders/{order}/{what}"), body, act)
}

fn word(world: &mut World, key: &KnownKey, what: &str, body: Value) -> Option<Plan> {
    with_order(world, key, |order, key| moved(key, order, what, body.clone()))
}

fn stop(world: &mut World, key: &KnownKey) -> Option<(OrderId, u64)> {
    let tracked = order(world, key)?;
    let (id, stops) = (tracked.row.id, tracked.stops.clone());
    world.chance.pick(&stops).map(|stop| (id, stop.0))
}

/// The store that a caller acts for: itself, or one of its branches.
fn acting(world: &mut World, key: &KnownKey) -> StoreId {
    let model = &world.model;
    let own: Vec<StoreId> = model
        .stores
        .iter()
        .filter(|(id, store)| !store.removed && model.sees(key.store, **id))
        .map(|(id, _)| *id)
        .collect();
    world.chance.pick(&own).copied().unwrap_or(key.store)
}

fn preview(world: &mut World, key: &KnownKey) -> Plan {
    let store = acting(world, key);
    let mut content = json!({
        "store": { "userPlatformId": store.get() },
        "sortByBestRoute": world.chance.often(300),
        "deliveries": (0..1 + world.chance.index(3)).map(|_| stop_body(world)).collect::<Vec<_>>(),
    });
    if world.chance.often(200) {
        content["pickupAddress"] = address(&mut world.chance);
    }
    let act = Act::Preview { store, content: content.clone() };
    Plan { keyed: false, ..Plan::post(&key.text, "/delivery/orders/preview", content, act) }
}

fn stop_body(world: &mut World) -> Value {
    json!({ "address": address(&mut world.chance), "onlinePayment": world.chance.often(750) })
}

fn create(world: &mut World, key: &KnownKey) -> Plan {
    let mut store = acting(world, key);
    let (mut content, mut quote) = (preview(world, key).body.unwrap_or_default(), None);
    if world.chance.often(350) && !world.people.quotes.is_empty() {
        let quotes = &world.people.quotes;
        let recent = quotes.len().saturating_sub(6);
        let at = recent + world.chance.index(quotes.len() - recent);
        if let Some(known) = quotes.get(at) {
            content = known.body.clone();
            content["quoteId"] = json!(known.id);
            if world.model.sees(key.store, known.store) {
                store = known.store;
            }
            quote = Some(at);
        }
        // Sometimes for another content than it was given for.
        if world.chance.often(150) {
            content["deliveries"] = json!([stop_body(world)]);
        }
    }
    content["store"] = json!({ "userPlatformId": store.get() });
    content["code"] = json!(format!("PED-{}", world.chance.below(CODES)));
    content["preparationTime"] = json!([0, 0, 0, 1, 3, 12].get(world.chance.index(6)));
    for stop in content["deliveries"].as_array_mut().into_iter().flatten() {
        stop["confirmation"] = json!({ "platform": world.chance.often(500) });
    }
    if world.chance.often(200) {
        content["deliveries"][0]["pickupCode"] = json!("9157");
    }
    let keyed = world.chance.often(750);
    let act = Act::Create { store, quote, content: content.clone() };
    Plan { keyed, ..Plan::post(&key.text, "/delivery/orders", content, act) }
}

fn list(world: &mut World, key: &KnownKey) -> Plan {
    let act = Act::List { viewer: key.store };
    let situation = world.chance.pick(&["", "&situation=200", "&situation=500"]).copied().unwrap_or_default();
    let limit = world.chance.between(1, 20);
    Plan::get(&key.text, format!("/delivery/orders?limit={limit}{situation}"), act)
}

fn cancel(world: &mut World, key: &KnownKey) -> Option<Plan> {
    let (order, stop) = stop(world, key)?;
    let by = By::Store(key.store);
    let whole = world.chance.often(650);
    let body = if whole {
        json!({ "orderId": order.get(), "reason": "fechamos" })
    } else {
        json!({ "orderId": order.get(), "deliveryId": stop })
    };
    let act = Act::Move { order, by, wrong: false, cancels: whole };
    Some(Plan::post(&key.text, "/delivery/orders/cancel", body, act))
}

fn issue_key(world: &mut World, key: &KnownKey) -> Plan {
    let store = acting(world, key);
    let body = json!({ "storeId": store.get(), "name": "caixa" });
    Plan::post(&key.text, "/delivery/keys", body, Act::IssueKey)
}

/// Revokes a key with itself; never the last one of a store.
fn revoke_key(world: &mut World) -> Option<Plan> {
    let at = world.chance.index(world.people.keys.len());
    let key = world.people.keys.get(at)?.clone();
    let good = |other: &&KnownKey| other.store == key.store && !other.revoked && !other.doubtful;
    let read = world.people.readers.iter().any(|reader| reader.key == at);
    if read || key.doubtful || world.people.keys.iter().filter(good).count() < 2 {
        return None;
    }
    world.people.keys.get_mut(at)?.doubtful = true;
    let path = format!("/delivery/keys/{}", key.id);
    Some(Plan {
        body: None,
        ..Plan::post(&key.text, path, Value::Null, Act::RevokeKey { key: at }).with(Method::DELETE)
    })
}

/// A matrix opens a branch or closes one.
fn branch(world: &mut World, key: &KnownKey) -> Plan {
    let others: Vec<StoreId> = world
        .model
        .stores
        .iter()
        .filter(|(id, store)| store.matrix == key.store && **id != key.store && !store.removed)
        .map(|(id, _)| *id)
        .collect();
    if let Some(branch) = world.chance.pick(&others).copied()
        && world.chance.often(300)
    {
        let path = format!("/delivery/stores/{branch}");
        return Plan { body: None, ..Plan::post(&key.text, path, Value::Null, Act::Plain).with(Method::DELETE) };
    }
    if world.chance.often(400) {
        let mut body = setup::store(world, "Loja");
        if let Some(members) = body.as_object_mut() {
            members.retain(|name, _| !matches!(name.as_str(), "cnpj" | "password" | "marketplaceBranchId"));
        }
        return Plan::post(&key.text, "/delivery/stores", body, Act::Plain).with(Method::PUT);
    }
    let body = setup::store(world, "Filial");
    Plan::post(&key.text, "/delivery/stores", body, Act::OpenBranch)
}

fn statement(world: &mut World, key: &KnownKey) -> Plan {
    let store = acting(world, key);
    let limit = world.chance.between(2, 30);
    Plan::get(&key.text, format!("/delivery/statement?storeId={store}&limit={limit}"), Act::Statement { store })
}

/// What must be refused: a key that was revoked, or a body that is none.
fn wrong(world: &mut World, key: &KnownKey) -> Option<Plan> {
    let revoked: Vec<String> = world.people.keys.iter().filter(|key| key.revoked).map(|key| key.text.clone()).collect();
    if let Some(text) = world.chance.pick(&revoked) {
        return Some(Plan::get(text, "/delivery/orders".to_owned(), Act::Wrong));
    }
    let body = *world.chance.pick(&["/code", "/deliveries", "/both"])?;
    let body = match body {
        "/code" => json!({ "deliveries": [stop_body(world)] }),
        "/deliveries" => json!({ "code": "PED-0", "deliveries": [] }),
        _ => json!({ "code": 7, "deliveries": [{ "address": { "latitude": -23.55 } }] }),
    };
    Some(Plan::post(&key.text, "/delivery/orders", body, Act::Wrong))
}
