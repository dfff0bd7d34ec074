//! Decisions of passes about single orders, and their independence of couriers out of reach.

use super::{
    Assessed, Available, Decision, Dispatch, OpenReason, Pass, decide,
    nearby::{CourierIndex, cells_around},
};
use crate::{
    geo::great_circle_m,
    model::{
        Capacity, CourierId, Duration, OrderId, Point, Requirements, StoreId, Timestamp, Vehicle,
        courier::{Candidate, Cell, Courier, Shift},
        order::{DeliveryStatus, Order, OrderStatus},
    },
    rules::{
        lifecycle::Timing,
        trips::{
            Durations,
            tests::{courier, template},
        },
    },
};

const CENTRE: Point = Point {
    lat_e7: -235_505_000,
    lon_e7: -466_333_000,
};
/// Metres per second of all couriers.
const SPEED: u32 = 10;

fn travel(from: Point, to: Point) -> u32 {
    great_circle_m(from, to) / SPEED
}

/// Returns the point at this distance north of the pickup.
fn north(metres: i32) -> Point {
    Point {
        lat_e7: CENTRE.lat_e7 + metres * 90,
        ..CENTRE
    }
}

fn now() -> Timestamp {
    Timestamp::from_millis(1_795_300_000_000)
}

fn minutes(count: i64) -> Duration {
    Duration::minutes(count)
}

/// Returns a searching order that is ready now.
fn order(id: u64) -> Order {
    let id = OrderId::new(id).unwrap();
    let mut order = Order {
        id,
        status_since: now(),
        ready_at: now(),
        ..template()
    };
    order.pickup.located.point = CENTRE;
    order.deliveries[0].place.located.point = north(-1_000);
    order
}

fn candidate(id: u64, point: Point) -> Candidate {
    let capacity = Capacity::default();
    Candidate {
        id: CourierId::new(id).unwrap(),
        point,
        sandbox: false,
        is_free: true,
        capacity,
        cash_room: None,
    }
}

fn free(id: u64, metres: i32) -> Available {
    Available::free(candidate(id, north(metres)), now())
}

/// Returns a courier with a trip or a shift, if dispatch counts on the courier.
fn busy(courier: &Courier, trip: &[Order]) -> Option<Available> {
    match assessed(courier, trip) {
        Assessed::Available(available) => Some(available),
        Assessed::Stuck(_) | Assessed::NotSoon => None,
    }
}

fn assessed(courier: &Courier, trip: &[Order]) -> Assessed {
    let candidate = candidate(courier.id.get(), courier.position.unwrap());
    let (config, timing) = (Dispatch::default(), Timing::default());
    let pass = Pass {
        config: &config,
        timing: &timing,
        durations: &Durations::default(),
        travel: &travel,
        now: now(),
    };
    Available::of(candidate, courier, trip, &pass)
}

fn decide_at(orders: &[Order], couriers: &[Available], now: Timestamp) -> Vec<Option<Decision>> {
    let (config, timing) = (Dispatch::default(), Timing::default());
    decide(
        orders,
        couriers,
        &Pass {
            config: &config,
            timing: &timing,
            durations: &Durations::default(),
            travel: &travel,
            now,
        },
        None,
    )
}

/// Returns the couriers that the explanation of an order lists as left out.
fn excluded(
    order: &Order,
    couriers: &[Available],
    stuck: &[Candidate],
) -> Vec<(u64, &'static str)> {
    let (config, timing) = (Dispatch::default(), Timing::default());
    let pass = Pass {
        config: &config,
        timing: &timing,
        durations: &Durations::default(),
        travel: &travel,
        now: now(),
    };
    let decided = decide(core::slice::from_ref(order), couriers, &pass, Some(stuck));
    let decision = decided.into_iter().next().flatten().unwrap();
    decision
        .excluded
        .iter()
        .map(|(courier, why)| (courier.get(), why.name()))
        .collect()
}

