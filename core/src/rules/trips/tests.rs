//! Plans of trips, computed by hand: one unit of distance is one minute, and both services take
//! three minutes.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};

use super::*;
use crate::{
    api,
    memory::MemoryHost,
    model::{
        CourierId, Phone, Vehicle,
        courier::{Handover, HandoverKind, TripOrder},
        order::{LastStep, OrderDispatch},
        store::KeyHash,
    },
    rules::settings::Settings,
};

/// Returns an order that the API created, whose places, status and times are replaced by tests.
pub(crate) fn template() -> Order {
    let host = MemoryHost::seeded(1);
    let settings = Settings {
        operator: Some(KeyHash::of("operator")),
        ..Settings::default()
    };
    let address = json!({ "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP",
        "latitude": -23.5530, "longitude": -46.6560 });
    let post = |path: &str, key: &str, body: Value| -> Value {
        let request = Request::post(path)
            .header("x-api-token", key)
            .header("content-type", "application/json");
        let request = request.body(Bytes::from(body.to_string())).unwrap();
        let sent = pin!(api::handle(&host, &settings, request))
            .poll(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(response) = sent else {
            panic!("the in-memory host returned pending")
        };
        serde_json::from_slice(response.body()).unwrap()
    };
    let store = json!({ "cnpj": "11.222.333/0001-81", "name": "Cantina", "email": "loja@exemplo.com.br",
        "password": "a long password", "responsible": { "name": "Rui", "phone": "+5511999990002" },
        "address": address, "marketplaceBranchId": 1 });
    let created = post("/admin/matrices", "operator", store);
    let delivery = json!({ "address": address, "onlinePayment": true, "name": "Maria", "phone": "+5511999990000" });
    post(
        "/delivery/orders",
        created["value"].as_str().unwrap(),
        json!({ "code": "A-1", "deliveries": [delivery] }),
    );
    Order {
        status: OrderStatus::Searching,
        last_step: None,
        ..host.orders().remove(0)
    }
}

/// Returns a courier with this trip.
pub(crate) fn courier(id: u64, position: Option<Point>, at: Timestamp, trip: &[&Order]) -> Courier {
    let of_trip = |order: &&Order| TripOrder {
        id: order.id,
        picked_up: !order.status.is_before_pickup(),
    };
    Courier {
        id: CourierId::new(id).unwrap(),
        version: 1,
        profile_id: id,
        name: format!("Courier {id}"),
        phone: Phone::parse("+5511988887777").unwrap(),
        email: None,
        document: None,
        position,
        position_at: position.map(|_| at),
        available: true,
        trip: trip.iter().map(of_trip).collect(),
        shift: None,
        key: None,
        device: None,
        push: Vec::new(),
        sign_in: None,
        sessions: Vec::new(),
        vehicle: Vehicle::default(),
        max_weight_g: None,
        max_volume_ml: None,
        equipment: crate::model::Equipment::ALL,
        handovers: Vec::new(),
        pay: Vec::new(),
        cash_limit: None,
        suspended_at: None,
        sandbox: false,
        removed_at: None,
    }
}

/// Returns the point that is this many minutes east and north of the pickup.
pub(crate) fn point(east: i32, north: i32) -> Point {
    Point {
        lat_e7: north * 1_000,
        lon_e7: east * 1_000,
    }
}

pub(crate) fn travel(from: Point, to: Point) -> u32 {
    (from.lat_e7.abs_diff(to.lat_e7) + from.lon_e7.abs_diff(to.lon_e7)) * 60 / 1_000
}

/// Returns the time after these minutes, in halves.
fn at(halves: i64) -> Timestamp {
    Timestamp::from_millis(1_795_262_400_000).after(Duration::seconds(halves * 30))
}

/// Returns an order that is ready after ten minutes, with stops at these places.
fn order(id: u64, status: OrderStatus, since: i64, stops: &[(Point, DeliveryStatus)]) -> Order {
    let template = template();
    let mut order = Order {
        id: OrderId::new(id).unwrap(),
        status,
        status_since: at(since),
        ready_at: at(20),
        dispatch: OrderDispatch::default(),
        ..template.clone()
    };
    order.pickup.located.point = point(0, 0);
    let stop = |(number, (place, status)): (u64, &(Point, DeliveryStatus))| {
        let mut delivery = Delivery {
            id: DeliveryId::new(number).unwrap(),
            status: *status,
            ..template.deliveries[0].clone()
        };
        delivery.place.located.point = *place;
        delivery
    };
    order.deliveries = (id * 10 + 1..).zip(stops).map(stop).collect();
    order
}

/// Returns the last step of an order, at this time.
fn step(halves: i64) -> Option<LastStep> {
    Some(LastStep {
        at: at(halves),
        taken_at: at(halves),
        from: None,
    })
}

fn plan(courier: &Courier, orders: &[&Order], now: i64) -> TripPlan {
    TripPlan::of(
        courier,
        orders,
        &Durations::default(),
        &Dispatch::default(),
        &travel,
        at(now),
    )
}

/// Returns the stops as kind, ID and half minutes: `P` pickup of an order, `D` delivery, `R` return
/// of an order.
fn stops(plan: &TripPlan) -> Vec<(char, u64, i64)> {
    let halves = |time: Timestamp| time.since(at(0)).as_millis() / 30_000;
    let of = |stop: &TripStop| match stop.kind {
        StopKind::Pickup => ('P', stop.order.get(), halves(stop.at)),
        StopKind::Delivery(delivery) => ('D', delivery.get(), halves(stop.at)),
        StopKind::Return => ('R', stop.order.get(), halves(stop.at)),
    };
    plan.stops.iter().map(of).collect()
}

use DeliveryStatus as D;
use OrderStatus as O;

#[test]
fn plan_before_the_pickup_waits_for_the_goods() {
    let order = order(1, O::Allocated, 0, &[(point(2, 0), D::AwaitingPickup)]);
    let courier = courier(7, Some(point(-5, 0)), at(0), &[&order]);
    let early = plan(&courier, &[&order], 0);
    // 5 min to the pickup, ready at 10 min, 1.5 min after the handover, 2 min on the way, 1.5 min
    // at the door.
    assert_eq!(stops(&early), [('P', 1, 20), ('D', 11, 30)]);
    assert_eq!(
        (early.arrives_at, early.free_at, early.end),
        (Some(at(10)), at(33), point(2, 0))
    );
    assert_eq!(early.next_order(), Some(order.id));
    let eta = early.eta(order.id, at(0)).unwrap();
    assert_eq!(
        (eta.pickup, eta.delivery, eta.at),
        (Some(at(20)), at(30), at(0))
    );
    // The goods wait for the courier: half of the service is before the handover.
    let late = Order {
        ready_at: at(8),
        ..order.clone()
    };
    assert_eq!(
        stops(&plan(&courier, &[&late], 0)),
        [('P', 1, 13), ('D', 11, 23)]
    );
    // The last position is old: 15 minutes after the expected arrival, it is expected in another 15
    // minutes.
    assert_eq!(
        stops(&plan(&courier, &[&order], 40)),
        [('P', 1, 73), ('D', 11, 83)]
    );
}

#[test]
fn plan_at_the_pickup_needs_no_travel_to_it() {
    let order = order(
        1,
        O::CourierAtPickup,
        10,
        &[(point(2, 0), D::AwaitingPickup)],
    );
    let courier = courier(7, Some(point(-1, 0)), at(8), &[&order]);
    let plan = plan(&courier, &[&order], 12);
    assert_eq!(stops(&plan), [('P', 1, 20), ('D', 11, 30)]);
    assert_eq!(plan.arrives_at, Some(at(10)));
}

#[test]
fn position_at_the_pickup_does_not_move_the_arrival() {
    let order = order(
        1,
        O::CourierAtPickup,
        10,
        &[(point(2, 0), D::AwaitingPickup)],
    );
    for (position_at, now) in [(8, 12), (12, 12), (18, 19)] {
        let plan = plan(
            &courier(7, Some(point(0, 0)), at(position_at), &[&order]),
            &[&order],
            now,
        );
        assert_eq!(
            (plan.arrives_at, stops(&plan)),
            (Some(at(10)), vec![('P', 1, 20), ('D', 11, 30)])
        );
    }
}

#[test]
fn order_that_joins_later_does_not_move_the_arrival() {
    let stops = [(point(2, 0), D::AwaitingPickup)];
    let orders = [
        order(1, O::Allocated, 0, &stops),
        order(2, O::Allocated, 6, &stops),
    ];
    let refs: Vec<&Order> = orders.iter().collect();
    let plan = plan(&courier(7, Some(point(-5, 0)), at(0), &refs), &refs, 6);
    assert_eq!(plan.arrives_at, Some(at(10)));
}

#[test]
fn plan_after_the_pickup_equals_the_plan_before() {
    let mut order = order(1, O::OutForDelivery, 20, &[(point(2, 0), D::OnBoard)]);
    let picked_up = plan(
        &courier(7, Some(point(0, 0)), at(20), &[&order]),
        &[&order],
        20,
    );
    assert_eq!(
        (stops(&picked_up), picked_up.arrives_at),
        (vec![('D', 11, 30)], None)
    );
    (order.deliveries[0].status, order.last_step) = (D::EnRoute, step(23));
    let half_way = plan(
        &courier(7, Some(point(1, 0)), at(25), &[&order]),
        &[&order],
        26,
    );
    assert_eq!(stops(&half_way), [('D', 11, 30)]);
    (order.deliveries[0].status, order.last_step) = (D::Arrived, step(27));
    let at_door = courier(7, Some(point(2, 0)), at(27), &[&order]);
    assert_eq!(stops(&plan(&at_door, &[&order], 28)), [('D', 11, 30)]);
    let waiting = plan(&at_door, &[&order], 50);
    // The service was to end at 33, so the delay is 17.
    assert_eq!(
        (stops(&waiting), waiting.free_at),
        (vec![('D', 11, 67)], at(70))
    );
    assert_eq!(waiting.eta(order.id, at(50)).unwrap().pickup, None);
}

#[test]
fn plan_between_deliveries_contains_the_rest_of_the_service() {
    let mut order = order(
        1,
        O::OutForDelivery,
        20,
        &[(point(2, 0), D::Delivered), (point(2, 3), D::OnBoard)],
    );
    order.last_step = step(30);
    let plan = plan(
        &courier(7, Some(point(2, 0)), at(30), &[&order]),
        &[&order],
        30,
    );
    assert_eq!(
        (stops(&plan), plan.free_at, plan.end),
        (vec![('D', 12, 42)], at(45), point(2, 3))
    );
}

#[test]
fn return_of_a_payment_ends_the_trip_at_the_pickup() {
    let mut order = order(1, O::OutForDelivery, 20, &[(point(2, 0), D::EnRoute)]);
    order.deliveries[0].online_payment = false;
    let out = plan(
        &courier(7, Some(point(0, 0)), at(20), &[&order]),
        &[&order],
        20,
    );
    assert_eq!(stops(&out), [('D', 11, 27), ('R', 1, 37)]);
    assert_eq!((out.free_at, out.end), (at(40), point(0, 0)));
    (order.status, order.deliveries[0].status, order.status_since) =
        (O::Returning, D::Delivered, at(27));
    let back = plan(
        &courier(7, Some(point(2, 0)), at(27), &[&order]),
        &[&order],
        27,
    );
    assert_eq!(
        (stops(&back), back.eta(order.id, at(27))),
        (vec![('R', 1, 34)], None)
    );
    (order.status, order.status_since) = (O::CourierAtReturn, at(31));
    let there = plan(
        &courier(7, Some(point(1, 0)), at(29), &[&order]),
        &[&order],
        32,
    );
    assert_eq!((stops(&there), there.free_at), (vec![('R', 1, 34)], at(37)));
}

#[test]
fn failed_delivery_returns_after_the_other_deliveries() {
    let mut order = order(
        1,
        O::OutForDelivery,
        20,
        &[(point(2, 0), D::Returning), (point(4, 0), D::OnBoard)],
    );
    order.last_step = step(30);
    let plan = plan(
        &courier(7, Some(point(2, 0)), at(30), &[&order]),
        &[&order],
        30,
    );
    // The second half of the service at the first door is left.
    assert_eq!(stops(&plan), [('D', 12, 40), ('R', 1, 54)]);
}

#[test]
fn orders_of_a_trip_are_picked_up_together() {
    let orders = [
        order(1, O::Allocated, 0, &[(point(4, 0), D::AwaitingPickup)]),
        Order {
            ready_at: at(28),
            ..order(2, O::Allocated, 0, &[(point(2, 0), D::AwaitingPickup)])
        },
    ];
    let refs: Vec<&Order> = orders.iter().collect();
    let courier = courier(7, Some(point(-5, 0)), at(0), &refs);
    let plan = plan(&courier, &refs, 0);
    assert_eq!(
        stops(&plan),
        [('P', 1, 28), ('P', 2, 28), ('D', 21, 38), ('D', 11, 48)]
    );
    assert_eq!(
        (plan.next_order(), plan.free_at),
        (Some(orders[0].id), at(51))
    );
    assert_eq!(plan.eta(orders[0].id, at(0)).unwrap().delivery, at(48));
    assert_eq!(plan.eta(OrderId::new(3).unwrap(), at(0)), None);
}

#[test]
fn order_that_waits_at_the_pickup_comes_first() {
    let orders = [
        order(1, O::OutForDelivery, 20, &[(point(4, 0), D::OnBoard)]),
        order(2, O::Allocated, 10, &[(point(2, 0), D::AwaitingPickup)]),
    ];
    let refs: Vec<&Order> = orders.iter().collect();
    let plan = plan(&courier(7, Some(point(0, 0)), at(20), &refs), &refs, 20);
    assert_eq!(plan.next_order(), Some(orders[1].id));
    assert_eq!(stops(&plan), [('P', 2, 23), ('D', 21, 33), ('D', 11, 43)]);
}

#[test]
fn current_stop_stays_first() {
    let far = |status| order(1, O::OutForDelivery, 20, &[(point(4, 0), status)]);
    let near = order(2, O::OutForDelivery, 20, &[(point(2, 0), D::OnBoard)]);
    let sequence = |status| {
        let far = far(status);
        let courier = courier(7, Some(point(0, 0)), at(20), &[&far, &near]);
        let plan = plan(&courier, &[&far, &near], 20);
        (stops(&plan), plan.next_order().map(OrderId::get))
    };
    assert_eq!(
        sequence(D::EnRoute),
        (vec![('D', 11, 31), ('D', 21, 41)], Some(1))
    );
    assert_eq!(
        sequence(D::Arrived),
        (vec![('D', 11, 23), ('D', 21, 33)], Some(1))
    );
    assert_eq!(
        sequence(D::OnBoard),
        (vec![('D', 21, 30), ('D', 11, 40)], Some(2))
    );
}

#[test]
fn stops_of_one_order_keep_their_order() {
    let single = order(
        1,
        O::OutForDelivery,
        20,
        &[(point(3, 0), D::OnBoard), (point(1, 0), D::OnBoard)],
    );
    let other = order(2, O::OutForDelivery, 20, &[(point(2, 0), D::OnBoard)]);
    let ids = |orders: &[&Order]| {
        let plan = plan(&courier(7, Some(point(0, 0)), at(20), orders), orders, 20);
        stops(&plan)
            .into_iter()
            .map(|(_, id, _)| id)
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&[&single]), [11, 12]);
    // The shortest route visits the places 1, 2 and 3: the first order's stops take its first and
    // its last turn.
    assert_eq!(ids(&[&single, &other]), [11, 21, 12]);
    assert_eq!(ids(&[&other, &single]), [11, 21, 12]);
}

