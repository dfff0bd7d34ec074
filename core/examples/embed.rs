//! Implements a host with in-memory maps and processes an order from creation to completion:
//! `cargo run -p despacho-core --example embed`.
#![expect(clippy::panic, reason = "the example stops at the first error")]

use std::{cell::RefCell, collections::BTreeMap, ops::RangeInclusive, sync::Arc, task};

use despacho_core::{
    changes::*,
    drivers::dispatch,
    host::*,
    model::{audit::*, courier::*, order::*, privacy::*, store::*, tariff::*, webhook::*, *},
    rules::{lifecycle::Timing, limits::*, password, settings::Settings},
};
use serde_json::{Value, json};

type Rows<T> = Result<Vec<T>, HostError>;
type Cells = RangeInclusive<Cell>;
type After = Option<(Cell, CourierId)>;

#[derive(Clone, Default)]
struct Tables {
    stores: BTreeMap<StoreId, Store>,
    balances: BTreeMap<StoreId, Money>,
    keys: BTreeMap<KeyId, Key>,
    orders: BTreeMap<OrderId, Order>,
    couriers: BTreeMap<CourierId, Courier>,
    positions: BTreeMap<CourierId, Position>,
    events: Vec<RecordedEvent>,
}

#[derive(Default)]
struct Maps {
    tables: RefCell<Tables>,
    buckets: RefCell<BTreeMap<String, TheoreticalArrival>>,
    counter: std::cell::Cell<u64>,
}

/// Writes a row; `false` if the stored version is not the expected one.
fn put<K: Ord, V: Versioned>(rows: &mut BTreeMap<K, V>, id: K, row: &Write<V>) -> bool {
    row.apply(rows.get(&id))
        .map(|row| rows.insert(id, row))
        .is_some()
}

impl Tables {
    /// Applies a transaction. Returns `None` on a conflict. A real host also enforces unique CNPJs,
    /// emails and key hashes.
    fn apply(&mut self, changes: &Changes) -> Option<()> {
        let mut is_current = changes
            .stores
            .iter()
            .all(|row| put(&mut self.stores, row.value.id, row));
        is_current &= changes
            .keys
            .iter()
            .all(|row| put(&mut self.keys, row.value.id, row));
        is_current &= changes
            .orders
            .iter()
            .all(|row| put(&mut self.orders, row.value.id, row));
        is_current &= changes
            .couriers
            .iter()
            .all(|row| put(&mut self.couriers, row.value.id, row));
        for order in changes
            .orders
            .iter()
            .map(|row| &row.value)
            .filter(|order| order.status.holds_code())
        {
            is_current &= self.find(OrderQuery::Code(order.store, &order.code)).len() == 1;
        }
        for position in &changes.positions {
            if self
                .positions
                .get(&position.courier)
                .is_none_or(|known| known.at < position.at)
            {
                self.positions.insert(position.courier, *position);
            }
        }
        for (id, event) in (self.events.len() as u64 + 1..).zip(&changes.events) {
            self.events.push(RecordedEvent {
                id: EventId::new(id)?,
                event: event.clone(),
            });
        }
        for entry in &changes.ledger {
            let account = entry
                .account
                .or(self.stores.get(&entry.store).map(Store::account))?;
            let balance = self.balances.entry(account).or_default();
            *balance = Money::from_centavos(balance.centavos() + entry.amount.centavos())?;
            is_current &= entry.floor.is_none_or(|floor| *balance >= floor);
        }
        is_current.then_some(())
    }

    fn find(&self, query: OrderQuery<'_>) -> Vec<Order> {
        query.scan(
            self.orders.values(),
            |id| self.stores.get(&id),
            &Timing::default(),
        )
    }

    fn store(&self, store: &Store) -> Store {
        Store {
            balance: self
                .balances
                .get(&store.account())
                .copied()
                .unwrap_or_default(),
            ..store.clone()
        }
    }

    fn couriers(&self) -> impl Iterator<Item = Courier> {
        self.couriers
            .values()
            .map(|courier| match self.positions.get(&courier.id) {
                Some(known) => Courier {
                    position: Some(known.point),
                    position_at: Some(known.at),
                    ..courier.clone()
                },
                None => courier.clone(),
            })
    }
}

