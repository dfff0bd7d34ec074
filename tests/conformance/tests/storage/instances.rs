//! The clock and dispatch on databases: over a restart, and with two instances over one.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::atomic::{AtomicI64, Ordering::Relaxed},
    time::Instant,
};

use despacho_core::{
    api,
    changes::Changes,
    drivers::dispatch::{DispatchPass, round},
    host::{Host, HostError, Platform, Storage},
    model::{
        Entropy, ExecContext, Timestamp,
        courier::Courier,
        order::{CodeTries, Order, OrderStatus},
    },
    rules::{
        lifecycle::Timing,
        limits::{Admission, Bucket},
        settings::Settings,
    },
};
use despacho_postgres::{Address, Postgres};
use despacho_sql::{Driver, Machine, SqlHost};
use despacho_sqlite::{Options, Sqlite};
use futures_util::future::join;

use crate::{
    backend::OnPostgres,
    suite::{
        Backend,
        dispatch::{free, pairs, put},
        fixtures::{NOON, at, changes, courier, order, order_id, over},
    },
};

/// A platform whose clock is set by hand.
#[derive(Debug)]
struct Clock(AtomicI64);

impl Machine for Clock {}

impl Platform for Clock {
    fn exec_context(&self) -> ExecContext {
        let now = Timestamp::from_millis(self.0.load(Relaxed));
        ExecContext { now, entropy: Entropy::new([3; 32]) }
    }

    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
        Ok(bucket.admit(None, now).0)
    }

    async fn hash_password(&self, _password: &str, _salt: [u8; 16]) -> Result<String, HostError> {
        Err(HostError::Unavailable { what: "passwords", detail: "no test of the clock logs in".to_owned() })
    }

    async fn verify_password(&self, _password: &str, _hash: &str) -> Result<bool, HostError> {
        Err(HostError::Unavailable { what: "passwords", detail: "no test of the clock logs in".to_owned() })
    }
}

type ClockedHost<D> = SqlHost<D, Clock>;

fn open(path: &Path, minutes: i64) -> ClockedHost<Sqlite> {
    clocked(Sqlite::open(path, &Options::default()).unwrap(), minutes)
}

fn clocked<D: Driver>(database: D, minutes: i64) -> ClockedHost<D> {
    SqlHost::new(database, Clock(AtomicI64::new(at(minutes).millis())), Timing::default())
}

fn set<D: Driver>(host: &ClockedHost<D>, millis: i64) {
    host.platform().0.store(NOON + millis, Relaxed);
}

async fn step<D: Driver>(host: &ClockedHost<D>) -> DispatchPass {
    round(host, &Settings::default(), &mut host.exec_context()).await.unwrap()
}

/// An order of 40 minutes' preparation that nobody had yet.
fn prepared(number: u64, minutes: i64) -> Order {
    Order {
        preparation_minutes: 40,
        ready_at: at(minutes),
        courier: None,
        attempt: 0,
        released: Vec::new(),
        first_allocated_at: None,
        ..order(number, 1, &format!("P-{number}"))
    }
}

#[tokio::test]
async fn a_preparation_of_forty_minutes_is_searched_at_minute_forty_whatever_happens_between() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("despacho.db");
    let host = open(&path, 0);
    put(&host, vec![prepared(50, 40)], vec![], 0).await;
    set(&host, 20 * 60_000);
    assert_eq!(step(&host).await, DispatchPass::default());
    // A crash leaves the file and its log: nothing is closed in good order.
    std::mem::forget(host);
    let host = open(&path, 20);
    assert_eq!(host.align_deadlines().await, Ok(1));
    set(&host, 40 * 60_000 - 1);
    assert_eq!(step(&host).await, DispatchPass::default(), "not a millisecond early");
    set(&host, 40 * 60_000);
    assert_eq!(step(&host).await, DispatchPass { moved: 1, ..DispatchPass::default() });
    let order = host.order(order_id(50)).await.unwrap().unwrap();
    assert_eq!((order.status, order.status_since), (OrderStatus::Searching, at(40)));
    // A clock that steps back and forth again does nothing twice.
    for minutes in [10, 40, 41] {
        set(&host, minutes * 60_000);
        assert_eq!(step(&host).await, DispatchPass::default());
    }
    assert_eq!(host.events(order_id(50)).await.unwrap().len(), 2, "ready, and searching");
}

#[tokio::test]
async fn a_pause_of_an_hour_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let host = open(&folder.path().join("despacho.db"), 0);
    put(&host, vec![prepared(50, 40), prepared(51, 90)], vec![], 0).await;
    set(&host, 100 * 60_000);
    let done = step(&host).await;
    assert_eq!(
        (done.moved, done.expired),
        (2, 0),
        "the search begins when somebody can search, and has its whole time"
    );
    set(&host, 120 * 60_000);
    assert_eq!(step(&host).await.expired, 2);
}

#[tokio::test]
async fn wrong_codes_on_two_instances_lock_one_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("despacho.db");
    wrong_codes_lock(open(&path, 1), open(&path, 1)).await;
}