#[test]
fn courier_without_a_position_starts_at_the_pickup() {
    let order = order(1, O::Allocated, 0, &[(point(2, 0), D::AwaitingPickup)]);
    let plan = plan(&courier(7, None, at(0), &[&order]), &[&order], 4);
    assert_eq!(
        (plan.arrives_at, stops(&plan)),
        (Some(at(0)), vec![('P', 1, 20), ('D', 11, 30)])
    );
    let empty = self::plan(&courier(7, Some(point(1, 1)), at(0), &[]), &[], 4);
    assert_eq!(
        (empty.stops.len(), empty.free_at, empty.end),
        (0, at(4), point(1, 1))
    );
}

#[test]
fn times_of_random_trips_are_never_in_the_past() {
    let mut state = 5_u64;
    let mut below = |max: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((state >> 33) % max).unwrap()
    };
    let templates =
        [1, 2, 3].map(|id| order(id, O::Allocated, 0, &[(point(0, 0), D::AwaitingPickup); 2]));
    for _ in 0..2_000 {
        let statuses = [
            O::Allocated,
            O::CourierAtPickup,
            O::OutForDelivery,
            O::Returning,
            O::CourierAtReturn,
        ];
        let mut current = false;
        let orders: Vec<Order> = templates[..usize::try_from(1 + below(3)).unwrap()]
            .iter()
            .map(|template| {
                let mut order = template.clone();
                order.status = statuses[usize::try_from(below(5)).unwrap()];
                (order.status_since, order.ready_at) = (at(below(100)), at(below(100)));
                for delivery in &mut order.deliveries {
                    let place = |value: i64| i32::try_from(value - 20).unwrap();
                    delivery.place.located.point = point(place(below(40)), place(below(40)));
                    delivery.online_payment = below(3) > 0;
                    let out = [
                        D::OnBoard,
                        D::EnRoute,
                        D::Arrived,
                        D::Delivered,
                        D::Returning,
                    ];
                    let status = out[usize::try_from(below(5)).unwrap()];
                    delivery.status = match order.status {
                        O::Allocated | O::CourierAtPickup => D::AwaitingPickup,
                        O::OutForDelivery
                            if matches!(status, D::EnRoute | D::Arrived) && current =>
                        {
                            D::OnBoard
                        }
                        O::OutForDelivery => status,
                        _ => [D::Delivered, D::Returning, D::Lost]
                            [usize::try_from(below(3)).unwrap()],
                    };
                    current |= is_current(delivery);
                }
                order
            })
            .collect();
        let refs: Vec<&Order> = orders.iter().collect();
        let courier = courier(7, Some(point(1, 1)), at(below(100)), &refs);
        let now = below(100);
        let plan = plan(&courier, &refs, now);
        let times: Vec<Timestamp> = plan
            .stops
            .iter()
            .map(|stop| stop.at)
            .chain([plan.free_at])
            .collect();
        assert!(times.is_sorted() && times[0] >= at(now), "{plan:?}");
        let open = refs
            .iter()
            .flat_map(|order| &order.deliveries)
            .filter(|delivery| is_open(delivery))
            .count();
        let planned = plan
            .stops
            .iter()
            .filter(|stop| matches!(stop.kind, StopKind::Delivery(_)))
            .count();
        assert_eq!(planned, open);
    }
}

