//! Deadlines and dispatch on databases, across a restart and with two instances.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::atomic::{AtomicI64, Ordering::Relaxed},
};

use despacho_core::{
    api,
    changes::Changes,
    drivers::dispatch::{DispatchPass, run_pass},
    host::{Host, HostError, Platform, Storage},
    model::{
        Duration, Entropy, ExecContext, Timestamp,
        courier::Courier,
        order::{CodeTries, Order, OrderDispatch, OrderStatus},
    },
    rules::{
        lifecycle::Timing,
        limits::{Admission, Bucket},
        settings::Settings,
    },
};
use despacho_postgres::{Address, Postgres};
use despacho_sql::{Driver, Machine, Slots, SqlHost};
use despacho_sqlite::{Options, Sqlite};
use futures_util::future::join;

use crate::{
    backend::OnPostgres,
    suite::{
        Backend,
        dispatch::{free_courier, pairs, put},
        fixtures::{NOON, at, changes, courier, on_trip, order, order_id, update},
        trips::{combinable_order, trips},
    },
};

/// A platform with a clock that the test sets.
#[derive(Debug)]
struct Clock(AtomicI64);

impl Machine for Clock {}

impl Platform for Clock {
    fn exec_context(&self) -> ExecContext {
        let now = Timestamp::from_millis(self.0.load(Relaxed));
        ExecContext {
            now,
            entropy: Entropy::new([3; 32]),
        }
    }

    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
        Ok(bucket.admit(None, now).0)
    }

    async fn hash_password(&self, _password: &str, _salt: [u8; 16]) -> Result<String, HostError> {
        Err(HostError::Unavailable {
            what: "passwords",
            detail: "unsupported in this test".to_owned(),
        })
    }

    async fn verify_password(&self, _password: &str, _hash: &str) -> Result<bool, HostError> {
        Err(HostError::Unavailable {
            what: "passwords",
            detail: "unsupported in this test".to_owned(),
        })
    }
}

type ClockedHost<D> = SqlHost<D, Clock>;

fn open(path: &Path, minutes: i64) -> ClockedHost<Sqlite> {
    host_with_clock(Sqlite::open(path, &Options::default()).unwrap(), minutes)
}

fn host_with_clock<D: Driver>(database: D, minutes: i64) -> ClockedHost<D> {
    SqlHost::new(
        database,
        Clock(AtomicI64::new(at(minutes).millis())),
        Timing::default(),
    )
}

fn set_clock<D: Driver>(host: &ClockedHost<D>, millis: i64) {
    host.platform().0.store(NOON + millis, Relaxed);
}

async fn dispatch_once<D: Driver>(host: &ClockedHost<D>) -> DispatchPass {
    run_pass(host, &Settings::default(), &mut host.exec_context())
        .await
        .unwrap()
}

/// Returns an order with 40 minutes of preparation and no courier.
fn preparing(number: u64, minutes: i64) -> Order {
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
async fn search_starts_on_time_despite_crash_and_clock_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("despacho.db");
    let host = open(&path, 0);
    put(&host, vec![preparing(50, 40)], vec![], 0).await;
    set_clock(&host, 20 * 60_000);
    assert_eq!(dispatch_once(&host).await, DispatchPass::default());
    // As after a crash, the file and its log remain without a close.
    std::mem::forget(host);
    let host = open(&path, 20);
    assert_eq!(host.align_deadlines().await, Ok(1));
    set_clock(&host, 40 * 60_000 - 1);
    assert_eq!(
        dispatch_once(&host).await,
        DispatchPass::default(),
        "not a millisecond early"
    );
    set_clock(&host, 40 * 60_000);
    assert_eq!(
        dispatch_once(&host).await,
        DispatchPass {
            moved: 1,
            ..DispatchPass::default()
        }
    );
    let order = host.order(order_id(50)).await.unwrap().unwrap();
    assert_eq!(
        (order.status, order.status_since),
        (OrderStatus::Searching, at(40))
    );
    // A clock that steps back and forward causes no second transition.
    for minutes in [10, 40, 41] {
        set_clock(&host, minutes * 60_000);
        assert_eq!(dispatch_once(&host).await, DispatchPass::default());
    }
    assert_eq!(
        host.events(order_id(50)).await.unwrap().len(),
        2,
        "the events ready and searching"
    );
}

