//! Orders and couriers in one state, and all steps that change them together. The steps use the
//! same functions as real requests.

use std::collections::BTreeMap;

use despacho_core::{
    changes::{Changes, Write},
    model::{
        DeliveryId, Entropy, ExecContext, IdBlock, OrderId, Timestamp,
        courier::{Courier, TripOrder},
        order::{DeliveryStatus, Order, OrderStatus},
        pay::{PayEntry, PaySource, StoredPayPlan, TripPosition},
    },
    rules::{
        lifecycle::{
            Cancellation, Carrier, Carry, ChosenCourier, FailedStep, Progress, ReassignError,
            Repricing, Signal, StepError, StepOutcome, Timing, TransitionEvent, allocate, cancel,
            cancel_by_platform, cancel_stop, carry, decline, expire, lose, next_deadline, platform,
            reassign, release, signal, without,
        },
        matching::Dispatch,
        trips::{Durations, TripContext, TripPlan},
    },
};

use crate::{model::plan, support::reasons};

/// Maximum number of orders in a trip of the deployment.
pub(crate) const MAX_ORDERS: u32 = 3;

/// Orders and couriers as they are stored.
#[derive(Clone)]
pub(crate) struct JointState {
    pub(crate) orders: Vec<Order>,
    pub(crate) couriers: Vec<Courier>,
    pub(crate) now: Timestamp,
    pub(crate) plans: Vec<StoredPayPlan>,
    /// The entries of pay by their unique keys.
    pub(crate) pay: BTreeMap<String, PayEntry>,
}

/// A step. Orders and couriers are indices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Allocate(usize, usize),
    Carry(usize, Carry),
    Signal(usize, Signal),
    Decline(usize),
    Release(usize),
    /// The operator chooses this courier, or none.
    Reassign(usize, Option<usize>),
    Cancel(usize),
    CancelStop(usize, DeliveryId),
    CancelByPlatform(usize),
    Lose(usize, DeliveryId),
    Clock(usize),
}

/// The result of an act.
pub(crate) enum Taken {
    /// The changes, which are not applied yet.
    Moved(Box<Changes>),
    /// Nothing changes.
    Nothing,
    /// The step is rejected. The changes count a wrong code.
    Rejected(StepError, Option<Box<Changes>>),
}

impl From<Result<StepOutcome, StepError>> for Taken {
    fn from(result: Result<StepOutcome, StepError>) -> Taken {
        match result {
            Ok(StepOutcome::Now(moved)) => Taken::Moved(Box::new(moved.1)),
            Ok(StepOutcome::Already) => Taken::Nothing,
            Err(error) => Taken::Rejected(error, None),
        }
    }
}

impl From<Option<(Order, Changes)>> for Taken {
    fn from(moved: Option<(Order, Changes)>) -> Taken {
        moved.map_or(Taken::Nothing, |(_, changes)| {
            Taken::Moved(Box::new(changes))
        })
    }
}

impl Act {
    pub(crate) fn order(&self) -> usize {
        match self {
            Act::Allocate(order, _) | Act::Carry(order, _) | Act::Signal(order, _) => *order,
            Act::Reassign(order, _) => *order,
            Act::Cancel(order) | Act::CancelStop(order, _) | Act::CancelByPlatform(order) => *order,
            Act::Decline(order) | Act::Release(order) | Act::Lose(order, _) | Act::Clock(order) => {
                *order
            }
        }
    }

    /// Returns whether the act needs no courier.
    pub(crate) fn is_possible_without_courier(&self) -> bool {
        !matches!(
            self,
            Act::Allocate(..) | Act::Carry(..) | Act::Decline(_) | Act::Reassign(..)
        )
    }
}

impl JointState {
    pub(crate) fn context(&self) -> ExecContext {
        // The pickup code of a released order depends on the versions, so that it differs from the
        // codes before.
        let versions: u32 = self.orders.iter().map(|order| order.version).sum();
        let mut seed = [7; 32];
        seed[..4].copy_from_slice(&versions.to_be_bytes());
        ExecContext {
            now: self.now,
            entropy: Entropy::new(seed),
        }
    }

    /// Returns the courier who carries an order.
    pub(crate) fn carrier(&self, order: &Order) -> Option<&Courier> {
        let assigned = order
            .courier
            .as_ref()
            .filter(|_| !order.status.is_final())?;
        self.couriers
            .iter()
            .find(|courier| courier.id == assigned.id)
    }

