//! Trips and shifts: which couriers a pass considers, their stored trips, and orders that share a
//! trip.

use core::ops::RangeInclusive;

use despacho_core::{
    changes::{Changes, Write},
    drivers::dispatch::run_pass,
    host::{CourierQuery, Host, Storage},
    model::{
        Capacity, CourierId, OrderId, Point,
        courier::{Candidate, Cell, Courier, Shift, TripOrder},
        order::{Order, OrderDispatch, OrderStatus},
    },
    rules::settings::Settings,
};

use super::{
    Backend,
    dispatch::{at_minute, free_courier, put, searching_order},
    fixtures::{at, changes, courier, on_trip, order, order_id, position, update},
};

/// Returns a shift of an hour that begins at `minutes` after noon.
fn shift(minutes: i64) -> Shift {
    Shift {
        from: at(minutes),
        until: Some(at(minutes + 60)),
        orders: 2,
    }
}

/// Returns the range of all cells.
fn everywhere() -> RangeInclusive<Cell> {
    let corner = |sign: i32| {
        Cell::of(Point {
            lat_e7: sign * 900_000_000,
            lon_e7: sign * 1_800_000_000,
        })
    };
    corner(-1)..=corner(1)
}

/// Returns the candidates everywhere with their IDs and whether they are free, by ID.
pub(crate) async fn candidates(host: &impl Host) -> Vec<(u64, bool)> {
    let found = host
        .candidates(everywhere(), None, at(0), 100)
        .await
        .unwrap();
    let mut found: Vec<(u64, bool)> = found
        .iter()
        .map(|one| (one.id.get(), one.is_free))
        .collect();
    found.sort_unstable();
    found
}

