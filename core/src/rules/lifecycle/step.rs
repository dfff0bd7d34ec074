//! Common parts of lifecycle decisions: taking a step, its outcomes and its errors.

use super::{
    Progress,
    table::{Actor, Move, Repeat, Step},
};
use crate::{
    changes::{Changes, Write},
    model::{
        DeliveryId, Duration, ExecContext, IdBlock, Money, NotificationId, OrderId, Person,
        Timestamp,
        cash::CashEntry,
        courier::{Courier, Handover, HandoverKind},
        order::{
            CodeTries, DeliveryStatus, Eta, Event, EventKind, LastStep, Order, OrderStatus, Proof,
            ProofPart, ProofParts, ProofStep,
        },
        pay::{PayEntry, TripPosition},
        store::{EntryKind, LedgerEntry, Notification, NotificationKind, NotifyAt},
    },
    rules::pay,
};

/// The outcome of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOutcome {
    /// The step was already taken. Nothing changes.
    Already,
    /// The step is taken now.
    Now(Box<(Order, Changes)>),
}

/// The reason a step cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The step is not valid for the order's current status.
    #[error("the step is not valid in status {}", status.number())]
    Invalid {
        /// The current status.
        status: OrderStatus,
        /// The events that the same actor can cause instead.
        possible: Vec<EventKind>,
    },
    /// The courier has the goods and must return them first.
    #[error("the courier must return the goods first")]
    ReturnRequired,
    /// The order has no such delivery.
    #[error("the order has no such delivery")]
    UnknownStop,
    /// It is the only remaining stop. The order must be cancelled instead.
    #[error("it is the only remaining stop; cancel the order instead")]
    LastStop,
    /// The new ready time exceeds the maximum preparation time.
    #[error("at most {max} minutes can be added")]
    TooLate {
        /// Maximum minutes that can be added.
        max: u32,
    },
    /// The stop requires its code.
    #[error("the stop requires its code")]
    CodeNeeded,
    /// The code is wrong. The count in the order must be committed.
    #[error("the code is wrong; {remaining} attempts remain")]
    CodeWrong {
        /// Remaining attempts before the lockout.
        remaining: u32,
    },
    /// Too many wrong codes were sent.
    #[error("too many wrong codes were sent; codes are accepted again at {until}")]
    CodeLocked {
        /// Time at which codes are accepted again.
        until: Timestamp,
    },
    /// Another order of the courier's trip comes first.
    #[error("order {next} of the trip comes first")]
    NotNext {
        /// That order.
        next: OrderId,
    },
    /// The code belongs to another order of the trip. The count in the order must be committed.
    #[error("the code belongs to order {other} of the trip")]
    CodeOfOther {
        /// The order to which the code belongs.
        other: OrderId,
    },
    /// The store requires parts of a proof that were not sent.
    #[error("parts of a proof are missing")]
    ProofRequired {
        /// The missing parts.
        missing: Vec<ProofPart>,
    },
    /// The merchant's system must confirm first that the goods are ready, or the pickup.
    #[error("the merchant's system must confirm the pickup first")]
    MerchantConfirmationRequired,
    /// The courier did not send this photo of the order's proof.
    #[error("the order's proof has no photo {index}")]
    UnknownPhoto {
        /// Its index in the proof.
        index: usize,
    },
    /// The delivery was paid online.
    #[error("nothing is due at the door")]
    NothingDue,
    /// The payment has several methods, or none, so the method must be sent.
    #[error("the method of the payment is not known")]
    PaymentMethodNeeded,
    /// The payments that were received exceed what is due.
    #[error("the payments of {sum} exceed the amount due, {due}")]
    PaymentExceedsDue {
        /// The sum of the payments.
        sum: Money,
        /// The amount due.
        due: Money,
    },
    /// Too few identifiers were reserved for the notifications.
    #[error("too few identifiers were reserved")]
    TooFewIds,
}

impl Order {
    /// Takes a step of the table and records its event. Statuses change only in this function.
    /// Returns `None` if the table does not allow the step.
    pub(super) fn take(
        &mut self,
        step: Step,
        stop: Option<DeliveryId>,
        by: Person,
        at: Timestamp,
    ) -> Option<Event> {
        let before = Progress::of(self);
        let next = before.take(step, stop)?;
        if (next.status, &next.stops) != (before.status, &before.stops) {
            let from = self.courier.as_ref().and_then(|courier| courier.position);
            self.last_step = Some(LastStep {
                at,
                taken_at: at,
                from,
            });
        }
        for (delivery, moved) in self.deliveries.iter_mut().zip(&next.stops) {
            delivery.status = moved.status;
        }
        if self.status != next.status {
            self.status = next.status;
            self.status_since = at;
            self.status_received_at = None;
        }
        if step == Step::Deliver {
            self.delivered_at = Some(at);
        }
        let event = self.record(step.row().event, by, at);
        let moved = match step.row().moves {
            Move::Order { .. } | Move::Unchanged { .. } => None,
            Move::Delivery { .. } | Move::DeliveryUnchanged { .. } => self
                .deliveries
                .iter()
                .find(|delivery| Some(delivery.id) == stop)
                .map(|delivery| delivery.status),
        };
        Some(match moved {
            Some(status) => Event {
                delivery: stop,
                status: status.number(),
                ..event
            },
            None => event,
        })
    }

