//! Applies an order's events to the response to its creation. The result must equal the service's
//! own state after every step.

use despacho_core::{api::follow::apply_event, memory::MemoryHost};
use despacho_simulator::demo::KEY;
use serde_json::{Value, json};

use crate::support::{COURIER, OPERATOR, create_allocated_order, create_order, host, send};

fn apply(order: &Value, event: &Value) -> Result<Value, String> {
    let after = apply_event(order.to_string().as_bytes(), event.to_string().as_bytes());
    after
        .map(|text| serde_json::from_str(&text).unwrap())
        .map_err(|problem| problem.code.name().to_owned())
}

fn look_up(host: &MemoryHost, id: impl std::fmt::Display) -> Value {
    send(
        host,
        KEY,
        &format!("GET /delivery/orders/{id}"),
        &Value::Null,
    )
    .body
}

fn situations(order: &Value) -> (Value, Vec<Value>) {
    let deliveries = order["deliveries"].as_array().unwrap();
    (
        order["situation"].clone(),
        deliveries
            .iter()
            .map(|one| one["situation"].clone())
            .collect(),
    )
}

/// Pseudo-random numbers that are equal in every run.
pub(crate) struct Rng(pub u64);

impl Rng {
    pub(crate) fn below(&mut self, max: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % max
    }
}

/// Sends a random request of a random actor. Most of these requests are rejected.
fn send_random_request(host: &MemoryHost, order: &Value, rng: &mut Rng) {
    let id = &order["id"];
    let stops = order["deliveries"].as_array().unwrap();
    let stop = &stops[rng.below(stops.len())];
    let body = json!({
        "deliveryId": stop["id"], "code": stop["deliveryCode"], "reason": "random", "minutes": 1, "orderId": id,
    });
    let steps = [
        (COURIER, "courier/orders/{}/arrive"),
        (COURIER, "courier/orders/{}/pickup"),
        (COURIER, "courier/orders/{}/en-route"),
        (COURIER, "courier/orders/{}/en-route"),
        (COURIER, "courier/orders/{}/resequence"),
        (COURIER, "courier/orders/{}/at-door"),
        (COURIER, "courier/orders/{}/at-door"),
        (COURIER, "courier/orders/{}/deliver"),
        (COURIER, "courier/orders/{}/deliver"),
        (COURIER, "courier/orders/{}/fail"),
        (COURIER, "courier/orders/{}/at-return"),
        (COURIER, "courier/orders/{}/hand-back"),
        (KEY, "delivery/orders/{}/discard"),
        (KEY, "delivery/orders/{}/return"),
        (KEY, "delivery/orders/{}/waive"),
        (OPERATOR, "admin/orders/{}/lost"),
        (KEY, "delivery/orders/cancel"),
    ];
    let (key, path) = steps[rng.below(steps.len())];
    let mut body = body;
    if path.ends_with("pickup") {
        body["code"] = order["pickupCode"].clone();
    }
    if path.ends_with("hand-back") {
        body["code"] = order["returnCode"].clone();
    }
    // Steps that end a delivery without success are rarer, so other steps occur often enough.
    let is_rare = ["cancel", "fail", "lost", "return", "discard"]
        .iter()
        .any(|step| path.ends_with(&format!("/{step}")));
    if is_rare && rng.below(5) > 0 {
        return;
    }
    let response = send(
        host,
        key,
        &format!("POST /{}", path.replace("{}", &id.to_string())),
        &body,
    );
    assert!(
        matches!(response.status, 200 | 409 | 422),
        "{path}: {}",
        response.body
    );
}

#[test]
fn applied_events_of_random_orders_match_the_service() {
    let (host, mut rng) = (host(), Rng(7));
    let (mut steps, mut ended) = (0, std::collections::BTreeSet::new());
    for number in 0..40 {
        let paid: Vec<bool> = (0..=rng.below(3)).map(|_| rng.below(3) > 0).collect();
        let order = create_allocated_order(&host, &format!("F-{number}"), &paid);
        let mut current = look_up(&host, order.id);
        let mut known = current.clone();
        for _ in 0..400 {
            send_random_request(&host, &current, &mut rng);
            current = look_up(&host, order.id);
            let events = current["events"].as_array().unwrap();
            let seen = known["events"].as_array().unwrap().len();
            for event in &events[seen..] {
                known = apply(&known, event).unwrap();
                steps += 1;
            }
            assert_eq!(situations(&known), situations(&current));
            if current["situation"].as_u64().unwrap() >= 500 {
                ended.insert(current["situation"].as_u64().unwrap());
                break;
            }
        }
        // Applying all events from the creation gives the same result.
        let events = current["events"].as_array().unwrap();
        let mut replayed = current.clone();
        replayed["situation"] = events[0]["situation"].clone();
        replayed["events"] = json!([events[0]]);
        for delivery in replayed["deliveries"].as_array_mut().unwrap() {
            delivery["situation"] = json!(150);
        }
        for event in &events[1..] {
            replayed = apply(&replayed, event).unwrap();
        }
        assert_eq!(replayed, current);
        // The order must have ended, because the next one needs its courier.
        let has_ended = current["situation"].as_u64().unwrap() >= 500;
        assert!(has_ended, "order {number} did not end in 400 requests");
    }
    assert!(steps > 200 && ended.len() >= 3, "{steps} steps, {ended:?}");
}

#[test]
fn inapplicable_event_is_rejected() {
    let host = host();
    let order = create_order(&host, "F-X", 30, &[true]);
    let known = look_up(&host, order.id);
    let event = |sequence: u32, kind: &str, status: u16| json!({ "sequence": sequence, "type": kind, "situation": status, "deliveryId": null });
    assert_eq!(
        apply(&known, &event(1, "order.created", 110)),
        Ok(known.clone()),
        "already applied"
    );
    assert_eq!(
        apply(&known, &event(3, "order.searching", 200)),
        Err("invalid_transition".to_owned()),
        "an event is missing"
    );
    assert_eq!(
        apply(&known, &event(2, "order.allocated", 210)),
        Err("invalid_transition".to_owned()),
        "not from this status"
    );
    assert_eq!(
        apply(&known, &event(2, "order.ready", 200)),
        Err("invalid_transition".to_owned()),
        "leads to another status"
    );
    let cancelled = apply(&known, &event(2, "order.cancelled", 600)).unwrap();
    assert_eq!(
        (
            &cancelled["situation"],
            &cancelled["deliveries"][0]["situation"]
        ),
        (&json!(600), &json!(600))
    );
    assert_eq!(
        apply(&cancelled, &event(3, "order.ready", 120)),
        Ok(cancelled.clone()),
        "a final status ignores events"
    );
    // The response to the creation has no events, so the next event is the second.
    let mut plain = known.clone();
    plain
        .as_object_mut()
        .unwrap()
        .retain(|name, _| name != "events");
    let ready = apply(&plain, &event(2, "order.ready", 120)).unwrap();
    assert_eq!(
        (&ready["situation"], &ready["sequence"]),
        (&json!(120), &json!(2))
    );
    for (order, event) in [
        (json!([]), event(2, "order.ready", 120)),
        (json!({}), event(2, "order.ready", 120)),
        (known.clone(), json!({})),
        (known.clone(), event(2, "order.unknown", 120)),
    ] {
        assert_eq!(apply(&order, &event), Err("malformed_request".to_owned()));
    }
}