    fn order(&self, id: OrderId) -> &Order {
        self.orders.iter().find(|order| order.id == id).unwrap()
    }

    /// Returns the orders of a courier's trip.
    pub(crate) fn trip(&self, courier: &Courier) -> Vec<Order> {
        courier
            .trip
            .iter()
            .map(|one| self.order(one.id).clone())
            .collect()
    }

    /// Returns the other orders of an order's trip.
    pub(crate) fn others(&self, order: &Order) -> Vec<Order> {
        let trip = self
            .carrier(order)
            .map_or_else(Vec::new, |courier| self.trip(courier));
        trip.into_iter()
            .filter(|other| other.id != order.id)
            .collect()
    }

    /// Returns the order of the next stop of a courier's trip.
    pub(crate) fn next(&self, courier: &Courier) -> Option<OrderId> {
        let trip = self.trip(courier);
        let travel = |from, to| despacho_core::geo::great_circle_m(from, to) / 5;
        let trip: Vec<&Order> = trip.iter().collect();
        TripPlan::of(
            courier,
            &trip,
            &Durations::default(),
            &Dispatch::default(),
            &travel,
            self.now,
        )
        .next_order()
    }

    /// Takes a step. Nothing is applied.
    pub(crate) fn take(&self, act: &Act) -> Taken {
        let (order, mut context, mut ids) = (
            &self.orders[act.order()],
            self.context(),
            IdBlock::new(1, 9),
        );
        let (courier, reason) = (self.carrier(order), || "test".to_owned());
        let rules = Cancellation::default();
        match act {
            Act::Allocate(_, at) => {
                let (courier, now) = (&self.couriers[*at], self.now);
                let trip = self.trip(courier);
                let trip: Vec<&Order> = trip.iter().collect();
                allocate(
                    order,
                    courier,
                    &trip,
                    MAX_ORDERS,
                    reasons(courier.id, now),
                    &self.plans,
                    &context,
                )
                .into()
            }
            Act::Carry(_, act) => {
                courier.map_or(Taken::Nothing, |courier| self.carry(order, courier, act))
            }
            Act::Signal(_, value) => {
                let others = self.others(order);
                let ready_spread = Dispatch::default().ready_spread();
                let carrier = Carrier {
                    courier,
                    others: &others,
                    ready_spread,
                };
                signal(
                    order,
                    carrier,
                    platform(),
                    value,
                    &Timing::default(),
                    &mut context,
                )
                .into()
            }
            Act::Decline(_) => courier.map_or(Taken::Nothing, |courier| {
                decline(order, courier, reason(), None, &mut context).into()
            }),
            Act::Release(_) => courier.map_or(Taken::Nothing, |courier| {
                release(order, courier, platform(), &mut context).into()
            }),
            Act::Reassign(_, next) => {
                let next = next.map(|at| &self.couriers[at]);
                let trip = next.map_or_else(Vec::new, |courier| self.trip(courier));
                let chosen = next.map(|courier| ChosenCourier {
                    courier,
                    trip: &trip,
                    orders_per_trip: MAX_ORDERS,
                    plans: &self.plans,
                });
                match reassign(order, courier, chosen, reason(), &mut context) {
                    Ok(moved) => Some(moved).into(),
                    Err(ReassignError::Step(error)) => Taken::Rejected(error, None),
                    Err(ReassignError::Unavailable | ReassignError::Misfit(_)) => Taken::Nothing,
                }
            }
            Act::Cancel(_) => cancel(order, courier, platform(), None, &rules, &context).into(),
            Act::CancelStop(_, stop) => {
                let plan = plan(order, without(order, *stop).unwrap_or_default().len());
                let repriced = Repricing {
                    plan: &plan,
                    tariff_version: "t",
                    rules: &rules,
                };
                cancel_stop(order, *stop, repriced, platform(), None, &context).into()
            }
            Act::CancelByPlatform(_) => {
                cancel_by_platform(order, courier, reason(), &mut ids, &context).into()
            }
            Act::Lose(_, stop) => lose(order, courier, *stop, reason(), &mut ids, &context).into(),
            Act::Clock(_) => clock(order),
        }
    }

    fn carry(&self, order: &Order, courier: &Courier, act: &Carry) -> Taken {
        let others = self.others(order);
        let trip = TripContext {
            others: &others,
            next: self.next(courier).filter(|_| !others.is_empty()),
        };
        match carry(
            order,
            courier,
            trip,
            act,
            &mut IdBlock::new(1, 9),
            &mut self.context(),
        ) {
            Ok(taken) => Ok(taken).into(),
            Err(FailedStep { error, counted }) => Taken::Rejected(error, counted),
        }
    }

