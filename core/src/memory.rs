//! The reference host: everything in memory, nothing by chance.
//!
//! It keeps the same promises as a database (versions, unique values, floors, all or nothing), so that a test of the rules
//! needs none, and so that the storage tests know what every database must do. Its clock stands still until it is moved, and its
//! entropy comes from a seed: the same requests give the same bytes.

mod outward;
mod privacy;
mod state;
mod table;

use std::{
    collections::BTreeMap,
    ops::RangeInclusive,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{
    courier::{Cell, Courier, FreeCourier, SearchingOrder},
    domain::{
        AttemptId, CourierId, Duration, Email, Entropy, IdBlock, KeyId, Moment, NotificationId, OrderId, StoreId,
        Timestamp, WebhookId, hmac_sha256,
    },
    host::{Changes, Host, HostError, MerchantSize},
    limits::{Admission, Arrival, Bucket},
    order::{Journal, JournalEntry, Order, OrderFilter, OrderSituation, RecordedEvent, Timing, next_deadline},
    privacy::{PersonalData, PersonalQuery},
    store::{
        Claim, ClaimUsage, Key, KeyHash, KeyHolder, LedgerEntry, Notification, Period, StatementLine, Store, password,
    },
    webhook::{Message, RecordedAttempt, Webhook},
};
use state::State;

/// The first identifier that a host gives; what is below is free for fixtures.
pub const FIRST_ID: u64 = 1_000;
/// Where the clock starts, in milliseconds since 1970: 12:00 UTC of 21 November 2026.
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
    moments: u64,
    next_id: u64,
    buckets: BTreeMap<String, Arrival>,
    next_commit: Option<HostError>,
}

impl MemoryHost {
    /// An empty host whose entropy follows from `seed`, at 12:00 UTC of 21 November 2026, with the usual deadlines.
    pub fn seeded(seed: u64) -> MemoryHost {
        let inner = Inner {
            state: State::default(),
            timing: Timing::default(),
            now: Timestamp::from_millis(START_MILLIS),
            seed: hmac_sha256(&[0; 32], &[b"memory host", &seed.to_be_bytes()]),
            moments: 0,
            next_id: FIRST_ID,
            buckets: BTreeMap::new(),
            next_commit: None,
        };
        MemoryHost { inner: Mutex::new(inner) }
    }

    /// The host with other deadlines; they must be those of the settings that requests are answered with.
    #[must_use]
    pub fn with_timing(self, timing: Timing) -> MemoryHost {
        self.lock().timing = timing;
        self
    }

    /// The time that the host tells.
    pub fn now(&self) -> Timestamp {
        self.lock().now
    }

    /// Sets the clock, forwards or backwards.
    pub fn set_now(&self, now: Timestamp) {
        self.lock().now = now;
    }

    /// Moves the clock on.
    pub fn advance(&self, span: Duration) {
        let mut inner = self.lock();
        inner.now = inner.now.after(span);
    }

    /// Makes the next commit fail with this fault and leave nothing behind, whatever it holds.
    pub fn fail_next_commit(&self, error: HostError) {
        self.lock().next_commit = Some(error);
    }

    /// Every order, by number.
    pub fn orders(&self) -> Vec<Order> {
        self.lock().state.orders.rows().values().cloned().collect()
    }

    /// Every event of the service, oldest first.
    pub fn recorded(&self) -> Vec<RecordedEvent> {
        let inner = self.lock();
        let rows = inner.state.journal.rows().iter();
        rows.map(|(id, event)| RecordedEvent { id: *id, event: event.clone() }).collect()
    }

