//! The checks at the end of a run: reads all data through the API, page by page and without faults.

use std::collections::BTreeSet;

use despacho_core::model::{OrderId, StoreId};
use serde_json::Value;

use crate::{
    backend::centavos as exact,
    clients::{KnownHook, KnownKey},
    ending,
    exchange::{Action, Plan, State},
    model::CheckResult,
    reading::{centavos, visible},
    schedule,
    service::OPERATOR,
    simulation::Simulation,
};

/// The number of successful requests that are repeated with their idempotency keys.
const REPLAYS: usize = 12;
/// The maximum number of passes, one per hour, until every webhook must have arrived.
const MAX_PASSES: u32 = 60;
/// The maximum number of starts that are checked to the millisecond.
const MAX_STARTS: u32 = 40;
const HOUR_MS: i64 = 3_600_000;

/// Checks all data.
pub(crate) fn check_all(simulation: &mut Simulation) -> CheckResult {
    check_replays(simulation)?;
    let mut checked = BTreeSet::new();
    for key in valid_keys(simulation) {
        if checked.insert(key.store) {
            simulation.advance_time(120_000);
            check_orders(simulation, &key)?;
            check_events(simulation, &key)?;
            check_statement(simulation, &key)?;
            check_stores(simulation, &key)?;
        }
    }
    check_couriers(simulation)?;
    check_webhooks(simulation)?;
    check_schedule(simulation)?;
    check_expiry(simulation)?;
    ending::complete_trips(simulation)?;
    simulation.model.compare_all(&simulation.service.backend)
}

/// Returns the valid keys of existing stores.
fn valid_keys(simulation: &Simulation) -> Vec<KnownKey> {
    let existing = |store| {
        simulation
            .model
            .stores
            .get(&store)
            .is_some_and(|store| !store.removed)
    };
    let keys = simulation
        .clients
        .keys
        .iter()
        .filter(|key| !key.revoked && !key.may_be_revoked);
    keys.filter(|key| existing(key.store)).cloned().collect()
}

/// Checks that repeated requests with the same idempotency key return the stored responses.
fn check_replays(simulation: &mut Simulation) -> CheckResult {
    let acknowledged: Vec<usize> = simulation
        .exchanges
        .iter()
        .enumerate()
        .filter(|(_, sender)| sender.state == State::Acknowledged && sender.key.is_some())
        .map(|(at, _)| at)
        .collect();
    for _ in 0..REPLAYS.min(acknowledged.len()) {
        let Some(sender) = simulation
            .rng
            .pick(&acknowledged)
            .and_then(|at| simulation.exchanges.get(*at))
            .cloned()
        else {
            continue;
        };
        simulation.advance_time(1_000);
        let response = simulation.call(&sender.plan, sender.key.as_deref())?;
        let same = sender
            .response
            .as_ref()
            .is_some_and(|(status, body)| response.status() == *status && response.body() == body);
        let without_recipients = sender.plan.path.starts_with("/courier/")
            && sender.response.as_ref().is_some_and(|(_, body)| {
                erased(body) == serde_json::from_slice(response.body()).ok()
            });
        // A revoked key and a removed store or courier get 401.
        if !same && !without_recipients && !matches!(response.status().as_u16(), 401 | 429) {
            let now = String::from_utf8_lossy(response.body());
            return Err(format!(
                "{} repeated with its key returned {} {now}",
                sender.plan.path,
                response.status()
            ));
        }
    }
    Ok(())
}

/// Returns a courier's stored response without the recipients' personal data, as it is returned
/// after the courier has lost the order.
fn erased(body: &[u8]) -> Option<Value> {
    let mut body: Value = serde_json::from_slice(body).ok()?;
    for delivery in body.get_mut("deliveries")?.as_array_mut()? {
        for field in ["name", "phone", "observation", "latitude", "longitude"] {
            delivery[field] = Value::Null;
        }
        delivery["address"]
            .as_object_mut()?
            .values_mut()
            .for_each(|value| *value = Value::Null);
    }
    Some(body)
}

fn get(
    simulation: &mut Simulation,
    token: &str,
    path: &str,
    action: Action,
) -> Result<Value, String> {
    let response = simulation.call(&Plan::get(token, path.to_owned(), action), None)?;
    if !response.status().is_success() {
        return Err(format!(
            "{path}: {} {}",
            response.status(),
            String::from_utf8_lossy(response.body())
        ));
    }
    serde_json::from_slice(response.body()).map_err(|error| format!("{path}: {error}"))
}