/// Returns the reason why the order stays open, and the planned courier with the number of orders
/// in the trip.
fn outcome(order: &Order, couriers: &[Available]) -> (Option<OpenReason>, Option<(u64, u32)>) {
    let decision = decide_at(core::slice::from_ref(order), couriers, now())
        .remove(0)
        .unwrap();
    (
        decision.open,
        decision
            .assignment
            .map(|planned| (planned.courier.get(), planned.orders)),
    )
}

#[test]
fn nearest_free_courier_is_assigned() {
    let couriers = [free(1, 3_000), free(2, 1_000), free(3, -2_000)];
    let decision = decide_at(&[order(1)], &couriers, now()).remove(0).unwrap();
    let planned = decision.assignment.unwrap();
    assert_eq!(
        (decision.open, planned.courier.get(), planned.orders),
        (None, 2, 1)
    );
    let considered: Vec<u64> = decision
        .considered
        .iter()
        .map(|one| one.courier.get())
        .collect();
    assert_eq!(considered, [2, 3, 1], "cheapest first");
    let totals: Vec<i64> = decision
        .considered
        .iter()
        .map(|one| one.cost.total())
        .collect();
    assert!(
        totals.is_sorted() && totals[0] == planned.cost.total(),
        "{totals:?}"
    );
}

#[test]
fn order_without_a_courier_in_reach_stays_open() {
    let none = (Some(OpenReason::NoCourier), None);
    assert_eq!(outcome(&order(1), &[]), none);
    assert_eq!(outcome(&order(1), &[free(1, 10_100)]), none);
    assert_eq!(outcome(&order(1), &[free(1, 9_900)]), (None, Some((1, 1))));
}

#[test]
fn sandbox_orders_and_couriers_stay_separate() {
    let near = Candidate {
        sandbox: true,
        ..candidate(1, CENTRE)
    };
    let couriers = [Available::free(near, now()), free(2, 1_000)];
    assert_eq!(outcome(&order(1), &couriers), (None, Some((2, 1))));
    let sandbox = Order {
        sandbox: true,
        ..order(2)
    };
    assert_eq!(outcome(&sandbox, &couriers), (None, Some((1, 1))));
    assert_eq!(
        outcome(&sandbox, &couriers[1..]),
        (Some(OpenReason::NoCourier), None)
    );
}

#[test]
fn released_courier_is_considered_after_three_minutes() {
    let waited = |span: Duration| {
        let since = now().before(span);
        Order {
            released: vec![CourierId::new(1).unwrap()],
            status_since: since,
            ready_at: since,
            ..order(1)
        }
    };
    let none = (Some(OpenReason::NoCourier), None);
    assert_eq!(
        outcome(&waited(Duration::millis(179_999)), &[free(1, 0)]),
        none
    );
    assert_eq!(
        outcome(&waited(minutes(3)), &[free(1, 0)]),
        (None, Some((1, 1)))
    );
    // Any other courier is preferred.
    assert_eq!(
        outcome(&waited(minutes(3)), &[free(1, 0), free(2, 9_900)]),
        (None, Some((2, 1)))
    );
    // The time counts from the ready time if the search started earlier.
    let early = Order {
        ready_at: now().before(minutes(2)),
        ..waited(minutes(10))
    };
    assert_eq!(outcome(&early, &[free(1, 0)]), none);
}

#[test]
fn courier_is_assigned_at_the_last_pass_in_time() {
    let order = Order {
        ready_at: now().after(minutes(15)),
        ..order(1)
    };
    let couriers = [free(1, 1_000)];
    // Travel, half of the pickup and the margin are before the ready time, and the next pass is
    // three seconds later.
    let ride = i64::from(travel(north(1_000), CENTRE));
    let last = order.ready_at.before(Duration::seconds(ride + 90 + 30 + 3));
    let open = |now| {
        decide_at(core::slice::from_ref(&order), &couriers, now)
            .remove(0)
            .unwrap()
    };
    let waiting = open(last);
    assert_eq!(
        (waiting.open, waiting.considered.len()),
        (Some(OpenReason::CanWait), 0)
    );
    assert_eq!(waiting.assignment.unwrap().courier.get(), 1);
    assert_eq!(open(last.after(Duration::seconds(1))).open, None);
}

