//! Merchants: they create orders, each until a server has acknowledged it, and cancel some.

use std::{sync::atomic::Ordering, time::Duration};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::faults::{
    client::{Caller, Reply},
    run::{Acknowledged, Parties, StormRun, lock},
};

/// Between two orders of a merchant.
const PAUSE_MS: std::ops::RangeInclusive<u64> = 30..=300;

/// Creates orders until the run closes, and sees each of them through.
pub(crate) fn sell(storm: &StormRun<'_>, parties: &Parties, number: usize) {
    let party = &parties.merchants[number % parties.merchants.len()];
    let (caller, mut rng) = (Caller::new(storm, &party.key), Rng::with_seed(storm.plan.seed ^ number as u64));
    for count in 0.. {
        if storm.closing.load(Ordering::SeqCst) || storm.is_over() {
            return;
        }
        let code = format!("F-{number}-{count}");
        let body = order(&code, &mut rng);
        lock(&storm.sent).insert(code.clone());
        if let Some(id) = create(storm, &caller, &code, &body, &mut rng) {
            let cancelled = rng.u8(..) < 32 && cancel(storm, &caller, id);
            if let Some(kept) = lock(&storm.acknowledged).get_mut(&code) {
                kept.cancelled = cancelled;
            }
        }
        std::thread::sleep(Duration::from_millis(rng.u64(PAUSE_MS)));
    }
}

/// Sends an order until it is acknowledged. Three in four carry an `Idempotency-Key`, the others their code alone.
fn create(storm: &StormRun<'_>, caller: &Caller<'_>, code: &str, body: &Value, rng: &mut Rng) -> Option<u64> {
    let key = format!("key-{code}");
    let key = (rng.u8(..4) > 0).then_some(key.as_str());
    let Some((status, response)) = caller.retry_until_response("POST", "/delivery/orders", key, body) else {
        storm.wrong(format!("{code} was never acknowledged"));
        return None;
    };
    let Some(id) = response["id"].as_u64().filter(|_| matches!(status, 200 | 201) && response["code"] == code) else {
        storm.wrong(format!("{code} was answered {status}: {response}"));
        return None;
    };
    lock(&storm.acknowledged).insert(code.to_owned(), Acknowledged { id, cancelled: false });
    // One in eight lost the answer, as it were, and asks again, mostly another server.
    if rng.u8(..8) == 0
        && let Reply::Response(status @ (200 | 201), again) = caller.try_once("POST", "/delivery/orders", key, body)
        && again["id"] != id
    {
        storm.wrong(format!("{code} is order {id}, and when asked again ({status}) {again}"));
    }
    Some(id)
}

/// Whether the order is cancelled now. One that was picked up meanwhile is not.
pub(crate) fn cancel(storm: &StormRun<'_>, caller: &Caller<'_>, id: u64) -> bool {
    let key = format!("cancel-{id}");
    match caller.retry_until_response("POST", "/delivery/orders/cancel", Some(&key), &json!({ "orderId": id })) {
        Some((200, _)) => true,
        Some((409, _)) | None => false,
        Some((status, response)) => {
            storm.wrong(format!("the cancellation of order {id} was answered {status}: {response}"));
            false
        }
    }
}

/// Half of the orders look for a courier at once; the others wait for a day, and are there to be kept.
pub(crate) fn order(code: &str, rng: &mut Rng) -> Value {
    let delivery = |stop: u32| {
        let off = f64::from(stop) * 0.001;
        json!({ "name": format!("Recipient of {code}"), "phone": "+5511990000201", "onlinePayment": stop != 2,
            "address": { "street": "Rua Augusta", "number": (1_508 + stop).to_string(), "city": "São Paulo", "state": "SP",
                "latitude": -23.5578 + off, "longitude": -46.6600 - off } })
    };
    let deliveries: Vec<Value> = (0..rng.u32(1..=3)).map(delivery).collect();
    let preparation = if rng.bool() { 0 } else { 1_440 };
    json!({ "code": code, "preparationTime": preparation, "deliveries": deliveries })
}
