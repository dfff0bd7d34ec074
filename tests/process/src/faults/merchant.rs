//! Merchants: they create orders, each until a server has acknowledged it, and cancel some.

use std::{sync::atomic::Ordering, time::Duration};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::faults::{
    client::{Caller, Reply},
    world::{Acknowledged, Parties, World, lock},
};

/// Between two orders of a merchant.
const PAUSE_MS: std::ops::RangeInclusive<u64> = 30..=300;

/// Creates orders until the run closes, and sees each of them through.
pub(crate) fn sell(world: &World<'_>, parties: &Parties, number: usize) {
    let party = &parties.merchants[number % parties.merchants.len()];
    let (caller, mut dice) = (Caller::new(world, &party.key), Rng::with_seed(world.plan.seed ^ number as u64));
    for count in 0.. {
        if world.closing.load(Ordering::SeqCst) || world.is_over() {
            return;
        }
        let code = format!("F-{number}-{count}");
        let body = order(&code, &mut dice);
        lock(&world.sent).insert(code.clone());
        if let Some(id) = create(world, &caller, &code, &body, &mut dice) {
            let cancelled = dice.u8(..) < 32 && cancel(world, &caller, id);
            if let Some(kept) = lock(&world.acknowledged).get_mut(&code) {
                kept.cancelled = cancelled;
            }
        }
        std::thread::sleep(Duration::from_millis(dice.u64(PAUSE_MS)));
    }
}

/// Sends an order until it is acknowledged. Three in four carry an `Idempotency-Key`, the others their code alone.
fn create(world: &World<'_>, caller: &Caller<'_>, code: &str, body: &Value, dice: &mut Rng) -> Option<u64> {
    let key = format!("key-{code}");
    let key = (dice.u8(..4) > 0).then_some(key.as_str());
    let Some((status, answer)) = caller.until_told("POST", "/delivery/orders", key, body) else {
        world.wrong(format!("{code} was never acknowledged"));
        return None;
    };
    let Some(id) = answer["id"].as_u64().filter(|_| matches!(status, 200 | 201) && answer["code"] == code) else {
        world.wrong(format!("{code} was answered {status}: {answer}"));
        return None;
    };
    lock(&world.acknowledged).insert(code.to_owned(), Acknowledged { id, cancelled: false });
    // One in eight lost the answer, as it were, and asks again, mostly another server.
    if dice.u8(..8) == 0
        && let Reply::Answer(status @ (200 | 201), again) = caller.try_once("POST", "/delivery/orders", key, body)
        && again["id"] != id
    {
        world.wrong(format!("{code} is order {id}, and when asked again ({status}) {again}"));
    }
    Some(id)
}

/// Whether the order is cancelled now. One that was picked up meanwhile is not.
pub(crate) fn cancel(world: &World<'_>, caller: &Caller<'_>, id: u64) -> bool {
    let key = format!("cancel-{id}");
    match caller.until_told("POST", "/delivery/orders/cancel", Some(&key), &json!({ "orderId": id })) {
        Some((200, _)) => true,
        Some((409, _)) | None => false,
        Some((status, answer)) => {
            world.wrong(format!("the cancellation of order {id} was answered {status}: {answer}"));
            false
        }
    }
}

/// Half of the orders look for a courier at once; the others wait for a day, and are there to be kept.
pub(crate) fn order(code: &str, dice: &mut Rng) -> Value {
    let delivery = |stop: u32| {
        let off = f64::from(stop) * 0.001;
        json!({ "name": format!("Recipient of {code}"), "phone": "+5511990000201", "onlinePayment": stop != 2,
            "address": { "street": "Rua Augusta", "number": (1_508 + stop).to_string(), "city": "São Paulo", "state": "SP",
                "latitude": -23.5578 + off, "longitude": -46.6600 - off } })
    };
    let deliveries: Vec<Value> = (0..dice.u32(1..=3)).map(delivery).collect();
    let preparation = if dice.bool() { 0 } else { 1_440 };
    json!({ "code": code, "preparationTime": preparation, "deliveries": deliveries })
}