#[test]
fn orders_that_are_not_searching_have_no_decision() {
    let ready = Order {
        status: OrderStatus::Ready,
        ..order(1)
    };
    let since = now().before(minutes(20));
    let expired = Order {
        status_since: since,
        ready_at: since,
        ..order(2)
    };
    let last = Order {
        ready_at: since.after(Duration::millis(1)),
        ..expired.clone()
    };
    let decisions = decide_at(&[ready, expired, last], &[free(1, 0)], now());
    let assigned: Vec<bool> = decisions.iter().map(Option::is_some).collect();
    assert_eq!(assigned, [false, false, true]);
}

/// Returns a courier who reached the pickup two minutes ago, with one order of the trip.
fn at_pickup(order: &Order) -> (Courier, Vec<Order>) {
    let since = now().before(minutes(2));
    let courier = courier(9, Some(CENTRE), since, &[order]);
    let mut carried = Order {
        status: OrderStatus::CourierAtPickup,
        status_since: since,
        ..order.clone()
    };
    carried.courier = Some(courier.assigned());
    (courier, vec![carried])
}

#[test]
fn trip_grows_by_an_order_of_the_same_store_and_pickup() {
    let (courier, trip) = at_pickup(&order(1));
    let couriers = [busy(&courier, &trip).unwrap(), free(2, 9_000)];
    let second = order(2);
    assert_eq!(outcome(&second, &couriers), (None, Some((9, 2))));
    let mut others = [second.clone(), second.clone(), second.clone(), second];
    others[0].store = StoreId::new(777).unwrap();
    others[1].dispatch.combinable = false;
    others[2].dispatch.orders_per_trip = Some(1);
    others[3].pickup.located.point.lat_e7 += 1;
    let near = [couriers[0].clone(), free(2, 1_000)];
    for other in &others {
        assert_eq!(
            outcome(other, &near),
            (None, Some((2, 1))),
            "{:?}",
            other.dispatch
        );
        let (open, planned) = outcome(other, &near[..1]);
        let after_the_trip = (Some(OpenReason::CourierBusy), Some(9));
        assert_eq!(
            (open, planned.map(|(courier, _)| courier)),
            after_the_trip,
            "{:?}",
            other.dispatch
        );
    }
}

#[test]
fn trip_takes_no_order_after_its_first_pickup() {
    let (courier, mut trip) = at_pickup(&order(1));
    trip[0].status = OrderStatus::OutForDelivery;
    trip[0].deliveries[0].status = crate::model::order::DeliveryStatus::OnBoard;
    let couriers = [busy(&courier, &trip).unwrap()];
    assert_eq!(
        outcome(&order(2), &couriers).0,
        Some(OpenReason::CourierBusy)
    );
    // The place of the courier is the end of the trip.
    assert_eq!(super::assign::places(&couriers)[0].point, north(-1_000));
    // A courier whose trip ends after the horizon is not considered: 30 km take 50 minutes.
    trip[0].deliveries[0].place.located.point = north(-30_000);
    assert!(busy(&courier, &trip).is_none());
}

#[test]
fn shift_limits_the_times_of_a_courier() {
    let shift = |from: Timestamp, until: Option<Timestamp>| {
        let on_shift = Courier {
            shift: Some(Shift {
                from,
                until,
                orders: 0,
            }),
            ..courier(9, Some(north(3_000)), now(), &[])
        };
        busy(&on_shift, &[]).map(|available| outcome(&order(1), &[available]))
    };
    let at = |count| now().after(minutes(count));
    assert_eq!(shift(now(), None), Some((None, Some((9, 1)))));
    assert_eq!(
        shift(at(10), None),
        Some((Some(OpenReason::CourierBusy), Some((9, 1))))
    );
    assert_eq!(shift(at(41), None), None, "after the horizon");
    assert_eq!(
        shift(
            now().before(minutes(60)),
            Some(now().before(Duration::millis(1)))
        ),
        None,
        "the shift is over"
    );
    // The way takes five minutes, and half of the pickup 90 seconds.
    assert_eq!(shift(now(), Some(at(60))), Some((None, Some((9, 1)))));
    assert_eq!(
        shift(now(), Some(at(4))),
        Some((Some(OpenReason::NoCourier), None))
    );
}

