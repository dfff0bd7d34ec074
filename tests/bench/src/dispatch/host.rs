//! The in-memory host with the travel times of an instance. It records which couriers get or lose
//! an order.

use std::{
    cell::{Cell as Counter, RefCell},
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
    sync::Arc,
    time::{Duration, Instant},
};

use despacho_core::{
    changes::Changes,
    host::{
        AttemptQuery, AuditQuery, CashBalanceQuery, CashEntryQuery, CourierQuery, HostError,
        JournalSpan, KeyQuery, OrderQuery, Platform, PricePage, PriceQuery, StatementQuery,
        Storage, StorageUsage, StoreQuery, TariffQuery, UsageQuery, UserQuery, WebhookQuery,
    },
    memory::MemoryHost,
    model::{
        CourierId, DistanceMatrix, ExecContext, Figures, IdBlock, Located, NotificationId, OrderId,
        PhotoId, Point, StoreId, Timestamp, WebhookId,
        audit::AuditRecord,
        cash::{CashBalance, RecordedCash},
        courier::{Candidate, Cell, Courier, SearchingOrder},
        order::{
            Blob, Journal, JournalEntry, Order, OrderFilter, RecordedEvent, ReportedOrder,
            TrackingLink,
        },
        privacy::{PersonalData, PersonalQuery},
        store::{Claim, KeyHash, KeyHolder, Notification, StatementLine, Store, User},
        tariff::{StoredTariff, TariffSchedule},
        webhook::{Message, RecordedAttempt, Webhook},
    },
    rules::{
        lifecycle::Timing,
        limits::{Admission, Bucket},
    },
};

use super::area::{Travel, place};

/// The host of one simulated day.
pub(crate) struct DayHost {
    memory: MemoryHost,
    travel: Travel,
    /// The courier of each order that has one.
    assigned: RefCell<BTreeMap<OrderId, CourierId>>,
    /// Couriers that got or lost an order since the last call of [`DayHost::take_changed`].
    changed: RefCell<BTreeSet<CourierId>>,
    commit_time: Counter<Duration>,
}

impl DayHost {
    pub(crate) fn new(travel: Travel, timing: Timing) -> DayHost {
        DayHost {
            memory: MemoryHost::seeded(1).with_timing(timing),
            travel,
            assigned: RefCell::default(),
            changed: RefCell::default(),
            commit_time: Counter::default(),
        }
    }

    pub(crate) fn set_now(&self, now: Timestamp) {
        self.memory.set_now(now);
    }

    /// Returns the couriers that got or lost an order since the last call.
    pub(crate) fn take_changed(&self) -> BTreeSet<CourierId> {
        self.changed.take()
    }

    /// Records the changes of the couriers of orders, instead of a notification to the couriers.
    fn record_assignments(&self, changes: &Changes) {
        let (mut assigned, mut changed) = (self.assigned.borrow_mut(), self.changed.borrow_mut());
        for order in changes.orders.iter().map(|write| &write.value) {
            let courier = order.courier.as_ref().map(|courier| courier.id);
            let before = match courier {
                Some(courier) => assigned.insert(order.id, courier),
                None => assigned.remove(&order.id),
            };
            if before != courier {
                changed.extend(before.into_iter().chain(courier));
            }
        }
    }

    /// Returns the time that all commits took.
    pub(crate) fn commit_time(&self) -> Duration {
        self.commit_time.get()
    }

    /// Returns all orders.
    pub(crate) fn orders(&self) -> Vec<Order> {
        self.memory.orders()
    }
}

macro_rules! delegate {
    ($($name:ident($($arg:ident: $kind:ty),*) -> $out:ty;)*) => {$(
        async fn $name(&self, $($arg: $kind),*) -> Result<$out, HostError> {
            self.memory.$name($($arg),*).await
        }
    )*};
}

impl Storage for DayHost {
    delegate! {
        find_keys(query: KeyQuery<'_>) -> Vec<Arc<KeyHolder>>;
        find_stores(query: StoreQuery<'_>) -> Vec<Store>;
        audit(query: AuditQuery) -> Vec<AuditRecord>;
        find_tariffs(query: TariffQuery<'_>) -> Vec<StoredTariff>;
        tariff_schedule(revision: Option<u64>) -> Arc<TariffSchedule>;
        order_prices(query: PriceQuery) -> PricePage;
        reported_orders(filter: &OrderFilter, limit: u32) -> Vec<ReportedOrder>;
        find_users(query: UserQuery<'_>) -> Vec<User>;
        find_orders(query: OrderQuery<'_>) -> Vec<Order>;
        searching_orders(after: Option<(Timestamp, OrderId)>, limit: u32) -> Vec<SearchingOrder>;
        blob(id: PhotoId) -> Option<Blob>;
        events(order: OrderId) -> Vec<RecordedEvent>;
        journal(of: Journal, after: u64, limit: u32) -> Vec<JournalEntry>;
        journal_span(of: Journal) -> JournalSpan;
        find_couriers(query: CourierQuery<'_>) -> Vec<Courier>;
        candidates(
            cells: RangeInclusive<Cell>, after: Option<(Cell, CourierId)>, seen_since: Timestamp, limit: u32
        ) -> Vec<Candidate>;
        notifications(store: StoreId, before: Option<NotificationId>, limit: u32) -> Vec<Notification>;
        statement(store: StoreId, query: StatementQuery<'_>) -> Vec<StatementLine>;
        cash_balances(query: CashBalanceQuery<'_>) -> Vec<CashBalance>;
        cash_entries(query: CashEntryQuery<'_>) -> Vec<RecordedCash>;
        find_webhooks(query: WebhookQuery) -> Vec<Webhook>;
        messages(webhook: WebhookId) -> Vec<Message>;
        find_attempts(query: AttemptQuery) -> Vec<RecordedAttempt>;
        claim(scope: &str, key: &str) -> Option<Claim>;
        tracking_link(hash: &KeyHash) -> Option<TrackingLink>;
        personal_data(query: &PersonalQuery) -> PersonalData;
        usage(of: UsageQuery<'_>) -> StorageUsage;
        figures(now: Timestamp, overdue: Timestamp) -> Figures;
        ids(count: u32) -> IdBlock;
    }

    async fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        let start = Instant::now();
        let result = self.memory.commit(changes).await;
        if result.is_ok() {
            self.record_assignments(changes);
        }
        self.commit_time
            .set(self.commit_time.get() + start.elapsed());
        result
    }
}

impl Platform for DayHost {
    delegate! {
        admit(bucket: &Bucket, now: Timestamp) -> Admission;
    }

    fn exec_context(&self) -> ExecContext {
        self.memory.exec_context()
    }

    async fn distance_matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        self.travel
            .distances(places)
            .ok_or_else(|| HostError::internal("the distance matrix is not square"))
    }

    fn travel_time(&self, from: Point, to: Point) -> u32 {
        self.travel.seconds(place(from), place(to))
    }

    /// Replaces argon2, which would take most of the time of a run with hundreds of restaurants.
    async fn hash_password(&self, _password: &str, _salt: [u8; 16]) -> Result<String, HostError> {
        Ok("no password".to_owned())
    }

    async fn verify_password(&self, _password: &str, _hash: &str) -> Result<bool, HostError> {
        Ok(false)
    }
}