    /// Applies changes as storage does: each row only if its version is the expected one. The
    /// events are checked.
    pub(crate) fn apply(&mut self, changes: &Changes) {
        for Write { expected, value } in &changes.orders {
            let row = self
                .orders
                .iter_mut()
                .find(|order| order.id == value.id)
                .unwrap();
            assert_eq!((row.version, value.version), (*expected, expected + 1));
            let mut received = Progress::of(row);
            for event in changes
                .events
                .iter()
                .filter(|event| event.order == value.id)
            {
                assert_eq!(event.sequence, received.sequence + 1);
                received = received.apply(TransitionEvent::from(event)).unwrap();
            }
            assert_eq!(received, Progress::of(value));
            check_pay(row, value, &self.couriers, &changes.pay);
            *row = value.clone();
        }
        for entry in &changes.pay {
            let key = entry.unique_key().expect("it is calculated");
            let written = self.pay.insert(key.clone(), entry.clone());
            assert_eq!(written, None, "{key} is written twice");
        }
        for Write { expected, value } in &changes.couriers {
            let row = self
                .couriers
                .iter_mut()
                .find(|courier| courier.id == value.id)
                .unwrap();
            assert_eq!((row.version, value.version), (*expected, expected + 1));
            *row = value.clone();
        }
    }

    /// Returns all steps, valid or not, with the correct codes.
    pub(crate) fn acts(&self) -> Vec<Act> {
        let mut acts = Vec::new();
        for (at, order) in self
            .orders
            .iter()
            .enumerate()
            .filter(|(_, order)| !order.status.is_final())
        {
            acts.extend((0..self.couriers.len()).map(|courier| Act::Allocate(at, courier)));
            acts.extend((0..self.couriers.len()).map(|courier| Act::Reassign(at, Some(courier))));
            acts.push(Act::Reassign(at, None));
            acts.extend([
                Act::Decline(at),
                Act::Release(at),
                Act::Cancel(at),
                Act::CancelByPlatform(at),
                Act::Clock(at),
            ]);
            acts.push(Act::Carry(at, Carry::ReachPickup));
            acts.push(Act::Carry(
                at,
                Carry::PickUp {
                    code: order.pickup_code.clone(),
                },
            ));
            acts.push(Act::Carry(at, Carry::ReachReturn));
            acts.push(Act::Carry(
                at,
                Carry::HandBack {
                    code: order.return_code.clone().unwrap_or_default(),
                },
            ));
            acts.extend([
                Act::Signal(at, Signal::Ready),
                Act::Signal(at, Signal::Waive),
            ]);
            for minutes in [10, 30] {
                acts.push(Act::Signal(at, Signal::Delay { minutes, max: 40 }));
            }
            for delivery in &order.deliveries {
                let (stop, reason) = (delivery.id, "test".to_owned());
                acts.push(Act::Carry(at, Carry::SetOut(stop)));
                acts.push(Act::Carry(at, Carry::Resequence(stop)));
                acts.push(Act::Carry(at, Carry::ReachDoor(stop)));
                let code = Some(delivery.delivery_code.clone());
                acts.push(Act::Carry(at, Carry::Deliver { stop, code }));
                acts.push(Act::Carry(
                    at,
                    Carry::Fail {
                        stop,
                        reason: reason.clone(),
                    },
                ));
                acts.extend([
                    Act::Signal(at, Signal::Discard(stop)),
                    Act::Signal(at, Signal::TurnBack { stop, reason }),
                ]);
                acts.extend([Act::Lose(at, stop), Act::CancelStop(at, stop)]);
            }
        }
        acts
    }

    /// Returns the entries of the current assignment of an order.
    pub(crate) fn pay_of(&self, order: &Order) -> Vec<&PayEntry> {
        let prefix = format!("{}-{}-", order.id, order.attempt);
        let own = self.pay.iter().filter(|(key, _)| key.starts_with(&prefix));
        own.map(|(_, entry)| entry).collect()
    }

