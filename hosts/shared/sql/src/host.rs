//! The host of every database: the core's reads and commits as SQL statements for a driver.

use std::{ops::RangeInclusive, sync::Arc};

use despacho_core::{
    changes::Changes,
    geo,
    host::{
        AttemptQuery, CourierQuery, HostError, JournalSpan, KeyQuery, OrderQuery, Platform, StatementQuery, Storage,
        StorageUsage, StoreQuery, UsageQuery, WebhookQuery,
    },
    model::{
        Address, CourierId, DistanceMatrix, ExecContext, IdBlock, Located, NotificationId, OrderId, StoreId, Timestamp,
        WebhookId,
        courier::{Cell, Courier, FreeCourier, SearchingOrder},
        order::{Journal, JournalEntry, Order, RecordedEvent},
        privacy::{PersonalData, PersonalQuery},
        store::{Claim, KeyHolder, Notification, StatementLine, Store},
        webhook::{Message, RecordedAttempt, Webhook},
    },
    rules::{
        lifecycle::Timing,
        limits::{Admission, Bucket},
    },
};

use crate::{
    Driver, Query, RecentKeys, Row, archive, outward, personal, read, reserve::IdAllocator, statements, write,
};

/// A [`Platform`] that is notified of commits.
pub trait Machine: Platform {
    /// Called after each commit, so that streams and webhooks look for new events at once.
    fn committed(&self, _changes: &Changes) {}
}

/// A host on a database.
#[derive(Debug)]
pub struct SqlHost<D, P> {
    driver: D,
    platform: P,
    timing: Timing,
    ids: IdAllocator,
    recent: Arc<RecentKeys>,
}

/// Identifiers that are reserved at once: so many cost one durable write. Those left over when the process ends are a gap.
const IDS_AT_ONCE: u32 = 512;
/// Orders whose deadline is looked at in one transaction.
const ALIGNED_AT_ONCE: u32 = 500;

impl<D: Driver, P: Machine> SqlHost<D, P> {
    /// A host on a database whose migrations have run; `timing` is that of the settings that requests are answered with.
    pub fn new(driver: D, platform: P, timing: Timing) -> SqlHost<D, P> {
        SqlHost { driver, platform, timing, ids: IdAllocator::of(IDS_AT_ONCE), recent: Arc::default() }
    }

    /// The host with another number of identifiers reserved at once; small where a host lives for one request.
    #[must_use]
    pub fn reserving(self, ids_at_once: u32) -> SqlHost<D, P> {
        SqlHost { ids: IdAllocator::of(ids_at_once), ..self }
    }

    /// The host with what others of its process remember of keys; where a host lives for one request.
    #[must_use]
    pub fn remembering(self, recent: Arc<RecentKeys>) -> SqlHost<D, P> {
        SqlHost { recent, ..self }
    }

    /// The driver.
    pub fn driver(&self) -> &D {
        &self.driver
    }

    /// The platform.
    pub fn platform(&self) -> &P {
        &self.platform
    }

    /// Computes the stored deadlines again where the deployment's timing has changed since they were written, and says how many
    /// orders were looked at. To be run once at the start, before anything asks for due orders: a deadline that is stored too
    /// early would be found due, and never end.
    pub async fn align_deadlines(&self) -> Result<u64, HostError> {
        let timing = serde_json::to_string(&self.timing);
        let timing = timing.map_err(|error| HostError::Internal { detail: format!("writing the timing: {error}") })?;
        let stored = self.one(read::timing(), Row::text).await?;
        if stored.as_ref() == Some(&timing) {
            return Ok(0);
        }
        let (mut after, mut seen) = (0, 0);
        loop {
            let orders = self.all(read::waiting_orders(after, ALIGNED_AT_ONCE), read::to_order).await?;
            let Some(last) = orders.last() else { break };
            after = last.id.get();
            seen += orders.len() as u64;
            self.driver.transact(orders.iter().map(|order| write::due(order, &self.timing)).collect()).await?;
        }
        self.driver.transact(vec![write::timing(&timing)]).await?;
        Ok(seen)
    }