#[tokio::test]
async fn hour_long_pause_keeps_the_full_search_time() {
    let folder = tempfile::tempdir().unwrap();
    let host = open(&folder.path().join("despacho.db"), 0);
    put(&host, vec![preparing(50, 40), preparing(51, 90)], vec![], 0).await;
    set_clock(&host, 100 * 60_000);
    let done = dispatch_once(&host).await;
    assert_eq!(
        (done.moved, done.expired),
        (2, 0),
        "the search starts after the pause and has its full duration"
    );
    set_clock(&host, 120 * 60_000);
    assert_eq!(dispatch_once(&host).await.expired, 2);
}

#[tokio::test]
async fn wrong_codes_on_two_instances_lock_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("despacho.db");
    check_code_lock(open(&path, 1), open(&path, 1)).await;
}

#[tokio::test]
async fn wrong_codes_on_two_postgresql_instances_lock_the_order() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let address = Address::parse(&backend.address).unwrap();
    let options = despacho_postgres::Options::default();
    let (one, two) = (
        Postgres::open(&address, &options).await,
        Postgres::open(&address, &options).await,
    );
    check_code_lock(
        host_with_clock(one.unwrap(), 1),
        host_with_clock(two.unwrap(), 1),
    )
    .await;
}

/// Sends five wrong codes to two instances in turn. Neither accepts the correct code afterwards.
async fn check_code_lock<D: Driver>(one: ClockedHost<D>, two: ClockedHost<D>) {
    let waiting = Order {
        status: OrderStatus::CourierAtPickup,
        tries: CodeTries::default(),
        ..order(50, 1, "W")
    };
    put(&one, vec![waiting], vec![on_trip(courier(9), &[50])], 1).await;
    let settings = Settings::default();
    let send = async |host: &ClockedHost<D>, code: &str| {
        let request = http::Request::post("/courier/orders/50/pickup")
            .header("x-api-token", "courier 9")
            .header("content-type", "application/json")
            .body(format!("{{\"code\": \"{code}\"}}").into());
        let response = api::handle(host, &settings, request.unwrap()).await;
        let body: serde_json::Value = serde_json::from_slice(response.body()).unwrap();
        (
            response.status().as_u16(),
            body["code"].as_str().unwrap_or_default().to_owned(),
        )
    };
    for host in [&one, &two, &one, &two, &one] {
        assert_eq!(send(host, "0000").await, (422, "code_incorrect".to_owned()));
    }
    for host in [&two, &one] {
        assert_eq!(send(host, "7788").await, (429, "code_locked".to_owned()));
    }
    set_clock(&two, 11 * 60_000);
    assert_eq!(send(&two, "7788").await.0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_sqlite_instances_assign_each_courier_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("despacho.db");
    check_concurrent_assignment(open(&path, 0), open(&path, 0)).await;
}

#[tokio::test]
async fn two_postgresql_instances_assign_each_courier_once() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let address = Address::parse(&backend.address).unwrap();
    let options = despacho_postgres::Options::default();
    let (one, two) = (
        Postgres::open(&address, &options).await,
        Postgres::open(&address, &options).await,
    );
    check_concurrent_assignment(
        host_with_clock(one.unwrap(), 0),
        host_with_clock(two.unwrap(), 0),
    )
    .await;
}

/// Assigns 1,000 orders that become due together to 300 free couriers, and more orders when some
/// couriers become free again.
async fn check_concurrent_assignment<D: Driver>(one: ClockedHost<D>, two: ClockedHost<D>) {
    let orders = (1_000..2_000).map(|number| preparing(number, 40)).collect();
    put(&one, orders, (2_000..2_300).map(free_courier).collect(), 39).await;
    set_clock(&one, 40 * 60_000);
    set_clock(&two, 40 * 60_000);
    let (first, second) = run_passes(&one, &two).await;
    assert_eq!(first.moved + second.moved, 1_000);
    assert_eq!(first.allocated + second.allocated, 300);
    let given = pairs(&one, 1_000..2_000).await;
    assert_eq!(given.len(), 300);
    assert_eq!(
        given
            .iter()
            .map(|(_, courier)| *courier)
            .collect::<BTreeSet<_>>()
            .len(),
        300
    );
    assert_eq!(
        one.searching_orders(None, 5_000).await.unwrap().len(),
        700,
        "the other orders are still searching"
    );
    // Couriers that become free get further orders.
    let mut freed = Changes {
        at: at(41),
        ..changes()
    };
    for (order, courier) in given.iter().take(120) {
        let (order, courier) = (
            one.order(*order).await.unwrap().unwrap(),
            one.courier(*courier).await.unwrap().unwrap(),
        );
        freed.orders.push(update(
            order.version,
            Order {
                status: OrderStatus::Completed,
                ..order
            },
        ));
        freed.couriers.push(update(
            courier.version,
            Courier {
                trip: Vec::new(),
                ..courier
            },
        ));
    }
    one.commit(&freed).await.unwrap();
    let (first, second) = run_passes(&one, &two).await;
    assert_eq!(first.allocated + second.allocated, 120);
    assert_eq!(one.searching_orders(None, 5_000).await.unwrap().len(), 580);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_sqlite_instances_form_each_trip_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("despacho.db");
    check_concurrent_trips(open(&path, 0), open(&path, 0)).await;
}

