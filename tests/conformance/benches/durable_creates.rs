//! Measures durable creates per second of the SQLite host, and of a baseline that commits the same
//! rows in groups.
//!
//! Run `cargo bench -p despacho-conformance`. Runs of both alternate, because other programs use
//! the machine too; compare the medians. The baseline prepares its rows before the measurement, has
//! no queue and no readers, and always commits full groups.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failing benchmark reports the line, and the results are printed"
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
#[expect(dead_code, reason = "only the suite uses all fixtures")]
mod fixtures;

const ORDERS: u64 = 12_800;
const CONCURRENT: u64 = 64;
const RUNS: usize = 5;

/// Returns a new order as the API commits it: the order, its event and the debit of its fee.
fn create(number: u64) -> Changes {
    let mut order = fixtures::order(number, 1, &format!("P-{number}"));
    order.courier = None;
    let event = fixtures::event(&order, 1);
    let ledger = vec![fixtures::entry(1, -1_890, None)];
    Changes {
        orders: vec![Write::insert(order)],
        events: vec![event],
        ledger,
        ..fixtures::changes()
    }
}

fn with_store() -> Changes {
    Changes {
        stores: vec![Write::insert(fixtures::store(1))],
        ..fixtures::changes()
    }
}

/// Commits through the host. Creating, checking and encoding the changes is part of the
/// measurement.
async fn measure_host(path: &Path) -> (f64, Stats) {
    let database = Sqlite::open(path, &Options::default()).unwrap();
    let host = Arc::new(SqliteHost::new(
        database,
        LocalPlatform::new().unwrap(),
        Timing::default(),
    ));
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

/// Commits the same rows to the same tables on one thread.
fn measure_baseline(path: &Path) -> f64 {
    let rows: Vec<Vec<Statement>> = (1..=ORDERS)
        .map(|number| statements(&create(number), &Timing::default()).unwrap())
        .collect();
    let connection = Connection::open(path).unwrap();
    connection.set_prepared_statement_cache_capacity(64);
    for (pragma, value) in [
        ("synchronous", "FULL"),
        ("cache_size", "-16384"),
        ("wal_autocheckpoint", "4096"),
    ] {
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
                    Value::Bytes(bytes) => prepared.raw_bind_parameter(index, &bytes[..]).unwrap(),
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
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let (mut host_rates, mut baseline_rates) = (Vec::new(), Vec::new());
    for run in 1..=RUNS {
        let folder = tempfile::tempdir().unwrap();
        let (host, stats) = runtime.block_on(measure_host(&folder.path().join("host.db")));
        let path = folder.path().join("baseline.db");
        runtime.block_on(async {
            let database = Sqlite::open(&path, &Options::default()).unwrap();
            let host = SqliteHost::new(database, LocalPlatform::new().unwrap(), Timing::default());
            host.commit(&with_store()).await.unwrap();
            host.driver().close().await.unwrap();
        });
        let baseline = measure_baseline(&path);
        let mean = stats.commits as f64 / stats.groups as f64;
        println!(
            "run {run}: host {host:.0}/s in groups of {mean:.0}, baseline {baseline:.0}/s in groups of {CONCURRENT}"
        );
        host_rates.push(host);
        baseline_rates.push(baseline);
    }
    let (host, baseline) = (median(host_rates), median(baseline_rates));
    println!(
        "durable creates, {CONCURRENT} clients: {host:.0}/s, baseline {baseline:.0}/s, ratio {:.0} %",
        100.0 * host / baseline
    );
}
