//! The host of every database: the core's questions through a driver, everything else through a platform.

use std::{ops::RangeInclusive, sync::Arc};

use despacho_core::{
    courier::{Cell, Courier, FreeCourier, SearchingOrder},
    domain::{
        Address, AttemptId, CourierId, Email, IdBlock, KeyId, Located, Matrix, Moment, NotificationId, OrderId,
        StoreId, Timestamp, WebhookId,
    },
    geo,
    host::{Changes, Host, HostError, MerchantSize},
    limits::{Admission, Bucket},
    order::{Journal, JournalEntry, Order, OrderFilter, RecordedEvent, Timing},
    privacy::{PersonalData, PersonalQuery},
    store::{Claim, ClaimUsage, Key, KeyHash, KeyHolder, Notification, Period, StatementLine, Store},
    webhook::{Message, RecordedAttempt, Webhook},
};

use crate::{Query, RecentKeys, Row, Statement, archive, outward, personal, read, reserve::Reserve, statements, write};

/// What runs statements. As in [`Host`], there is no `Send`: a concrete driver's futures are what they are.
#[expect(async_fn_in_trait, reason = "static dispatch alone; a concrete driver's futures are Send where it is")]
pub trait Driver {
    /// The rows of a read.
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError>;
    /// The rows of a single write that answers by `RETURNING`, once it is durable.
    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError>;
    /// Runs the statements in one transaction, in order, and answers once it is durable. Where one does not touch the rows that it
    /// must, nothing is done and the answer is [`HostError::Conflict`]; likewise where the database itself finds a unique value
    /// taken or gives up a transaction that raced with another.
    async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError>;
    /// Runs each of several transactions as [`Driver::transact`] does, in order, and gives what became of each.
    async fn transact_each(&self, transactions: Vec<Vec<Statement>>) -> Vec<Result<(), HostError>> {
        let mut results = Vec::with_capacity(transactions.len());
        for statements in transactions {
            results.push(self.transact(statements).await);
        }
        results
    }
}

/// What a host needs besides a database.
#[expect(async_fn_in_trait, reason = "static dispatch alone, as in Driver")]
pub trait Platform {
    /// Now and fresh entropy.
    fn moment(&self) -> Moment;
    /// As [`Host::admit`].
    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError>;
    /// As [`Host::hash_password`].
    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError>;
    /// As [`Host::verify_password`].
    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError>;
    /// Told of every commit, so that whoever waits for events or messages looks at once; nothing where the platform wakes
    /// nobody.
    fn committed(&self, _changes: &Changes) {}
    /// As [`Host::locate`]; by embedded data where the platform asks no geocoder.
    async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Located, geo::LocateError>>, HostError> {
        Ok(addresses.iter().map(|address| geo::locate(address)).collect())
    }
    /// As [`Host::is_embedded`].
    fn is_embedded(&self) -> bool {
        true
    }
    /// As [`Host::matrix`]; by the embedded model where the platform asks no road network.
    async fn matrix(&self, places: &[Located]) -> Result<Matrix, HostError> {
        Ok(geo::matrix(places))
    }
}

/// A [`Host`] on a database.
#[derive(Debug)]
pub struct SqlHost<D, P> {
    driver: D,
    platform: P,
    timing: Timing,
    ids: Reserve,
    recent: Arc<RecentKeys>,
}

/// Identifiers that are reserved at once: so many cost one durable write. Those left over when the process ends are a gap.
const IDS_AT_ONCE: u32 = 512;
/// Orders whose deadline is looked at in one transaction.
const ALIGNED_AT_ONCE: u32 = 500;

impl<D: Driver, P: Platform> SqlHost<D, P> {
    /// A host on a database whose migrations have run; `timing` is that of the settings that requests are answered with.
    pub fn new(driver: D, platform: P, timing: Timing) -> SqlHost<D, P> {
        SqlHost { driver, platform, timing, ids: Reserve::of(IDS_AT_ONCE), recent: Arc::default() }
    }