/// Reads all entries of a list, page by page.
fn pages(
    simulation: &mut Simulation,
    token: &str,
    path: &str,
    list: &str,
    action: &Action,
) -> Result<Vec<Value>, String> {
    let (mut all, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let next = cursor
            .as_ref()
            .map(|cursor| format!("&cursor={cursor}"))
            .unwrap_or_default();
        let page = get(simulation, token, &format!("{path}{next}"), action.clone())?;
        all.extend(page[list].as_array().cloned().unwrap_or_default());
        cursor = page["nextCursor"].as_str().map(str::to_owned);
        // The time between pages keeps the requests within the rate limits.
        simulation.advance_time(500);
        if cursor.is_none() {
            return Ok(all);
        }
    }
}

fn ids(list: &[Value]) -> Vec<u64> {
    list.iter().filter_map(|one| one["id"].as_u64()).collect()
}

/// Checks that exactly the orders that a store may access are listed once, and that their lookups
/// match the model.
fn check_orders(simulation: &mut Simulation, key: &KnownKey) -> CheckResult {
    let listed = pages(
        simulation,
        &key.value,
        "/delivery/orders?limit=7",
        "orders",
        &Action::List { viewer: key.store },
    )?;
    let model = &simulation.model;
    let sees = |owner: StoreId| {
        model.can_access(key.store, owner)
            && model.stores.get(&owner).is_some_and(|one| !one.removed)
    };
    let expected: Vec<OrderId> = model
        .orders
        .values()
        .rev()
        .map(|tracked| &tracked.row)
        .filter(|row| sees(row.store))
        .map(|row| row.id)
        .collect();
    if ids(&listed) != expected.iter().map(|id| id.get()).collect::<Vec<_>>() {
        return Err(format!(
            "store {} has orders {expected:?}, but its pages list {:?}",
            key.store,
            ids(&listed)
        ));
    }
    for id in expected {
        simulation.advance_time(200);
        let action = Action::LookUp {
            order: id,
            viewer: key.store,
        };
        let body = get(
            simulation,
            &key.value,
            &format!("/delivery/orders/{id}"),
            action,
        )?;
        let Some(tracked) = simulation.model.orders.get(&id) else {
            continue;
        };
        let stops: Vec<u64> = body["deliveries"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|stop| stop["situation"].as_u64())
            .collect();
        let expected: Vec<u64> = tracked.stops.iter().map(|stop| u64::from(stop.1)).collect();
        let kinds: Vec<&str> = body["events"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|event| event["type"].as_str())
            .collect();
        if body["situation"] != tracked.status || stops != expected || kinds != tracked.kinds {
            return Err(format!(
                "order {id} has status {} {expected:?} {:?}, but is returned as {body}",
                tracked.status, tracked.kinds
            ));
        }
        if centavos(&body["deliveryFee"]) != Some(exact(tracked.row.fee)) {
            return Err(format!("order {id} is returned with a wrong fee: {body}"));
        }
    }
    Ok(())
}

/// Checks that a store's journal contains every event once and in order.
fn check_events(simulation: &mut Simulation, key: &KnownKey) -> CheckResult {
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let page = get(
            simulation,
            &key.value,
            &format!("/delivery/events?limit=9{after}"),
            Action::Plain,
        )?;
        all.extend(page["events"].as_array().cloned().unwrap_or_default());
        after = format!("&after={}", page["next"].as_str().unwrap_or_default());
        simulation.advance_time(200);
        if page["more"] != true {
            break;
        }
    }
    let matrix = simulation
        .model
        .stores
        .get(&key.store)
        .map_or(key.store, |store| store.matrix);
    let journal = simulation
        .model
        .journals
        .get(&matrix)
        .map_or(&[][..], Vec::as_slice);
    let expected: Vec<_> = visible(journal, key.store, matrix, 0)
        .into_iter()
        .map(|(_, recorded)| {
            (
                Some(recorded.order.get()),
                Some(u64::from(recorded.sequence)),
                Some(recorded.event),
            )
        })
        .collect();
    let read: Vec<_> = all
        .iter()
        .map(|event| {
            (
                event["orderId"].as_u64(),
                event["sequence"].as_u64(),
                event["id"].as_u64(),
            )
        })
        .collect();
    if read == expected {
        Ok(())
    } else {
        Err(format!(
            "store {} read {read:?}, but its journal is {expected:?}",
            key.store
        ))
    }
}

