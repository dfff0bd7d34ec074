//! Every path through the table, up to three deliveries, with and without a round trip: each step through the decisions.

use std::collections::{BTreeMap, BTreeSet};

use despacho_core::{
    changes::Changes,
    host::Platform,
    memory::MemoryHost,
    model::{
        DeliveryId, Duration, ExecContext, IdBlock,
        courier::Courier,
        order::{Order, OrderStatus},
    },
    rules::{
        lifecycle::{
            Cancellation, Carry, FailedStep, Progress, Repricing, Signal, StepError, StepOutcome, Timing,
            TransitionEvent, allocate, cancel, cancel_by_platform, cancel_stop, carry, decline, expire, lose,
            next_deadline, platform, signal,
            table::{Step, TABLE},
            without,
        },
        pricing::{Plan, Times},
    },
};

use crate::support::{courier, created, host};

/// All that tells two states of the model apart.
pub(crate) type State = (u16, Vec<u16>);

fn state(order: &Order) -> State {
    (order.status.number(), order.deliveries.iter().map(|delivery| delivery.status.number()).collect())
}

/// What a step came to.
enum Outcome {
    Moved(Box<(Order, Changes)>),
    Already,
    Rejected(StepError),
}

impl From<Result<StepOutcome, StepError>> for Outcome {
    fn from(result: Result<StepOutcome, StepError>) -> Outcome {
        match result {
            Ok(StepOutcome::Now(moved)) => Outcome::Moved(moved),
            Ok(StepOutcome::Already) => Outcome::Already,
            Err(error) => Outcome::Rejected(error),
        }
    }
}

/// The table does not have it: decisions of dispatch and of time say so by doing nothing.
fn nothing() -> Outcome {
    Outcome::Rejected(StepError::Invalid { status: OrderStatus::Scheduled, possible: vec![] })
}

pub(crate) struct ModelHost {
    pub(crate) host: MemoryHost,
    pub(crate) courier: Courier,
}

impl ModelHost {
    fn exec_context(&self) -> ExecContext {
        self.host.exec_context()
    }

    /// The courier as the order has it.
    fn bound(&self, order: &Order) -> Courier {
        Courier { order: order.courier.as_ref().map(|_| order.id), ..self.courier.clone() }
    }

    /// Takes a step through the decision that real requests use, with the right codes.
    fn take(&self, order: &Order, step: Step, stop: Option<DeliveryId>) -> Option<Outcome> {
        let bound = self.bound(order);
        let (mut context, mut ids) = (self.exec_context(), IdBlock::new(1, 9));
        let reason = || "why".to_owned();
        let carried = |act: Carry, context: &mut ExecContext| {
            Outcome::from(
                carry(order, &bound, &act, &mut IdBlock::new(1, 9), context).map_err(|FailedStep { error, .. }| error),
            )
        };
        let send_signal = |word: Signal, context: &mut ExecContext| {
            Outcome::from(signal(order, Some(&bound), platform(), &word, &Timing::default(), context))
        };
        let rules = |free_minutes| Cancellation { free_minutes, ..Cancellation::default() };
        let cancelled = |free_minutes| {
            let later = ExecContext { now: self.host.now().after(Duration::minutes(1)), ..self.exec_context() };
            Outcome::from(cancel(order, Some(&bound), platform(), None, &rules(free_minutes), &later))
        };
        Some(match step {
            Step::Prepare | Step::PlaceReady => return None,
            Step::Delay => send_signal(Signal::Delay { minutes: 1, max: 1_440 }, &mut context),
            Step::MakeReady => send_signal(Signal::Ready, &mut context),
            Step::Search | Step::Expire => self.time(order, step),
            Step::Allocate => allocate(order, &Courier { order: None, sandbox: order.sandbox, ..bound }, &context)
                .map_or_else(nothing, |moved| Outcome::Moved(Box::new(moved))),
            Step::ReachPickup => carried(Carry::ReachPickup, &mut context),
            Step::Release => decline(order, &bound, reason(), &mut context)
                .map_or_else(nothing, |moved| Outcome::Moved(Box::new(moved))),
            Step::PickUp => carried(Carry::PickUp { code: order.pickup_code.clone() }, &mut context),
            Step::SetOut => carried(Carry::SetOut(stop?), &mut context),
            Step::Resequence => carried(Carry::Resequence(stop?), &mut context),
            Step::ReachDoor => carried(Carry::ReachDoor(stop?), &mut context),
            Step::Deliver => {
                let code =
                    order.deliveries.iter().find(|one| Some(one.id) == stop).map(|one| one.delivery_code.clone());
                carried(Carry::Deliver { stop: stop?, code }, &mut context)
            }
            Step::Discard => send_signal(Signal::Discard(stop?), &mut context),
            Step::TurnBack => carried(Carry::Fail { stop: stop?, reason: reason() }, &mut context),
            Step::ReachReturn => carried(Carry::ReachReturn, &mut context),
            Step::HandBack => {
                carried(Carry::HandBack { code: order.return_code.clone().unwrap_or_default() }, &mut context)
            }
            Step::Waive => send_signal(Signal::Waive, &mut context),
            Step::Lose => lose(order, Some(&bound), stop?, reason(), &mut ids, &context).into(),
            Step::CancelStop => {
                let plan = plan(order, without(order, stop?).unwrap_or_default().len());
                let repriced = Repricing { plan: &plan, tariff_version: "t", rules: &rules(1_000) };
                cancel_stop(order, stop?, repriced, platform(), None, &context).into()
            }
            Step::Cancel => cancelled(1_000),
            Step::CancelLate => cancelled(0),
            Step::CancelByPlatform => cancel_by_platform(order, Some(&bound), reason(), &mut ids, &context).into(),
        })
    }

