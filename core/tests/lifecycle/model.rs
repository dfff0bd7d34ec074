//! Explores all paths through the transition table for up to three deliveries, with and without a
//! return. The steps use the same functions as real requests.

use std::collections::{BTreeMap, BTreeSet};

use despacho_core::{
    changes::Changes,
    host::Platform,
    memory::MemoryHost,
    model::{
        DeliveryId, Duration, ExecContext, IdBlock, Money, Timestamp,
        audit::{Actor, ActorKind},
        courier::{Courier, TripOrder},
        order::{Eta, LinkKey, Order, OrderDispatch, OrderStatus, PaymentMethod, Tracking},
        store::{KeyHash, NotifyAt, RecipientChoice},
    },
    rules::{
        lifecycle::{
            Cancellation, Carrier, Carry, FailedStep, Progress, ReassignError, Receipt,
            RecipientStep, RecipientStepError, Repricing, Signal, StepError, StepOutcome, Timing,
            TransitionEvent, allocate, cancel, cancel_by_platform, cancel_stop, carry, decline,
            estimate, expire, lose, next_deadline, platform, reassign, recipient_step,
            record_payment, signal,
            table::{Move, Step, TABLE},
            without,
        },
        pricing::{Plan, Times},
        trips::TripContext,
    },
};

use crate::support::{courier, create_order, host, reasons};

/// A state of the model: the statuses of an order and its deliveries.
pub(crate) type State = (u16, Vec<u16>);

fn state(order: &Order) -> State {
    (
        order.status.number(),
        order
            .deliveries
            .iter()
            .map(|delivery| delivery.status.number())
            .collect(),
    )
}

/// Result of a step.
enum Outcome {
    Moved(Box<(Order, Changes)>),
    AlreadyDone,
    Rejected(StepError),
}

impl From<Result<StepOutcome, StepError>> for Outcome {
    fn from(result: Result<StepOutcome, StepError>) -> Outcome {
        match result {
            Ok(StepOutcome::Now(moved)) => Outcome::Moved(moved),
            Ok(StepOutcome::Already) => Outcome::AlreadyDone,
            Err(error) => Outcome::Rejected(error),
        }
    }
}

/// Returns the order with a link for each delivery, and messages due at the pickup and the
/// departure.
fn with_links(mut order: Order) -> Order {
    for delivery in &mut order.deliveries {
        let link = LinkKey {
            nonce: "00".to_owned(),
            hash: KeyHash::of(&delivery.id.to_string()),
        };
        let notify_at = vec![NotifyAt::PickedUp, NotifyAt::EnRoute];
        delivery.tracking = Some(Tracking {
            link: Some(link),
            notify_at,
            ..Tracking::default()
        });
    }
    order
}

fn by_recipient(order: &Order, stop: DeliveryId, act: &RecipientStep, now: Timestamp) -> Outcome {
    recipient_step(order, stop, act, now)
        .map_err(|error| match error {
            RecipientStepError::Step(error) => error,
            RecipientStepError::AlreadyRated => panic!("the delivery has no rating"),
        })
        .into()
}

/// The outcome of a dispatch or clock step that did nothing because the table has no such
/// transition.
fn invalid() -> Outcome {
    Outcome::Rejected(StepError::Invalid {
        status: OrderStatus::Scheduled,
        possible: vec![],
    })
}

pub(crate) struct ModelHost {
    pub(crate) host: MemoryHost,
    pub(crate) courier: Courier,
}

impl ModelHost {
    fn exec_context(&self) -> ExecContext {
        self.host.exec_context()
    }

    /// Returns the courier, assigned to the order if the order has one.
    fn courier_of(&self, order: &Order) -> Courier {
        let picked_up = order.status >= OrderStatus::OutForDelivery;
        let trip = order
            .courier
            .iter()
            .map(|_| TripOrder {
                id: order.id,
                picked_up,
            })
            .collect();
        Courier {
            trip,
            ..self.courier.clone()
        }
    }

