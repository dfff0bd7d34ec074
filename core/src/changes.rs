//! The changes of a transaction, as data.

use crate::model::{
    PayPlanId, PhotoId, TariffId, Timestamp,
    audit::AuditEntry,
    cash::CashEntry,
    courier::{Courier, Position},
    order::{Blob, Event, Order, TrackingLink},
    pay::{PayEntry, StoredPayPlan},
    privacy::Redaction,
    store::{ClaimChange, Key, LedgerEntry, Notification, Store, TopUp, User},
    tariff::StoredTariff,
    webhook::{Attempt, MessageChange, Webhook},
};

/// The changes of a transaction, as data. Every backend commits a `Changes` as one transaction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Time of the decision.
    pub at: Timestamp,
    /// Stores to insert or replace. CNPJ and email are unique among stores that are not removed,
    /// and the email also among users. A removed store must have no open order, and its own balance
    /// must be zero after this commit and is fixed from then on; otherwise the commit returns
    /// [`HostError::Conflict`](crate::host::HostError::Conflict).
    pub stores: Vec<Write<Store>>,
    /// Keys to insert or replace. The hash is unique.
    pub keys: Vec<Write<Key>>,
    /// Users to insert or replace. The email is unique among users that are not removed and stores;
    /// the store of a new user must exist.
    pub users: Vec<Write<User>>,
    /// Orders to insert or replace. Store and code are unique among orders that hold their code.
    pub orders: Vec<Write<Order>>,
    /// Couriers to insert or replace. The hash of the key is unique. Positions are not written with
    /// them.
    pub couriers: Vec<Write<Courier>>,
    /// Positions of couriers to store, each unless a newer one is stored.
    pub positions: Vec<Position>,
    /// Events to append to their merchants' journals. Order and sequence are unique.
    pub events: Vec<Event>,
    /// Links of recipients to insert, or to replace by their hash.
    pub links: Vec<TrackingLink>,
    /// Entries to append to the ledger. Each changes the balance of its account, but never to below
    /// the entry's floor.
    pub ledger: Vec<LedgerEntry>,
    /// Top-ups by the operator. Each changes the balance of its account. Store and reference are
    /// unique.
    pub top_ups: Vec<TopUp>,
    /// Entries of couriers' pay to append. [`PayEntry::unique_key`] is unique.
    pub pay: Vec<PayEntry>,
    /// Changes to the stored pay plans, in this order.
    pub pay_plans: Vec<PayPlanChange>,
    /// Entries to append to the cash ledger, in this order. Each changes the balance of its courier
    /// and store by [`CashBalance::after`](crate::model::cash::CashBalance::after), which states
    /// when a closing conflicts. A delivery has at most one entry of what was collected.
    pub cash: Vec<CashEntry>,
    /// Subscriptions to insert or replace.
    pub webhooks: Vec<Write<Webhook>>,
    /// Changes to queued webhook messages, in this order.
    pub messages: Vec<MessageChange>,
    /// Attempts to append to the delivery logs. A log keeps its newest
    /// [`crate::model::webhook::MAX_STORED_ATTEMPTS`] attempts.
    pub attempts: Vec<Attempt>,
    /// Notifications to insert, or to replace if they were marked as read.
    pub notifications: Vec<Notification>,
    /// Entries to append to the audit log.
    pub audit: Vec<AuditEntry>,
    /// A change to a claim on an idempotency key.
    pub claim: Option<ClaimChange>,
    /// Photos to insert. A conflict if one exists.
    pub blobs: Vec<Blob>,
    /// Photos to remove, if they exist.
    pub removed_blobs: Vec<PhotoId>,
    /// A change to the stored tariffs.
    pub tariffs: Option<TariffWrite>,
    /// Personal data to erase from rows that are otherwise never rewritten, in this order.
    pub redactions: Vec<Redaction>,
}

/// A change to the stored tariffs. It increases their revision.
#[derive(Clone, Debug, PartialEq)]
pub struct TariffWrite {
    /// The revision that must currently be stored. All changes of tariffs are therefore decided one
    /// after the other.
    pub revision: u64,
    /// The change.
    pub change: TariffChange,
}

/// A kind of change to the stored tariffs.
#[derive(Clone, Debug, PartialEq)]
pub enum TariffChange {
    /// Inserts a tariff. Its ID and its version are unique.
    Insert(StoredTariff),
    /// Removes a tariff, whose time of effect must be after [`Changes::at`].
    Remove(TariffId),
}

/// A change to the stored pay plans.
#[derive(Clone, Debug, PartialEq)]
pub enum PayPlanChange {
    /// Inserts a version of a plan. Its ID, its version, and its name with its time of effect are
    /// unique.
    Insert(StoredPayPlan),
    /// Removes a version, whose time of effect must be after [`Changes::at`].
    Remove(PayPlanId),
}

/// A value that replaces the version that was read. An expected version of 0 is an insert.
#[derive(Clone, Debug, PartialEq)]
pub struct Write<T> {
    /// The version that must currently be stored.
    pub expected: u32,
    /// The new row. Its own `version` is ignored: it is stored as version `expected + 1`.
    pub value: T,
}

impl<T> Write<T> {
    /// Creates an insert, which conflicts with an existing value.
    pub fn insert(value: T) -> Write<T> {
        Write { expected: 0, value }
    }
}

impl<T: Versioned> Write<T> {
    /// Returns the row to store over `stored`, as version `expected + 1`; `None`, a conflict, if
    /// `stored` has another version.
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

versioned! { Store, Key, User, Order, Courier, Webhook }
