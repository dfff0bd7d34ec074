//! Webhooks leave the built component for a real receiver.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use despacho_core::model::hmac_sha256_matches;
use despacho_spin_tests::{Options, Reuse, Served};
use serde_json::{Value, json};

use crate::{
    support::{Place, Response, TOKEN, create, get, post, send, serve},
    upstream::{Received, Upstream},
};

/// Seconds that a busy machine may take for an answer.
const TIMEOUT: u32 = 30;

/// A component that may call this receiver, and waits for its answer for so many seconds.
fn calling(place: &Place, receiver: &Upstream, seconds: u32) -> Options {
    let terms = json!({ "loopback": true, "first-retry-ms": 50, "timeout-seconds": seconds });
    let settings = json!({ "webhooks": terms }).to_string();
    Options { outbound: vec![receiver.address], ..place.demo().variable("settings", &settings) }
}

/// Subscribes the demonstration's store and gives the secret.
pub(crate) fn subscribe(served: &Served, url: &str) -> String {
    let made = post(&served.base, "/delivery/webhooks", &json!({ "url": url, "events": ["order.created"] }));
    assert_eq!(made.status, 201, "{}", made.body);
    made.body["secret"].as_str().expect("a secret").to_owned()
}

pub(crate) fn dispatch(served: &Served) -> Response {
    let request = http::Request::post("/admin/dispatch").header("x-api-token", TOKEN).body(Vec::new());
    send(&served.base, request.expect("a request")).expect("an answer")
}

/// The message, once its signature is found to be good.
fn verified(request: &Received, secret: &str) -> Value {
    let header = |name: &str| request.headers.get(name).map_or("", String::as_str);
    let key: [u8; 32] = STANDARD.decode(&secret["whsec_".len()..]).expect("base64").try_into().expect("32 bytes");
    let parts = [header("webhook-id").as_bytes(), b".", header("webhook-timestamp").as_bytes(), b".", &request.body];
    let tag = STANDARD.decode(header("webhook-signature").strip_prefix("v1,").expect("version 1")).expect("base64");
    assert!(hmac_sha256_matches(&key, &parts, &tag), "{request:?}");
    assert_eq!((&*request.line, header("content-type")), ("POST /hook", "application/json"));
    serde_json::from_slice(&request.body).expect("JSON")
}