#[tokio::test]
async fn wrong_codes_on_two_postgresql_instances_lock_one_order() {
    let Some(backend) = OnPostgres::find().await else { return };
    let address = Address::parse(&backend.address).unwrap();
    let options = despacho_postgres::Options::default();
    let (one, two) = (Postgres::open(&address, &options).await, Postgres::open(&address, &options).await);
    wrong_codes_lock(clocked(one.unwrap(), 1), clocked(two.unwrap(), 1)).await;
}

/// Five wrong codes, alternately on both instances; neither accepts the right one afterwards.
async fn wrong_codes_lock<D: Driver>(one: ClockedHost<D>, two: ClockedHost<D>) {
    let waiting = Order { status: OrderStatus::CourierAtPickup, tries: CodeTries::default(), ..order(50, 1, "W") };
    put(&one, vec![waiting], vec![Courier { order: Some(order_id(50)), ..courier(9) }], 1).await;
    let settings = Settings::default();
    let send = async |host: &ClockedHost<D>, code: &str| {
        let request = http::Request::post("/courier/orders/50/pickup")
            .header("x-api-token", "courier 9")
            .header("content-type", "application/json")
            .body(format!("{{\"code\": \"{code}\"}}").into());
        let response = api::handle(host, &settings, request.unwrap()).await;
        let body: serde_json::Value = serde_json::from_slice(response.body()).unwrap();
        (response.status().as_u16(), body["code"].as_str().unwrap_or_default().to_owned())
    };
    for host in [&one, &two, &one, &two, &one] {
        assert_eq!(send(host, "0000").await, (422, "code_incorrect".to_owned()));
    }
    for host in [&two, &one] {
        assert_eq!(send(host, "7788").await, (429, "code_locked".to_owned()));
    }
    set(&two, 11 * 60_000);
    assert_eq!(send(&two, "7788").await.0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_instances_give_three_hundred_couriers_one_order_each() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("despacho.db");
    three_hundred_and_then_more(open(&path, 0), open(&path, 0), 10.0).await;
}

#[tokio::test]
async fn two_instances_on_postgresql_give_three_hundred_couriers_one_order_each() {
    let Some(backend) = OnPostgres::find().await else { return };
    let address = Address::parse(&backend.address).unwrap();
    let options = despacho_postgres::Options::default();
    let (one, two) = (Postgres::open(&address, &options).await, Postgres::open(&address, &options).await);
    three_hundred_and_then_more(clocked(one.unwrap(), 0), clocked(two.unwrap(), 0), 30.0).await;
}

/// A thousand orders fall due together before 300 free couriers; as these come free, others follow.
async fn three_hundred_and_then_more<D: Driver>(one: ClockedHost<D>, two: ClockedHost<D>, seconds: f64) {
    let orders = (1_000..2_000).map(|number| prepared(number, 40)).collect();
    put(&one, orders, (2_000..2_300).map(free).collect(), 39).await;
    let start = Instant::now();
    set(&one, 40 * 60_000);
    set(&two, 40 * 60_000);
    let (first, second) = rounds(&one, &two).await;
    let took = start.elapsed();
    assert_eq!(first.moved + second.moved, 1_000);
    assert_eq!(first.allocated + second.allocated, 300);
    assert!(took.as_secs_f64() < seconds, "{took:?}");
    let given = pairs(&one, 1_000..2_000).await;
    assert_eq!(given.len(), 300);
    assert_eq!(given.iter().map(|(_, courier)| *courier).collect::<BTreeSet<_>>().len(), 300);
    assert_eq!(one.searching_orders(None, 5_000).await.unwrap().len(), 700, "the others go on searching");
    // As couriers come free they follow.
    let mut freed = Changes { at: at(41), ..changes() };
    for (order, courier) in given.iter().take(120) {
        let (order, courier) =
            (one.order(*order).await.unwrap().unwrap(), one.courier(*courier).await.unwrap().unwrap());
        freed.orders.push(over(order.version, Order { status: OrderStatus::Completed, ..order }));
        freed.couriers.push(over(courier.version, Courier { order: None, ..courier }));
    }
    one.commit(&freed).await.unwrap();
    let (first, second) = rounds(&one, &two).await;
    assert_eq!(first.allocated + second.allocated, 120);
    assert_eq!(one.searching_orders(None, 5_000).await.unwrap().len(), 580);
}

/// Rounds on both instances at once until neither finds more to do.
async fn rounds<D: Driver>(one: &ClockedHost<D>, two: &ClockedHost<D>) -> (DispatchPass, DispatchPass) {
    let all = async |host: &ClockedHost<D>| {
        let mut sum = DispatchPass::default();
        for _ in 0..10 {
            let done = step(host).await;
            sum.moved += done.moved;
            sum.allocated += done.allocated;
            if done.moved + done.allocated == 0 {
                break;
            }
        }
        sum
    };
    join(all(one), all(two)).await
}
