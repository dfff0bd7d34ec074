//! Hand-computed cases. Points lie on a line, and a courier rides one unit in one second.

use super::*;
use crate::model::Vehicle;

const NOW: i64 = 100_000;

fn at(units: i32) -> Point {
    Point {
        lat_e7: 0,
        lon_e7: units,
    }
}

fn travel(from: Point, to: Point) -> u32 {
    from.lon_e7.abs_diff(to.lon_e7) + from.lat_e7.abs_diff(to.lat_e7)
}

/// Both services take four minutes, and a pass follows each minute.
fn config() -> Config {
    Config {
        pickup_service_s: 240,
        dropoff_service_s: 240,
        step_s: 60,
        margin_s: 0,
        ..crate::rules::matching::Dispatch::default().engine()
    }
}

fn courier(units: i32) -> Candidate {
    Candidate {
        point: at(units),
        free_at: NOW,
        idle: true,
        until: None,
        guaranteed: 10,
        remoteness_s: 0,
        max_load: Vehicle::default().limit(),
        trip: None,
    }
}

fn trip_order(ready_in: i64, stop: i32) -> TripOrder {
    let load = Load::default();
    TripOrder {
        ready_at: NOW + ready_in,
        stops: vec![at(stop)],
        returns: false,
        combinable: true,
        max_orders: 3,
        load,
    }
}

/// An order of the store at 1,000 with all of three couriers near.
fn open(ready_in: i64, stop: i32) -> OpenOrder {
    OpenOrder {
        store: 1,
        pickup: at(1_000),
        order: trip_order(ready_in, stop),
        near: vec![(0, 0), (1, 0), (2, 0)],
    }
}

fn pass(couriers: &[Candidate], orders: &[OpenOrder]) -> Vec<Decision> {
    let problem = Problem {
        now: NOW,
        couriers,
        orders,
        config: &config(),
        travel,
    };
    decide(&problem, false)
        .into_iter()
        .map(|one| one.decision)
        .collect()
}

fn committed(decision: &Decision) -> Option<usize> {
    match decision {
        Decision::Commit { courier, .. } => Some(*courier),
        Decision::Open { .. } => None,
    }
}

fn reason(decision: &Decision) -> Reason {
    match decision {
        Decision::Open { reason, .. } => *reason,
        Decision::Commit { .. } => panic!("committed: {decision:?}"),
    }
}

#[test]
fn ready_order_gets_nearest_courier() {
    let decisions = pass(
        &[courier(0), courier(700), courier(3_000)],
        &[open(0, 2_000)],
    );
    let [
        Decision::Commit {
            courier,
            joins,
            parts,
        },
    ] = decisions.as_slice()
    else {
        panic!("{decisions:?}")
    };
    assert_eq!((*courier, *joins), (1, false));
    // Arrival after 300 s, pickup 120 s later, drop-off without detour.
    assert_eq!(
        (parts.lateness, parts.wait, parts.ride),
        (420 * 100, 420 * 20, 300 * 2)
    );
    // 120 s at the store, a ride of 1,000 s, 240 s at the door.
    assert_eq!(
        (parts.length, parts.guarantee, parts.start),
        (1_360 * 15, 0, 0)
    );
    assert_eq!(parts.total(), 42_000 + 8_400 + 600 + 20_400);
}

#[test]
fn early_order_stays_open_until_the_last_pass() {
    let couriers = [courier(700)];
    // The courier must leave 420 s before the order is ready.
    let decisions = pass(&couriers, &[open(480, 2_000)]);
    assert_eq!(reason(&decisions[0]), Reason::CanWait { until: NOW });
    let Decision::Open {
        best: Some(best), ..
    } = &decisions[0]
    else {
        panic!("{decisions:?}")
    };
    assert_eq!(
        (best.courier, best.starts_at, best.picks_up_at),
        (0, NOW, NOW + 480)
    );
    assert_eq!(committed(&pass(&couriers, &[open(479, 2_000)])[0]), Some(0));
    let config = Config {
        margin_s: 60,
        ..config()
    };
    let orders = [open(539, 2_000)];
    let problem = Problem {
        now: NOW,
        couriers: &couriers,
        orders: &orders,
        config: &config,
        travel,
    };
    assert_eq!(
        committed(&decide(&problem, false)[0].decision),
        Some(0),
        "couriers leave earlier by the margin"
    );
}

#[test]
fn orders_of_one_store_share_a_trip_if_couriers_are_scarce() {
    let orders = [open(0, 2_000), open(60, 2_100)];
    let decisions = pass(&[courier(900)], &orders);
    assert_eq!(
        decisions.iter().map(committed).collect::<Vec<_>>(),
        [Some(0), Some(0)]
    );
    let elsewhere = OpenOrder {
        store: 2,
        ..orders[1].clone()
    };
    let decisions = pass(&[courier(900)], &[orders[0].clone(), elsewhere]);
    assert_eq!(committed(&decisions[0]), Some(0));
    assert!(
        matches!(reason(&decisions[1]), Reason::CourierBusyUntil { .. }),
        "another store is another trip"
    );
    let mut separate = orders.clone();
    separate[1].order.combinable = false;
    let decisions = pass(&[courier(900)], &separate);
    assert_eq!(
        decisions.iter().filter_map(committed).count(),
        1,
        "{decisions:?}"
    );
}

