//! Those who follow along: readers of journals and subscribers of webhooks.

use http::Method;
use serde_json::{Value, json};

use crate::{
    exchange::{Act, Plan},
    people::KnownHook,
    simulation::Simulation,
};

/// Kinds that some subscribers want and no others.
const FEW: [&str; 3] = ["order.created", "order.allocated", "delivery.delivered"];

/// A follower's next act.
pub(crate) fn choose(simulation: &mut Simulation) -> Option<Plan> {
    match simulation.rng.weighted(&[70, 10, 5, 6, 6, 2]) {
        0 => read(simulation),
        1 => subscribe(simulation),
        2 => with_hook(simulation, "rotate", true),
        3 => with_hook(simulation, "test", false),
        4 => with_hook(simulation, "enable", false),
        _ => remove(simulation),
    }
}

fn read(simulation: &mut Simulation) -> Option<Plan> {
    let existing = |store| simulation.model.stores.get(&store).is_some_and(|store| !store.removed);
    let readers = simulation.people.readers.iter().enumerate();
    let idle: Vec<usize> =
        readers.filter(|(_, reader)| !reader.busy && existing(reader.store)).map(|(at, _)| at).collect();
    let at = *simulation.rng.pick(&idle)?;
    let limit = simulation.rng.between(1, 30);
    let reader = simulation.people.readers.get_mut(at)?;
    reader.busy = true;
    let after = reader.cursor.as_ref().map(|cursor| format!("&after={cursor}")).unwrap_or_default();
    let token = simulation.people.keys.get(reader.key)?.text.clone();
    Some(Plan::get(&token, format!("/delivery/events?limit={limit}{after}"), Act::Read { reader: at }))
}

fn subscribe(simulation: &mut Simulation) -> Option<Plan> {
    if simulation.people.hooks.len() >= 6 {
        return None;
    }
    let readers = simulation.people.readers.clone();
    let reader = simulation.rng.pick(&readers)?;
    let number = simulation.people.next();
    let url = format!("https://r{number}.recebe.example/eventos");
    let events = if simulation.rng.often(300) { FEW.to_vec() } else { Vec::new() };
    let token = simulation.people.keys.get(reader.key)?.text.clone();
    let body = json!({ "url": url, "events": events });
    Some(Plan::post(&token, "/delivery/webhooks", body, Act::HookCreate { store: reader.store, url, events }))
}

/// A subscription, and the key of its store.
fn hook(simulation: &mut Simulation) -> Option<(usize, KnownHook, String)> {
    let existing: Vec<usize> =
        simulation.people.hooks.iter().enumerate().filter(|(_, hook)| !hook.removed).map(|(at, _)| at).collect();
    let at = *simulation.rng.pick(&existing)?;
    let hook = simulation.people.hooks.get(at)?.clone();
    let key = simulation.people.readers.iter().find(|reader| reader.store == hook.store)?.key;
    Some((at, hook, simulation.people.keys.get(key)?.text.clone()))
}

fn with_hook(simulation: &mut Simulation, what: &str, rotates: bool) -> Option<Plan> {
    let (at, hook, token) = hook(simulation)?;
    let act = if rotates { Act::HookRotate { hook: at } } else { Act::Plain };
    let path = format!("/delivery/webhooks/{}/{what}", hook.id);
    Some(Plan { body: None, ..Plan::post(&token, path, Value::Null, act) })
}

fn remove(simulation: &mut Simulation) -> Option<Plan> {
    let (at, hook, token) = hook(simulation)?;
    simulation.people.hooks.get_mut(at)?.removed = true;
    let path = format!("/delivery/webhooks/{}", hook.id);
    Some(Plan { body: None, ..Plan::post(&token, path, Value::Null, Act::Plain).with(Method::DELETE) })
}
