//! Orders and couriers that cannot change do not delay the others.

use std::time::Instant;

use despacho_core::{
    changes::{Changes, Write},
    drivers::dispatch::run_pass,
    host::{Host, OrderQuery, Storage},
    model::{
        CourierId, Point,
        courier::{Courier, Position},
        order::{Order, OrderStatus},
    },
    rules::{lifecycle::Timing, settings::Settings},
};

use super::dispatch::{at_minute, free_courier, pairs, searching_order};
use super::{
    Backend,
    fixtures::{at, changes, courier, on_trip, order, order_id, position, store},
};

/// Coordinates of cities with couriers, in 10⁻⁷ degrees. Some cities are neighbours with
/// overlapping areas.
const CITIES: [(i32, i32); 10] = [
    (-235_505_000, -466_333_000),
    (-235_505_000, -464_833_000),
    (-229_068_000, -431_729_000),
    (-199_167_000, -439_345_000),
    (-157_939_000, -478_828_000),
    (-129_777_000, -385_016_000),
    (-80_476_000, -348_770_000),
    (-37_319_000, -385_267_000),
    (-300_346_000, -512_177_000),
    (-254_284_000, -492_733_000),
];
/// The number of orders in each city that have a courier nearby.
const SERVABLE_PER_CITY: usize = 20;
const SERVABLE: usize = CITIES.len() * SERVABLE_PER_CITY;
const UNSERVABLE: usize = 5_000;
const COURIERS: usize = 20_000;
const BATCH: usize = 2_000;

const FIRST_UNSERVABLE: u64 = 100_000;
const FIRST_SERVABLE: u64 = 200_000;
const FIRST_IDLE: u64 = 300_000;
const FIRST_NEAREST: u64 = 400_000;

fn moved(from: (i32, i32), north_e7: i32, east_e7: i32) -> Point {
    Point {
        lat_e7: from.0 + north_e7,
        lon_e7: from.1 + east_e7,
    }
}

/// Returns the pickup of a servable order, on a grid with a spacing of 2.2 km around the centre of
/// its city.
fn pickup(number: usize) -> Point {
    let (city, place) = (
        CITIES[number / SERVABLE_PER_CITY],
        i32::try_from(number % SERVABLE_PER_CITY).unwrap(),
    );
    moved(city, (place / 5 - 2) * 200_000, (place % 5 - 2) * 200_000)
}

fn waiting(number: u64, since: i64, pickup: Point) -> Order {
    let mut order = searching_order(number, since);
    order.pickup.located.point = pickup;
    order
}

/// Returns an unservable order. Half of them are in a city without couriers; the others are spread
/// over the country, at least 11 km from the nearest courier.
fn unservable(number: usize) -> Order {
    let at = i32::try_from(number).unwrap();
    let pickup = match number % 2 {
        0 => moved(
            (-31_190_000, -600_217_000),
            at % 700 * 1_000,
            at % 900 * 1_000,
        ),
        _ => moved(
            (-100_000_000, -580_000_000),
            at % 50 * 1_000_000 - 25_000_000,
            at / 50 % 100 * 900_000,
        ),
    };
    waiting(FIRST_UNSERVABLE + number as u64, 0, pickup)
}

/// Returns a courier that is near no pickup, at the edge of a city's grid of orders.
fn idle(number: usize) -> (Courier, Position) {
    let (city, at) = (
        CITIES[number % CITIES.len()],
        i32::try_from(number / CITIES.len()).unwrap(),
    );
    let point = moved(city, 500_000 + at % 40 * 8_000, at / 40 * 16_000 - 400_000);
    located(FIRST_IDLE + number as u64, point)
}

fn located(number: u64, point: Point) -> (Courier, Position) {
    let courier = free_courier(number);
    (
        courier,
        Position {
            point,
            ..position(number, 4)
        },
    )
}

async fn put_all(host: &impl Host, orders: Vec<Order>, couriers: Vec<(Courier, Position)>) {
    host.commit(&Changes {
        stores: vec![Write::insert(store(1))],
        ..changes()
    })
    .await
    .unwrap();
    let orders: Vec<_> = orders.into_iter().map(Write::insert).collect();
    for orders in orders.chunks(BATCH) {
        host.commit(&Changes {
            orders: orders.to_vec(),
            ..changes()
        })
        .await
        .unwrap();
    }
    for couriers in couriers.chunks(BATCH) {
        let (couriers, positions) = couriers
            .iter()
            .cloned()
            .map(|(one, at)| (Write::insert(one), at))
            .unzip();
        host.commit(&Changes {
            couriers,
            positions,
            ..changes()
        })
        .await
        .unwrap();
    }
}

