//! Explores the joint states of the orders and couriers of a store: all states of two orders, and
//! random paths of three.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use despacho_core::{
    memory::MemoryHost,
    model::{
        Duration, OrderId, PayPlanId, Point, StoreId, Timestamp,
        courier::Courier,
        order::{Order, OrderDispatch, OrderStatus},
        pay::{
            CancelledPercent, PayEntry, PayKind, PayPlan, PayTerms, Payer, ReturnPay, StoredPayPlan,
        },
    },
    rules::lifecycle::{
        Carry, MAX_WRONG_CODES, Progress, Signal, StepError,
        table::{Repeat, Step},
    },
};
use rust_decimal::Decimal;

use crate::{
    follow::Rng,
    support::{courier, create_order, host},
    trip_state::{Act, JointState, MAX_ORDERS, Taken},
};

/// Creates orders with a lead time that are ready in ten minutes, and two couriers. The first stop
/// of each order is at another place.
fn joint(paid: &[&[bool]]) -> JointState {
    state_of(&host(), "T", paid)
}

fn state_of(host: &MemoryHost, code: &str, paid: &[&[bool]]) -> JointState {
    let ready_at = host.now().after(Duration::minutes(10));
    let dispatch = OrderDispatch {
        lead_minutes: 60,
        ..OrderDispatch::default()
    };
    let order = |(at, paid): (usize, &&[bool])| {
        let mut order = create_order(host, &format!("{code}-{at}"), 10, paid);
        for delivery in &mut order.deliveries {
            delivery.place.located.point.lon_e7 += 30_000 * i32::try_from(at).unwrap();
        }
        Order {
            dispatch: dispatch.clone(),
            ready_at,
            sandbox: true,
            ..order
        }
    };
    let orders = paid.iter().enumerate().map(order).collect();
    let paid_by = |number, payer| Courier {
        pay: vec![PayTerms {
            store: None,
            plan: "plan".to_owned(),
            payer,
            shift_payer: payer,
        }],
        ..courier(host, number)
    };
    JointState {
        orders,
        couriers: vec![paid_by(7, Payer::Operator), paid_by(8, Payer::Store)],
        now: host.now(),
        plans: vec![pay_plan(host.now())],
        pay: BTreeMap::new(),
    }
}

/// Returns a plan with rules for each end of an order.
fn pay_plan(now: Timestamp) -> StoredPayPlan {
    let plan = PayPlan {
        version: "1".to_owned(),
        per_trip: Decimal::from(4),
        per_extra_order: Decimal::from(2),
        per_delivery: Decimal::from(3),
        returned: ReturnPay {
            fee: Decimal::ONE,
            per_km: Decimal::ONE,
        },
        cancelled_percent: CancelledPercent {
            assigned: Decimal::ZERO,
            arrived: Decimal::from(50),
        },
        ..PayPlan::default()
    };
    StoredPayPlan {
        id: PayPlanId::new(1).unwrap(),
        name: "plan".to_owned(),
        effective_from: now,
        created_at: now,
        plan: Arc::new(plan),
    }
}

/// An order's statuses, its courier, and the minutes until it is ready.
type Key = (u16, Vec<u16>, Option<u64>, i64);

fn key(joint: &JointState) -> Vec<Key> {
    let of = |order: &Order| {
        let waits = order.status < OrderStatus::OutForDelivery;
        let minutes = if waits {
            order.ready_at.since(joint.now).as_millis() / 60_000
        } else {
            0
        };
        let stops = order
            .deliveries
            .iter()
            .map(|delivery| delivery.status.number())
            .collect();
        (
            order.status.number(),
            stops,
            joint.carrier(order).map(|courier| courier.id.get()),
            minutes,
        )
    };
    joint.orders.iter().map(of).collect()
}

