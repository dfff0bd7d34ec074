//! Benchmark of the server's memory after many orders.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use despacho_bench::{
    BoxError,
    client::{Client, post},
    orders::order,
};
use despacho_simulator::demo::KEY;
use despacho_xtask::server::{self, Server};

use crate::load::over_http::UNLIMITED;

/// Creates orders on 32 connections. Prints the orders per second, and the server's resident memory
/// before and after.
pub(crate) fn after(orders: usize) -> Result<(), BoxError> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let data = tempfile::tempdir()?;
    let mut server =
        Server::start(&binary, data.path(), &["--demo"], &UNLIMITED).map_err(|e| e.to_string())?;
    let process = server.child().id();
    let (before, start) = (resident_mb(process)?, std::time::Instant::now());
    let next = AtomicUsize::new(0);
    let results: Vec<Result<(), BoxError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..32)
            .map(|_| scope.spawn(|| create(&server.base, &next, orders)))
            .collect();
        threads
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|_| Err("a client thread panicked".into()))
            })
            .collect()
    });
    results.into_iter().collect::<Result<(), BoxError>>()?;
    #[expect(clippy::cast_precision_loss, reason = "a count of orders")]
    let rate = orders as f64 / start.elapsed().as_secs_f64();
    println!(
        "{orders} orders of 2 stops over HTTP, 32 connections, each durable: {rate:.0} per second"
    );
    println!(
        "  resident memory: {before:.0} MB before, {:.0} MB after",
        resident_mb(process)?
    );
    Ok(())
}

fn create(base: &str, next: &AtomicUsize, orders: usize) -> Result<(), BoxError> {
    let mut client = Client::connect(base)?;
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= orders {
            return Ok(());
        }
        let body = order(&format!("M-{number}"), 2, false).to_string();
        client.expect(&post("/delivery/orders", KEY, &body), 201)?;
    }
}

/// Returns the megabytes of all files in a folder.
pub(crate) fn disk_mb(folder: &Path) -> Result<f64, BoxError> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?.metadata()?;
        bytes += if entry.is_file() { entry.len() } else { 0 };
    }
    #[expect(clippy::cast_precision_loss, reason = "a size")]
    Ok(bytes as f64 / 1_048_576.0)
}

/// Returns the CPU seconds that a process has used, from /proc. Linux counts in hundredths of a
/// second.
pub(crate) fn cpu_seconds(process: u32) -> Result<f64, BoxError> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The program's name, in parentheses, can contain spaces. It is followed by the state, ten
    // other fields, and the two times.
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks: Result<Vec<f64>, _> = after
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(str::parse)
        .collect();
    Ok(ticks?.iter().sum::<f64>() / 100.0)
}

/// Returns the resident memory of a process in megabytes, from /proc.
pub(crate) fn resident_mb(process: u32) -> Result<f64, BoxError> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .ok_or("no VmRSS in /proc/PID/status")?;
    let kb: f64 = line
        .split_whitespace()
        .nth(1)
        .ok_or("no value of VmRSS")?
        .parse()?;
    Ok(kb / 1024.0)
}
