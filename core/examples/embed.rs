//! Implements a host with in-memory maps and processes an order from creation to completion:
//! `cargo run -p despacho-core --example embed`.
#![expect(clippy::panic, reason = "the example stops at the first error")]

use std::{cell::RefCell, collections::BTreeMap, ops::RangeInclusive, sync::Arc, task};

use despacho_core::{
    changes::*,
    drivers::dispatch,
    host::*,
    model::{courier::*, order::*, store::*, *},
    settings::{Settings, Timing},
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
        reject_unsupported(changes)?;
        let mut next = self.tables.borrow().clone();
        next.apply(changes).ok_or(HostError::Conflict)?;
        self.tables.replace(next);
        Ok(())
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
}

/// Completes a future with a single poll, which works because this host never waits. A real host
/// needs an async runtime.
fn run<T>(future: impl Future<Output = T>) -> T {
    match std::pin::pin!(future).poll(&mut task::Context::from_waker(task::Waker::noop())) {
        task::Poll::Ready(output) => output,
        task::Poll::Pending => panic!("future is pending"),
    }
}

/// Sends a request to the core, and returns the response's status and JSON.
fn send(host: &Maps, settings: &Settings, token: &str, line: &str, body: Value) -> (u16, Value) {
    let (method, path) = line.split_once(' ').unwrap_or_default();
    let request = http::Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-token", token)
        .header("content-type", "application/json")
        .body(body.to_string().into())
        .unwrap_or_default();
    let response = run(despacho_core::api::handle(host, settings, request));
    let json = serde_json::from_slice(response.body()).unwrap_or_default();
    (response.status().as_u16(), json)
}

pub(crate) fn main() {
    let settings = Settings {
        operator: Some(KeyHash::of("operator")),
        ..Settings::default()
    };
    let host = Maps::default();
    let done = |token: &str, line: &str, body: Value| -> Value {
        let (status, json) = send(&host, &settings, token, line, body);
        assert!((200..300).contains(&status), "{line}: {status} {json}");
        json
    };

    // The operator creates a store and registers a courier. Each gets a key.
    let address = json!({
        "street": "Rua Augusta", "number": "9", "city": "São Paulo", "state": "SP",
        "latitude": -23.55, "longitude": -46.65,
    });
    let store = json!({
        "cnpj": "11.222.333/0001-81", "marketplaceBranchId": 3, "name": "Empório Central",
        "email": "ana@emporio.example", "password": "correct horse battery", "address": address,
        "responsible": { "name": "Ana Souza", "phone": "+5511999990000" },
    });
    let courier = json!({ "name": "Bruno", "phone": "+5511990000011" });
    let store = done("operator", "POST /admin/matrices", store);
    let courier = done("operator", "POST /admin/couriers", courier);
    let [store, courier] = [&store, &courier].map(|key| key["value"].as_str().unwrap_or_default());

    // The courier starts work, and the store submits an order that is ready.
    let place = json!({ "latitude": -23.56, "longitude": -46.657 });
    done(courier, "POST /courier/position", place);
    let available = json!({ "available": true });
    done(courier, "POST /courier/availability", available);
    let stop = json!({
        "name": "Maria", "phone": "+5511999990001", "onlinePayment": true, "address": address,
    });
    let order = json!({ "code": "A-1", "preparationTime": 0, "deliveries": [stop] });
    let order = done(store, "POST /delivery/orders", order);

    // A pass of dispatch assigns the order, and the courier takes each step.
    let pass = run(dispatch::run_pass(
        &host,
        &settings,
        &mut host.exec_context(),
    ));
    assert_eq!(pass.map(|pass| pass.allocated), Ok(1));
    for step in ["arrive", "pickup", "en-route", "at-door", "deliver"] {
        let body = match step {
            "pickup" => json!({ "code": order["pickupCode"] }),
            _ => json!({ "deliveryId": order["deliveries"][0]["id"] }),
        };
        let line = format!("POST /courier/orders/{}/{step}", order["id"]);
        done(courier, &line, body);
    }
    let line = format!("GET /delivery/orders/{}", order["id"]);
    let order = done(store, &line, Value::Null);
    assert_eq!(order["situation"], OrderStatus::Completed.number());

    // What the host leaves out is rejected by name.
    let line = "GET /delivery/notifications";
    let (status, problem) = send(&host, &settings, store, line, Value::Null);
    assert_eq!((status, &problem["code"]), (501, &json!("not_implemented")));
}