/// Returns whether a courier's trip can take an order, by the rules of trips.
fn can_take(joint: &JointState, order: &Order, courier: &Courier) -> bool {
    let trip = joint.trip(courier);
    let max = |order: &Order| {
        let limit = order.dispatch.orders_per_trip.unwrap_or(MAX_ORDERS);
        if order.dispatch.combinable { limit } else { 1 }
    };
    let is_open = |other: &Order| {
        matches!(
            other.status,
            OrderStatus::Allocated | OrderStatus::CourierAtPickup
        )
    };
    let is_same =
        |other: &Order| other.store == order.store && other.pickup.located == order.pickup.located;
    let limit = trip
        .iter()
        .map(max)
        .min()
        .unwrap_or(MAX_ORDERS)
        .min(max(order));
    order.status == OrderStatus::Searching
        && trip.iter().all(|other| is_open(other) && is_same(other))
        && u32::try_from(trip.len()).unwrap() < limit
}

/// Returns the orders that a courier's step of this order has to wait for. The first is the one
/// that the error names.
fn blocking(joint: &JointState, order: &Order, step: Step) -> Option<OrderId> {
    let others = joint.others(order);
    let waits = |other: &&Order| other.status < OrderStatus::OutForDelivery;
    match step {
        Step::SetOut => others.iter().find(waits).map(|other| other.id).or_else(|| {
            let next = joint.carrier(order).and_then(|courier| joint.next(courier));
            next.filter(|next| *next != order.id && !others.is_empty())
        }),
        Step::ReachReturn => others
            .iter()
            .find(|other| other.status <= OrderStatus::OutForDelivery)
            .map(|other| other.id),
        _ => None,
    }
}

/// Checks the result of an act: it follows the rules of trips, and changes no other order.
fn check_result(joint: &JointState, act: &Act, taken: &Taken) {
    let order = &joint.orders[act.order()];
    let context = || format!("{act:?} in {:?}", key(joint));
    match act {
        Act::Allocate(_, courier) => {
            let courier = &joint.couriers[*courier];
            assert_eq!(
                matches!(taken, Taken::Moved(_)),
                can_take(joint, order, courier),
                "{}",
                context()
            );
        }
        Act::Carry(_, carry) if joint.carrier(order).is_some() => {
            let (step, stop) = carry.step();
            let is_valid = Progress::of(order).take(step, stop).is_some();
            match (taken, blocking(joint, order, step)) {
                (Taken::Moved(_), None) => assert!(is_valid, "{}", context()),
                (Taken::Rejected(StepError::NotNext { next }, None), Some(blocking)) => {
                    assert!(is_valid && *next == blocking, "{}", context());
                }
                (Taken::Rejected(StepError::Invalid { .. }, None), _) => {
                    assert!(!is_valid, "{}", context())
                }
                (Taken::Nothing, _) => assert!(
                    !is_valid && step.row().repeat != Repeat::Never,
                    "{}",
                    context()
                ),
                _ => panic!("{}", context()),
            }
        }
        _ => assert!(
            !matches!(taken, Taken::Rejected(StepError::NotNext { .. }, _)),
            "{}",
            context()
        ),
    }
    let Taken::Moved(changes) = taken else { return };
    let written: Vec<OrderId> = changes.orders.iter().map(|write| write.value.id).collect();
    assert_eq!(written, [order.id], "{}", context());
    // A reassignment writes the courier before and the one after it.
    let max = if matches!(act, Act::Reassign(_, Some(_))) {
        2
    } else {
        1
    };
    assert!(changes.couriers.len() <= max, "{}", context());
    // A stop can be cancelled concurrently with any step of another order.
    if !matches!(act, Act::CancelStop(..)) && !joint.others(order).is_empty() {
        assert!(
            !changes.couriers.is_empty(),
            "concurrent steps must conflict: {}",
            context()
        );
    }
}