/// Checks that a statement's lines are the ledger's entries and add up to the balance. A branch
/// with a shared balance reads its own entries.
fn check_statement(simulation: &mut Simulation, key: &KnownKey) -> CheckResult {
    let lines = pages(
        simulation,
        &key.value,
        "/delivery/statement?limit=8",
        "lines",
        &Action::Statement { store: key.store },
    )?;
    let returned: Vec<Option<i64>> = lines.iter().map(|line| centavos(&line["amount"])).collect();
    let account = simulation
        .model
        .stores
        .get(&key.store)
        .map_or(key.store, |store| store.account);
    let ledger = simulation.service.backend.memory.ledger(account);
    let own = ledger
        .iter()
        .filter(|entry| account == key.store || entry.store == key.store);
    let stored: Vec<Option<i64>> = own.map(|entry| Some(exact(entry.amount))).collect();
    if returned != stored {
        return Err(format!(
            "the statement of store {} is {returned:?}, but its ledger is {stored:?}",
            key.store
        ));
    }
    if account != key.store {
        return Ok(());
    }
    let mut sum = 0;
    for line in &lines {
        sum += centavos(&line["amount"]).unwrap_or_default();
        if centavos(&line["balance"]) != Some(sum) {
            return Err(format!(
                "store {}: after {line} the balance is {sum} centavos",
                key.store
            ));
        }
    }
    let body = get(
        simulation,
        &key.value,
        &format!("/delivery/stores/{}", key.store),
        Action::Plain,
    )?;
    if centavos(&body["balance"]) == Some(sum) {
        Ok(())
    } else {
        Err(format!(
            "the balance is {sum} centavos, but is returned as {body}"
        ))
    }
}

/// Checks that a store can list and look up only itself and its branches.
fn check_stores(simulation: &mut Simulation, key: &KnownKey) -> CheckResult {
    let listed = pages(
        simulation,
        &key.value,
        "/delivery/stores?limit=2",
        "stores",
        &Action::Plain,
    )?;
    let all: Vec<(StoreId, bool)> = simulation
        .model
        .stores
        .iter()
        .map(|(id, store)| (*id, store.removed))
        .collect();
    let accessible: Vec<u64> = all
        .iter()
        .filter(|(id, removed)| !removed && simulation.model.can_access(key.store, *id))
        .map(|(id, _)| id.get())
        .collect();
    if ids(&listed) != accessible {
        return Err(format!(
            "store {} may access {accessible:?}, but lists {:?}",
            key.store,
            ids(&listed)
        ));
    }
    for (id, _) in all {
        let plan = Plan::get(&key.value, format!("/delivery/stores/{id}"), Action::Plain);
        let status = simulation.call(&plan, None)?.status().as_u16();
        if (status == 200) != accessible.contains(&id.get()) {
            return Err(format!(
                "store {} looked up store {id} and got {status}",
                key.store
            ));
        }
    }
    Ok(())
}

fn check_couriers(simulation: &mut Simulation) -> CheckResult {
    let listed = pages(
        simulation,
        OPERATOR,
        "/admin/couriers?limit=2",
        "couriers",
        &Action::Plain,
    )?;
    let expected: Vec<u64> = simulation
        .model
        .couriers
        .keys()
        .map(|id| id.get())
        .collect();
    if ids(&listed) == expected {
        Ok(())
    } else {
        Err(format!(
            "couriers are {expected:?}, but listed are {:?}",
            ids(&listed)
        ))
    }
}

/// Checks that every subscription gets all events of its kinds, and no others.
fn check_webhooks(simulation: &mut Simulation) -> CheckResult {
    for _ in 0..MAX_PASSES {
        for hook in simulation
            .clients
            .hooks
            .clone()
            .iter()
            .filter(|hook| !hook.removed)
        {
            enable(simulation, hook)?;
        }
        for _ in 0..4 {
            simulation.run_pass(true)?;
        }
        let missing = simulation
            .clients
            .hooks
            .clone()
            .iter()
            .any(|hook| missing(simulation, hook).is_some());
        if !missing {
            break;
        }
        simulation.advance_time(HOUR_MS);
    }
    for hook in simulation.clients.hooks.clone() {
        if let Some(event) = missing(simulation, &hook) {
            return Err(format!(
                "subscription {} of store {} never got {event}",
                hook.id, hook.store
            ));
        }
        check_unexpected(simulation, &hook)?;
        if let Some(receiver) = simulation.receivers.borrow_mut().by_url.get_mut(&hook.url) {
            receiver.verify(&hook.secrets)?;
        }
    }
    Ok(())
}

