//! The interface between the core and a host: [`Storage`] for persistent data, [`Platform`] for
//! everything else.
//!
//! The core loads data through these traits, calls a pure decision, and commits its [`Changes`]
//! once. Hosts contain no rules; the core does no I/O. `core/HOSTING.md` describes how to write a
//! host.

mod error;
mod scan;

use std::{any::Any, ops::RangeInclusive, sync::Arc};

use bytes::Bytes;
use http::Request;

use crate::{
    geo::{self, Gazetteer},
    model::{
        Address, AttemptId, CourierId, DistanceMatrix, Duration, Email, EntryId, ExecContext,
        Figures, IdBlock, KeyId, Located, Money, NotificationId, OrderId, PayEntryId, PayPlanId,
        PhotoId, Point, StoreId, TariffId, Timestamp, UserId, WebhookId,
        audit::AuditRecord,
        cash::{CashBalance, CashKind, RecordedCash},
        courier::{Candidate, Cell, Courier, SearchingOrder},
        order::{
            Blob, Journal, JournalEntry, Order, OrderFilter, PricedOrder, RecordedEvent,
            ReportedOrder, TrackingLink,
        },
        pay::{PayPeriod, RecordedPayEntry, StoredPayPlan},
        privacy::{PersonalData, PersonalQuery},
        store::{Claim, KeyHash, KeyHolder, Notification, Period, StatementLine, Store, User},
        tariff::{StoredTariff, TariffSchedule},
        webhook::{AttemptResult, Message, RecordedAttempt, Webhook},
    },
    rules::webhooks::{Mail, WebhookConfig},
};

pub use self::error::HostError;
pub(crate) use self::error::too_few_ids;
use crate::changes::Changes;
pub use crate::model::order::Event;
/// The rules that a host calls: quotas, passwords, deadlines, and the receivers of webhooks.
pub use crate::rules::{
    lifecycle::next_deadline,
    limits::{Admission, Bucket, TheoreticalArrival, Usage},
    password, webhooks,
};

/// Maximum age of a result of [`KeyQuery::Recent`]. During this time, another instance may still
/// accept a revoked key for reads and previews.
pub const RECENT: Duration = Duration::seconds(1);

