//! A wrapper of the reference host that yields before every call or fails at selected commits, and
//! a scheduler for the order of execution.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    future::Future,
    ops::RangeInclusive,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use despacho_core::{
    changes::Changes,
    geo::LocateError,
    host::{
        AttemptQuery, AuditQuery, CashBalanceQuery, CashEntryQuery, CourierQuery, HostError,
        JournalSpan, KeyQuery, OrderQuery, PayEntryQuery, PayPlanQuery, Platform, PricePage,
        PriceQuery, StatementQuery, Storage, StorageUsage, StoreQuery, TariffQuery, UsageQuery,
        UserQuery, WebhookQuery,
    },
    memory::MemoryHost,
    model::{
        Address, CourierId, DistanceMatrix, ExecContext, Figures, IdBlock, Located, NotificationId,
        OrderId, PhotoId, StoreId, Timestamp, WebhookId,
        audit::AuditRecord,
        cash::{CashBalance, RecordedCash},
        courier::{self, Candidate, Courier, SearchingOrder},
        order::{
            Blob, Journal, JournalEntry, Order, OrderFilter, RecordedEvent, ReportedOrder,
            TrackingLink,
        },
        pay::{RecordedPayEntry, StoredPayPlan},
        privacy::{PersonalData, PersonalQuery},
        store::{Claim, KeyHash, KeyHolder, Notification, StatementLine, Store, User},
        tariff::{StoredTariff, TariffSchedule},
        webhook::{Message, RecordedAttempt, Webhook},
    },
    rules::{
        limits::{Admission, Bucket},
        webhooks::Mail,
    },
};

/// A wrapper of the reference host that injects faults.
pub(crate) struct FaultyHost<'a> {
    inner: &'a MemoryHost,
    yields: bool,
    commits: Cell<u32>,
    /// Numbers of calls of `locate`, of `matrix`, and of `hash_password` or `verify_password`.
    slow_calls: [Cell<u32>; 3],
    faults: RefCell<BTreeMap<u32, HostError>>,
    /// Whether a failing commit is applied nevertheless, as if only its confirmation were lost.
    unconfirmed: bool,
    /// The mails that were sent.
    pub(crate) mails: RefCell<Vec<Mail>>,
}

impl<'a> FaultyHost<'a> {
    /// Yields once before each call, so other requests can run between any two calls.
    pub(crate) fn yielding(inner: &'a MemoryHost) -> FaultyHost<'a> {
        FaultyHost {
            inner,
            yields: true,
            commits: Cell::new(0),
            slow_calls: Default::default(),
            faults: RefCell::default(),
            unconfirmed: false,
            mails: RefCell::default(),
        }
    }

    /// Fails at the commits with these numbers, counted from 1.
    pub(crate) fn failing<const N: usize>(
        inner: &'a MemoryHost,
        faults: [(u32, HostError); N],
    ) -> FaultyHost<'a> {
        FaultyHost {
            inner,
            yields: false,
            commits: Cell::new(0),
            slow_calls: Default::default(),
            faults: RefCell::new(faults.into()),
            unconfirmed: false,
            mails: RefCell::default(),
        }
    }

    /// Applies the commits with these numbers but returns errors, as if their confirmations were
    /// lost.
    pub(crate) fn unconfirmed<const N: usize>(
        inner: &'a MemoryHost,
        faults: [(u32, HostError); N],
    ) -> FaultyHost<'a> {
        FaultyHost {
            unconfirmed: true,
            mails: RefCell::default(),
            ..FaultyHost::failing(inner, faults)
        }
    }

    /// Returns the number of attempted commits.
    pub(crate) fn commits(&self) -> u32 {
        self.commits.get()
    }

    /// Returns the numbers of calls of `locate`, of `matrix`, and of `hash_password` or
    /// `verify_password`.
    pub(crate) fn slow_calls(&self) -> [u32; 3] {
        self.slow_calls.each_ref().map(Cell::get)
    }

    fn count_slow_call(&self, kind: usize) {
        self.slow_calls[kind].update(|calls| calls + 1);
    }

    async fn yield_once(&self) {
        if self.yields {
            YieldOnce(false).await;
        }
    }
}

/// A future that is ready at the second poll.
struct YieldOnce(bool);