#[test]
fn unavailable_courier_or_changed_trip_is_not_considered() {
    let (courier, trip) = at_pickup(&order(1));
    assert!(
        busy(
            &Courier {
                available: false,
                ..courier.clone()
            },
            &trip
        )
        .is_none()
    );
    assert!(
        busy(
            &Courier {
                removed_at: Some(now()),
                ..courier.clone()
            },
            &trip
        )
        .is_none()
    );
    assert!(
        busy(&courier, &[]).is_none(),
        "an order left the trip since the courier was read"
    );
}

/// Returns a courier at the pickup of another store who has waited for the return code for this
/// time.
fn at_return(waited: Duration) -> (Courier, Vec<Order>) {
    let mut carried = Order {
        status: OrderStatus::CourierAtReturn,
        status_since: now().before(waited),
        ..order(1)
    };
    carried.deliveries[0].status = DeliveryStatus::AtReturn;
    (courier(9, Some(CENTRE), now(), &[&carried]), vec![carried])
}

#[test]
fn order_does_not_wait_for_a_courier_who_waits_for_the_return_code() {
    let (just, trip) = at_return(minutes(1));
    let idle = free(2, 3_000);
    assert_eq!(
        outcome(&order(2), &[busy(&just, &trip).unwrap(), idle.clone()]).0,
        Some(OpenReason::CourierBusy)
    );
    // The service takes three minutes. Six minutes later, the courier is expected in another six.
    let (late, trip) = at_return(minutes(9));
    assert_eq!(
        outcome(&order(2), &[busy(&late, &trip).unwrap(), idle]),
        (None, Some((2, 1)))
    );
    let (late, trip) = at_return(minutes(13));
    assert!(busy(&late, &trip).is_some());
    let (stuck, trip) = at_return(Duration::millis(minutes(13).as_millis() + 1));
    let Assessed::Stuck(stuck) = assessed(&stuck, &trip) else {
        panic!("stuck after ten minutes")
    };
    assert_eq!(excluded(&order(2), &[], &[stuck]), [(9, "STUCK")]);
}

#[test]
fn explanation_lists_the_nearest_couriers_that_are_left_out() {
    let with = |id: u64, metres: i32, vehicle: Vehicle| Candidate {
        capacity: Capacity::of(vehicle),
        ..candidate(id, north(metres))
    };
    let heavy = Order {
        requirements: Requirements {
            weight_g: Some(Vehicle::MotorbikeBag.limit().weight_g + 1),
            ..Requirements::default()
        },
        ..order(1)
    };
    let couriers = [
        Available::free(with(1, 900, Vehicle::Bicycle), now()),
        Available::free(with(2, 100, Vehicle::Car), now()),
    ];
    let stuck = [
        with(3, 500, Vehicle::Car),
        with(4, 300, Vehicle::Bicycle),
        with(5, 90_000, Vehicle::Car),
        Candidate {
            sandbox: true,
            ..with(6, 100, Vehicle::Car)
        },
    ];
    assert_eq!(
        excluded(&heavy, &couriers, &stuck),
        [(4, "WEIGHT"), (3, "STUCK"), (1, "WEIGHT")]
    );
    let many: Vec<Candidate> = (11..31).map(|id| with(id, 800, Vehicle::Car)).collect();
    assert_eq!(
        excluded(&heavy, &couriers, &many),
        [11, 12, 13, 14, 15].map(|id| (id, "STUCK"))
    );
}