/// Checks that another order's code is rejected as such and counted, as is a code of no order.
fn check_codes(joint: &JointState) {
    for (at, order) in joint.orders.iter().enumerate() {
        let others = joint.others(order);
        if order.status != OrderStatus::CourierAtPickup {
            continue;
        }
        for other in others
            .iter()
            .filter(|other| other.pickup_code != order.pickup_code)
        {
            let act = Act::Carry(
                at,
                Carry::PickUp {
                    code: other.pickup_code.clone(),
                },
            );
            let Taken::Rejected(StepError::CodeOfOther { other: named }, Some(counted)) =
                joint.take(&act)
            else {
                panic!("the code of order {} was not recognized", other.id)
            };
            assert_eq!(named, other.id);
            let [write] = &counted.orders[..] else {
                panic!("only the order counts the code")
            };
            // The order also gets the courier's last position.
            let Order { tries, courier, .. } = write.value.clone();
            let expected = Order {
                tries,
                courier,
                version: order.version + 1,
                ..order.clone()
            };
            assert_eq!(
                (&write.value, write.value.tries.wrong),
                (&expected, order.tries.wrong + 1)
            );
        }
        let wrong = joint.take(&Act::Carry(
            at,
            Carry::PickUp {
                code: "nothing".to_owned(),
            },
        ));
        assert!(matches!(
            wrong,
            Taken::Rejected(StepError::CodeWrong { .. }, Some(_))
        ));
    }
}

/// Returns the states from which `ends` can be reached by these transitions.
fn reaching(
    ends: &BTreeSet<usize>,
    backwards: &BTreeMap<usize, BTreeSet<usize>>,
) -> BTreeSet<usize> {
    let (mut found, mut unexplored) = (ends.clone(), ends.iter().copied().collect::<Vec<_>>());
    while let Some(state) = unexplored.pop() {
        for before in backwards.get(&state).into_iter().flatten() {
            if found.insert(*before) {
                unexplored.push(*before);
            }
        }
    }
    found
}

#[test]
fn all_joint_states_of_two_orders_keep_the_rules_of_trips() {
    let mut states = vec![joint(&[&[true], &[false]])];
    let mut known = BTreeMap::from([(key(&states[0]), 0)]);
    // All transitions backwards, and those that need no courier.
    let (mut all, mut without) = (
        BTreeMap::<_, BTreeSet<_>>::new(),
        BTreeMap::<_, BTreeSet<_>>::new(),
    );
    let (mut ends, mut shared) = (BTreeSet::new(), 0);
    for number in 0.. {
        let Some(joint) = states.get(number).cloned() else {
            break;
        };
        check_codes(&joint);
        shared += usize::from(joint.couriers.iter().any(|courier| courier.trip.len() == 2));
        if joint.orders.iter().all(|order| order.status.is_final()) {
            ends.insert(number);
        }
        for act in joint.acts() {
            let taken = joint.take(&act);
            check_result(&joint, &act, &taken);
            let Taken::Moved(changes) = taken else {
                continue;
            };
            let mut next = joint.clone();
            next.apply(&changes);
            next.check();
            let to = *known.entry(key(&next)).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            });
            all.entry(to).or_default().insert(number);
            if act.is_possible_without_courier() {
                without.entry(to).or_default().insert(number);
            }
        }
    }
    assert!(
        states.len() > 1_000 && shared > 200,
        "{} states, {shared} with a shared trip",
        states.len()
    );
    assert_eq!(
        reaching(&ends, &all).len(),
        states.len(),
        "a state has no end"
    );
    assert_eq!(
        reaching(&ends, &without).len(),
        states.len(),
        "an order has no end if its courier disappears"
    );
}

/// Returns orders with random terms, of which some are of another store or pickup.
fn random_state(host: &MemoryHost, number: u32, rng: &mut Rng) -> JointState {
    let paid: Vec<Vec<bool>> = (0..3)
        .map(|_| (0..=rng.below(3)).map(|_| rng.below(4) > 0).collect())
        .collect();
    let paid: Vec<&[bool]> = paid.iter().map(Vec::as_slice).collect();
    let mut joint = state_of(host, &format!("T{number}"), &paid);
    // In every other joint, all orders can share a trip.
    for order in joint.orders.iter_mut().filter(|_| number.is_multiple_of(2)) {
        order.dispatch.combinable = rng.below(8) > 0;
        order.dispatch.orders_per_trip =
            [None, None, None, Some(1), Some(2), Some(3)][rng.below(6)];
        match rng.below(16) {
            0 => order.store = StoreId::new(999).unwrap(),
            1 => order.pickup.located.point.lat_e7 += 1,
            _ => {}
        }
    }
    joint
}