/// Persistent storage. Each method is one read or one transaction, so a request needs few round
/// trips.
///
/// A host must implement what an order's life needs, from the parent store to the last delivery:
/// nine methods. Each other read fails by default with [`HostError::Unsupported`], which names it,
/// and the API responds with 501.
///
/// A read returns all data that was committed before it started, and never part of a commit. There
/// is no `Send` bound: a host that needs `Send` futures gets them from its concrete type.
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
#[expect(
    async_fn_in_trait,
    reason = "static dispatch only; a concrete host's futures are Send if it needs them"
)]
#[expect(
    unused_variables,
    reason = "the defaults name their arguments for readers"
)]
pub trait Storage {
    /// Returns keys with their stores, and with the revision of the stored tariffs.
    async fn find_keys(&self, query: KeyQuery<'_>) -> Result<Vec<Arc<KeyHolder>>, HostError>;
    /// Returns stores, each with the balance that pays for it.
    async fn find_stores(&self, query: StoreQuery<'_>) -> Result<Vec<Store>, HostError>;
    /// Returns users.
    async fn find_users(&self, query: UserQuery<'_>) -> Result<Vec<User>, HostError> {
        Err(HostError::unsupported("find_users"))
    }
    /// Returns entries of the audit log, newest first.
    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRecord>, HostError> {
        Err(HostError::unsupported("audit"))
    }
    /// Returns stored tariffs.
    async fn find_tariffs(&self, query: TariffQuery<'_>) -> Result<Vec<StoredTariff>, HostError> {
        Err(HostError::unsupported("find_tariffs"))
    }
    /// Returns the stored tariffs around the current time. A host can return a cached schedule if
    /// its revision is at least `revision`; `None` requires a read. By default there are none, and
    /// the tariff of the settings applies.
    async fn tariff_schedule(
        &self,
        revision: Option<u64>,
    ) -> Result<Arc<TariffSchedule>, HostError> {
        Ok(Arc::default())
    }
    /// Returns stored pay plans.
    async fn find_pay_plans(
        &self,
        query: PayPlanQuery<'_>,
    ) -> Result<Vec<StoredPayPlan>, HostError> {
        Err(HostError::unsupported("find_pay_plans"))
    }
    /// Returns entries of a courier's pay.
    async fn pay_entries(
        &self,
        courier: CourierId,
        query: PayEntryQuery,
    ) -> Result<Vec<RecordedPayEntry>, HostError> {
        Err(HostError::unsupported("pay_entries"))
    }
    /// Returns a page of the prices of orders.
    async fn order_prices(&self, query: PriceQuery) -> Result<PricePage, HostError> {
        Err(HostError::unsupported("order_prices"))
    }
    /// Returns what a report counts of at most `limit` orders by their store and time of creation,
    /// unsorted. Only these conditions of the filter apply. It uses an index and does not read the
    /// orders' bodies.
    async fn reported_orders(
        &self,
        filter: &OrderFilter,
        limit: u32,
    ) -> Result<Vec<ReportedOrder>, HostError> {
        Err(HostError::unsupported("reported_orders"))
    }
    /// Returns orders.
    async fn find_orders(&self, query: OrderQuery<'_>) -> Result<Vec<Order>, HostError>;
    /// Returns at most `limit` searching orders after `after`, sorted by the end of their search
    /// and by ID. It uses an index and does not read the orders' bodies.
    async fn searching_orders(
        &self,
        after: Option<(Timestamp, OrderId)>,
        limit: u32,
    ) -> Result<Vec<SearchingOrder>, HostError>;
    /// Returns a photo.
    async fn blob(&self, id: PhotoId) -> Result<Option<Blob>, HostError> {
        Err(HostError::unsupported("blob"))
    }
    /// Returns an order's history, oldest first.
    async fn events(&self, order: OrderId) -> Result<Vec<RecordedEvent>, HostError>;
    /// Returns at most `limit` entries of a journal after a position, oldest first. Once an event
    /// was returned, no event may appear before it; see [`crate::model::order::Journal`].
    async fn journal(
        &self,
        of: Journal,
        after: u64,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, HostError> {
        Err(HostError::unsupported("journal"))
    }
    /// Returns the first and the last position of a journal.
    async fn journal_span(&self, of: Journal) -> Result<JournalSpan, HostError> {
        Err(HostError::unsupported("journal_span"))
    }
    /// Returns couriers, each with the last known position.
    async fn find_couriers(&self, query: CourierQuery<'_>) -> Result<Vec<Courier>, HostError>;
    /// Returns at most `limit` couriers after `after` that dispatch considers, by
    /// [`Courier::is_candidate`], and that have a position in these cells that is not older than
    /// `seen_since`, sorted by cell and ID. It uses an index and does not read the couriers'
    /// bodies.
    async fn candidates(
        &self,
        cells: RangeInclusive<Cell>,
        after: Option<(Cell, CourierId)>,
        seen_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<Candidate>, HostError>;
    /// Returns at most `limit` notifications of a store before `before`, newest first.
    async fn notifications(
        &self,
        store: StoreId,
        before: Option<NotificationId>,
        limit: u32,
    ) -> Result<Vec<Notification>, HostError> {
        Err(HostError::unsupported("notifications"))
    }
    /// Returns lines of a store's statement.
    async fn statement(
        &self,
        store: StoreId,
        query: StatementQuery<'_>,
    ) -> Result<Vec<StatementLine>, HostError> {
        Err(HostError::unsupported("statement"))
    }
    /// Returns balances of the cash ledger.
    async fn cash_balances(
        &self,
        query: CashBalanceQuery<'_>,
    ) -> Result<Vec<CashBalance>, HostError> {
        Err(HostError::unsupported("cash_balances"))
    }
    /// Returns entries of the cash ledger, newest first.
    async fn cash_entries(
        &self,
        query: CashEntryQuery<'_>,
    ) -> Result<Vec<RecordedCash>, HostError> {
        Err(HostError::unsupported("cash_entries"))
    }
    /// Returns webhooks that are not removed.
    async fn find_webhooks(&self, query: WebhookQuery) -> Result<Vec<Webhook>, HostError> {
        Err(HostError::unsupported("find_webhooks"))
    }
    /// Returns the queued messages of a webhook, sorted by journal position.
    async fn messages(&self, webhook: WebhookId) -> Result<Vec<Message>, HostError> {
        Err(HostError::unsupported("messages"))
    }
    /// Returns attempts of webhook deliveries.
    async fn find_attempts(&self, query: AttemptQuery) -> Result<Vec<RecordedAttempt>, HostError> {
        Err(HostError::unsupported("find_attempts"))
    }
    /// Returns the claim on an idempotency key.
    async fn claim(&self, scope: &str, key: &str) -> Result<Option<Claim>, HostError> {
        Err(HostError::unsupported("claim"))
    }
    /// Returns the recipient's link with this hash, in any state, so that unknown, ended and
    /// revoked links cost the same.
    async fn tracking_link(&self, hash: &KeyHash) -> Result<Option<TrackingLink>, HostError> {
        Err(HostError::unsupported("tracking_link"))
    }
    /// Returns stored personal data for an export, an erasure or the retention.
    async fn personal_data(&self, query: &PersonalQuery) -> Result<PersonalData, HostError> {
        Err(HostError::unsupported("personal_data"))
    }
    /// Returns the usage of limited storage.
    async fn usage(&self, of: UsageQuery<'_>) -> Result<StorageUsage, HostError> {
        Err(HostError::unsupported("usage"))
    }
    /// Returns figures about stored work. Transitions and pushes due at `overdue` or earlier are
    /// overdue.
    async fn figures(&self, now: Timestamp, overdue: Timestamp) -> Result<Figures, HostError> {
        Err(HostError::unsupported("figures"))
    }

    /// Reserves `count` consecutive identifiers. No identifier is ever returned twice.
    async fn ids(&self, count: u32) -> Result<IdBlock, HostError>;
    /// Makes all changes durable or none of them. [`HostError::Conflict`] if an expected version, a
    /// unique value, a floor or another condition of [`Changes`] does not hold; its fields state
    /// them. After any other error the outcome may be unknown: the caller does not assume that
    /// nothing was stored.
    async fn commit(&self, changes: &Changes) -> Result<(), HostError>;
    /// Commits each of several changes independently, in this order, like [`Storage::commit`], and
    /// returns each result. A host can flush them to disk together.
    async fn commit_each(&self, changes: &[Changes]) -> Vec<Result<(), HostError>> {
        let mut results = Vec::with_capacity(changes.len());
        for changes in changes {
            results.push(self.commit(changes).await);
        }
        results
    }
}

/// Returns [`HostError::Unsupported`] if changes write anything that a host with only the required
/// methods of [`Storage`] cannot return. Such a host calls it at the start of a commit, so that
/// nothing is lost. Notifications, the audit log, the lines of a statement and the cash ledger are
/// written beside other changes and can be ignored.
pub fn reject_unsupported(changes: &Changes) -> Result<(), HostError> {
    let written = [
        (changes.users.is_empty(), "find_users"),
        (changes.links.is_empty(), "tracking_link"),
        (changes.top_ups.is_empty(), "statement"),
        (changes.webhooks.is_empty(), "find_webhooks"),
        (changes.messages.is_empty(), "messages"),
        (changes.attempts.is_empty(), "find_attempts"),
        (changes.claim.is_none(), "claim"),
        (changes.blobs.is_empty(), "blob"),
        (changes.tariffs.is_none(), "find_tariffs"),
        (changes.pay_plans.is_empty(), "find_pay_plans"),
        (changes.pay.is_empty(), "pay_entries"),
        (changes.redactions.is_empty(), "personal_data"),
    ];
    match written.iter().find(|(is_empty, _)| !is_empty) {
        Some((_, method)) => Err(HostError::unsupported(method)),
        None => Ok(()),
    }
}

/// The services of a host other than storage: time, randomness, CPU time for passwords, a geocoder
/// and a road network.
///
/// ```
/// use despacho_core::{
///     host::{Admission, Bucket, HostError, Platform, TheoreticalArrival},
///     model::{Entropy, ExecContext, Timestamp},
/// };
/// use std::{cell::RefCell, collections::BTreeMap};
///
/// struct Machine {
///     /// 32 bytes of the operating system's randomness.
///     random: fn() -> [u8; 32],
///     /// Milliseconds since 1970.
///     clock: fn() -> i64,
///     buckets: RefCell<BTreeMap<String, TheoreticalArrival>>,
/// }
///
/// impl Platform for Machine {
///     fn exec_context(&self) -> ExecContext {
///         ExecContext { now: Timestamp::from_millis((self.clock)()), entropy: Entropy::new((self.random)()) }
///     }
///     async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
///         let mut buckets = self.buckets.borrow_mut();
///         let (admission, next) = bucket.admit(buckets.get(&bucket.name).copied(), now);
///         buckets.extend(next.map(|next| (bucket.name.clone(), next)));
///         Ok(admission)
///     }
/// }
///
/// let machine = Machine { random: || [7; 32], clock: || 1_795_262_400_000, buckets: RefCell::default() };
/// assert_eq!(machine.exec_context().now.millis(), 1_795_262_400_000);
/// assert!(machine.is_embedded(), "without a geocoder, addresses are located by embedded data");
/// ```
#[expect(async_fn_in_trait, reason = "static dispatch only, as in Storage")]
#[expect(
    unused_variables,
    reason = "the defaults name their arguments for readers"
)]
pub trait Platform {
    /// Returns the current time and fresh entropy. Called once per request.
    fn exec_context(&self) -> ExecContext;
    /// Counts a request against a bucket, atomically, by [`Bucket::admit`]: in memory if one
    /// process serves everything, in shared storage if several do. The count may be lost in a
    /// restart.
    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError>;
    /// Waits until a caller may run a request that takes long, by
    /// [`Endpoint::is_heavy`](crate::api::Endpoint::is_heavy), and returns its turn, which ends when
    /// it is dropped. A host with threads runs few such requests of each caller at a time, so that
    /// one caller's work delays only its own. `None` if too many of the caller's requests wait.
    async fn turn(&self, caller: &str) -> Result<Option<Turn>, HostError> {
        Ok(Some(Turn::default()))
    }
    /// Locates addresses for a merchant, or for the operator, with one result for each. Slow if it
    /// calls a geocoder, so never called between reads and commit. A geocoder must be shared fairly
    /// among merchants. The core calls neither this nor [`Platform::distance_matrix`] for anonymous
    /// callers.
    async fn locate(
        &self,
        merchant: Option<StoreId>,
        addresses: &[&Address],
    ) -> Result<Vec<Result<Located, geo::LocateError>>, HostError> {
        let gazetteer = Gazetteer::embedded();
        Ok(addresses
            .iter()
            .map(|address| gazetteer.locate(address))
            .collect())
    }
    /// Returns the road legs between all pairs of locations.
    async fn distance_matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        Ok(geo::matrix(places))
    }
    /// Returns the path along the roads between each point and the next, with at most `max_points`
    /// points; `None` for a path that the host does not have.
    async fn road_paths(
        &self,
        points: &[Point],
        max_points: usize,
    ) -> Result<Vec<Option<Vec<Point>>>, HostError> {
        Ok(vec![None; points.len().saturating_sub(1)])
    }
    /// Returns a courier's estimated travel time between two points in seconds. Dispatch calls it
    /// many times in a pass, so it must not wait for anything.
    fn travel_time(&self, from: Point, to: Point) -> u32 {
        geo::leg(from, to).seconds
    }
    /// Returns whether [`Platform::locate`] and [`Platform::distance_matrix`] use only embedded
    /// data, so a page computes the same preview.
    fn is_embedded(&self) -> bool {
        true
    }
    /// Runs [`password::hash`], which takes tens of milliseconds of CPU time and 19 MiB. A host with
    /// threads runs it on one that serves no other requests, and limits how many run at a time.
    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
        password::hash(password, salt).map_err(HostError::internal)
    }
    /// Runs [`password::verify`] in the same way.
    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        password::verify(password, hash).map_err(HostError::internal)
    }
    /// Sends a mail within a few seconds, and returns whether a mail server accepted it. `None` if
    /// this host sends no mail.
    async fn send_mail(&self, mail: &Mail) -> Option<bool> {
        None
    }
    /// Sends a request to a merchant's system within the timeout of webhooks, and returns the
    /// result. `None` if this host sends none.
    async fn send(&self, request: Request<Bytes>, config: &WebhookConfig) -> Option<AttemptResult> {
        None
    }
}

/// The right to run a request that takes long, until it is dropped.
#[derive(Default)]
pub struct Turn(Option<Box<dyn Any + Send + Sync>>);

impl Turn {
    /// Creates a turn that holds the host's permits.
    pub fn holding(permits: impl Any + Send + Sync) -> Turn {
        Turn(Some(Box::new(permits)))
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Turn").field(&self.0.is_some()).finish()
    }
}

/// A complete host. It is implemented for every type that implements [`Storage`] and [`Platform`].
#[expect(async_fn_in_trait, reason = "static dispatch only, as in Storage")]
pub trait Host: Storage + Platform {
    /// Returns the key with this hash, in any state, and its store.
    async fn key(&self, hash: &KeyHash) -> Result<Option<Arc<KeyHolder>>, HostError> {
        Ok(self.find_keys(KeyQuery::Hash(hash)).await?.pop())
    }
    /// Returns a store, unless it was removed.
    async fn store(&self, id: StoreId) -> Result<Option<Store>, HostError> {
        Ok(self.find_stores(StoreQuery::Id(id)).await?.pop())
    }
    /// Returns the user with this email address. A host without users has none.
    async fn user(&self, email: &Email) -> Result<Option<User>, HostError> {
        match self.find_users(UserQuery::Email(email)).await {
            Err(HostError::Unsupported { .. }) => Ok(None),
            users => Ok(users?.pop()),
        }
    }
    /// Returns an order.
    async fn order(&self, id: OrderId) -> Result<Option<Order>, HostError> {
        Ok(self.find_orders(OrderQuery::Ids(&[id])).await?.pop())
    }
    /// Returns a courier with the last known position.
    async fn courier(&self, id: CourierId) -> Result<Option<Courier>, HostError> {
        Ok(self.find_couriers(CourierQuery::Ids(&[id])).await?.pop())
    }
    /// Returns a webhook, unless it was removed.
    async fn webhook(&self, id: WebhookId) -> Result<Option<Webhook>, HostError> {
        Ok(self.find_webhooks(WebhookQuery::Id(id)).await?.pop())
    }
}

impl<T: Storage + Platform> Host for T {}

/// A query for keys.
#[derive(Clone, Copy, Debug)]
pub enum KeyQuery<'a> {
    /// The key with this hash, in any state.
    Hash(&'a KeyHash),
    /// The same, for reads and previews. The result may be as old as [`RECENT`] at the given time,
    /// unless this host has committed a key or a store since. A host may treat it as
    /// [`KeyQuery::Hash`].
    Recent(&'a KeyHash, Timestamp),
    /// The key with this ID.
    Id(KeyId),
    /// The keys of a store, newest first.
    Store(StoreId),
}

/// A query for stores. Removed stores are excluded, except from [`StoreQuery::IdOrRemoved`] and
/// [`StoreQuery::Ids`].
#[derive(Clone, Copy, Debug)]
pub enum StoreQuery<'a> {
    /// The store with this ID.
    Id(StoreId),
    /// The store with this ID, also if it was removed, because its statement stays readable.
    IdOrRemoved(StoreId),
    /// The stores with these IDs, also removed ones, unsorted.
    Ids(&'a [StoreId]),
    /// The store with this email address, in upper or lower case.
    Email(&'a Email),
    /// The store with this CNPJ of 14 characters.
    Cnpj(&'a str),
    /// All stores with an ID above `after`, by ID, at most `limit`.
    All {
        /// The last ID of the previous page.
        after: Option<StoreId>,
        /// The maximum number of results.
        limit: u32,
    },
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

/// A query for orders.
#[derive(Clone, Copy, Debug)]
pub enum OrderQuery<'a> {
    /// The orders with these IDs that exist, unsorted.
    Ids(&'a [OrderId]),
    /// The order that currently holds this code of a store. Orders that released their code are
    /// excluded.
    Code(StoreId, &'a str),
    /// At most this number of orders that match a filter, newest first. Orders of removed stores
    /// are excluded, unless the filter includes all stores. A host may return fewer orders if they
    /// are large, but at least one if any matches.
    Matching(&'a OrderFilter, u32),
    /// Orders of sandbox stores that are searching for a courier or have one, with an ID above
    /// `after`, by ID.
    Sandbox {
        /// The last ID of the previous page.
        after: Option<OrderId>,
        /// The maximum number of results.
        limit: u32,
    },
    /// Orders whose next timed transition is due at `now`, by
    /// [`crate::rules::lifecycle::next_deadline`], sorted by deadline and ID.
    Due {
        /// The current time.
        now: Timestamp,
        /// Number of results to skip.
        skipped: u32,
        /// The maximum number of results.
        limit: u32,
    },
}

/// A query for couriers.
#[derive(Clone, Copy, Debug)]
pub enum CourierQuery<'a> {
    /// The couriers with these IDs that exist, unsorted.
    Ids(&'a [CourierId]),
    /// The courier whose key has this hash, in any state of the key.
    Key(&'a KeyHash),
    /// Couriers with an ID above `after`, sorted by ID, at most `limit`. Removed couriers are
    /// included.
    All {
        /// The last ID of the previous page.
        after: Option<CourierId>,
        /// The maximum number of results.
        limit: u32,
    },
    /// Couriers at work, who dispatch considers by [`Courier::is_candidate`] or who have a trip,
    /// with an ID above `after`, sorted by ID, at most `limit`.
    Working {
        /// The last ID of the previous page.
        after: Option<CourierId>,
        /// The maximum number of results.
        limit: u32,
    },
    /// Couriers whose [`Courier::push_at`] is due at `now`, sorted by that time and by ID, at most
    /// `limit`.
    PushDue {
        /// The current time.
        now: Timestamp,
        /// The maximum number of results.
        limit: u32,
    },
    /// Couriers whose [`Courier::watched_order`] is not picked up yet, and whose last position is
    /// older than `seen_before` or unknown, sorted by ID.
    Unresponsive {
        /// The time before which the last position was recorded.
        seen_before: Timestamp,
        /// Number of results to skip.
        skipped: u32,
        /// The maximum number of results.
        limit: u32,
    },
}

/// A query for lines of a store's statement.
#[derive(Clone, Copy, Debug)]
pub enum StatementQuery<'a> {
    /// At most this number of lines of a period, oldest first: entries that changed the store's
    /// balance, and the store's entries on its parent's balance.
    Period(Period, u32),
    /// The top-up with this reference, on the balance that pays for the store or on the store's
    /// own.
    TopUp(&'a str),
}

/// A query for balances of the cash ledger.
#[derive(Clone, Copy, Debug)]
pub enum CashBalanceQuery<'a> {
    /// The balances of these couriers and a store, each if they have any entry, unsorted.
    Of(&'a [CourierId], StoreId),
    /// The balances of a store and couriers with an ID above `after`, by courier, at most `limit`.
    Store {
        /// The store.
        store: StoreId,
        /// The last courier of the previous page.
        after: Option<CourierId>,
        /// The maximum number of results.
        limit: u32,
    },
    /// The balances with entries since the last closing of a courier and stores with an ID above
    /// `after`, by store, at most `limit`.
    Courier {
        /// The courier.
        courier: CourierId,
        /// The last store of the previous page.
        after: Option<StoreId>,
        /// The maximum number of results.
        limit: u32,
    },
    /// The balances with entries since the last closing of these couriers, unsorted.
    Couriers(&'a [CourierId]),
}

/// A query for entries of the cash ledger.
#[derive(Clone, Copy, Debug)]
pub enum CashEntryQuery<'a> {
    /// The notes about these entries.
    Notes(&'a [EntryId]),
    /// At most this number of entries that match a filter.
    Matching(&'a CashFilter, u32),
}

/// The entries of the cash ledger to return. A host has indexes by store and by courier, and for
/// differences that are not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CashFilter {
    /// Only of this store.
    pub store: Option<StoreId>,
    /// Only of this courier.
    pub courier: Option<CourierId>,
    /// Only of this period of the courier and the store.
    pub period: Option<u32>,
    /// Only of this kind.
    pub kind: Option<CashKind>,
    /// Only differences that are not zero.
    pub differs: bool,
    /// At this time or later.
    pub from: Timestamp,
    /// Before this time.
    pub until: Timestamp,
    /// With an ID below this one.
    pub before: Option<EntryId>,
}

impl Default for CashFilter {
    /// Returns the filter of all entries.
    fn default() -> CashFilter {
        CashFilter {
            store: None,
            courier: None,
            period: None,
            kind: None,
            differs: false,
            from: Timestamp::from_millis(0),
            until: Timestamp::from_millis(i64::MAX),
            before: None,
        }
    }
}

impl CashFilter {
    /// Returns whether an entry matches the filter.
    pub fn matches(&self, recorded: &RecordedCash) -> bool {
        let RecordedCash { id, period, entry } = recorded;
        let is_difference = entry.kind == CashKind::Difference;
        self.store.is_none_or(|store| entry.store == store)
            && self.courier.is_none_or(|courier| entry.courier == courier)
            && self.period.is_none_or(|wanted| *period == wanted)
            && self.kind.is_none_or(|kind| entry.kind == kind)
            && (!self.differs || is_difference && entry.amount != Money::ZERO)
            && (self.from..self.until).contains(&entry.at)
            && self.before.is_none_or(|before| *id < before)
    }
}

/// A query for webhooks.
#[derive(Clone, Copy, Debug)]
pub enum WebhookQuery {
    /// The webhook with this ID.
    Id(WebhookId),
    /// A store's webhooks, oldest first.
    Store(StoreId),
    /// At most `limit` active webhooks without a lease at `now` that have a due message or events
    /// after their position. Merchants take turns: each merchant's webhooks are numbered, those
    /// with a lease first, then those that were processed longest ago. Lower numbers come first,
    /// and numbers above [`crate::model::webhook::MAX_PASSES_PER_MERCHANT`] are excluded. The
    /// remaining ones are numbered in the same way per receiver, and numbers above
    /// [`crate::model::webhook::MAX_PASSES_PER_RECEIVER`] are excluded.
    Due {
        /// The current time.
        now: Timestamp,
        /// The maximum number of results.
        limit: u32,
    },
}

/// A query for attempts.
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

/// A query for the usage of limited storage.
#[derive(Clone, Copy, Debug)]
pub enum UsageQuery<'a> {
    /// A parent store's branches that are not removed.
    Branches(StoreId),
    /// The webhooks of a parent store and its branches that are not removed.
    Webhooks(StoreId),
    /// The responses stored for an owner of claims since the hour of this time, by [`Claim::hour`].
    Claims(&'a str, Timestamp),
}

/// The usage of limited storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StorageUsage {
    /// Number of records.
    pub records: u64,
    /// Number of bytes by [`Claim::size`], or 0 if only records are limited.
    pub bytes: u64,
}

/// Returns the first and the last position of a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalSpan {
    /// The last position whose event was archived for this reader, or 0. Reading from an earlier
    /// position would miss events.
    pub start: u64,
    /// The last position of the merchant's journal, or 0 if it is empty.
    pub end: u64,
}

/// A query for users. Removed users are excluded.
#[derive(Clone, Copy, Debug)]
pub enum UserQuery<'a> {
    /// The user with this ID.
    Id(UserId),
    /// The user with this email address, in upper or lower case.
    Email(&'a Email),
    /// The users of a store, by ID.
    Store(StoreId),
}

/// A query for the audit log. Without a store and a merchant it returns the entries of all stores
/// and couriers.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditQuery {
    /// Only entries of this parent store and its branches, removed ones too.
    pub merchant: Option<StoreId>,
    /// Only entries of this store.
    pub store: Option<StoreId>,
    /// Only entries with a lower ID.
    pub before: Option<u64>,
    /// The maximum number of results.
    pub limit: u32,
}

/// A query for stored tariffs.
#[derive(Clone, Copy, Debug)]
pub enum TariffQuery<'a> {
    /// The tariff with this ID.
    Id(TariffId),
    /// The tariff with this version.
    Version(&'a str),
    /// Tariffs before this position of [`StoredTariff::order`], latest first, at most `limit`.
    Before {
        /// The last position of the previous page.
        before: Option<(Timestamp, TariffId)>,
        /// The maximum number of results.
        limit: u32,
    },
}

/// A query for stored pay plans.
#[derive(Clone, Copy, Debug)]
pub enum PayPlanQuery<'a> {
    /// The version with this ID.
    Id(PayPlanId),
    /// The version with this text.
    Version(&'a str),
    /// Of each plan the version that is in force at this time, if any.
    InForce(Timestamp),
    /// Versions of all plans before this position of [`StoredPayPlan::order`], latest first, at
    /// most `limit`.
    Before {
        /// The last position of the previous page.
        before: Option<(Timestamp, PayPlanId)>,
        /// The maximum number of results.
        limit: u32,
    },
}

/// A query for entries of a courier's pay.
#[derive(Clone, Copy, Debug)]
pub enum PayEntryQuery {
    /// The entry with this ID.
    Id(PayEntryId),
    /// At most this number of entries of a period, oldest first, by [`RecordedPayEntry::order`].
    Period(PayPeriod, u32),
}

/// A query for the prices of orders, newest first, by the ledger's entries of their fees.
#[derive(Clone, Copy, Debug, Default)]
pub struct PriceQuery {
    /// Only orders of this store.
    pub store: Option<StoreId>,
    /// The ID of the entry before which to continue: [`PricePage::next`].
    pub before: Option<u64>,
}

/// Prices of orders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PricePage {
    /// The orders, newest first. The page can be empty although older orders exist.
    pub orders: Vec<PricedOrder>,
    /// The last entry that was read, with its time. `None` at the end of the ledger. The ledger's
    /// entries are almost sorted by time: concurrent commits can swap them.
    pub next: Option<(u64, Timestamp)>,
}

impl PricePage {
    /// Maximum number of entries that a page reads.
    pub const MAX_ENTRIES: u32 = 500;
}

/// Returns the OpenAPI 3.1 document, `core/openapi.json`.
pub fn description() -> &'static [u8] {
    include_bytes!("../../openapi.json")
}
