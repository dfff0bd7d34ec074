//! The host on a database: converts the core's reads and commits to SQL statements for a driver.

use std::{cmp::Reverse, ops::RangeInclusive, sync::Arc};

use bytes::Bytes;
use despacho_core::{
    changes::Changes,
    geo,
    host::{
        AttemptQuery, AuditQuery, CashBalanceQuery, CashEntryQuery, CourierQuery, HostError,
        JournalSpan, KeyQuery, OrderQuery, PayEntryQuery, PayPlanQuery, Platform, PricePage,
        PriceQuery, StatementQuery, Storage, StorageUsage, StoreQuery, TariffQuery, Turn,
        UsageQuery, UserQuery, WebhookQuery,
    },
    model::{
        Address, CourierId, DistanceMatrix, ExecContext, Figures, IdBlock, Located, NotificationId,
        OrderId, PhotoId, Point, SearchWords, StoreId, Timestamp, WebhookId,
        audit::AuditRecord,
        cash::{CashBalance, RecordedCash},
        courier::{Candidate, Cell, Courier, SearchingOrder},
        order::{
            Blob, Journal, JournalEntry, Order, OrderFilter, RecordedEvent, ReportedOrder,
            TrackingLink,
        },
        pay::{RecordedPayEntry, StoredPayPlan},
        privacy::{PersonalData, PersonalQuery},
        store::{Claim, KeyHash, KeyHolder, Notification, StatementLine, Store, User},
        tariff::{StoredTariff, TariffSchedule},
        webhook::{AttemptResult, Message, RecordedAttempt, Webhook},
    },
    rules::{
        lifecycle::Timing,
        limits::{Admission, Bucket},
        webhooks::{Mail, WebhookConfig},
    },
};
use http::Request;

