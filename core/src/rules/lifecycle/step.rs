//! What decisions about an order's life share: the step itself, what it comes to, and why it is refused.

use super::{
    Progress,
    table::{Actor, Move, Repeat, Step},
};
use crate::{
    changes::{Changes, Write},
    model::{
        DeliveryId, IdBlock, Money, NotificationId, Person, Timestamp,
        courier::Courier,
        order::{Event, EventKind, Order, OrderStatus},
        store::{EntryKind, LedgerEntry, Notification, NotificationKind},
    },
};

/// What a step came to.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOutcome {
    /// It was taken before: nothing changes.
    Already,
    /// It is taken now.
    Now(Box<(Order, Changes)>),
}

/// Why a step is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepError {
    /// The table does not have it from where the order stands.
    Invalid {
        /// Where the order stands.
        status: OrderStatus,
        /// What the same caller could do instead, by the events that would come of it.
        possible: Vec<EventKind>,
    },
    /// The goods are with the courier: they must come back first.
    ReturnRequired,
    /// The order has no such delivery.
    UnknownStop,
    /// It is the only stop that is left: cancel the order.
    LastStop,
    /// The new ready time is further away than an order may be prepared for.
    TooLate {
        /// Minutes that could be added.
        max: u32,
    },
    /// This stop asks for its code.
    CodeNeeded,
    /// The code is wrong. The try was counted in the order, which must be written.
    CodeWrong {
        /// Further wrong codes before the lock.
        remaining: u32,
    },
    /// Too many codes were wrong.
    CodeLocked {
        /// When a code is looked at again.
        until: Timestamp,
    },
    /// Fewer identifiers were reserved than notifications are made.
    TooFewIds,
}

impl Order {
    /// Takes a step of the table and writes down that it was taken: the one way in which a situation changes. `None` where the
    /// table does not have it from here.
    pub(super) fn take(&mut self, step: Step, stop: Option<DeliveryId>, by: Person, at: Timestamp) -> Option<Event> {
        let next = Progress::of(self).take(step, stop)?;
        for (delivery, moved) in self.deliveries.iter_mut().zip(&next.stops) {
            delivery.status = moved.status;
        }
        if self.status != next.status {
            self.status = next.status;
            self.status_since = at;
        }
        let event = self.record(step.row().event, by, at);
        let moved = match step.row().moves {
            Move::Order { .. } => None,
            Move::Delivery { to, .. } => Some(to.number()),
        };
        Some(match moved {
            Some(status) => Event { delivery: stop, status, ..event },
            None => event,
        })
    }

    /// Whether the table counts a repeated call of a step as taken.
    pub(super) fn has_taken(&self, step: Step, stop: Option<DeliveryId>) -> bool {
        let row = step.row();
        match (row.repeat, row.moves) {
            (Repeat::Never, _) => false,
            (Repeat::AtTarget, Move::Order { to, .. }) => to == Some(self.status),
            (Repeat::AtTarget, Move::Delivery { to, .. }) => {
                self.deliveries.iter().any(|delivery| Some(delivery.id) == stop && delivery.status == to)
            }
            (Repeat::While(situations), _) => situations.contains(&self.status),
            (Repeat::AfterReturn(situations), _) => situations.contains(&self.status) && self.return_code.is_some(),
        }
    }
}

/// An order on its way through a decision.
pub(super) struct OrderUpdate<'a> {
    pub(super) order: Order,
    pub(super) ledger: Vec<LedgerEntry>,
    expected: u32,
    actor: Actor,
    by: Person,
    /// Who has the order, where somebody does.
    courier: Option<&'a Courier>,
    events: Vec<Event>,
    notifications: Vec<Notification>,
    now: Timestamp,
}

impl<'a> OrderUpdate<'a> {
    /// A draft of what somebody does to an order. Where its courier is known, the order learns where that one is.
    pub(super) fn new(
        order: &Order,
        courier: Option<&'a Courier>,
        actor: Actor,
        by: Person,
        now: Timestamp,
    ) -> OrderUpdate<'a> {
        let expected = order.version;
        let mut order = Order { version: expected + 1, ..order.clone() };
        let courier = courier.filter(|courier| courier.order == Some(order.id));
        if let (Some(assigned), Some(courier)) = (&mut order.courier, courier)
            && assigned.id == courier.id
        {
            assigned.position = courier.position.or(assigned.position);
        }
        OrderUpdate {
            order,
            ledger: Vec::new(),
            expected,
            actor,
            by,
            courier,
            events: Vec::new(),
            notifications: Vec::new(),
            now,
        }
    }

    /// Whether the table has a step from here.
    ///
    /// # Errors
    /// What could be done instead.
    pub(super) fn may(&self, step: Step, stop: Option<DeliveryId>) -> Result<(), StepError> {
        if stop.is_some_and(|stop| !self.order.deliveries.iter().any(|delivery| delivery.id == stop)) {
            return Err(StepError::UnknownStop);
        }
        let progress = Progress::of(&self.order);
        if step.row().actor.contains(&self.actor) && progress.take(step, stop).is_some() {
            return Ok(());
        }
        let mut possible: Vec<_> = progress.possible(self.actor).into_iter().map(|step| step.row().event).collect();
        possible.dedup();
        Err(StepError::Invalid { status: self.order.status, possible })
    }

    /// Takes a step, for a reason.
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
        let event = self.order.take(step, stop, self.by.clone(), self.now);
        self.events.extend(event.map(|event| Event { reason, ..event }));
        Ok(())
    }

    /// Adds what time does.
    pub(super) fn and(&mut self, (events, ledger): (Vec<Event>, Vec<LedgerEntry>)) {
        self.events.extend(events);
        self.ledger.extend(ledger);
    }

    /// Moves money of the store on the order's account.
    pub(super) fn add_ledger_entry(&mut self, kind: EntryKind, amount: Money) {
        if amount != Money::ZERO {
            let (store, order) = (self.order.store, Some(self.order.id));
            self.ledger.push(LedgerEntry { store, account: None, order, kind, amount, at: self.now, floor: None });
        }
    }

    /// Tells the store.
    ///
    /// # Errors
    /// [`StepError::TooFewIds`].
    pub(super) fn notify(&mut self, kind: NotificationKind, ids: &mut IdBlock) -> Result<(), StepError> {
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

    /// All that changes. Where the order has ended, its courier is free in the same commit.
    pub(super) fn done(self) -> StepOutcome {
        let OrderUpdate { order, ledger, expected, courier, events, notifications, now, .. } = self;
        let free = courier.filter(|_| order.status.is_final()).map(|courier| {
            let value = Courier { order: None, version: courier.version + 1, ..courier.clone() };
            Write { expected: courier.version, value }
        });
        let changes = Changes {
            at: now,
            orders: vec![Write { expected, value: order.clone() }],
            couriers: free.into_iter().collect(),
            events,
            ledger,
            notifications,
            ..Changes::default()
        };
        StepOutcome::Now(Box::new((order, changes)))
    }

    /// The order alone, for what is counted though the step was refused.
    pub(super) fn counted(self) -> Changes {
        let value = self.order;
        Changes { at: self.now, orders: vec![Write { expected: self.expected, value }], ..Changes::default() }
    }
}