pub(crate) async fn candidates_are_all_available_couriers(backend: impl Backend) {
    let host = backend.host();
    let couriers = vec![
        free_courier(20),
        on_trip(courier(21), &[50, 51]),
        Courier {
            shift: Some(shift(30)),
            ..courier(22)
        },
        Courier {
            available: false,
            ..courier(23)
        },
        Courier {
            available: false,
            ..on_trip(courier(24), &[52])
        },
        Courier {
            removed_at: Some(at(1)),
            ..courier(25)
        },
    ];
    put(host, Vec::new(), couriers, 1).await;
    assert_eq!(
        candidates(host).await,
        [(20, true), (21, false), (22, false)]
    );
    // A courier that ends a trip is free, and an unavailable one is not a candidate.
    let couriers = vec![
        update(1, courier(21)),
        update(
            1,
            Courier {
                available: false,
                ..courier(20)
            },
        ),
    ];
    host.commit(&Changes {
        couriers,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(candidates(host).await, [(21, true), (22, false)]);
    let first = host.candidates(everywhere(), None, at(0), 1).await.unwrap();
    let point = position(21, 1).point;
    let capacity = Capacity::default();
    assert_eq!(
        first,
        [Candidate {
            id: courier(21).id,
            point,
            sandbox: false,
            is_free: true,
            capacity,
            cash_room: None,
        }]
    );
}

pub(crate) async fn trips_and_shifts_are_read_as_written(backend: impl Backend) {
    let host = backend.host();
    let mut busy = Courier {
        shift: Some(shift(5)),
        ..on_trip(courier(20), &[50, 51, 52])
    };
    busy.trip[1].picked_up = true;
    let endless = Courier {
        shift: Some(Shift {
            until: None,
            ..shift(5)
        }),
        ..courier(21)
    };
    let couriers = [busy.clone(), endless.clone()].map(Write::insert).into();
    let terms = OrderDispatch {
        lead_minutes: 30,
        combinable: true,
        orders_per_trip: None,
    };
    let early = Order {
        dispatch: terms,
        eta: None,
        assignments: Vec::new(),
        ..order(50, 1, "P-1")
    };
    host.commit(&Changes {
        couriers,
        orders: vec![Write::insert(early.clone())],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(host.courier(busy.id).await, Ok(Some(busy.clone())));
    assert_eq!(host.courier(endless.id).await, Ok(Some(endless)));
    assert_eq!(host.order(early.id).await, Ok(Some(early)));
    // The order of the assignments is kept.
    let next = Courier {
        version: 2,
        trip: vec![busy.trip[2], busy.trip[0]],
        shift: None,
        ..busy
    };
    host.commit(&Changes {
        couriers: vec![update(1, next.clone())],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(host.courier(next.id).await, Ok(Some(next)));
}

pub(crate) async fn lead_time_starts_the_search_early(backend: impl Backend) {
    let host = backend.host();
    let dispatch = OrderDispatch {
        lead_minutes: 15,
        ..OrderDispatch::default()
    };
    let early = Order {
        ready_at: at(40),
        dispatch,
        courier: None,
        attempt: 0,
        ..order(50, 1, "P-1")
    };
    put(host, vec![early], Vec::new(), 0).await;
    let settings = Settings::default();
    let passed = async |minutes| {
        let done = run_pass(host, &settings, &mut at_minute(minutes))
            .await
            .unwrap();
        (
            done.moved,
            done.expired,
            host.order(order_id(50)).await.unwrap().unwrap().status,
        )
    };
    assert_eq!(passed(24).await, (0, 0, OrderStatus::Preparing));
    assert_eq!(passed(25).await, (1, 0, OrderStatus::Searching));
    assert_eq!(
        passed(59).await,
        (0, 0, OrderStatus::Searching),
        "the search ends 20 minutes after the ready time"
    );
    assert_eq!(passed(60).await.1, 1);
}

pub(crate) async fn waiting_order_of_a_trip_is_watched(backend: impl Backend) {
    let host = backend.host();
    let carried = |number, status| Order {
        status,
        status_since: at(0),
        courier: Some(courier(20).assigned()),
        ..order(number, 1, &format!("P-{number}"))
    };
    let mut carrier = on_trip(courier(20), &[50, 51]);
    carrier.trip[0].picked_up = true;
    let orders = vec![
        carried(50, OrderStatus::OutForDelivery),
        carried(51, OrderStatus::CourierAtPickup),
    ];
    put(host, orders, vec![carrier.clone()], 1).await;
    let silent = async |minutes| {
        let query = CourierQuery::Unresponsive {
            seen_before: at(minutes),
            skipped: 0,
            limit: 9,
        };
        host.find_couriers(query).await.unwrap().len()
    };
    assert_eq!(
        (silent(1).await, silent(2).await),
        (0, 1),
        "the second order is not picked up"
    );
    let done = run_pass(host, &Settings::default(), &mut at_minute(12))
        .await
        .unwrap();
    assert_eq!(done.released, 1);
    let left = host.courier(carrier.id).await.unwrap().unwrap();
    assert_eq!(
        left.trip,
        [TripOrder {
            id: order_id(50),
            picked_up: true
        }],
        "the order in transit stays in the trip"
    );
    let status = async |number| host.order(order_id(number)).await.unwrap().unwrap().status;
    assert_eq!(
        (status(50).await, status(51).await),
        (OrderStatus::OutForDelivery, OrderStatus::Searching)
    );
    assert_eq!(silent(60).await, 0);
}

/// Returns a searching order that can share trips of at most `limit` orders.
pub(crate) fn combinable_order(number: u64, store: u64, limit: u32) -> Order {
    let dispatch = OrderDispatch {
        lead_minutes: 0,
        combinable: true,
        orders_per_trip: Some(limit),
    };
    let own = order(number, store, &format!("P-{number}"));
    Order {
        dispatch,
        store: own.store,
        pickup: own.pickup,
        ..searching_order(number, 0)
    }
}

/// Returns the trips of these couriers. Checks that each order of a trip has this courier, that no
/// order is in two trips, that orders share a trip only within their limits and with orders of
/// their store, and that each order with a courier is in a trip.
pub(crate) async fn trips(
    host: &impl Host,
    couriers: impl Iterator<Item = u64>,
    orders: impl Iterator<Item = u64>,
) -> Vec<Vec<OrderId>> {
    let (mut trips, mut carried) = (Vec::new(), Vec::new());
    for courier in couriers.filter_map(CourierId::new) {
        let courier = host.courier(courier).await.unwrap().unwrap();
        let trip: Vec<OrderId> = courier.trip.iter().map(|one| one.id).collect();
        let (mut limit, mut stores) = (10, Vec::new());
        for id in &trip {
            let order = host.order(*id).await.unwrap().unwrap();
            assert_eq!(
                order.courier.as_ref().map(|assigned| assigned.id),
                Some(courier.id),
                "order {id}"
            );
            limit = limit.min(if order.dispatch.combinable {
                order.dispatch.orders_per_trip.unwrap()
            } else {
                1
            });
            stores.push(order.store);
        }
        assert!(
            trip.len() <= limit as usize,
            "courier {}: {} orders, limit {limit}",
            courier.id,
            trip.len()
        );
        assert!(
            stores.iter().all(|store| *store == stores[0]),
            "courier {}: {stores:?}",
            courier.id
        );
        carried.extend(trip.iter().copied());
        trips.push(trip);
    }
    carried.sort_unstable();
    assert!(
        carried.is_sorted_by(|a, b| a < b),
        "an order is in two trips: {carried:?}"
    );
    for id in orders.filter_map(OrderId::new) {
        let order = host.order(id).await.unwrap().unwrap();
        let is_open = order.courier.is_some() && !order.status.is_final();
        assert_eq!(
            is_open,
            carried.binary_search(&id).is_ok(),
            "order {id}: {:?}",
            order.status
        );
    }
    trips.retain(|trip| !trip.is_empty());
    trips
}

pub(crate) async fn orders_of_a_store_share_a_trip(backend: impl Backend) {
    let host = backend.host();
    let orders = (50..55)
        .map(|number| combinable_order(number, 1, 3))
        .chain([combinable_order(60, 3, 3)])
        .collect();
    put(host, orders, vec![free_courier(20), free_courier(21)], 0).await;
    let settings = Settings::default();
    let allocated = run_pass(host, &settings, &mut at_minute(1))
        .await
        .unwrap()
        .allocated;
    let found = trips(host, 20..22, (50..55).chain([60])).await;
    assert_eq!(
        found.iter().map(Vec::len).sum::<usize>(),
        allocated as usize,
        "each order is counted"
    );
    assert_eq!(
        (found.len(), found.iter().map(Vec::len).max()),
        (2, Some(3)),
        "{found:?}"
    );
    let kinds = host.events(found[0][0]).await.unwrap().len();
    assert_eq!(kinds, 1, "the event allocated");
    assert_eq!(candidates(host).await, [(20, false), (21, false)]);
    let full = found
        .iter()
        .find(|trip| trip.len() == 3)
        .map(|trip| trip[0]);
    let reasons = host
        .order(full.unwrap())
        .await
        .unwrap()
        .unwrap()
        .assignments;
    assert_eq!(
        reasons.last().map(|last| (last.at, last.orders)),
        Some((at(1), 3))
    );
}
