//! The database that all instances share: the core's in-memory host, optionally with a mutation.

use std::{
    cell::Cell,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use despacho_core::{
    changes::{Changes, Write},
    host::{Host, HostError, OrderQuery, Storage},
    memory::MemoryHost,
    model::{
        CourierId, Duration, Money, OrderId, StoreId,
        courier::Courier,
        order::{Journal, JournalEntry, Order, OrderStatus},
        store::{Claim, ClaimChange, EntryKind, Store},
    },
};

use crate::mutation::Mutation;

/// Separates an order's code from the ID that makes it unique, under [`Mutation::CodeTwice`].
const SEPARATOR: char = '\u{1}';

/// The database.
pub(crate) struct Backend {
    pub(crate) memory: MemoryHost,
    pub(crate) mutation: Option<Mutation>,
    commits: Cell<u64>,
}

/// Polls a future once and returns its output, or `None` if it is pending.
pub(crate) fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// Returns the result of a read from the in-memory host, which neither waits nor fails.
fn read<T: Default>(future: impl Future<Output = Result<T, HostError>>) -> T {
    poll_once(future).and_then(Result::ok).unwrap_or_default()
}

impl Backend {
    /// Creates an empty database.
    pub(crate) fn new(seed: u64, mutation: Option<Mutation>) -> Backend {
        Backend {
            memory: MemoryHost::seeded(seed),
            mutation,
            commits: Cell::new(0),
        }
    }

    /// Returns whether this mutation is active.
    pub(crate) fn has_mutation(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    /// Returns an order.
    pub(crate) fn order(&self, id: OrderId) -> Option<Order> {
        read(self.memory.order(id)).map(|order| self.shown(order))
    }

    /// Returns a store unless it is removed.
    pub(crate) fn store(&self, id: StoreId) -> Option<Store> {
        read(self.memory.store(id))
    }

    /// Returns the number of commits so far.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.get()
    }

    /// Returns a courier.
    pub(crate) fn courier(&self, id: CourierId) -> Option<Courier> {
        read(self.memory.courier(id))
    }

    /// Returns a merchant's journal after a position.
    pub(crate) fn journal(&self, matrix: StoreId, after: u64) -> Vec<JournalEntry> {
        read(self.memory.journal(
            Journal {
                merchant: matrix,
                branch: None,
            },
            after,
            u32::MAX,
        ))
    }

    /// Restores the code that the merchant gave the order.
    pub(crate) fn shown(&self, mut order: Order) -> Order {
        if self.has_mutation(Mutation::CodeTwice)
            && let Some((code, _)) = order.code.split_once(SEPARATOR)
        {
            order.code = code.to_owned();
        }
        order
    }

    /// Commits changes, altered by the mutation.
    pub(crate) fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        let number = self.commits.get() + 1;
        self.commits.set(number);
        let Some(mutation) = self.mutation else {
            return self.apply(changes);
        };
        let mut tampered = changes.clone();
        match mutation {
            Mutation::WriteLost if number.is_multiple_of(40) && !changes.orders.is_empty() => {
                return Ok(());
            }
            Mutation::VersionIgnored => self.overwrite(&mut tampered),
            Mutation::CodeTwice => self.rename(&mut tampered),
            Mutation::ResponseNotStored => release_claim(&mut tampered),
            Mutation::FeeMissing => tampered.ledger.retain(|entry| entry.kind != EntryKind::Fee),
            Mutation::RefundTwice => {
                let again: Vec<_> = changes
                    .ledger
                    .iter()
                    .filter(|entry| entry.kind == EntryKind::Refund)
                    .cloned()
                    .collect();
                tampered.ledger.extend(again);
            }
            Mutation::FloorIgnored => tampered
                .ledger
                .iter_mut()
                .for_each(|entry| entry.floor = None),
            Mutation::BalanceNotShared => {
                tampered
                    .ledger
                    .iter_mut()
                    .for_each(|entry| entry.account = entry.account.or(Some(entry.store)));
            }
            Mutation::CourierNotReleased => self.retain_courier(&mut tampered),
            Mutation::EventLost if number.is_multiple_of(20) => {
                tampered.events.pop();
            }
            Mutation::WebhookSkips if number.is_multiple_of(5) => {
                for write in tampered
                    .webhooks
                    .iter_mut()
                    .filter(|write| write.expected > 0)
                {
                    let end = read(self.memory.journal_span(Journal {
                        merchant: write.value.merchant,
                        branch: None,
                    }))
                    .end;
                    write.value.position =
                        (write.value.position + 1).min(end.max(write.value.position));
                }
            }
            Mutation::CodesNotCounted => self.uncount(&mut tampered),
            Mutation::TripTruncated => truncate_trips(&mut tampered),
            Mutation::TripVersionIgnored => self.overwrite_couriers(&mut tampered),
            Mutation::TripLimitIgnored
            | Mutation::SearchEarly
            | Mutation::ExpiryEarly
            | Mutation::EstimateTooOften
            | Mutation::EstimateTooFine
            | Mutation::PreparationEarly
            | Mutation::VehicleNotSeen
            | Mutation::RequirementsNotSeen
            | Mutation::LoadsNotAdded => self.restore(&mut tampered),
            Mutation::TimesLate | Mutation::WindowsMissed | Mutation::ReadyTimeMoved => {
                move_times(&mut tampered, mutation);
            }
            Mutation::ReleaseDeletesResponse => self.reopen(changes),
            _ => {}
        }
        self.apply(&tampered)
    }

    /// Commits only orders and couriers under [`Mutation::HalfCommit`].
    pub(crate) fn commit_partially(&self, changes: &Changes) {
        if self.has_mutation(Mutation::HalfCommit) {
            let half = Changes {
                at: changes.at,
                orders: changes.orders.clone(),
                couriers: changes.couriers.clone(),
                ..Changes::default()
            };
            // A conflict is acceptable because it stores nothing.
            let _ = self.apply(&half);
        }
    }

    fn apply(&self, changes: &Changes) -> Result<(), HostError> {
        let pending = Err(HostError::Internal {
            detail: "the reference host waited".to_owned(),
        });
        poll_once(self.memory.commit(changes)).unwrap_or(pending)
    }

    /// Replaces the expected versions with the stored ones.
    fn overwrite(&self, changes: &mut Changes) {
        for write in changes.orders.iter_mut().filter(|write| write.expected > 0) {
            let Some(existing) = self.order(write.value.id) else {
                continue;
            };
            let ahead = existing
                .last_sequence
                .saturating_sub(write.value.last_sequence);
            if existing.version > write.expected {
                let events = changes
                    .events
                    .iter_mut()
                    .filter(|event| event.order == write.value.id);
                let mut count = 0;
                for event in events {
                    count += 1;
                    event.sequence = existing.last_sequence + count;
                }
                write.value.last_sequence += ahead + count;
            }
            write.expected = existing.version;
        }
        self.overwrite_couriers(changes);
    }

    fn overwrite_couriers(&self, changes: &mut Changes) {
        for write in changes
            .couriers
            .iter_mut()
            .filter(|write| write.expected > 0)
        {
            write.expected = self
                .courier(write.value.id)
                .map_or(write.expected, |existing| existing.version);
        }
    }

    /// Changes the code of an order if another order of the store has it, to avoid a conflict in
    /// the index.
    fn rename(&self, changes: &mut Changes) {
        for Write { value, .. } in &mut changes.orders {
            let held = read(
                self.memory
                    .find_orders(OrderQuery::Code(value.store, &value.code)),
            );
            if held.iter().any(|held| held.id != value.id) {
                value.code = format!("{}{SEPARATOR}{}", value.code, value.id);
            }
        }
    }

    fn retain_courier(&self, changes: &mut Changes) {
        let ended = changes
            .orders
            .iter()
            .any(|write| write.value.status.is_final());
        if ended {
            changes
                .couriers
                .retain(|write| !write.value.trip.is_empty());
        }
    }

    /// Deletes the stored response of a released claim.
    fn reopen(&self, changes: &Changes) {
        let Some(ClaimChange::Release {
            scope,
            key,
            holder,
            until,
        }) = &changes.claim
        else {
            return;
        };
        let stored = read(self.memory.claim(scope, key)).filter(|claim| claim.holder == *holder);
        if let Some(claim) = stored {
            let open = Some(ClaimChange::Finish(Claim {
                response: None,
                expires_at: *until,
                ..claim
            }));
            // The claim belongs to the same holder, so this cannot conflict.
            let _ = self.apply(&Changes {
                at: changes.at,
                claim: open,
                ..Changes::default()
            });
        }
    }

    /// Restores the dispatch terms, the requirements, earlier estimates and, at the end of the
    /// search, the ready time, which a mutation changed in the read.
    fn restore(&self, changes: &mut Changes) {
        let now = changes.at;
        for Write { value, .. } in &mut changes.orders {
            let Some(existing) = self.order(value.id) else {
                continue;
            };
            value.dispatch = existing.dispatch;
            value.requirements = existing.requirements;
            value.preparation_minutes = existing.preparation_minutes;
            if value.eta.is_some_and(|eta| eta.at != now) {
                value.eta = existing.eta;
            }
            if value.status == OrderStatus::Expired {
                value.ready_at = existing.ready_at;
            }
        }
    }

    /// Restores the previous count of wrong codes.
    fn uncount(&self, changes: &mut Changes) {
        for Write { value, .. } in &mut changes.orders {
            if let Some(existing) = self.order(value.id) {
                value.tries = existing.tries;
            }
        }
    }
}