fn enable(simulation: &mut Simulation, hook: &KnownHook) -> CheckResult {
    let has_unsubscribed = simulation
        .receivers
        .borrow()
        .by_url
        .get(&hook.url)
        .is_some_and(|receiver| receiver.has_unsubscribed);
    let Some(key) = valid_keys(simulation)
        .into_iter()
        .find(|key| key.store == hook.store)
        .filter(|_| !has_unsubscribed)
    else {
        return Ok(());
    };
    let path = format!("/delivery/webhooks/{}/enable", hook.id);
    let response = simulation.call(
        &Plan {
            body: None,
            ..Plan::post(&key.value, path, Value::Null, Action::Plain)
        },
        None,
    )?;
    match response.status().as_u16() {
        200 => Ok(()),
        status => Err(format!(
            "subscription {} could not be enabled: {status}",
            hook.id
        )),
    }
}

/// Returns an event that a subscription must get and has not got.
fn missing(simulation: &Simulation, hook: &KnownHook) -> Option<String> {
    let store = simulation
        .model
        .stores
        .get(&hook.store)
        .filter(|store| !store.removed)?;
    let receivers = simulation.receivers.borrow();
    let receiver = receivers.by_url.get(&hook.url);
    if hook.removed || receiver.is_some_and(|receiver| receiver.has_unsubscribed) {
        return None;
    }
    let journal = simulation.model.journals.get(&store.matrix)?;
    let is_subscribed = |kind| hook.events.is_empty() || hook.events.contains(&kind);
    let mut expected = visible(journal, hook.store, store.matrix, hook.until)
        .into_iter()
        .filter(|(_, recorded)| is_subscribed(recorded.kind));
    let got = |order: u64, sequence: u32| {
        receiver.is_some_and(|one| one.events.contains(&(order, u64::from(sequence))))
    };
    let lost = expected.find(|(_, recorded)| !got(recorded.order.get(), recorded.sequence));
    lost.map(|(position, recorded)| format!("position {position}, {recorded:?}"))
}

/// Checks that a subscription got no event from before its creation, of another merchant, or of
/// another kind.
fn check_unexpected(simulation: &Simulation, hook: &KnownHook) -> CheckResult {
    let receivers = simulation.receivers.borrow();
    let Some(receiver) = receivers.by_url.get(&hook.url) else {
        return Ok(());
    };
    let matrix = simulation
        .model
        .stores
        .get(&hook.store)
        .map_or(hook.store, |store| store.matrix);
    let journal = simulation
        .model
        .journals
        .get(&matrix)
        .map_or(&[][..], Vec::as_slice);
    let permitted: BTreeSet<(u64, u64)> = visible(journal, hook.store, matrix, hook.from)
        .into_iter()
        .filter(|(_, recorded)| hook.events.is_empty() || hook.events.contains(&recorded.kind))
        .map(|(_, recorded)| (recorded.order.get(), u64::from(recorded.sequence)))
        .collect();
    match receiver
        .events
        .iter()
        .find(|event| !permitted.contains(event))
    {
        Some(event) => Err(format!(
            "subscription {} of store {} got an unexpected event {event:?}",
            hook.id, hook.store
        )),
        None => Ok(()),
    }
}

/// Runs a dispatch pass immediately before and at the start of each preparation and search. The
/// checks of each pass and of each event verify that the start is exact.
fn check_schedule(simulation: &mut Simulation) -> CheckResult {
    for _ in 0..MAX_STARTS {
        let now = simulation.now_of_passes();
        let due = simulation
            .model
            .orders
            .values()
            .filter_map(schedule::next_step)
            .filter(|due| *due > now)
            .min();
        let Some(due) = due else { return Ok(()) };
        simulation.advance_time(due.millis() - now.millis() - 1);
        simulation.run_pass(false)?;
        simulation.advance_time(1);
        simulation.run_pass(false)?;
    }
    Ok(())
}

/// Checks that orders without a courier end after their search timeout.
fn check_expiry(simulation: &mut Simulation) -> CheckResult {
    // Longer than the maximum delay of an order, the search, and the clock's offset together.
    simulation.advance_time(30 * HOUR_MS);
    for _ in 0..4 {
        simulation.run_pass(false)?;
        simulation.advance_time(HOUR_MS / 2);
    }
    let open = simulation
        .model
        .orders
        .values()
        .find(|tracked| tracked.status < 210);
    match open {
        Some(tracked) => Err(format!(
            "order {} still has status {}",
            tracked.row.id, tracked.status
        )),
        None => Ok(()),
    }
}
