//! Sends `kill -9` during 2,000 concurrent creations, five times with one database.
//!
//! Every acknowledged order is stored once and completely, and no other order is stored. A request
//! without a response may or may not have created an order, but never a partial one, and its
//! repetition results in one order.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic where it fails"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use despacho_simulator::demo::KEY;
use despacho_xtask::server::{self, Server};
use serde_json::{Value, json};

const ORDERS: usize = 2_000;
const CLIENTS: usize = 64;
const KILLS: usize = 5;

#[test]
fn acknowledged_orders_survive_a_kill() {
    let binary = server::binary().unwrap_or_else(|failure| panic!("{failure}"));
    let data = tempfile::tempdir().unwrap();
    // Each kill happens after a different number of orders.
    for run in 0..KILLS {
        kill_during_creation(&binary, data.path(), run, ORDERS * (run + 1) / (KILLS + 2));
    }
}

/// The results of the creations of one run.
#[derive(Default)]
struct Creations {
    acknowledged: BTreeMap<String, u64>,
    pending: BTreeSet<String>,
}

fn kill_during_creation(binary: &Path, data: &Path, run: usize, after: usize) {
    let mut server = start(binary, data);
    let base = server.base.clone();
    let (next, responded, creations) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        Mutex::new(Creations::default()),
    );
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| create_until_killed(&base, run, &next, &responded, &creations));
        }
        let timeout = Instant::now() + Duration::from_secs(120);
        while responded.load(Ordering::SeqCst) < after {
            assert!(
                Instant::now() < timeout,
                "only {} creations got a response",
                responded.load(Ordering::SeqCst)
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        // `kill` sends SIGKILL.
        server.child().kill().unwrap();
        server.child().wait().unwrap();
    });
    let creations = creations.into_inner().unwrap();
    assert!(
        creations.acknowledged.len() >= after && creations.acknowledged.len() < ORDERS,
        "the kill came too late to interrupt a creation"
    );
    let server = start(binary, data);
    for (code, id) in &creations.acknowledged {
        let (status, order) = call(
            &agent(),
            "GET",
            &format!("{}/delivery/orders/{id}", server.base),
            &Value::Null,
        )
        .unwrap_or_else(|| panic!("order {id} was acknowledged, but cannot be looked up"));
        assert_eq!(
            (status, order["code"].as_str()),
            (200, Some(code.as_str())),
            "order {id} was acknowledged"
        );
    }
    let stored = stored(data, run);
    for code in stored.keys() {
        assert!(
            creations.acknowledged.contains_key(code) || creations.pending.contains(code),
            "{code} was never sent"
        );
    }
    for code in &creations.pending {
        let (status, again) = call(
            &agent(),
            "POST",
            &format!("{}/delivery/orders", server.base),
            &order(code),
        )
        .unwrap_or_else(|| panic!("{code} cannot be sent again"));
        let expected = if stored.contains_key(code) { 200 } else { 201 };
        assert_eq!(status, expected, "{code}: {again}");
    }
    drop(server);
    check_consistency(data);
}

/// Creates orders one after another until all are created or the server is killed.
fn create_until_killed(
    base: &str,
    run: usize,
    next: &AtomicUsize,
    responded: &AtomicUsize,
    creations: &Mutex<Creations>,
) {
    let agent = agent();
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if number >= ORDERS {
            return;
        }
        let code = format!("R{run}-{number}");
        let Some((status, response)) = call(
            &agent,
            "POST",
            &format!("{base}/delivery/orders"),
            &order(&code),
        ) else {
            creations.lock().unwrap().pending.insert(code);
            return;
        };
        assert_eq!(status, 201, "{response}");
        let id = response["id"].as_u64().unwrap();
        assert_eq!(
            creations.lock().unwrap().acknowledged.insert(code, id),
            None
        );
        responded.fetch_add(1, Ordering::SeqCst);
    }
}

fn start(binary: &Path, data: &Path) -> Server {
    let variables = [
        ("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000"),
        ("DESPACHO_LIMITS_READS_PER_MINUTE", "1000000"),
    ];
    Server::start(binary, data, &["--demo"], &variables)
        .unwrap_or_else(|failure| panic!("{failure}"))
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None);
    config
        .timeout_global(Some(Duration::from_secs(30)))
        .build()
        .into()
}

/// Returns the status and body, or `None` if no complete response arrived.
fn call(agent: &ureq::Agent, method: &str, url: &str, body: &Value) -> Option<(u16, Value)> {
    let response = match method {
        "GET" => agent.get(url).header("x-api-token", KEY).call(),
        _ => agent
            .post(url)
            .header("x-api-token", KEY)
            .header("content-type", "application/json")
            .send(body.to_string().as_bytes()),
    };
    let mut response = response.ok()?;
    let text = response.body_mut().read_to_string().ok()?;
    Some((
        response.status().as_u16(),
        serde_json::from_str(&text).ok()?,
    ))
}

fn order(code: &str) -> Value {
    json!({
        "code": code, "preparationTime": 600,
        "deliveries": [{ "address": {
            "street": "Rua Augusta", "number": "1508", "city": "São Paulo", "state": "SP",
            "latitude": -23.5578, "longitude": -46.6600,
        } }],
    })
}

fn open(data: &Path) -> rusqlite::Connection {
    let file = std::fs::read_dir(data)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let file = file
        .into_iter()
        .find(|path| path.extension().is_some_and(|end| end == "db"));
    rusqlite::Connection::open(file.expect("a database file")).unwrap()
}

/// Returns the stored codes of a run with their IDs, and checks that they are unique.
fn stored(data: &Path, run: usize) -> BTreeMap<String, i64> {
    let database = open(data);
    let mut codes = BTreeMap::new();
    let mut statement = database
        .prepare("SELECT code, id FROM orders WHERE code LIKE ?1")
        .unwrap();
    let rows = statement
        .query_map([format!("R{run}-%")], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    for row in rows {
        let (code, id): (String, i64) = row.unwrap();
        assert_eq!(
            codes.insert(code.clone(), id),
            None,
            "{code} is stored twice"
        );
    }
    codes
}

/// Checks that nothing is partially stored: each order has its first event and its fee, each event
/// and entry has its order, and the balance is the sum of its entries.
fn check_consistency(data: &Path) {
    let database = open(data);
    let count = |sql: &str| {
        database
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let lacking = "SELECT count(*) FROM orders o WHERE
        (SELECT count(*) FROM events e WHERE e.order_id = o.id AND e.sequence = 1) <> 1
        OR (SELECT count(*) FROM ledger l WHERE l.order_id = o.id AND l.kind = 'fee') <> 1";
    assert_eq!(count(lacking), 0, "orders lack their event or their fee");
    assert_eq!(
        count("SELECT count(*) FROM events WHERE order_id NOT IN (SELECT id FROM orders)"),
        0
    );
    assert_eq!(
        count("SELECT count(*) FROM ledger WHERE order_id NOT IN (SELECT id FROM orders)"),
        0
    );
    let unequal = "SELECT count(*) FROM balances b WHERE
        b.amount <> (SELECT coalesce(sum(amount), 0) FROM ledger l WHERE l.store = b.store)";
    assert_eq!(count(unequal), 0, "a balance is not the sum of its entries");
    let check: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
}
