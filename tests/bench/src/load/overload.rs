//! What the server does at half of its capacity, at all of it, and at twice as much.
//!
//! Requests leave by a timetable, whatever became of those before them, as callers who know nothing of each other do; a time is counted
//! from when a request should have left. So a server that stalls is seen to stall.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use despacho_bench::{
    Failure,
    client::{Client, get, post},
    orders::order,
};
use despacho_simulator::demo::KEY;
use despacho_xtask::server::{self, Server};

use super::{
    memory::{disk_mb, resident_mb},
    over_http::UNLIMITED,
};

/// Connections that measure the capacity, each with the next request once it has the answer to the last.
const MEASURING: usize = 64;
/// Connections that send by the timetable: more than the server answers at once and lets wait together, so that there is something to
/// refuse.
const CALLERS: usize = 256;
/// What the server takes on here, so that a few hundred connections are twice too many.
const SMALL: [(&str, &str); 3] = [
    ("DESPACHO_OVERLOAD_MAX_IN_FLIGHT", "64"),
    ("DESPACHO_OVERLOAD_MAX_QUEUED", "64"),
    ("DESPACHO_OVERLOAD_MAX_QUEUE_MS", "500"),
];

/// What came of the requests of a stage.
#[derive(Default)]
struct Stage {
    served: Vec<Duration>,
    shed: usize,
    other: usize,
}

/// Prints a line for each stage, and one for the time after.
pub(crate) fn run(seconds: u64) -> Result<(), Failure> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let data = tempfile::tempdir()?;
    let variables = [&UNLIMITED[..], &SMALL].concat();
    let mut server = Server::start(&binary, data.path(), &["--demo"], &variables).map_err(|e| e.to_string())?;
    let process = server.child().id();
    let (next, span) = (AtomicUsize::new(0), Duration::from_secs(seconds.max(2)));
    let capacity = capacity(&server.base, &next, span)?;
    println!(
        "durable orders of 2 stops, {MEASURING} connections one after the other: {capacity:.0} a second. By a timetable, {CALLERS} connections:"
    );
    println!("  offered      served/s  shed/s  other  median ms  99 % ms  health: worst ms  resident MB");
    for percent in [50.0, 100.0, 200.0] {
        let (stage, health) = stage(&server.base, &next, capacity * percent / 100.0, span)?;
        let name = format!("{percent:.0} %");
        print(&name, &stage, span, health, resident_mb(process)?);
    }
    // What a caller meets who comes when the others have gone.
    let started = Instant::now();
    let mut client = Client::to(&server.base)?;
    while client.send(&create(&next))? != 201 {}
    println!(
        "  the next order after it took {:.1} ms; the data take {:.0} MB",
        ms(started.elapsed()),
        disk_mb(data.path())?
    );
    Ok(())
}

fn create(next: &AtomicUsize) -> Vec<u8> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    post("/delivery/orders", KEY, &order(&format!("L-{number}"), 2, false).to_string())
}

/// Orders a second when each caller waits for its answer.
fn capacity(base: &str, next: &AtomicUsize, span: Duration) -> Result<f64, Failure> {
    let started = Instant::now();
    let served = AtomicUsize::new(0);
    all(MEASURING, |_| {
        let mut client = Client::to(base)?;
        while started.elapsed() < span {
            if client.send(&create(next))? == 201 {
                served.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    })?;
    Ok(number(served.into_inner()) / started.elapsed().as_secs_f64())
}

/// Offers so many requests a second, and gives the worst time to a health check meanwhile.
fn stage(base: &str, next: &AtomicUsize, rate: f64, span: Duration) -> Result<(Stage, Duration), Failure> {
    let (started, over) = (Instant::now(), AtomicBool::new(false));
    let step = Duration::from_secs_f64(number(CALLERS) / rate.max(1.0));
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(base, &over));
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let first = started + step.mul_f64(number(caller) / number(CALLERS));
                scope.spawn(move || call(base, next, first, step, started + span))
            })
            .collect();
        let stages: Vec<_> = callers.into_iter().map(|one| one.join().unwrap_or_else(|_| stopped())).collect();
        over.store(true, Ordering::Relaxed);
        let health = watcher.join().unwrap_or_else(|_| Err("the watcher stopped".into()))?;
        let mut whole = Stage::default();
        for stage in stages {
            let stage = stage?;
            whole.served.extend(stage.served);
            whole.shed += stage.shed;
            whole.other += stage.other;
        }
        whole.served.sort();
        Ok((whole, health))
    })
}

fn stopped<T>() -> Result<T, Failure> {
    Err("a caller stopped".into())
}

fn call(base: &str, next: &AtomicUsize, first: Instant, step: Duration, end: Instant) -> Result<Stage, Failure> {
    let (mut client, mut stage, mut due) = (Client::to(base)?, Stage::default(), first);
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

/// Asks for the server's health until it is over; the worst time of an answer, each of which must be 200.
fn watch(base: &str, over: &AtomicBool) -> Result<Duration, Failure> {
    let (mut client, mut worst) = (Client::to(base)?, Duration::ZERO);
    while !over.load(Ordering::Relaxed) {
        for path in ["/healthz", "/readyz"] {
            let started = Instant::now();
            let status = client.send(&get(path, KEY))?;
            worst = worst.max(started.elapsed());
            if status != 200 {
                return Err(format!("{path} answers {status}").into());
            }
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(worst)
}

fn print(name: &str, stage: &Stage, span: Duration, health: Duration, memory: f64) {
    let seconds = span.as_secs_f64();
    let at = |part: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a list")]
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
pub(crate) fn all(count: usize, work: impl Fn(usize) -> Result<(), Failure> + Sync) -> Result<(), Failure> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..count).map(|index| scope.spawn(move || work(index))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| stopped()))
    })
}

pub(crate) fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1_000.0
}

#[expect(clippy::cast_precision_loss, reason = "a count that is printed")]
pub(crate) fn number(count: usize) -> f64 {
    count as f64
}
