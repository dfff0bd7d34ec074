//! Migrates from SQLite to PostgreSQL and back. Orders and journal are the same after each
//! migration, and the service continues.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic where it fails"
)]

use std::{
    path::Path,
    process::{Command, Output},
};

use crate::support::{get, post};
use despacho_xtask::server::{self, Server};
use serde_json::{Value, json};

/// The number of orders, which is more than two pages of the migration.
const ORDERS: usize = 600;

#[test]
fn migration_to_postgresql_and_back_keeps_orders_and_journal() {
    if !despacho_process::cluster::is_installed() {
        return;
    }
    let binary = server::binary().unwrap_or_else(|failure| panic!("{failure}"));
    let cluster = despacho_process::cluster::shared().unwrap_or_else(|failure| panic!("{failure}"));
    let address = cluster
        .fresh()
        .unwrap_or_else(|failure| panic!("{failure}"));
    let folder = tempfile::tempdir().unwrap();
    let (file, back) = (
        folder.path().join("despacho.db"),
        folder.path().join("back/despacho.db"),
    );

    let on_sqlite = start(&binary, folder.path(), "sqlite");
    let ids = fill(&on_sqlite.base);
    let before = read_orders(&on_sqlite.base, &ids);
    let (seen, _) = journal(&on_sqlite.base, "");
    drop(on_sqlite);

    let copied = migrate(&binary, &text(&file), &address);
    let output = String::from_utf8_lossy(&copied.stdout);
    assert!(
        copied.status.success(),
        "{output}{}",
        String::from_utf8_lossy(&copied.stderr)
    );
    assert!(
        output.contains("copied and compared ") && output.starts_with("stores: 3\n"),
        "{output}"
    );
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|one| one.unwrap().file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().contains("migrating")),
        "{left:?}"
    );
    let again = migrate(&binary, &text(&file), &address);
    let rejected = String::from_utf8_lossy(&again.stderr);
    assert!(
        again.status.code() == Some(1) && rejected.contains("not empty"),
        "{rejected}"
    );

    let on_postgres = start(&binary, folder.path(), &address);
    assert_eq!(
        read_orders(&on_postgres.base, &ids),
        before,
        "the same on PostgreSQL"
    );
    let next = create(&on_postgres.base, "AFTER-1");
    assert!(ids.iter().all(|id| *id < next), "{next} is not a new ID");
    let (_, updates) = journal(&on_postgres.base, &seen);
    assert!(
        updates.contains(&next) && !updates.contains(&ids[0]),
        "the journal continues after the cursor: {updates:?}"
    );
    let all = [&ids[..], &[next]].concat();
    let after = read_orders(&on_postgres.base, &all);
    drop(on_postgres);

    std::fs::create_dir(folder.path().join("back")).unwrap();
    let returned = migrate(&binary, &address, &text(&back));
    assert!(
        returned.status.success(),
        "{}",
        String::from_utf8_lossy(&returned.stderr)
    );
    let on_sqlite = start(&binary, &folder.path().join("back"), "sqlite");
    assert_eq!(
        read_orders(&on_sqlite.base, &all),
        after,
        "the same back on SQLite"
    );
    assert!(create(&on_sqlite.base, "AFTER-2") > next);
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn migrate(binary: &Path, from: &str, to: &str) -> Output {
    Command::new(binary)
        .args(["migrate", "--from", from, "--to", to])
        .output()
        .unwrap()
}

fn start(binary: &Path, data: &Path, database: &str) -> Server {
    let secret = "a7".repeat(32);
    let variables = [
        ("DESPACHO_DATABASE", database),
        ("DESPACHO_SECRET", &secret),
        ("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000"),
        ("DESPACHO_LIMITS_READS_PER_MINUTE", "1000000"),
    ];
    Server::start(binary, data, &["--demo"], &variables)
        .unwrap_or_else(|failure| panic!("{failure}"))
}

/// Creates orders with a preparation time of almost a day, and cancels every fifth.
fn fill(base: &str) -> Vec<u64> {
    let ids: Vec<u64> = (0..ORDERS)
        .map(|number| create(base, &format!("BEFORE-{number}")))
        .collect();
    for id in ids.iter().step_by(5) {
        let (status, response) = post(base, "/delivery/orders/cancel", &json!({ "orderId": id }));
        assert_eq!(status, 200, "{response}");
    }
    ids
}

/// Returns the orders as their merchant reads them.
fn read_orders(base: &str, ids: &[u64]) -> Value {
    let orders: Vec<Value> = ids
        .iter()
        .step_by(7)
        .map(|id| {
            let (status, order) = get(base, &format!("/delivery/orders/{id}"));
            assert_eq!(status, 200, "{order}");
            order
        })
        .collect();
    let (status, found) = get(base, "/delivery/orders?situation=600&limit=100");
    assert_eq!(status, 200, "{found}");
    json!({ "orders": orders, "cancelled": found })
}

/// Reads the journal after a cursor, and returns the last cursor and the order of each event.
fn journal(base: &str, after: &str) -> (String, Vec<u64>) {
    let (mut after, mut orders) = (after.to_owned(), Vec::new());
    loop {
        let cursor = if after.is_empty() {
            String::new()
        } else {
            format!("&after={after}")
        };
        let (status, page) = get(base, &format!("/delivery/events?limit=100{cursor}"));
        assert_eq!(status, 200, "{page}");
        orders.extend(
            page["events"]
                .as_array()
                .unwrap()
                .iter()
                .map(|event| event["orderId"].as_u64().unwrap()),
        );
        after = page["next"].as_str().unwrap().to_owned();
        if page["more"] == false {
            return (after, orders);
        }
    }
}

fn create(base: &str, code: &str) -> u64 {
    let order = json!({
        "code": code, "preparationTime": 1_400,
        "deliveries": [{ "name": "Rita Conceição", "address": {
            "street": "Rua Augusta", "number": "1508", "city": "São Paulo", "state": "SP",
            "latitude": -23.5578, "longitude": -46.6600,
        } }],
    });
    let (status, created) = post(base, "/delivery/orders", &order);
    assert_eq!(status, 201, "{created}");
    created["id"].as_u64().unwrap()
}
