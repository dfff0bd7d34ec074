//! The end of a run: in calm weather everything is looked at through the API, page by page, as merchants would.

use std::collections::BTreeSet;

use despacho_core::model::{OrderId, StoreId};
use serde_json::Value;

use crate::{
    backend::centavos as exact,
    exchange::{Act, Plan, State},
    model::Checked,
    people::{KnownHook, KnownKey},
    reading::{centavos, visible},
    service::OPERATOR,
    simulation::Simulation,
};

/// Successes that are asked for again under their idempotency keys.
const REPEATED: usize = 12;
/// Rounds until every webhook must have arrived; between them an hour passes.
const MAX_PASSES: u32 = 60;
const HOUR_MS: i64 = 3_600_000;

/// Looks at everything.
pub(crate) fn everything(simulation: &mut Simulation) -> Checked {
    again(simulation)?;
    let mut seen = BTreeSet::new();
    for key in good_keys(simulation) {
        if seen.insert(key.store) {
            simulation.pass(120_000);
            orders(simulation, &key)?;
            events(simulation, &key)?;
            statement(simulation, &key)?;
            stores(simulation, &key)?;
        }
    }
    couriers(simulation)?;
    webhooks(simulation)?;
    time_ends_what_waits(simulation)?;
    simulation.model.compare_all(&simulation.service.backend)
}

/// Keys that open their stores.
fn good_keys(simulation: &Simulation) -> Vec<KnownKey> {
    let existing = |store| simulation.model.stores.get(&store).is_some_and(|store| !store.removed);
    let keys = simulation.people.keys.iter().filter(|key| !key.revoked && !key.doubtful);
    keys.filter(|key| existing(key.store)).cloned().collect()
}

/// The same request under the same key gives the same answer, however much has happened since.
fn again(simulation: &mut Simulation) -> Checked {
    let seen: Vec<usize> = simulation
        .exchanges
        .iter()
        .enumerate()
        .filter(|(_, sender)| sender.state == State::Acknowledged && sender.key.is_some())
        .map(|(at, _)| at)
        .collect();
    for _ in 0..REPEATED.min(seen.len()) {
        let Some(sender) = simulation.rng.pick(&seen).and_then(|at| simulation.exchanges.get(*at)).cloned() else {
            continue;
        };
        simulation.pass(1_000);
        let response = simulation.call(&sender.plan, sender.key.as_deref())?;
        let same = sender
            .response
            .as_ref()
            .is_some_and(|(status, body)| response.status() == *status && response.body() == body);
        let without_recipients = sender.plan.path.starts_with("/courier/")
            && sender
                .response
                .as_ref()
                .is_some_and(|(_, body)| erased(body) == serde_json::from_slice(response.body()).ok());
        // A key that was revoked meanwhile, and a store or a courier that was removed, gets nothing at all.
        if !same && !without_recipients && !matches!(response.status().as_u16(), 401 | 429) {
            let now = String::from_utf8_lossy(response.body());
            return Err(format!("{} under its key again is {} {now}", sender.plan.path, response.status()));
        }
    }
    Ok(())
}

/// A courier's stored response once the courier no longer has the order: without the recipients' personal data.
fn erased(body: &[u8]) -> Option<Value> {
    let mut body: Value = serde_json::from_slice(body).ok()?;
    for delivery in body.get_mut("deliveries")?.as_array_mut()? {
        for field in ["name", "phone", "observation", "latitude", "longitude"] {
            delivery[field] = Value::Null;
        }
        delivery["address"].as_object_mut()?.values_mut().for_each(|value| *value = Value::Null);
    }
    Some(body)
}

fn get(simulation: &mut Simulation, token: &str, path: &str, act: Act) -> Result<Value, String> {
    let response = simulation.call(&Plan::get(token, path.to_owned(), act), None)?;
    if !response.status().is_success() {
        return Err(format!("{path}: {} {}", response.status(), String::from_utf8_lossy(response.body())));
    }
    serde_json::from_slice(response.body()).map_err(|error| format!("{path}: {error}"))
}

