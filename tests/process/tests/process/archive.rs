//! `despacho archive` while a server is running, on both databases. It is killed between writing
//! the file and deleting the rows, and run again. Every history is in a file or in the database at
//! any time, and the API's responses are consistent with it.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic where it fails"
)]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crate::support::{TIMEOUT, get, post};
use despacho_process::cluster::Cluster;
use despacho_xtask::server::{self, Server};
use serde_json::{Value, json};

/// 400 days, in milliseconds.
const LONG_AGO: &str = "34560000000";
const ARCHIVE: [&str; 3] = ["archive", "--older-than", "180d"];

/// The server's database.
enum Database {
    File(PathBuf),
    Server(Arc<Cluster>, String),
}

/// A lock on the first table that `despacho archive` writes. It blocks the command until it is
/// dropped.
enum TableLock<'a> {
    File(rusqlite::Connection),
    Server(&'a Cluster, &'a str, Option<JoinHandle<()>>),
}

impl Database {
    fn address(&self) -> &str {
        match self {
            Database::File(_) => "sqlite",
            Database::Server(_, address) => address,
        }
    }

    fn open(file: &Path) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(file).unwrap();
        connection.busy_timeout(TIMEOUT).unwrap();
        connection
    }

    fn write(&self, sql: &str) {
        match self {
            Database::File(file) => Database::open(file).execute_batch(sql).unwrap(),
            Database::Server(cluster, address) => {
                cluster
                    .query(address, sql)
                    .unwrap_or_else(|failure| panic!("{failure}"));
            }
        }
    }

    /// Returns the number that a query selects.
    fn count(&self, sql: &str) -> i64 {
        match self {
            Database::File(file) => Database::open(file)
                .query_row(sql, [], |row| row.get(0))
                .unwrap(),
            Database::Server(cluster, address) => {
                cluster.query(address, sql).unwrap().trim().parse().unwrap()
            }
        }
    }

    fn lock_table(&self) -> TableLock<'_> {
        match self {
            Database::File(file) => {
                let connection = Database::open(file);
                connection.execute_batch("BEGIN IMMEDIATE").unwrap();
                TableLock::File(connection)
            }
            Database::Server(cluster, address) => {
                let (other, url) = (Arc::clone(cluster), address.clone());
                let holding = std::thread::spawn(move || {
                    // `drop` terminates this query, so it returns an error.
                    let _ =
                        other.query(&url, "BEGIN; LOCK TABLE archived IN EXCLUSIVE MODE; SELECT pg_sleep(600); COMMIT");
                });
                let locks = "SELECT COUNT(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation \
                    WHERE relname = 'archived' AND mode = 'ExclusiveLock' AND granted";
                wait_until(|| self.count(locks) == 1, "the lock");
                TableLock::Server(cluster, address, Some(holding))
            }
        }
    }
}

impl Drop for TableLock<'_> {
    fn drop(&mut self) {
        match self {
            TableLock::File(connection) => connection.execute_batch("ROLLBACK").unwrap(),
            TableLock::Server(cluster, address, holding) => {
                let end = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
                    WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid() AND datname = current_database()";
                cluster
                    .query(address, end)
                    .unwrap_or_else(|failure| panic!("{failure}"));
                holding.take().unwrap().join().unwrap();
            }
        }
    }
}

#[test]
fn archive_moves_old_histories_to_files_on_sqlite() {
    on_sqlite(archive_moves_old_histories);
}

#[test]
fn archive_moves_old_histories_to_files_on_postgresql() {
    on_postgresql(archive_moves_old_histories);
}

/// Runs a test with its own SQLite file.
fn on_sqlite(test: fn(&Path, &Database)) {
    let data = tempfile::tempdir().unwrap();
    test(
        data.path(),
        &Database::File(data.path().join("despacho.db")),
    );
}

/// Runs a test with its own PostgreSQL database, or skips it if PostgreSQL is not installed.
fn on_postgresql(test: fn(&Path, &Database)) {
    if !despacho_process::cluster::is_installed() {
        return;
    }
    let cluster = despacho_process::cluster::shared().unwrap_or_else(|failure| panic!("{failure}"));
    let address = cluster
        .fresh()
        .unwrap_or_else(|failure| panic!("{failure}"));
    let data = tempfile::tempdir().unwrap();
    test(data.path(), &Database::Server(cluster, address));
}