#[test]
fn order_waits_for_a_busy_courier_at_most_as_long_as_an_idle_one_takes() {
    let shift = Some(Shift {
        from: now().after(minutes(1)),
        until: None,
        orders: 0,
    });
    let soon = busy(
        &Courier {
            shift,
            ..courier(9, Some(CENTRE), now(), &[])
        },
        &[],
    )
    .unwrap();
    let waited = |seconds, idle_m| {
        let since = now().before(Duration::seconds(seconds));
        let order = Order {
            status_since: since,
            ready_at: since,
            ..order(1)
        };
        outcome(&order, &[soon.clone(), free(2, idle_m)])
            .1
            .unwrap()
            .0
    };
    let ride = i64::from(travel(north(2_000), CENTRE));
    assert_eq!(
        [
            waited(0, 2_000),
            waited(ride, 2_000),
            waited(ride + 1, 2_000)
        ],
        [9, 9, 2]
    );
    // The setting limits the wait to five minutes.
    assert_eq!([waited(300, 6_000), waited(301, 6_000)], [9, 2]);
}

#[test]
fn orders_at_their_limit_get_every_idle_courier_in_reach() {
    let since = now().before(minutes(6));
    let orders: Vec<Order> = (1..=3)
        .map(|id| {
            let mut order = Order {
                status_since: since,
                ready_at: since,
                ..order(id)
            };
            order.store = StoreId::new(id).unwrap();
            order
        })
        .collect();
    // One courier is at the store and the others so far away that the first could carry an order
    // after the other.
    let couriers = [free(1, 0), free(2, 9_000), free(3, 9_500)];
    let decisions = decide_at(&orders, &couriers, now());
    let mut assigned: Vec<u64> = decisions
        .iter()
        .flatten()
        .filter(|one| one.open.is_none())
        .map(|one| one.assignment.unwrap().courier.get())
        .collect();
    assigned.sort_unstable();
    assert_eq!(assigned, [1, 2, 3], "{decisions:?}");
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Returns a point in a rectangle of about 70 km, or on the border of two cells in its middle.
    fn point(&mut self) -> Point {
        let mut degree = |from: i32| from + i32::try_from(self.below(6_000_000)).unwrap();
        let (lat_e7, lon_e7) = (degree(-236_000_000), degree(-468_000_000));
        match self.below(4) {
            0 => Point {
                lat_e7: -233_000_000 - i32::from(self.below(2) == 0),
                lon_e7,
            },
            _ => Point { lat_e7, lon_e7 },
        }
    }

    fn order(&mut self, id: u64, template: &Order) -> Order {
        let mut order = Order {
            id: OrderId::new(id).unwrap(),
            ..template.clone()
        };
        order.pickup.located.point = self.point();
        order.deliveries[0].place.located.point = self.point();
        order.sandbox = self.below(6) == 0;
        order.status_since = now().before(Duration::seconds(
            i64::try_from(self.below(19 * 60)).unwrap(),
        ));
        order.ready_at = order
            .status_since
            .after(minutes(i64::try_from(self.below(10)).unwrap()));
        order.released = (0..self.below(4))
            .filter_map(|_| CourierId::new(1 + self.below(40)))
            .collect();
        order
    }
}

#[test]
fn couriers_out_of_reach_do_not_change_decisions() {
    let (template, config) = (order(1), Dispatch::default());
    let (mut assigned, mut distant) = (0, 0);
    for seed in 0..200 {
        let mut random = Random(seed);
        let sandbox = |random: &mut Random| random.below(6) == 0;
        let couriers: Vec<Candidate> = (1..=10 + random.below(30))
            .map(|id| Candidate {
                sandbox: sandbox(&mut random),
                ..candidate(id, random.point())
            })
            .collect();
        let orders: Vec<Order> = (1..=1 + random.below(25))
            .map(|id| random.order(id, &template))
            .collect();
        let pickups = orders.iter().map(|order| order.pickup.located.point);
        let cells = cells_around(
            pickups,
            config.radius_m(),
            1 + usize::try_from(random.below(32)).unwrap(),
        );
        let is_read = |one: &Candidate| {
            cells
                .iter()
                .any(|range| range.contains(&Cell::of(one.point)))
        };
        let read: Vec<Candidate> = couriers.iter().copied().filter(is_read).collect();
        distant += couriers.len() - read.len();
        let decide = |couriers: &[Candidate]| {
            let couriers: Vec<Available> = couriers
                .iter()
                .map(|one| Available::free(*one, now()))
                .collect();
            decide_at(&orders, &couriers, now())
        };
        let decisions = decide(&read);
        assert_eq!(decisions, decide(&couriers), "seed {seed}");
        check_pairs(&orders, &couriers, &decisions);
        assigned += decisions
            .iter()
            .flatten()
            .filter(|decision| decision.open.is_none())
            .count();
    }
    assert!(
        assigned > 500 && distant > 500,
        "{assigned} assigned, {distant} couriers not read"
    );
}