    /// The host with another number of identifiers reserved at once; small where a host lives for one request.
    #[must_use]
    pub fn reserving(self, ids_at_once: u32) -> SqlHost<D, P> {
        SqlHost { ids: Reserve::of(ids_at_once), ..self }
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

impl<D: Driver, P: Platform> Host for SqlHost<D, P> {
    async fn key(&self, hash: &KeyHash) -> Result<Option<KeyHolder>, HostError> {
        self.one(read::key_by_hash(hash), read::to_key_holder).await
    }

    async fn recent_key(&self, hash: &KeyHash, now: Timestamp) -> Result<Option<Arc<KeyHolder>>, HostError> {
        let asked = match self.recent.recall(hash, now) {
            Ok(holder) => return Ok(Some(holder)),
            Err(asked) => asked,
        };
        let holder = self.key(hash).await?.map(Arc::new);
        if let Some(holder) = &holder {
            self.recent.remember(&asked, holder, now);
        }
        Ok(holder)
    }

    async fn keys(&self, store: StoreId) -> Result<Vec<Key>, HostError> {
        self.all(read::keys(store), read::to_key).await
    }

    async fn key_by_id(&self, id: KeyId) -> Result<Option<Key>, HostError> {
        self.one(read::key_by_id(id), read::to_key).await
    }

    async fn store(&self, id: StoreId) -> Result<Option<Store>, HostError> {
        self.one(read::store_by_id(id), read::to_store).await
    }

    async fn any_store(&self, id: StoreId) -> Result<Option<Store>, HostError> {
        self.one(read::any_store(id), read::to_store).await
    }

    async fn store_by_email(&self, email: &Email) -> Result<Option<Store>, HostError> {
        self.one(read::store_by_email(email), read::to_store).await
    }

    async fn store_by_cnpj(&self, cnpj: &str) -> Result<Option<Store>, HostError> {
        self.one(read::store_by_cnpj(cnpj), read::to_store).await
    }

    async fn order(&self, id: OrderId) -> Result<Option<Order>, HostError> {
        self.one(read::order_by_id(id), read::to_order).await
    }

    async fn order_by_code(&self, store: StoreId, code: &str) -> Result<Option<Order>, HostError> {
        self.one(read::order_by_code(store, code), read::to_order).await
    }

    async fn find_orders(&self, filter: &OrderFilter, limit: u32) -> Result<Vec<Order>, HostError> {
        self.all(read::find_orders(filter, limit), read::to_order).await
    }

    async fn stores_of(&self, store: StoreId, after: Option<StoreId>, limit: u32) -> Result<Vec<Store>, HostError> {
        self.all(read::stores_of(store, after, limit), read::to_store).await
    }

    async fn events(&self, order: OrderId) -> Result<Vec<RecordedEvent>, HostError> {
        self.all(read::events(order), read::to_event).await
    }

    async fn journal(&self, of: Journal, after: u64, limit: u32) -> Result<Vec<JournalEntry>, HostError> {
        self.all(outward::journal(of, after, limit), outward::to_entry).await
    }

    async fn journal_end(&self, matrix: StoreId) -> Result<u64, HostError> {
        let last = self.one(outward::journal_end(matrix), Row::integer).await?;
        Ok(last.and_then(|last| u64::try_from(last).ok()).unwrap_or(0))
    }

    async fn journal_start(&self, of: Journal) -> Result<u64, HostError> {
        let last = self.one(archive::journal_start(of), Row::optional_integer).await?.flatten();
        Ok(last.and_then(|last| u64::try_from(last).ok()).unwrap_or(0))
    }

    async fn due_orders(&self, now: Timestamp, skipped: u32, limit: u32) -> Result<Vec<Order>, HostError> {
        self.all(read::due_orders(now, skipped, limit), read::to_order).await
    }

    async fn searching_orders(
        &self,
        after: Option<(Timestamp, OrderId)>,
        limit: u32,
    ) -> Result<Vec<SearchingOrder>, HostError> {
        self.all(read::searching_orders(after, limit), read::to_searching).await
    }

    async fn sandbox_orders(&self, after: Option<OrderId>, limit: u32) -> Result<Vec<Order>, HostError> {
        self.all(read::sandbox_orders(after, limit), read::to_order).await
    }

    async fn orders_by_id(&self, ids: &[OrderId]) -> Result<Vec<Order>, HostError> {
        let ids: Vec<u64> = ids.iter().map(|id| id.get()).collect();
        self.by_id(&ids, read::orders_by_id, read::to_order).await
    }

    async fn courier(&self, id: CourierId) -> Result<Option<Courier>, HostError> {
        self.one(read::courier_by_id(id), read::to_courier).await
    }

    async fn courier_by_key(&self, hash: &KeyHash) -> Result<Option<Courier>, HostError> {
        self.one(read::courier_by_key(hash), read::to_courier).await
    }

    async fn couriers(&self, after: Option<CourierId>, limit: u32) -> Result<Vec<Courier>, HostError> {
        self.all(read::couriers(after, limit), read::to_courier).await
    }

    async fn couriers_by_id(&self, ids: &[CourierId]) -> Result<Vec<Courier>, HostError> {
        let ids: Vec<u64> = ids.iter().map(|id| id.get()).collect();
        self.by_id(&ids, read::couriers_by_id, read::to_courier).await
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

    async fn silent_couriers(
        &self,
        seen_before: Timestamp,
        skipped: u32,
        limit: u32,
    ) -> Result<Vec<Courier>, HostError> {
        self.all(read::silent_couriers(seen_before, skipped, limit), read::to_courier).await
    }

    async fn notifications(
        &self,
        store: StoreId,
        before: Option<NotificationId>,
        limit: u32,
    ) -> Result<Vec<Notification>, HostError> {
        self.all(read::notifications(store, before, limit), read::to_notification).await
    }

    async fn statement(&self, store: StoreId, period: Period, limit: u32) -> Result<Vec<StatementLine>, HostError> {
        self.all(outward::statement(store, period, limit), outward::to_line).await
    }

    async fn top_up(&self, store: StoreId, reference: &str) -> Result<Option<StatementLine>, HostError> {
        self.one(outward::top_up(store, reference), outward::to_line).await
    }

    async fn webhooks(&self, store: StoreId) -> Result<Vec<Webhook>, HostError> {
        self.all(outward::webhooks(store), outward::to_webhook).await
    }

    async fn webhook(&self, id: WebhookId) -> Result<Option<Webhook>, HostError> {
        self.one(outward::webhook(id), outward::to_webhook).await
    }

    async fn due_webhooks(&self, now: Timestamp, limit: u32) -> Result<Vec<Webhook>, HostError> {
        self.all(outward::due_webhooks(now, limit), outward::to_webhook).await
    }

    async fn messages(&self, webhook: WebhookId) -> Result<Vec<Message>, HostError> {
        self.all(outward::messages(webhook), Row::json).await
    }

    async fn attempts(
        &self,
        webhook: WebhookId,
        before: Option<AttemptId>,
        limit: u32,
    ) -> Result<Vec<RecordedAttempt>, HostError> {
        self.all(outward::attempts(webhook, before, limit), outward::to_attempt).await
    }

    async fn attempt(&self, id: AttemptId) -> Result<Option<RecordedAttempt>, HostError> {
        self.one(outward::attempt(id), outward::to_attempt).await
    }

    async fn claim(&self, scope: &str, key: &str) -> Result<Option<Claim>, HostError> {
        self.one(read::claim(scope, key), read::to_claim).await
    }

    async fn personal_data(&self, query: &PersonalQuery) -> Result<PersonalData, HostError> {
        personal::personal_data(&self.driver, query).await
    }

    async fn claim_usage(&self, owner: &str, since: Timestamp) -> Result<ClaimUsage, HostError> {
        Ok(self.one(read::claim_usage(owner, since), read::to_claim_usage).await?.unwrap_or_default())
    }

    async fn merchant_size(&self, merchant: StoreId) -> Result<MerchantSize, HostError> {
        Ok(self.one(outward::merchant_size(merchant), outward::to_merchant_size).await?.unwrap_or_default())
    }

    async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Located, geo::LocateError>>, HostError> {
        self.platform.locate(addresses).await
    }

    async fn matrix(&self, places: &[Located]) -> Result<Matrix, HostError> {
        self.platform.matrix(places).await
    }

    fn is_embedded(&self) -> bool {
        self.platform.is_embedded()
    }

    async fn ids(&self, count: u32) -> Result<IdBlock, HostError> {
        self.ids.take(&self.driver, count).await
    }

    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
        self.platform.admit(bucket, now).await
    }

    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
        self.platform.hash_password(password, salt).await
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        self.platform.verify_password(password, hash).await
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

    fn moment(&self) -> Moment {
        self.platform.moment()
    }
}
