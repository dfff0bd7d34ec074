//! Webhooks from the built component to a receiver on loopback.

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
use despacho_spin_tests::{Options, Reuse, TestServer};
use serde_json::{Value, json};

use crate::{
    support::{Response, TOKEN, TestDatabase, create, get, post, send, serve_ready},
    upstream::{ReceivedRequest, Upstream},
};

/// Seconds that a response may take on a busy machine.
const TIMEOUT: u32 = 30;

/// Returns options that allow calls to a receiver with a timeout.
fn calling(database: &TestDatabase, receiver: &Upstream, seconds: u32) -> Options {
    let webhooks = json!({ "loopback": true, "first-retry-ms": 50, "timeout-seconds": seconds });
    let settings = json!({ "webhooks": webhooks }).to_string();
    Options {
        outbound: vec![receiver.address],
        ..database.demo().variable("settings", &settings)
    }
}

/// Subscribes the demo store and returns the secret.
pub(crate) fn subscribe(served: &TestServer, url: &str) -> String {
    let made = post(
        &served.base,
        "/delivery/webhooks",
        &json!({ "url": url, "events": ["order.created"] }),
    );
    assert_eq!(made.status, 201, "{}", made.body);
    made.body["secret"].as_str().expect("a secret").to_owned()
}

pub(crate) fn dispatch(served: &TestServer) -> Response {
    let request = http::Request::post("/admin/dispatch")
        .header("x-api-token", TOKEN)
        .body(Vec::new());
    send(&served.base, request.expect("a request")).expect("a response")
}

/// Verifies the signature of a message, and returns the message.
fn verified(request: &ReceivedRequest, secret: &str) -> Value {
    let header = |name: &str| request.headers.get(name).map_or("", String::as_str);
    let key: [u8; 32] = STANDARD
        .decode(&secret["whsec_".len()..])
        .expect("base64")
        .try_into()
        .expect("32 bytes");
    let parts = [
        header("webhook-id").as_bytes(),
        b".",
        header("webhook-timestamp").as_bytes(),
        b".",
        &request.body,
    ];
    let tag = STANDARD
        .decode(
            header("webhook-signature")
                .strip_prefix("v1,")
                .expect("version 1"),
        )
        .expect("base64");
    assert!(hmac_sha256_matches(&key, &parts, &tag), "{request:?}");
    assert_eq!(
        (&*request.line, header("content-type")),
        ("POST /hook", "application/json")
    );
    serde_json::from_slice(&request.body).expect("JSON")
}

