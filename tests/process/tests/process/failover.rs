//! A primary fails under load, and a synchronous standby takes over. The server has both in its URL
//! and continues.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic where it fails"
)]

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use crate::support::{TIMEOUT, agent, get};
use despacho_process::cluster::Cluster;
use despacho_simulator::demo::KEY;
use despacho_xtask::{
    run::Failure,
    server::{self, Server},
};
use serde_json::{Value, json};

const CLIENTS: usize = 8;
/// The number of acknowledged orders before the failure of the primary, and again after the
/// promotion of the standby.
const LOAD: usize = 120;
/// The time limit from the promotion until the first order is acknowledged.
const RECOVERY_LIMIT: Duration = Duration::from_secs(30);

/// The acknowledged orders: code, ID and time.
type Acknowledged = Mutex<BTreeMap<String, (u64, Instant)>>;

#[test]
fn failover_from_a_killed_primary_loses_no_acknowledged_order() {
    fail_over(Cluster::kill);
}

/// A frozen server accepts connections while the kernel's queue has space, and does not respond.
#[test]
fn failover_from_a_frozen_primary_loses_no_acknowledged_order() {
    fail_over(Cluster::freeze);
}

fn fail_over(stop: fn(&Cluster) -> Result<(), Failure>) {
    if !despacho_process::cluster::is_installed() {
        return;
    }
    let binary = server::binary().unwrap_or_else(|failure| panic!("{failure}"));
    let (primary, data) = (Cluster::start().unwrap(), tempfile::tempdir().unwrap());
    let database = primary.fresh().unwrap();
    let standby = primary.synchronous_standby().unwrap();
    let name = database.rsplit('/').next().unwrap();
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", primary.port(), standby.port());
    let url = format!("postgres://despacho@{hosts}/{name}?target_session_attrs=read-write");
    let (secret, limit) = ("a7".repeat(32), "1000000");
    let variables = [
        ("DESPACHO_DATABASE", url.as_str()),
        ("DESPACHO_SECRET", &secret),
        ("DESPACHO_LIMITS_WRITES_PER_MINUTE", limit),
    ];
    let server = Server::start(&binary, data.path(), &["--demo"], &variables)
        .unwrap_or_else(|f| panic!("{f}"));
    let (acknowledged, over) = (Acknowledged::default(), AtomicBool::new(false));
    let unavailable = AtomicU64::new(0);
    let back = std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (base, acknowledged, over, unavailable) =
                (&server.base, &acknowledged, &over, &unavailable);
            scope.spawn(move || create_orders(base, client, acknowledged, over, unavailable));
        }
        let back = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            wait_until(
                || acknowledged.lock().unwrap().len() >= LOAD,
                "load before the failover",
            );
            stop(&primary).unwrap();
            std::thread::sleep(Duration::from_secs(2));
            let before = acknowledged.lock().unwrap().len();
            let promoted = Instant::now();
            standby.promote().unwrap();
            wait_until(
                || acknowledged.lock().unwrap().len() >= before + LOAD,
                "load after the failover",
            );
            let orders = acknowledged.lock().unwrap();
            orders
                .values()
                .filter(|(_, at)| *at > promoted)
                .map(|(_, at)| *at - promoted)
                .min()
                .unwrap()
        }));
        over.store(true, SeqCst);
        // Only SIGKILL ends frozen processes.
        primary.kill().unwrap();
        back
    });
    let back = back.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    eprintln!(
        "{back:?} from promotion to the first order, {} responses 503",
        unavailable.load(SeqCst)
    );
    assert!(back < RECOVERY_LIMIT, "{back:?}");
    check_stored(
        &standby,
        &format!("postgres://despacho@127.0.0.1:{}/{name}", standby.port()),
        &acknowledged,
    );
    assert_eq!(
        agent()
            .get(format!("{}/readyz", server.base))
            .call()
            .unwrap()
            .status(),
        200
    );
    let orders = acknowledged.lock().unwrap();
    let (code, (id, _)) = orders.iter().next_back().unwrap();
    let (status, found) = get(&server.base, &format!("/delivery/orders/{id}"));
    assert_eq!((status, &found["code"]), (200, &json!(code)), "{found}");
}

/// Checks that every acknowledged order is stored once, with its fee and without gaps in the
/// journal.
fn check_stored(cluster: &Cluster, url: &str, acknowledged: &Acknowledged) {
    let listed = cluster
        .query(url, "SELECT code, id FROM orders WHERE code LIKE 'FO-%'")
        .unwrap();
    let mut stored: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (code, id) in listed.lines().filter_map(|line| line.split_once('|')) {
        stored.entry(code).or_default().push(id.parse().unwrap());
    }
    for (code, (id, _)) in acknowledged.lock().unwrap().iter() {
        assert_eq!(
            stored.get(code.as_str()),
            Some(&vec![*id]),
            "{code} was acknowledged as order {id}"
        );
    }
    for (violation, sql) in [
        (
            "orders without one fee",
            "SELECT count(*) FROM orders WHERE \
            (SELECT count(*) FROM ledger WHERE ledger.order_id = orders.id AND kind = 'fee') <> 1",
        ),
        (
            "balances that differ from the sum of their entries",
            "SELECT count(*) FROM balances WHERE \
            amount <> (SELECT coalesce(sum(amount), 0) FROM ledger WHERE ledger.store = balances.store)",
        ),
        (
            "gaps in journals",
            "SELECT count(*) FROM (SELECT matrix FROM events GROUP BY matrix \
            HAVING min(place) <> 1 OR max(place) <> count(*)) AS gaps",
        ),
    ] {
        assert_eq!(cluster.query(url, sql).unwrap(), "0", "{violation}");
    }
}

/// Creates orders, and retries each until it is acknowledged.
fn create_orders(
    base: &str,
    client: usize,
    acknowledged: &Acknowledged,
    over: &AtomicBool,
    unavailable: &AtomicU64,
) {
    let agent = agent();
    for count in 0.. {
        let code = format!("FO-{client}-{count}");
        let body = order(&code).to_string();
        loop {
            if over.load(SeqCst) {
                return;
            }
            let request = agent
                .post(format!("{base}/delivery/orders"))
                .header("x-api-token", KEY);
            let mut response = request
                .header("content-type", "application/json")
                .send(body.as_bytes())
                .unwrap();
            let (status, text) = (
                response.status().as_u16(),
                response.body_mut().read_to_string().unwrap(),
            );
            let reply: Value = serde_json::from_str(&text).unwrap_or_default();
            match (status, reply["id"].as_u64()) {
                (200 | 201, Some(id)) => {
                    acknowledged
                        .lock()
                        .unwrap()
                        .insert(code, (id, Instant::now()));
                    break;
                }
                (503, _) => _ = unavailable.fetch_add(1, SeqCst),
                (504, _) => {}
                // An interrupted request of this client may still be in progress.
                (409, _) if reply["code"] == "request_in_progress" => {}
                _ => {
                    over.store(true, SeqCst);
                    panic!("{code} got {status}: {text}");
                }
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn order(code: &str) -> Value {
    let address = json!({
        "street": "Rua Augusta", "number": "1508", "city": "São Paulo", "state": "SP",
        "latitude": -23.5578, "longitude": -46.6600,
    });
    json!({ "code": code, "preparationTime": 1_400, "deliveries": [{ "address": address }] })
}

fn wait_until(condition: impl Fn() -> bool, event: &str) {
    let deadline = Instant::now() + TIMEOUT * 2;
    while !condition() {
        assert!(
            Instant::now() < deadline,
            "timeout while waiting for {event}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}