    async fn all<T>(&self, query: Query, decode: fn(&mut Row) -> Result<T, HostError>) -> Result<Vec<T>, HostError> {
        self.driver.read(query).await?.iter_mut().map(decode).collect()
    }

    async fn by_id<T>(
        &self,
        ids: &[u64],
        query: fn(&[u64]) -> Query,
        decode: fn(&mut Row) -> Result<T, HostError>,
    ) -> Result<Vec<T>, HostError> {
        let mut found = Vec::with_capacity(ids.len());
        for ids in ids.chunks(read::IDS_AT_ONCE) {
            found.extend(self.all(query(ids), decode).await?);
        }
        Ok(found)
    }

    async fn one<T>(&self, query: Query, decode: fn(&mut Row) -> Result<T, HostError>) -> Result<Option<T>, HostError> {
        self.driver.read(query).await?.first_mut().map(decode).transpose()
    }
}

impl<D: Driver, P: Machine> Storage for SqlHost<D, P> {
    async fn find_keys(&self, query: KeyQuery<'_>) -> Result<Vec<Arc<KeyHolder>>, HostError> {
        let holder = |row: &mut Row| read::to_key_holder(row).map(Arc::new);
        match query {
            KeyQuery::Hash(hash) => self.all(read::key_by_hash(hash), holder).await,
            KeyQuery::Id(id) => self.all(read::key_by_id(id), holder).await,
            KeyQuery::Store(store) => self.all(read::keys(store), holder).await,
            KeyQuery::Recent(hash, now) => {
                let started = match self.recent.recall(hash, now) {
                    Ok(holder) => return Ok(vec![holder]),
                    Err(started) => started,
                };
                let found = self.all(read::key_by_hash(hash), holder).await?;
                found.iter().for_each(|holder| self.recent.remember(&started, holder, now));
                Ok(found)
            }
        }
    }

    async fn find_stores(&self, query: StoreQuery<'_>) -> Result<Vec<Store>, HostError> {
        self.all(read::stores(query), read::to_store).await
    }

    async fn find_orders(&self, query: OrderQuery<'_>) -> Result<Vec<Order>, HostError> {
        match query {
            OrderQuery::Ids([id]) => self.all(read::order_by_id(*id), read::to_order).await,
            OrderQuery::Ids(ids) => {
                let ids: Vec<u64> = ids.iter().map(|id| id.get()).collect();
                self.by_id(&ids, read::orders_by_id, read::to_order).await
            }
            OrderQuery::Code(store, code) => self.all(read::order_by_code(store, code), read::to_order).await,
            OrderQuery::Matching(filter, limit) => self.all(read::find_orders(filter, limit), read::to_order).await,
            OrderQuery::Sandbox { after, limit } => self.all(read::sandbox_orders(after, limit), read::to_order).await,
            OrderQuery::Due { now, skipped, limit } => {
                self.all(read::due_orders(now, skipped, limit), read::to_order).await
            }
        }
    }

    async fn searching_orders(
        &self,
        after: Option<(Timestamp, OrderId)>,
        limit: u32,
    ) -> Result<Vec<SearchingOrder>, HostError> {
        self.all(read::searching_orders(after, limit), read::to_searching).await
    }

    async fn events(&self, order: OrderId) -> Result<Vec<RecordedEvent>, HostError> {
        self.all(read::events(order), read::to_event).await
    }

    async fn journal(&self, of: Journal, after: u64, limit: u32) -> Result<Vec<JournalEntry>, HostError> {
        self.all(outward::journal(of, after, limit), outward::to_entry).await
    }

    async fn journal_span(&self, of: Journal) -> Result<JournalSpan, HostError> {
        Ok(self.one(archive::journal_span(of), archive::to_span).await?.unwrap_or_default())
    }

    async fn find_couriers(&self, query: CourierQuery<'_>) -> Result<Vec<Courier>, HostError> {
        let query = match query {
            CourierQuery::Ids([id]) => read::courier_by_id(*id),
            CourierQuery::Ids(ids) => {
                let ids: Vec<u64> = ids.iter().map(|id| id.get()).collect();
                return self.by_id(&ids, read::couriers_by_id, read::to_courier).await;
            }
            CourierQuery::Key(hash) => read::courier_by_key(hash),
            CourierQuery::All { after, limit } => read::couriers(after, limit),
            CourierQuery::Silent { seen_before, skipped, limit } => read::silent_couriers(seen_before, skipped, limit),
        };
        self.all(query, read::to_courier).await
    }