    /// Takes a step with the function that real requests use and with the correct codes.
    fn take(&self, order: &Order, step: Step, stop: Option<DeliveryId>) -> Option<Outcome> {
        let order = &with_links(self.at_time_of(order, step)?);
        let courier = self.courier_of(order);
        let (mut context, mut ids) = (self.exec_context(), IdBlock::new(1, 9));
        let reason = || "test".to_owned();
        let carried = |act: Carry, context: &mut ExecContext| {
            Outcome::from(
                carry(
                    order,
                    &courier,
                    TripContext::default(),
                    &act,
                    &mut IdBlock::new(1, 9),
                    context,
                )
                .map_err(|FailedStep { error, .. }| error),
            )
        };
        let send_signal = |value: Signal, context: &mut ExecContext| {
            let carrier = Carrier {
                courier: Some(&courier),
                ..Carrier::default()
            };
            Outcome::from(signal(
                order,
                carrier,
                platform(),
                &value,
                &Timing::default(),
                context,
            ))
        };
        let rules = |free_minutes| Cancellation {
            free_minutes,
            ..Cancellation::default()
        };
        let cancelled = |free_minutes| {
            let later = ExecContext {
                now: self.host.now().after(Duration::minutes(1)),
                ..self.exec_context()
            };
            Outcome::from(cancel(
                order,
                Some(&courier),
                platform(),
                None,
                &rules(free_minutes),
                &later,
            ))
        };
        Some(match step {
            // A message is recorded with the step after which it is due, so its event is checked
            // there.
            Step::Prepare | Step::PlaceReady | Step::Schedule | Step::Notify => return None,
            Step::Choose => by_recipient(
                order,
                stop?,
                &RecipientStep::Choose(RecipientChoice::AtDoor),
                context.now,
            ),
            Step::RecordPayment => {
                let delivery = order.deliveries.iter().find(|one| Some(one.id) == stop)?;
                // Nothing is due for a paid delivery, whatever its status is.
                if delivery.online_payment {
                    return None;
                }
                let receipt = Receipt {
                    method: Some(PaymentMethod::Pix),
                    amount: Money::ZERO,
                    reference: None,
                };
                let login = Actor {
                    kind: ActorKind::Operator,
                    id: None,
                    name: None,
                };
                record_payment(order, stop?, &receipt, (platform(), login), context.now).into()
            }
            Step::Rate => by_recipient(
                order,
                stop?,
                &RecipientStep::Rate {
                    stars: 5,
                    text: None,
                },
                context.now,
            ),
            Step::Delay | Step::Postpone => send_signal(
                Signal::Delay {
                    minutes: 1,
                    max: 1_440,
                },
                &mut context,
            ),
            Step::MakeReady | Step::FinishEarly => send_signal(Signal::Ready, &mut context),
            Step::StartPreparation | Step::Search | Step::Expire => self.expire(order, step),
            Step::Allocate => {
                let idle = Courier {
                    trip: Vec::new(),
                    sandbox: order.sandbox,
                    ..courier
                };
                allocate(
                    order,
                    &idle,
                    &[],
                    3,
                    reasons(idle.id, context.now),
                    &[],
                    &context,
                )
                .map_or_else(invalid, |moved| Outcome::Moved(Box::new(moved)))
            }
            Step::Estimate => {
                let eta = Eta {
                    pickup: None,
                    delivery: order.created_at.after(Duration::minutes(600)),
                    at: context.now,
                };
                estimate(order, eta, context.now)
                    .map_or_else(invalid, |moved| Outcome::Moved(Box::new(moved)))
            }
            Step::ReachPickup => carried(Carry::ReachPickup, &mut context),
            Step::Release => decline(order, &courier, reason(), None, &mut context)
                .map_or_else(invalid, |moved| Outcome::Moved(Box::new(moved))),
            Step::Withdraw => match reassign(order, Some(&courier), None, reason(), &mut context) {
                Ok(moved) => Outcome::Moved(Box::new(moved)),
                Err(ReassignError::Step(error)) => Outcome::Rejected(error),
                Err(ReassignError::Unavailable | ReassignError::Misfit(_)) => {
                    panic!("the courier carries the order")
                }
            },
            Step::PickUp => carried(
                Carry::PickUp {
                    code: order.pickup_code.clone(),
                },
                &mut context,
            ),
            Step::SetOut => carried(Carry::SetOut(stop?), &mut context),
            Step::Resequence => carried(Carry::Resequence(stop?), &mut context),
            Step::ReachDoor => carried(Carry::ReachDoor(stop?), &mut context),
            Step::Deliver => {
                let code = order
                    .deliveries
                    .iter()
                    .find(|one| Some(one.id) == stop)
                    .map(|one| one.delivery_code.clone());
                carried(Carry::Deliver { stop: stop?, code }, &mut context)
            }
            Step::Discard => send_signal(Signal::Discard(stop?), &mut context),
            Step::TurnBack => carried(
                Carry::Fail {
                    stop: stop?,
                    reason: reason(),
                },
                &mut context,
            ),
            Step::ReachReturn => carried(Carry::ReachReturn, &mut context),
            Step::HandBack => carried(
                Carry::HandBack {
                    code: order.return_code.clone().unwrap_or_default(),
                },
                &mut context,
            ),
            Step::Waive => send_signal(Signal::Waive, &mut context),
            Step::Lose => lose(order, Some(&courier), stop?, reason(), &mut ids, &context).into(),
            Step::CancelStop => {
                let plan = plan(order, without(order, stop?).unwrap_or_default().len());
                let repriced = Repricing {
                    plan: &plan,
                    tariff_version: "t",
                    rules: &rules(1_000),
                };
                cancel_stop(order, stop?, repriced, platform(), None, &context).into()
            }
            Step::Cancel => cancelled(1_000),
            Step::CancelLate => cancelled(0),
            Step::CancelByPlatform => {
                cancel_by_platform(order, Some(&courier), reason(), &mut ids, &context).into()
            }
        })
    }