/// Returns whether an act ends an order early. Such acts are rarer, so longer paths occur often
/// enough.
fn is_rare(act: &Act) -> bool {
    use Act as A;
    let is_early = matches!(
        act,
        A::Cancel(_) | A::CancelStop(..) | A::CancelByPlatform(_) | A::Lose(..) | A::Release(_)
    ) || matches!(act, A::Reassign(..));
    let is_failure = matches!(
        act,
        A::Carry(_, Carry::Fail { .. }) | A::Decline(_) | A::Clock(_)
    );
    let by_merchant = matches!(
        act,
        A::Signal(
            _,
            Signal::TurnBack { .. } | Signal::Discard(_) | Signal::Waive
        )
    );
    is_early || is_failure || by_merchant
}

#[test]
fn random_paths_of_three_orders_keep_the_rules_of_trips() {
    let (host, mut rng) = (host(), Rng(11));
    let (mut longest, mut completed, mut rejected, mut paid) = (0, 0, 0, 0);
    for number in 0..120 {
        let mut joint = random_state(&host, number, &mut rng);
        for step in 0..400 {
            if rng.below(8) == 0 {
                let at = rng.below(2);
                let mut degree =
                    |from: f64| from + f64::from(u32::try_from(rng.below(1_000)).unwrap()) / 1e5;
                joint.couriers[at].position = Point::from_degrees(degree(-23.56), degree(-46.66));
            }
            let acts = joint.acts();
            if acts.is_empty() {
                break;
            }
            let act = &acts[rng.below(acts.len())];
            let taken = joint.take(act);
            check_result(&joint, act, &taken);
            if step % 20 == 0 {
                check_codes(&joint);
            }
            match taken {
                Taken::Moved(changes) if !is_rare(act) || rng.below(12) == 0 => {
                    joint.apply(&changes);
                    paid += changes.pay.len();
                    // A repeated request writes nothing again.
                    if let Taken::Moved(again) = joint.take(act) {
                        let is_new = |entry: &PayEntry| {
                            let key = entry.unique_key().unwrap();
                            !joint.pay.contains_key(&key)
                        };
                        assert!(again.pay.iter().all(is_new), "{act:?} pays twice");
                    }
                }
                Taken::Rejected(StepError::NotNext { .. }, _) => rejected += 1,
                _ => {}
            }
            joint.check();
            longest = longest.max(
                joint
                    .couriers
                    .iter()
                    .map(|courier| courier.trip.len())
                    .max()
                    .unwrap_or(0),
            );
        }
        completed += joint
            .orders
            .iter()
            .filter(|order| order.status == OrderStatus::Completed)
            .count();
        end_without_courier(&mut joint);
    }
    assert!(
        longest == 3 && completed > 10 && rejected > 10 && paid > 200,
        "{longest}, {completed}, {rejected}, {paid}"
    );
}

/// Ends all orders without their couriers, each with as few kinds of steps as possible.
fn end_without_courier(joint: &mut JointState) {
    for _ in 0..100 {
        let ends = |act: &Act| {
            matches!(
                act,
                Act::Release(_)
                    | Act::Lose(..)
                    | Act::Clock(_)
                    | Act::Signal(_, Signal::Ready | Signal::Waive)
            )
        };
        let moved = joint
            .acts()
            .into_iter()
            .filter(ends)
            .find_map(|act| match joint.take(&act) {
                Taken::Moved(changes) => Some(*changes),
                _ => None,
            });
        let Some(changes) = moved else { break };
        joint.apply(&changes);
        joint.check();
    }
    assert!(
        joint.orders.iter().all(|order| order.status.is_final()),
        "{:?}",
        key(joint)
    );
    assert!(joint.couriers.iter().all(|courier| courier.trip.is_empty()));
}

/// Assigns these orders to the first courier, who reaches the pickup.
fn at_pickup(paid: &[&[bool]]) -> JointState {
    let mut joint = joint(paid);
    let steps = |at| {
        [
            Act::Clock(at),
            Act::Allocate(at, 0),
            Act::Carry(at, Carry::ReachPickup),
        ]
    };
    for act in (0..paid.len()).flat_map(steps) {
        apply(&mut joint, &act);
    }
    joint
}