    /// Returns whether the status shows that the step was already taken.
    pub(super) fn has_taken(&self, step: Step, stop: Option<DeliveryId>) -> bool {
        let row = step.row();
        match (row.repeat, row.moves) {
            // The first call may already have started the search.
            (Repeat::Never, _)
            | (Repeat::AtTarget, Move::Unchanged { .. } | Move::DeliveryUnchanged { .. }) => false,
            (Repeat::AtTarget, Move::Order { to, .. }) => to == Some(self.status),
            (Repeat::AtTarget, Move::Delivery { to, .. }) => self
                .deliveries
                .iter()
                .any(|delivery| Some(delivery.id) == stop && delivery.status == to),
            (Repeat::While(situations), _) => situations.contains(&self.status),
            (Repeat::AfterReturn(situations), _) => {
                situations.contains(&self.status) && self.return_code.is_some()
            }
        }
    }
}

/// Returns the courier after a step of an order, or `None` if the courier does not change. A step
/// before the pickup or of a trip with several orders writes the courier in any case, so it
/// conflicts with concurrent steps of the trip and with an order that joins it.
fn after(courier: &Courier, order: &Order, handover: Option<Handover>) -> Option<Courier> {
    let mut next = courier.clone();
    if order.courier.is_none() {
        next = courier.without_order(order.id);
        next.count_order(-1);
    } else if order.status.is_final() {
        next = courier.without_order(order.id);
    } else if order.status >= OrderStatus::OutForDelivery {
        next.trip
            .iter_mut()
            .filter(|one| one.id == order.id)
            .for_each(|one| one.picked_up = true);
    }
    next.version += 1;
    if let Some(handover) = handover {
        next.record_handover(handover);
    }
    (next.trip != courier.trip || courier.trip.len() > 1 || order.status.is_before_pickup())
        .then_some(next)
}

/// An order under change, with the changes to commit.
pub(super) struct OrderUpdate<'a> {
    pub(super) order: Order,
    /// The order before the request.
    before: &'a Order,
    pub(super) ledger: Vec<LedgerEntry>,
    pub(super) cash: Vec<CashEntry>,
    expected: u32,
    actor: Actor,
    by: Person,
    /// The order's courier, if any.
    courier: Option<&'a Courier>,
    /// The wait that the step ends.
    handover: Option<Handover>,
    /// The entries of a courier who is released.
    pay: Vec<PayEntry>,
    events: Vec<Event>,
    notifications: Vec<Notification>,
    /// Time at which the step was taken, which is the time of its event.
    at: Timestamp,
    /// Time at which the service received the step. Notifications and the ledger use it.
    now: Timestamp,
}

/// Maximum difference between the time of a step and its receipt for a step that is not late. It
/// covers the duration of a request.
const MAX_DELAY: Duration = Duration::seconds(1);

