//! How fast the server is with few orders and with many: a server for each size, which take turns, so that all meet the same machine.
//!
//! The first size is filled through the API. What the later ones lack is copied in the database from orders that the API made, while the
//! server is down: a million creates take an hour of a machine whose figures are wanted now. Pages, rows and indexes are the same.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use despacho_bench::{
    Failure,
    client::{Client, get, post},
    orders::order,
};
use despacho_simulator::demo::KEY;
use despacho_xtask::server::{self, Server};
use tempfile::TempDir;

use super::{
    copies,
    memory::{disk_mb, processor_seconds, resident_mb},
    over_http::UNLIMITED,
    overload::{all, ms, number},
};

/// Connections that create; so many share each sync of the disk.
const CONNECTIONS: usize = 32;
/// Orders of a turn.
const TURN: usize = 500;
/// Turns of each size, of which the medians are printed.
const TURNS: usize = 15;
/// Orders that are created before the first turn.
const WARMING: usize = 1_000;
/// Reads that are timed in a turn, of each kind.
const READS: usize = 40;

/// A server with so many orders, and what its turns took.
struct Sized {
    data: TempDir,
    server: Server,
    /// Orders that it has.
    next: AtomicUsize,
    /// Numbers of some orders of it.
    ids: Vec<u64>,
    /// Megabytes on disk before the first order.
    empty: f64,
    created: Vec<f64>,
    busy: Vec<f64>,
    reads: Vec<Duration>,
    lists: Vec<Duration>,
}

/// Fills a database to each of the sizes, and prints what creating and reading take there.
pub(crate) fn run(sizes: &[usize]) -> Result<(), Failure> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let mut servers = Vec::with_capacity(sizes.len());
    for &size in sizes {
        servers.push(Sized::filled(&binary, size)?);
    }
    for _ in 0..TURNS {
        servers.iter_mut().try_for_each(Sized::turn)?;
    }
    println!(
        "orders of 2 stops over HTTP on SQLite, {CONNECTIONS} connections, each durable; {TURNS} turns of {TURN}:"
    );
    println!(
        "  stored    created/s        processor ms each  read median ms  list median ms  resident MB  bytes an order"
    );
    let few = servers.first().map(|sized| middle(&sized.created)).unwrap_or_default();
    for sized in &mut servers {
        let stored = sized.next.load(Ordering::Relaxed);
        println!(
            "  {stored:<9} {:>9.0} ({:>3.0} %) {:>18.3} {:>15.2} {:>15.2} {:>12.0} {:>15.0}",
            middle(&sized.created),
            middle(&sized.created) / few * 100.0,
            middle(&sized.busy),
            ms(middle(&sized.reads)),
            ms(middle(&sized.lists)),
            resident_mb(sized.server.child().id())?,
            (disk_mb(sized.data.path())? - sized.empty) * 1_048_576.0 / number(stored.max(1)),
        );
    }
    Ok(())
}

impl Sized {
    fn filled(binary: &Path, size: usize) -> Result<Sized, Failure> {
        let data = tempfile::tempdir()?;
        let mut server = start(binary, data.path())?;
        let (empty, next) = (disk_mb(data.path())?, AtomicUsize::new(0));
        create(&server.base, &next, size.min(copies::TEMPLATES))?;
        let missing = size - next.load(Ordering::Relaxed);
        if missing > 0 {
            drop(server);
            copies::add(data.path(), missing)?;
            next.fetch_add(missing, Ordering::Relaxed);
            server = start(binary, data.path())?;
        }
        // Caches that have forgotten everything, as after a restart, are not what is compared.
        create(&server.base, &next, WARMING)?;
        let ids = newest(&server.base)?;
        let (created, busy, reads, lists) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Sized { data, server, next, ids, empty, created, busy, reads, lists })
    }

    fn turn(&mut self) -> Result<(), Failure> {
        let (process, base) = (self.server.child().id(), &self.server.base);
        let (worked, started) = (processor_seconds(process)?, Instant::now());
        create(base, &self.next, TURN)?;
        self.created.push(number(TURN) / started.elapsed().as_secs_f64());
        self.busy.push((processor_seconds(process)? - worked) * 1_000.0 / number(TURN));
        let ids = &self.ids;
        self.reads.extend(timed(base, |index| format!("/delivery/orders/{}", ids[index % ids.len()]))?);
        self.lists.extend(timed(base, |_| "/delivery/orders?limit=20".to_owned())?);
        Ok(())
    }
}

/// The value in the middle; there is one wherever this is asked.
fn middle<T: Copy + PartialOrd + Default>(values: &[T]) -> T {
    let mut values = values.to_vec();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn start(binary: &Path, data: &Path) -> Result<Server, Failure> {
    Ok(Server::start(binary, data, &["--demo"], &UNLIMITED).map_err(|e| e.to_string())?)
}

fn create(base: &str, next: &AtomicUsize, count: usize) -> Result<(), Failure> {
    let left = AtomicUsize::new(count);
    all(CONNECTIONS, |_| {
        let mut client = Client::to(base)?;
        while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
            let code = next.fetch_add(1, Ordering::Relaxed);
            let request = post("/delivery/orders", KEY, &order(&format!("G-{code}"), 2, false).to_string());
            let status = client.send(&request)?;
            if status != 201 {
                return Err(format!("{status}: {}", String::from_utf8_lossy(client.body())).into());
            }
        }
        Ok(())
    })
}

/// The numbers of the newest hundred orders.
fn newest(base: &str) -> Result<Vec<u64>, Failure> {
    let mut client = Client::to(base)?;
    client.send(&get("/delivery/orders?limit=100", KEY))?;
    let page: serde_json::Value = serde_json::from_slice(client.body())?;
    let ids: Vec<u64> =
        page["orders"].as_array().into_iter().flatten().filter_map(|order| order["id"].as_u64()).collect();
    if ids.is_empty() { Err("there are no orders to read".into()) } else { Ok(ids) }
}

/// The times of reads, one after the other.
fn timed(base: &str, path: impl Fn(usize) -> String) -> Result<Vec<Duration>, Failure> {
    let (mut client, mut times) = (Client::to(base)?, Vec::with_capacity(READS));
    for index in 0..READS {
        let (request, started) = (get(&path(index), KEY), Instant::now());
        let status = client.send(&request)?;
        times.push(started.elapsed());
        if status != 200 {
            return Err(format!("{status}: {}", String::from_utf8_lossy(client.body())).into());
        }
    }
    Ok(times)
}

/// The sizes in a text, as `10000,200000`.
pub(crate) fn sizes(text: &str) -> Result<Vec<usize>, Failure> {
    let sizes = text.split(',').map(|size| size.trim().replace('_', "").parse());
    Ok(sizes.collect::<Result<Vec<usize>, _>>()?)
}
