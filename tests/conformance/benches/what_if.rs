//! Measures the comparison of a draft of a tariff with 100,000 orders on SQLite and on PostgreSQL,
//! and reads all of the orders for the report of days as a reference. The sums of each store and in
//! total must equal those of the prices of all orders, each calculated by
//! `POST /admin/tariffs/preview`.
//!
//! Run `cargo bench -p despacho-conformance --bench what_if`. The longest time during which a poll
//! of the request blocks its thread is printed, because other requests wait for it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failing benchmark reports the line, and the results are printed"
)]

use std::{
    collections::BTreeMap,
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
        Day, Distance, Duration as Span, Timestamp, Zone,
        order::{Order, OrderFilter, OrderSchedule},
        store::{KeyHash, LedgerEntry},
    },
    rules::{lifecycle::Timing, report::DayReport, settings::Settings},
};
use despacho_postgres::{Address, Postgres};
use despacho_process::cluster::{self, Cluster};
use despacho_sql::SqlHost;
use despacho_sqlite::{LocalPlatform, Options, Sqlite, SqliteHost};
use http::Request;
use serde_json::{Value, json};

#[path = "../tests/storage/suite/fixtures.rs"]
#[expect(dead_code, reason = "only the suite uses all fixtures")]
mod fixtures;

const ORDERS: u64 = 100_000;
const STORES: u64 = 200;
const BATCH: u64 = 500;
const DAYS: i64 = 30;
const OPERATOR: &str = "operator-token-of-the-benchmark";

