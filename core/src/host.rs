//! The whole boundary between the rules and a host, on one screen.
//!
//! Load, decide, commit: a driver reads coarse facts through [`Host`], calls a pure decision, and commits its [`Changes`]
//! once. A host holds no rule; the core does no I/O.

use std::{ops::RangeInclusive, sync::Arc};

use crate::{
    courier::{Cell, Courier, FreeCourier, Position, SearchingOrder},
    domain::{
        Address, AttemptId, CourierId, Duration, Email, IdBlock, KeyId, Located, Matrix, Moment, NotificationId,
        OrderId, StoreId, Timestamp, WebhookId,
    },
    geo,
    limits::{Admission, Bucket},
    order::{Journal, JournalEntry, Order, OrderFilter, RecordedEvent},
    privacy::{PersonalData, PersonalQuery, Redaction},
    store::{
        Claim, ClaimChange, ClaimUsage, Key, KeyHash, KeyHolder, LedgerEntry, Notification, Period, StatementLine,
        Store, TopUp,
    },
    webhook::{Attempt, Message, MessageChange, RecordedAttempt, Webhook},
};

pub use crate::order::Event;

/// How old the answer to [`Host::recent_key`] may be: as long as a revoked key may still preview on another instance.
pub const RECENT: Duration = Duration::seconds(1);

