//! Orders that nobody can serve, and what they cost the others.

use std::time::Instant;

use despacho_core::{
    changes::{Changes, Write},
    drivers::dispatch::round,
    host::{Host, OrderQuery, Storage},
    model::{
        CourierId, Point,
        courier::{Courier, Position},
        order::{Order, OrderStatus},
    },
    rules::{lifecycle::Timing, settings::Settings},
};

use super::dispatch::{at_minute, free, pairs, searching};
use super::{
    Backend,
    fixtures::{at, changes, courier, order, order_id, position, store},
};

/// Coordinates of cities with couriers, in 10⁻⁷ degrees: some of them are neighbours, so that their areas overlap.
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
/// Orders in each city that have a courier of their own nearby.
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
    Point { lat_e7: from.0 + north_e7, lon_e7: from.1 + east_e7 }
}

/// The pickup of a servable order: on a grid of 2.2 km around its city's centre.
fn pickup(number: usize) -> Point {
    let (city, place) = (CITIES[number / SERVABLE_PER_CITY], i32::try_from(number % SERVABLE_PER_CITY).unwrap());
    moved(city, (place / 5 - 2) * 200_000, (place % 5 - 2) * 200_000)
}

fn waiting(number: u64, since: i64, pickup: Point) -> Order {
    let mut order = searching(number, since);
    order.pickup.located.point = pickup;
    order
}

/// Half of them in one city without couriers, the others spread over the country, 11 km from the nearest courier at least.
fn unservable(number: usize) -> Order {
    let at = i32::try_from(number).unwrap();
    let pickup = match number % 2 {
        0 => moved((-31_190_000, -600_217_000), at % 700 * 1_000, at % 900 * 1_000),
        _ => moved((-100_000_000, -580_000_000), at % 50 * 1_000_000 - 25_000_000, at / 50 % 100 * 900_000),
    };
    waiting(FIRST_UNSERVABLE + number as u64, 0, pickup)
}

/// Couriers that are near nobody's pickup: on the edge of each city's grid of orders.
fn idle(number: usize) -> (Courier, Position) {
    let (city, at) = (CITIES[number % CITIES.len()], i32::try_from(number / CITIES.len()).unwrap());
    let point = moved(city, 500_000 + at % 40 * 8_000, at / 40 * 16_000 - 400_000);
    located(FIRST_IDLE + number as u64, point)
}

fn located(number: u64, point: Point) -> (Courier, Position) {
    let courier = free(number);
    (courier, Position { point, ..position(number, 4) })
}

async fn put_all(host: &impl Host, orders: Vec<Order>, couriers: Vec<(Courier, Position)>) {
    host.commit(&Changes { stores: vec![Write::insert(store(1))], ..changes() }).await.unwrap();
    let orders: Vec<_> = orders.into_iter().map(Write::insert).collect();
    for orders in orders.chunks(BATCH) {
        host.commit(&Changes { orders: orders.to_vec(), ..changes() }).await.unwrap();
    }
    for couriers in couriers.chunks(BATCH) {
        let (couriers, positions) = couriers.iter().cloned().map(|(one, at)| (Write::insert(one), at)).unzip();
        host.commit(&Changes { couriers, positions, ..changes() }).await.unwrap();
    }
}

pub(crate) async fn unservable_orders_leave_others_their_nearest_courier(backend: impl Backend) {
    let host = backend.host();
    let mut orders: Vec<Order> = (0..UNSERVABLE).map(unservable).collect();
    orders.extend((0..SERVABLE).map(|number| waiting(FIRST_SERVABLE + number as u64, 3, pickup(number))));
    let mut couriers: Vec<_> = (0..COURIERS - SERVABLE).map(idle).collect();
    // The nearest couriers have the highest IDs.
    couriers.extend((0..SERVABLE).map(|number| {
        let pickup = pickup(number);
        located(FIRST_NEAREST + number as u64, moved((pickup.lat_e7, pickup.lon_e7), 15_000, 0))
    }));
    put_all(host, orders, couriers).await;
    for pass in 1..=2 {
        let start = Instant::now();
        let done = round(host, &Settings::default(), &mut at_minute(5)).await.unwrap();
        eprintln!("pass {pass}: {done:?} in {:?}", start.elapsed());
    }
    let given = pairs(host, FIRST_SERVABLE..FIRST_SERVABLE + SERVABLE as u64).await;
    let wanted = (0..SERVABLE as u64)
        .map(|number| (order_id(FIRST_SERVABLE + number), CourierId::new(FIRST_NEAREST + number).unwrap()));
    assert_eq!(given, wanted.collect());
}

pub(crate) async fn stuck_due_orders_delay_no_others(backend: impl Backend) {
    let host = backend.host();
    // Stored deadlines that are earlier than those of the settings: what was found due does not move on.
    let settings = Settings { timing: Timing { search_minutes: 60 }, ..Settings::default() };
    let mut orders: Vec<Order> = (1..=2_500).map(|number| searching(number, 0)).collect();
    let ready = |number| Order { ready_at: at(25), ..order(number, 1, &format!("P-{number}")) };
    orders.extend((3_000..3_003).map(ready));
    put_all(host, orders, Vec::new()).await;
    assert_eq!(
        host.find_orders(OrderQuery::Due { now: at(30), skipped: 0, limit: 1_000 })
            .await
            .unwrap()
            .last()
            .map(|order| order.status),
        Some(OrderStatus::Searching)
    );
    let done = round(host, &settings, &mut at_minute(30)).await.unwrap();
    assert_eq!((done.moved, done.more), (3, false));
    for number in 3_000..3_003 {
        assert_eq!(host.order(order_id(number)).await.unwrap().unwrap().status, OrderStatus::Searching);
    }
}

pub(crate) async fn couriers_that_keep_their_order_delay_no_others(backend: impl Backend) {
    let host = backend.host();
    // 1,200 couriers without a position, which have just arrived, and one with a higher ID that did so long ago.
    let (mut orders, mut couriers) = (Vec::new(), Vec::new());
    for number in 1..=1_201 {
        let courier = Courier { order: Some(order_id(number)), ..courier(number) };
        let since = if number == 1_201 { 0 } else { 29 };
        let arrived = Order { status: OrderStatus::CourierAtPickup, status_since: at(since), ..searching(number, 0) };
        orders.push(Order { courier: Some(courier.assigned()), ..arrived });
        couriers.push(Write::insert(courier));
    }
    put_all(host, orders, Vec::new()).await;
    host.commit(&Changes { couriers, ..changes() }).await.unwrap();
    let done = round(host, &Settings::default(), &mut at_minute(30)).await.unwrap();
    assert_eq!((done.released, done.more), (1, false));
    assert_eq!(host.order(order_id(1_201)).await.unwrap().unwrap().courier, None);
}