/// Creates orders of the last days, at equal intervals. The oldest is some hours younger than the
/// period, which moves while a run takes.
async fn fill(host: &impl Host) {
    let now = host.exec_context().now;
    let stores = (1..=STORES)
        .map(|number| Write::insert(fixtures::store(number)))
        .collect();
    host.commit(&Changes {
        at: now,
        stores,
        ..Changes::default()
    })
    .await
    .unwrap();
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
    let mut order = fixtures::order(1_000 + number, store, &format!("P-{number}"));
    // Orders differ in their distances, stops, vehicles and times.
    order.total_distance = Distance(1_000 + u32::try_from(number * 7_919 % 29_000).unwrap());
    order.return_leg = order.return_leg.filter(|_| number.is_multiple_of(3));
    order
        .deliveries
        .truncate(1 + usize::try_from(number % 2).unwrap());
    order.requirements.weight_g = Some(if number.is_multiple_of(5) {
        150_000
    } else {
        1_200
    });
    let hours = i64::try_from(number % 9).unwrap();
    order.schedule = Some(OrderSchedule {
        deliver_at: None,
        priced_at: at.after(Span::minutes(60 * hours)),
    });
    let order = Order {
        created_at: at,
        courier: None,
        ..order
    };
    let fee = LedgerEntry {
        order: Some(order.id),
        at,
        ..fixtures::entry(store, -1_890, None)
    };
    Changes {
        at,
        orders: vec![Write::insert(order)],
        ledger: vec![fee],
        ..Changes::default()
    }
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

/// Returns the draft, with every kind of rule.
fn draft() -> Value {
    json!({
        "version": "draft", "baseFee": 9.9, "baseKm": 2, "perKm": "1.7583", "perExtraStop": 3, "returnFee": 2, "returnPerKm": 0.8,
        "minimumFee": 9, "maxDistanceKm": 5000, "serviceRadiusKm": 5000, "approachMinutes": 8, "handoverMinutes": 3,
        "windows": [
            { "name": "night", "from": "22:00", "until": "06:00", "percent": 20 },
            { "name": "weekend", "days": ["sat", "sun"], "from": "11:00", "until": "14:30", "percent": "-12.5" },
        ],
        "vehicles": [{ "vehicle": "CAR", "percent": 33, "fee": 1 }],
    })
}

async fn post(host: &impl Host, path: &str, body: &Value) -> String {
    let settings = Settings {
        operator: Some(KeyHash::of(OPERATOR)),
        ..Settings::default()
    };
    let request = Request::post(path)
        .header("x-api-token", OPERATOR)
        .header("content-type", "application/json")
        .body(Bytes::from(body.to_string()))
        .unwrap();
    let response = api::handle(host, &settings, request).await;
    let text = String::from_utf8_lossy(response.body()).into_owned();
    assert_eq!(response.status(), 200, "{text}");
    text
}

/// Follows the comparison to its end, and returns its portions and the time of the slowest one.
async fn comparison(host: &impl Host) -> (Vec<Value>, Duration) {
    let (mut cursor, mut portions, mut slowest) = (Value::Null, Vec::new(), Duration::ZERO);
    loop {
        let mut body = json!({ "days": DAYS, "tariff": draft() });
        if !cursor.is_null() {
            body["cursor"] = cursor;
        }
        let started = Instant::now();
        let text = post(host, "/admin/tariffs/what-if", &body).await;
        slowest = slowest.max(started.elapsed());
        let portion: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(portion["outOfRange"], 0);
        cursor = portion["nextCursor"].clone();
        portions.push(portion);
        if cursor.is_null() {
            break;
        }
    }
    let orders: u64 = portions
        .iter()
        .map(|one| one["orders"].as_u64().unwrap())
        .sum();
    assert_eq!(orders, ORDERS);
    (portions, slowest)
}

/// The number of orders, and the sums of their fees and of their prices by the draft, in centavos.
type Sums = (u64, i64, i64);

fn centavos(amount: &Value) -> i64 {
    format!("{:.0}", amount.as_f64().unwrap() * 100.0)
        .parse()
        .unwrap()
}

/// Returns the route of an order as a sample of a preview.
fn sample(order: &Order) -> Value {
    let back = order.return_leg.map(|leg| leg.0);
    let kilometres = |metres: u32| f64::from(metres) / 1e3;
    json!({
        "distanceKm": kilometres(order.total_distance.0 - back.unwrap_or(0)), "returnKm": back.map(kilometres),
        "stops": order.deliveries.len(), "at": order.priced_at().to_string(), "state": "SP",
        "vehicle": order.requirements.smallest_vehicle().map(|vehicle| vehicle.name()),
    })
}

/// Prices each order by the API, and returns the sums of each store.
async fn price_each(host: &impl Host) -> BTreeMap<u64, Sums> {
    let (mut filter, mut sums) = (OrderFilter::all(), BTreeMap::<u64, Sums>::new());
    loop {
        // A preview has at most 50 samples.
        let page = host
            .find_orders(OrderQuery::Matching(&filter, 50))
            .await
            .unwrap();
        let Some(last) = page.last() else { return sums };
        filter.before = Some(last.id);
        let samples: Vec<Value> = page.iter().map(sample).collect();
        let body = json!({ "tariff": draft(), "samples": samples });
        let prices: Value =
            serde_json::from_str(&post(host, "/admin/tariffs/preview", &body).await).unwrap();
        for (order, price) in page.iter().zip(prices["samples"].as_array().unwrap()) {
            let sum = sums.entry(order.store.get()).or_default();
            *sum = (
                sum.0 + 1,
                sum.1 + order.fee.centavos(),
                sum.2 + centavos(&price["deliveryFee"]),
            );
        }
    }
}

/// Compares the sums of the what-if with those of the prices of all orders.
async fn check_sums(host: &impl Host) -> (u64, i64) {
    let (portions, _) = comparison(host).await;
    let sums = |row: &Value| -> Sums {
        (
            row["orders"].as_u64().unwrap(),
            centavos(&row["currentFee"]),
            centavos(&row["draftFee"]),
        )
    };
    let add = |a: Sums, b: Sums| (a.0 + b.0, a.1 + b.1, a.2 + b.2);
    let expected = price_each(host).await;
    let mut by_store = BTreeMap::<u64, Sums>::new();
    for row in portions
        .iter()
        .flat_map(|portion| portion["stores"].as_array().unwrap())
    {
        let sum = by_store
            .entry(row["storeId"].as_u64().unwrap())
            .or_default();
        *sum = add(*sum, sums(row));
    }
    assert_eq!(by_store.len() as u64, STORES);
    assert_eq!(by_store, expected, "the sums of the stores");
    let total = expected.values().copied().fold(Sums::default(), add);
    let compared = portions.iter().map(sums).fold(Sums::default(), add);
    assert_eq!(compared, total, "the sums of all stores");
    (total.0, total.2)
}

/// Reads all orders as the report of days does.
async fn report(host: &impl Host) -> usize {
    let now = host.exec_context().now;
    let days = (
        Day::of(now, Zone::default()).before(DAYS),
        Day::of(now, Zone::default()),
    );
    let orders = host
        .reported_orders(&OrderFilter::all(), u32::MAX)
        .await
        .unwrap();
    let mut report = DayReport::default();
    orders.iter().for_each(|order| report.add(order, days));
    assert_eq!(orders.len() as u64, ORDERS);
    report.rows.len()
}

/// Returns the peak of the resident memory in MiB, and resets it.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or_default();
    let kib: u64 = peak
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap_or_default();
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
        let ((portions, slowest), longest) = longest_poll(comparison(host)).await;
        let (what_if_s, what_if_mib) = (
            started.elapsed().as_secs_f64(),
            peak_mib().saturating_sub(before),
        );
        let before = peak_mib();
        let started = Instant::now();
        report(host).await;
        let (report_s, report_mib) = (
            started.elapsed().as_secs_f64(),
            peak_mib().saturating_sub(before),
        );
        println!(
            "{name}, {ORDERS} orders, run {run}: what-if {what_if_s:.2} s in {} portions, the slowest {:.0} ms, \
             +{what_if_mib} MiB, longest poll {:.1} ms; report of days {report_s:.2} s, +{report_mib} MiB",
            portions.len(),
            slowest.as_secs_f64() * 1e3,
            longest.as_secs_f64() * 1e3
        );
    }
    let (orders, centavos) = check_sums(host).await;
    println!(
        "{name}: the sums of {STORES} stores and their total of {centavos} centavos equal {orders} prices of the API"
    );
}

async fn on_postgres() {
    if let Some(missing) = cluster::missing() {
        println!("PostgreSQL is not measured: {missing}");
        return;
    }
    let cluster = Cluster::start().unwrap();
    let address = Address::parse(&cluster.fresh().unwrap()).unwrap();
    let database = Postgres::open(&address, &despacho_postgres::Options::default())
        .await
        .unwrap();
    let host: SqlHost<Postgres, LocalPlatform> =
        SqlHost::new(database, LocalPlatform::new().unwrap(), Timing::default());
    measure("PostgreSQL", &host).await;
    host.driver().close().await.unwrap();
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    runtime.block_on(async {
        let database =
            Sqlite::open(&folder.path().join("despacho.db"), &Options::default()).unwrap();
        let host = SqliteHost::new(database, LocalPlatform::new().unwrap(), Timing::default());
        measure("SQLite", &host).await;
        host.driver().close().await.unwrap();
        on_postgres().await;
    });
}