/// Checks that the decisions keep the limits, and that no order stays open while a courier of its
/// own is free.
fn check_pairs(orders: &[Order], couriers: &[Candidate], decisions: &[Option<Decision>]) {
    let config = Dispatch::default();
    let mut taken = Vec::new();
    for (order, decision) in orders.iter().zip(decisions) {
        let Some(Decision {
            open: None,
            assignment: Some(planned),
            ..
        }) = decision
        else {
            continue;
        };
        let courier = couriers
            .iter()
            .find(|courier| courier.id == planned.courier)
            .unwrap();
        assert!(great_circle_m(courier.point, order.pickup.located.point) <= config.radius_m());
        assert_eq!(courier.sandbox, order.sandbox);
        let waited = now().since(order.status_since.max(order.ready_at));
        assert!(!order.released.contains(&courier.id) || waited >= config.reoffer_after());
        assert!(
            !taken.contains(&courier.id),
            "orders of different pickups share a courier"
        );
        taken.push(courier.id);
    }
    // A courier who is planned for orders that can wait is not free for the others.
    let planned = |courier: &&Candidate| {
        let mut planned = decisions
            .iter()
            .flatten()
            .filter_map(|decision| decision.assignment);
        planned.any(|assignment| assignment.courier == courier.id)
    };
    let free: Vec<Candidate> = couriers
        .iter()
        .filter(|courier| !planned(courier))
        .copied()
        .collect();
    let index = CourierIndex::new(&free);
    for (order, decision) in orders.iter().zip(decisions) {
        let Some(Decision {
            open: Some(reason), ..
        }) = decision
        else {
            continue;
        };
        let can_take = |courier: &Candidate| {
            courier.sandbox == order.sandbox && !order.released.contains(&courier.id)
        };
        let has_free = index.has_within(order.pickup.located.point, config.radius_m(), can_take);
        assert!(
            !has_free || *reason == OpenReason::CanWait,
            "{reason:?} with a free courier in reach"
        );
    }
}

#[test]
fn decisions_do_not_depend_on_the_order_of_couriers() {
    let template = order(1);
    for seed in 0..100 {
        let mut random = Random(1_000 + seed);
        let couriers: Vec<Candidate> = (1..=20).map(|id| candidate(id, random.point())).collect();
        let orders: Vec<Order> = (1..=12).map(|id| random.order(id, &template)).collect();
        let decide = |couriers: &mut dyn Iterator<Item = &Candidate>| {
            let couriers: Vec<Available> =
                couriers.map(|one| Available::free(*one, now())).collect();
            let decisions = decide_at(&orders, &couriers, now()).into_iter();
            // Couriers with equal costs have no defined order.
            decisions
                .map(|decision| {
                    decision.map(|one| (one.open, one.assignment.map(|planned| planned.cost)))
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(
            decide(&mut couriers.iter()),
            decide(&mut couriers.iter().rev()),
            "seed {seed}"
        );
    }
}

#[test]
fn nearest_courier_is_found_among_thirty_thousand() {
    // 30,000 couriers 1 to 8 km away, and the nearest one has the highest ID.
    let mut couriers: Vec<Available> = (1..=30_000)
        .map(|id| free(id, 1_000 + i32::try_from(id).unwrap() / 4))
        .collect();
    couriers.push(free(30_001, 0));
    assert_eq!(outcome(&order(1), &couriers), (None, Some((30_001, 1))));
}