fn apply(joint: &mut JointState, act: &Act) {
    let Taken::Moved(changes) = joint.take(act) else {
        panic!("{act:?} is rejected")
    };
    joint.apply(&changes);
    joint.check();
}

#[test]
fn codes_of_the_other_order_lock_after_five_attempts() {
    let mut joint = at_pickup(&[&[true], &[true]]);
    let code = joint.orders[1].pickup_code.clone();
    let act = Act::Carry(0, Carry::PickUp { code });
    for _ in 0..MAX_WRONG_CODES {
        let Taken::Rejected(StepError::CodeOfOther { .. }, Some(counted)) = joint.take(&act) else {
            panic!("{act:?}")
        };
        joint.apply(&counted);
    }
    assert!(matches!(
        joint.take(&act),
        Taken::Rejected(StepError::CodeLocked { .. }, None)
    ));
    // The count is one of the order, not of the trip.
    let code = joint.orders[1].pickup_code.clone();
    apply(&mut joint, &Act::Carry(1, Carry::PickUp { code }));
}

#[test]
fn return_code_of_the_other_order_is_rejected() {
    let mut joint = at_pickup(&[&[true], &[true]]);
    for at in 0..2 {
        let (code, stop) = (
            joint.orders[at].pickup_code.clone(),
            joint.orders[at].deliveries[0].id,
        );
        apply(&mut joint, &Act::Carry(at, Carry::PickUp { code }));
        apply(
            &mut joint,
            &Act::Carry(
                at,
                Carry::Fail {
                    stop,
                    reason: "test".to_owned(),
                },
            ),
        );
    }
    (0..2).for_each(|at| apply(&mut joint, &Act::Carry(at, Carry::ReachReturn)));
    let [own, other] = [0, 1].map(|at: usize| joint.orders[at].return_code.clone().unwrap());
    assert_ne!(own, other);
    let taken = joint.take(&Act::Carry(0, Carry::HandBack { code: other }));
    assert!(
        matches!(taken, Taken::Rejected(StepError::CodeOfOther { other }, Some(_)) if other == joint.orders[1].id)
    );
    apply(&mut joint, &Act::Carry(0, Carry::HandBack { code: own }));
    assert_eq!(joint.couriers[0].trip.len(), 1);
}

#[test]
fn delivery_code_of_the_other_order_is_rejected() {
    let mut joint = at_pickup(&[&[true], &[true]]);
    for at in 0..2 {
        let code = joint.orders[at].pickup_code.clone();
        apply(&mut joint, &Act::Carry(at, Carry::PickUp { code }));
    }
    let first = joint.next(&joint.couriers[0]).unwrap();
    let at = usize::from(joint.orders[1].id == first);
    let (stop, other) = (joint.orders[at].deliveries[0].id, &joint.orders[1 - at]);
    let (code, other) = (Some(other.deliveries[0].delivery_code.clone()), other.id);
    assert_ne!(
        code.as_ref(),
        Some(&joint.orders[at].deliveries[0].delivery_code)
    );
    apply(&mut joint, &Act::Carry(at, Carry::SetOut(stop)));
    apply(&mut joint, &Act::Carry(at, Carry::ReachDoor(stop)));
    let taken = joint.take(&Act::Carry(at, Carry::Deliver { stop, code }));
    assert!(
        matches!(taken, Taken::Rejected(StepError::CodeOfOther { other: named }, Some(_)) if named == other)
    );
}