/// What the core needs from the world. Each method is one coarse question, so that a request costs few round trips.
///
/// There is no `Send` bound: a host that needs `Send` futures gets them from its own concrete type.
#[expect(async_fn_in_trait, reason = "static dispatch alone; a concrete host's futures are Send where it is")]
pub trait Host {
    /// The key with this hash, whatever its state, and the store that it speaks for: who is calling?
    async fn key(&self, hash: &KeyHash) -> Result<Option<KeyHolder>, HostError>;
    /// The same, or as the host found it at most [`RECENT`] before `now`, unless it has itself committed a key or a store since. For
    /// questions alone whose answer changes nothing.
    async fn recent_key(&self, hash: &KeyHash, _now: Timestamp) -> Result<Option<Arc<KeyHolder>>, HostError> {
        Ok(self.key(hash).await?.map(Arc::new))
    }
    /// The keys of a store, newest first: what may be revoked?
    async fn keys(&self, store: StoreId) -> Result<Vec<Key>, HostError>;
    /// A key by its number.
    async fn key_by_id(&self, id: KeyId) -> Result<Option<Key>, HostError>;
    /// A store, unless it was removed.
    async fn store(&self, id: StoreId) -> Result<Option<Store>, HostError>;
    /// A store, also one that was removed: its statement stays readable.
    async fn any_store(&self, id: StoreId) -> Result<Option<Store>, HostError>;
    /// The store that logs in with this address, in any case.
    async fn store_by_email(&self, email: &Email) -> Result<Option<Store>, HostError>;
    /// The store with this CNPJ, by its 14 positions.
    async fn store_by_cnpj(&self, cnpj: &str) -> Result<Option<Store>, HostError>;
    /// An order as it stands.
    async fn order(&self, id: OrderId) -> Result<Option<Order>, HostError>;
    /// The order that holds a store's order code now; orders that released their code are not looked at.
    async fn order_by_code(&self, store: StoreId, code: &str) -> Result<Option<Order>, HostError>;
    /// Orders that a filter matches, newest first, at most `limit`; none of stores that were removed. A host may return fewer where they are
    /// large, but at least one if any matches.
    async fn find_orders(&self, filter: &OrderFilter, limit: u32) -> Result<Vec<Order>, HostError>;
    /// A store and its branches with a number above `after`, by number, at most `limit`, without those that were removed.
    async fn stores_of(&self, store: StoreId, after: Option<StoreId>, limit: u32) -> Result<Vec<Store>, HostError>;
    /// An order's history, oldest first.
    async fn events(&self, order: OrderId) -> Result<Vec<RecordedEvent>, HostError>;
    /// A journal after a place, oldest first, at most `limit`. Once an event was seen, none appears before it: see
    /// [`crate::order::Journal`].
    async fn journal(&self, of: Journal, after: u64, limit: u32) -> Result<Vec<JournalEntry>, HostError>;
    /// The last place of a matrix's journal; 0 while it is empty.
    async fn journal_end(&self, matrix: StoreId) -> Result<u64, HostError>;
    /// The last place of a journal whose event was archived: whoever reads on from before it misses some. 0 where none was.
    async fn journal_start(&self, of: Journal) -> Result<u64, HostError>;
    /// Orders whose next timed transition is due at `now`, longest due first, without the first `skipped`, at most `limit`.
    async fn due_orders(&self, now: Timestamp, skipped: u32, limit: u32) -> Result<Vec<Order>, HostError>;
    /// Searching orders by the end of their search and by ID, those after `after`, at most `limit`; by index, without their bodies.
    async fn searching_orders(
        &self,
        after: Option<(Timestamp, OrderId)>,
        limit: u32,
    ) -> Result<Vec<SearchingOrder>, HostError>;
    /// Orders of sandbox stores that a courier is searched for or that a courier has, with an ID above `after`, by ID, at most `limit`.
    async fn sandbox_orders(&self, after: Option<OrderId>, limit: u32) -> Result<Vec<Order>, HostError>;
    /// Those of these orders that exist, in any order.
    async fn orders_by_id(&self, ids: &[OrderId]) -> Result<Vec<Order>, HostError>;
    /// A courier as last written, with the last known place.
    async fn courier(&self, id: CourierId) -> Result<Option<Courier>, HostError>;
    /// The courier whose key has this hash, whatever the key's state.
    async fn courier_by_key(&self, hash: &KeyHash) -> Result<Option<Courier>, HostError>;
    /// Couriers with a number above `after`, by number, at most `limit`; removed ones too.
    async fn couriers(&self, after: Option<CourierId>, limit: u32) -> Result<Vec<Courier>, HostError>;
    /// Those of these couriers that exist, in any order.
    async fn couriers_by_id(&self, ids: &[CourierId]) -> Result<Vec<Courier>, HostError>;
    /// Couriers that are free by [`Courier::is_free`], with a position in these cells that is not older than `seen_since`, by cell and ID,
    /// those after `after`, at most `limit`; by index, without their bodies.
    async fn free_couriers(
        &self,
        cells: RangeInclusive<Cell>,
        after: Option<(Cell, CourierId)>,
        seen_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<FreeCourier>, HostError>;
    /// Couriers whose order is on its way to the pickup, or waits there with them, and whose last place is older than `seen_before` or
    /// not known, by ID, without the first `skipped`, at most `limit`.
    async fn silent_couriers(
        &self,
        seen_before: Timestamp,
        skipped: u32,
        limit: u32,
    ) -> Result<Vec<Courier>, HostError>;
    /// A store's notifications before `before`, newest first, at most `limit`.
    async fn notifications(
        &self,
        store: StoreId,
        before: Option<NotificationId>,
        limit: u32,
    ) -> Result<Vec<Notification>, HostError>;
    /// Lines of a store's statement, oldest first, at most `limit`: entries that moved its balance, and entries that belong to it on its
    /// parent's balance.
    async fn statement(&self, store: StoreId, period: Period, limit: u32) -> Result<Vec<StatementLine>, HostError>;
    /// The line of the top-up with this reference on the balance that pays for a store, or on the store's own.
    async fn top_up(&self, store: StoreId, reference: &str) -> Result<Option<StatementLine>, HostError>;
    /// A store's subscriptions, oldest first, without those that were removed.
    async fn webhooks(&self, store: StoreId) -> Result<Vec<Webhook>, HostError>;
    /// A subscription, unless it was removed.
    async fn webhook(&self, id: WebhookId) -> Result<Option<Webhook>, HostError>;
    /// Active subscriptions without a lease at `now` that have a message due or events behind their position, at most `limit`. Merchants
    /// take turns: each one's subscriptions are numbered, those with a lease first, then those that were looked at longest ago; lower
    /// numbers come first. A number above [`crate::webhook::ROUNDS_PER_MERCHANT`] is left out, and of what remains, numbered likewise for each
    /// receiver, one above [`crate::webhook::ROUNDS_PER_RECEIVER`].
    async fn due_webhooks(&self, now: Timestamp, limit: u32) -> Result<Vec<Webhook>, HostError>;
    /// The messages of a subscription that wait, by their place in the journal.
    async fn messages(&self, webhook: WebhookId) -> Result<Vec<Message>, HostError>;
    /// A subscription's attempts before `before`, newest first, at most `limit`.
    async fn attempts(
        &self,
        webhook: WebhookId,
        before: Option<AttemptId>,
        limit: u32,
    ) -> Result<Vec<RecordedAttempt>, HostError>;
    /// An attempt by its number.
    async fn attempt(&self, id: AttemptId) -> Result<Option<RecordedAttempt>, HostError>;
    /// The claim on an idempotency key of a caller.
    async fn claim(&self, scope: &str, key: &str) -> Result<Option<Claim>, HostError>;
    /// Stored personal data, for an export, an erasure or the retention.
    async fn personal_data(&self, query: &PersonalQuery) -> Result<PersonalData, HostError>;
    /// The responses that were stored for an owner of claims from the hour of `since` on, by [`Claim::hour`].
    async fn claim_usage(&self, owner: &str, since: Timestamp) -> Result<ClaimUsage, HostError>;
    /// The size of a merchant: its branches and webhooks, without those that were removed.
    async fn merchant_size(&self, merchant: StoreId) -> Result<MerchantSize, HostError>;

    /// Where addresses are, one answer for each. Slow where a geocoder is asked, so never called between reads and commit.
    async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Located, geo::LocateError>>, HostError> {
        Ok(addresses.iter().map(|address| geo::locate(address)).collect())
    }
    /// Road legs between every pair of places.
    async fn matrix(&self, places: &[Located]) -> Result<Matrix, HostError> {
        Ok(geo::matrix(places))
    }

    /// Whether [`Host::locate`] and [`Host::matrix`] go by embedded data alone, so that a page previews as the service does.
    fn is_embedded(&self) -> bool {
        true
    }

    /// Reserves `count` consecutive identifiers, never given before nor again.
    async fn ids(&self, count: u32) -> Result<IdBlock, HostError>;
    /// Counts a request against a bucket, atomically, by [`Bucket::admit`].
    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError>;
    /// [`crate::store::password::hash`], wherever tens of milliseconds of work do not hold up others.
    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError>;
    /// [`crate::store::password::verify`], likewise.
    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError>;

    /// Makes all changes durable or none of them. [`HostError::Conflict`] where an expected version, a unique value or a floor did
    /// not hold: load and decide again.
    async fn commit(&self, changes: &Changes) -> Result<(), HostError>;
    /// Commits each of several changes by itself, as [`Host::commit`] does, in this order, and gives what became of each. A host may
    /// flush them to disk together.
    async fn commit_each(&self, changes: &[Changes]) -> Vec<Result<(), HostError>> {
        let mut results = Vec::with_capacity(changes.len());
        for changes in changes {
            results.push(self.commit(changes).await);
        }
        results
    }
    /// Now and fresh entropy, drawn once for a request.
    fn moment(&self) -> Moment;
}

/// Everything that a decision changes, as data. One `Changes` is one transaction on every backend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// When it was decided.
    pub at: Timestamp,
    /// Stores to insert or replace; unique by CNPJ and email among those not removed. A removed one has no open order, and its own
    /// balance is zero after this commit and does not move any more: [`HostError::Conflict`] otherwise.
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
    /// [`crate::webhook::ATTEMPTS_KEPT`].
    pub attempts: Vec<Attempt>,
    /// Notifications to insert, or to replace when they were read.
    pub notifications: Vec<Notification>,
    /// What happens to a claim on an idempotency key.
    pub claim: Option<ClaimChange>,
    /// Personal data to erase from rows that are otherwise never rewritten, in this order.
    pub redactions: Vec<Redaction>,
}

