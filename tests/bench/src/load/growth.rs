//! Benchmark of the server with few and many orders. Each size has its own server, and they take
//! turns so that all run under the same conditions.
//!
//! The first size is filled through the API. The others are copied in the database while the server
//! is stopped, because creating a million orders through the API takes an hour. Pages, rows and
//! indexes are the same.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use despacho_bench::{
    BoxError,
    client::{Client, get, post},
    median,
    orders::order,
};
use despacho_simulator::demo::KEY;
use despacho_xtask::server::{self, Server};
use tempfile::TempDir;

use super::{
    copies,
    memory::{cpu_seconds, disk_mb, resident_mb},
    over_http::UNLIMITED,
    overload::{all, ms, number},
};

/// The number of connections that create orders. They share each sync of the disk.
const CONNECTIONS: usize = 32;
/// The number of orders per turn.
const TURN: usize = 500;
/// The number of turns per size. The medians are printed.
const TURNS: usize = 15;
/// The number of orders created before the first turn.
const WARM_UP: usize = 1_000;
/// The number of timed requests per turn, of each kind except the dispatch pass.
const READS: usize = 40;
/// The number of dispatch passes per turn.
const PASSES: usize = 3;
/// The operator's token of the measured servers.
const OPERATOR: &str = "growth-operator-token";

/// The printed names of the timed requests, in the order of [`SizedServer::requests`].
const TIMED: [&str; 6] = ["order", "list", "open", "statement", "by name", "pass"];

/// A server of one size, and the measurements of its turns.
struct SizedServer {
    data: TempDir,
    server: Server,
    /// The number of stored orders.
    next: AtomicUsize,
    /// The IDs of some of its orders.
    ids: Vec<u64>,
    /// The megabytes on disk before the first order.
    empty: f64,
    created: Vec<f64>,
    cpu_ms: Vec<f64>,
    /// The times of each request in [`TIMED`].
    times: [Vec<Duration>; TIMED.len()],
}

/// Fills a database to each size, and prints the times of creating and reading.
pub(crate) fn run(sizes: &[usize]) -> Result<(), BoxError> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let mut servers = Vec::with_capacity(sizes.len());
    for &size in sizes {
        servers.push(SizedServer::start(&binary, size)?);
    }
    for _ in 0..TURNS {
        servers.iter_mut().try_for_each(SizedServer::turn)?;
    }
    println!(
        "orders of 2 stops over HTTP on SQLite, {CONNECTIONS} connections, each durable; {TURNS} turns of {TURN}:"
    );
    println!("  stored     created/s         CPU ms per order  resident MB  bytes/order");
    let smallest = servers
        .first()
        .map(|sized| median(&sized.created))
        .unwrap_or_default();
    for sized in &mut servers {
        let stored = sized.next.load(Ordering::Relaxed);
        println!(
            "  {stored:<10} {:>9.0} ({:>3.0} %) {:>17.3} {:>12.0} {:>12.0}",
            median(&sized.created),
            median(&sized.created) / smallest * 100.0,
            median(&sized.cpu_ms),
            resident_mb(sized.server.child().id())?,
            (disk_mb(sized.data.path())? - sized.empty) * 1_048_576.0 / number(stored.max(1)),
        );
    }
    println!(
        "median ms of a request on one connection: one order, 20 orders, 20 open orders, 20 entries of the statement, the \
         console's search by a recipient's name that all orders share, a dispatch pass; and twice the console's search by the code \
         of the oldest order:"
    );
    println!(
        "  stored     {}   by code",
        TIMED.map(|name| format!("{name:>10}")).concat()
    );
    for sized in &servers {
        let medians = sized
            .times
            .each_ref()
            .map(|times| format!("{:>10.2}", ms(median(times))));
        let searches = [sized.search_oldest()?, sized.search_oldest()?].join(", ");
        println!(
            "  {:<10} {}   {searches}",
            sized.next.load(Ordering::Relaxed),
            medians.concat()
        );
    }
    Ok(())
}