fn archive_moves_old_histories(data: &Path, database: &Database) {
    let binary = server::binary().unwrap_or_else(|failure| panic!("{failure}"));
    let (server, folder) = (start(&binary, data, database), tempfile::tempdir().unwrap());
    let base = &server.base;
    let ids: Vec<u64> = (0..12)
        .map(|number| create(base, &format!("OLD-{number}")))
        .collect();
    for id in &ids[..8] {
        let (status, response) = post(base, "/delivery/orders/cancel", &json!({ "orderId": id }));
        assert_eq!(status, 200, "{response}");
    }
    // Six orders ended long ago, and two ended recently. Two of the four open orders are old.
    let (old, open) = (&ids[..6], &ids[10..]);
    let aged: Vec<String> = [old, open].concat().iter().map(u64::to_string).collect();
    database.write(&format!(
        "UPDATE events SET at = at - {LONG_AGO} WHERE order_id IN ({})",
        aged.join(",")
    ));
    let early = get(base, "/delivery/events?limit=1").1["next"]
        .as_str()
        .unwrap()
        .to_owned();
    // The demo orders also have events, which this test ignores.
    let ours = |orders: Vec<u64>| {
        orders
            .into_iter()
            .filter(|id| *id >= ids[0])
            .collect::<Vec<_>>()
    };
    let (late, all) = journal(base, "0");
    let all = ours(all);
    let row_counts = || row_counts(database, ids[0]);
    let before = row_counts();
    let run = |arguments: &[&str]| {
        let mut command = archive(&binary, data, database);
        command.args(ARCHIVE).args(arguments).output().unwrap()
    };
    let to = folder.path().to_string_lossy().into_owned();

    let counted = text(&run(&["--dry-run"]));
    assert!(
        counted.starts_with("6 orders") && counted.contains("nothing was changed"),
        "{counted}"
    );
    assert_eq!((row_counts(), files(folder.path()).len()), (before, 0));

    kill_before_deletion(
        &mut archive(&binary, data, database),
        database,
        folder.path(),
    );
    assert_eq!(
        row_counts(),
        before,
        "the file exists, and no row is deleted"
    );
    let first = records(&binary, &files(folder.path())[0]);

    let received = text(&run(&["--to", &to]));
    assert!(
        received.contains("6 orders") && received.contains(" to 1 files in "),
        "{received}"
    );
    let written = files(folder.path());
    let same = written.iter().all(|file| records(&binary, file) == first);
    assert!(
        written.len() == 2 && same,
        "a second file has the same records: {written:?}"
    );
    assert_eq!(first.keys().copied().collect::<Vec<_>>(), old);
    assert!(
        first
            .values()
            .all(|record| record["events"].as_array().unwrap().len() == 2),
        "{first:?}"
    );
    assert_eq!(
        row_counts(),
        [before[0] - 12, before[1], before[2], before[3]],
        "only events are deleted"
    );
    check_service(base, old, open, &early);
    let next = create(base, "NEW-1");
    assert_eq!(
        ours(journal(base, &late).1),
        [next],
        "a reader at the end of the journal continues"
    );
    // The journal begins after the last archived event.
    let last = all.iter().rposition(|order| old.contains(order)).unwrap();
    assert_eq!(
        ours(journal(base, "0").1),
        [&all[last + 1..], &[next]].concat()
    );

    let again = text(&run(&["--to", &to]));
    assert!(again.contains("no order is old enough"), "{again}");
    let rejected = run(&["--to", "/nowhere/at/all"]);
    assert_eq!(rejected.status.code(), Some(2), "{rejected:?}");
}

#[test]
fn archive_killed_at_random_loses_no_history_on_sqlite() {
    on_sqlite(kill_archive_at_random);
}

#[test]
fn archive_killed_at_random_loses_no_history_on_postgresql() {
    on_postgresql(kill_archive_at_random);
}

/// The number of kills in one test, and the number of orders that become old before each of them.
const KILLS: usize = 10;
const ORDERS_PER_KILL: usize = 12;