/// Returns an order with its last step at this place and time.
fn stepped(order: Order, halves: i64, from: Point) -> Order {
    Order {
        last_step: Some(LastStep {
            at: at(halves),
            taken_at: at(halves),
            from: Some(from),
        }),
        ..order
    }
}

/// Returns the half minutes by which the current step is delayed, and whether the courier is stuck.
fn delay(courier: &Courier, order: &Order, now: i64) -> (i64, bool) {
    let step = plan(courier, &[order], now).step.unwrap();
    (
        step.delay.as_millis() / 30_000,
        step.is_stuck(&Dispatch::default()),
    )
}

#[test]
fn courier_who_waits_for_somebody_is_free_later_the_longer_it_takes() {
    let stop = |status| [(point(2, 0), status)];
    let waits = [
        (
            order(1, O::CourierAtPickup, 0, &stop(D::AwaitingPickup)),
            point(0, 0),
            20 + 6,
        ),
        (
            order(1, O::OutForDelivery, 30, &stop(D::OnBoard)),
            point(0, 0),
            30 + 6,
        ),
        (
            stepped(
                order(1, O::OutForDelivery, 20, &stop(D::Arrived)),
                30,
                point(2, 0),
            ),
            point(2, 0),
            30 + 6,
        ),
        (
            order(1, O::CourierAtReturn, 30, &stop(D::AtReturn)),
            point(0, 0),
            30 + 6,
        ),
    ];
    for (order, place, due) in waits {
        let fresh = |now| courier(7, Some(place), at(now), &[&order]);
        assert_eq!(
            delay(&fresh(due), &order, due),
            (0, false),
            "{:?}",
            order.status
        );
        assert_eq!(delay(&fresh(due + 8), &order, due + 8), (8, false));
        let plan = plan(&fresh(due + 8), &[&order], due + 8);
        assert!(plan.free_at >= at(due + 16), "{:?}: {plan:?}", order.status);
        // The limit is ten minutes.
        assert_eq!(delay(&fresh(due + 20), &order, due + 20), (20, false));
        assert_eq!(delay(&fresh(due + 21), &order, due + 21), (21, true));
    }
}

