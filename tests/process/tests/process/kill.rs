//! `kill -9` in the middle of 2,000 concurrent creates, five times over one database.
//!
//! An acknowledged order is there once, whole, and an order that was never sent is not there. A create that was on its way when
//! the server died may have reached the disk without its answer reaching anybody: it is there whole or not at all, and sending it
//! again ends in one order.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may stop where it fails")]

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
const ROUNDS: usize = 5;

#[test]
fn acknowledged_orders_survive_a_kill() {
    let binary = server::binary().unwrap_or_else(|failure| panic!("{failure}"));
    let data = tempfile::tempdir().unwrap();
    // Every round is killed at another point of its work.
    for round in 0..ROUNDS {
        kill_in_the_middle(&binary, data.path(), round, ORDERS * (round + 1) / (ROUNDS + 2));
    }
}

/// What became of the creates of a round.
#[derive(Default)]
struct Seen {
    acknowledged: BTreeMap<String, u64>,
    pending: BTreeSet<String>,
}

fn kill_in_the_middle(binary: &Path, data: &Path, round: usize, after: usize) {
    let mut server = start(binary, data);
    let base = server.base.clone();
    let (next, responded, seen) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Seen::default()));
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| create_until_killed(&base, round, &next, &responded, &seen));
        }
        let timeout = Instant::now() + Duration::from_secs(120);
        while responded.load(Ordering::SeqCst) < after {
            assert!(Instant::now() < timeout, "only {} creates were answered", responded.load(Ordering::SeqCst));
            std::thread::sleep(Duration::from_millis(1));
        }
        // SIGKILL: nothing of the server runs any more.
        server.child().kill().unwrap();
        server.child().wait().unwrap();
    });
    let seen = seen.into_inner().unwrap();
    assert!(
        seen.acknowledged.len() >= after && seen.acknowledged.len() < ORDERS,
        "the kill came too late to tell anything"
    );
    let server = start(binary, data);
    for (code, id) in &seen.acknowledged {
        let (status, order) = call(&agent(), "GET", &format!("{}/delivery/orders/{id}", server.base), &Value::Null)
            .unwrap_or_else(|| panic!("order {id} was acknowledged and cannot be looked up"));
        assert_eq!((status, order["code"].as_str()), (200, Some(code.as_str())), "order {id} was acknowledged");
    }
    let stored = stored(data, round);
    for code in stored.keys() {
        assert!(seen.acknowledged.contains_key(code) || seen.pending.contains(code), "{code} was never sent");
    }
    for code in &seen.pending {
        let (status, again) = call(&agent(), "POST", &format!("{}/delivery/orders", server.base), &order(code))
            .unwrap_or_else(|| panic!("{code} cannot be sent again"));
        let expected = if stored.contains_key(code) { 200 } else { 201 };
        assert_eq!(status, expected, "{code}: {again}");
    }
    drop(server);
    whole(data);
}

/// One client: sends one create after the other until there are no more or the server is gone.
fn create_until_killed(base: &str, round: usize, next: &AtomicUsize, responded: &AtomicUsize, seen: &Mutex<Seen>) {
    let agent = agent();
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if number >= ORDERS {
            return;
        }
        let code = format!("R{round}-{number}");
        let Some((status, response)) = call(&agent, "POST", &format!("{base}/delivery/orders"), &order(&code)) else {
            seen.lock().unwrap().pending.insert(code);
            return;
        };
        assert_eq!(status, 201, "{response}");
        let id = response["id"].as_u64().unwrap();
        assert_eq!(seen.lock().unwrap().acknowledged.insert(code, id), None);
        responded.fetch_add(1, Ordering::SeqCst);
    }
}

fn start(binary: &Path, data: &Path) -> Server {
    let variables = [("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000"), ("DESPACHO_LIMITS_READS_PER_MINUTE", "1000000")];
    Server::start(binary, data, &["--demo"], &variables).unwrap_or_else(|failure| panic!("{failure}"))
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None);
    config.timeout_global(Some(Duration::from_secs(30))).build().into()
}

/// Status and body; `None` where no whole answer came.
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
    Some((response.status().as_u16(), serde_json::from_str(&text).ok()?))
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
    let file = std::fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path());
    let file = file.into_iter().find(|path| path.extension().is_some_and(|end| end == "db"));
    rusqlite::Connection::open(file.expect("a database file")).unwrap()
}

/// The codes of a round that are on disk, each exactly once.
fn stored(data: &Path, round: usize) -> BTreeMap<String, i64> {
    let database = open(data);
    let mut codes = BTreeMap::new();
    let mut statement = database.prepare("SELECT code, id FROM orders WHERE code LIKE ?1").unwrap();
    let rows = statement.query_map([format!("R{round}-%")], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    for row in rows {
        let (code, id): (String, i64) = row.unwrap();
        assert_eq!(codes.insert(code.clone(), id), None, "{code} is there twice");
    }
    codes
}

/// Nothing is half there: each order has its first event and its fee, no event or entry is without its order, and the balance is
/// the sum of its entries.
fn whole(data: &Path) {
    let database = open(data);
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let lacking = "SELECT count(*) FROM orders o WHERE
        (SELECT count(*) FROM events e WHERE e.order_id = o.id AND e.sequence = 1) <> 1
        OR (SELECT count(*) FROM ledger l WHERE l.order_id = o.id AND l.kind = 'fee') <> 1";
    assert_eq!(count(lacking), 0, "orders lack their event or their fee");
    assert_eq!(count("SELECT count(*) FROM events WHERE order_id NOT IN (SELECT id FROM orders)"), 0);
    assert_eq!(count("SELECT count(*) FROM ledger WHERE order_id NOT IN (SELECT id FROM orders)"), 0);
    let unequal = "SELECT count(*) FROM balances b WHERE
        b.amount <> (SELECT coalesce(sum(amount), 0) FROM ledger l WHERE l.store = b.store)";
    assert_eq!(count(unequal), 0, "a balance is not the sum of its entries");
    let check: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}