impl SizedServer {
    fn start(binary: &Path, size: usize) -> Result<SizedServer, BoxError> {
        let data = tempfile::tempdir()?;
        let mut server = start_server(binary, data.path())?;
        let (empty, next) = (disk_mb(data.path())?, AtomicUsize::new(0));
        create(&server.base, &next, size.min(copies::TEMPLATES))?;
        let missing = size - next.load(Ordering::Relaxed);
        if missing > 0 {
            drop(server);
            copies::add(data.path(), missing)?;
            next.fetch_add(missing, Ordering::Relaxed);
            server = start_server(binary, data.path())?;
        }
        // Warms the caches, because cold caches after a restart are not the subject.
        create(&server.base, &next, WARM_UP)?;
        let ids = newest(&server.base)?;
        let (created, cpu_ms, times) = (Vec::new(), Vec::new(), Default::default());
        Ok(SizedServer {
            data,
            server,
            next,
            ids,
            empty,
            created,
            cpu_ms,
            times,
        })
    }

    fn turn(&mut self) -> Result<(), BoxError> {
        let (process, base) = (self.server.child().id(), &self.server.base);
        let (worked, started) = (cpu_seconds(process)?, Instant::now());
        create(base, &self.next, TURN)?;
        self.created
            .push(number(TURN) / started.elapsed().as_secs_f64());
        self.cpu_ms
            .push((cpu_seconds(process)? - worked) * 1_000.0 / number(TURN));
        let mut client = Client::connect(base)?;
        for index in 0..READS {
            let requests = self.requests(index);
            for (times, request) in self.times.iter_mut().zip(requests) {
                let started = Instant::now();
                client.expect(&request, 200)?;
                times.push(started.elapsed());
            }
        }
        Ok(())
    }

    /// Returns the timed requests with a number within a turn. Only the first [`PASSES`] numbers
    /// have a dispatch pass.
    fn requests(&self, index: usize) -> Vec<Vec<u8>> {
        let mut requests = vec![
            get(
                &format!("/delivery/orders/{}", self.ids[index % self.ids.len()]),
                KEY,
            ),
            get("/delivery/orders?limit=20", KEY),
            get("/delivery/orders?limit=20&open=true", KEY),
            get("/delivery/statement?limit=20", KEY),
            get("/admin/orders?limit=20&q=maria+silva", OPERATOR),
        ];
        if index < PASSES {
            requests.push(post("/admin/dispatch", OPERATOR, ""));
        }
        requests
    }

    /// Returns the milliseconds of a search for the oldest order, or the server's timeout.
    fn search_oldest(&self) -> Result<String, BoxError> {
        let (mut client, started) = (Client::connect(&self.server.base)?, Instant::now());
        match client.send(&get("/admin/orders?limit=20&q=G-0", OPERATOR))? {
            200 => Ok(format!("{:.2}", ms(started.elapsed()))),
            504 => Ok("timeout".to_owned()),
            status => Err(format!("the search returned {status}").into()),
        }
    }
}

fn start_server(binary: &Path, data: &Path) -> Result<Server, BoxError> {
    Ok(Server::start(
        binary,
        data,
        &["--demo"],
        &[&UNLIMITED[..], &[("DESPACHO_ADMIN_TOKEN", OPERATOR)]].concat(),
    )
    .map_err(|e| e.to_string())?)
}

fn create(base: &str, next: &AtomicUsize, count: usize) -> Result<(), BoxError> {
    let left = AtomicUsize::new(count);
    all(CONNECTIONS, |_| {
        let mut client = Client::connect(base)?;
        while left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            })
            .is_ok()
        {
            let code = next.fetch_add(1, Ordering::Relaxed);
            let request = post(
                "/delivery/orders",
                KEY,
                &order(&format!("G-{code}"), 2, false).to_string(),
            );
            client.expect(&request, 201)?;
        }
        Ok(())
    })
}

/// Returns the IDs of the newest hundred orders.
fn newest(base: &str) -> Result<Vec<u64>, BoxError> {
    let mut client = Client::connect(base)?;
    client.send(&get("/delivery/orders?limit=100", KEY))?;
    let page: serde_json::Value = serde_json::from_slice(client.body())?;
    let ids: Vec<u64> = page["orders"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|order| order["id"].as_u64())
        .collect();
    if ids.is_empty() {
        Err("no orders to read".into())
    } else {
        Ok(ids)
    }
}

/// Parses sizes such as `10000,200000`.
pub(crate) fn sizes(text: &str) -> Result<Vec<usize>, BoxError> {
    let sizes = text
        .split(',')
        .map(|size| size.trim().replace('_', "").parse());
    Ok(sizes.collect::<Result<Vec<usize>, _>>()?)
}
