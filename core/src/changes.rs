//! What a decision changes, as data: one transaction on every backend.

use crate::model::{
    Timestamp,
    courier::{Courier, Position},
    order::{Event, Order},
    privacy::Redaction,
    store::{ClaimChange, Key, LedgerEntry, Notification, Store, TopUp},
    webhook::{Attempt, MessageChange, Webhook},
};

/// Everything that a decision changes, as data. One `Changes` is one transaction on every backend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// When it was decided.
    pub at: Timestamp,
    /// Stores to insert or replace; unique by CNPJ and email among those not removed. A removed one has no open order, and its own
    /// balance is zero after this commit and does not move any more: [`HostError::Conflict`](crate::host::HostError::Conflict) otherwise.
    pub stores: Vec<Write<Store>>,
    /// Keys to insert or replace; unique by hash.
    pub keys: Vec<Write<Key>>,
    /// Orders to insert or replace; unique by store and code among those that hold their code.
    pub orders: Vec<Write<Order>>,
    /// Couriers to insert or replace; unique by the hash of their key. Their places are not written with them.
    pub couriers: Vec<Write<Courier>>,
    /// Places of couriers to write down, each where the one that is there is older.
    pub positions: Vec<Position>,
    /// Events to append to their merchants' journals; unique by order and sequence.
    pub events: Vec<Event>,
    /// Entries to append to the ledger, each moving the balance of its account, never below the entry's floor.
    pub ledger: Vec<LedgerEntry>,
    /// Money that the operator books in, moving the balance likewise; unique by store and reference.
    pub top_ups: Vec<TopUp>,
    /// Subscriptions to insert or replace.
    pub webhooks: Vec<Write<Webhook>>,
    /// What happens to messages that wait, in this order.
    pub messages: Vec<MessageChange>,
    /// Attempts to append to their subscriptions' logs, each of which keeps its newest
    /// [`crate::model::webhook::ATTEMPTS_KEPT`].
    pub attempts: Vec<Attempt>,
    /// Notifications to insert, or to replace when they were read.
    pub notifications: Vec<Notification>,
    /// What happens to a claim on an idempotency key.
    pub claim: Option<ClaimChange>,
    /// Personal data to erase from rows that are otherwise never rewritten, in this order.
    pub redactions: Vec<Redaction>,
}

/// A value to write in place of the version that was read; version 0 is none, so that it is an insert.
#[derive(Clone, Debug, PartialEq)]
pub struct Write<T> {
    /// The version that must still be stored.
    pub expected: u32,
    /// The new value, stored as version `expected + 1`.
    pub value: T,
}

impl<T> Write<T> {
    /// A value that must not be there yet.
    pub fn insert(value: T) -> Write<T> {
        Write { expected: 0, value }
    }
}
