//! The changes of a decision, as data: one transaction on every backend.

use crate::model::{
    Timestamp,
    courier::{Courier, Position},
    order::{Event, Order},
    privacy::Redaction,
    store::{ClaimChange, Key, LedgerEntry, Notification, Store, TopUp},
    webhook::{Attempt, MessageChange, Webhook},
};

/// Everything that a decision changes, as data. One `Changes` is one transaction on every backend.
///
/// Apply the fields in this order, so that an order's debit finds its store and a removed store has received its last entries. Any rule
/// below that does not hold is a [`HostError::Conflict`](crate::host::HostError::Conflict) and undoes the whole commit. A unique value must
/// be free when its row is written: a later row of the same commit does not free it. Other references between rows need no check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// When it was decided.
    pub at: Timestamp,
    /// Stores to insert or replace; unique by CNPJ and by email ([`Email::key`](crate::model::Email::key)) among those not removed. The
    /// balance is not part of the row: a new store's is zero, and only `ledger` and `top_ups` change it. To remove a stored store, the
    /// commit sets `deleted_at`: then no order of the store may be open ([`is_final`](crate::model::order::OrderSituation::is_final)), and the balance
    /// of its ID must be zero after the entries of this commit.
    pub stores: Vec<Write<Store>>,
    /// Keys to insert or replace; unique by hash.
    pub keys: Vec<Write<Key>>,
    /// Orders to insert or replace; unique by store and code among those that hold their code
    /// ([`holds_code`](crate::model::order::OrderSituation::holds_code)).
    pub orders: Vec<Write<Order>>,
    /// Couriers to insert or replace; unique by the hash of their key. `position` and `position_at` are not part of the row.
    pub couriers: Vec<Write<Courier>>,
    /// The couriers' last positions. A position is ignored unless it is newer than the stored one.
    pub positions: Vec<Position>,
    /// Events to append to their merchants' journals ([`Store::merchant`]); unique by order and sequence. The commit assigns the ID and the
    /// position in the journal. An event of an unknown store belongs to the journal of that ID.
    pub events: Vec<Event>,
    /// Entries to append to the ledger, in this order; the commit assigns the IDs. Each adds its amount to the balance of its account, which
    /// must stay within the range of [`Money`](crate::model::Money) and not fall below the entry's floor. Store and account must exist, and must not have been removed by an earlier commit.
    pub ledger: Vec<LedgerEntry>,
    /// Payments to the operator. Each is an entry of the kind `TopUp` on [`Store::account`] with the same rules; unique by account and
    /// reference, so that two branches of a shared balance cannot use the same reference.
    pub top_ups: Vec<TopUp>,
    /// Subscriptions to insert or replace.
    pub webhooks: Vec<Write<Webhook>>,
    /// Changes of waiting messages, in this order. A message is identified by its webhook and name.
    pub messages: Vec<MessageChange>,
    /// Attempts to append to their webhooks' logs; the commit assigns the IDs. A webhook keeps the newest
    /// [`ATTEMPTS_KEPT`](crate::model::webhook::ATTEMPTS_KEPT).
    pub attempts: Vec<Attempt>,
    /// Notifications to insert or replace, by ID. A store keeps the newest
    /// [`NOTIFICATIONS_KEPT`](crate::model::store::NOTIFICATIONS_KEPT).
    pub notifications: Vec<Notification>,
    /// The change of a claim on an idempotency key.
    pub claim: Option<ClaimChange>,
    /// Personal data to erase from rows that are otherwise never rewritten, in this order.
    pub redactions: Vec<Redaction>,
}

/// A row to insert, or to replace if the version that was read is still stored. Version 0 means that no row exists.
#[derive(Clone, Debug, PartialEq)]
pub struct Write<T> {
    /// The version that must still be stored; 0 for an insert.
    pub expected: u32,
    /// The new row. Its own `version` is ignored: it is stored as version `expected + 1`.
    pub value: T,
}

impl<T> Write<T> {
    /// Returns the insert of a row.
    pub fn insert(value: T) -> Write<T> {
        Write { expected: 0, value }
    }
}

impl<T: Versioned> Write<T> {
    /// Returns the row to store over `stored`, as version `expected + 1`; `None`, a conflict, if `stored` has another version.
    ///
    /// ```
    /// # use despacho_core::{changes::Write, model::store::Store};
    /// # fn example(store: &Store) {
    /// let inserted = Write::insert(store.clone()).apply(None).expect("no row exists");
    /// assert_eq!(inserted.version, 1);
    /// assert_eq!(Write::insert(store.clone()).apply(Some(&inserted)), None);
    /// # }
    /// ```
    pub fn apply(&self, stored: Option<&T>) -> Option<T> {
        let is_expected = stored.map_or(0, Versioned::version) == self.expected;
        is_expected.then(|| self.value.with_version(self.expected + 1))
    }
}

/// A row that [`Write`] replaces by its version.
pub trait Versioned: Clone {
    /// Returns the number of times that the row was written.
    fn version(&self) -> u32;
    /// Returns the row with another version.
    #[must_use]
    fn with_version(&self, version: u32) -> Self;
}

macro_rules! versioned {
    ($($row:ty),*) => {$(
        impl Versioned for $row {
            fn version(&self) -> u32 {
                self.version
            }
            fn with_version(&self, version: u32) -> Self {
                Self { version, ..self.clone() }
            }
        }
    )*};
}

versioned! { Store, Key, Order, Courier, Webhook }