use crate::{
    Driver, Query, RecentKeys, Row, accounts, archive, cash, figures, id_allocator::IdAllocator,
    list, outbound, pay, personal, read, statements, tariffs, write,
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

/// IDs that one durable write allocates. Those unused when the process ends are a gap.
const ID_BATCH: u32 = 512;
/// Orders whose deadlines one transaction updates.
const ALIGN_BATCH: u32 = 500;

impl<D: Driver, P: Machine> SqlHost<D, P> {
    /// Creates a host on a migrated database. `timing` must be that of the settings with which
    /// requests are handled.
    pub fn new(driver: D, platform: P, timing: Timing) -> SqlHost<D, P> {
        SqlHost {
            driver,
            platform,
            timing,
            ids: IdAllocator::of(ID_BATCH),
            recent: Arc::default(),
        }
    }

    /// Sets the number of IDs that one write allocates. It should be small for a host that handles
    /// a single request.
    #[must_use]
    pub fn with_id_batch(self, batch: u32) -> SqlHost<D, P> {
        SqlHost {
            ids: IdAllocator::of(batch),
            ..self
        }
    }

    /// Shares the cache of keys with other hosts of the process. For hosts that handle a single
    /// request.
    #[must_use]
    pub fn with_recent_keys(self, recent: Arc<RecentKeys>) -> SqlHost<D, P> {
        SqlHost { recent, ..self }
    }

    /// Returns the driver.
    pub fn driver(&self) -> &D {
        &self.driver
    }

    /// Returns the platform.
    pub fn platform(&self) -> &P {
        &self.platform
    }

    /// Recomputes the stored deadlines if the timing settings have changed since they were written,
    /// and returns the number of orders read. Call it once at the start, before due orders are
    /// read: an order whose stored deadline is too early would be due forever.
    pub async fn align_deadlines(&self) -> Result<u64, HostError> {
        let timing = serde_json::to_string(&self.timing);
        let timing = timing.map_err(|error| HostError::Internal {
            detail: format!("writing the timing: {error}"),
        })?;
        let stored = self.one(read::timing(), Row::text).await?;
        if stored.as_ref() == Some(&timing) {
            return Ok(0);
        }
        let (mut after, mut seen) = (0, 0);
        loop {
            let orders = self
                .all(read::waiting_orders(after, ALIGN_BATCH), read::to_order)
                .await?;
            let Some(last) = orders.last() else { break };
            after = last.id.get();
            seen += orders.len() as u64;
            self.driver
                .transact(
                    orders
                        .iter()
                        .map(|order| write::due(order, &self.timing))
                        .collect(),
                )
                .await?;
        }
        self.driver.transact(vec![write::timing(&timing)]).await?;
        Ok(seen)
    }

    async fn all<T>(
        &self,
        query: Query,
        decode: fn(&mut Row) -> Result<T, HostError>,
    ) -> Result<Vec<T>, HostError> {
        self.driver
            .read(query)
            .await?
            .iter_mut()
            .map(decode)
            .collect()
    }

    async fn by_id<T>(
        &self,
        ids: &[u64],
        query: impl Fn(&[u64]) -> Query,
        decode: fn(&mut Row) -> Result<T, HostError>,
    ) -> Result<Vec<T>, HostError> {
        let mut found = Vec::with_capacity(ids.len());
        for ids in ids.chunks(read::MAX_IDS) {
            found.extend(self.all(query(ids), decode).await?);
        }
        Ok(found)
    }

    /// Finds orders by words: compares the newest orders, and then uses the index of words.
    async fn search(
        &self,
        filter: &OrderFilter,
        search: &SearchWords,
        limit: u32,
    ) -> Result<Vec<Order>, HostError> {
        let mut rows = self
            .driver
            .read(list::newest(filter, search, limit))
            .await?;
        let room = list::room(&rows, limit);
        if room > 0 {
            rows.extend(self.driver.read(list::older(filter, search, room)).await?);
        }
        let is_last = list::room(&rows, limit) > 0;
        let mut orders = rows
            .iter_mut()
            .map(read::to_order)
            .collect::<Result<Vec<_>, _>>()?;
        // The order whose ID is the search, unless it is after the last order of a full page.
        let is_in_page = |id: &OrderId| {
            filter.before.is_none_or(|before| *id < before)
                && (is_last || orders.last().is_some_and(|last| *id > last.id))
        };
        let id = search.number().and_then(OrderId::new).filter(is_in_page);
        if let Some(query) = id.and_then(|id| list::up_to(filter, id)) {
            let found = self.all(query, read::to_order).await?;
            orders.extend(found.into_iter().filter(|order| Some(order.id) == id));
            orders.sort_by_key(|order| Reverse(order.id));
            orders.dedup_by_key(|order| order.id);
            orders.truncate(limit as usize);
        }
        Ok(orders)
    }

    async fn one<T>(
        &self,
        query: Query,
        decode: fn(&mut Row) -> Result<T, HostError>,
    ) -> Result<Option<T>, HostError> {
        self.driver
            .read(query)
            .await?
            .first_mut()
            .map(decode)
            .transpose()
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
                let lookup = match self.recent.get(hash, now) {
                    Ok(holder) => return Ok(vec![holder]),
                    Err(lookup) => lookup,
                };
                let found = self.all(read::key_by_hash(hash), holder).await?;
                found
                    .iter()
                    .for_each(|holder| self.recent.put(&lookup, holder, now));
                Ok(found)
            }
        }
    }

    async fn find_stores(&self, query: StoreQuery<'_>) -> Result<Vec<Store>, HostError> {
        if let StoreQuery::Ids(ids) = query {
            let ids: Vec<u64> = ids.iter().map(|id| id.get()).collect();
            return self.by_id(&ids, read::stores_by_id, read::to_store).await;
        }
        self.all(read::stores(query), read::to_store).await
    }

    async fn find_users(&self, query: UserQuery<'_>) -> Result<Vec<User>, HostError> {
        self.all(accounts::users(query), accounts::to_user).await
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRecord>, HostError> {
        self.all(accounts::audit(query), accounts::to_record).await
    }

    async fn find_tariffs(&self, query: TariffQuery<'_>) -> Result<Vec<StoredTariff>, HostError> {
        self.all(tariffs::tariffs(query), tariffs::to_stored).await
    }

    async fn tariff_schedule(
        &self,
        revision: Option<u64>,
    ) -> Result<Arc<TariffSchedule>, HostError> {
        if let Some(schedule) = revision.and_then(|revision| self.recent.schedule(revision)) {
            return Ok(schedule);
        }
        let schedule = Arc::new(tariffs::to_schedule(
            &mut self.driver.read(tariffs::schedule()).await?,
        )?);
        self.recent.put_schedule(&schedule);
        Ok(schedule)
    }

    async fn find_pay_plans(
        &self,
        query: PayPlanQuery<'_>,
    ) -> Result<Vec<StoredPayPlan>, HostError> {
        self.all(pay::plans(query), pay::to_plan).await
    }

    async fn pay_entries(
        &self,
        courier: CourierId,
        query: PayEntryQuery,
    ) -> Result<Vec<RecordedPayEntry>, HostError> {
        self.all(pay::entries(courier, query), pay::to_entry).await
    }

    async fn order_prices(&self, query: PriceQuery) -> Result<PricePage, HostError> {
        tariffs::to_prices(&mut self.driver.read(tariffs::prices(query)).await?)
    }

    async fn reported_orders(
        &self,
        filter: &OrderFilter,
        limit: u32,
    ) -> Result<Vec<ReportedOrder>, HostError> {
        self.all(list::reported(filter, limit), list::to_reported)
            .await
    }

    async fn find_orders(&self, query: OrderQuery<'_>) -> Result<Vec<Order>, HostError> {
        match query {
            OrderQuery::Ids([id]) => self.all(read::order_by_id(*id), read::to_order).await,
            OrderQuery::Ids(ids) => {
                let ids: Vec<u64> = ids.iter().map(|id| id.get()).collect();
                self.by_id(&ids, read::orders_by_id, read::to_order).await
            }
            OrderQuery::Code(store, code) => {
                self.all(read::order_by_code(store, code), read::to_order)
                    .await
            }
            OrderQuery::Matching(filter, limit) => match &filter.search {
                Some(search) => self.search(filter, search, limit).await,
                None => self.all(list::orders(filter, limit), read::to_order).await,
            },
            OrderQuery::Sandbox { after, limit } => {
                self.all(read::sandbox_orders(after, limit), read::to_order)
                    .await
            }
            OrderQuery::Due {
                now,
                skipped,
                limit,
            } => {
                self.all(read::due_orders(now, skipped, limit), read::to_order)
                    .await
            }
        }
    }

    async fn searching_orders(
        &self,
        after: Option<(Timestamp, OrderId)>,
        limit: u32,
    ) -> Result<Vec<SearchingOrder>, HostError> {
        self.all(read::searching_orders(after, limit), read::to_searching)
            .await
    }

    async fn blob(&self, id: PhotoId) -> Result<Option<Blob>, HostError> {
        self.one(read::blob(id), read::to_blob).await
    }

    async fn events(&self, order: OrderId) -> Result<Vec<RecordedEvent>, HostError> {
        self.all(read::events(order), read::to_event).await
    }

    async fn journal(
        &self,
        of: Journal,
        after: u64,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, HostError> {
        self.all(outbound::journal(of, after, limit), outbound::to_entry)
            .await
    }

    async fn journal_span(&self, of: Journal) -> Result<JournalSpan, HostError> {
        Ok(self
            .one(archive::journal_span(of), archive::to_span)
            .await?
            .unwrap_or_default())
    }

    async fn find_couriers(&self, query: CourierQuery<'_>) -> Result<Vec<Courier>, HostError> {
        let query = match query {
            CourierQuery::Ids([id]) => read::courier_by_id(*id),
            CourierQuery::Ids(ids) => {
                let ids: Vec<u64> = ids.iter().map(|id| id.get()).collect();
                return self
                    .by_id(&ids, read::couriers_by_id, read::to_courier)
                    .await;
            }
            CourierQuery::Key(hash) => read::courier_by_key(hash),
            CourierQuery::All { after, limit } => read::couriers(after, limit),
            CourierQuery::Working { after, limit } => read::couriers_at_work(after, limit),
            CourierQuery::PushDue { now, limit } => read::couriers_with_due_push(now, limit),
            CourierQuery::Unresponsive {
                seen_before,
                skipped,
                limit,
            } => read::silent_couriers(seen_before, skipped, limit),
        };
        self.all(query, read::to_courier).await
    }

    async fn candidates(
        &self,
        cells: RangeInclusive<Cell>,
        after: Option<(Cell, CourierId)>,
        seen_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<Candidate>, HostError> {
        self.all(
            read::candidates(&cells, after, seen_since, limit),
            read::to_free,
        )
        .await
    }

    async fn notifications(
        &self,
        store: StoreId,
        before: Option<NotificationId>,
        limit: u32,
    ) -> Result<Vec<Notification>, HostError> {
        self.all(
            read::notifications(store, before, limit),
            read::to_notification,
        )
        .await
    }

    async fn statement(
        &self,
        store: StoreId,
        query: StatementQuery<'_>,
    ) -> Result<Vec<StatementLine>, HostError> {
        let query = match query {
            StatementQuery::Period(period, limit) => outbound::statement(store, period, limit),
            StatementQuery::TopUp(reference) => outbound::top_up(store, reference),
        };
        self.all(query, outbound::to_line).await
    }

    async fn cash_balances(
        &self,
        query: CashBalanceQuery<'_>,
    ) -> Result<Vec<CashBalance>, HostError> {
        let query = match query {
            CashBalanceQuery::Of(couriers, store) => {
                let ids: Vec<u64> = couriers.iter().map(|courier| courier.get()).collect();
                let query = |ids: &[u64]| cash::balances_with(store, ids);
                return self.by_id(&ids, query, cash::to_balance).await;
            }
            CashBalanceQuery::Couriers(couriers) => {
                let ids: Vec<u64> = couriers.iter().map(|courier| courier.get()).collect();
                return self
                    .by_id(&ids, cash::open_balances, cash::to_balance)
                    .await;
            }
            CashBalanceQuery::Store {
                store,
                after,
                limit,
            } => cash::balances_of_store(store, after, limit),
            CashBalanceQuery::Courier {
                courier,
                after,
                limit,
            } => cash::balances_of_courier(courier, after, limit),
        };
        self.all(query, cash::to_balance).await
    }

    async fn cash_entries(
        &self,
        query: CashEntryQuery<'_>,
    ) -> Result<Vec<RecordedCash>, HostError> {
        let query = match query {
            CashEntryQuery::Matching(filter, limit) => cash::entries(filter, limit),
            CashEntryQuery::Notes(about) => {
                let ids: Vec<u64> = about.iter().map(|entry| entry.get()).collect();
                let mut notes = self.by_id(&ids, cash::notes, cash::to_recorded).await?;
                notes.sort_by_key(|note| Reverse(note.id));
                return Ok(notes);
            }
        };
        self.all(query, cash::to_recorded).await
    }

    async fn find_webhooks(&self, query: WebhookQuery) -> Result<Vec<Webhook>, HostError> {
        let query = match query {
            WebhookQuery::Id(id) => outbound::webhook(id),
            WebhookQuery::Store(store) => outbound::webhooks(store),
            WebhookQuery::Due { now, limit } => outbound::due_webhooks(now, limit),
        };
        self.all(query, outbound::to_webhook).await
    }

    async fn messages(&self, webhook: WebhookId) -> Result<Vec<Message>, HostError> {
        self.all(outbound::messages(webhook), Row::json).await
    }

    async fn find_attempts(&self, query: AttemptQuery) -> Result<Vec<RecordedAttempt>, HostError> {
        let query = match query {
            AttemptQuery::Id(id) => outbound::attempt(id),
            AttemptQuery::Webhook {
                webhook,
                before,
                limit,
            } => outbound::attempts(webhook, before, limit),
        };
        self.all(query, outbound::to_attempt).await
    }

    async fn claim(&self, scope: &str, key: &str) -> Result<Option<Claim>, HostError> {
        self.one(read::claim(scope, key), read::to_claim).await
    }

    async fn tracking_link(&self, hash: &KeyHash) -> Result<Option<TrackingLink>, HostError> {
        let found = self
            .one(read::tracking_link(hash), read::to_tracking_link)
            .await?;
        Ok(found.map(|(order, delivery, ends_at)| TrackingLink {
            hash: hash.clone(),
            order,
            delivery,
            ends_at,
        }))
    }

    async fn personal_data(&self, query: &PersonalQuery) -> Result<PersonalData, HostError> {
        personal::personal_data(&self.driver, query).await
    }

    async fn usage(&self, of: UsageQuery<'_>) -> Result<StorageUsage, HostError> {
        Ok(self
            .one(outbound::usage(of), outbound::to_usage)
            .await?
            .unwrap_or_default())
    }

    async fn figures(&self, now: Timestamp, overdue: Timestamp) -> Result<Figures, HostError> {
        Ok(self
            .one(figures::figures(now, overdue), figures::to_figures)
            .await?
            .unwrap_or_default())
    }

    async fn ids(&self, count: u32) -> Result<IdBlock, HostError> {
        self.ids.take(&self.driver, count).await
    }

    async fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        let _invalidation = self.recent.invalidate_after([changes]);
        let committed = self
            .driver
            .transact(statements(changes, &self.timing)?)
            .await;
        if committed.is_ok() {
            self.platform.committed(changes);
        }
        committed
    }

    async fn commit_each(&self, changes: &[Changes]) -> Vec<Result<(), HostError>> {
        let _invalidation = self.recent.invalidate_after(changes);
        let transactions = changes
            .iter()
            .map(|changes| statements(changes, &self.timing))
            .collect();
        match transactions {
            Ok(transactions) => {
                let results = self.driver.transact_each(transactions).await;
                let committed = changes
                    .iter()
                    .zip(&results)
                    .filter(|(_, result)| result.is_ok());
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

    async fn turn(&self, caller: &str) -> Result<Option<Turn>, HostError> {
        self.platform.turn(caller).await
    }

    async fn locate(
        &self,
        merchant: Option<StoreId>,
        addresses: &[&Address],
    ) -> Result<Vec<Result<Located, geo::LocateError>>, HostError> {
        self.platform.locate(merchant, addresses).await
    }

    async fn distance_matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        self.platform.distance_matrix(places).await
    }

    async fn road_paths(
        &self,
        points: &[Point],
        max_points: usize,
    ) -> Result<Vec<Option<Vec<Point>>>, HostError> {
        self.platform.road_paths(points, max_points).await
    }

    fn is_embedded(&self) -> bool {
        self.platform.is_embedded()
    }

    fn travel_time(&self, from: Point, to: Point) -> u32 {
        self.platform.travel_time(from, to)
    }

    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
        self.platform.hash_password(password, salt).await
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        self.platform.verify_password(password, hash).await
    }

    async fn send_mail(&self, mail: &Mail) -> Option<bool> {
        self.platform.send_mail(mail).await
    }

    async fn send(&self, request: Request<Bytes>, config: &WebhookConfig) -> Option<AttemptResult> {
        self.platform.send(request, config).await
    }
}
