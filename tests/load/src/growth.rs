//! How fast the server is with few orders and with many: the same measurements at ever larger databases, in one run.
//!
//! The first size is filled through the API. What the later ones lack is copied in the database from orders that the API made, while the
//! server is down: a million creates take an hour of a machine whose figures are wanted now. Pages, rows and indexes are the same.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use despacho_core::demo::KEY;
use despacho_load::{
    Failure,
    client::{Client, get, post},
    orders::order,
};
use despacho_tool::server::{self, Server};

use crate::{
    copies,
    memory::{disk_mb, processor_seconds, resident_mb},
    over_http::UNLIMITED,
    overload::{all, ms, number},
};

/// Connections that create; so many share each sync of the disk.
const CONNECTIONS: usize = 32;
/// Orders that are measured at each size.
const MEASURED: usize = 2_000;
/// Orders that are created before those.
const WARMING: usize = 500;
/// Reads that are timed at each size.
const READS: usize = 500;

/// Fills a database to each of the sizes, and prints what creating and reading take there.
pub(crate) fn run(sizes: &[usize]) -> Result<(), Failure> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let data = tempfile::tempdir()?;
    let mut server = start(&binary, data.path())?;
    let mut process = server.child().id();
    println!("orders of 2 stops over HTTP on SQLite, {CONNECTIONS} connections, each durable:");
    println!("  stored    created/s  processor ms each  read median ms  list median ms  resident MB  bytes an order");
    let (next, empty) = (AtomicUsize::new(0), disk_mb(data.path())?);
    let mut ids = Vec::new();
    for &size in sizes {
        let missing = size.saturating_sub(MEASURED).saturating_sub(next.load(Ordering::Relaxed));
        if ids.is_empty() {
            create(&server.base, &next, missing)?;
        } else {
            drop(server);
            copies::add(data.path(), missing)?;
            next.fetch_add(missing, Ordering::Relaxed);
            server = start(&binary, data.path())?;
            process = server.child().id();
        }
        // Caches that have forgotten everything, as after a restart, are not what is compared.
        create(&server.base, &next, WARMING)?;
        let (busy, started) = (processor_seconds(process)?, Instant::now());
        create(&server.base, &next, MEASURED)?;
        let (took, busy) = (started.elapsed().as_secs_f64(), processor_seconds(process)? - busy);
        if ids.is_empty() {
            ids = newest(&server.base)?;
        }
        let read = median(&server.base, |index| format!("/delivery/orders/{}", ids[index % ids.len()]))?;
        let list = median(&server.base, |_| "/delivery/orders?limit=20".to_owned())?;
        let stored = next.load(Ordering::Relaxed);
        println!(
            "  {stored:<9} {:>9.0} {:>18.3} {:>15.2} {:>15.2} {:>12.0} {:>15.0}",
            number(MEASURED) / took,
            busy * 1_000.0 / number(MEASURED),
            ms(read),
            ms(list),
            resident_mb(process)?,
            (disk_mb(data.path())? - empty) * 1_048_576.0 / number(stored.max(1)),
        );
    }
    Ok(())
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

/// The median time of reads, one after the other.
fn median(base: &str, path: impl Fn(usize) -> String) -> Result<Duration, Failure> {
    let (mut client, mut times) = (Client::to(base)?, Vec::with_capacity(READS));
    for index in 0..READS {
        let (request, started) = (get(&path(index), KEY), Instant::now());
        let status = client.send(&request)?;
        times.push(started.elapsed());
        if status != 200 {
            return Err(format!("{status}: {}", String::from_utf8_lossy(client.body())).into());
        }
    }
    times.sort();
    times.get(READS / 2).copied().ok_or_else(|| "nothing was read".into())
}

/// The sizes in a text, as `10000,200000`.
pub(crate) fn sizes(text: &str) -> Result<Vec<usize>, Failure> {
    let sizes = text.split(',').map(|size| size.trim().replace('_', "").parse());
    Ok(sizes.collect::<Result<Vec<usize>, _>>()?)
}