    async fn free_couriers(
        &self,
        cells: RangeInclusive<Cell>,
        after: Option<(Cell, CourierId)>,
        seen_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<FreeCourier>, HostError> {
        self.all(read::free_couriers(&cells, after, seen_since, limit), read::to_free).await
    }

    async fn notifications(
        &self,
        store: StoreId,
        before: Option<NotificationId>,
        limit: u32,
    ) -> Result<Vec<Notification>, HostError> {
        self.all(read::notifications(store, before, limit), read::to_notification).await
    }

    async fn statement(&self, store: StoreId, query: StatementQuery<'_>) -> Result<Vec<StatementLine>, HostError> {
        let query = match query {
            StatementQuery::Period(period, limit) => outward::statement(store, period, limit),
            StatementQuery::TopUp(reference) => outward::top_up(store, reference),
        };
        self.all(query, outward::to_line).await
    }

    async fn find_webhooks(&self, query: WebhookQuery) -> Result<Vec<Webhook>, HostError> {
        let query = match query {
            WebhookQuery::Id(id) => outward::webhook(id),
            WebhookQuery::Store(store) => outward::webhooks(store),
            WebhookQuery::Due { now, limit } => outward::due_webhooks(now, limit),
        };
        self.all(query, outward::to_webhook).await
    }

    async fn messages(&self, webhook: WebhookId) -> Result<Vec<Message>, HostError> {
        self.all(outward::messages(webhook), Row::json).await
    }

    async fn find_attempts(&self, query: AttemptQuery) -> Result<Vec<RecordedAttempt>, HostError> {
        let query = match query {
            AttemptQuery::Id(id) => outward::attempt(id),
            AttemptQuery::Webhook { webhook, before, limit } => outward::attempts(webhook, before, limit),
        };
        self.all(query, outward::to_attempt).await
    }

    async fn claim(&self, scope: &str, key: &str) -> Result<Option<Claim>, HostError> {
        self.one(read::claim(scope, key), read::to_claim).await
    }

    async fn personal_data(&self, query: &PersonalQuery) -> Result<PersonalData, HostError> {
        personal::personal_data(&self.driver, query).await
    }

    async fn usage(&self, of: UsageQuery<'_>) -> Result<StorageUsage, HostError> {
        Ok(self.one(outward::usage(of), outward::to_usage).await?.unwrap_or_default())
    }

    async fn ids(&self, count: u32) -> Result<IdBlock, HostError> {
        self.ids.take(&self.driver, count).await
    }

    async fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        let _forgetting = self.recent.forgetting([changes]);
        let committed = self.driver.transact(statements(changes, &self.timing)?).await;
        if committed.is_ok() {
            self.platform.committed(changes);
        }
        committed
    }

    async fn commit_each(&self, changes: &[Changes]) -> Vec<Result<(), HostError>> {
        let _forgetting = self.recent.forgetting(changes);
        let transactions = changes.iter().map(|changes| statements(changes, &self.timing)).collect();
        match transactions {
            Ok(transactions) => {
                let results = self.driver.transact_each(transactions).await;
                let committed = changes.iter().zip(&results).filter(|(_, result)| result.is_ok());
                committed.for_each(|(changes, _)| self.platform.committed(changes));
                results
            }
            Err(error) => vec![Err(error); changes.len()],
        }
    }
}

impl<D, P: Platform> Platform for SqlHost<D, P> {
    fn exec_context(&self) -> ExecContext {
        self.platform.exec_context()
    }

    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
        self.platform.admit(bucket, now).await
    }

    async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Located, geo::LocateError>>, HostError> {
        self.platform.locate(addresses).await
    }

    async fn matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        self.platform.matrix(places).await
    }

    fn is_embedded(&self) -> bool {
        self.platform.is_embedded()
    }

    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
        self.platform.hash_password(password, salt).await
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        self.platform.verify_password(password, hash).await
    }
}
