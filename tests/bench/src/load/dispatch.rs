//! Benchmark of a dispatch pass over orders out of reach and the number of couriers stated in
//! CAPACITY.md, on SQLite and PostgreSQL.

use std::time::Instant;

use despacho_bench::{BoxError, median};
use despacho_core::{
    changes::{Changes, Write},
    drivers::dispatch::run_pass,
    host::{Host, Platform},
    memory::MemoryHost,
    model::{
        CourierId, Duration, OrderId, Phone, Point, Timestamp,
        courier::{Courier, Position},
        order::{Order, OrderStatus},
    },
    rules::{lifecycle::Timing, settings::Settings},
};
use despacho_postgres::{Address, Postgres};
use despacho_simulator::demo;
use despacho_sql::{Driver, Machine, Query, SqlHost, Value};
use despacho_sqlite::{LocalPlatform, Sqlite};

/// The number of orders with their own courier 170 m away.
const SERVABLE: i32 = 200;
const UNSERVABLE: i32 = 5_000;
const COURIERS: i32 = 20_000;
const PASSES: usize = 7;
const SAO_PAULO: Point = Point {
    lat_e7: -235_505_000,
    lon_e7: -466_333_000,
};

/// Prints the duration of a pass and the number of orders allocated.
pub(crate) async fn run() -> Result<(), BoxError> {
    println!(
        "dispatch: {UNSERVABLE} orders out of reach, {COURIERS} free couriers in and around São Paulo, {SERVABLE} orders in reach\n  \
         a pass without servable orders: median of {PASSES}, in turns with the earlier reads (the 2,000 oldest orders and 3,000 couriers \
         by ID, with their bodies)"
    );
    let folder = tempfile::tempdir()?;
    let database = Sqlite::open(
        &folder.path().join("despacho.db"),
        &despacho_sqlite::Options::default(),
    )?;
    measure(
        "SQLite",
        &SqlHost::new(database, LocalPlatform::new()?, Timing::default()),
    )
    .await?;
    if let Some(missing) = despacho_process::cluster::missing() {
        println!("  PostgreSQL: {missing}");
        return Ok(());
    }
    let address = Address::parse(&despacho_process::cluster::shared()?.fresh()?)?;
    let database = Postgres::open(&address, &despacho_postgres::Options::default()).await?;
    measure(
        "PostgreSQL",
        &SqlHost::new(database, LocalPlatform::new()?, Timing::default()),
    )
    .await
}

