//! The boundary between the core and a host: [`Storage`] for everything that lasts, [`Platform`] for everything else.
//!
//! A driver in the core loads facts through these traits, calls a pure decision, and commits its [`Changes`] once. A host holds no
//! rule; the core does no I/O. `core/HOSTING.md` describes how to write a host.

mod scan;

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::{
    geo,
    model::{
        Address, AttemptId, CourierId, DistanceMatrix, Duration, Email, ExecContext, IdBlock, KeyId, Located,
        NotificationId, OrderId, StoreId, Timestamp, WebhookId,
        courier::{Cell, Courier, FreeCourier, SearchingOrder},
        order::{Journal, JournalEntry, Order, OrderFilter, RecordedEvent},
        privacy::{PersonalData, PersonalQuery},
        store::{Claim, KeyHash, KeyHolder, Notification, Period, StatementLine, Store},
        webhook::{Message, RecordedAttempt, Webhook},
    },
    rules::limits::{Admission, Bucket},
};

use crate::changes::Changes;
pub use crate::model::order::Event;

/// The maximum age of a result of [`KeyQuery::Recent`]: for this long, a revoked key may still preview on another instance.
pub const RECENT: Duration = Duration::seconds(1);

/// Everything that a host stores. Each method is one read or one transaction, so that a request costs few round trips.
///
/// A read returns everything that was committed before it began, and never a part of a commit. Different reads may see different commits:
/// versions detect a change between a read and the commit. A limit is a maximum; rows that do not exist are left out, without an error.
/// A type named here with a `scan` function, such as [`OrderQuery::scan`], has the query as code over rows in memory. There is no `Send`
/// bound: a host that needs `Send` futures gets them from its own concrete type.
///
/// ```
/// use despacho_core::{
///     host::{HostError, OrderQuery, Storage},
///     model::{OrderId, order::Order},
/// };
///
/// /// Works on every host.
/// async fn count_existing(storage: &impl Storage, ids: &[OrderId]) -> Result<usize, HostError> {
///     let orders: Vec<Order> = storage.find_orders(OrderQuery::Ids(ids)).await?;
///     Ok(orders.len())
/// }
/// ```
#[expect(async_fn_in_trait, reason = "static dispatch only; a concrete host's futures are Send if it needs them")]
pub trait Storage {
    /// Keys, each with its store, removed or not, and the store's balance as in [`Storage::find_stores`]. A key without a store is left out.
    async fn find_keys(&self, query: KeyQuery<'_>) -> Result<Vec<Arc<KeyHolder>>, HostError>;
    /// Stores, each with the balance of its [`Store::account`], in the same snapshot.
    async fn find_stores(&self, query: StoreQuery<'_>) -> Result<Vec<Store>, HostError>;
    /// Orders.
    async fn find_orders(&self, query: OrderQuery<'_>) -> Result<Vec<Order>, HostError>;
    /// Searching orders by the end of their search and by ID, those after `after`, at most `limit`. A database needs an index of these
    /// columns. Code over rows in memory: [`SearchingOrder::scan`].
    async fn searching_orders(
        &self,
        after: Option<(Timestamp, OrderId)>,
        limit: u32,
    ) -> Result<Vec<SearchingOrder>, HostError>;
    /// An order's history, oldest first.
    async fn events(&self, order: OrderId) -> Result<Vec<RecordedEvent>, HostError>;
    /// A journal after a position, oldest first, at most `limit`: the merchant's events, or only those of one branch. Positions are assigned
    /// for each merchant, 1, 2, 3 and so on, over all its stores. They become visible in that order: a position that was read can have no
    /// later insertion before it.
    async fn journal(&self, of: Journal, after: u64, limit: u32) -> Result<Vec<JournalEntry>, HostError>;
    /// The first and the last position of a journal.
    async fn journal_span(&self, of: Journal) -> Result<JournalSpan, HostError>;
    /// Couriers, each with `position` and `position_at` of the last [`Position`](crate::model::courier::Position) that was committed.
    async fn find_couriers(&self, query: CourierQuery<'_>) -> Result<Vec<Courier>, HostError>;
    /// Couriers that are free by [`Courier::is_free`], with a position in these cells that is not older than `seen_since`, by cell and ID,
    /// those after `after`, at most `limit`. A database needs an index of these columns. Code over rows in memory: [`FreeCourier::scan`].
    async fn free_couriers(
        &self,
        cells: RangeInclusive<Cell>,
        after: Option<(Cell, CourierId)>,
        seen_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<FreeCourier>, HostError>;
    /// A store's notifications with an ID below `before`, newest first, at most `limit`.
    async fn notifications(
        &self,
        store: StoreId,
        before: Option<NotificationId>,
        limit: u32,
    ) -> Result<Vec<Notification>, HostError>;
    /// Lines of a store's statement.
    async fn statement(&self, store: StoreId, query: StatementQuery<'_>) -> Result<Vec<StatementLine>, HostError>;
    /// Webhooks, without removed ones.
    async fn find_webhooks(&self, query: WebhookQuery) -> Result<Vec<Webhook>, HostError>;
    /// A webhook's waiting messages, by [`Message::place`] and name.
    async fn messages(&self, webhook: WebhookId) -> Result<Vec<Message>, HostError>;
    /// Recorded attempts to call webhooks.
    async fn find_attempts(&self, query: AttemptQuery) -> Result<Vec<RecordedAttempt>, HostError>;
    /// The claim with this scope and key, expired or not.
    async fn claim(&self, scope: &str, key: &str) -> Result<Option<Claim>, HostError>;
    /// Stored personal data, for an export, an erasure or the retention.
    async fn personal_data(&self, query: &PersonalQuery) -> Result<PersonalData, HostError>;
    /// How much is stored of what is limited.
    async fn usage(&self, of: UsageQuery<'_>) -> Result<StorageUsage, HostError>;

    /// Reserves `count` consecutive identifiers, above all earlier ones, also after a restart. Start at 1,000. Gaps are allowed.
    async fn ids(&self, count: u32) -> Result<IdBlock, HostError>;
    /// Makes all changes durable or none of them. [`HostError::Conflict`] if an expected version, a unique value, a floor or another
    /// condition of [`Changes`] does not hold; its fields state them. After any other error the outcome may be unknown: the caller does
    /// not assume that nothing was stored.
    async fn commit(&self, changes: &Changes) -> Result<(), HostError>;
    /// Commits each of several changes by itself, as [`Storage::commit`] does, in this order, and returns each result. A host may
    /// flush them to disk together.
    async fn commit_each(&self, changes: &[Changes]) -> Vec<Result<(), HostError>> {
        let mut results = Vec::with_capacity(changes.len());
        for changes in changes {
            results.push(self.commit(changes).await);
        }
        results
    }
}

/// Everything that a host provides besides storage: time, randomness, rate limits, CPU time for passwords, a geocoder and a road network.
///
/// ```
/// use despacho_core::{
///     host::{HostError, Platform},
///     model::{Entropy, Moment, Timestamp},
///     rules::{
///         limits::{Admission, Bucket},
///         password,
///     },
/// };
///
/// struct Machine {
///     /// 32 bytes of the operating system's randomness.
///     random: fn() -> [u8; 32],
///     /// Milliseconds since 1970.
///     clock: fn() -> i64,
/// }
///
/// impl Platform for Machine {
///     fn moment(&self) -> Moment {
///         Moment { now: Timestamp::from_millis((self.clock)()), entropy: Entropy::new((self.random)()) }
///     }
///     /// Never rejects a request.
///     async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
///         Ok(bucket.admit(None, now).0)
///     }
///     async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
///         password::hash(password, salt).map_err(HostError::internal)
///     }
///     async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
///         password::verify(password, hash).map_err(HostError::internal)
///     }
/// }
///
/// let machine = Machine { random: || [7; 32], clock: || 1_795_262_400_000 };
/// assert_eq!(machine.moment().now.millis(), 1_795_262_400_000);
/// assert!(machine.is_embedded(), "without a geocoder, addresses are located by embedded data");
/// ```
#[expect(async_fn_in_trait, reason = "static dispatch only, as in Storage")]
pub trait Platform {
    /// The time and fresh randomness, drawn once for a request.
    fn exec_context(&self) -> ExecContext;
    /// Counts a request against a bucket, atomically, by [`Bucket::admit`]: in memory if one process serves everything, in shared storage
    /// if several do. The count may be lost in a restart.
    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError>;
    /// Locates addresses, with one result for each. Slow if it calls a geocoder, so never called between reads and commit.
    async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Located, geo::LocateError>>, HostError> {
        Ok(addresses.iter().map(|address| geo::locate(address)).collect())
    }
    /// Road legs between every pair of locations.
    async fn matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        Ok(geo::matrix(places))
    }
    /// Whether [`Platform::locate`] and [`Platform::matrix`] use embedded data only, so that a page computes the same preview.
    fn is_embedded(&self) -> bool {
        true
    }
    /// Runs [`crate::rules::password::hash`], tens of milliseconds of CPU time, where it does not block other requests.
    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError>;
    /// Runs [`crate::rules::password::verify`] in the same way.
    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError>;
}

/// A complete host: every type that implements [`Storage`] and [`Platform`] has it. Nobody implements it by hand.
#[expect(async_fn_in_trait, reason = "static dispatch only, as in Storage")]
pub trait Host: Storage + Platform {
    /// The key with this hash, whatever its state, and its store.
    async fn key(&self, hash: &KeyHash) -> Result<Option<Arc<KeyHolder>>, HostError> {
        Ok(self.find_keys(KeyQuery::Hash(hash)).await?.pop())
    }
    /// A store, unless it was removed.
    async fn store(&self, id: StoreId) -> Result<Option<Store>, HostError> {
        Ok(self.find_stores(StoreQuery::Id(id)).await?.pop())
    }
    /// An order.
    async fn order(&self, id: OrderId) -> Result<Option<Order>, HostError> {
        Ok(self.find_orders(OrderQuery::Ids(&[id])).await?.pop())
    }
    /// A courier, with the last known position.
    async fn courier(&self, id: CourierId) -> Result<Option<Courier>, HostError> {
        Ok(self.find_couriers(CourierQuery::Ids(&[id])).await?.pop())
    }
    /// A webhook, unless it was removed.
    async fn webhook(&self, id: WebhookId) -> Result<Option<Webhook>, HostError> {
        Ok(self.find_webhooks(WebhookQuery::Id(id)).await?.pop())
    }
}

impl<T: Storage + Platform> Host for T {}

/// Which keys to read.
#[derive(Clone, Copy, Debug)]
pub enum KeyQuery<'a> {
    /// The key with this hash, whatever its state.
    Hash(&'a KeyHash),
    /// The same, for reads and previews: the result may be as old as [`RECENT`] at the given time, unless this host has committed a key
    /// or a store since. A host may treat it as [`KeyQuery::Hash`].
    Recent(&'a KeyHash, Timestamp),
    /// The key with this ID.
    Id(KeyId),
    /// The keys of a store, newest first.
    Store(StoreId),
}

/// Which stores to read. Removed ones are left out unless the query says otherwise.
#[derive(Clone, Copy, Debug)]
pub enum StoreQuery<'a> {
    /// The store with this ID.
    Id(StoreId),
    /// The same, also if it was removed: its statement stays readable.
    IdOrRemoved(StoreId),
    /// The store that logs in with this address, in any case.
    Email(&'a Email),
    /// The store with this CNPJ of 14 characters.
    Cnpj(&'a str),
    /// A store and its branches with an ID above `after`, by ID, at most `limit`.
    WithBranches {
        /// The store.
        store: StoreId,
        /// The last ID of the previous page.
        after: Option<StoreId>,
        /// The maximum number of results.
        limit: u32,
    },
}

/// Which orders to read.
#[derive(Clone, Copy, Debug)]
pub enum OrderQuery<'a> {
    /// Those of these orders that exist, in any order.
    Ids(&'a [OrderId]),
    /// The order that holds a store's order code now; orders that released their code are left out.
    Code(StoreId, &'a str),
    /// Orders that a filter matches, newest first, at most so many; none of removed stores. A host may return fewer if they are large,
    /// but at least one if any matches.
    Matching(&'a OrderFilter, u32),
    /// Orders of sandbox stores that are searching for a courier or have one, with an ID above `after`, by ID.
    Sandbox {
        /// The last ID of the previous page.
        after: Option<OrderId>,
        /// The maximum number of results.
        limit: u32,
    },
    /// Orders whose next timed transition is due at `now`, by [`crate::rules::lifecycle::next_deadline`] with the deployment's
    /// [`Timing`](crate::rules::lifecycle::Timing), longest due first, then by ID.
    Due {
        /// The time.
        now: Timestamp,
        /// How many of the first results to leave out.
        skipped: u32,
        /// The maximum number of results.
        limit: u32,
    },
}

/// Which couriers to read.
#[derive(Clone, Copy, Debug)]
pub enum CourierQuery<'a> {
    /// Those of these couriers that exist, in any order.
    Ids(&'a [CourierId]),
    /// The courier whose key has this hash, whatever the key's state.
    Key(&'a KeyHash),
    /// Couriers with an ID above `after`, by ID, at most `limit`; removed ones too.
    All {
        /// The last ID of the previous page.
        after: Option<CourierId>,
        /// The maximum number of results.
        limit: u32,
    },
    /// Couriers on their way to a pickup or waiting there, whose last position is older than `seen_before` or unknown, by ID.
    Silent {
        /// The time before which the last position was recorded.
        seen_before: Timestamp,
        /// How many of the first results to leave out.
        skipped: u32,
        /// The maximum number of results.
        limit: u32,
    },
}

/// Which lines of a store's statement to read.
#[derive(Clone, Copy, Debug)]
pub enum StatementQuery<'a> {
    /// The lines of a period, oldest first, at most so many: entries whose account is the store, and entries of the store on another account.
    Period(Period, u32),
    /// The top-up with this reference on the store's [`Store::account`], or else on the balance of the store's own ID.
    TopUp(&'a str),
}

/// Which webhooks to read.
#[derive(Clone, Copy, Debug)]
pub enum WebhookQuery {
    /// The webhook with this ID.
    Id(WebhookId),
    /// A store's webhooks, oldest first.
    Store(StoreId),
    /// Active webhooks without a lease at `now` whose `due_at` has passed or whose own journal ([`Webhook::journal`], for a branch only
    /// its events) has events after their position, at most `limit`. Merchants take turns: each merchant's webhooks are numbered, those
    /// with a lease first, then by `seen_at`; lower numbers come first. A number above
    /// [`ROUNDS_PER_MERCHANT`](crate::model::webhook::ROUNDS_PER_MERCHANT) is left out. The rest is numbered in the same way for each
    /// receiver, up to [`ROUNDS_PER_RECEIVER`](crate::model::webhook::ROUNDS_PER_RECEIVER).
    Due {
        /// The time.
        now: Timestamp,
        /// The maximum number of results.
        limit: u32,
    },
}

/// Which attempts to read.
#[derive(Clone, Copy, Debug)]
pub enum AttemptQuery {
    /// The attempt with this ID.
    Id(AttemptId),
    /// A webhook's attempts before `before`, newest first, at most `limit`.
    Webhook {
        /// The webhook.
        webhook: WebhookId,
        /// The last ID of the previous page.
        before: Option<AttemptId>,
        /// The maximum number of results.
        limit: u32,
    },
}

/// What to count.
#[derive(Clone, Copy, Debug)]
pub enum UsageQuery<'a> {
    /// A parent store's branches, without those that were removed.
    Branches(StoreId),
    /// The webhooks of a parent store and its branches, without those that were removed.
    Webhooks(StoreId),
    /// The responses that were counted for an owner of claims since the hour ([`Claim::hour`]) of an instant, by
    /// [`ClaimChange::Finish`](crate::model::store::ClaimChange::Finish).
    Claims(&'a str, Timestamp),
}

/// How much is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StorageUsage {
    /// Records.
    pub records: u64,
    /// Bytes, by [`Claim::size`]; 0 if only records are limited.
    pub bytes: u64,
}

/// The first and the last position of a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalSpan {
    /// The last position whose event was archived for this reader: a reader that continues from before it misses events. 0 if none was.
    pub start: u64,
    /// The last position of the merchant's journal; 0 while it is empty.
    pub end: u64,
}

/// Why a host failed. The caller is not the cause of any of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostError {
    /// A concurrent write won: reload and retry.
    Conflict,
    /// A part is unavailable or overloaded; it may recover.
    Unavailable {
        /// The part, by its name in the documentation: `database`, `geocoder`.
        what: &'static str,
        /// What happened, for the log.
        detail: String,
    },
    /// A part did not respond in time.
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

/// The error for a block of identifiers that was smaller than requested.
pub(crate) fn too_few_ids() -> HostError {
    HostError::Internal { detail: "fewer identifiers were reserved than asked for".to_owned() }
}

impl HostError {
    /// An internal error with the text of another error.
    pub fn internal(error: impl std::fmt::Display) -> HostError {
        HostError::Internal { detail: error.to_string() }
    }
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
