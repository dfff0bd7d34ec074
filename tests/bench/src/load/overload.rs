//! Benchmark of the server at half of its capacity, at its capacity, and at twice its capacity.
//!
//! Requests follow a fixed schedule, independent of earlier responses, like those of independent
//! callers. Latency is measured from the scheduled time, so a stalling server is not hidden (no
//! coordinated omission).

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use despacho_bench::{
    BoxError,
    client::{Client, get, post},
    orders::order,
};
use despacho_simulator::demo::KEY;
use despacho_xtask::server::{self, Server};

use super::{
    memory::{disk_mb, resident_mb},
    over_http::UNLIMITED,
};

/// The number of connections that measure the capacity, each with one request at a time.
const CAPACITY_CALLERS: usize = 64;
/// The number of connections with scheduled requests: more than the server serves and queues
/// together, so that some are rejected.
const CALLERS: usize = 256;
/// Low limits, so that a few hundred connections overload the server.
const LOW_LIMITS: [(&str, &str); 3] = [
    ("DESPACHO_OVERLOAD_MAX_IN_FLIGHT", "64"),
    ("DESPACHO_OVERLOAD_MAX_QUEUED", "64"),
    ("DESPACHO_OVERLOAD_MAX_QUEUE_MS", "500"),
];

/// The outcome of the requests of a stage.
#[derive(Default)]
struct Stage {
    served: Vec<Duration>,
    shed: usize,
    other: usize,
}

/// Prints a line for each stage, and one for the first order afterwards.
pub(crate) fn run(seconds: u64) -> Result<(), BoxError> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let data = tempfile::tempdir()?;
    let variables = [&UNLIMITED[..], &LOW_LIMITS].concat();
    let mut server =
        Server::start(&binary, data.path(), &["--demo"], &variables).map_err(|e| e.to_string())?;
    let process = server.child().id();
    let (next, span) = (AtomicUsize::new(0), Duration::from_secs(seconds.max(2)));
    let capacity = capacity(&server.base, &next, span)?;
    println!(
        "durable orders of 2 stops, {CAPACITY_CALLERS} connections, one request at a time: {capacity:.0} per second. Scheduled requests, {CALLERS} connections:"
    );
    println!(
        "  offered      served/s  shed/s  other  median ms  99 % ms  health: max ms  resident MB"
    );
    for percent in [50.0, 100.0, 200.0] {
        let (stage, health) = stage(&server.base, &next, capacity * percent / 100.0, span)?;
        let name = format!("{percent:.0} %");
        print(&name, &stage, span, health, resident_mb(process)?);
    }
    // Measures the first order after the overload.
    let started = Instant::now();
    let mut client = Client::connect(&server.base)?;
    while client.send(&create(&next))? != 201 {}
    println!(
        "  the next order afterwards took {:.1} ms; the data directory has {:.0} MB",
        ms(started.elapsed()),
        disk_mb(data.path())?
    );
    Ok(())
}

fn create(next: &AtomicUsize) -> Vec<u8> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    post(
        "/delivery/orders",
        KEY,
        &order(&format!("L-{number}"), 2, false).to_string(),
    )
}

/// Returns the orders per second if each caller waits for its response.
fn capacity(base: &str, next: &AtomicUsize, span: Duration) -> Result<f64, BoxError> {
    let started = Instant::now();
    let served = AtomicUsize::new(0);
    all(CAPACITY_CALLERS, |_| {
        let mut client = Client::connect(base)?;
        while started.elapsed() < span {
            if client.send(&create(next))? == 201 {
                served.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    })?;
    Ok(number(served.into_inner()) / started.elapsed().as_secs_f64())
}

/// Offers `rate` requests per second. Also returns the max_latency latency of health checks
/// meanwhile.
fn stage(
    base: &str,
    next: &AtomicUsize,
    rate: f64,
    span: Duration,
) -> Result<(Stage, Duration), BoxError> {
    let (started, over) = (Instant::now(), AtomicBool::new(false));
    let step = Duration::from_secs_f64(number(CALLERS) / rate.max(1.0));
    std::thread::scope(|scope| {
        let health_check = scope.spawn(|| check_health(base, &over));
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let first = started + step.mul_f64(number(caller) / number(CALLERS));
                scope.spawn(move || send_scheduled(base, next, first, step, started + span))
            })
            .collect();
        let stages: Vec<_> = callers
            .into_iter()
            .map(|caller| caller.join().unwrap_or_else(|_| panicked()))
            .collect();
        over.store(true, Ordering::Relaxed);
        let health = health_check
            .join()
            .unwrap_or_else(|_| Err("the health check thread panicked".into()))?;
        let mut total = Stage::default();
        for stage in stages {
            let stage = stage?;
            total.served.extend(stage.served);
            total.shed += stage.shed;
            total.other += stage.other;
        }
        total.served.sort();
        Ok((total, health))
    })
}

fn panicked<T>() -> Result<T, BoxError> {
    Err("a caller thread panicked".into())
}

fn send_scheduled(
    base: &str,
    next: &AtomicUsize,
    first: Instant,
    step: Duration,
    end: Instant,
) -> Result<Stage, BoxError> {
    let (mut client, mut stage, mut due) = (Client::connect(base)?, Stage::default(), first);
    while due < end {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        match client.send(&create(next))? {
            201 => stage.served.push(due.elapsed()),
            503 => stage.shed += 1,
            _ => stage.other += 1,
        }
        due += step;
    }
    Ok(stage)
}

/// Sends health checks until `over` is set. Returns the max_latency latency; each must return 200.
fn check_health(base: &str, over: &AtomicBool) -> Result<Duration, BoxError> {
    let (mut client, mut max_latency) = (Client::connect(base)?, Duration::ZERO);
    while !over.load(Ordering::Relaxed) {
        for path in ["/healthz", "/readyz"] {
            let started = Instant::now();
            let status = client.send(&get(path, KEY))?;
            max_latency = max_latency.max(started.elapsed());
            if status != 200 {
                return Err(format!("{path} returned {status}").into());
            }
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(max_latency)
}

fn print(name: &str, stage: &Stage, span: Duration, health: Duration, memory: f64) {
    let seconds = span.as_secs_f64();
    let at = |part: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index of a list"
        )]
        let index = (number(stage.served.len().saturating_sub(1)) * part) as usize;
        stage.served.get(index).copied().map_or(f64::NAN, ms)
    };
    println!(
        "  {name:<10} {:>9.0} {:>7.0} {:>6} {:>10.1} {:>8.1} {:>17.1} {memory:>12.0}",
        number(stage.served.len()) / seconds,
        number(stage.shed) / seconds,
        stage.other,
        at(0.5),
        at(0.99),
        ms(health),
    );
}

/// Runs one thread for each number below `count`.
pub(crate) fn all(
    count: usize,
    work: impl Fn(usize) -> Result<(), BoxError> + Sync,
) -> Result<(), BoxError> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..count)
            .map(|index| scope.spawn(move || work(index)))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| panicked()))
    })
}

pub(crate) fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1_000.0
}

#[expect(clippy::cast_precision_loss, reason = "a count that is printed")]
pub(crate) fn number(count: usize) -> f64 {
    count as f64
}
