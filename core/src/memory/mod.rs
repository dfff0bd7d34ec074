//! The reference host, which stores everything in memory and is deterministic.
//!
//! It has the same guarantees as a database: versions, unique values, floors and atomic commits.
//! Tests of the rules therefore need no database, and the storage tests compare databases with it.
//! Its clock advances only on request, and its entropy comes from a seed, so the same requests
//! return the same bytes.

mod cash;
mod figures;
mod outbound;
mod pay;
mod privacy;
mod state;
mod table;

use std::{
    collections::BTreeMap,
    ops::RangeInclusive,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use http::Request;

use crate::{
    changes::Changes,
    host::{
        AttemptQuery, AuditQuery, CashBalanceQuery, CashEntryQuery, CourierQuery, HostError,
        JournalSpan, KeyQuery, OrderQuery, PayEntryQuery, PayPlanQuery, Platform, PricePage,
        PriceQuery, StatementQuery, Storage, StorageUsage, StoreQuery, TariffQuery, UsageQuery,
        UserQuery, WebhookQuery,
    },
    memory::state::State,
    model::{
        CourierId, Duration, Entropy, ExecContext, Figures, IdBlock, NotificationId, OrderId,
        PhotoId, StoreId, Timestamp, WebhookId,
        audit::AuditRecord,
        cash::{CashBalance, CashEntry, RecordedCash},
        courier::{Candidate, Cell, Courier, SearchingOrder},
        hmac_sha256,
        order::{
            Blob, Journal, JournalEntry, Order, OrderFilter, RecordedEvent, ReportedOrder,
            TrackingLink,
        },
        pay::{RecordedPayEntry, StoredPayPlan},
        privacy::{PersonalData, PersonalQuery},
        store::{
            Claim, Key, KeyHash, KeyHolder, LedgerEntry, Notification, StatementLine, Store, User,
        },
        tariff::{StoredTariff, TariffSchedule},
        webhook::{AttemptResult, Message, RecordedAttempt, Webhook},
    },
    rules::{
        lifecycle::Timing,
        limits::{Admission, Bucket, TheoreticalArrival},
        password,
        webhooks::WebhookConfig,
    },
};

/// The first identifier that a host assigns. Lower ones are reserved for fixtures.
pub const FIRST_ID: u64 = 1_000;
/// Initial time in milliseconds since 1970: 12:00 UTC on 21 November 2026.
const START_MILLIS: i64 = 1_795_262_400_000;

/// A host without a database.
#[derive(Debug)]
pub struct MemoryHost {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: State,
    timing: Timing,
    now: Timestamp,
    seed: [u8; 32],
    contexts: u64,
    next_id: u64,
    buckets: BTreeMap<String, TheoreticalArrival>,
    next_commit: Option<HostError>,
    reads: u64,
    sent: Vec<Request<Bytes>>,
    receiver: Option<AttemptResult>,
}

impl MemoryHost {
    /// Creates an empty host with entropy derived from `seed`, at 12:00 UTC on 21 November 2026,
    /// with default timeouts.
    pub fn seeded(seed: u64) -> MemoryHost {
        let inner = Inner {
            state: State::default(),
            timing: Timing::default(),
            now: Timestamp::from_millis(START_MILLIS),
            seed: hmac_sha256(&[0; 32], &[b"memory host", &seed.to_be_bytes()]),
            contexts: 0,
            next_id: FIRST_ID,
            buckets: BTreeMap::new(),
            next_commit: None,
            reads: 0,
            sent: Vec::new(),
            receiver: None,
        };
        MemoryHost {
            inner: Mutex::new(inner),
        }
    }

    /// Sets the timeouts, which must be equal to those of the settings used for requests.
    #[must_use]
    pub fn with_timing(self, timing: Timing) -> MemoryHost {
        self.lock().timing = timing;
        self
    }

    /// Returns the current time of the host.
    pub fn now(&self) -> Timestamp {
        self.lock().now
    }

    /// Sets the clock, forwards or backwards.
    pub fn set_now(&self, now: Timestamp) {
        self.lock().now = now;
    }

    /// Advances the clock.
    pub fn advance(&self, span: Duration) {
        let mut inner = self.lock();
        inner.now = inner.now.after(span);
    }

    /// Sets the result of [`Platform::send`], which is `None` at first.
    pub fn set_receiver(&self, result: Option<AttemptResult>) {
        self.lock().receiver = result;
    }

    /// Returns and removes the requests that [`Platform::send`] was called with.
    pub fn take_sent(&self) -> Vec<Request<Bytes>> {
        std::mem::take(&mut self.lock().sent)
    }

    /// Makes the next commit fail with this error and change nothing.
    pub fn fail_next_commit(&self, error: HostError) {
        self.lock().next_commit = Some(error);
    }

    /// Returns the number of queries so far.
    pub fn reads(&self) -> u64 {
        self.lock().reads
    }

    /// Returns all orders, sorted by ID.
    pub fn orders(&self) -> Vec<Order> {
        self.lock().state.orders.rows().values().cloned().collect()
    }

    /// Returns all events, oldest first.
    pub fn recorded(&self) -> Vec<RecordedEvent> {
        let inner = self.lock();
        let rows = inner.state.journal.rows().iter();
        rows.map(|(id, event)| RecordedEvent {
            id: *id,
            event: event.clone(),
        })
        .collect()
    }

    /// Returns all entries on a store's balance, oldest first.
    pub fn ledger(&self, store: StoreId) -> Vec<LedgerEntry> {
        let inner = self.lock();
        let booked = inner
            .state
            .ledger
            .rows()
            .values()
            .filter(|(account, _)| *account == store);
        booked.map(|(_, booked)| booked.entry.clone()).collect()
    }

    /// Returns all entries of the cash ledger, oldest first.
    pub fn cash(&self) -> Vec<CashEntry> {
        let inner = self.lock();
        let rows = inner.state.cash_entries.rows().values();
        rows.map(|recorded| recorded.entry.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic while the lock is held fails the test anyway.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state<T>(&self, read: impl FnOnce(&State) -> T) -> Result<T, HostError> {
        let mut inner = self.lock();
        inner.reads += 1;
        Ok(read(&inner.state))
    }
}

impl Storage for MemoryHost {
    async fn find_keys(&self, query: KeyQuery<'_>) -> Result<Vec<Arc<KeyHolder>>, HostError> {
        self.state(|state| {
            let keys = match query {
                KeyQuery::Hash(hash) | KeyQuery::Recent(hash, _) => state
                    .hashes
                    .get(hash)
                    .and_then(|id| state.keys.get(id))
                    .into_iter()
                    .collect(),
                KeyQuery::Id(_) | KeyQuery::Store(_) => query.scan(state.keys.rows().values()),
            };
            let tariff_revision = state.tariff_revision();
            let holder = |key: &Key| {
                Some(KeyHolder {
                    store: state.store(key.store)?,
                    key: key.clone(),
                    tariff_revision,
                })
            };
            keys.into_iter().filter_map(holder).map(Arc::new).collect()
        })
    }

    async fn find_stores(&self, query: StoreQuery<'_>) -> Result<Vec<Store>, HostError> {
        self.state(|state| {
            let one =
                |id: Option<&StoreId>| id.and_then(|id| state.store(*id)).into_iter().collect();
            match query {
                StoreQuery::Email(email) => one(state.emails.get(&email.key())),
                StoreQuery::Cnpj(cnpj) => one(state.cnpjs.get(&cnpj.to_owned())),
                StoreQuery::Id(id) | StoreQuery::IdOrRemoved(id) => {
                    let found = query.scan(state.stores.get(&id).into_iter());
                    one(found.first().map(|store| &store.id))
                }
                StoreQuery::Ids(_) | StoreQuery::All { .. } | StoreQuery::WithBranches { .. } => {
                    let found = query.scan(state.stores.rows().values());
                    found
                        .into_iter()
                        .filter_map(|store| state.store(store.id))
                        .collect()
                }
            }
        })
    }

    async fn find_users(&self, query: UserQuery<'_>) -> Result<Vec<User>, HostError> {
        self.state(|state| query.scan(state.users.rows().values()))
    }

    async fn find_tariffs(&self, query: TariffQuery<'_>) -> Result<Vec<StoredTariff>, HostError> {
        self.state(|state| query.scan(state.tariffs.rows().values()))
    }

    async fn tariff_schedule(
        &self,
        _revision: Option<u64>,
    ) -> Result<Arc<TariffSchedule>, HostError> {
        self.state(|state| {
            Arc::new(TariffSchedule::scan(
                state.tariff_revision(),
                state.tariffs.rows().values(),
            ))
        })
    }

    async fn find_pay_plans(
        &self,
        query: PayPlanQuery<'_>,
    ) -> Result<Vec<StoredPayPlan>, HostError> {
        self.state(|state| query.scan(state.pay_plans.rows().values()))
    }

    async fn pay_entries(
        &self,
        courier: CourierId,
        query: PayEntryQuery,
    ) -> Result<Vec<RecordedPayEntry>, HostError> {
        self.state(|state| state.pay_entries(courier, query))
    }

    async fn order_prices(&self, query: PriceQuery) -> Result<PricePage, HostError> {
        self.state(|state| state.order_prices(query))
    }

    async fn reported_orders(
        &self,
        filter: &OrderFilter,
        limit: u32,
    ) -> Result<Vec<ReportedOrder>, HostError> {
        let all = OrderFilter {
            store: filter.store,
            branches: filter.branches,
            ..OrderFilter::all()
        };
        let filter = OrderFilter {
            from: filter.from,
            until: filter.until,
            ..all
        };
        let orders = self
            .find_orders(OrderQuery::Matching(&filter, limit))
            .await?;
        Ok(orders.iter().map(ReportedOrder::from).collect())
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRecord>, HostError> {
        self.state(|state| state.audit(query))
    }

    async fn find_orders(&self, query: OrderQuery<'_>) -> Result<Vec<Order>, HostError> {
        let mut inner = self.lock();
        inner.reads += 1;
        let state = &inner.state;
        Ok(match query {
            OrderQuery::Ids(ids) => ids
                .iter()
                .filter_map(|id| state.orders.get(id).cloned())
                .collect(),
            OrderQuery::Code(store, code) => {
                let id = state.codes.get(&(store, code.to_owned()));
                id.and_then(|id| state.orders.get(id).cloned())
                    .into_iter()
                    .collect()
            }
            OrderQuery::Matching(..) | OrderQuery::Sandbox { .. } | OrderQuery::Due { .. } => query
                .scan(
                    state.orders.rows().values(),
                    |id| state.stores.get(&id),
                    &inner.timing,
                ),
        })
    }

    async fn searching_orders(
        &self,
        after: Option<(Timestamp, OrderId)>,
        limit: u32,
    ) -> Result<Vec<SearchingOrder>, HostError> {
        let inner = self.lock();
        Ok(SearchingOrder::scan(
            inner.state.orders.rows().values(),
            after,
            limit,
            &inner.timing,
        ))
    }

    async fn blob(&self, id: PhotoId) -> Result<Option<Blob>, HostError> {
        self.state(|state| state.blobs.get(&id).cloned())
    }

    async fn events(&self, order: OrderId) -> Result<Vec<RecordedEvent>, HostError> {
        self.state(|state| state.events(order))
    }

    async fn journal(
        &self,
        of: Journal,
        after: u64,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, HostError> {
        self.state(|state| state.journal_after(of, after, limit))
    }

    /// Events are never archived.
    async fn journal_span(&self, of: Journal) -> Result<JournalSpan, HostError> {
        self.state(|state| JournalSpan {
            start: 0,
            end: state.journal_last_position(of.merchant),
        })
    }

    async fn find_couriers(&self, query: CourierQuery<'_>) -> Result<Vec<Courier>, HostError> {
        self.state(|state| match query {
            CourierQuery::Ids(ids) => ids.iter().filter_map(|id| state.courier(*id)).collect(),
            CourierQuery::Key(hash) => state
                .courier_hashes
                .get(hash)
                .and_then(|id| state.courier(*id))
                .into_iter()
                .collect(),
            CourierQuery::All { .. }
            | CourierQuery::Working { .. }
            | CourierQuery::PushDue { .. }
            | CourierQuery::Unresponsive { .. } => {
                query.scan(state.couriers(), |id| state.orders.get(&id))
            }
        })
    }

    async fn candidates(
        &self,
        cells: RangeInclusive<Cell>,
        after: Option<(Cell, CourierId)>,
        seen_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<Candidate>, HostError> {
        self.state(|state| Candidate::scan(state.candidates(), &cells, after, seen_since, limit))
    }

    async fn notifications(
        &self,
        store: StoreId,
        before: Option<NotificationId>,
        limit: u32,
    ) -> Result<Vec<Notification>, HostError> {
        self.state(|state| {
            let newest_first = state
                .notifications
                .rows()
                .range(state::of_store(store))
                .rev()
                .map(|(_, value)| value);
            let older = newest_first
                .filter(|notification| before.is_none_or(|before| notification.id < before));
            older.take(limit as usize).cloned().collect()
        })
    }

    async fn statement(
        &self,
        store: StoreId,
        query: StatementQuery<'_>,
    ) -> Result<Vec<StatementLine>, HostError> {
        self.state(|state| match query {
            StatementQuery::Period(period, limit) => state.statement(store, period, limit),
            StatementQuery::TopUp(reference) => {
                state.top_up(store, reference).into_iter().collect()
            }
        })
    }

    async fn cash_balances(
        &self,
        query: CashBalanceQuery<'_>,
    ) -> Result<Vec<CashBalance>, HostError> {
        self.state(|state| state.find_cash_balances(query))
    }

    async fn cash_entries(
        &self,
        query: CashEntryQuery<'_>,
    ) -> Result<Vec<RecordedCash>, HostError> {
        self.state(|state| state.find_cash_entries(query))
    }

    async fn find_webhooks(&self, query: WebhookQuery) -> Result<Vec<Webhook>, HostError> {
        self.state(|state| {
            let has_events =
                |it: &Webhook| !state.journal_after(it.journal(), it.position, 1).is_empty();
            query.scan(state.webhooks.rows().values(), has_events)
        })
    }

    async fn messages(&self, webhook: WebhookId) -> Result<Vec<Message>, HostError> {
        self.state(|state| state.messages_of(webhook))
    }

    async fn find_attempts(&self, query: AttemptQuery) -> Result<Vec<RecordedAttempt>, HostError> {
        self.state(|state| match query {
            AttemptQuery::Id(id) => state.attempt(id).into_iter().collect(),
            AttemptQuery::Webhook {
                webhook,
                before,
                limit,
            } => state.attempts_of(webhook, before, limit),
        })
    }

    async fn claim(&self, scope: &str, key: &str) -> Result<Option<Claim>, HostError> {
        self.state(|state| {
            state
                .claims
                .get(&(scope.to_owned(), key.to_owned()))
                .cloned()
        })
    }

    async fn tracking_link(&self, hash: &KeyHash) -> Result<Option<TrackingLink>, HostError> {
        self.state(|state| state.links.get(hash).cloned())
    }

    async fn personal_data(&self, query: &PersonalQuery) -> Result<PersonalData, HostError> {
        self.state(|state| state.personal_data(query))
    }

    async fn usage(&self, of: UsageQuery<'_>) -> Result<StorageUsage, HostError> {
        self.state(|state| match of {
            UsageQuery::Branches(merchant) => StorageUsage {
                records: state.branches(merchant),
                bytes: 0,
            },
            UsageQuery::Webhooks(merchant) => StorageUsage {
                records: state.merchant_webhooks(merchant),
                bytes: 0,
            },
            UsageQuery::Claims(owner, since) => state.claim_usage(owner, since),
        })
    }

    async fn figures(&self, now: Timestamp, overdue: Timestamp) -> Result<Figures, HostError> {
        let mut inner = self.lock();
        inner.reads += 1;
        Ok(inner.state.figures(&inner.timing, now, overdue))
    }

    async fn ids(&self, count: u32) -> Result<IdBlock, HostError> {
        let mut inner = self.lock();
        let first = inner.next_id;
        inner.next_id += u64::from(count);
        Ok(IdBlock::new(first, count.into()))
    }

    async fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        let mut inner = self.lock();
        match inner.next_commit.take() {
            Some(error) => Err(error),
            None => inner.state.commit(changes),
        }
    }
}

impl Platform for MemoryHost {
    fn exec_context(&self) -> ExecContext {
        let mut inner = self.lock();
        inner.contexts += 1;
        let seed = hmac_sha256(&inner.seed, &[b"context", &inner.contexts.to_be_bytes()]);
        ExecContext {
            now: inner.now,
            entropy: Entropy::new(seed),
        }
    }

    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
        let mut inner = self.lock();
        let (admission, next) = bucket.admit(inner.buckets.get(&bucket.name).copied(), now);
        if let Some(next) = next {
            inner.buckets.insert(bucket.name.clone(), next);
        }
        Ok(admission)
    }

    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
        password::hash(password, salt).map_err(HostError::internal)
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        password::verify(password, hash).map_err(HostError::internal)
    }

    async fn send(&self, request: Request<Bytes>, _: &WebhookConfig) -> Option<AttemptResult> {
        let mut inner = self.lock();
        inner.sent.push(request);
        inner.receiver
    }
}

#[cfg(test)]
mod tests {
    use std::{future::Future, pin::pin, task};

    use super::*;
    use crate::model::{
        Money,
        store::{ClaimChange, EntryKind},
    };

    /// The host's futures never return pending, so one poll is sufficient.
    fn now<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut task::Context::from_waker(task::Waker::noop())) {
            task::Poll::Ready(value) => value,
            task::Poll::Pending => panic!("the in-memory host returned pending"),
        }
    }

    #[test]
    fn equal_seeds_give_equal_runs() {
        let run = |seed| {
            let host = MemoryHost::seeded(seed);
            (
                host.exec_context().entropy.hex(),
                host.exec_context().entropy.hex(),
                now(host.ids(3)),
            )
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7).0, run(8).0);
        assert_ne!(run(7).0, run(7).1);
    }

    #[test]
    fn failed_commit_is_rolled_back() {
        let host = MemoryHost::seeded(1);
        let claim = Claim {
            scope: "store/1".into(),
            owner: None,
            key: "k".into(),
            fingerprint: String::new(),
            holder: "me".into(),
            response: None,
            expires_at: host.now().after(Duration::minutes(1)),
        };
        let entry = LedgerEntry {
            store: StoreId::new(1).unwrap(),
            account: None,
            order: None,
            kind: EntryKind::TopUp,
            amount: Money::ZERO,
            at: host.now(),
            floor: None,
        };
        let take = Changes {
            at: host.now(),
            claim: Some(ClaimChange::Take(claim)),
            ..Changes::default()
        };
        let no_such_store = Changes {
            ledger: vec![entry],
            ..take.clone()
        };
        assert_eq!(now(host.commit(&no_such_store)), Err(HostError::Conflict));
        assert_eq!(now(host.claim("store/1", "k")), Ok(None));
        assert_eq!(now(host.commit(&take)), Ok(()));
        assert_eq!(
            now(host.commit(&take)),
            Err(HostError::Conflict),
            "claim is held"
        );
        host.advance(Duration::minutes(1));
        assert_eq!(
            now(host.commit(&Changes {
                at: host.now(),
                ..take
            })),
            Ok(()),
            "claim has expired"
        );
    }
}
