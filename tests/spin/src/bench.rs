//! Measures the component compared with a hello-world component on the same runtime in the same
//! run: absolute figures of a shared machine are not comparable. Nothing is asserted.

#![expect(clippy::print_stdout, reason = "printing figures is what this is for")]

use std::{
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};

use despacho_bench::{
    BoxError,
    client::{Client, get, per_second, post},
    median,
    orders::order,
};
use despacho_simulator::demo::KEY;
use despacho_xtask::{component, place};

use crate::{CompiledComponent, Options, Reuse, TestServer};

/// Concurrent connections.
const CONNECTIONS: usize = 8;
/// Repetitions, alternating between both components. The ratio of the medians is printed.
const REPETITIONS: u64 = 5;
/// A rate limit that no benchmark reaches.
const UNLIMITED: &str =
    r#"{"limits": {"previews-per-minute": 1000000, "writes-per-minute": 1000000}}"#;

/// Prints sizes, start times, requests per second, latencies and memory.
pub fn run(seconds: u64) -> Result<(), BoxError> {
    let root = place::root()?;
    let (ours, baseline) = (component::shipped()?, component::build_hello(&root)?);
    let kilobytes = |file: &std::path::Path| std::fs::metadata(file).map(|meta| meta.len() / 1_000);
    println!(
        "component: {} kB, baseline {} kB",
        kilobytes(&ours)?,
        kilobytes(&baseline)?
    );
    let started = Instant::now();
    let (compiled, bare) = (
        CompiledComponent::of(&ours)?,
        CompiledComponent::of(&baseline)?,
    );
    println!(
        "both compiled or loaded from the cache in {} ms",
        started.elapsed().as_millis()
    );

    let folder = tempfile::tempdir()?;
    let options = Options::new(
        folder.path().join("despacho.db"),
        "operator-token-of-a-test",
    );
    let options = options.variable("settings", UNLIMITED);
    let preview = |stops| {
        post(
            "/delivery/orders/preview",
            KEY,
            &order("L-1", stops, false).to_string(),
        )
    };
    // The first request migrates the database and creates the demo data, whose password hashes take
    // 19 MiB each. It uses another host, so the memory is not measured.
    let setup = TestServer::start(&compiled, &options.clone().variable("demo", "true"))?;
    Client::connect(&setup.base)?.expect(&get("/readyz", KEY), 200)?;
    drop(setup);
    let (ours, baseline) = (
        TestServer::start(&compiled, &options)?,
        TestServer::start(&bare, &options)?,
    );

    let span = Duration::from_millis(seconds * 1_000 / REPETITIONS);
    println!(
        "requests per second, {CONNECTIONS} connections: component, baseline, ratio of medians"
    );
    for stops in [2, 10] {
        let request = preview(stops);
        compare(&format!("preview, {stops} stops"), &baseline, span, || {
            per_second(&ours.base, &request, CONNECTIONS, span)
        })?;
    }
    let next = AtomicUsize::new(0);
    compare("create, 2 stops", &baseline, span, || {
        creates(&ours.base, &next, span)
    })?;
    compare_latency(&ours, &baseline, &preview(2), &next)?;
    compare_fresh_instances([&compiled, &bare], &options, &preview(2))?;
    let fifty = order("FIFTY", 50, true).to_string();
    for (path, status) in [("/delivery/orders/preview", 200), ("/delivery/orders", 201)] {
        let mut client = Client::connect(&ours.base)?;
        client.expect(&post(path, KEY, &fifty), status)?;
    }
    println!(
        "memory, including an order of 50 stops, previewed and created with an optimised stop order"
    );
    for (name, served) in [("component", &ours), ("baseline", &baseline)] {
        let stats = served.stats();
        println!(
            "{name}: {} instances, {} µs to start one, {} µs minimum, {} kB maximum",
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
    baseline: &TestServer,
    span: Duration,
    mut measure: impl FnMut() -> Result<f64, BoxError>,
) -> Result<(), BoxError> {
    let bare = post("/", KEY, "{}");
    let (mut ours, mut baseline_rates) = (Vec::new(), Vec::new());
    for _ in 0..REPETITIONS {
        ours.push(measure()?);
        baseline_rates.push(per_second(&baseline.base, &bare, CONNECTIONS, span)?);
    }
    let (ours, baseline) = (median(&ours), median(&baseline_rates));
    println!(
        "  {name:<18} {ours:>7.0} {baseline:>7.0}  {:>4.0} %",
        ours / baseline * 100.0
    );
    Ok(())
}

/// Returns the orders created per second over all connections.
fn creates(base: &str, next: &AtomicUsize, span: Duration) -> Result<f64, BoxError> {
    let (start, before) = (Instant::now(), next.load(Relaxed));
    let one = || -> Result<(), BoxError> {
        let mut client = Client::connect(base)?;
        while start.elapsed() < span {
            client.expect(&create(next), 201)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(one)).collect();
        threads.into_iter().try_for_each(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err("a client stopped".into()))
        })
    })?;
    #[expect(clippy::cast_precision_loss, reason = "a count of orders")]
    Ok((next.load(Relaxed) - before) as f64 / start.elapsed().as_secs_f64())
}

fn create(next: &AtomicUsize) -> Vec<u8> {
    let code = format!("B-{}", next.fetch_add(1, Relaxed));
    post("/delivery/orders", KEY, &order(&code, 2, false).to_string())
}

/// Compares latencies of sequential requests on one connection. The first byte of a response
/// arrives together with its last.
fn compare_latency(
    ours: &TestServer,
    baseline: &TestServer,
    preview: &[u8],
    next: &AtomicUsize,
) -> Result<(), BoxError> {
    let bare = median_latency(&baseline.base, || post("/", KEY, "{}"))?;
    let (previews, creates) = (
        median_latency(&ours.base, || preview.to_vec())?,
        median_latency(&ours.base, || create(next))?,
    );
    println!(
        "median latency in µs on one connection: preview {previews:.0}, create {creates:.0}, baseline {bare:.0}"
    );
    println!(
        "  as ratios to baseline: preview {:.1}, create {:.1}",
        previews / bare,
        creates / bare
    );
    Ok(())
}

/// Compares latencies with a new instance per request, which also reads its variables and opens its
/// database.
fn compare_fresh_instances(
    compiled: [&CompiledComponent; 2],
    options: &Options,
    preview: &[u8],
) -> Result<(), BoxError> {
    let options = Options {
        reuse: Reuse::NEVER,
        ..options.clone()
    };
    let requests = [preview.to_vec(), post("/", KEY, "{}")];
    let mut spans = [0.0; 2];
    for ((compiled, request), span) in compiled.into_iter().zip(&requests).zip(&mut spans) {
        let served = TestServer::start(compiled, &options)?;
        *span = median_latency(&served.base, || request.clone())?;
    }
    println!(
        "  with an instance for each request: preview {:.0}, baseline {:.0}",
        spans[0], spans[1]
    );
    Ok(())
}

/// Returns the median latency on one connection, in microseconds.
fn median_latency(base: &str, request: impl Fn() -> Vec<u8>) -> Result<f64, BoxError> {
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
    Ok(median(&spans))
}