/// Moves the times of new scheduled orders.
fn move_times(changes: &mut Changes, mutation: Mutation) {
    for Write { value, .. } in changes
        .orders
        .iter_mut()
        .filter(|write| write.expected == 0)
    {
        let Some(schedule) = value.schedule else {
            continue;
        };
        let span = match mutation {
            Mutation::TimesLate if schedule.deliver_at.is_some() => Duration::minutes(10),
            Mutation::WindowsMissed if schedule.deliver_at.is_none() => Duration::minutes(240),
            Mutation::ReadyTimeMoved => {
                value.ready_at = value.ready_at.before(Duration::minutes(10));
                continue;
            }
            _ => continue,
        };
        value.ready_at = value.ready_at.after(span);
        value.expected_pickup = value.expected_pickup.map(|at| at.after(span));
        value.expected_delivery = value.expected_delivery.map(|at| at.after(span));
    }
}

fn truncate_trips(changes: &mut Changes) {
    for write in changes
        .couriers
        .iter_mut()
        .filter(|write| write.value.trip.len() > 1)
    {
        write.value.trip.remove(0);
    }
}

fn release_claim(changes: &mut Changes) {
    if let Some(ClaimChange::Finish(claim)) = &changes.claim {
        let Claim {
            scope,
            key,
            holder,
            expires_at: until,
            ..
        } = claim.clone();
        changes.claim = Some(ClaimChange::Release {
            scope,
            key,
            holder,
            until,
        });
    }
}

/// Converts an amount to centavos.
pub(crate) fn centavos(money: Money) -> i64 {
    money.centavos()
}
