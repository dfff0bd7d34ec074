//! Two servers share one database. 1,000 orders become due at the same time, and 300 couriers are
//! free.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic where it fails"
)]

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crate::support::agent;
use despacho_simulator::demo::KEY;
use despacho_xtask::server::{self, Server};
use serde_json::{Value, json};

const ORDERS: usize = 1_000;
const COURIERS: usize = 300;
const FREED: usize = 100;
const OPERATOR: &str = "operator-token-of-two-servers";
/// The time limit for the assignment of all couriers after the orders are due.
const ASSIGNMENT_TIMEOUT: Duration = Duration::from_secs(60);
/// The time from the start of both servers until the orders are due.
const START_TIME: Duration = Duration::from_secs(4);

#[test]
fn two_instances_assign_each_courier_to_a_single_order() {
    let binary = server::binary().unwrap_or_else(|failure| panic!("{failure}"));
    let data = tempfile::tempdir().unwrap();
    // Without passes, no demo order gets a courier of this test while a busy machine creates the
    // others.
    let first = start(&binary, data.path(), "60");
    let ids = fill(&first.base);
    drop(first);
    let due = due_together(data.path());
    let servers = [
        start(&binary, data.path(), "1"),
        start(&binary, data.path(), "1"),
    ];
    let database = open(data.path());
    let count = |sql: &str| {
        database
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let allocated = || count("SELECT count(*) FROM orders WHERE situation = 210");
    let elapsed = wait_until(due, || allocated() >= COURIERS as i64, &|| {
        format!("{} are allocated", allocated())
    });
    assert!(
        elapsed < ASSIGNMENT_TIMEOUT,
        "{elapsed:?} after they were due"
    );
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(allocated(), COURIERS as i64, "no courier has two orders");
    assert_eq!(
        count(
            "SELECT count(DISTINCT json_extract(body, '$.courier.id')) FROM orders WHERE situation = 210"
        ),
        300
    );
    assert_eq!(
        count("SELECT count(DISTINCT carries) FROM couriers WHERE carries IS NOT NULL"),
        300
    );
    let agreed = "SELECT count(*) FROM couriers JOIN orders ON orders.id = couriers.carries
        WHERE json_extract(orders.body, '$.courier.id') = couriers.id";
    assert_eq!(
        count(agreed),
        300,
        "orders and couriers refer to each other"
    );
    let searching = || count("SELECT count(*) FROM orders WHERE situation = 200");
    assert_eq!(
        searching(),
        (ORDERS - COURIERS) as i64,
        "the other orders are still searching"
    );
    // Freed couriers are assigned to the remaining orders.
    let agent = agent();
    let held = |id: &&u64| count(&format!("SELECT situation FROM orders WHERE id = {id}")) == 210;
    for (number, id) in ids.iter().filter(held).take(FREED).enumerate() {
        let server = &servers[number % 2].base;
        let cancelled = call(
            &agent,
            &format!("{server}/delivery/orders/cancel"),
            KEY,
            &json!({ "orderId": id }),
        );
        assert_eq!(cancelled.0, 200, "{}", cancelled.1);
    }
    let freed = Instant::now();
    wait_until(
        freed,
        || searching() == (ORDERS - COURIERS - FREED) as i64,
        &|| format!("{} still search", searching()),
    );
    assert_eq!(allocated(), COURIERS as i64);
    assert_eq!(
        count("SELECT count(DISTINCT carries) FROM couriers WHERE carries IS NOT NULL"),
        300
    );
    let doubled = "SELECT count(*) FROM (SELECT order_id, sequence FROM events GROUP BY order_id, sequence HAVING count(*) > 1)";
    assert_eq!(count(doubled), 0);
}

/// Waits until a condition is true, and returns the time since `from`.
fn wait_until(from: Instant, condition: impl Fn() -> bool, state: &dyn Fn() -> String) -> Duration {
    let timeout = from + Duration::from_secs(90);
    while !condition() {
        assert!(Instant::now() < timeout, "{}", state());
        std::thread::sleep(Duration::from_millis(20));
    }
    Instant::now().saturating_duration_since(from)
}

/// Creates the couriers and the orders, which are due in ten hours.
fn fill(base: &str) -> Vec<u64> {
    let next = AtomicUsize::new(0);
    let mut ids: Vec<u64> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    let (agent, mut ids) = (agent(), Vec::new());
                    loop {
                        match next.fetch_add(1, Ordering::SeqCst) {
                            number if number < COURIERS => register(&agent, base, number),
                            number if number < COURIERS + ORDERS => {
                                ids.push(create(&agent, base, number))
                            }
                            _ => return ids,
                        }
                    }
                })
            })
            .collect();
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap())
            .collect()
    });
    ids.sort_unstable();
    assert_eq!(ids.len(), ORDERS);
    ids
}