#[test]
fn trip_limit_is_the_lowest_of_its_orders() {
    let mut orders: Vec<_> = (0..4).map(|order| open(0, 2_000 + order)).collect();
    let count = |orders: &[OpenOrder]| {
        pass(&[courier(900)], orders)
            .iter()
            .filter_map(committed)
            .count()
    };
    assert_eq!(count(&orders), 3);
    orders.iter_mut().for_each(|open| open.order.max_orders = 2);
    assert_eq!(count(&orders), 2);
    orders
        .iter_mut()
        .for_each(|open| open.order.max_orders = 10);
    assert_eq!(count(&orders), 4);
}

#[test]
fn ready_times_and_detours_limit_shared_trips() {
    let spread = [open(0, 2_000), open(1_201, 2_000)];
    let decisions = pass(&[courier(900)], &spread);
    assert_eq!(committed(&decisions[0]), Some(0));
    assert_eq!(committed(&decisions[1]), None);
    // The stops lie on opposite sides: the second drop-off would be 2,240 s later than a direct
    // one.
    let opposite = [open(0, 2_000), open(0, 0)];
    assert_eq!(
        pass(&[courier(900)], &opposite)
            .iter()
            .filter_map(committed)
            .count(),
        1
    );
}

#[test]
fn trip_is_within_the_load_of_its_vehicle() {
    let mut orders: Vec<_> = (0..3).map(|order| open(0, 2_000 + order)).collect();
    let count = |orders: &[OpenOrder]| {
        pass(&[courier(900)], orders)
            .iter()
            .filter_map(committed)
            .count()
    };
    orders
        .iter_mut()
        .for_each(|open| open.order.load.weight_g = 10_000);
    assert_eq!(count(&orders), 2);
    orders.iter_mut().for_each(|open| {
        open.order.load = Load {
            weight_g: 0,
            volume_ml: 40_001,
        }
    });
    assert_eq!(count(&orders), 1);
    orders
        .iter_mut()
        .for_each(|open| open.order.load.volume_ml = 80_001);
    assert_eq!(count(&orders), 0);
}

#[test]
fn shift_end_applies_to_the_pickup() {
    let mut ends = courier(900);
    // Arrival after 100 s, pickup 120 s later; the drop-off can be later.
    ends.until = Some(NOW + 220);
    assert_eq!(
        committed(&pass(&[ends.clone()], &[open(0, 5_000)])[0]),
        Some(0)
    );
    ends.until = Some(NOW + 219);
    assert_eq!(
        reason(&pass(&[ends], &[open(0, 5_000)])[0]),
        Reason::ShiftsEnd
    );
}

#[test]
fn committed_trip_grows_only_before_its_pickup() {
    let trip = OpenTrip {
        store: 1,
        pickup: at(1_000),
        arrives_at: NOW - 70,
        orders: vec![trip_order(30, 2_000)],
    };
    let mut busy = courier(500);
    (busy.idle, busy.trip) = (false, Some(trip));
    let decisions = pass(&[busy.clone()], &[open(0, 2_100)]);
    let [
        Decision::Commit {
            courier: 0,
            joins: true,
            parts,
        },
    ] = decisions.as_slice()
    else {
        panic!("{decisions:?}")
    };
    // The pickup remains 50 s from now, so each order waits as long as without the other.
    assert_eq!(parts.wait, 50 * 20);
    let elsewhere = OpenOrder {
        store: 2,
        pickup: at(1_100),
        ..open(0, 2_100)
    };
    let decisions = pass(&[busy.clone()], &[elsewhere]);
    assert!(
        matches!(reason(&decisions[0]), Reason::CourierBusyUntil { .. }),
        "no diversion: {decisions:?}"
    );
    busy.trip
        .iter_mut()
        .for_each(|trip| trip.arrives_at = NOW + 400);
    let decisions = pass(&[busy], &[open(0, 2_100)]);
    // The trip must grow at least a second before the pickup in 520 s.
    assert_eq!(reason(&decisions[0]), Reason::CanWait { until: NOW + 459 });
}

#[test]
fn released_courier_costs_more() {
    let mut order = open(0, 2_000);
    order.near = vec![(0, 600), (1, 0)];
    let couriers = [courier(1_000), courier(600)];
    assert_eq!(committed(&pass(&couriers, &[order.clone()])[0]), Some(1));
    order.near = vec![(0, 600)];
    let decisions = pass(&couriers, &[order]);
    let [
        Decision::Commit {
            courier: 0, parts, ..
        },
    ] = decisions.as_slice()
    else {
        panic!("{decisions:?}")
    };
    assert_eq!(parts.reoffer, 60_000);
}