#[test]
fn courier_who_does_not_move_is_late_and_stuck() {
    let cases = [
        (O::Allocated, D::AwaitingPickup, point(-8, 0)),
        (O::OutForDelivery, D::EnRoute, point(0, 8)),
        (O::Returning, D::Returning, point(0, 8)),
    ];
    for (status, stop, from) in cases {
        let order = stepped(order(1, status, 0, &[(point(0, 0), stop)]), 0, from);
        let seen = |place, now| courier(7, Some(place), at(now), &[&order]);
        // Eight minutes to the place. A courier on the way is not late, and one at half the speed
        // either.
        assert_eq!(delay(&seen(from, 0), &order, 0), (0, false));
        let half = |halves: i32| {
            point(
                from.lon_e7 / 1_000 * (16 - halves) / 16,
                from.lat_e7 / 1_000 * (16 - halves) / 16,
            )
        };
        assert_eq!(delay(&seen(half(4), 4), &order, 4), (0, false));
        assert_eq!(delay(&seen(half(4), 8), &order, 8), (0, false));
        // Without progress the delay grows from the start.
        assert_eq!(delay(&seen(from, 6), &order, 6), (6, false));
        assert_eq!(delay(&seen(from, 21), &order, 21), (21, true));
        let step = plan(&seen(from, 21), &[&order], 21).step.unwrap();
        assert_eq!(
            step.is_motionless(&Dispatch::default()),
            status == O::Allocated,
            "{status:?}"
        );
        // Slow, but moving: expected at the courier's own pace.
        assert_eq!(delay(&seen(half(12), 24), &order, 24), (4, false));
        // A silent phone: overdue from the expected arrival on.
        assert_eq!(delay(&seen(from, 0), &order, 20), (4, false));
        let silent = plan(&seen(from, 0), &[&order], 40).step.unwrap();
        assert_eq!(
            (silent.delay, silent.is_motionless(&Dispatch::default())),
            (Duration::minutes(12), false)
        );
    }
}

