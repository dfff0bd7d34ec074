//! Pushes to couriers, from the assignment of an order to a push service on loopback that verifies
//! the sender.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    couriers::{order, send},
    harness::{Server, TIMEOUT, create_store, despacho, run, stdout},
    upstream::{ReceivedRequest, Upstream},
};

const CONTACT: &str = "mailto:suporte@entregas.example";

/// Starts a server with a new key. Returns the server and the key that the command printed.
fn start(folder: TempDir) -> (Server, String, String) {
    let text = stdout(&run(&folder, &["push", "key"]));
    let find = |prefix: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(prefix))
            .unwrap()
            .to_owned()
    };
    let (private, public) = (find("DESPACHO_PUSH_VAPID_KEY="), find("# public key: "));
    let mut command = despacho(&folder);
    command
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("DESPACHO_PUSH_VAPID_KEY", &private);
    let args = [
        "--dispatch-interval-seconds",
        "1",
        "--webhooks-loopback",
        "--push-contact",
        CONTACT,
    ];
    (Server::start_by(command, folder, &args), private, public)
}

/// Verifies the signature of a push with the public key, and returns the claims.
fn verify(request: &ReceivedRequest, public: &str) -> Value {
    let header = request.header("authorization").unwrap();
    let (token, key) = header
        .strip_prefix("vapid t=")
        .unwrap()
        .split_once(", k=")
        .unwrap();
    assert_eq!(key, public);
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
    let verifier = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decode(public));
    verifier
        .verify(signed.as_bytes(), &decode(signature))
        .unwrap();
    let (head, claims) = signed.split_once('.').unwrap();
    let json = |text: &str| serde_json::from_slice::<Value>(&decode(text)).unwrap();
    assert_eq!(json(head), json!({ "typ": "JWT", "alg": "ES256" }));
    json(claims)
}

fn wait_for(server: &Server, what: &str, is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !is_done() {
        assert!(Instant::now() < deadline, "{what}\n{}", server.log());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn assignment_sends_one_signed_push_to_each_browser() {
    let folder = tempfile::tempdir().unwrap();
    let store = create_store(&folder);
    let text = stdout(&run(
        &folder,
        &[
            "courier",
            "add",
            "--name",
            "Ana Souza",
            "--phone",
            "+5511990000001",
        ],
    ));
    let courier = text
        .lines()
        .find_map(|line| line.strip_prefix("x-api-token: "))
        .unwrap();
    let (server, private, public) = start(folder);
    let failed = AtomicUsize::new(0);
    let service = Upstream::start(move |request| match request.line.as_str() {
        "POST /gone" => (410, String::new()),
        // The first attempt fails.
        "POST /second" if failed.fetch_add(1, Ordering::SeqCst) == 0 => (503, String::new()),
        _ => (201, String::new()),
    });
    assert_eq!(
        send(&server, "GET /courier/push", courier, &Value::Null)["publicKey"],
        json!(public)
    );
    for path in ["first", "second", "gone"] {
        let endpoint = json!({ "endpoint": format!("{}/{path}", service.base) });
        send(&server, "POST /courier/push", courier, &endpoint);
    }
    send(
        &server,
        "POST /courier/position",
        courier,
        &json!({ "latitude": -23.5614, "longitude": -46.6559 }),
    );
    send(
        &server,
        "POST /courier/availability",
        courier,
        &json!({ "available": true }),
    );
    let created = send(&server, "POST /delivery/orders", &store, &order("P-1"));
    let sent_to = |path: &str| {
        let line = format!("POST /{path}");
        service
            .requests()
            .into_iter()
            .filter(|request| request.line == line)
            .collect::<Vec<_>>()
    };
    wait_for(&server, "the failed push is not repeated", || {
        sent_to("second").len() == 2
    });
    let [first] = &sent_to("first")[..] else {
        panic!("one push, not {:?}", sent_to("first"))
    };
    let claims = verify(first, &public);
    assert_eq!(
        (&claims["aud"], &claims["sub"]),
        (&json!(service.base), &json!(CONTACT))
    );
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs();
    assert!(
        (now + 11 * 3_600..now + 13 * 3_600).contains(&claims["exp"].as_u64().unwrap()),
        "{claims}"
    );
    let header = |name| first.header(name).unwrap_or_default().to_owned();
    assert_eq!(
        [
            header("ttl"),
            header("urgency"),
            header("topic"),
            header("content-length"),
            first.body.clone()
        ],
        ["600", "high", "trip", "0", ""]
    );
    assert_eq!(sent_to("gone").len(), 1);
    // The push service ended one subscription, so the next order is pushed to the others.
    let id = created["id"].as_u64().unwrap();
    send(
        &server,
        &format!("POST /courier/orders/{id}/decline"),
        courier,
        &json!({ "reason": "pneu furado" }),
    );
    send(&server, "POST /delivery/orders", &store, &order("P-2"));
    wait_for(&server, "the second order is not pushed", || {
        sent_to("first").len() == 2
    });
    wait_for(
        &server,
        "the second order is not pushed to all browsers",
        || sent_to("second").len() == 3,
    );
    assert_eq!(sent_to("gone").len(), 1);
    let metrics = server.metrics();
    let metrics = metrics.text();
    assert!(
        metrics.contains("despacho_push_attempts_failed_total 2\n"),
        "{metrics}"
    );
    let log = server.log();
    assert!(!log.contains(&private) && !log.contains("/second"), "{log}");
}