    /// Every movement of a store's balance, oldest first.
    pub fn ledger(&self, store: StoreId) -> Vec<LedgerEntry> {
        let inner = self.lock();
        let booked = inner.state.ledger.rows().values().filter(|(account, _)| *account == store);
        booked.map(|(_, booked)| booked.entry.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic while the lock is held is a failed test; what it left behind is whole, since commits undo themselves.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state<T>(&self, read: impl FnOnce(&State) -> T) -> Result<T, HostError> {
        Ok(read(&self.lock().state))
    }
}

impl Host for MemoryHost {
    async fn key(&self, hash: &KeyHash) -> Result<Option<KeyHolder>, HostError> {
        self.state(|state| {
            let key = state.keys.get(state.hashes.get(hash)?)?.clone();
            Some(KeyHolder { store: state.store(key.store)?, key })
        })
    }

    async fn keys(&self, store: StoreId) -> Result<Vec<Key>, HostError> {
        self.state(|state| {
            let mut keys: Vec<Key> = state.keys.rows().values().filter(|key| key.store == store).cloned().collect();
            keys.sort_by_key(|key| std::cmp::Reverse((key.created_at, key.id)));
            keys
        })
    }

    async fn key_by_id(&self, id: KeyId) -> Result<Option<Key>, HostError> {
        self.state(|state| state.keys.get(&id).cloned())
    }

    async fn store(&self, id: StoreId) -> Result<Option<Store>, HostError> {
        self.state(|state| state.store(id).filter(|store| store.deleted_at.is_none()))
    }

    async fn any_store(&self, id: StoreId) -> Result<Option<Store>, HostError> {
        self.state(|state| state.store(id))
    }

    async fn store_by_email(&self, email: &Email) -> Result<Option<Store>, HostError> {
        self.state(|state| state.store(*state.emails.get(&email.key())?))
    }

    async fn store_by_cnpj(&self, cnpj: &str) -> Result<Option<Store>, HostError> {
        self.state(|state| state.store(*state.cnpjs.get(&cnpj.to_owned())?))
    }

    async fn order(&self, id: OrderId) -> Result<Option<Order>, HostError> {
        self.state(|state| state.orders.get(&id).cloned())
    }

    async fn order_by_code(&self, store: StoreId, code: &str) -> Result<Option<Order>, HostError> {
        self.state(|state| state.orders.get(state.codes.get(&(store, code.to_owned()))?).cloned())
    }

    async fn find_orders(&self, filter: &OrderFilter, limit: u32) -> Result<Vec<Order>, HostError> {
        self.state(|state| {
            let meant = |order: &Order| {
                let store = state.stores.get(&order.store).filter(|store| store.deleted_at.is_none());
                store.is_some_and(|store| {
                    store.id == filter.store || (filter.branches && store.matrix == Some(filter.store))
                })
            };
            let newest_first = state.orders.rows().values().rev();
            let taken = newest_first.filter(|order| filter.takes(order) && meant(order));
            taken.take(limit as usize).cloned().collect()
        })
    }

    async fn stores_of(&self, store: StoreId, after: Option<StoreId>, limit: u32) -> Result<Vec<Store>, HostError> {
        self.state(|state| {
            let later = state.stores.rows().values().filter(|one| after.is_none_or(|after| one.id > after));
            let meant = later.filter(|one| one.id == store || one.matrix == Some(store));
            let standing = meant.filter(|one| one.deleted_at.is_none());
            standing.take(limit as usize).filter_map(|one| state.store(one.id)).collect()
        })
    }

    async fn events(&self, order: OrderId) -> Result<Vec<RecordedEvent>, HostError> {
        self.state(|state| state.events(order))
    }

    async fn journal(&self, of: Journal, after: u64, limit: u32) -> Result<Vec<JournalEntry>, HostError> {
        self.state(|state| state.journal_after(of, after, limit))
    }

    async fn journal_end(&self, matrix: StoreId) -> Result<u64, HostError> {
        self.state(|state| state.journal_end(matrix))
    }

    /// Nothing is archived here.
    async fn journal_start(&self, _: Journal) -> Result<u64, HostError> {
        Ok(0)
    }

    async fn due_orders(&self, now: Timestamp, skipped: u32, limit: u32) -> Result<Vec<Order>, HostError> {
        let inner = self.lock();
        let deadline = |order: &Order| next_deadline(order, &inner.timing);
        let orders = inner.state.orders.rows().values();
        let mut due: Vec<&Order> = orders.filter(|order| deadline(order).is_some_and(|at| at <= now)).collect();
        due.sort_by_key(|order| (deadline(order), order.id));
        Ok(due.into_iter().skip(skipped as usize).take(limit as usize).cloned().collect())
    }

    async fn searching_orders(
        &self,
        after: Option<(Timestamp, OrderId)>,
        limit: u32,
    ) -> Result<Vec<SearchingOrder>, HostError> {
        let inner = self.lock();
        let searching = inner.state.orders.rows().values().filter(|order| order.situation == OrderSituation::Searching);
        let indexed = searching.filter_map(|order| {
            let until = next_deadline(order, &inner.timing)?;
            let pickup = Some(order.pickup.located.point);
            Some(SearchingOrder { id: order.id, until, pickup, sandbox: order.sandbox })
        });
        let mut orders: Vec<_> =
            indexed.filter(|order| after.is_none_or(|after| (order.until, order.id) > after)).collect();
        orders.sort_by_key(|order| (order.until, order.id));
        orders.truncate(limit as usize);
        Ok(orders)
    }

    async fn sandbox_orders(&self, after: Option<OrderId>, limit: u32) -> Result<Vec<Order>, HostError> {
        self.state(|state| {
            let orders =
                state.orders.rows().values().filter(|order| order.sandbox && after.is_none_or(|id| order.id > id));
            let open = orders.filter(|order| Order::AT_WORK.contains(&order.situation));
            open.take(limit as usize).cloned().collect()
        })
    }

    async fn orders_by_id(&self, ids: &[OrderId]) -> Result<Vec<Order>, HostError> {
        self.state(|state| ids.iter().filter_map(|id| state.orders.get(id).cloned()).collect())
    }

    async fn courier(&self, id: CourierId) -> Result<Option<Courier>, HostError> {
        self.state(|state| state.courier(id))
    }

    async fn courier_by_key(&self, hash: &KeyHash) -> Result<Option<Courier>, HostError> {
        self.state(|state| state.courier(*state.courier_hashes.get(hash)?))
    }

    async fn couriers(&self, after: Option<CourierId>, limit: u32) -> Result<Vec<Courier>, HostError> {
        self.state(|state| {
            let later = state.couriers.rows().keys().filter(|id| after.is_none_or(|after| **id > after));
            later.take(limit as usize).filter_map(|id| state.courier(*id)).collect()
        })
    }

    async fn couriers_by_id(&self, ids: &[CourierId]) -> Result<Vec<Courier>, HostError> {
        self.state(|state| ids.iter().filter_map(|id| state.courier(*id)).collect())
    }

    async fn free_couriers(
        &self,
        cells: RangeInclusive<Cell>,
        after: Option<(Cell, CourierId)>,
        seen_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<FreeCourier>, HostError> {
        self.state(|state| {
            let positions = state.positions.rows().values().filter(|position| position.at >= seen_since);
            let located = positions.map(|position| ((Cell::of(position.point), position.courier), position));
            let mut located: Vec<_> =
                located.filter(|(at, _)| cells.contains(&at.0) && after.is_none_or(|after| *at > after)).collect();
            located.sort_by_key(|(at, _)| *at);
            let couriers = located.into_iter().filter_map(|((_, id), _)| FreeCourier::of(&state.courier(id)?));
            couriers.take(limit as usize).collect()
        })
    }

    async fn silent_couriers(
        &self,
        seen_before: Timestamp,
        skipped: u32,
        limit: u32,
    ) -> Result<Vec<Courier>, HostError> {
        self.state(|state| {
            let couriers = state.couriers.rows().keys().filter_map(|id| state.courier(*id));
            let order = |courier: &Courier| courier.order.and_then(|id| state.orders.get(&id));
            let held = |courier: &Courier| order(courier).is_some_and(|order| order.situation.is_before_pickup());
            let unseen = |courier: &Courier| courier.position_at.is_none_or(|at| at < seen_before);
            let silent = couriers.filter(|courier| held(courier) && unseen(courier));
            silent.skip(skipped as usize).take(limit as usize).collect()
        })
    }

    async fn notifications(
        &self,
        store: StoreId,
        before: Option<NotificationId>,
        limit: u32,
    ) -> Result<Vec<Notification>, HostError> {
        self.state(|state| {
            let newest_first = state.notifications.rows().range(state::of_store(store)).rev().map(|(_, value)| value);
            let older = newest_first.filter(|notification| before.is_none_or(|before| notification.id < before));
            older.take(limit as usize).cloned().collect()
        })
    }

    async fn statement(&self, store: StoreId, period: Period, limit: u32) -> Result<Vec<StatementLine>, HostError> {
        self.state(|state| state.statement(store, period, limit))
    }

    async fn top_up(&self, store: StoreId, reference: &str) -> Result<Option<StatementLine>, HostError> {
        self.state(|state| state.top_up(store, reference))
    }

    async fn webhooks(&self, store: StoreId) -> Result<Vec<Webhook>, HostError> {
        self.state(|state| state.webhooks_of(store))
    }

    async fn webhook(&self, id: WebhookId) -> Result<Option<Webhook>, HostError> {
        self.state(|state| state.webhook(id))
    }

    async fn due_webhooks(&self, now: Timestamp, limit: u32) -> Result<Vec<Webhook>, HostError> {
        self.state(|state| state.due_webhooks(now, limit))
    }

    async fn messages(&self, webhook: WebhookId) -> Result<Vec<Message>, HostError> {
        self.state(|state| state.messages_of(webhook))
    }

    async fn attempts(
        &self,
        webhook: WebhookId,
        before: Option<AttemptId>,
        limit: u32,
    ) -> Result<Vec<RecordedAttempt>, HostError> {
        self.state(|state| state.attempts_of(webhook, before, limit))
    }

    async fn attempt(&self, id: AttemptId) -> Result<Option<RecordedAttempt>, HostError> {
        self.state(|state| state.attempt(id))
    }

    async fn claim(&self, scope: &str, key: &str) -> Result<Option<Claim>, HostError> {
        self.state(|state| state.claims.get(&(scope.to_owned(), key.to_owned())).cloned())
    }

    async fn personal_data(&self, query: &PersonalQuery) -> Result<PersonalData, HostError> {
        self.state(|state| state.personal_data(query))
    }

    async fn claim_usage(&self, owner: &str, since: Timestamp) -> Result<ClaimUsage, HostError> {
        self.state(|state| state.claim_usage(owner, since))
    }

    async fn merchant_size(&self, merchant: StoreId) -> Result<MerchantSize, HostError> {
        self.state(|state| state.merchant_size(merchant))
    }

    async fn ids(&self, count: u32) -> Result<IdBlock, HostError> {
        let mut inner = self.lock();
        let first = inner.next_id;
        inner.next_id += u64::from(count);
        Ok(IdBlock::new(first, count.into()))
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
        password::hash(password, salt)
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        password::verify(password, hash)
    }

    async fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        let mut inner = self.lock();
        match inner.next_commit.take() {
            Some(error) => Err(error),
            None => inner.state.commit(changes),
        }
    }

    fn moment(&self) -> Moment {
        let mut inner = self.lock();
        inner.moments += 1;
        let seed = hmac_sha256(&inner.seed, &[b"moment", &inner.moments.to_be_bytes()]);
        Moment { now: inner.now, entropy: Entropy::new(seed) }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::Future, pin::pin, task};

    use super::*;
    use crate::{
        domain::Money,
        store::{ClaimChange, EntryKind},
    };

    /// The host never waits, so that one poll is enough.
    fn now<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut task::Context::from_waker(task::Waker::noop())) {
            task::Poll::Ready(value) => value,
            task::Poll::Pending => panic!("the host in memory waits for nothing"),
        }
    }