/// Makes a group of orders old and kills the command at a random time, repeatedly, and then runs
/// the command to completion.
fn kill_archive_at_random(data: &Path, database: &Database) {
    let binary = server::binary().unwrap_or_else(|failure| panic!("{failure}"));
    let (server, folder) = (start(&binary, data, database), tempfile::tempdir().unwrap());
    let ids: Vec<u64> = (0..KILLS * ORDERS_PER_KILL)
        .map(|number| create(&server.base, &format!("KILL-{number}")))
        .collect();
    for id in &ids {
        assert_eq!(
            post(
                &server.base,
                "/delivery/orders/cancel",
                &json!({ "orderId": id })
            )
            .0,
            200
        );
    }
    let before = row_counts(database, ids[0]);
    let make_old = |group: &[u64]| {
        database.write(&format!(
            "UPDATE events SET at = at - {LONG_AGO} WHERE order_id IN ({})",
            list(group)
        ));
    };
    // Kills happen within twice the duration of a run without work.
    let begun = Instant::now();
    text(
        &archive(&binary, data, database)
            .args(ARCHIVE)
            .arg("--dry-run")
            .output()
            .unwrap(),
    );
    let span = u64::try_from(begun.elapsed().as_millis()).unwrap() * 2;
    let mut rng = fastrand::Rng::with_seed(29);
    let mut archived = BTreeMap::new();
    for group in ids.chunks(ORDERS_PER_KILL) {
        make_old(group);
        let mut command = archive(&binary, data, database);
        let mut child = command
            .args(ARCHIVE)
            .arg("--to")
            .arg(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(rng.u64(..span)));
        // The command may already have exited.
        let _ = child.kill();
        child.wait().unwrap();
        check_histories_are_complete(&binary, database, folder.path(), &ids, &mut archived);
    }
    text(
        &archive(&binary, data, database)
            .args(ARCHIVE)
            .arg("--to")
            .arg(folder.path())
            .output()
            .unwrap(),
    );
    check_histories_are_complete(&binary, database, folder.path(), &ids, &mut archived);
    assert_eq!(
        archived.keys().copied().collect::<Vec<_>>(),
        ids,
        "every history is in a file"
    );
    let after = row_counts(database, ids[0]);
    assert_eq!(
        after,
        [0, before[1], before[2], before[3]],
        "events are deleted; orders and ledger are unchanged"
    );
}

/// Checks that every history is complete in the database or in a file, and identical in all files.
fn check_histories_are_complete(
    binary: &Path,
    database: &Database,
    folder: &Path,
    ids: &[u64],
    archived: &mut BTreeMap<u64, Value>,
) {
    for file in files(folder) {
        for (id, record) in records(binary, &file) {
            assert_eq!(record["events"].as_array().unwrap().len(), 2, "{record}");
            let first = archived.entry(id).or_insert_with(|| record.clone());
            assert_eq!(
                *first, record,
                "order {id} has different records in two files"
            );
        }
    }
    let all = list(ids);
    let partly = format!(
        "SELECT COUNT(*) FROM (SELECT order_id FROM events WHERE order_id IN ({all}) \
         GROUP BY order_id HAVING COUNT(*) <> 2) AS partly"
    );
    assert_eq!(database.count(&partly), 0, "a history is partly deleted");
    let open: Vec<u64> = ids
        .iter()
        .copied()
        .filter(|id| !archived.contains_key(id))
        .collect();
    if !open.is_empty() {
        let stored = format!(
            "SELECT COUNT(DISTINCT order_id) FROM events WHERE order_id IN ({})",
            list(&open)
        );
        assert_eq!(
            database.count(&stored),
            open.len() as i64,
            "a history is neither in a file nor in the database"
        );
    }
}