/// Defines queries that return empty results. This host has no users, stored tariffs, reports,
/// audit log, photos, journal, notifications, statements, webhooks or idempotency keys.
macro_rules! empty {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        $(async fn $name(&self, $(_: $argument),*) -> Result<$result, HostError> { Ok(Default::default()) })*
    };
}

impl Storage for Maps {
    async fn find_keys(&self, query: KeyQuery<'_>) -> Rows<Arc<KeyHolder>> {
        let tables = self.tables.borrow();
        let holder = |key: &Key| KeyHolder {
            store: tables.store(&tables.stores[&key.store]),
            key: key.clone(),
            tariff_revision: 0,
        };
        Ok(query
            .scan(tables.keys.values())
            .into_iter()
            .map(holder)
            .map(Arc::new)
            .collect())
    }
    async fn find_stores(&self, query: StoreQuery<'_>) -> Rows<Store> {
        let tables = self.tables.borrow();
        Ok(query
            .scan(tables.stores.values())
            .into_iter()
            .map(|store| tables.store(store))
            .collect())
    }
    async fn find_orders(&self, query: OrderQuery<'_>) -> Rows<Order> {
        Ok(self.tables.borrow().find(query))
    }
    async fn searching_orders(
        &self,
        after: Option<(Timestamp, OrderId)>,
        limit: u32,
    ) -> Rows<SearchingOrder> {
        Ok(SearchingOrder::scan(
            self.tables.borrow().orders.values(),
            after,
            limit,
            &Timing::default(),
        ))
    }
    async fn events(&self, order: OrderId) -> Rows<RecordedEvent> {
        Ok(self
            .tables
            .borrow()
            .events
            .iter()
            .filter(|one| one.event.order == order)
            .cloned()
            .collect())
    }
    async fn find_couriers(&self, query: CourierQuery<'_>) -> Rows<Courier> {
        let tables = self.tables.borrow();
        Ok(query.scan(tables.couriers(), |id| tables.orders.get(&id)))
    }
    async fn candidates(
        &self,
        cells: Cells,
        after: After,
        since: Timestamp,
        limit: u32,
    ) -> Rows<Candidate> {
        let tables = self.tables.borrow();
        let placed = tables
            .couriers()
            .filter_map(|courier| Some((Candidate::of(&courier)?, courier.position_at?)));
        Ok(Candidate::scan(placed, &cells, after, since, limit))
    }
    async fn ids(&self, count: u32) -> Result<IdBlock, HostError> {
        let last = self.counter.replace(self.counter.get() + u64::from(count));
        Ok(IdBlock::new(last + 1, count.into()))
    }
    async fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        let mut next = self.tables.borrow().clone();
        next.apply(changes).ok_or(HostError::Conflict)?;
        self.tables.replace(next);
        Ok(())
    }
    empty! {
        find_users(UserQuery<'_>) -> Vec<User>;
        audit(AuditQuery) -> Vec<AuditRecord>;
        find_tariffs(TariffQuery<'_>) -> Vec<StoredTariff>;
        tariff_schedule(Option<u64>) -> Arc<TariffSchedule>;
        order_prices(PriceQuery) -> PricePage;
        reported_orders(&OrderFilter, u32) -> Vec<ReportedOrder>;
        journal(Journal, u64, u32) -> Vec<JournalEntry>;
        journal_span(Journal) -> JournalSpan;
        notifications(StoreId, Option<NotificationId>, u32) -> Vec<Notification>;
        statement(StoreId, StatementQuery<'_>) -> Vec<StatementLine>;
        find_webhooks(WebhookQuery) -> Vec<Webhook>;
        messages(WebhookId) -> Vec<Message>;
        find_attempts(AttemptQuery) -> Vec<RecordedAttempt>;
        claim(&str, &str) -> Option<Claim>;
        tracking_link(&KeyHash) -> Option<TrackingLink>;
        blob(PhotoId) -> Option<Blob>;
        personal_data(&PersonalQuery) -> PersonalData;
        usage(UsageQuery<'_>) -> StorageUsage;
        figures(Timestamp, Timestamp) -> Figures;
    }
}

impl Platform for Maps {
    /// Uses a fixed time and a counter. A real host uses the system's clock and 32 random bytes.
    fn exec_context(&self) -> ExecContext {
        self.counter.set(self.counter.get() + 1);
        let entropy = Entropy::new(hmac_sha256(&[7; 32], &[&self.counter.get().to_be_bytes()]));
        ExecContext {
            now: Timestamp::from_millis(1_795_262_400_000),
            entropy,
        }
    }
    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
        let (admission, next) = bucket.admit(self.buckets.borrow().get(&bucket.name).copied(), now);
        self.buckets
            .borrow_mut()
            .extend(next.map(|next| (bucket.name.clone(), next)));
        Ok(admission)
    }
    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
        password::hash(password, salt).map_err(HostError::internal)
    }
    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        password::verify(password, hash).map_err(HostError::internal)
    }
}

