//! Benchmark of creating orders over HTTP on SQLite, compared with a bare program that writes the
//! same rows into a copy of the same database, in groups, with the server's settings for
//! durability.
//!
//! Both take turns so that both run under the same conditions. The bare program has no HTTP, no
//! JSON and no route to plan.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use despacho_bench::{
    BoxError,
    client::{Client, post},
    median,
    orders::order,
};
use despacho_xtask::server::{self, Server};
use rusqlite::{Connection, params};

use super::{
    memory::cpu_seconds,
    over_http::UNLIMITED,
    overload::{all, number},
    postgres::{Merchant, OPERATOR, create_merchant},
};

/// The connections that create orders, and the orders of a group of the bare program.
const CLIENTS: usize = 64;
/// The turns of each. The medians are printed.
const TURNS: usize = 5;

/// Prints the orders per second of both, and their ratio, for one merchant and for one merchant for
/// each client.
pub(crate) fn compare(seconds: u64) -> Result<(), BoxError> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    println!(
        "durable orders of 2 stops on SQLite, {CLIENTS} clients: despacho over HTTP, bare writes of the same rows in groups of {CLIENTS}; \
         orders per second, and the processor time of despacho"
    );
    for count in [1, CLIENTS] {
        let data = tempfile::tempdir()?;
        let variables = [&UNLIMITED[..], &[("DESPACHO_ADMIN_TOKEN", OPERATOR)]].concat();
        let mut server =
            Server::start(&binary, data.path(), &[], &variables).map_err(|e| e.to_string())?;
        let process = server.child().id();
        let merchants = (0..count)
            .map(|number| create_merchant(&server.base, number))
            .collect::<Result<Vec<_>, _>>()?;
        let (next, span) = (AtomicUsize::new(0), Duration::from_secs(seconds.max(2)) / 2);
        create(&server.base, &merchants, &next, span)?;
        let mut bare = Bare::copy(data.path(), &merchants)?;
        let (mut ours, mut theirs, mut processor_us) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..TURNS {
            let worked = cpu_seconds(process)?;
            let created = create(&server.base, &merchants, &next, span)?;
            processor_us.push((cpu_seconds(process)? - worked) * 1e6 / created);
            ours.push(created / span.as_secs_f64());
            theirs.push(bare.write(span)?);
        }
        let (ours, theirs, used) = (median(&ours), median(&theirs), median(&processor_us));
        let merchants = if count == 1 { "merchant" } else { "merchants" };
        println!(
            "  {count:>2} {merchants:<9} {ours:>7.0} {theirs:>7.0}  {:>4.0} %  {used:>6.0} µs",
            ours / theirs * 100.0
        );
    }
    Ok(())
}

/// Creates orders until the time is over, and returns how many.
fn create(
    base: &str,
    merchants: &[Merchant],
    next: &AtomicUsize,
    span: Duration,
) -> Result<f64, BoxError> {
    let (started, done) = (Instant::now(), AtomicUsize::new(0));
    // Created once, because the client's CPU time reduces the server's.
    let template = order("CODE", 2, false).to_string();
    all(CLIENTS, |index| {
        let mut client = Client::connect(base)?;
        while started.elapsed() < span {
            let body = template.replace(
                "CODE",
                &format!("P-{}", next.fetch_add(1, Ordering::Relaxed)),
            );
            client.expect(
                &post(
                    "/delivery/orders",
                    &merchants[index % merchants.len()].key,
                    &body,
                ),
                201,
            )?;
            done.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    })?;
    Ok(number(done.into_inner()))
}

/// The bare program: a copy of the server's database, and the texts of an order's rows.
struct Bare {
    _folder: tempfile::TempDir,
    database: Connection,
    stores: Vec<i64>,
    next: i64,
    order: String,
    event: String,
    terms: String,
}

impl Bare {
    fn copy(data: &Path, merchants: &[Merchant]) -> Result<Bare, BoxError> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("despacho.db");
        Connection::open(data.join("despacho.db"))?
            .execute("VACUUM INTO ?1", [file.to_string_lossy()])?;
        let database = Connection::open(&file)?;
        // The server's settings.
        database.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; \
             PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 4096",
        )?;
        let text = |sql: &str| database.query_row(sql, [], |row| row.get::<_, String>(0));
        let order = text("SELECT body FROM orders ORDER BY id DESC LIMIT 1")?;
        let event = text("SELECT body FROM events ORDER BY id DESC LIMIT 1")?;
        let terms = text("SELECT terms FROM order_search ORDER BY order_id DESC LIMIT 1")?;
        let next = database.query_row("SELECT max(id) FROM orders", [], |row| row.get(0))?;
        let stores = merchants
            .iter()
            .map(|merchant| i64::try_from(merchant.id))
            .collect::<Result<_, _>>()?;
        Ok(Bare {
            _folder: folder,
            database,
            stores,
            next,
            order,
            event,
            terms,
        })
    }

    /// Writes groups until the time is over, and returns the orders per second.
    fn write(&mut self, span: Duration) -> Result<f64, BoxError> {
        let (started, mut written) = (Instant::now(), 0);
        while started.elapsed() < span {
            let transaction = self.database.transaction()?;
            {
                let mut balance = transaction.prepare_cached(
                    "UPDATE balances SET amount = amount - 1590 WHERE store = ?1",
                )?;
                let mut journal = transaction
                    .prepare_cached("UPDATE journals SET last = last + 1 WHERE matrix = ?1")?;
                let mut order = transaction.prepare_cached(
                    "INSERT INTO orders (id, version, store, code, holds_code, situation, created_at, due_at, pickup_lat_e7, \
                     pickup_lon_e7, body) VALUES (?1, 1, ?2, ?3, 1, 100, ?1, ?1, -235558000, -466582000, ?4)",
                )?;
                let mut event = transaction.prepare_cached(
                    "INSERT INTO events (order_id, sequence, store, at, body, matrix, place) VALUES (?1, 1, ?2, ?1, ?3, ?2, \
                     (SELECT last FROM journals WHERE matrix = ?2))",
                )?;
                let mut ledger = transaction.prepare_cached(
                    "INSERT INTO ledger (store, order_id, kind, amount, at, balance) VALUES (?2, ?1, 'fee', -1590, ?1, \
                     (SELECT amount FROM balances WHERE store = ?2))",
                )?;
                let mut search = transaction.prepare_cached(
                    "INSERT INTO order_search (order_id, store, matrix, terms) VALUES (?1, ?2, ?2, ?3)",
                )?;
                for turn in 0..CLIENTS {
                    self.next += 1;
                    let (id, store) = (self.next, self.stores[turn % self.stores.len()]);
                    balance.execute([store])?;
                    journal.execute([store])?;
                    order.execute(params![id, store, format!("B-{id}"), self.order])?;
                    event.execute(params![id, store, self.event])?;
                    ledger.execute(params![id, store])?;
                    search.execute(params![id, store, self.terms])?;
                }
            }
            transaction.commit()?;
            written += CLIENTS;
        }
        Ok(number(written) / started.elapsed().as_secs_f64())
    }
}