fn register(agent: &ureq::Agent, base: &str, number: usize) {
    let new = json!({ "name": format!("Courier {number}"), "phone": "+5511990000001", "available": true, "sandbox": true });
    let (status, courier) = call(agent, &format!("{base}/admin/couriers"), OPERATOR, &new);
    assert_eq!(status, 201, "{courier}");
    let off = f64::from(u32::try_from(number).unwrap()) / 100_000.0;
    let position = json!({ "latitude": -23.5614 + off, "longitude": -46.6559 });
    let key = courier["value"].as_str().unwrap();
    assert_eq!(
        call(agent, &format!("{base}/courier/position"), key, &position).0,
        200
    );
}

fn create(agent: &ureq::Agent, base: &str, number: usize) -> u64 {
    let order = json!({
        "code": format!("T-{number}"), "preparationTime": 600, "combinable": false,
        "deliveries": [{ "address": {
            "street": "Rua Augusta", "number": "1508", "city": "São Paulo", "state": "SP",
            "latitude": -23.5578, "longitude": -46.6600,
        } }],
    });
    let (status, created) = call(agent, &format!("{base}/delivery/orders"), KEY, &order);
    assert_eq!(status, 201, "{created}");
    created["id"].as_u64().unwrap()
}

/// Ends the demo orders, disables the demo couriers, makes all orders of the test due in the same
/// millisecond, and returns that time.
fn due_together(data: &Path) -> Instant {
    let database = open(data);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let at = i64::try_from((now + START_TIME).as_millis()).unwrap();
    let seeded =
        "UPDATE orders SET situation = 600, holds_code = 0, due_at = NULL, body = json_set(body, '$.situation', 600)
        WHERE code LIKE 'DEMO-%'";
    database.execute(seeded, []).unwrap();
    database
        .execute_batch("UPDATE couriers SET free = 0, carries = NULL, body = json_set(body, '$.available', json('false'), '$.trip', json('[]')) WHERE key_hash IS NULL")
        .unwrap();
    let sql = "UPDATE orders SET due_at = ?1, body = json_set(body, '$.ready_at', ?1) WHERE code LIKE 'T-%'";
    assert_eq!(database.execute(sql, [at]).unwrap(), ORDERS);
    Instant::now() + START_TIME
}

fn start(binary: &Path, data: &Path, interval_seconds: &str) -> Server {
    let variables = [
        ("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000"),
        ("DESPACHO_ADMIN_TOKEN", OPERATOR),
        ("DESPACHO_DISPATCH_INTERVAL_SECONDS", interval_seconds),
        // Only the couriers of this test exist.
        ("DESPACHO_SANDBOX_COURIERS_PER_STORE", "0"),
    ];
    Server::start(binary, data, &["--demo"], &variables)
        .unwrap_or_else(|failure| panic!("{failure}"))
}

fn call(agent: &ureq::Agent, url: &str, key: &str, body: &Value) -> (u16, Value) {
    let request = agent
        .post(url)
        .header("x-api-token", key)
        .header("content-type", "application/json");
    let mut response = request.send(body.to_string().as_bytes()).unwrap();
    let text = response.body_mut().read_to_string().unwrap();
    (
        response.status().as_u16(),
        serde_json::from_str(&text).unwrap_or_default(),
    )
}

fn open(data: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(data.join("despacho.db")).unwrap();
    connection.busy_timeout(Duration::from_secs(30)).unwrap();
    connection
}