#[test]
fn a_round_of_dispatch_sends_signed_messages() {
    let (place, receiver) = (Place::new(), Upstream::fixed(204, ""));
    let served = serve(&calling(&place, &receiver, TIMEOUT));
    let secret = subscribe(&served, &format!("{}/hook", receiver.base()));
    let order = create(&served.base, "HOOK-1").expect("an answer");
    assert_eq!((order.status, receiver.requests().len()), (201, 0), "a request sends nothing itself");
    assert_eq!(dispatch(&served).status, 200);
    let requests = receiver.requests();
    let [request] = &requests[..] else { panic!("one message, not {requests:?}") };
    let message = verified(request, &secret);
    assert_eq!((&message["type"], &message["data"]["order"]["id"]), (&json!("order.created"), &order.body["id"]));
    assert_eq!(dispatch(&served).status, 200);
    assert_eq!(receiver.requests().len(), 1, "once");
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn what_fails_is_tried_again_and_the_log_says_why() {
    let place = Place::new();
    let receiver = Upstream::start(|request| {
        if request.headers["webhook-id"].starts_with("evt_") { (500, String::new()) } else { (200, String::new()) }
    });
    let closed = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let closed = closed.expect("a port that nobody listens on");
    let slow = Upstream::start(|_| {
        std::thread::sleep(Duration::from_secs(3));
        (200, String::new())
    });
    let options = Options { outbound: vec![receiver.address, closed, slow.address], ..calling(&place, &receiver, 1) };
    let served = serve(&options);
    let targets =
        [receiver.base(), format!("http://{closed}"), slow.base(), "http://127.0.0.1:9".to_owned()].map(|base| {
            let made = post(&served.base, "/delivery/webhooks", &json!({ "url": base }));
            made.body["id"].as_u64().expect("a number")
        });
    assert_eq!(create(&served.base, "HOOK-2").map(|response| response.status), Ok(201));
    let began = Instant::now();
    assert_eq!(dispatch(&served).status, 200, "receivers that fail are no failure of the round");
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    let errors = targets.map(|id| {
        let log = get(&served.base, &format!("/delivery/webhooks/{id}/attempts")).body;
        log["attempts"][0]["fault"].as_str().map(str::to_owned).unwrap_or_else(|| panic!("{log}"))
    });
    assert_eq!(errors, ["status", "connect", "timeout", "address"], "the last one is not among the allowed hosts");
    std::thread::sleep(Duration::from_millis(500));
    dispatch(&served);
    let tries: Vec<String> = receiver.requests().iter().map(|request| request.headers["webhook-id"].clone()).collect();
    let same = tries.iter().filter(|name| **name == tries[0]).count();
    assert!(same >= 2, "tried again as the same: {tries:?}");
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn a_receiver_may_speak_tls_and_its_certificate_must_be_good() {
    let (place, receiver, other) = (Place::new(), Upstream::secure(204, ""), Upstream::secure(204, ""));
    let trusted = receiver.certificate.clone().into_iter().collect();
    let outbound = vec![receiver.address, other.address];
    let served = serve(&Options { outbound, trusted, ..calling(&place, &receiver, TIMEOUT) });
    let secret = subscribe(&served, &format!("{}/hook", receiver.base()));
    let made = post(&served.base, "/delivery/webhooks", &json!({ "url": other.base() }));
    assert_eq!(made.status, 201, "{}", made.body);
    let order = create(&served.base, "HOOK-TLS").expect("an answer");
    assert_eq!((order.status, dispatch(&served).status), (201, 200));
    let requests = receiver.requests();
    let [request] = &requests[..] else { panic!("one message, not {requests:?}") };
    assert_eq!(verified(request, &secret)["data"]["order"]["id"], order.body["id"]);
    let log = get(&served.base, &format!("/delivery/webhooks/{}/attempts", made.body["id"])).body;
    assert_eq!(log["attempts"][0]["fault"], "tls", "{log}");
    assert_eq!((other.requests().len(), served.stats().traps()), (0, 0));
}

#[test]
fn instances_that_send_at_once_send_everything_once() {
    const ORDERS: usize = 30;
    let (place, receiver) = (Place::new(), Upstream::fixed(200, ""));
    let served = serve(&Options { reuse: Reuse::NEVER, ..calling(&place, &receiver, TIMEOUT) });
    subscribe(&served, &format!("{}/hook", receiver.base()));
    for number in 0..ORDERS {
        assert_eq!(create(&served.base, &format!("ONCE-{number}")).map(|response| response.status), Ok(201));
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(dispatch(&served).status, 200));
        }
    });
    dispatch(&served);
    let ids: Vec<String> = receiver.requests().iter().map(|request| request.headers["webhook-id"].clone()).collect();
    assert_eq!((ids.len(), ids.iter().collect::<BTreeSet<_>>().len()), (ORDERS, ORDERS));
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn where_it_is_wanted_they_leave_after_the_answer() {
    let (place, responded) = (Place::new(), Arc::new(AtomicBool::new(false)));
    let received = responded.clone();
    // Whoever waited for this receiver would wait until it gives up, and be told that.
    let receiver = Upstream::start(move |_| {
        let came = until(|| received.load(Ordering::SeqCst));
        (if came { 200 } else { 500 }, String::new())
    });
    let served = serve(&calling(&place, &receiver, TIMEOUT).variable("webhooks_after_responses", "true"));
    let options = json!({ "url": format!("{}/hook", receiver.base()), "events": ["order.created"] });
    let id = post(&served.base, "/delivery/webhooks", &options).body["id"].clone();
    assert_eq!(create(&served.base, "AFTER-1").map(|response| response.status), Ok(201));
    responded.store(true, Ordering::SeqCst);
    let log = || get(&served.base, &format!("/delivery/webhooks/{id}/attempts")).body;
    assert!(until(|| log()["attempts"][0]["status"] == 200), "{}", log());
    assert_eq!(served.stats().traps(), 0);
}

/// Whether something comes to be before the patience of a receiver is over.
fn until(comes: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while !comes() {
        if began.elapsed() > Duration::from_secs(20) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}