    #[test]
    fn a_seed_gives_one_run() {
        let run = |seed| {
            let host = MemoryHost::seeded(seed);
            (host.moment().entropy.hex(), host.moment().entropy.hex(), now(host.ids(3)))
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7).0, run(8).0);
        assert_ne!(run(7).0, run(7).1);
    }

    #[test]
    fn a_commit_that_fails_at_its_end_leaves_nothing() {
        let host = MemoryHost::seeded(1);
        let claim = Claim {
            scope: "store/1".into(),
            owner: None,
            key: "k".into(),
            fingerprint: String::new(),
            holder: "me".into(),
            answer: None,
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
        let take = Changes { at: host.now(), claim: Some(ClaimChange::Take(claim)), ..Changes::default() };
        let no_such_store = Changes { ledger: vec![entry], ..take.clone() };
        assert_eq!(now(host.commit(&no_such_store)), Err(HostError::Conflict));
        assert_eq!(now(host.claim("store/1", "k")), Ok(None));
        assert_eq!(now(host.commit(&take)), Ok(()));
        assert_eq!(now(host.commit(&take)), Err(HostError::Conflict), "somebody holds it");
        host.advance(Duration::minutes(1));
        assert_eq!(now(host.commit(&Changes { at: host.now(), ..take })), Ok(()), "it has ended");
    }
}