/// All entries of a list, page by page.
fn pages(simulation: &mut Simulation, token: &str, path: &str, list: &str, act: &Act) -> Result<Vec<Value>, String> {
    let (mut all, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let next = cursor.as_ref().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let page = get(simulation, token, &format!("{path}{next}"), act.clone())?;
        all.extend(page[list].as_array().cloned().unwrap_or_default());
        cursor = page["nextCursor"].as_str().map(str::to_owned);
        // Pages are small, quotas are counted by the minute.
        simulation.pass(500);
        if cursor.is_none() {
            return Ok(all);
        }
    }
}

fn numbers(list: &[Value]) -> Vec<u64> {
    list.iter().filter_map(|one| one["id"].as_u64()).collect()
}

/// Every order that a store sees is listed once, and looked up as it is stored; nothing else is.
fn orders(simulation: &mut Simulation, key: &KnownKey) -> Checked {
    let listed = pages(simulation, &key.text, "/delivery/orders?limit=7", "orders", &Act::List { viewer: key.store })?;
    let model = &simulation.model;
    let sees =
        |owner: StoreId| model.sees(key.store, owner) && model.stores.get(&owner).is_some_and(|one| !one.removed);
    let wanted: Vec<OrderId> = model
        .orders
        .values()
        .rev()
        .map(|tracked| &tracked.row)
        .filter(|row| sees(row.store))
        .map(|row| row.id)
        .collect();
    if numbers(&listed) != wanted.iter().map(|id| id.get()).collect::<Vec<_>>() {
        return Err(format!("store {} has orders {wanted:?}, and its pages list {:?}", key.store, numbers(&listed)));
    }
    for id in wanted {
        simulation.pass(200);
        let act = Act::Look { order: id, viewer: key.store };
        let body = get(simulation, &key.text, &format!("/delivery/orders/{id}"), act)?;
        let Some(tracked) = simulation.model.orders.get(&id) else { continue };
        let stops: Vec<u64> =
            body["deliveries"].as_array().into_iter().flatten().filter_map(|stop| stop["situation"].as_u64()).collect();
        let wanted: Vec<u64> = tracked.stops.iter().map(|stop| u64::from(stop.1)).collect();
        let kinds: Vec<&str> =
            body["events"].as_array().into_iter().flatten().filter_map(|event| event["type"].as_str()).collect();
        if body["situation"] != tracked.status || stops != wanted || kinds != tracked.kinds {
            return Err(format!(
                "order {id} stands at {} {wanted:?} {:?} and is shown as {body}",
                tracked.status, tracked.kinds
            ));
        }
        if centavos(&body["deliveryFee"]) != Some(exact(tracked.row.fee)) {
            return Err(format!("order {id} is shown with another fee: {body}"));
        }
    }
    Ok(())
}

/// A store's journal, from its beginning, is every event once and in order.
fn events(simulation: &mut Simulation, key: &KnownKey) -> Checked {
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let page = get(simulation, &key.text, &format!("/delivery/events?limit=9{after}"), Act::Plain)?;
        all.extend(page["events"].as_array().cloned().unwrap_or_default());
        after = format!("&after={}", page["next"].as_str().unwrap_or_default());
        simulation.pass(200);
        if page["more"] != true {
            break;
        }
    }
    let matrix = simulation.model.stores.get(&key.store).map_or(key.store, |store| store.matrix);
    let journal = simulation.model.journals.get(&matrix).map_or(&[][..], Vec::as_slice);
    let wanted: Vec<_> = visible(journal, key.store, matrix, 0)
        .into_iter()
        .map(|(_, seen)| (Some(seen.order.get()), Some(u64::from(seen.sequence)), Some(seen.event)))
        .collect();
    let read: Vec<_> =
        all.iter().map(|event| (event["orderId"].as_u64(), event["sequence"].as_u64(), event["id"].as_u64())).collect();
    if read == wanted {
        Ok(())
    } else {
        Err(format!("store {} read {read:?}, and its journal is {wanted:?}", key.store))
    }
}

