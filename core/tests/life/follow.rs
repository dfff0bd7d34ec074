//! Following along: the events of an order, applied to what its creation answered, give what the service itself says at every step.

use despacho_core::{api::follow::apply_event, memory::MemoryHost};
use despacho_simulator::demo::KEY;
use serde_json::{Value, json};

use crate::support::{COURIER, OPERATOR, allocated, created, host, send};

fn applied(order: &Value, event: &Value) -> Result<Value, String> {
    let after = apply_event(order.to_string().as_bytes(), event.to_string().as_bytes());
    after.map(|text| serde_json::from_str(&text).unwrap()).map_err(|problem| problem.code.name().to_owned())
}

fn looked_up(host: &MemoryHost, id: impl std::fmt::Display) -> Value {
    send(host, KEY, &format!("GET /delivery/orders/{id}"), &Value::Null).body
}

fn situations(order: &Value) -> (Value, Vec<Value>) {
    let deliveries = order["deliveries"].as_array().unwrap();
    (order["situation"].clone(), deliveries.iter().map(|one| one["situation"].clone()).collect())
}

/// Numbers that look chosen by chance, the same in every run.
struct Rng(u64);

impl Rng {
    fn below(&mut self, max: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % max
    }
}

/// One request of somebody's, at random; most of them are refused.
fn act(host: &MemoryHost, order: &Value, rng: &mut Rng) {
    let id = &order["id"];
    let stops = order["deliveries"].as_array().unwrap();
    let stop = &stops[rng.below(stops.len())];
    let body = json!({
        "deliveryId": stop["id"], "code": stop["deliveryCode"], "reason": "by chance", "minutes": 1, "orderId": id,
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
    // What ends a delivery badly is rarer than what carries it on.
    let rare = ["cancel", "fail", "lost", "return", "discard"].iter().any(|word| path.ends_with(&format!("/{word}")));
    if rare && rng.below(5) > 0 {
        return;
    }
    let response = send(host, key, &format!("POST /{}", path.replace("{}", &id.to_string())), &body);
    assert!(matches!(response.status, 200 | 409 | 422), "{path}: {}", response.body);
}

#[test]
fn the_events_of_random_lives_lead_where_the_service_stands() {
    let (host, mut rng) = (host(), Rng(7));
    let (mut steps, mut ended) = (0, std::collections::BTreeSet::new());
    for life in 0..40 {
        let paid: Vec<bool> = (0..=rng.below(3)).map(|_| rng.below(3) > 0).collect();
        let order = allocated(&host, &format!("F-{life}"), &paid);
        let mut now = looked_up(&host, order.id);
        let mut known = now.clone();
        for _ in 0..400 {
            act(&host, &now, &mut rng);
            now = looked_up(&host, order.id);
            let events = now["events"].as_array().unwrap();
            let seen = known["events"].as_array().unwrap().len();
            for event in &events[seen..] {
                known = applied(&known, event).unwrap();
                steps += 1;
            }
            assert_eq!(situations(&known), situations(&now));
            if now["situation"].as_u64().unwrap() >= 500 {
                ended.insert(now["situation"].as_u64().unwrap());
                break;
            }
        }
        // From the creation on, in one go, gives the same again.
        let events = now["events"].as_array().unwrap();
        let mut replayed = now.clone();
        replayed["situation"] = events[0]["situation"].clone();
        replayed["events"] = json!([events[0]]);
        for delivery in replayed["deliveries"].as_array_mut().unwrap() {
            delivery["situation"] = json!(150);
        }
        for event in &events[1..] {
            replayed = applied(&replayed, event).unwrap();
        }
        assert_eq!(replayed, now);
        // A courier who still carries something is needed for the next life.
        let open = now["situation"].as_u64().unwrap() < 500;
        assert!(!open, "life {life} did not end in 400 requests");
    }
    assert!(steps > 200 && ended.len() >= 3, "{steps} steps, {ended:?}");
}

#[test]
fn what_does_not_follow_is_told() {
    let host = host();
    let order = created(&host, "F-X", 30, &[true]);
    let known = looked_up(&host, order.id);
    let event = |sequence: u32, kind: &str, status: u16| json!({ "sequence": sequence, "type": kind, "situation": status, "deliveryId": null });
    assert_eq!(applied(&known, &event(1, "order.created", 110)), Ok(known.clone()), "known already");
    assert_eq!(
        applied(&known, &event(3, "order.searching", 200)),
        Err("invalid_transition".to_owned()),
        "one is missing"
    );
    assert_eq!(
        applied(&known, &event(2, "order.searching", 200)),
        Err("invalid_transition".to_owned()),
        "not from here"
    );
    assert_eq!(applied(&known, &event(2, "order.ready", 200)), Err("invalid_transition".to_owned()), "leads elsewhere");
    let cancelled = applied(&known, &event(2, "order.cancelled", 600)).unwrap();
    assert_eq!((&cancelled["situation"], &cancelled["deliveries"][0]["situation"]), (&json!(600), &json!(600)));
    assert_eq!(applied(&cancelled, &event(3, "order.ready", 120)), Ok(cancelled.clone()), "the end absorbs");
    // The answer to the creation has no events: the next one is the second.
    let mut plain = known.clone();
    plain.as_object_mut().unwrap().retain(|name, _| name != "events");
    let ready = applied(&plain, &event(2, "order.ready", 120)).unwrap();
    assert_eq!((&ready["situation"], &ready["sequence"]), (&json!(120), &json!(2)));
    for (order, event) in [
        (json!([]), event(2, "order.ready", 120)),
        (json!({}), event(2, "order.ready", 120)),
        (known.clone(), json!({})),
        (known.clone(), event(2, "order.unheard_of", 120)),
    ] {
        assert_eq!(applied(&order, &event), Err("malformed_request".to_owned()));
    }
}