    /// What time does once its hour has come, one step at a time.
    fn time(&self, order: &Order, step: Step) -> Outcome {
        let (mut moved, timing) = (Order { version: order.version + 1, ..order.clone() }, Timing::default());
        let due = next_deadline(order, &timing).unwrap_or_default().max(order.status_since);
        let (events, ledger) = expire(&mut moved, &timing, due);
        if events.len() != 1 || events[0].kind != step.row().event {
            return nothing();
        }
        Outcome::Moved(Box::new((moved, Changes { events, ledger, ..Changes::default() })))
    }
}

/// A plan for so many stops, which costs less.
fn plan(order: &Order, stops: usize) -> Plan {
    let at = order.created_at;
    Plan {
        order: (0..stops).collect(),
        legs: vec![despacho_core::model::Leg { metres: 1, seconds: 1 }; stops],
        back: order.return_leg.map(|_| despacho_core::model::Leg { metres: 1, seconds: 1 }),
        total_distance: despacho_core::model::Distance(1),
        lines: vec![],
        fee: despacho_core::model::Money::ZERO,
        times: Times { pickup: at, delivery: at },
        estimated: false,
    }
}

/// Explores every state that can be reached from these, and gives them with the states that follow each.
pub(crate) fn explore(model: &ModelHost, starts: Vec<Order>) -> BTreeMap<State, (Order, BTreeSet<State>)> {
    let mut open = starts;
    let mut seen: BTreeMap<State, (Order, BTreeSet<State>)> = BTreeMap::new();
    while let Some(order) = open.pop() {
        if seen.contains_key(&state(&order)) {
            continue;
        }
        let mut nexts = BTreeSet::new();
        let stops: Vec<Option<DeliveryId>> = order.deliveries.iter().map(|delivery| Some(delivery.id)).collect();
        for row in TABLE {
            let whole = matches!(row.moves, despacho_core::rules::lifecycle::table::Move::Order { .. });
            for stop in if whole { &[None][..] } else { &stops } {
                let allowed = Progress::of(&order).take(row.step, *stop);
                let Some(outcome) = model.take(&order, row.step, *stop) else { continue };
                match (allowed, outcome) {
                    (Some(expected), Outcome::Moved(moved)) => {
                        check(model, &order, row.step, &expected, &moved);
                        nexts.insert(state(&moved.0));
                        open.push(moved.0);
                    }
                    // A step that was taken already, or one that the table does not have.
                    (None, Outcome::Already | Outcome::Rejected(StepError::Invalid { .. })) => {}
                    (None, Outcome::Rejected(StepError::ReturnRequired)) => assert!(matches!(
                        row.step,
                        Step::Cancel | Step::CancelLate | Step::CancelByPlatform | Step::CancelStop
                    )),
                    (None, Outcome::Rejected(StepError::LastStop)) => assert_eq!(row.step, Step::CancelStop),
                    // A first courier has not come, so that a cancellation costs nothing yet.
                    (Some(_), Outcome::Already) => panic!("{:?} from {:?} was not taken", row.step, state(&order)),
                    (_, Outcome::Rejected(error)) => panic!("{:?} from {:?}: {error:?}", row.step, state(&order)),
                    (None, Outcome::Moved(moved)) => {
                        panic!("{:?} from {:?} to {:?} is not in the table", row.step, state(&order), state(&moved.0))
                    }
                }
            }
        }
        seen.insert(state(&order), (order, nexts));
    }
    seen
}

