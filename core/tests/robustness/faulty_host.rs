//! The reference host, made to wait at every call or to fail at chosen commits, and a scheduler that says who goes on.

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
        AttemptQuery, CourierQuery, HostError, JournalSpan, KeyQuery, OrderQuery, Platform, StatementQuery, Storage,
        StorageUsage, StoreQuery, UsageQuery, WebhookQuery,
    },
    memory::MemoryHost,
    model::{
        Address, CourierId, DistanceMatrix, ExecContext, IdBlock, Located, NotificationId, OrderId, StoreId, Timestamp,
        WebhookId,
        courier::{self, Courier, FreeCourier, SearchingOrder},
        order::{Journal, JournalEntry, Order, RecordedEvent},
        privacy::{PersonalData, PersonalQuery},
        store::{Claim, KeyHolder, Notification, StatementLine, Store},
        webhook::{Message, RecordedAttempt, Webhook},
    },
    rules::limits::{Admission, Bucket},
};

/// The reference host with a rig around it.
pub(crate) struct FaultyHost<'a> {
    inner: &'a MemoryHost,
    waits: bool,
    commits: Cell<u32>,
    /// Calls of `locate` and of `matrix`.
    surveys: Cell<[u32; 2]>,
    faults: RefCell<BTreeMap<u32, HostError>>,
    /// Whether a commit that fails takes place all the same: its confirmation was lost.
    unconfirmed: bool,
}

impl<'a> FaultyHost<'a> {
    /// Waits once before each call, so that others can come between any two of them.
    pub(crate) fn waiting(inner: &'a MemoryHost) -> FaultyHost<'a> {
        FaultyHost {
            inner,
            waits: true,
            commits: Cell::new(0),
            surveys: Cell::default(),
            faults: RefCell::default(),
            unconfirmed: false,
        }
    }

    /// Fails at the commits of these numbers, the first being 1.
    pub(crate) fn failing<const N: usize>(inner: &'a MemoryHost, faults: [(u32, HostError); N]) -> FaultyHost<'a> {
        FaultyHost {
            inner,
            waits: false,
            commits: Cell::new(0),
            surveys: Cell::default(),
            faults: RefCell::new(faults.into()),
            unconfirmed: false,
        }
    }

    /// The same, where those commits take place and only their confirmation is lost.
    pub(crate) fn unconfirmed<const N: usize>(inner: &'a MemoryHost, faults: [(u32, HostError); N]) -> FaultyHost<'a> {
        FaultyHost { unconfirmed: true, ..FaultyHost::failing(inner, faults) }
    }

    /// Commits that were asked for so far.
    pub(crate) fn commits(&self) -> u32 {
        self.commits.get()
    }

    /// Calls of `locate` and of `matrix` so far.
    pub(crate) fn surveys(&self) -> [u32; 2] {
        self.surveys.get()
    }

    async fn turn(&self) {
        if self.waits {
            Turn(false).await;
        }
    }
}

/// Is ready at the second look.
struct Turn(bool);

impl Future for Turn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

macro_rules! pass_on {
    ($(fn $name:ident($($argument:ident: $kind:ty),*) -> $response:ty;)*) => {$(
        async fn $name(&self, $($argument: $kind),*) -> Result<$response, HostError> {
            self.turn().await;
            self.inner.$name($($argument),*).await
        }
    )*};
}

impl Storage for FaultyHost<'_> {
    pass_on! {
        fn find_keys(query: KeyQuery<'_>) -> Vec<Arc<KeyHolder>>;
        fn find_stores(query: StoreQuery<'_>) -> Vec<Store>;
        fn find_orders(query: OrderQuery<'_>) -> Vec<Order>;
        fn searching_orders(after: Option<(Timestamp, OrderId)>, limit: u32) -> Vec<SearchingOrder>;
        fn events(order: OrderId) -> Vec<RecordedEvent>;
        fn journal(of: Journal, after: u64, limit: u32) -> Vec<JournalEntry>;
        fn journal_span(of: Journal) -> JournalSpan;
        fn find_couriers(query: CourierQuery<'_>) -> Vec<Courier>;
        fn free_couriers(cells: RangeInclusive<courier::Cell>, after: Option<(courier::Cell, CourierId)>, seen_since: Timestamp, limit: u32) -> Vec<FreeCourier>;
        fn notifications(store: StoreId, before: Option<NotificationId>, limit: u32) -> Vec<Notification>;
        fn statement(store: StoreId, query: StatementQuery<'_>) -> Vec<StatementLine>;
        fn find_webhooks(query: WebhookQuery) -> Vec<Webhook>;
        fn messages(webhook: WebhookId) -> Vec<Message>;
        fn find_attempts(query: AttemptQuery) -> Vec<RecordedAttempt>;
        fn claim(scope: &str, key: &str) -> Option<Claim>;
        fn personal_data(query: &PersonalQuery) -> PersonalData;
        fn usage(of: UsageQuery<'_>) -> StorageUsage;
        fn ids(count: u32) -> IdBlock;
        fn admit(bucket: &Bucket, now: Timestamp) -> Admission;
    }

    async fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        self.turn().await;
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
    pass_on! {
        fn hash_password(password: &str, salt: [u8; 16]) -> String;
        fn verify_password(password: &str, hash: &str) -> bool;
    }

    async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Located, LocateError>>, HostError> {
        let [locate, matrix] = self.surveys.get();
        self.surveys.set([locate + 1, matrix]);
        self.inner.locate(addresses).await
    }

    async fn matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        let [locate, matrix] = self.surveys.get();
        self.surveys.set([locate, matrix + 1]);
        self.inner.matrix(places).await
    }

    fn exec_context(&self) -> ExecContext {
        self.inner.exec_context()
    }
}

/// Runs futures to their ends, each time letting the one go on that `choose` picks of so many.
pub(crate) fn interleave<F: Future>(futures: Vec<F>, mut choose: impl FnMut(usize) -> usize) -> Vec<F::Output> {
    let mut running: Vec<(usize, Pin<Box<F>>)> = futures.into_iter().map(Box::pin).enumerate().collect();
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

/// SplitMix64: the same numbers from the same seed.
pub(crate) struct Rng(pub u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `most`, which is above zero.
    pub(crate) fn below(&mut self, max: usize) -> usize {
        usize::try_from(self.next() % max as u64).unwrap()
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
