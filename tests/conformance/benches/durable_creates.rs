//! Durable creates per second through the host on SQLite, against a bare program that group-commits the same rows.
//!
//! `cargo bench -p despacho-conformance`. Rounds alternate, since a machine is never alone; the ratio of the medians counts. The
//! bare program is as bare as can be: its rows are made before the clock starts, it has no queue and no readers, and it is
//! always given full groups.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that fails says where, and prints its figures"
)]

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

use despacho_core::{
    changes::{Changes, Write},
    host::Storage,
    rules::lifecycle::Timing,
};
use despacho_sql::{Statement, Value, statements};
use despacho_sqlite::{LocalPlatform, Options, Sqlite, SqliteHost, Stats};
use rusqlite::{Connection, types::Null};

#[path = "../tests/storage/suite/fixtures.rs"]
#[expect(dead_code, reason = "the suite needs more of them")]
mod fixtures;

const ORDERS: u64 = 12_800;
const CONCURRENT: u64 = 64;
const ROUNDS: usize = 5;

/// A new order as the API commits it: the order, its event, the debit of its fee.
fn create(number: u64) -> Changes {
    let mut order = fixtures::order(number, 1, &format!("P-{number}"));
    order.courier = None;
    let event = fixtures::event(&order, 1);
    let ledger = vec![fixtures::entry(1, -1_890, None)];
    Changes { orders: vec![Write::insert(order)], events: vec![event], ledger, ..fixtures::changes() }
}

fn with_store() -> Changes {
    Changes { stores: vec![Write::insert(fixtures::store(1))], ..fixtures::changes() }
}

/// Through the host: changes are made, checked and turned into rows while the clock runs.
async fn through_the_host(path: &Path) -> (f64, Stats) {
    let database = Sqlite::open(path, &Options::default()).unwrap();
    let host = Arc::new(SqliteHost::new(database, LocalPlatform::new().unwrap(), Timing::default()));
    host.commit(&with_store()).await.unwrap();
    let next = Arc::new(AtomicU64::new(1));
    let started = Instant::now();
    let clients: Vec<_> = (0..CONCURRENT)
        .map(|_| {
            let (host, next) = (Arc::clone(&host), Arc::clone(&next));
            tokio::spawn(async move {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    if number > ORDERS {
                        return;
                    }
                    host.commit(&create(number)).await.unwrap();
                }
            })
        })
        .collect();
    for client in clients {
        client.await.unwrap();
    }
    let seconds = started.elapsed().as_secs_f64();
    let stats = host.driver().stats();
    host.driver().close().await.unwrap();
    (ORDERS as f64 / seconds, stats)
}

/// The same rows in the same tables, by one thread and nothing else.
fn bare(path: &Path) -> f64 {
    let rows: Vec<Vec<Statement>> =
        (1..=ORDERS).map(|number| statements(&create(number), &Timing::default()).unwrap()).collect();
    let connection = Connection::open(path).unwrap();
    connection.set_prepared_statement_cache_capacity(64);
    for (pragma, value) in [("synchronous", "FULL"), ("cache_size", "-16384"), ("wal_autocheckpoint", "4096")] {
        connection.pragma_update(None, pragma, value).unwrap();
    }
    let started = Instant::now();
    for group in rows.chunks(usize::try_from(CONCURRENT).unwrap()) {
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        for statement in group.iter().flatten() {
            let mut prepared = connection.prepare_cached(statement.sql).unwrap();
            for (index, value) in (1..).zip(&statement.params) {
                match value {
                    Value::Null => prepared.raw_bind_parameter(index, Null).unwrap(),
                    Value::Integer(number) => prepared.raw_bind_parameter(index, number).unwrap(),
                    Value::Text(text) => prepared.raw_bind_parameter(index, text.as_str()).unwrap(),
                }
            }
            prepared.raw_execute().unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
    }
    ORDERS as f64 / started.elapsed().as_secs_f64()
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        let (host, stats) = runtime.block_on(through_the_host(&folder.path().join("host.db")));
        let path = folder.path().join("bare.db");
        runtime.block_on(async {
            let database = Sqlite::open(&path, &Options::default()).unwrap();
            let host = SqliteHost::new(database, LocalPlatform::new().unwrap(), Timing::default());
            host.commit(&with_store()).await.unwrap();
            host.driver().close().await.unwrap();
        });
        let bare = bare(&path);
        let mean = stats.commits as f64 / stats.groups as f64;
        println!("round {round}: host {host:.0}/s in groups of {mean:.0}, bare {bare:.0}/s in groups of {CONCURRENT}");
        ours.push(host);
        theirs.push(bare);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "durable creates, {CONCURRENT} at once: {ours:.0}/s, bare {theirs:.0}/s, ratio {:.0} %",
        100.0 * ours / theirs
    );
}