    /// Checks that orders and couriers agree about the trips, that every trip keeps its limits, and
    /// that the pay of an order is written at its end.
    pub(crate) fn check(&self) {
        for order in self.orders.iter().filter(|order| order.pay.is_some()) {
            let is_paid = !self.pay_of(order).is_empty();
            assert_eq!(is_paid, order.status.is_final(), "order {}", order.id);
        }
        let mut carried: Vec<OrderId> = Vec::new();
        for courier in &self.couriers {
            let trip = self.trip(courier);
            for (TripOrder { id, picked_up }, order) in courier.trip.iter().zip(&trip) {
                assert!(!carried.contains(id), "order {id} is in two trips");
                carried.push(*id);
                assert_eq!(
                    self.carrier(order).map(|carrier| carrier.id),
                    Some(courier.id)
                );
                assert!((OrderStatus::Allocated..OrderStatus::Completed).contains(&order.status));
                assert_eq!(*picked_up, order.status >= OrderStatus::OutForDelivery);
                assert_eq!(
                    (order.store, order.pickup.located),
                    (trip[0].store, trip[0].pickup.located)
                );
                assert!(
                    order.dispatch.combinable || trip.len() == 1,
                    "an order must ride by itself"
                );
                let max = order.dispatch.orders_per_trip.unwrap_or(MAX_ORDERS);
                assert!(
                    trip.len() <= usize::try_from(max).unwrap(),
                    "the trip is over its limit"
                );
            }
            let is_current =
                |status| matches!(status, DeliveryStatus::EnRoute | DeliveryStatus::Arrived);
            let current = trip
                .iter()
                .flat_map(|order| &order.deliveries)
                .filter(|stop| is_current(stop.status))
                .count();
            assert!(current <= 1, "{current} current stops");
            assert!(
                current == 0 || !trip.iter().any(|order| order.status.is_before_pickup()),
                "an order is left behind"
            );
        }
        let assigned = self
            .orders
            .iter()
            .filter(|order| self.carrier(order).is_some())
            .count();
        assert_eq!(
            assigned,
            carried.len(),
            "an order has a courier, but is in no trip"
        );
    }
}

/// Takes the timed transitions that are due at the order's next deadline.
fn clock(order: &Order) -> Taken {
    let timing = Timing::default();
    let Some(due) = next_deadline(order, &timing) else {
        return Taken::Nothing;
    };
    let mut value = Order {
        version: order.version + 1,
        ..order.clone()
    };
    let (events, ledger) = expire(&mut value, &timing, due);
    let orders = vec![Write {
        expected: order.version,
        value,
    }];
    Taken::Moved(Box::new(Changes {
        at: due,
        orders,
        events,
        ledger,
        ..Changes::default()
    }))
}

/// Checks the entries of one change of an order: the lines of its end, a share of an order that is
/// taken from its courier before the pickup, or none. The position is fixed at the pickup.
fn check_pay(before: &Order, after: &Order, couriers: &[Courier], pay: &[PayEntry]) {
    let own: Vec<&PayEntry> = pay
        .iter()
        .filter(|entry| entry.order == Some(after.id))
        .collect();
    let courier = |order: &Order| order.courier.as_ref().map(|courier| courier.id);
    let ends = !before.status.is_final() && after.status.is_final() && after.courier.is_some();
    let is_other = after.attempt != before.attempt || after.courier.is_none();
    let is_released = before.courier.is_some() && is_other;
    let (of, is_possible) = match (ends, is_released) {
        (true, _) => (after, !own.is_empty()),
        (false, true) => (before, before.status.is_before_pickup()),
        (false, false) => (after, own.is_empty()),
    };
    assert!(is_possible, "{} entries of {:?}", own.len(), after.status);
    for (line, entry) in (0..).zip(&own) {
        let attempt = of.attempt;
        assert_eq!(entry.source, PaySource::Order { attempt, line });
        assert_eq!(Some(entry.courier), courier(of));
        assert!(!entry.amount.is_negative());
    }
    if before.status.is_before_pickup() && after.status == OrderStatus::OutForDelivery {
        let trip = couriers
            .iter()
            .find(|one| Some(one.id) == courier(after))
            .map_or(&[][..], |courier| &courier.trip);
        let is_further = trip.iter().any(|one| one.picked_up);
        let position = after.pay.as_ref().and_then(|pay| pay.position);
        let expected = if is_further {
            TripPosition::Further
        } else {
            TripPosition::First
        };
        assert_eq!(position, Some(expected));
    } else if let (Some(fixed), Some(pay)) = (&before.pay, &after.pay)
        && before.attempt == after.attempt
    {
        assert_eq!((&fixed.plan, fixed.position), (&pay.plan, pay.position));
    }
}