fn list(ids: &[u64]) -> String {
    ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// Runs the command with a locked table until its file exists, and kills it.
fn kill_before_deletion(command: &mut Command, database: &Database, folder: &Path) {
    let table_lock = database.lock_table();
    let mut child = command
        .args(ARCHIVE)
        .arg("--to")
        .arg(folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until(|| !files(folder).is_empty(), "the file");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(table_lock);
}

/// Returns the numbers of events, orders and ledger entries, and the ledger's sum, from this order
/// on.
fn row_counts(database: &Database, first: u64) -> [i64; 4] {
    [
        "SELECT COUNT(*) FROM events WHERE order_id >=",
        "SELECT COUNT(*) FROM orders WHERE id >=",
        "SELECT COUNT(*) FROM ledger WHERE order_id >=",
        "SELECT CAST(SUM(amount) AS BIGINT) FROM ledger WHERE order_id >=",
    ]
    .map(|sql| database.count(&format!("{sql} {first}")))
}

fn check_service(base: &str, old: &[u64], open: &[u64], early: &str) {
    for id in old {
        let (status, order) = get(base, &format!("/delivery/orders/{id}"));
        assert_eq!(
            (status, &order["situation"], &order["events"]),
            (200, &json!(600), &json!([])),
            "{order}"
        );
    }
    for id in open {
        let (_, order) = get(base, &format!("/delivery/orders/{id}"));
        assert_eq!(order["events"].as_array().map(Vec::len), Some(1), "{order}");
    }
    for path in ["events", "events/stream"] {
        let (status, problem) = get(base, &format!("/delivery/{path}?after={early}"));
        assert_eq!(
            (status, &problem["code"]),
            (410, &json!("events_archived")),
            "{problem}"
        );
    }
}

/// Reads the journal after a cursor, and returns the last cursor and the order of each event.
fn journal(base: &str, after: &str) -> (String, Vec<u64>) {
    let (mut after, mut orders) = (after.to_owned(), Vec::new());
    loop {
        let (status, page) = get(base, &format!("/delivery/events?limit=7&after={after}"));
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

/// Returns a file's records by order, as `despacho archive show` prints them.
fn records(binary: &Path, file: &Path) -> BTreeMap<u64, Value> {
    let shown = text(
        &Command::new(binary)
            .args(["archive", "show"])
            .arg(file)
            .output()
            .unwrap(),
    );
    let record = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let records: BTreeMap<u64, Value> = shown
        .lines()
        .map(record)
        .map(|record| (record["orderId"].as_u64().unwrap(), record))
        .collect();
    let first = records.keys().next().unwrap().to_string();
    let one = Command::new(binary)
        .args(["archive", "show", "--order", &first])
        .arg(file)
        .output()
        .unwrap();
    assert_eq!(text(&one).lines().count(), 1);
    records
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.to_string_lossy().ends_with(".jsonl.gz"))
        .collect()
}

fn archive(binary: &Path, data: &Path, database: &Database) -> Command {
    let mut command = Command::new(binary);
    command
        .env("DESPACHO_DATA", data)
        .env("DESPACHO_DATABASE", database.address());
    command
        .env("DESPACHO_SECRET", "a7".repeat(32))
        .stdin(Stdio::null());
    command
}

fn text(output: &Output) -> String {
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}{err}");
    out.into_owned()
}

fn wait_until(condition: impl Fn() -> bool, event: &str) {
    let deadline = Instant::now() + TIMEOUT;
    while !condition() {
        assert!(
            Instant::now() < deadline,
            "timeout while waiting for {event}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn start(binary: &Path, data: &Path, database: &Database) -> Server {
    let secret = "a7".repeat(32);
    let variables = [
        ("DESPACHO_DATABASE", database.address()),
        ("DESPACHO_SECRET", &secret),
        ("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000"),
    ];
    Server::start(binary, data, &["--demo"], &variables)
        .unwrap_or_else(|failure| panic!("{failure}"))
}

/// Creates an order with a preparation time of almost a day, so that its status does not change
/// during the test.
fn create(base: &str, code: &str) -> u64 {
    let address = json!({
        "street": "Rua Augusta", "number": "1508", "city": "São Paulo", "state": "SP",
        "latitude": -23.5578, "longitude": -46.6600,
    });
    let order =
        json!({ "code": code, "preparationTime": 1_400, "deliveries": [{ "address": address }] });
    let (status, created) = post(base, "/delivery/orders", &order);
    assert_eq!(status, 201, "{created}");
    created["id"].as_u64().unwrap()
}
