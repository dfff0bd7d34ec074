//! Those who follow along: readers of journals and subscribers of webhooks.

use http::Method;
use serde_json::{Value, json};

use crate::{
    exchange::{Act, Plan},
    people::KnownHook,
    world::World,
};

/// Kinds that some subscribers want and no others.
const FEW: [&str; 3] = ["order.created", "order.allocated", "delivery.delivered"];

/// A follower's next act.
pub(crate) fn choose(world: &mut World) -> Option<Plan> {
    match world.chance.weighted(&[70, 10, 5, 6, 6, 2]) {
        0 => read(world),
        1 => subscribe(world),
        2 => with_hook(world, "rotate", true),
        3 => with_hook(world, "test", false),
        4 => with_hook(world, "enable", false),
        _ => remove(world),
    }
}

fn read(world: &mut World) -> Option<Plan> {
    let standing = |store| world.model.stores.get(&store).is_some_and(|store| !store.removed);
    let readers = world.people.readers.iter().enumerate();
    let idle: Vec<usize> =
        readers.filter(|(_, reader)| !reader.busy && standing(reader.store)).map(|(at, _)| at).collect();
    let at = *world.chance.pick(&idle)?;
    let limit = world.chance.between(1, 30);
    let reader = world.people.readers.get_mut(at)?;
    reader.busy = true;
    let after = reader.cursor.as_ref().map(|cursor| format!("&after={cursor}")).unwrap_or_default();
    let token = world.people.keys.get(reader.key)?.text.clone();
    Some(Plan::get(&token, format!("/delivery/events?limit={limit}{after}"), Act::Read { reader: at }))
}

fn subscribe(world: &mut World) -> Option<Plan> {
    if world.people.hooks.len() >= 6 {
        return None;
    }
    let readers = world.people.readers.clone();
    let reader = world.chance.pick(&readers)?;
    let number = world.people.next();
    let url = format!("https://r{number}.recebe.example/eventos");
    let wants = if world.chance.often(300) { FEW.to_vec() } else { Vec::new() };
    let token = world.people.keys.get(reader.key)?.text.clone();
    let body = json!({ "url": url, "events": wants });
    Some(Plan::post(&token, "/delivery/webhooks", body, Act::HookCreate { store: reader.store, url, wants }))
}

/// A subscription, and the key of its store.
fn hook(world: &mut World) -> Option<(usize, KnownHook, String)> {
    let standing: Vec<usize> =
        world.people.hooks.iter().enumerate().filter(|(_, hook)| !hook.removed).map(|(at, _)| at).collect();
    let at = *world.chance.pick(&standing)?;
    let hook = world.people.hooks.get(at)?.clone();
    let key = world.people.readers.iter().find(|reader| reader.store == hook.store)?.key;
    Some((at, hook, world.people.keys.get(key)?.text.clone()))
}

fn with_hook(world: &mut World, what: &str, rotates: bool) -> Option<Plan> {
    let (at, hook, token) = hook(world)?;
    let act = if rotates { Act::HookRotate { hook: at } } else { Act::Plain };
    let path = format!("/delivery/webhooks/{}/{what}", hook.id);
    Some(Plan { body: None, ..Plan::post(&token, path, Value::Null, act) })
}

fn remove(world: &mut World) -> Option<Plan> {
    let (at, hook, token) = hook(world)?;
    world.people.hooks.get_mut(at)?.removed = true;
    let path = format!("/delivery/webhooks/{}", hook.id);
    Some(Plan { body: None, ..Plan::post(&token, path, Value::Null, Act::Plain).with(Method::DELETE) })
}