/// A statement's lines are the ledger's entries, and end in the balance. A branch that shares a balance sees its own entries.
fn statement(simulation: &mut Simulation, key: &KnownKey) -> Checked {
    let lines =
        pages(simulation, &key.text, "/delivery/statement?limit=8", "lines", &Act::Statement { store: key.store })?;
    let seen: Vec<Option<i64>> = lines.iter().map(|line| centavos(&line["amount"])).collect();
    let account = simulation.model.stores.get(&key.store).map_or(key.store, |store| store.account);
    let ledger = simulation.service.backend.memory.ledger(account);
    let own = ledger.iter().filter(|entry| account == key.store || entry.store == key.store);
    let booked: Vec<Option<i64>> = own.map(|entry| Some(exact(entry.amount))).collect();
    if seen != booked {
        return Err(format!("store {} was told {seen:?}, and its ledger is {booked:?}", key.store));
    }
    if account != key.store {
        return Ok(());
    }
    let mut sum = 0;
    for line in &lines {
        sum += centavos(&line["amount"]).unwrap_or_default();
        if centavos(&line["balance"]) != Some(sum) {
            return Err(format!("store {}: after {line} the balance is {sum} centavos", key.store));
        }
    }
    let body = get(simulation, &key.text, &format!("/delivery/stores/{}", key.store), Act::Plain)?;
    if centavos(&body["balance"]) == Some(sum) {
        Ok(())
    } else {
        Err(format!("the balance is {sum} centavos, and shown: {body}"))
    }
}

/// A store lists itself and its branches, and looks nobody else up.
fn stores(simulation: &mut Simulation, key: &KnownKey) -> Checked {
    let listed = pages(simulation, &key.text, "/delivery/stores?limit=2", "stores", &Act::Plain)?;
    let all: Vec<(StoreId, bool)> = simulation.model.stores.iter().map(|(id, store)| (*id, store.removed)).collect();
    let sees: Vec<u64> = all
        .iter()
        .filter(|(id, removed)| !removed && simulation.model.sees(key.store, *id))
        .map(|(id, _)| id.get())
        .collect();
    if numbers(&listed) != sees {
        return Err(format!("store {} sees {sees:?}, and lists {:?}", key.store, numbers(&listed)));
    }
    for (id, _) in all {
        let plan = Plan::get(&key.text, format!("/delivery/stores/{id}"), Act::Plain);
        let status = simulation.call(&plan, None)?.status().as_u16();
        if (status == 200) != sees.contains(&id.get()) {
            return Err(format!("store {} looked store {id} up: {status}", key.store));
        }
    }
    Ok(())
}

fn couriers(simulation: &mut Simulation) -> Checked {
    let listed = pages(simulation, OPERATOR, "/admin/couriers?limit=2", "couriers", &Act::Plain)?;
    let wanted: Vec<u64> = simulation.model.couriers.keys().map(|id| id.get()).collect();
    if numbers(&listed) == wanted {
        Ok(())
    } else {
        Err(format!("couriers are {wanted:?}, listed {:?}", numbers(&listed)))
    }
}

/// Every event reaches every subscription that wants it.
fn webhooks(simulation: &mut Simulation) -> Checked {
    for _ in 0..MAX_PASSES {
        for hook in simulation.people.hooks.clone().iter().filter(|hook| !hook.removed) {
            enable(simulation, hook)?;
        }
        for _ in 0..4 {
            simulation.round(true)?;
        }
        let missing = simulation.people.hooks.clone().iter().any(|hook| missing(simulation, hook).is_some());
        if !missing {
            break;
        }
        simulation.pass(HOUR_MS);
    }
    for hook in simulation.people.hooks.clone() {
        if let Some(what) = missing(simulation, &hook) {
            return Err(format!("subscription {} of store {} never got {what}", hook.id, hook.store));
        }
        unwanted(simulation, &hook)?;
        if let Some(receiver) = simulation.receivers.borrow_mut().by_url.get_mut(&hook.url) {
            receiver.verify(&hook.secrets)?;
        }
    }
    Ok(())
}

