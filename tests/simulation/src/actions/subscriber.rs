//! The actions of subscribers: they read journals and manage webhooks.

use http::Method;
use serde_json::{Value, json};

use crate::{
    clients::KnownHook,
    exchange::{Action, Plan},
    simulation::Simulation,
};

/// The kinds of events of selective subscriptions.
const SELECTED_KINDS: [&str; 3] = ["order.created", "order.allocated", "delivery.delivered"];

/// Chooses a subscriber's next action.
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
    let existing = |store| {
        simulation
            .model
            .stores
            .get(&store)
            .is_some_and(|store| !store.removed)
    };
    let readers = simulation.clients.readers.iter().enumerate();
    let idle: Vec<usize> = readers
        .filter(|(_, reader)| !reader.busy && existing(reader.store))
        .map(|(at, _)| at)
        .collect();
    let at = *simulation.rng.pick(&idle)?;
    let limit = simulation.rng.between(1, 30);
    let reader = simulation.clients.readers.get_mut(at)?;
    reader.busy = true;
    let after = reader
        .cursor
        .as_ref()
        .map(|cursor| format!("&after={cursor}"))
        .unwrap_or_default();
    let token = simulation.clients.keys.get(reader.key)?.value.clone();
    Some(Plan::get(
        &token,
        format!("/delivery/events?limit={limit}{after}"),
        Action::Read { reader: at },
    ))
}

fn subscribe(simulation: &mut Simulation) -> Option<Plan> {
    if simulation.clients.hooks.len() >= 6 {
        return None;
    }
    let readers = simulation.clients.readers.clone();
    let reader = simulation.rng.pick(&readers)?;
    let number = simulation.clients.next_serial();
    let url = format!("https://r{number}.recebe.example/eventos");
    let events = if simulation.rng.often(300) {
        SELECTED_KINDS.to_vec()
    } else {
        Vec::new()
    };
    let token = simulation.clients.keys.get(reader.key)?.value.clone();
    let body = json!({ "url": url, "events": events });
    Some(Plan::post(
        &token,
        "/delivery/webhooks",
        body,
        Action::HookCreate {
            store: reader.store,
            url,
            events,
        },
    ))
}

/// Returns a subscription and a key of its store.
fn hook(simulation: &mut Simulation) -> Option<(usize, KnownHook, String)> {
    let existing: Vec<usize> = simulation
        .clients
        .hooks
        .iter()
        .enumerate()
        .filter(|(_, hook)| !hook.removed)
        .map(|(at, _)| at)
        .collect();
    let at = *simulation.rng.pick(&existing)?;
    let hook = simulation.clients.hooks.get(at)?.clone();
    let key = simulation
        .clients
        .readers
        .iter()
        .find(|reader| reader.store == hook.store)?
        .key;
    Some((at, hook, simulation.clients.keys.get(key)?.value.clone()))
}

fn with_hook(simulation: &mut Simulation, operation: &str, rotates: bool) -> Option<Plan> {
    let (at, hook, token) = hook(simulation)?;
    let action = if rotates {
        Action::HookRotate { hook: at }
    } else {
        Action::Plain
    };
    let path = format!("/delivery/webhooks/{}/{operation}", hook.id);
    Some(Plan {
        body: None,
        ..Plan::post(&token, path, Value::Null, action)
    })
}

fn remove(simulation: &mut Simulation) -> Option<Plan> {
    let (at, hook, token) = hook(simulation)?;
    simulation.clients.hooks.get_mut(at)?.removed = true;
    let path = format!("/delivery/webhooks/{}", hook.id);
    Some(Plan {
        body: None,
        ..Plan::post(&token, path, Value::Null, Action::Plain).with(Method::DELETE)
    })
}