/// Completes a future with a single poll, which works because this host never waits. A real host
/// needs an async runtime.
fn run<T>(future: impl Future<Output = T>) -> T {
    match std::pin::pin!(future).poll(&mut task::Context::from_waker(task::Waker::noop())) {
        task::Poll::Ready(output) => output,
        task::Poll::Pending => panic!("future is pending"),
    }
}

pub(crate) fn main() {
    let settings = Settings {
        operator: Some(KeyHash::of("operator")),
        ..Settings::default()
    };
    let host = Maps::default();
    let send = |token: &str, line: &str, body: Value| -> Value {
        let (method, path) = line.split_once(' ').unwrap_or_default();
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("x-api-token", token);
        let request = request
            .header("content-type", "application/json")
            .body(body.to_string().into());
        let response = run(despacho_core::api::handle(
            &host,
            &settings,
            request.unwrap_or_default(),
        ));
        assert!(
            response.status().is_success(),
            "{line}: {:?}",
            response.body()
        );
        serde_json::from_slice(response.body()).unwrap_or_default()
    };
    let address = json!({ "street": "Rua Augusta", "number": "9", "city": "São Paulo", "state": "SP", "latitude": -23.55, "longitude": -46.65 });
    let store = json!({ "cnpj": "11.222.333/0001-81", "marketplaceBranchId": 3, "name": "Empório Central", "email": "ana@emporio.example", "address": address,
        "responsible": { "name": "Ana Souza", "phone": "+5511999990000" }, "password": "correct horse battery" });
    let store = send("operator", "POST /admin/matrices", store);
    let courier = send(
        "operator",
        "POST /admin/couriers",
        json!({ "name": "Bruno", "phone": "+5511990000011" }),
    );
    let [store, courier] =
        [&store, &courier].map(|created| created["value"].as_str().unwrap_or_default());
    send(
        courier,
        "POST /courier/position",
        json!({ "latitude": -23.56, "longitude": -46.657 }),
    );
    send(
        courier,
        "POST /courier/availability",
        json!({ "available": true }),
    );
    let stop = json!({ "name": "Maria", "phone": "+5511999990001", "address": address, "onlinePayment": true });
    let order = json!({ "code": "A-1", "preparationTime": 0, "deliveries": [stop] });
    let order = send(store, "POST /delivery/orders", order);
    assert_eq!(
        run(dispatch::run_pass(
            &host,
            &settings,
            &mut host.exec_context()
        ))
        .map(|done| done.allocated),
        Ok(1)
    );
    for step in ["arrive", "pickup", "en-route", "at-door", "deliver"] {
        let at_stop = json!({ "deliveryId": order["deliveries"][0]["id"] });
        let body = if step == "pickup" {
            json!({ "code": order["pickupCode"] })
        } else {
            at_stop
        };
        send(
            courier,
            &format!("POST /courier/orders/{}/{step}", order["id"]),
            body,
        );
    }
    let order = send(
        store,
        &format!("GET /delivery/orders/{}", order["id"]),
        Value::Null,
    );
    assert_eq!(order["situation"], OrderStatus::Completed.number());
}
