//! The one database that all instances share: the core's reference host, honest or with one of its words broken.

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
        CourierId, Money, OrderId, StoreId,
        courier::Courier,
        order::{Journal, JournalEntry, Order},
        store::{Claim, ClaimChange, EntryKind, Store},
    },
};

use crate::mutation::Mutation;

/// What stands between an order's code and the number that tells it from its twin, under [`Mutation::CodeTwice`].
const TWIN: char = '\u{1}';

/// The database.
pub(crate) struct Backend {
    pub(crate) memory: MemoryHost,
    pub(crate) mutation: Option<Mutation>,
    commits: Cell<u64>,
}

/// What a future gives that never waits; nothing where it does.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// What the reference host answers, which neither waits nor fails.
fn read<T: Default>(future: impl Future<Output = Result<T, HostError>>) -> T {
    at_once(future).and_then(Result::ok).unwrap_or_default()
}

impl Backend {
    /// An empty database.
    pub(crate) fn new(seed: u64, mutation: Option<Mutation>) -> Backend {
        Backend { memory: MemoryHost::seeded(seed), mutation, commits: Cell::new(0) }
    }

    /// Whether this rule is the broken one.
    pub(crate) fn breaks(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    /// An order as it stands.
    pub(crate) fn order(&self, id: OrderId) -> Option<Order> {
        read(self.memory.order(id)).map(|order| self.shown(order))
    }

    /// A store as it stands, unless it was removed.
    pub(crate) fn store(&self, id: StoreId) -> Option<Store> {
        read(self.memory.store(id))
    }

    /// A courier as it stands.
    pub(crate) fn courier(&self, id: CourierId) -> Option<Courier> {
        read(self.memory.courier(id))
    }

    /// A merchant's journal after a place.
    pub(crate) fn journal(&self, matrix: StoreId, after: u64) -> Vec<JournalEntry> {
        read(self.memory.journal(Journal { merchant: matrix, branch: None }, after, u32::MAX))
    }

    /// An order with the code that its merchant gave it.
    pub(crate) fn shown(&self, mut order: Order) -> Order {
        if self.breaks(Mutation::CodeTwice)
            && let Some((code, _)) = order.code.split_once(TWIN)
        {
            order.code = code.to_owned();
        }
        order
    }

    /// Commits: what a database does, or what the mutation makes of it.
    pub(crate) fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        let number = self.commits.get() + 1;
        self.commits.set(number);
        let Some(mutation) = self.mutation else { return self.apply(changes) };
        let mut tampered = changes.clone();
        match mutation {
            Mutation::WriteLost if number.is_multiple_of(40) && !changes.orders.is_empty() => return Ok(()),
            Mutation::VersionIgnored => self.overwrite(&mut tampered),
            Mutation::CodeTwice => self.rename(&mut tampered),
            Mutation::ResponseLost => forget(&mut tampered),
            Mutation::FeeUnbooked => tampered.ledger.retain(|entry| entry.kind != EntryKind::Fee),
            Mutation::RefundTwice => {
                let again: Vec<_> =
                    changes.ledger.iter().filter(|entry| entry.kind == EntryKind::Refund).cloned().collect();
                tampered.ledger.extend(again);
            }
            Mutation::FloorIgnored => tampered.ledger.iter_mut().for_each(|entry| entry.floor = None),
            Mutation::BalanceUnshared => {
                tampered.ledger.iter_mut().for_each(|entry| entry.account = entry.account.or(Some(entry.store)));
            }
            Mutation::CourierKept => self.keep_courier(&mut tampered),
            Mutation::EventLost if number.is_multiple_of(20) => {
                tampered.events.pop();
            }
            Mutation::WebhookSkips if number.is_multiple_of(5) => {
                for write in tampered.webhooks.iter_mut().filter(|write| write.expected > 0) {
                    let end =
                        read(self.memory.journal_span(Journal { merchant: write.value.merchant, branch: None })).end;
                    write.value.position = (write.value.position + 1).min(end.max(write.value.position));
                }
            }
            Mutation::CodesUncounted => self.uncount(&mut tampered),
            Mutation::ReleaseLost => self.reopen(changes),
            _ => {}
        }
        self.apply(&tampered)
    }

    /// What a commit leaves that is not whole: the aggregates without what belongs to them.
    pub(crate) fn commit_half(&self, changes: &Changes) {
        if self.breaks(Mutation::HalfCommit) {
            let half = Changes {
                at: changes.at,
                orders: changes.orders.clone(),
                couriers: changes.couriers.clone(),
                ..Changes::default()
            };
            // Whether it fits is all the same: a half that conflicts leaves nothing.
            let _ = self.apply(&half);
        }
    }

    fn apply(&self, changes: &Changes) -> Result<(), HostError> {
        let waits = Err(HostError::Internal { detail: "the reference host waited".to_owned() });
        at_once(self.memory.commit(changes)).unwrap_or(waits)
    }

    /// Whatever version stands there is the one that was expected.
    fn overwrite(&self, changes: &mut Changes) {
        for write in changes.orders.iter_mut().filter(|write| write.expected > 0) {
            let Some(existing) = self.order(write.value.id) else { continue };
            let ahead = existing.last_sequence.saturating_sub(write.value.last_sequence);
            if existing.version > write.expected {
                let events = changes.events.iter_mut().filter(|event| event.order == write.value.id);
                let mut count = 0;
                for event in events {
                    count += 1;
                    event.sequence = existing.last_sequence + count;
                }
                write.value.last_sequence += ahead + count;
            }
            write.expected = existing.version;
        }
        for write in changes.couriers.iter_mut().filter(|write| write.expected > 0) {
            write.expected = self.courier(write.value.id).map_or(write.expected, |existing| existing.version);
        }
    }

    /// An order whose code another one holds is put beside it, under a code that the index does not know.
    fn rename(&self, changes: &mut Changes) {
        for Write { value, .. } in &mut changes.orders {
            let held = read(self.memory.find_orders(OrderQuery::Code(value.store, &value.code)));
            if held.iter().any(|held| held.id != value.id) {
                value.code = format!("{}{TWIN}{}", value.code, value.id);
            }
        }
    }

    fn keep_courier(&self, changes: &mut Changes) {
        let ended = changes.orders.iter().any(|write| write.value.status.is_final());
        if ended {
            changes.couriers.retain(|write| write.value.order.is_some());
        }
    }

    /// A claim that is given up is forgotten even where its answer is kept already.
    fn reopen(&self, changes: &Changes) {
        let Some(ClaimChange::Release { scope, key, holder, until }) = &changes.claim else { return };
        let kept = read(self.memory.claim(scope, key)).filter(|claim| claim.holder == *holder);
        if let Some(claim) = kept {
            let open = Some(ClaimChange::Finish(Claim { response: None, expires_at: *until, ..claim }));
            // It is the holder's own, so that nothing stands in its way.
            let _ = self.apply(&Changes { at: changes.at, claim: open, ..Changes::default() });
        }
    }

    /// The order as it is written has no more wrong tries than it had.
    fn uncount(&self, changes: &mut Changes) {
        for Write { value, .. } in &mut changes.orders {
            if let Some(existing) = self.order(value.id) {
                value.tries = existing.tries;
            }
        }
    }
}

fn forget(changes: &mut Changes) {
    if let Some(ClaimChange::Finish(claim)) = &changes.claim {
        let Claim { scope, key, holder, expires_at: until, .. } = claim.clone();
        changes.claim = Some(ClaimChange::Release { scope, key, holder, until });
    }
}

/// An amount in centavos.
pub(crate) fn centavos(money: Money) -> i64 {
    money.centavos()
}
