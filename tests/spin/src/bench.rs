//! How fast the component is, beside a hello-world component on the same runtime in the same run: on a shared machine a figure alone
//! says little. Nothing is asserted.

#![expect(clippy::print_stdout, reason = "printing figures is what this is for")]

use std::{
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};

use despacho_bench::{
    Failure,
    client::{Client, per_second, post},
    orders::order,
};
use despacho_simulator::demo::KEY;
use despacho_xtask::{component, place};

use crate::{Compiled, Options, Reuse, Served};

/// Connections that ask at once.
const CONNECTIONS: usize = 8;
/// Rounds in turns, of which the median ratio counts.
const ROUNDS: u64 = 5;
/// A rate limit that no benchmark reaches.
const UNLIMITED: &str = r#"{"limits": {"previews-per-minute": 1000000, "writes-per-minute": 1000000}}"#;

/// Prints sizes, starts, requests a second, times to the first byte and memory.
pub fn run(seconds: u64) -> Result<(), Failure> {
    let root = place::root()?;
    let (ours, hello) = (component::shipped()?, component::build_hello(&root)?);
    let kilobytes = |file: &std::path::Path| std::fs::metadata(file).map(|meta| meta.len() / 1_000);
    println!("component: {} kB, hello {} kB", kilobytes(&ours)?, kilobytes(&hello)?);
    let started = Instant::now();
    let (compiled, bare) = (Compiled::of(&ours)?, Compiled::of(&hello)?);
    println!("both compiled, or taken from the cache, in {} ms", started.elapsed().as_millis());

    let folder = tempfile::tempdir()?;
    let options = Options::new(folder.path().join("despacho.db"), "operator-token-of-a-test");
    let options = options.variable("demo", "true").variable("settings", UNLIMITED);
    let preview = |stops| post("/delivery/orders/preview", KEY, &order("L-1", stops, false).to_string());
    // The first request migrates and makes the demonstration's data, whose passwords take 19 MiB each: on a host of its own.
    let making = Served::start(&compiled, &options)?;
    Client::connect(&making.base)?.send(&preview(2))?;
    drop(making);
    let (ours, hello) = (Served::start(&compiled, &options)?, Served::start(&bare, &options)?);

    let span = Duration::from_millis(seconds * 1_000 / ROUNDS);
    println!("requests a second, {CONNECTIONS} connections: component, hello, ratio of medians");
    for stops in [2, 10] {
        let request = preview(stops);
        compare(&format!("preview, {stops} stops"), &hello, span, || {
            per_second(&ours.base, &request, CONNECTIONS, span)
        })?;
    }
    let next = AtomicUsize::new(0);
    compare("create, 2 stops", &hello, span, || creates(&ours.base, &next, span))?;
    first_byte(&ours, &hello, &preview(2), &next)?;
    fresh_instances([&compiled, &bare], &options, &preview(2))?;
    let fifty = order("FIFTY", 50, true).to_string();
    for (path, status) in [("/delivery/orders/preview", 200), ("/delivery/orders", 201)] {
        let mut client = Client::connect(&ours.base)?;
        let got = client.send(&post(path, KEY, &fifty))?;
        if got != status {
            return Err(format!("{got}: {}", String::from_utf8_lossy(client.body())).into());
        }
    }
    println!("memory below: after an order of 50 stops too, previewed and created in the best order");
    for (name, served) in [("component", &ours), ("hello", &hello)] {
        let stats = served.stats();
        println!(
            "{name}: {} instances, {} µs to start one, {} µs at the least, {} kB at most",
            stats.instances(),
            stats.mean_start_us(),
            stats.min_start_us(),
            stats.peak_bytes() / 1_000
        );
    }
    Ok(())
}

fn compare(
    name: &str,
    hello: &Served,
    span: Duration,
    mut measure: impl FnMut() -> Result<f64, Failure>,
) -> Result<(), Failure> {
    let bare = post("/", KEY, "{}");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(measure()?);
        theirs.push(per_second(&hello.base, &bare, CONNECTIONS, span)?);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!("  {name:<18} {ours:>7.0} {theirs:>7.0}  {:>4.0} %", ours / theirs * 100.0);
    Ok(())
}

/// Orders a second of so many connections, each order another.
fn creates(base: &str, next: &AtomicUsize, span: Duration) -> Result<f64, Failure> {
    let (start, before) = (Instant::now(), next.load(Relaxed));
    let one = || -> Result<(), Failure> {
        let mut client = Client::connect(base)?;
        while start.elapsed() < span {
            let status = client.send(&create(next))?;
            if status != 201 {
                return Err(format!("{status}: {}", String::from_utf8_lossy(client.body())).into());
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(one)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("a client stopped".into())))
    })?;
    #[expect(clippy::cast_precision_loss, reason = "a count of orders")]
    Ok((next.load(Relaxed) - before) as f64 / start.elapsed().as_secs_f64())
}

fn create(next: &AtomicUsize) -> Vec<u8> {
    let code = format!("B-{}", next.fetch_add(1, Relaxed));
    post("/delivery/orders", KEY, &order(&code, 2, false).to_string())
}

/// One connection, one request after another: how long until its answer, whose first byte comes with its last.
fn first_byte(ours: &Served, hello: &Served, preview: &[u8], next: &AtomicUsize) -> Result<(), Failure> {
    let bare = waited(&hello.base, || post("/", KEY, "{}"))?;
    let (previews, creates) = (waited(&ours.base, || preview.to_vec())?, waited(&ours.base, || create(next))?);
    println!(
        "µs to the first byte on one connection, median: preview {previews:.0}, create {creates:.0}, hello {bare:.0}"
    );
    println!("  as ratios to hello: preview {:.1}, create {:.1}", previews / bare, creates / bare);
    Ok(())
}

/// What a request waits for where an instance has to be made for it, which reads its variables and opens its database too.
fn fresh_instances(compiled: [&Compiled; 2], options: &Options, preview: &[u8]) -> Result<(), Failure> {
    let options = Options { reuse: Reuse::NEVER, ..options.clone() };
    let requests = [preview.to_vec(), post("/", KEY, "{}")];
    let mut spans = [0.0; 2];
    for ((compiled, request), span) in compiled.into_iter().zip(&requests).zip(&mut spans) {
        let served = Served::start(compiled, &options)?;
        *span = waited(&served.base, || request.clone())?;
    }
    println!("  with an instance for each request: preview {:.0}, hello {:.0}", spans[0], spans[1]);
    Ok(())
}

/// Microseconds from a request to its whole answer, in the median, on one connection.
fn waited(base: &str, request: impl Fn() -> Vec<u8>) -> Result<f64, Failure> {
    const REQUESTS: usize = 300;
    let mut client = Client::connect(base)?;
    let mut spans = Vec::new();
    for _ in 0..REQUESTS {
        let request = request();
        let start = Instant::now();
        let status = client.send(&request)?;
        if status >= 300 {
            return Err(format!("{status}: {}", String::from_utf8_lossy(client.body())).into());
        }
        spans.push(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(spans))
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}