#[test]
fn orders_without_a_courier_state_the_reason() {
    let unreachable = OpenOrder {
        near: Vec::new(),
        ..open(0, 2_000)
    };
    assert_eq!(
        reason(&pass(&[courier(0)], &[unreachable])[0]),
        Reason::NoCourierInReach
    );
    assert_eq!(
        reason(&pass(&[courier(20_000)], &[open(0, 2_000)])[0]),
        Reason::TooCostly
    );
    let mut orders = vec![open(0, 2_000); 3];
    orders
        .iter_mut()
        .for_each(|open| open.order.combinable = false);
    let decisions = pass(&[courier(900)], &orders);
    assert_eq!(
        decisions
            .iter()
            .filter(|one| matches!(one, Decision::Commit { .. }))
            .count(),
        1
    );
    let bid = |one: &&Decision| {
        matches!(
            one,
            Decision::Open {
                reason: Reason::OutbidByOthers,
                ..
            }
        )
    };
    assert_eq!(decisions.iter().filter(bid).count(), 1, "{decisions:?}");
}

#[test]
fn considered_couriers_are_sorted_by_cost() {
    let couriers: Vec<_> = [0, 700, 3_000, 900, 1_500, 1_000]
        .into_iter()
        .map(courier)
        .collect();
    let mut order = open(0, 2_000);
    order.near = (0..6).map(|courier| (courier, 0)).collect();
    let (config, orders) = (config(), [order]);
    let problem = Problem {
        now: NOW,
        couriers: &couriers,
        orders: &orders,
        config: &config,
        travel,
    };
    let found = decide(&problem, true).remove(0).considered;
    assert_eq!(
        found
            .iter()
            .map(|(courier, _)| *courier)
            .collect::<Vec<_>>(),
        [5, 3, 1, 4, 0]
    );
    assert!(found.iter().all(|(_, parts)| parts.total() > 0));
}

#[test]
fn decisions_are_deterministic_and_respect_all_limits() {
    let mut state = 7_u64;
    let mut below = |end: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i32::try_from((state >> 33) % end).unwrap()
    };
    for _ in 0..40 {
        let couriers: Vec<_> = (0..12)
            .map(|index| {
                let free_at = NOW + i64::from(below(1_200)) * i64::from(index % 3);
                let until = Some(NOW + i64::from(below(4_000)));
                Candidate {
                    free_at,
                    idle: index % 3 == 0,
                    until,
                    ..courier(below(4_000))
                }
            })
            .collect();
        let orders: Vec<_> = (0..25)
            .map(|_| {
                let store = below(5);
                let mut order = trip_order(i64::from(below(1_800)) - 300, below(4_000));
                (order.combinable, order.returns) = (below(4) > 0, below(4) == 0);
                order.load.weight_g = below(12_000).unsigned_abs();
                order
                    .stops
                    .extend((0..below(3)).map(|_| at(below(4_000))).collect::<Vec<_>>());
                let near = (0..12).map(|courier| (courier, 0)).collect();
                OpenOrder {
                    store: u64::from(store.unsigned_abs()),
                    pickup: at(store * 700),
                    order,
                    near,
                }
            })
            .collect();
        let decisions = pass(&couriers, &orders);
        assert_eq!(decisions, pass(&couriers, &orders));
        for (index, candidate) in couriers.iter().enumerate() {
            let theirs = decisions
                .iter()
                .zip(&orders)
                .filter(|(one, _)| committed(one) == Some(index));
            let theirs: Vec<&OpenOrder> = theirs.map(|(_, order)| order).collect();
            let Some(first) = theirs.first() else {
                continue;
            };
            let ride = i64::from(travel(candidate.point, first.pickup));
            let ready = theirs.iter().map(|open| open.order.ready_at).max().unwrap();
            let pick = ready.max(NOW + ride + 120);
            assert!(candidate.idle && theirs.len() <= 3 && candidate.until.unwrap() >= pick);
            assert!(theirs.iter().all(|open| open.store == first.store));
            assert!(theirs.len() == 1 || theirs.iter().all(|open| open.order.combinable));
            assert!(
                theirs
                    .iter()
                    .map(|open| open.order.load.weight_g)
                    .sum::<u32>()
                    <= candidate.max_load.weight_g
            );
            assert!(ready - ride - 120 - NOW < 60, "the pair could wait");
        }
    }
}

#[test]
fn remote_courier_is_preferred_at_equal_pickup() {
    let mut couriers = [courier(800), courier(780)];
    let orders = [open(350, 2_000)];
    assert_eq!(committed(&pass(&couriers, &orders)[0]), Some(0));
    couriers[1].remoteness_s = 600;
    let decisions = pass(&couriers, &orders);
    let [
        Decision::Commit {
            courier: 1, parts, ..
        },
    ] = decisions.as_slice()
    else {
        panic!("{decisions:?}")
    };
    assert_eq!((parts.wait, parts.remoteness), (0, -600 * 6));
}