/// How much of what is bounded for each merchant there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MerchantSize {
    /// Branches of the parent store.
    pub branches: u64,
    /// Webhooks of the parent store and its branches.
    pub webhooks: u64,
}

/// A value to write in place of the version that was read; version 0 is none, so that it is an insert.
#[derive(Clone, Debug, PartialEq)]
pub struct Write<T> {
    /// The version that must still be there.
    pub expected: u32,
    /// What stands there afterwards, as version `expected + 1`.
    pub value: T,
}

impl<T> Write<T> {
    /// A value that must not be there yet.
    pub fn insert(value: T) -> Write<T> {
        Write { expected: 0, value }
    }
}

/// Why a host could not answer. None of these is the caller's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostError {
    /// Somebody else wrote first: load, decide and commit again.
    Conflict,
    /// A part is out of order or overloaded; it may work again in a while.
    Unavailable {
        /// The part, by its name in the documentation: `database`, `geocoder`.
        what: &'static str,
        /// What happened, for the log.
        detail: String,
    },
    /// A part did not answer in time.
    Timeout {
        /// The part.
        what: &'static str,
    },
    /// Something that cannot happen did; `detail` is for the log alone.
    Internal {
        /// What happened.
        detail: String,
    },
}

impl std::fmt::Display for HostError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HostError::Conflict => f.write_str("another write came first"),
            HostError::Unavailable { what, detail } => write!(f, "{what} is unavailable: {detail}"),
            HostError::Timeout { what } => write!(f, "{what} did not answer in time"),
            HostError::Internal { detail } => write!(f, "internal error: {detail}"),
        }
    }
}

impl std::error::Error for HostError {}