#[test]
fn courier_at_the_pickup_without_the_step_is_expected_to_wait_for_the_goods() {
    let order = stepped(
        order(1, O::Allocated, 0, &[(point(2, 0), D::AwaitingPickup)]),
        0,
        point(-2, 0),
    );
    let there = |now| courier(7, Some(point(0, 0)), at(now), &[&order]);
    assert_eq!(
        delay(&there(26), &order, 26),
        (0, false),
        "the goods are ready at 20"
    );
    assert_eq!(delay(&there(30), &order, 30), (4, false));
    let step = plan(&there(60), &[&order], 60).step.unwrap();
    assert!(step.is_stuck(&Dispatch::default()) && !step.is_motionless(&Dispatch::default()));
}

#[test]
fn order_that_joins_at_the_pickup_does_not_restart_the_wait() {
    let stops = [(point(2, 0), D::AwaitingPickup)];
    let orders = [
        order(1, O::CourierAtPickup, 20, &stops),
        order(2, O::Allocated, 40, &stops),
    ];
    let refs: Vec<&Order> = orders.iter().collect();
    let step = |now| {
        let courier = courier(7, Some(point(0, 0)), at(now), &refs);
        plan(&courier, &refs, now).step.unwrap()
    };
    assert!(!step(46).is_stuck(&Dispatch::default()));
    assert!(step(47).is_stuck(&Dispatch::default()));
}