async fn measure<D: Driver, P: Machine>(name: &str, host: &SqlHost<D, P>) -> Result<(), BoxError> {
    let now = host.exec_context().now;
    let template = template().await?;
    let unservable =
        (0..UNSERVABLE).map(|number| order(&template, number, now, out_of_reach(number)));
    commit(
        host,
        unservable.collect(),
        (0..COURIERS)
            .map(|number| courier(number, now))
            .collect::<Result<_, _>>()?,
    )
    .await?;
    let settings = Settings::default();
    let (mut passes, mut earlier) = (Vec::new(), Vec::new());
    for _ in 0..PASSES {
        let start = Instant::now();
        run_pass(host, &settings, &mut host.exec_context()).await?;
        passes.push(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        earlier_reads(host, now).await?;
        earlier.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let servable = (UNSERVABLE..UNSERVABLE + SERVABLE)
        .map(|number| order(&template, number, now, in_reach(number)));
    commit(host, servable.collect(), Vec::new()).await?;
    let start = Instant::now();
    let done = run_pass(host, &settings, &mut host.exec_context()).await?;
    let took = start.elapsed().as_secs_f64() * 1e3;
    println!(
        "  {name}: {:.0} ms (earlier reads {:.0} ms); the next pass served {} of {SERVABLE} in {took:.0} ms, each with its own commit",
        median(&passes),
        median(&earlier),
        done.allocated,
    );
    Ok(())
}

/// Performs the reads of an earlier version, which did not select by area. None of the servable
/// orders was among the rows.
async fn earlier_reads<D: Driver, P: Machine>(
    host: &SqlHost<D, P>,
    now: Timestamp,
) -> Result<(), BoxError> {
    let sql = "SELECT body FROM orders WHERE situation = 200 ORDER BY due_at, id LIMIT $1";
    for mut row in host
        .driver()
        .read(Query {
            sql: sql.into(),
            params: vec![Value::Integer(2_000)],
        })
        .await?
    {
        std::hint::black_box(row.json::<Order>()?);
    }
    let sql = "SELECT couriers.body FROM couriers JOIN positions ON positions.courier = couriers.id \
               WHERE couriers.free = 1 AND positions.at >= $1 ORDER BY couriers.id LIMIT $2";
    let since = Value::Integer(now.before(Duration::minutes(5)).millis());
    for mut row in host
        .driver()
        .read(Query {
            sql: sql.into(),
            params: vec![since, Value::Integer(3_000)],
        })
        .await?
    {
        std::hint::black_box(row.json::<Courier>()?);
    }
    Ok(())
}

async fn template() -> Result<Order, BoxError> {
    let host = MemoryHost::seeded(1);
    demo::seed(&host, &Settings::default()).await?;
    host.orders()
        .into_iter()
        .next()
        .ok_or_else(|| "the demo data has no order".into())
}

async fn commit(
    host: &impl Host,
    orders: Vec<Order>,
    couriers: Vec<(Courier, Position)>,
) -> Result<(), BoxError> {
    let at = host.exec_context().now;
    for orders in orders.chunks(1_000) {
        let orders = orders.iter().cloned().map(Write::insert).collect();
        host.commit(&Changes {
            at,
            orders,
            ..Changes::default()
        })
        .await?;
    }
    for couriers in couriers.chunks(1_000) {
        let (couriers, positions) = couriers
            .iter()
            .cloned()
            .map(|(courier, at)| (Write::insert(courier), at))
            .unzip();
        host.commit(&Changes {
            at,
            couriers,
            positions,
            ..Changes::default()
        })
        .await?;
    }
    Ok(())
}

fn order(template: &Order, number: i32, now: Timestamp, pickup: Point) -> Order {
    let mut order = Order {
        id: OrderId::new(100_000 + u64::from(number.unsigned_abs())).unwrap_or(template.id),
        code: format!("L-{number}"),
        status: OrderStatus::Searching,
        status_since: now,
        ready_at: now,
        sandbox: false,
        ..template.clone()
    };
    order.pickup.located.point = pickup;
    order
}

fn moved(from: Point, north_e7: i32, east_e7: i32) -> Point {
    Point {
        lat_e7: from.lat_e7 + north_e7,
        lon_e7: from.lon_e7 + east_e7,
    }
}

/// Returns the pickup location of an order out of reach: half are in one city without couriers, the
/// others are spread over Brazil.
fn out_of_reach(number: i32) -> Point {
    match number % 2 {
        0 => moved(
            Point {
                lat_e7: -31_190_000,
                lon_e7: -600_217_000,
            },
            number % 700 * 1_000,
            number % 900 * 1_000,
        ),
        _ => moved(
            Point {
                lat_e7: -100_000_000,
                lon_e7: -580_000_000,
            },
            number % 50 * 1_000_000,
            number / 50 * 900_000,
        ),
    }
}

/// Returns the pickup location of a servable order, on a grid of 1.1 km.
fn in_reach(number: i32) -> Point {
    moved(
        SAO_PAULO,
        number % 20 * 100_000 - 1_000_000,
        number / 20 % 10 * 100_000 - 500_000,
    )
}

/// Returns a courier near a servable order, or one of a crowd north of them.
fn courier(number: i32, now: Timestamp) -> Result<(Courier, Position), BoxError> {
    let point = match COURIERS - 1 - number {
        index if index < SERVABLE => moved(in_reach(index), 15_000, 0),
        crowd => moved(
            SAO_PAULO,
            1_100_000 + crowd % 140 * 10_000,
            crowd / 140 * 14_000 - 1_000_000,
        ),
    };
    let id = CourierId::new(1_000_000 + u64::from(number.unsigned_abs()))
        .ok_or("0 is not a valid ID")?;
    let courier = Courier {
        id,
        version: 1,
        profile_id: 1,
        name: "Ana Souza da Conceição".to_owned(),
        phone: Phone::parse("+5511990000001").map_err(|_| "the phone number is invalid")?,
        email: None,
        document: Some("000.000.001-91".to_owned()),
        position: None,
        position_at: None,
        available: true,
        trip: Vec::new(),
        shift: None,
        device: None,
        push: Vec::new(),
        sign_in: None,
        sessions: Vec::new(),
        key: None,
        sandbox: false,
        vehicle: despacho_core::model::Vehicle::default(),
        max_weight_g: None,
        max_volume_ml: None,
        equipment: despacho_core::model::Equipment::ALL,
        cash_limit: None,
        handovers: Vec::new(),
        pay: Vec::new(),
        suspended_at: None,
        removed_at: None,
    };
    Ok((
        courier,
        Position {
            courier: id,
            point,
            at: now,
        },
    ))
}