    /// Returns the order at a time at which the step is possible. Returns `None` if the step is
    /// possible only with a lead time, or only without.
    fn at_time_of(&self, order: &Order, step: Step) -> Option<Order> {
        let (has_lead, now) = (order.dispatch.lead_minutes > 0, self.host.now());
        let has_begun = order.status >= OrderStatus::Searching;
        let ready_at = match step {
            Step::Postpone | Step::FinishEarly if !has_lead => return None,
            // The same signals are these steps before the search, and the other two afterwards.
            Step::Delay if has_lead && has_begun => return None,
            Step::Postpone | Step::FinishEarly if !has_begun => return None,
            Step::Search if !has_lead && order.status == OrderStatus::Preparing => return None,
            Step::MakeReady if has_lead && has_begun => now,
            Step::FinishEarly => now.after(Duration::minutes(30)),
            _ => order.ready_at,
        };
        Some(Order {
            ready_at,
            eta: order.eta.filter(|_| step != Step::Estimate),
            ..order.clone()
        })
    }

    /// Applies the next timed transition at its deadline.
    fn expire(&self, order: &Order, step: Step) -> Outcome {
        let (mut moved, timing) = (
            Order {
                version: order.version + 1,
                ..order.clone()
            },
            Timing::default(),
        );
        let due = next_deadline(order, &timing)
            .unwrap_or_default()
            .max(order.status_since);
        let (events, ledger) = expire(&mut moved, &timing, due);
        if events.len() != 1 || events[0].kind != step.row().event {
            return invalid();
        }
        Outcome::Moved(Box::new((
            moved,
            Changes {
                events,
                ledger,
                ..Changes::default()
            },
        )))
    }
}