#[test]
fn delay_beyond_the_spread_takes_the_order_out_of_its_trip() {
    for (minutes, stays) in [(20, true), (21, false), (30, false)] {
        let mut joint = at_pickup(&[&[true], &[true], &[true]]);
        let code = joint.orders[0].pickup_code.clone();
        apply(
            &mut joint,
            &Act::Signal(
                0,
                Signal::Delay {
                    minutes,
                    max: 1_440,
                },
            ),
        );
        let delayed = &joint.orders[0];
        assert_eq!(
            (
                delayed.courier.is_some(),
                joint.couriers[0].carries(delayed.id)
            ),
            (stays, stays),
            "{minutes}"
        );
        assert_eq!(
            delayed.status,
            if stays {
                OrderStatus::CourierAtPickup
            } else {
                OrderStatus::Searching
            }
        );
        assert_eq!(
            delayed.pickup_code == code,
            stays,
            "a released order gets a new code"
        );
        assert_eq!(
            delayed.ready_at.since(joint.now),
            Duration::minutes(i64::from(minutes) + 10)
        );
        assert_eq!(joint.couriers[0].trip.len(), if stays { 3 } else { 2 });
    }
    // An order by itself keeps its courier.
    let mut joint = at_pickup(&[&[true]]);
    apply(
        &mut joint,
        &Act::Signal(
            0,
            Signal::Delay {
                minutes: 500,
                max: 1_440,
            },
        ),
    );
    assert_eq!(joint.couriers[0].trip.len(), 1);
}

/// Returns the kinds and amounts of the entries of an order, or of its earlier assignment.
fn lines(joint: &JointState, order: usize, attempt: u32) -> Vec<(PayKind, String)> {
    let order = Order {
        attempt,
        ..joint.orders[order].clone()
    };
    let entries = joint.pay_of(&order);
    entries
        .iter()
        .map(|entry| (entry.kind, entry.amount.to_string()))
        .collect()
}

#[test]
fn order_reassigned_at_the_pickup_pays_both_couriers_once() {
    let mut joint = at_pickup(&[&[true]]);
    apply(&mut joint, &Act::Reassign(0, Some(1)));
    let share = [(PayKind::Cancellation, "3.50".to_owned())];
    assert_eq!(lines(&joint, 0, 1), share);
    apply(&mut joint, &Act::Carry(0, Carry::ReachPickup));
    let code = joint.orders[0].pickup_code.clone();
    apply(&mut joint, &Act::Carry(0, Carry::PickUp { code }));
    // With the goods, the order stays with its courier until its end.
    assert!(matches!(
        joint.take(&Act::Reassign(0, Some(0))),
        Taken::Rejected(StepError::Invalid { .. }, None)
    ));
    let stop = joint.orders[0].deliveries[0].id;
    let code = Some(joint.orders[0].deliveries[0].delivery_code.clone());
    for act in [
        Carry::SetOut(stop),
        Carry::ReachDoor(stop),
        Carry::Deliver { stop, code },
    ] {
        assert_eq!(lines(&joint, 0, 2), []);
        apply(&mut joint, &Act::Carry(0, act));
    }
    let paid = [(PayKind::Trip, "4.00"), (PayKind::Delivery, "3.00")];
    let paid = paid.map(|(kind, amount)| (kind, amount.to_owned()));
    assert_eq!(lines(&joint, 0, 2), paid);
    assert_eq!(lines(&joint, 0, 1), share);
    let payers: Vec<_> = joint.pay.values().map(|entry| entry.payer).collect();
    let store = Some(joint.orders[0].store);
    assert_eq!(payers, [None, store, store]);
}

#[test]
fn courier_who_gives_up_an_order_earns_nothing() {
    let mut joint = at_pickup(&[&[true]]);
    apply(&mut joint, &Act::Decline(0));
    assert!(joint.pay.is_empty() && joint.orders[0].pay.is_none());
}

#[test]
fn waived_return_states_why_its_pay_is_missing() {
    let mut joint = at_pickup(&[&[false]]);
    let code = joint.orders[0].pickup_code.clone();
    let delivery = &joint.orders[0].deliveries[0];
    let (stop, given) = (delivery.id, Some(delivery.delivery_code.clone()));
    for act in [
        Act::Carry(0, Carry::PickUp { code }),
        Act::Carry(0, Carry::SetOut(stop)),
        Act::Carry(0, Carry::ReachDoor(stop)),
        Act::Carry(0, Carry::Deliver { stop, code: given }),
        Act::Signal(0, Signal::Waive),
    ] {
        apply(&mut joint, &act);
    }
    let last = joint.pay.values().last().unwrap();
    assert_eq!(
        (last.kind, last.amount.centavos(), last.reason.as_deref()),
        (PayKind::Return, 0, Some("not_returned"))
    );
}
