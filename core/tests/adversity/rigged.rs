//! The reference host, made to wait at every call or to fail at chosen commits, and a scheduler that says who goes on.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    future::Future,
    ops::RangeInclusive,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use despacho_core::{
    courier::{self, Courier, FreeCourier, SearchingOrder},
    domain::{
        AttemptId, CourierId, Email, IdBlock, KeyId, Moment, NotificationId, OrderId, StoreId, Timestamp, WebhookId,
    },
    host::{Changes, Host, HostError, MerchantSize},
    limits::{Admission, Bucket},
    memory::MemoryHost,
    order::{Journal, JournalEntry, Order, OrderFilter, RecordedEvent},
    privacy::{PersonalData, PersonalQuery},
    store::{Claim, ClaimUsage, Key, KeyHash, KeyHolder, Notification, Period, StatementLine, Store},
    webhook::{Message, RecordedAttempt, Webhook},
};

/// The reference host with a rig around it.
pub(crate) struct Rigged<'a> {
    inner: &'a MemoryHost,
    waits: bool,
    commits: Cell<u32>,
    faults: RefCell<BTreeMap<u32, HostError>>,
    /// Whether a commit that fails takes place all the same: its confirmation was lost.
    unconfirmed: bool,
}

impl<'a> Rigged<'a> {
    /// Waits once before each call, so that others can come between any two of them.
    pub(crate) fn waiting(inner: &'a MemoryHost) -> Rigged<'a> {
        Rigged { inner, waits: true, commits: Cell::new(0), faults: RefCell::default(), unconfirmed: false }
    }

    /// Fails at the commits of these numbers, the first being 1.
    pub(crate) fn failing<const N: usize>(inner: &'a MemoryHost, faults: [(u32, HostError); N]) -> Rigged<'a> {
        Rigged { inner, waits: false, commits: Cell::new(0), faults: RefCell::new(faults.into()), unconfirmed: false }
    }

    /// The same, where those commits take place and only their confirmation is lost.
    pub(crate) fn unconfirmed<const N: usize>(inner: &'a MemoryHost, faults: [(u32, HostError); N]) -> Rigged<'a> {
        Rigged { unconfirmed: true, ..Rigged::failing(inner, faults) }
    }

    /// Commits that were asked for so far.
    pub(crate) fn commits(&self) -> u32 {
        self.commits.get()
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
    ($(fn $name:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {$(
        async fn $name(&self, $($argument: $kind),*) -> Result<$answer, HostError> {
            self.turn().await;
            self.inner.$name($($argument),*).await
        }
    )*};
}

impl Host for Rigged<'_> {
    pass_on! {
        fn key(hash: &KeyHash) -> Option<KeyHolder>;
        fn keys(store: StoreId) -> Vec<Key>;
        fn key_by_id(id: KeyId) -> Option<Key>;
        fn store(id: StoreId) -> Option<Store>;
        fn any_store(id: StoreId) -> Option<Store>;
        fn store_by_email(email: &Email) -> Option<Store>;
        fn store_by_cnpj(cnpj: &str) -> Option<Store>;
        fn order(id: OrderId) -> Option<Order>;
        fn order_by_code(store: StoreId, code: &str) -> Option<Order>;
        fn find_orders(filter: &OrderFilter, limit: u32) -> Vec<Order>;
        fn stores_of(store: StoreId, after: Option<StoreId>, limit: u32) -> Vec<Store>;
        fn events(order: OrderId) -> Vec<RecordedEvent>;
        fn journal(of: Journal, after: u64, limit: u32) -> Vec<JournalEntry>;
        fn journal_end(matrix: StoreId) -> u64;
        fn journal_start(of: Journal) -> u64;
        fn statement(store: StoreId, period: Period, limit: u32) -> Vec<StatementLine>;
        fn top_up(store: StoreId, reference: &str) -> Option<StatementLine>;
        fn webhooks(store: StoreId) -> Vec<Webhook>;
        fn webhook(id: WebhookId) -> Option<Webhook>;
        fn due_webhooks(now: Timestamp, limit: u32) -> Vec<Webhook>;
        fn messages(webhook: WebhookId) -> Vec<Message>;
        fn attempts(webhook: WebhookId, before: Option<AttemptId>, limit: u32) -> Vec<RecordedAttempt>;
        fn attempt(id: AttemptId) -> Option<RecordedAttempt>;
        fn due_orders(now: Timestamp, skipped: u32, limit: u32) -> Vec<Order>;
        fn searching_orders(after: Option<(Timestamp, OrderId)>, limit: u32) -> Vec<SearchingOrder>;
        fn sandbox_orders(after: Option<OrderId>, limit: u32) -> Vec<Order>;
        fn orders_by_id(ids: &[OrderId]) -> Vec<Order>;
        fn courier(id: CourierId) -> Option<Courier>;
        fn courier_by_key(hash: &KeyHash) -> Option<Courier>;
        fn couriers(after: Option<CourierId>, limit: u32) -> Vec<Courier>;
        fn couriers_by_id(ids: &[CourierId]) -> Vec<Courier>;
        fn free_couriers(cells: RangeInclusive<courier::Cell>, after: Option<(courier::Cell, CourierId)>, seen_since: Timestamp, limit: u32) -> Vec<FreeCourier>;
        fn silent_couriers(seen_before: Timestamp, skipped: u32, limit: u32) -> Vec<Courier>;
        fn notifications(store: StoreId, before: Option<NotificationId>, limit: u32) -> Vec<Notification>;
        fn claim(scope: &str, key: &str) -> Option<Claim>;
        fn personal_data(query: &PersonalQuery) -> PersonalData;
        fn claim_usage(owner: &str, since: Timestamp) -> ClaimUsage;
        fn merchant_size(merchant: StoreId) -> MerchantSize;
        fn ids(count: u32) -> IdBlock;
        fn admit(bucket: &Bucket, now: Timestamp) -> Admission;
        fn hash_password(password: &str, salt: [u8; 16]) -> String;
        fn verify_password(password: &str, hash: &str) -> bool;
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

    fn moment(&self) -> Moment {
        self.inner.moment()
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
pub(crate) struct Dice(pub u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `most`, which is above zero.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most as u64).unwrap()
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