/// One transition: the events lead where the order stands, the history has no gap, and an order that ended has freed its courier.
fn check(model: &ModelHost, before: &Order, step: Step, expected: &Progress, moved: &(Order, Changes)) {
    let (after, changes) = moved;
    let mut received = Progress::of(before);
    for event in &changes.events {
        assert_eq!(event.sequence, received.sequence + 1);
        received = received
            .apply(TransitionEvent::from(event))
            .unwrap_or_else(|replay_error| panic!("{event:?}: {replay_error:?}"));
    }
    assert_eq!(received, Progress::of(after), "{step:?} from {:?}", state(before));
    let cancels = matches!(step, Step::Cancel | Step::CancelLate);
    // The terms decide which of the two it is, and a merchant's 'ready' begins the search at once.
    if !cancels && step != Step::MakeReady {
        assert_eq!(Progress { sequence: 0, ..received }, Progress { sequence: 0, ..expected.clone() });
    }
    assert_eq!(after.version, before.version + 1);
    if after.status.is_final() && model.bound(before).order.is_some() {
        assert!(changes.couriers.iter().any(|write| write.value.order.is_none()), "{step:?} keeps the courier");
    }
}

#[test]
fn every_path_ends_and_nothing_else_is_possible() {
    let host = host();
    let model = ModelHost { courier: courier(&host, 7), host };
    let (mut states, mut finals) = (0, BTreeSet::new());
    for stops in 1..=3 {
        for cash in 0..(1 << stops) {
            let paid: Vec<bool> = (0..stops).map(|stop| cash & (1 << stop) == 0).collect();
            let codes = (format!("M-{stops}-{cash}"), format!("N-{stops}-{cash}"));
            let starts = vec![created(&model.host, &codes.0, 30, &paid), created(&model.host, &codes.1, 0, &paid)];
            let seen = explore(&model, starts);
            states += seen.len();
            // Backwards from the ends: whatever is not met has no way to one.
            let mut ends: BTreeSet<&State> = seen.keys().filter(|(order, _)| *order >= 500).collect();
            finals.extend(ends.iter().map(|(order, _)| *order));
            for end in &ends {
                assert!(seen[*end].1.is_empty(), "something follows {end:?}");
                assert!(end.1.iter().all(|delivery| *delivery >= 500), "{end:?} leaves a delivery open");
            }
            loop {
                let more: Vec<&State> = seen
                    .iter()
                    .filter(|(state, (_, nexts))| !ends.contains(state) && nexts.iter().any(|next| ends.contains(next)))
                    .map(|(state, _)| state)
                    .collect();
                if more.is_empty() {
                    break;
                }
                ends.extend(more);
            }
            let stuck: Vec<_> = seen.keys().filter(|state| !ends.contains(state)).collect();
            assert!(stuck.is_empty(), "dead ends: {stuck:?}");
        }
    }
    assert_eq!(finals.into_iter().collect::<Vec<_>>(), [500, 510, 520, 600, 610, 620, 630]);
    assert!(states > 1_000, "{states} states");
}