#[test]
fn dispatch_pass_sends_signed_messages() {
    let (database, receiver) = (TestDatabase::new(), Upstream::fixed(204, ""));
    let served = serve_ready(&calling(&database, &receiver, TIMEOUT));
    let secret = subscribe(&served, &format!("{}/hook", receiver.base()));
    let order = create(&served.base, "HOOK-1").expect("a response");
    assert_eq!(
        (order.status, receiver.requests().len()),
        (201, 0),
        "creating an order sends no webhooks"
    );
    assert_eq!(dispatch(&served).status, 200);
    let requests = receiver.requests();
    let [request] = &requests[..] else {
        panic!("one message, not {requests:?}")
    };
    let message = verified(request, &secret);
    assert_eq!(
        (&message["type"], &message["data"]["order"]["id"]),
        (&json!("order.created"), &order.body["id"])
    );
    assert_eq!(dispatch(&served).status, 200);
    assert_eq!(receiver.requests().len(), 1, "once");
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn failed_messages_are_retried_and_the_reason_logged() {
    let database = TestDatabase::new();
    let receiver = Upstream::start(|request| {
        if request.headers["webhook-id"].starts_with("evt_") {
            (500, String::new())
        } else {
            (200, String::new())
        }
    });
    let closed =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let closed = closed.expect("an unused port");
    let slow = Upstream::start(|_| {
        std::thread::sleep(Duration::from_secs(3));
        (200, String::new())
    });
    let options = Options {
        outbound: vec![receiver.address, closed, slow.address],
        ..calling(&database, &receiver, 1)
    };
    let served = serve_ready(&options);
    let targets = [
        receiver.base(),
        format!("http://{closed}"),
        slow.base(),
        "http://127.0.0.1:9".to_owned(),
    ]
    .map(|base| {
        let made = post(&served.base, "/delivery/webhooks", &json!({ "url": base }));
        made.body["id"].as_u64().expect("a number")
    });
    assert_eq!(
        create(&served.base, "HOOK-2").map(|response| response.status),
        Ok(201)
    );
    let started = Instant::now();
    assert_eq!(
        dispatch(&served).status,
        200,
        "failing receivers do not fail the pass"
    );
    assert!(
        started.elapsed() < Duration::from_secs(15),
        "{:?}",
        started.elapsed()
    );
    let errors = targets.map(|id| {
        let log = get(&served.base, &format!("/delivery/webhooks/{id}/attempts")).body;
        log["attempts"][0]["fault"]
            .as_str()
            .map(str::to_owned)
            .unwrap_or_else(|| panic!("{log}"))
    });
    assert_eq!(
        errors,
        ["status", "connect", "timeout", "address"],
        "the last one is not among the allowed hosts"
    );
    std::thread::sleep(Duration::from_millis(500));
    dispatch(&served);
    let tries: Vec<String> = receiver
        .requests()
        .iter()
        .map(|request| request.headers["webhook-id"].clone())
        .collect();
    let same = tries.iter().filter(|name| **name == tries[0]).count();
    assert!(same >= 2, "the retry has the same ID: {tries:?}");
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn receiver_with_tls_needs_a_valid_certificate() {
    let (database, receiver, other) = (
        TestDatabase::new(),
        Upstream::secure(204, ""),
        Upstream::secure(204, ""),
    );
    let trusted = receiver.certificate.clone().into_iter().collect();
    let outbound = vec![receiver.address, other.address];
    let served = serve_ready(&Options {
        outbound,
        trusted,
        ..calling(&database, &receiver, TIMEOUT)
    });
    let secret = subscribe(&served, &format!("{}/hook", receiver.base()));
    let made = post(
        &served.base,
        "/delivery/webhooks",
        &json!({ "url": other.base() }),
    );
    assert_eq!(made.status, 201, "{}", made.body);
    let order = create(&served.base, "HOOK-TLS").expect("a response");
    assert_eq!((order.status, dispatch(&served).status), (201, 200));
    let requests = receiver.requests();
    let [request] = &requests[..] else {
        panic!("one message, not {requests:?}")
    };
    assert_eq!(
        verified(request, &secret)["data"]["order"]["id"],
        order.body["id"]
    );
    let log = get(
        &served.base,
        &format!("/delivery/webhooks/{}/attempts", made.body["id"]),
    )
    .body;
    assert_eq!(log["attempts"][0]["fault"], "tls", "{log}");
    assert_eq!((other.requests().len(), served.stats().traps()), (0, 0));
}

#[test]
fn concurrent_instances_send_each_message_once() {
    const ORDERS: usize = 30;
    let (database, receiver) = (TestDatabase::new(), Upstream::fixed(200, ""));
    let served = serve_ready(&Options {
        reuse: Reuse::NEVER,
        ..calling(&database, &receiver, TIMEOUT)
    });
    subscribe(&served, &format!("{}/hook", receiver.base()));
    for number in 0..ORDERS {
        assert_eq!(
            create(&served.base, &format!("ONCE-{number}")).map(|response| response.status),
            Ok(201)
        );
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(dispatch(&served).status, 200));
        }
    });
    dispatch(&served);
    let ids: Vec<String> = receiver
        .requests()
        .iter()
        .map(|request| request.headers["webhook-id"].clone())
        .collect();
    assert_eq!(
        (ids.len(), ids.iter().collect::<BTreeSet<_>>().len()),
        (ORDERS, ORDERS)
    );
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn configured_webhooks_are_sent_after_the_response() {
    let (database, responded) = (TestDatabase::new(), Arc::new(AtomicBool::new(false)));
    let received = responded.clone();
    // The receiver responds 500 if the request waits for it until its timeout.
    let receiver = Upstream::start(move |_| {
        let came = until(|| received.load(Ordering::SeqCst));
        (if came { 200 } else { 500 }, String::new())
    });
    let served = serve_ready(
        &calling(&database, &receiver, TIMEOUT).variable("webhooks_after_responses", "true"),
    );
    let options =
        json!({ "url": format!("{}/hook", receiver.base()), "events": ["order.created"] });
    let id = post(&served.base, "/delivery/webhooks", &options).body["id"].clone();
    assert_eq!(
        create(&served.base, "AFTER-1").map(|response| response.status),
        Ok(201)
    );
    responded.store(true, Ordering::SeqCst);
    let log = || get(&served.base, &format!("/delivery/webhooks/{id}/attempts")).body;
    assert!(until(|| log()["attempts"][0]["status"] == 200), "{}", log());
    assert_eq!(served.stats().traps(), 0);
}

/// Waits until a condition is true. Returns false after the timeout.
fn until(condition: impl Fn() -> bool) -> bool {
    let started = Instant::now();
    while !condition() {
        if started.elapsed() > Duration::from_secs(20) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}
