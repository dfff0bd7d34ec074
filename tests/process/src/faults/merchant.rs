//! Merchants create orders, retry each until a server acknowledges it, and cancel some.

use std::{sync::atomic::Ordering, time::Duration};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::faults::{
    client::{Caller, Reply},
    run::{Acknowledged, Clients, RunState, lock},
};

/// The pause between two orders of a merchant, in milliseconds.
const PAUSE_MS: std::ops::RangeInclusive<u64> = 30..=300;

/// Creates orders until no more faults are injected.
pub(crate) fn create_orders(state: &RunState<'_>, clients: &Clients, number: usize) {
    let client = &clients.merchants[number % clients.merchants.len()];
    let (caller, mut rng) = (
        Caller::new(state, &client.key),
        Rng::with_seed(state.plan.seed ^ number as u64),
    );
    for count in 0.. {
        if state.closing.load(Ordering::SeqCst) || state.is_over() {
            return;
        }
        let code = format!("F-{number}-{count}");
        let body = order(&code, &mut rng);
        lock(&state.sent).insert(code.clone());
        if let Some(id) = create(state, &caller, &code, &body, &mut rng) {
            let cancelled = rng.u8(..) < 32 && cancel(state, &caller, id);
            if let Some(order) = lock(&state.acknowledged).get_mut(&code) {
                order.cancelled = cancelled;
            }
        }
        std::thread::sleep(Duration::from_millis(rng.u64(PAUSE_MS)));
    }
}

/// Sends an order until it is acknowledged. Three in four requests have an `Idempotency-Key`, the
/// others only the order's code.
fn create(
    state: &RunState<'_>,
    caller: &Caller<'_>,
    code: &str,
    body: &Value,
    rng: &mut Rng,
) -> Option<u64> {
    let key = format!("key-{code}");
    let key = (rng.u8(..4) > 0).then_some(key.as_str());
    let Some((status, response)) =
        caller.retry_until_response("POST", "/delivery/orders", key, body)
    else {
        state.record_violation(format!("{code} was never acknowledged"));
        return None;
    };
    let Some(id) = response["id"]
        .as_u64()
        .filter(|_| matches!(status, 200 | 201) && response["code"] == code)
    else {
        state.record_violation(format!("{code} got {status}: {response}"));
        return None;
    };
    lock(&state.acknowledged).insert(
        code.to_owned(),
        Acknowledged {
            id,
            cancelled: false,
        },
    );
    // One in eight simulates a lost response and repeats the request, usually to another server.
    if rng.u8(..8) == 0
        && let Reply::Response(status @ (200 | 201), again) =
            caller.try_once("POST", "/delivery/orders", key, body)
        && again["id"] != id
    {
        state.record_violation(format!(
            "{code} is order {id}, but the repeated request returned {status}: {again}"
        ));
    }
    Some(id)
}

/// Cancels an order and returns whether it is cancelled. An order that was already picked up cannot
/// be cancelled.
pub(crate) fn cancel(state: &RunState<'_>, caller: &Caller<'_>, id: u64) -> bool {
    let key = format!("cancel-{id}");
    match caller.retry_until_response(
        "POST",
        "/delivery/orders/cancel",
        Some(&key),
        &json!({ "orderId": id }),
    ) {
        Some((200, _)) => true,
        Some((409, _)) | None => false,
        Some((status, response)) => {
            state.record_violation(format!(
                "the cancellation of order {id} got {status}: {response}"
            ));
            false
        }
    }
}

/// Returns the body of an order. Half of the orders search for a courier at once. The others have a
/// preparation time of a day and are only stored.
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