/// Returns a free plan for this number of stops.
pub(crate) fn plan(order: &Order, stops: usize) -> Plan {
    let at = order.created_at;
    Plan {
        order: (0..stops).collect(),
        legs: vec![
            despacho_core::model::Leg {
                metres: 1,
                seconds: 1
            };
            stops
        ],
        back: order.return_leg.map(|_| despacho_core::model::Leg {
            metres: 1,
            seconds: 1,
        }),
        total_distance: despacho_core::model::Distance(1),
        lines: vec![],
        fee: despacho_core::model::Money::ZERO,
        fee_range: None,
        times: Times {
            ready: at,
            pickup: at,
            delivery: at,
        },
        estimated: false,
        rough_places: Vec::new(),
        has_near_leg: false,
        lowered: false,
    }
}

/// Explores all states that can be reached from `starts`. Returns each state with its successors.
pub(crate) fn explore(
    model: &ModelHost,
    starts: Vec<Order>,
) -> BTreeMap<State, (Order, BTreeSet<State>)> {
    let mut unexplored = starts;
    let mut seen: BTreeMap<State, (Order, BTreeSet<State>)> = BTreeMap::new();
    while let Some(order) = unexplored.pop() {
        if seen.contains_key(&state(&order)) {
            continue;
        }
        let mut nexts = BTreeSet::new();
        let stops: Vec<Option<DeliveryId>> = order
            .deliveries
            .iter()
            .map(|delivery| Some(delivery.id))
            .collect();
        for row in TABLE {
            let is_order_step = !matches!(
                row.moves,
                Move::Delivery { .. } | Move::DeliveryUnchanged { .. }
            );
            for stop in if is_order_step { &[None][..] } else { &stops } {
                let allowed = Progress::of(&order).take(row.step, *stop);
                let Some(outcome) = model.take(&order, row.step, *stop) else {
                    continue;
                };
                match (allowed, outcome) {
                    // The steps after the end, which change no status.
                    (Some(expected), Outcome::Moved(moved)) if row.step.follows_end() => {
                        check(model, &order, row.step, &expected, &moved);
                        assert_eq!(state(&moved.0), state(&order));
                    }
                    (Some(expected), Outcome::Moved(moved)) => {
                        check(model, &order, row.step, &expected, &moved);
                        nexts.insert(state(&moved.0));
                        unexplored.push(moved.0);
                    }
                    // The step was already taken, or the table has no such transition.
                    (None, Outcome::AlreadyDone | Outcome::Rejected(StepError::Invalid { .. })) => {
                    }
                    (None, Outcome::Rejected(StepError::ReturnRequired)) => assert!(matches!(
                        row.step,
                        Step::Cancel | Step::CancelLate | Step::CancelByPlatform | Step::CancelStop
                    )),
                    (None, Outcome::Rejected(StepError::LastStop)) => {
                        assert_eq!(row.step, Step::CancelStop)
                    }
                    (Some(_), Outcome::AlreadyDone) => {
                        panic!("{:?} from {:?} was not taken", row.step, state(&order))
                    }
                    (_, Outcome::Rejected(error)) => {
                        panic!("{:?} from {:?}: {error:?}", row.step, state(&order))
                    }
                    (None, Outcome::Moved(moved)) => {
                        panic!(
                            "{:?} from {:?} to {:?} is not in the table",
                            row.step,
                            state(&order),
                            state(&moved.0)
                        )
                    }
                }
            }
        }
        seen.insert(state(&order), (order, nexts));
    }
    seen
}

