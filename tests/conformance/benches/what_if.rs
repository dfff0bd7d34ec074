//! Measures the comparison of a draft of a tariff with 100,000 orders on SQLite and on PostgreSQL, and reads all of the orders for the report
//! of days as a reference.
//!
//! Run `cargo bench -p despacho-conformance --bench what_if`. The longest time during which a poll of the request blocks its thread is
//! printed, because other requests wait for it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failing benchmark reports the line, and the results are printed"
)]

use std::{
    future::Future,
    pin::pin,
    task::Poll,
    time::{Duration, Instant},
};

use bytes::Bytes;
use despacho_core::{
    api,
    changes::{Changes, Write},
    host::{Host, OrderQuery},
    model::{
        Day, Duration as Span, Timestamp,
        order::{Order, OrderFilter},
        store::{KeyHash, LedgerEntry},
    },
    rules::{lifecycle::Timing, report::DayReport, settings::Settings},
};
use despacho_postgres::{Address, Postgres};
use despacho_process::cluster::{self, Cluster};
use despacho_sql::SqlHost;
use despacho_sqlite::{LocalPlatform, Options, Sqlite, SqliteHost};
use http::Request;

#[path = "../tests/storage/suite/fixtures.rs"]
#[expect(dead_code, reason = "only the suite uses all fixtures")]
mod fixtures;

const ORDERS: u64 = 100_000;
const STORES: u64 = 200;
const BATCH: u64 = 500;
const DAYS: i64 = 30;
const OPERATOR: &str = "operator-token-of-the-benchmark";

/// Creates orders of the last days, at equal intervals. The oldest is some hours younger than the period, which moves while a run takes.
async fn fill(host: &impl Host) {
    let now = host.exec_context().now;
    let stores = (1..=STORES).map(|number| Write::insert(fixtures::store(number))).collect();
    host.commit(&Changes { at: now, stores, ..Changes::default() }).await.unwrap();
    let interval = (DAYS * 24 - 6) * 3_600_000 / i64::try_from(ORDERS).unwrap();
    for first in (0..ORDERS).step_by(usize::try_from(BATCH).unwrap()) {
        let creations: Vec<Changes> = (first..first + BATCH)
            .map(|number| {
                let age = interval * i64::try_from(ORDERS - number - 1).unwrap();
                create(number, now.before(Span::millis(age)))
            })
            .collect();
        assert!(host.commit_each(&creations).await.iter().all(Result::is_ok));
    }
}

fn create(number: u64, at: Timestamp) -> Changes {
    let store = 1 + number % STORES;
    let order = fixtures::order(1_000 + number, store, &format!("P-{number}"));
    let order = Order { created_at: at, courier: None, ..order };
    let fee = LedgerEntry { order: Some(order.id), at, ..fixtures::entry(store, -1_890, None) };
    Changes { at, orders: vec![Write::insert(order)], ledger: vec![fee], ..Changes::default() }
}

/// Completes a future and returns the longest time of a poll.
async fn longest_poll<T>(future: impl Future<Output = T>) -> (T, Duration) {
    let (mut future, mut longest) = (pin!(future), Duration::ZERO);
    let output = std::future::poll_fn(|context| {
        let start = Instant::now();
        let result = future.as_mut().poll(context);
        longest = longest.max(start.elapsed());
        match result {
            Poll::Ready(output) => Poll::Ready(output),
            Poll::Pending => Poll::Pending,
        }
    })
    .await;
    (output, longest)
}

async fn comparison(host: &impl Host) -> String {
    let settings = Settings { operator: Some(KeyHash::of(OPERATOR)), ..Settings::default() };
    let body = format!(
        r#"{{"days": {DAYS}, "tariff": {{"version": "draft", "baseFee": 9.9, "baseKm": 2, "perKm": 1.75, "perExtraStop": 3, "returnFee": 2,
        "returnPerKm": 0.8, "minimumFee": 9, "maxDistanceKm": 5000, "serviceRadiusKm": 5000, "approachMinutes": 8, "handoverMinutes": 3,
        "windows": [{{"name": "night", "from": "22:00", "until": "06:00", "percent": 20}}]}}}}"#
    );
    let request = Request::post("/admin/tariffs/what-if")
        .header("x-api-token", OPERATOR)
        .header("content-type", "application/json")
        .body(Bytes::from(body))
        .unwrap();
    let response = api::handle(host, &settings, request).await;
    let text = String::from_utf8_lossy(response.body()).into_owned();
    assert_eq!(response.status(), 200, "{text}");
    let expected = [format!("\"orders\":{ORDERS},"), "\"outOfRange\":0,\"partial\":false".to_owned()];
    assert!(expected.iter().all(|part| text.contains(part)), "{}", &text[..text.len().min(400)]);
    text
}

/// Reads all orders as the report of days does.
async fn report(host: &impl Host) -> usize {
    let now = host.exec_context().now;
    let days = (Day::of(now, None).before(DAYS), Day::of(now, None));
    let (mut filter, mut report, mut orders) = (OrderFilter::all(), DayReport::default(), 0);
    loop {
        let page = host.find_orders(OrderQuery::Matching(&filter, 100)).await.unwrap();
        let Some(last) = page.last() else { break };
        filter.before = Some(last.id);
        orders += page.len();
        page.iter().for_each(|order| report.add(order, days));
    }
    assert_eq!(orders as u64, ORDERS);
    report.rows.len()
}

/// Returns the peak of the resident memory in MiB, and resets it.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap_or_default();
    // 5 resets the peak to the current size.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    kib / 1_024
}

async fn measure(name: &str, host: &impl Host) {
    fill(host).await;
    for run in 1..=3 {
        peak_mib();
        let before = peak_mib();
        let started = Instant::now();
        let (_, longest) = longest_poll(comparison(host)).await;
        let (what_if_s, what_if_mib) = (started.elapsed().as_secs_f64(), peak_mib().saturating_sub(before));
        let before = peak_mib();
        let started = Instant::now();
        report(host).await;
        let (report_s, report_mib) = (started.elapsed().as_secs_f64(), peak_mib().saturating_sub(before));
        println!(
            "{name}, {ORDERS} orders, run {run}: what-if {what_if_s:.2} s, +{what_if_mib} MiB, longest poll {:.1} ms; \
             report of days {report_s:.2} s, +{report_mib} MiB",
            longest.as_secs_f64() * 1e3
        );
    }
}

async fn on_postgres() {
    if let Some(missing) = cluster::missing() {
        println!("PostgreSQL: skipped: {missing}");
        return;
    }
    let cluster = Cluster::start().unwrap();
    let address = Address::parse(&cluster.fresh().unwrap()).unwrap();
    let database = Postgres::open(&address, &despacho_postgres::Options::default()).await.unwrap();
    let host: SqlHost<Postgres, LocalPlatform> =
        SqlHost::new(database, LocalPlatform::new().unwrap(), Timing::default());
    measure("PostgreSQL", &host).await;
    host.driver().close().await.unwrap();
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    runtime.block_on(async {
        let database = Sqlite::open(&folder.path().join("despacho.db"), &Options::default()).unwrap();
        let host = SqliteHost::new(database, LocalPlatform::new().unwrap(), Timing::default());
        measure("SQLite", &host).await;
        host.driver().close().await.unwrap();
        on_postgres().await;
    });
}