pub(crate) async fn unservable_orders_leave_others_their_nearest_courier(backend: impl Backend) {
    let host = backend.host();
    let mut orders: Vec<Order> = (0..UNSERVABLE).map(unservable).collect();
    orders.extend(
        (0..SERVABLE).map(|number| waiting(FIRST_SERVABLE + number as u64, 3, pickup(number))),
    );
    let mut couriers: Vec<_> = (0..COURIERS - SERVABLE).map(idle).collect();
    // The nearest couriers have the highest IDs.
    couriers.extend((0..SERVABLE).map(|number| {
        let pickup = pickup(number);
        located(
            FIRST_NEAREST + number as u64,
            moved((pickup.lat_e7, pickup.lon_e7), 15_000, 0),
        )
    }));
    put_all(host, orders, couriers).await;
    for pass in 1..=2 {
        let start = Instant::now();
        let done = run_pass(host, &Settings::default(), &mut at_minute(5))
            .await
            .unwrap();
        eprintln!("pass {pass}: {done:?} in {:?}", start.elapsed());
    }
    let given = pairs(host, FIRST_SERVABLE..FIRST_SERVABLE + SERVABLE as u64).await;
    let wanted = (0..SERVABLE as u64).map(|number| {
        (
            order_id(FIRST_SERVABLE + number),
            CourierId::new(FIRST_NEAREST + number).unwrap(),
        )
    });
    assert_eq!(given, wanted.collect());
}

pub(crate) async fn stuck_due_orders_delay_no_others(backend: impl Backend) {
    let host = backend.host();
    // The stored deadlines are earlier than those of the settings, so the orders are found but not
    // changed.
    let settings = Settings {
        timing: Timing { search_minutes: 60 },
        ..Settings::default()
    };
    let mut orders: Vec<Order> = (1..=2_500)
        .map(|number| searching_order(number, 0))
        .collect();
    let ready = |number| Order {
        ready_at: at(25),
        ..order(number, 1, &format!("P-{number}"))
    };
    orders.extend((3_000..3_003).map(ready));
    put_all(host, orders, Vec::new()).await;
    assert_eq!(
        host.find_orders(OrderQuery::Due {
            now: at(30),
            skipped: 0,
            limit: 1_000
        })
        .await
        .unwrap()
        .last()
        .map(|order| order.status),
        Some(OrderStatus::Searching)
    );
    let done = run_pass(host, &settings, &mut at_minute(30)).await.unwrap();
    assert_eq!((done.moved, done.more), (3, false));
    for number in 3_000..3_003 {
        assert_eq!(
            host.order(order_id(number)).await.unwrap().unwrap().status,
            OrderStatus::Searching
        );
    }
}

pub(crate) async fn couriers_that_keep_their_order_delay_no_others(backend: impl Backend) {
    let host = backend.host();
    // 1,200 couriers without a position have just arrived. One with a higher ID arrived long ago.
    let (mut orders, mut couriers) = (Vec::new(), Vec::new());
    for number in 1..=1_201 {
        let courier = on_trip(courier(number), &[number]);
        let since = if number == 1_201 { 0 } else { 29 };
        let arrived = Order {
            status: OrderStatus::CourierAtPickup,
            status_since: at(since),
            ..searching_order(number, 0)
        };
        orders.push(Order {
            courier: Some(courier.assigned()),
            ..arrived
        });
        couriers.push(Write::insert(courier));
    }
    put_all(host, orders, Vec::new()).await;
    host.commit(&Changes {
        couriers,
        ..changes()
    })
    .await
    .unwrap();
    let done = run_pass(host, &Settings::default(), &mut at_minute(30))
        .await
        .unwrap();
    assert_eq!((done.released, done.more), (1, false));
    assert_eq!(
        host.order(order_id(1_201)).await.unwrap().unwrap().courier,
        None
    );
}