impl Future for YieldOnce {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

macro_rules! delegate {
    ($(fn $name:ident($($argument:ident: $kind:ty),*) -> $response:ty;)*) => {$(
        async fn $name(&self, $($argument: $kind),*) -> Result<$response, HostError> {
            self.yield_once().await;
            self.inner.$name($($argument),*).await
        }
        )*};
}

impl Storage for FaultyHost<'_> {
    delegate! {
    fn find_keys(query: KeyQuery<'_>) -> Vec<Arc<KeyHolder>>;
    fn find_stores(query: StoreQuery<'_>) -> Vec<Store>;
    fn audit(query: AuditQuery) -> Vec<AuditRecord>;
    fn find_tariffs(query: TariffQuery<'_>) -> Vec<StoredTariff>;
    fn tariff_schedule(revision: Option<u64>) -> Arc<TariffSchedule>;
    fn find_pay_plans(query: PayPlanQuery<'_>) -> Vec<StoredPayPlan>;
    fn pay_entries(courier: CourierId, query: PayEntryQuery) -> Vec<RecordedPayEntry>;
    fn order_prices(query: PriceQuery) -> PricePage;
    fn reported_orders(filter: &OrderFilter, limit: u32) -> Vec<ReportedOrder>;
    fn find_users(query: UserQuery<'_>) -> Vec<User>;
    fn find_orders(query: OrderQuery<'_>) -> Vec<Order>;
    fn searching_orders(after: Option<(Timestamp, OrderId)>, limit: u32) -> Vec<SearchingOrder>;
    fn blob(id: PhotoId) -> Option<Blob>;
    fn events(order: OrderId) -> Vec<RecordedEvent>;
    fn journal(of: Journal, after: u64, limit: u32) -> Vec<JournalEntry>;
    fn journal_span(of: Journal) -> JournalSpan;
    fn find_couriers(query: CourierQuery<'_>) -> Vec<Courier>;
    fn candidates(cells: RangeInclusive<courier::Cell>, after: Option<(courier::Cell, CourierId)>, seen_since: Timestamp, limit: u32) -> Vec<Candidate>;
    fn notifications(store: StoreId, before: Option<NotificationId>, limit: u32) -> Vec<Notification>;
    fn statement(store: StoreId, query: StatementQuery<'_>) -> Vec<StatementLine>;
    fn cash_balances(query: CashBalanceQuery<'_>) -> Vec<CashBalance>;
    fn cash_entries(query: CashEntryQuery<'_>) -> Vec<RecordedCash>;
    fn find_webhooks(query: WebhookQuery) -> Vec<Webhook>;
    fn messages(webhook: WebhookId) -> Vec<Message>;
    fn find_attempts(query: AttemptQuery) -> Vec<RecordedAttempt>;
    fn claim(scope: &str, key: &str) -> Option<Claim>;
    fn tracking_link(hash: &KeyHash) -> Option<TrackingLink>;
    fn personal_data(query: &PersonalQuery) -> PersonalData;
    fn usage(of: UsageQuery<'_>) -> StorageUsage;
    fn figures(now: Timestamp, overdue: Timestamp) -> Figures;
    fn ids(count: u32) -> IdBlock;
    }

    async fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        self.yield_once().await;
        self.commits.set(self.commits.get() + 1);
        let fault = self.faults.borrow_mut().remove(&self.commits.get());
        match fault {
            Some(fault) if self.unconfirmed => self.inner.commit(changes).await.and(Err(fault)),
            Some(fault) => Err(fault),
            None => self.inner.commit(changes).await,
        }
    }
}

impl Platform for FaultyHost<'_> {
    delegate! {
    fn admit(bucket: &Bucket, now: Timestamp) -> Admission;
    }

    async fn locate(
        &self,
        merchant: Option<StoreId>,
        addresses: &[&Address],
    ) -> Result<Vec<Result<Located, LocateError>>, HostError> {
        self.count_slow_call(0);
        self.inner.locate(merchant, addresses).await
    }

    async fn distance_matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        self.count_slow_call(1);
        self.inner.distance_matrix(places).await
    }

    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
        self.count_slow_call(2);
        self.yield_once().await;
        self.inner.hash_password(password, salt).await
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        self.count_slow_call(2);
        self.yield_once().await;
        self.inner.verify_password(password, hash).await
    }

    fn exec_context(&self) -> ExecContext {
        self.inner.exec_context()
    }

    async fn send_mail(&self, mail: &Mail) -> Option<bool> {
        self.mails.borrow_mut().push(mail.clone());
        Some(true)
    }
}

/// Runs futures to completion. Before each poll, `choose` gets the number of unfinished futures and
/// returns the index of the next one.
pub(crate) fn interleave<F: Future>(
    futures: Vec<F>,
    mut choose: impl FnMut(usize) -> usize,
) -> Vec<F::Output> {
    let mut running: Vec<(usize, Pin<Box<F>>)> =
        futures.into_iter().map(Box::pin).enumerate().collect();
    let mut done: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    let mut context = Context::from_waker(Waker::noop());
    while !running.is_empty() {
        let at = choose(running.len());
        let (number, future) = &mut running[at];
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            done[*number] = Some(output);
            drop(running.swap_remove(at));
        }
    }
    done.into_iter().map(Option::unwrap).collect()
}

/// SplitMix64 generator with a fixed seed.
pub(crate) struct Rng(pub u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `max`, which must not be zero.
    pub(crate) fn below(&mut self, max: usize) -> usize {
        usize::try_from(self.next() % max as u64).unwrap()
    }

    /// Returns a random element.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