/// Checks a transition: replaying its events gives the new status, sequence numbers have no gap,
/// and an ended order has released its courier.
fn check(
    model: &ModelHost,
    before: &Order,
    step: Step,
    expected: &Progress,
    moved: &(Order, Changes),
) {
    let (after, changes) = moved;
    let mut received = Progress::of(before);
    // A client that follows the order ignores the steps after the end.
    if before.status.is_final() {
        assert!(step.follows_end());
        assert_eq!(changes.events.len(), 1);
        received.sequence += 1;
    }
    for event in changes.events.iter().filter(|_| !before.status.is_final()) {
        assert_eq!(event.sequence, received.sequence + 1);
        received = received
            .apply(TransitionEvent::from(event))
            .unwrap_or_else(|replay_error| panic!("{event:?}: {replay_error:?}"));
    }
    assert_eq!(
        received,
        Progress::of(after),
        "{step:?} from {:?}",
        state(before)
    );
    let is_cancellation = matches!(step, Step::Cancel | Step::CancelLate);
    // The cancellation terms determine the kind of cancellation, and `MakeReady` also starts the
    // courier search.
    if !is_cancellation && step != Step::MakeReady {
        assert_eq!(
            Progress {
                sequence: 0,
                ..received
            },
            Progress {
                sequence: 0,
                ..expected.clone()
            }
        );
    }
    assert_eq!(after.version, before.version + 1);
    if after.status.is_final()
        && !before.status.is_final()
        && !model.courier_of(before).trip.is_empty()
    {
        assert!(
            changes
                .couriers
                .iter()
                .any(|write| write.value.trip.is_empty()),
            "{step:?} does not release the courier"
        );
    }
}

/// Returns the order as if it had been created for a time in ten hours.
pub(crate) fn scheduled(order: Order) -> Order {
    let ready_at = order.ready_at.after(Duration::minutes(600));
    Order {
        status: OrderStatus::Scheduled,
        ready_at,
        ..order
    }
}

#[test]
fn every_path_ends_and_no_other_transition_is_possible() {
    explore_all(false);
}

#[test]
fn every_path_with_a_lead_time_ends() {
    explore_all(true);
}

fn explore_all(has_lead: bool) {
    let host = host();
    let model = ModelHost {
        courier: courier(&host, 7),
        host,
    };
    let (mut states, mut finals) = (0, BTreeSet::new());
    for stops in 1..=3 {
        for cash in 0..(1 << stops) {
            let paid: Vec<bool> = (0..stops).map(|stop| cash & (1 << stop) == 0).collect();
            let codes = (format!("M-{stops}-{cash}"), format!("N-{stops}-{cash}"));
            let starts = [
                create_order(&model.host, &codes.0, 30, &paid),
                create_order(&model.host, &codes.1, 0, &paid),
            ];
            let dispatch = OrderDispatch {
                lead_minutes: 10,
                ..OrderDispatch::default()
            };
            let early = Order {
                dispatch,
                ..starts[0].clone()
            };
            let starts = if has_lead {
                vec![scheduled(early)]
            } else {
                [starts.to_vec(), vec![scheduled(starts[0].clone())]].concat()
            };
            let seen = explore(&model, starts);
            states += seen.len();
            // Search backwards from the final states. States that are not found cannot reach one.
            let mut ends: BTreeSet<&State> =
                seen.keys().filter(|(order, _)| *order >= 500).collect();
            finals.extend(ends.iter().map(|(order, _)| *order));
            for end in &ends {
                assert!(
                    seen[*end].1.is_empty(),
                    "final state {end:?} has a successor"
                );
                assert!(
                    end.1.iter().all(|delivery| *delivery >= 500),
                    "{end:?} leaves a delivery open"
                );
            }
            loop {
                let more: Vec<&State> = seen
                    .iter()
                    .filter(|(state, (_, nexts))| {
                        !ends.contains(state) && nexts.iter().any(|next| ends.contains(next))
                    })
                    .map(|(state, _)| state)
                    .collect();
                if more.is_empty() {
                    break;
                }
                ends.extend(more);
            }
            let dead_ends: Vec<_> = seen.keys().filter(|state| !ends.contains(state)).collect();
            assert!(dead_ends.is_empty(), "{dead_ends:?}");
        }
    }
    assert_eq!(
        finals.into_iter().collect::<Vec<_>>(),
        [500, 510, 520, 600, 610, 620, 630]
    );
    assert!(states > 1_000, "{states} states");
}