#[test]
fn usual_durations_of_store_and_courier_delay_the_end_of_a_wait() {
    let order = order(1, O::CourierAtReturn, 0, &[(point(2, 0), D::AtReturn)]);
    let handover = |kind, seconds| Handover {
        kind,
        store: order.store,
        seconds,
    };
    let own = |handovers: Vec<Handover>| Courier {
        handovers,
        ..courier(7, Some(point(0, 0)), at(0), &[&order])
    };
    let due = |courier: &Courier, others: &[Courier]| {
        let durations = Durations::of(others.iter());
        let step = |now| {
            CurrentStep::of(
                courier,
                &[&order],
                &durations,
                &Dispatch::default(),
                &travel,
                at(now),
            )
            .unwrap()
        };
        (0..200)
            .find(|now| step(*now).delay > Duration::seconds(0))
            .unwrap()
            - 1
    };
    let slow = vec![
        handover(HandoverKind::Return, 900),
        handover(HandoverKind::Return, 60),
        handover(HandoverKind::Return, 600),
    ];
    assert_eq!(due(&own(Vec::new()), &[]), 6, "the configured service");
    assert_eq!(
        due(&own(slow.clone()), &[]),
        20,
        "the median of the courier"
    );
    assert_eq!(due(&own(slow[1..].to_vec()), &[]), 6, "too few waits");
    assert_eq!(
        due(&own(Vec::new()), &[own(slow.clone())]),
        20,
        "the median of the store"
    );
    let at_doors = slow
        .iter()
        .map(|one| Handover {
            kind: HandoverKind::Door,
            ..*one
        })
        .collect();
    assert_eq!(due(&own(at_doors), &[]), 6, "a door is not a store");
    let fast = vec![handover(HandoverKind::Return, 5); 3];
    assert_eq!(
        due(&own(slow), &[own(fast)]),
        6,
        "the store is known better than the courier elsewhere"
    );
}
