//! Sends `kill -9` while a scheduled order waits. After the restart, its search starts on time and
//! finds the courier.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic where it fails"
)]

use std::{
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use despacho_core::model::{Duration as Span, Timestamp};
use despacho_process::cluster::{self, Cluster};
use despacho_xtask::server::{self, Server};
use serde_json::{Value, json};

use crate::support::{TIMEOUT, agent, get, post};

const OPERATOR: &str = "operator-token-of-this-test";
/// The time from the creation of the order to its ready time, in which the server is killed and
/// restarted.
const WAIT: Span = Span::millis(20_000);
/// The handover of the default tariff.
const HANDOVER: Span = Span::minutes(3);
/// The maximum time from the ready time to the allocation: the courier's position, a pass each
/// second, and a slow machine.
const MAX_DELAY: Span = Span::millis(15_000);

#[test]
fn scheduled_order_is_searched_on_time_after_a_kill() {
    let data = tempfile::tempdir().unwrap();
    search_after_kill(data.path(), &[]);
}

#[test]
fn scheduled_order_on_postgres_is_searched_on_time_after_a_kill() {
    if !cluster::is_installed() {
        return;
    }
    let (cluster, data) = (Cluster::start().unwrap(), tempfile::tempdir().unwrap());
    let (url, secret) = (cluster.fresh().unwrap(), "a7".repeat(32));
    search_after_kill(
        data.path(),
        &[("DESPACHO_DATABASE", &url), ("DESPACHO_SECRET", &secret)],
    );
}

fn start(data: &Path, database: &[(&str, &str)]) -> Server {
    let binary = server::binary().unwrap_or_else(|failure| panic!("{failure}"));
    let own = [
        ("DESPACHO_ADMIN_TOKEN", OPERATOR),
        ("DESPACHO_DISPATCH_INTERVAL_SECONDS", "1"),
    ];
    let variables = [&own[..], database].concat();
    Server::start(&binary, data, &["--demo"], &variables)
        .unwrap_or_else(|failure| panic!("{failure}"))
}

fn search_after_kill(data: &Path, database: &[(&str, &str)]) {
    let mut server = start(data, database);
    cancel_demo_orders(&server);
    let courier = register_courier(&server);
    let (order, ready) = create_scheduled(&server);
    assert_eq!(order["situation"], 100, "the order waits: {order}");
    // `kill` sends SIGKILL.
    server.child().kill().unwrap();
    server.child().wait().unwrap();
    drop(server);
    let server = start(data, database);
    report_position(&server, &courier);
    let path = format!("/delivery/orders/{}", order["id"]);
    // Reading an order by its store would start its search, so only the courier sends requests
    // before the allocation.
    let deadline = Instant::now() + TIMEOUT;
    while as_courier(&server, &courier, "GET", "/courier/order", &Value::Null)["order"].is_null() {
        assert!(
            Instant::now() < deadline,
            "no courier was found: {:?}",
            get(&server.base, &path)
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    let found = get(&server.base, &path).1;
    let time_of = |kind: &str| {
        let events = found["events"].as_array().unwrap();
        let event = events
            .iter()
            .find(|event| event["type"] == kind)
            .unwrap_or_else(|| panic!("no {kind}: {found}"));
        time(&event["createdAt"])
    };
    for kind in ["order.searching", "order.allocated"] {
        let delay = time_of(kind).since(ready);
        eprintln!("{kind} {delay:?} after the ready time");
        assert!(
            delay >= Span::millis(0) && delay <= MAX_DELAY,
            "{kind} {delay:?} after the ready time: {found}"
        );
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap())
}

fn time(text: &Value) -> Timestamp {
    Timestamp::parse(text.as_str().unwrap()).unwrap()
}

/// Cancels the orders of the demo, for which the courier would leave.
fn cancel_demo_orders(server: &Server) {
    let list = get(&server.base, "/delivery/orders?open=true").1;
    for order in list["orders"]
        .as_array()
        .unwrap_or_else(|| panic!("{list}"))
    {
        let (status, cancelled) = post(
            &server.base,
            "/delivery/orders/cancel",
            &json!({ "orderId": order["id"] }),
        );
        assert_eq!(status, 200, "{cancelled}");
    }
}

/// Creates an order for a time that makes it ready after [`WAIT`], and returns it with its ready
/// time.
fn create_scheduled(server: &Server) -> (Value, Timestamp) {
    let mut body = json!({
        "code": "S-1", "preparationTime": 0, "previewDeliveryTime": true,
        "deliveries": [{
            "name": "Rui", "phone": "+5511999990000", "onlinePayment": true,
            "address": {
                "street": "Rua Augusta", "number": "1508", "city": "São Paulo", "state": "SP",
                "latitude": -23.5578, "longitude": -46.6600,
            },
        }],
    });
    let before = now();
    let (status, preview) = post(&server.base, "/delivery/orders/preview", &body);
    assert_eq!(status, 200, "{preview}");
    // Without a preparation, a delivery takes this long. The arrival is before the handover.
    let duration = time(&preview["expectedDelivery"]).since(before);
    body["deliverAt"] = json!(
        now()
            .after(duration)
            .before(HANDOVER)
            .after(WAIT)
            .to_string()
    );
    let (status, order) = post(&server.base, "/delivery/orders", &body);
    assert_eq!(status, 201, "{order}");
    let ready = time(&order["preparationStartsAt"]);
    assert!(ready > now().after(Span::millis(10_000)), "{order}");
    (order, ready)
}

fn register_courier(server: &Server) -> String {
    let body = json!({ "name": "Ana Souza", "phone": "+5511990000011", "available": true, "sandbox": true });
    let courier = as_courier(server, OPERATOR, "POST", "/admin/couriers", &body);
    courier["value"].as_str().unwrap().to_owned()
}

/// Reports the position of the demo store, so that the courier can leave for its orders at once.
fn report_position(server: &Server, courier: &str) {
    let body = json!({ "latitude": -23.5558, "longitude": -46.6582 });
    as_courier(server, courier, "POST", "/courier/position", &body);
}

fn as_courier(server: &Server, key: &str, method: &str, path: &str, body: &Value) -> Value {
    let url = format!("{}{path}", server.base);
    let response = match method {
        "GET" => agent().get(url).header("x-api-token", key).call(),
        _ => {
            let request = agent()
                .post(url)
                .header("x-api-token", key)
                .header("content-type", "application/json");
            request.send(body.to_string().as_bytes())
        }
    };
    let mut response = response.unwrap();
    let text = response.body_mut().read_to_string().unwrap();
    assert!(response.status().is_success(), "{method} {path}: {text}");
    serde_json::from_str(&text).unwrap()
}