#[tokio::test]
async fn two_postgresql_instances_form_each_trip_once() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let address = Address::parse(&backend.address).unwrap();
    let options = despacho_postgres::Options::default();
    let (one, two) = (
        Postgres::open(&address, &options).await,
        Postgres::open(&address, &options).await,
    );
    check_concurrent_trips(
        host_with_clock(one.unwrap(), 0),
        host_with_clock(two.unwrap(), 0),
    )
    .await;
}

/// Lets two instances form trips of the orders of four stores with different limits, and again when
/// some couriers become free.
async fn check_concurrent_trips<D: Driver>(one: ClockedHost<D>, two: ClockedHost<D>) {
    let (orders, couriers) = (1_000..1_240, 2_000..2_040);
    let order_of = |number: u64| {
        let limit = u32::try_from(number % 5).unwrap() + 1;
        let order = combinable_order(number, number % 4 * 2 + 1, limit);
        Order {
            dispatch: OrderDispatch {
                combinable: !number.is_multiple_of(7),
                ..order.dispatch.clone()
            },
            ..order
        }
    };
    put(
        &one,
        orders.clone().map(order_of).collect(),
        couriers.clone().map(free_courier).collect(),
        1,
    )
    .await;
    set_clock(&one, 60_000);
    set_clock(&two, 60_000);
    let mut sizes = BTreeSet::new();
    for _ in 0..3 {
        let (first, second) = run_passes(&one, &two).await;
        assert!(first.allocated + second.allocated > 0);
        let found = trips(&one, couriers.clone(), orders.clone()).await;
        sizes.extend(found.iter().map(Vec::len));
        // Fifteen couriers complete their trips.
        let mut freed = Changes {
            at: at(1),
            ..changes()
        };
        for trip in found.iter().take(15) {
            let mut courier = None;
            for id in trip {
                let order = one.order(*id).await.unwrap().unwrap();
                courier = order.courier.as_ref().map(|assigned| assigned.id);
                freed.orders.push(update(
                    order.version,
                    Order {
                        status: OrderStatus::Completed,
                        ..order
                    },
                ));
            }
            let courier = one.courier(courier.unwrap()).await.unwrap().unwrap();
            freed.couriers.push(update(
                courier.version,
                Courier {
                    trip: Vec::new(),
                    ..courier
                },
            ));
        }
        one.commit(&freed).await.unwrap();
    }
    assert!(
        sizes.contains(&1) && sizes.iter().any(|size| *size > 2),
        "{sizes:?}"
    );
}

/// Runs passes on both instances concurrently until neither makes a change. An instance reads its
/// clock before it waits for the database, so other instances may take slots at a later time.
async fn check_slots<D: Driver>(driver: &D) {
    let slots = Slots {
        name: "test",
        count: 2,
        ttl: Duration::seconds(5),
    };
    let take = async |millis| {
        slots
            .take(driver, Timestamp::from_millis(NOON + millis))
            .await
            .unwrap()
    };
    let first = take(1_000).await.unwrap();
    assert!(
        take(999).await.is_some_and(|slot| slot != first),
        "the second slot"
    );
    assert_eq!(take(0).await, None, "both slots are held");
    assert_eq!(
        slots
            .renew(driver, first.clone(), at(0))
            .await
            .map(|slot| slot.is_some()),
        Ok(true)
    );
    assert!(take(5_000).await.is_some(), "the renewed slot expired");
    assert!(take(-20_000).await.is_some(), "the clock was set back");
}

#[tokio::test]
async fn sqlite_slots_are_held_against_instances_with_an_earlier_time() {
    let folder = tempfile::tempdir().unwrap();
    check_slots(open(&folder.path().join("despacho.db"), 0).driver()).await;
}

#[tokio::test]
async fn postgresql_slots_are_held_against_instances_with_an_earlier_time() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    check_slots(backend.host().driver()).await;
}

async fn run_passes<D: Driver>(
    one: &ClockedHost<D>,
    two: &ClockedHost<D>,
) -> (DispatchPass, DispatchPass) {
    let all = async |host: &ClockedHost<D>| {
        let mut sum = DispatchPass::default();
        for _ in 0..10 {
            let done = dispatch_once(host).await;
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