fn enable(simulation: &mut Simulation, hook: &KnownHook) -> Checked {
    let gone = simulation.receivers.borrow().by_url.get(&hook.url).is_some_and(|receiver| receiver.gone);
    let Some(key) = good_keys(simulation).into_iter().find(|key| key.store == hook.store).filter(|_| !gone) else {
        return Ok(());
    };
    let path = format!("/delivery/webhooks/{}/enable", hook.id);
    let response =
        simulation.call(&Plan { body: None, ..Plan::post(&key.text, path, Value::Null, Act::Plain) }, None)?;
    match response.status().as_u16() {
        200 => Ok(()),
        status => Err(format!("subscription {} is not enabled: {status}", hook.id)),
    }
}

/// What a subscription should have got and did not.
fn missing(simulation: &Simulation, hook: &KnownHook) -> Option<String> {
    let store = simulation.model.stores.get(&hook.store).filter(|store| !store.removed)?;
    let receivers = simulation.receivers.borrow();
    let receiver = receivers.by_url.get(&hook.url);
    if hook.removed || receiver.is_some_and(|receiver| receiver.gone) {
        return None;
    }
    let journal = simulation.model.journals.get(&store.matrix)?;
    let events = |kind| hook.events.is_empty() || hook.events.contains(&kind);
    let mut wanted =
        visible(journal, hook.store, store.matrix, hook.until).into_iter().filter(|(_, seen)| events(seen.kind));
    let got =
        |order: u64, sequence: u32| receiver.is_some_and(|one| one.events.contains(&(order, u64::from(sequence))));
    let lost = wanted.find(|(_, seen)| !got(seen.order.get(), seen.sequence));
    lost.map(|(place, seen)| format!("place {place}, {seen:?}"))
}

/// A subscription gets nothing of before it was made, of strangers, or of kinds that it does not want.
fn unwanted(simulation: &Simulation, hook: &KnownHook) -> Checked {
    let receivers = simulation.receivers.borrow();
    let Some(receiver) = receivers.by_url.get(&hook.url) else { return Ok(()) };
    let matrix = simulation.model.stores.get(&hook.store).map_or(hook.store, |store| store.matrix);
    let journal = simulation.model.journals.get(&matrix).map_or(&[][..], Vec::as_slice);
    let may: BTreeSet<(u64, u64)> = visible(journal, hook.store, matrix, hook.from)
        .into_iter()
        .filter(|(_, seen)| hook.events.is_empty() || hook.events.contains(&seen.kind))
        .map(|(_, seen)| (seen.order.get(), u64::from(seen.sequence)))
        .collect();
    match receiver.events.iter().find(|event| !may.contains(event)) {
        Some(event) => {
            Err(format!("subscription {} of store {} got {event:?}, which is not for it", hook.id, hook.store))
        }
        None => Ok(()),
    }
}

/// Time ends what nobody carries: an order that waits is not forgotten.
fn time_ends_what_waits(simulation: &mut Simulation) -> Checked {
    // As far as a merchant may put an order off, the search, and what the clock was set back.
    simulation.pass(30 * HOUR_MS);
    for _ in 0..4 {
        simulation.round(false)?;
        simulation.pass(HOUR_MS / 2);
    }
    let waits = simulation.model.orders.values().find(|tracked| tracked.status < 210);
    match waits {
        Some(tracked) => Err(format!("order {} still stands at {}", tracked.row.id, tracked.status)),
        None => Ok(()),
    }
}