impl<'a> OrderUpdate<'a> {
    /// Starts an update of an order. If its courier is given, the courier's position is copied to
    /// the order.
    pub(super) fn new(
        order: &'a Order,
        courier: Option<&'a Courier>,
        actor: Actor,
        by: Person,
        now: Timestamp,
    ) -> OrderUpdate<'a> {
        let (before, expected) = (order, order.version);
        let mut order = Order {
            version: expected + 1,
            ..order.clone()
        };
        let courier = courier.filter(|courier| courier.carries(order.id));
        if let (Some(assigned), Some(courier)) = (&mut order.courier, courier)
            && assigned.id == courier.id
        {
            assigned.position = courier.position.or(assigned.position);
        }
        OrderUpdate {
            order,
            before,
            ledger: Vec::new(),
            cash: Vec::new(),
            expected,
            actor,
            by,
            courier,
            handover: None,
            pay: Vec::new(),
            events: Vec::new(),
            notifications: Vec::new(),
            at: now,
            now,
        }
    }

    /// Sets the time at which the courier took the step, within the time from the order's last
    /// event until now. The order's history therefore stays in order, and a step is never in the
    /// future.
    pub(super) fn taken_at(&mut self, at: Option<Timestamp>) {
        let last = self.order.last_event_at.unwrap_or(self.order.status_since);
        self.at = at.map_or(self.now, |at| at.max(last).min(self.now));
    }

    /// Returns the time at which the step was taken.
    pub(super) fn at(&self) -> Timestamp {
        self.at
    }

    /// Returns the time at which the service received the step.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// Takes a step of the order at its time.
    fn apply_step(&mut self, step: Step, stop: Option<DeliveryId>, by: Person) -> Option<Event> {
        let before = self.order.status;
        let event = self.order.take(step, stop, by, self.at)?;
        let received_at = Some(self.now).filter(|now| now.since(self.at) > MAX_DELAY);
        if self.order.status != before {
            self.order.status_received_at = received_at;
        }
        if let Some(last) = &mut self.order.last_step
            && last.taken_at == self.at
        {
            last.at = self.now;
        }
        Some(Event {
            received_at,
            ..event
        })
    }

    /// Checks that a step is valid.
    ///
    /// # Errors
    /// [`StepError::UnknownStop`], or [`StepError::Invalid`] with the events that are possible
    /// instead.
    pub(super) fn may(&self, step: Step, stop: Option<DeliveryId>) -> Result<(), StepError> {
        if stop.is_some_and(|stop| {
            !self
                .order
                .deliveries
                .iter()
                .any(|delivery| delivery.id == stop)
        }) {
            return Err(StepError::UnknownStop);
        }
        let progress = Progress::of(&self.order);
        if step.row().actor.contains(&self.actor) && progress.take(step, stop).is_some() {
            return Ok(());
        }
        let has_lead = self.order.dispatch.lead_minutes > 0;
        let is_offered = |step: &Step| match step {
            // Without a lead time the goods are ready when the search starts.
            Step::Postpone | Step::FinishEarly => has_lead,
            // It is possible at nearly every time, and changes no status.
            Step::RecordPayment => false,
            step => *step != Step::Estimate,
        };
        let possible = progress.possible(self.actor).into_iter().filter(is_offered);
        let mut possible: Vec<_> = possible.map(|step| step.row().event).collect();
        possible.dedup();
        Err(StepError::Invalid {
            status: self.order.status,
            possible,
        })
    }

    /// Takes a step, with an optional reason.
    ///
    /// # Errors
    /// As [`OrderUpdate::may`].
    pub(super) fn take(
        &mut self,
        step: Step,
        stop: Option<DeliveryId>,
        reason: Option<String>,
    ) -> Result<(), StepError> {
        self.may(step, stop)?;
        self.handover = self.handover.or(self.ended_wait(step));
        self.pay_wait(step, stop);
        let event = self.apply_step(step, stop, self.by.clone());
        self.events
            .extend(event.map(|event| Event { reason, ..event }));
        let due = match step {
            Step::PickUp => {
                self.fix_position();
                Some(NotifyAt::PickedUp)
            }
            Step::SetOut => Some(NotifyAt::EnRoute),
            _ => None,
        };
        self.events.extend(
            due.into_iter()
                .flat_map(|due| self.order.notify_recipients(due, stop, self.now)),
        );
        Ok(())
    }

    /// Returns the wait of the courier that a step ends.
    fn ended_wait(&self, step: Step) -> Option<Handover> {
        let arrived = self.order.last_step?.taken_at;
        let (kind, from) = match step {
            Step::PickUp => (HandoverKind::Pickup, arrived.max(self.order.ready_at)),
            Step::Deliver => (HandoverKind::Door, arrived),
            Step::HandBack => (HandoverKind::Return, arrived),
            _ => return None,
        };
        let seconds = self.at.since(from).as_millis().max(0) / 1_000;
        Some(Handover {
            kind,
            store: self.order.store,
            seconds: u32::try_from(seconds).unwrap_or(u32::MAX),
        })
    }

    /// Stores the proof of the step that was just taken.
    pub(super) fn prove(
        &mut self,
        step: ProofStep,
        delivery: Option<DeliveryId>,
        parts: &ProofParts,
    ) {
        if let Some(event) = self
            .events
            .last()
            .filter(|_| *parts != ProofParts::default())
        {
            let (sequence, at, parts) = (event.sequence, event.at, parts.clone());
            self.order.proof.steps.push(Proof {
                sequence,
                step,
                delivery,
                at,
                parts,
                erased: false,
            });
        }
    }

    /// Adds the wait that a step ends to the order's pay. It is measured by the service's clock,
    /// because a courier chooses the time of a step freely.
    fn pay_wait(&mut self, step: Step, stop: Option<DeliveryId>) {
        let is_at = |status| self.order.status == status;
        let is_at_door = || {
            let mut deliveries = self.order.deliveries.iter();
            deliveries.any(|one| Some(one.id) == stop && one.status == DeliveryStatus::Arrived)
        };
        let since = match step {
            Step::PickUp | Step::Cancel | Step::CancelLate | Step::CancelByPlatform
                if is_at(OrderStatus::CourierAtPickup) =>
            {
                Some(self.order.status_received())
            }
            Step::HandBack | Step::Waive if is_at(OrderStatus::CourierAtReturn) => {
                Some(self.order.status_received())
            }
            Step::Deliver | Step::TurnBack | Step::Discard if is_at_door() => {
                self.order.last_step.map(|last| last.at)
            }
            _ => None,
        };
        if let (Some(since), Some(pay)) = (since, &mut self.order.pay) {
            pay.add_wait(self.now.since(since));
        }
    }

    /// Fixes the position of an order that is picked up. The trip changes in the same commit, so
    /// that of two orders picked up at once only one is the first.
    fn fix_position(&mut self) {
        let carried = |courier: &Courier| {
            let mut trip = courier.trip.iter();
            trip.any(|one| one.id != self.order.id && one.picked_up)
        };
        let is_further = self.courier.is_some_and(carried);
        if let Some(pay) = &mut self.order.pay {
            pay.position = Some(if is_further {
                TripPosition::Further
            } else {
                TripPosition::First
            });
        }
    }

    /// Releases the courier by one of the steps for it, so the search starts again. The pickup code
    /// is replaced unless the merchant set it. Returns `None` if the courier has the goods.
    pub(super) fn release(
        &mut self,
        step: Step,
        by: Person,
        reason: Option<String>,
        context: &mut ExecContext,
    ) -> Option<()> {
        // The event must be created before the courier is cleared, because it contains the courier.
        let event = self.apply_step(step, None, by)?;
        self.events.push(Event { reason, ..event });
        // A courier who gives up an order earns nothing.
        if step == Step::Withdraw || self.actor == Actor::Merchant {
            self.pay = pay::released_entries(self.before, self.now);
        }
        self.order.pay = None;
        if !self.order.own_pickup_code {
            self.order.pickup_code = context.entropy.code();
        }
        self.order.courier = None;
        self.order.eta = None;
        self.order.tries = CodeTries::default();
        Some(())
    }

    /// Adds the results of timed transitions.
    pub(super) fn and(&mut self, (events, ledger): (Vec<Event>, Vec<LedgerEntry>)) {
        self.events.extend(events);
        self.ledger.extend(ledger);
    }

    /// Adds a ledger entry for the order, unless the amount is zero.
    pub(super) fn add_ledger_entry(&mut self, kind: EntryKind, amount: Money) {
        if amount != Money::ZERO {
            let (store, order) = (self.order.store, Some(self.order.id));
            self.ledger.push(LedgerEntry {
                store,
                account: None,
                order,
                kind,
                amount,
                at: self.now,
                floor: None,
            });
        }
    }

    /// Adds a notification to the store.
    ///
    /// # Errors
    /// [`StepError::TooFewIds`].
    pub(super) fn notify(
        &mut self,
        kind: NotificationKind,
        ids: &mut IdBlock,
    ) -> Result<(), StepError> {
        self.notifications.push(Notification {
            id: ids.take(NotificationId::new).ok_or(StepError::TooFewIds)?,
            store: self.order.store,
            kind,
            created_at: self.now,
            read_at: None,
            order: Some(self.order.id),
            order_code: Some(self.order.code.clone()),
            reason: None,
        });
        Ok(())
    }

    /// Returns the order and the changes. If the order has ended or was released, it leaves its
    /// courier's trip in the same commit.
    pub(super) fn done(self) -> (Order, Changes) {
        let OrderUpdate {
            mut order,
            before,
            ledger,
            cash,
            expected,
            courier,
            handover,
            mut pay,
            events,
            notifications,
            now,
            ..
        } = self;
        order.eta = match (order.eta, order.status) {
            (Some(eta), OrderStatus::OutForDelivery) => Some(Eta {
                pickup: None,
                ..eta
            }),
            (eta, status) => eta.filter(|_| status.is_before_pickup()),
        };
        pay.extend(pay::ended_entries(before, &order, now));
        let links = order.end_links(now);
        let next =
            courier.and_then(|courier| Some((courier.version, after(courier, &order, handover)?)));
        let courier = next.map(|(expected, value)| Write { expected, value });
        let changes = Changes {
            at: now,
            orders: vec![Write {
                expected,
                value: order.clone(),
            }],
            couriers: courier.into_iter().collect(),
            events,
            links,
            ledger,
            pay,
            cash,
            notifications,
            ..Changes::default()
        };
        (order, changes)
    }

    /// Returns the changes of [`OrderUpdate::done`] as an outcome.
    pub(super) fn outcome(self) -> StepOutcome {
        StepOutcome::Now(Box::new(self.done()))
    }

    /// Returns the changes of a rejected step: only the order, with the count of wrong codes.
    pub(super) fn counted(self) -> Changes {
        let value = self.order;
        Changes {
            at: self.now,
            orders: vec![Write {
                expected: self.expected,
                value,
            }],
            ..Changes::default()
        }
    }
}
