//! The whole boundary between the rules and a host, on one screen.
//!
//! Load, decide, commit: a driver reads coarse facts through [`Host`], calls a pure decision, and commits its [`Changes`]
//! once. A host holds no rule; the core does no I/O.

use crate::{
    courier::{Courier, Position},
    domain::{
        Address, CourierId, Email, IdBlock, KeyId, Located, Matrix, Moment, NotificationId, OrderId, StoreId, Timestamp,
    },
    geo,
    limits::{Admission, Bucket},
    order::{Order, RecordedEvent},
    store::{Claim, ClaimChange, Key, KeyHash, KeyHolder, LedgerEntry, Notification, Store},
};

pub use crate::order::Event;

/// What the core needs from the world. Each method is one coarse question, so that a request costs few round trips.
///
/// There is no `Send` bound: a host that needs `Send` futures gets them from its own concrete type.
#[expect(async_fn_in_trait, reason = "static dispatch alone; a concrete host's futures are Send where it is")]
pub trait Host {
    /// The key with this hash, whatever its state, and the store that it speaks for: who is calling?
    async fn key(&self, hash: &KeyHash) -> Result<Option<KeyHolder>, Fault>;
    /// The keys of a store, newest first: what may be revoked?
    async fn keys(&self, store: StoreId) -> Result<Vec<Key>, Fault>;
    /// A key by its number.
    async fn key_by_id(&self, id: KeyId) -> Result<Option<Key>, Fault>;
    /// A store, unless it was removed.
    async fn store(&self, id: StoreId) -> Result<Option<Store>, Fault>;
    /// The store that logs in with this address, in any case.
    async fn store_by_email(&self, email: &Email) -> Result<Option<Store>, Fault>;
    /// The store with this CNPJ, by its 14 positions.
    async fn store_by_cnpj(&self, cnpj: &str) -> Result<Option<Store>, Fault>;
    /// An order as it stands.
    async fn order(&self, id: OrderId) -> Result<Option<Order>, Fault>;
    /// The order that holds a store's order code now; orders that released their code are not looked at.
    async fn order_by_code(&self, store: StoreId, code: &str) -> Result<Option<Order>, Fault>;
    /// An order's history, oldest first.
    async fn events(&self, order: OrderId) -> Result<Vec<RecordedEvent>, Fault>;
    /// Orders whose next timed transition is due at `now`, longest due first, at most `limit`.
    async fn due_orders(&self, now: Timestamp, limit: u32) -> Result<Vec<Order>, Fault>;
    /// Orders that look for a courier, longest searching first, at most `limit`.
    async fn searching_orders(&self, limit: u32) -> Result<Vec<Order>, Fault>;
    /// A courier as last written, with the last known place.
    async fn courier(&self, id: CourierId) -> Result<Option<Courier>, Fault>;
    /// The courier whose key has this hash, whatever the key's state.
    async fn courier_by_key(&self, hash: &KeyHash) -> Result<Option<Courier>, Fault>;
    /// Couriers with a number above `after`, by number, at most `limit`; removed ones too.
    async fn couriers(&self, after: Option<CourierId>, limit: u32) -> Result<Vec<Courier>, Fault>;
    /// Couriers that are free for an order by [`Courier::is_free`], with a place that is not older than `seen_since`, by number, at most
    /// `limit`.
    async fn free_couriers(&self, seen_since: Timestamp, limit: u32) -> Result<Vec<Courier>, Fault>;
    /// A store's notifications before `before`, newest first, at most `limit`.
    async fn notifications(
        &self,
        store: StoreId,
        before: Option<NotificationId>,
        limit: u32,
    ) -> Result<Vec<Notification>, Fault>;
    /// The claim on an idempotency key of a caller.
    async fn claim(&self, scope: &str, key: &str) -> Result<Option<Claim>, Fault>;

    /// Where addresses are, one answer for each. Slow where a geocoder is asked, so never called between reads and commit.
    async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Located, geo::LocateFault>>, Fault> {
        Ok(addresses.iter().map(|address| geo::locate(address)).collect())
    }
    /// Road legs between every pair of places.
    async fn matrix(&self, places: &[Located]) -> Result<Matrix, Fault> {
        Ok(geo::matrix(places))
    }

    /// Whether [`Host::locate`] and [`Host::matrix`] go by embedded data alone, so that a page previews as the service does.
    fn is_embedded(&self) -> bool {
        true
    }

    /// Reserves `count` consecutive identifiers, never given before nor again.
    async fn ids(&self, count: u32) -> Result<IdBlock, Fault>;
    /// Counts a request against a bucket, atomically, by [`Bucket::admit`].
    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, Fault>;
    /// [`crate::store::password::hash`], wherever tens of milliseconds of work do not hold up others.
    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, Fault>;
    /// [`crate::store::password::verify`], likewise.
    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, Fault>;

    /// Makes all changes durable or none of them. [`Fault::Conflict`] where an expected version, a unique value or a floor did
    /// not hold: load and decide again.
    async fn commit(&self, changes: &Changes) -> Result<(), Fault>;
    /// Now and fresh entropy, drawn once for a request.
    fn moment(&self) -> Moment;
}

/// Everything that a decision changes, as data. One `Changes` is one transaction on every backend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// When it was decided.
    pub at: Timestamp,
    /// Stores to insert or replace; unique by CNPJ and email among those not removed.
    pub stores: Vec<Write<Store>>,
    /// Keys to insert or replace; unique by hash.
    pub keys: Vec<Write<Key>>,
    /// Orders to insert or replace; unique by store and code among those that hold their code.
    pub orders: Vec<Write<Order>>,
    /// Couriers to insert or replace; unique by the hash of their key. Their places are not written with them.
    pub couriers: Vec<Write<Courier>>,
    /// Places of couriers to write down, each where the one that is there is older.
    pub positions: Vec<Position>,
    /// Events to append to the journal; unique by order and sequence.
    pub events: Vec<Event>,
    /// Entries to append to the ledger, each moving its store's balance, never below the entry's floor.
    pub ledger: Vec<LedgerEntry>,
    /// Notifications to insert, or to replace when they were read.
    pub notifications: Vec<Notification>,
    /// What happens to a claim on an idempotency key.
    pub claim: Option<ClaimChange>,
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
pub enum Fault {
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

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::Conflict => f.write_str("another write came first"),
            Fault::Unavailable { what, detail } => write!(f, "{what} is unavailable: {detail}"),
            Fault::Timeout { what } => write!(f, "{what} did not answer in time"),
            Fault::Internal { detail } => write!(f, "internal error: {detail}"),
        }
    }
}

impl std::error::Error for Fault {}
