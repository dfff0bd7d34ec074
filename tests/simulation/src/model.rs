//! The reference model: what must be so, kept beside the service and compared with it after each step.
//!
//! It follows the merchants' journals event by event by the published table, and keeps its own account of situations, codes, money,
//! versions and who has which order. From the core it takes no rule, only what is stored.

use std::collections::{BTreeMap, BTreeSet};

use despacho_core::model::{
    CourierId, OrderId, StoreId,
    order::{JournalEntry, Order},
};

use crate::{
    backend::{Backend, centavos},
    service::Committed,
    table::{Row, Situation, Table, derived},
};

/// What is wrong.
pub(crate) type Checked = Result<(), String>;

/// Minutes after the first courier in which a merchant cancels free of charge, as published.
const FREE_MINUTES: i64 = 2;
/// Wrong codes until the lock, and how long it holds, as published.
const TRIES: u32 = 5;
const LOCK_MS: i64 = 10 * 60_000;

/// An order's deliveries: number, where it stands, whether it is paid.
pub(crate) type Stops = Vec<(u64, Situation, bool)>;

/// A store as the model knows it.
#[derive(Clone, Debug)]
pub(crate) struct KnownStore {
    pub(crate) matrix: StoreId,
    /// The store whose balance pays: a prepaid parent's for its branches, as published.
    pub(crate) account: StoreId,
    pub(crate) floor: Option<i64>,
    pub(crate) removed: bool,
    version: u32,
}

/// An order as the model knows it.
#[derive(Clone, Debug)]
pub(crate) struct Tracked {
    /// The row as its creation left it.
    pub(crate) first: Order,
    /// The row as it stands.
    pub(crate) row: Order,
    pub(crate) status: Situation,
    /// Its deliveries: number, where it stands, whether it is paid.
    pub(crate) stops: Stops,
    /// Where the order stood after each of its events.
    pub(crate) after: Vec<Situation>,
    /// The kinds of its events.
    pub(crate) kinds: Vec<&'static str>,
    /// What its store's ledger must have for it: negative is a debit.
    due: i64,
    fee: i64,
    /// What late cancellations of stops took off the fee.
    cancelled_late: i64,
    first_allocated_ms: Option<i64>,
    wrong: u32,
    locked_until_ms: Option<i64>,
}

/// An event of a merchant's journal as it was first seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) event: u64,
    pub(crate) order: OrderId,
    pub(crate) store: StoreId,
    pub(crate) sequence: u32,
    pub(crate) kind: &'static str,
}

/// Everything that the model knows.
#[derive(Default)]
pub(crate) struct Model {
    table: Table,
    pub(crate) stores: BTreeMap<StoreId, KnownStore>,
    pub(crate) orders: BTreeMap<OrderId, Tracked>,
    pub(crate) couriers: BTreeMap<CourierId, (u32, bool)>,
    /// The journals, by matrix: the place of an event is where it stands, from 1.
    pub(crate) journals: BTreeMap<StoreId, Vec<Seen>>,
    entries: BTreeMap<StoreId, usize>,
    balances: BTreeMap<StoreId, i64>,
    /// Numbers that name something: each one thing.
    numbers: BTreeSet<u64>,
}

impl Model {
    /// A model of an empty service.
    pub(crate) fn new() -> Result<Model, String> {
        Ok(Model { table: Table::published()?, ..Model::default() })
    }

    /// Applies commits that just took place, and compares.
    pub(crate) fn follow(&mut self, backend: &Backend, commits: &[Committed]) -> Checked {
        let (mut orders, mut stores, mut couriers) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        for changes in commits.iter().map(|commit| &commit.changes) {
            for write in &changes.stores {
                self.store(write.value.id, &write.value, write.expected)?;
                stores.insert(write.value.id);
            }
            changes.couriers.iter().for_each(|write| *couriers.entry(write.value.id).or_insert(0) += 1);
            for write in &changes.orders {
                *orders.entry(write.value.id).or_insert(0) += 1;
                if changes.events.is_empty() && write.expected > 0 {
                    self.wrong_code(write.value.id, changes.at.millis())?;
                }
            }
            stores.extend(changes.ledger.iter().flat_map(|entry| [Some(entry.store), entry.account]).flatten());
            stores.extend(changes.top_ups.iter().map(|top_up| top_up.store));
        }
        for matrix in self.stores.values().map(|store| store.matrix).collect::<BTreeSet<_>>() {
            self.journal(backend, matrix)?;
        }
        orders.iter().try_for_each(|(id, touches)| self.order(backend, *id, *touches))?;
        couriers.iter().try_for_each(|(id, touches)| self.courier(backend, *id, *touches))?;
        if !orders.is_empty() || !couriers.is_empty() {
            self.allocation(backend)?;
            self.codes()?;
        }
        // One request may expire a branch's orders and then remove the branch, in two commits of one step.
        let removed = |id: &StoreId| self.stores.get(id).is_some_and(|store| store.removed);
        let open = |tracked: &&Tracked| tracked.status < 500 && stores.contains(&tracked.row.store);
        if let Some(open) = self.orders.values().filter(open).find(|tracked| removed(&tracked.row.store)) {
            return Err(format!("store {} was removed while order {} was open", open.row.store, open.row.id));
        }
        stores.iter().try_for_each(|id| self.money(backend, *id))
    }

    /// Compares everything, whatever was touched.
    pub(crate) fn compare_all(&mut self, backend: &Backend) -> Checked {
        let stored: BTreeMap<OrderId, Order> =
            backend.memory.orders().into_iter().map(|order| (order.id, backend.shown(order))).collect();
        for (id, order) in &stored {
            let tracked = self.orders.get(id).ok_or_else(|| format!("order {id} is there without an event"))?;
            if tracked.row != *order {
                return Err(format!("order {id} changed without a commit"));
            }
        }
        let lost = self.orders.keys().find(|id| !stored.contains_key(id));
        lost.map_or(Ok(()), |lost| Err(format!("order {lost} is gone")))?;
        self.allocation(backend)?;
        self.codes()?;
        self.stores.keys().copied().collect::<Vec<_>>().into_iter().try_for_each(|id| self.money(backend, id))
    }

    /// Whether a store sees another one: itself, and a matrix its branches.
    pub(crate) fn sees(&self, viewer: StoreId, owner: StoreId) -> bool {
        let existing = self.stores.get(&owner).filter(|store| !store.removed);
        viewer == owner || existing.is_some_and(|store| store.matrix == viewer)
    }

    fn store(&mut self, id: StoreId, value: &despacho_core::model::store::Store, expected: u32) -> Checked {
        let known = self.stores.get(&id).map_or(0, |known| known.version);
        if known != expected {
            return Err(format!("store {id} was written over version {expected}, and version {known} stood there"));
        }
        let removed = value.deleted_at.is_some();
        let matrix = value.parent.unwrap_or(id);
        // A branch has its parent's terms, whatever its own row says.
        let own = || value.billing.floor().map(centavos);
        let floor = self.stores.get(&matrix).filter(|_| matrix != id).map_or_else(own, |parent| parent.floor);
        let account = if floor.is_some() { matrix } else { id };
        self.stores.insert(id, KnownStore { matrix, account, floor, removed, version: expected + 1 });
        Ok(())
    }

    /// Takes the journal up where the model stands in it.
    fn journal(&mut self, backend: &Backend, matrix: StoreId) -> Checked {
        let seen = self.journals.entry(matrix).or_default().len() as u64;
        for entry in backend.journal(matrix, seen) {
            let places = self.journals.entry(matrix).or_default();
            if entry.position != places.len() as u64 + 1 {
                return Err(format!("journal {matrix}: place {} follows on {}", entry.position, places.len()));
            }
            let event = &entry.recorded.event;
            places.push(Seen {
                event: entry.recorded.id.get(),
                order: event.order,
                store: event.store,
                sequence: event.sequence,
                kind: event.kind.name(),
            });
            let (store, owner) = (event.store, self.stores.get(&event.store).map(|store| store.matrix));
            if owner != Some(matrix) {
                return Err(format!("journal {matrix} has an event of store {store}, which is another merchant's"));
            }
            self.event(backend, &entry)?;
        }
        Ok(())
    }

    fn event(&mut self, backend: &Backend, entry: &JournalEntry) -> Checked {
        let event = &entry.recorded.event;
        let (id, kind) = (event.order, event.kind.name());
        if kind == "order.created" {
            return self.created(backend, entry);
        }
        let rows = self.table.rows(kind).to_vec();
        let tracked = self.orders.get_mut(&id).ok_or_else(|| format!("{kind} of order {id}, which was not created"))?;
        if event.sequence as usize != tracked.after.len() + 1 {
            return Err(format!("order {id}: event {} follows on {}", event.sequence, tracked.after.len()));
        }
        let before = tracked.clone();
        let stop = event.delivery.map(despacho_core::model::DeliveryId::get);
        let taken = rows.iter().find_map(|row| tracked.taken(row, stop, event.status));
        let (status, stops) = taken.ok_or_else(|| {
            let (at, stops) = (before.status, &before.stops);
            format!("order {id} at {at} {stops:?}: the table has no {kind} to {} of {stop:?}", event.status)
        })?;
        (tracked.status, tracked.stops) = (status, stops);
        tracked.after.push(status);
        tracked.kinds.push(kind);
        tracked.consequences(backend, kind, stop, event.at.millis())
    }

    fn created(&mut self, backend: &Backend, entry: &JournalEntry) -> Checked {
        let event = &entry.recorded.event;
        let id = event.order;
        let row = backend.order(id).ok_or_else(|| format!("order {id} has an event and is not there"))?;
        if event.sequence != 1 || self.orders.contains_key(&id) {
            return Err(format!("order {id} was created twice, as event {}", event.sequence));
        }
        let places = self.table.rows("order.created");
        if !places.iter().any(|place| place.to == Some(event.status)) {
            return Err(format!("order {id} begins at {}", event.status));
        }
        let stops: Vec<_> = row.deliveries.iter().map(|stop| (stop.id.get(), 150, stop.online_payment)).collect();
        let mut numbers = std::iter::once(id.get()).chain(stops.iter().map(|stop| stop.0));
        if let Some(twice) = numbers.find(|number| !self.numbers.insert(*number)) {
            return Err(format!("order {id}: the number {twice} names something else already"));
        }
        let fee = centavos(row.fee);
        let tracked = Tracked {
            first: row.clone(),
            row: Order { version: 0, ..row },
            status: event.status,
            stops,
            after: vec![event.status],
            kinds: vec!["order.created"],
            due: -fee,
            fee,
            cancelled_late: 0,
            first_allocated_ms: None,
            wrong: 0,
            locked_until_ms: None,
        };
        self.orders.insert(id, tracked);
        Ok(())
    }

    /// Compares an order that so many commits wrote.
    fn order(&mut self, backend: &Backend, id: OrderId, touches: u32) -> Checked {
        let row = backend.order(id).ok_or_else(|| format!("order {id} was committed and is not there"))?;
        let tracked = self.orders.get_mut(&id).ok_or_else(|| format!("order {id} was stored without an event"))?;
        let stops: Vec<_> =
            row.deliveries.iter().map(|stop| (stop.id.get(), stop.status.number(), stop.online_payment)).collect();
        let existing = (row.status.number(), &stops, row.last_sequence as usize);
        let wanted = (tracked.status, &tracked.stops, tracked.after.len());
        if existing != wanted {
            return Err(format!("order {id} stands at {existing:?}, and its events say {wanted:?}"));
        }
        if row.version != tracked.row.version + touches {
            let before = tracked.row.version;
            return Err(format!("order {id} is version {}, and {touches} commits wrote version {before}", row.version));
        }
        if row.tries.wrong != tracked.wrong {
            return Err(format!("order {id} counts {} wrong codes, and {} were given", row.tries.wrong, tracked.wrong));
        }
        tracked.unchanged(&row)?;
        tracked.row = row;
        Ok(())
    }

    fn courier(&mut self, backend: &Backend, id: CourierId, touches: u32) -> Checked {
        let row = backend.courier(id).ok_or_else(|| format!("courier {id} was committed and is not there"))?;
        let (version, sandbox) = self.couriers.entry(id).or_insert((0, row.sandbox));
        if (row.version, row.sandbox) != (*version + touches, *sandbox) {
            return Err(format!("{touches} commits after version {version}, sandbox {sandbox}: {row:?}"));
        }
        *version = row.version;
        Ok(())
    }

    /// Each courier has at most one order, each order at most one courier, and both agree, also on whether they are of a sandbox.
    fn allocation(&self, backend: &Backend) -> Checked {
        let mut has: BTreeMap<CourierId, OrderId> = BTreeMap::new();
        for tracked in self.orders.values().filter(|tracked| tracked.status < 500) {
            let (id, courier) = (tracked.row.id, tracked.row.courier.as_ref().map(|courier| courier.id));
            if courier.is_some() != (tracked.status >= 210) {
                return Err(format!("order {id} stands at {} with courier {courier:?}", tracked.status));
            }
            if let Some(other) = courier.and_then(|courier| has.insert(courier, id)) {
                return Err(format!("orders {other} and {id} have one courier, {courier:?}"));
            }
        }
        for (id, (_, sandbox)) in &self.couriers {
            let order = has.get(id).copied();
            let mixed = order.and_then(|order| self.orders.get(&order)).is_some_and(|one| one.row.sandbox != *sandbox);
            let carries = backend.courier(*id).and_then(|courier| courier.order);
            if carries != order || mixed {
                return Err(format!("courier {id}, sandbox {sandbox}, has {carries:?}, and the orders say {order:?}"));
            }
        }
        Ok(())
    }

    /// No code is held twice by a store.
    fn codes(&self) -> Checked {
        let mut held = BTreeMap::new();
        for tracked in self.orders.values().filter(|tracked| tracked.status < 520) {
            let (store, code, id) = (tracked.row.store, tracked.row.code.as_str(), tracked.row.id);
            if let Some(other) = held.insert((store, code), id) {
                return Err(format!("orders {other} and {id} of store {store} both hold the code {code}"));
            }
        }
        Ok(())
    }

    /// The balance that pays for a store is the sum of its entries, and each order's entries are what its lifecycle costs.
    fn money(&mut self, backend: &Backend, id: StoreId) -> Checked {
        let Some(known) = self.stores.get(&id) else { return Err(format!("store {id} is unknown")) };
        let account = known.account;
        let entries = backend.memory.ledger(account);
        let sum = entries.iter().map(|entry| centavos(entry.amount)).sum::<i64>();
        if known.removed && account == id && sum != 0 {
            return Err(format!("store {id} was removed with a balance of {sum} centavos"));
        }
        if let Some(store) = backend.store(id) {
            let balance = centavos(store.balance);
            if balance != sum {
                return Err(format!("store {id} has {balance} centavos, and its entries sum up to {sum}"));
            }
            // A floor holds debits up: a store that never paid anything in stands below it.
            let before = self.balances.insert(account, balance).unwrap_or_default();
            if known.floor.is_some_and(|floor| balance < floor && balance < before) {
                return Err(format!(
                    "store {id} went down to {balance} centavos, below its floor of {:?}",
                    known.floor
                ));
            }
        }
        if entries.len() < *self.entries.get(&account).unwrap_or(&0) {
            return Err(format!("store {account} lost entries of its ledger"));
        }
        self.entries.insert(account, entries.len());
        let mut booked: BTreeMap<OrderId, i64> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.store == id) {
            if let Some(order) = entry.order {
                *booked.entry(order).or_default() += centavos(entry.amount);
            }
        }
        for tracked in self.orders.values().filter(|tracked| tracked.row.store == id) {
            let (order, sum) = (tracked.row.id, booked.remove(&tracked.row.id).unwrap_or_default());
            if sum != tracked.due {
                return Err(format!("order {order} is booked at {sum} centavos, and its life says {}", tracked.due));
            }
        }
        match booked.first_key_value() {
            Some((order, _)) => Err(format!("store {id} is booked for order {order}, which is not its own")),
            None => Ok(()),
        }
    }

    /// A wrong code was counted: never while the lock holds.
    fn wrong_code(&mut self, id: OrderId, now_ms: i64) -> Checked {
        let Some(tracked) = self.orders.get_mut(&id) else { return Ok(()) };
        if tracked.locked_until_ms.is_some_and(|until| until > now_ms) {
            return Err(format!("order {id}: a code was looked at while codes were locked"));
        }
        tracked.wrong += 1;
        tracked.locked_until_ms = None;
        if tracked.wrong == TRIES {
            (tracked.wrong, tracked.locked_until_ms) = (0, Some(now_ms + LOCK_MS));
        }
        Ok(())
    }
}

impl Tracked {
    /// What late cancellations cost that took so much off the fee: half of it, half a centavo away from zero.
    fn late_fee(cancelled: i64) -> i64 {
        (cancelled + 1) / 2
    }

    /// Where a row of the table leads from here, where it leads to what the event says.
    fn taken(&self, row: &Row, stop: Option<u64>, states: Situation) -> Option<(Situation, Stops)> {
        let mut stops = self.stops.clone();
        let plain = |stops: &[(u64, Situation, bool)]| stops.iter().map(|one| (one.1, one.2)).collect::<Vec<_>>();
        if !row.delivery {
            if stop.is_some() || !row.from.contains(&self.status) {
                return None;
            }
            if let Some((from, to)) = &row.each {
                stops.iter_mut().filter(|one| from.contains(&one.1)).for_each(|one| one.1 = *to);
            }
            let next = row.to.unwrap_or_else(|| derived(&plain(&stops), true, true));
            return (next == states).then_some((next, stops));
        }
        let others = self.stops.iter().filter(|one| Some(one.0) != stop);
        // Two guards that the table says in words: one stop at a time, and never the last one.
        let current = others.clone().any(|one| matches!(one.1, 320 | 330));
        let waiting = others.clone().any(|one| one.1 == 150);
        if (row.to == Some(320) && current) || (row.to == Some(600) && !waiting) {
            return None;
        }
        let moved = stops.iter_mut().find(|one| Some(one.0) == stop)?;
        if !row.from.contains(&moved.1) || row.to != Some(states) {
            return None;
        }
        moved.1 = states;
        let status = match self.status {
            before if before < 300 => before,
            after => derived(&plain(&stops), after == 410, false),
        };
        Some((status, stops))
    }

    /// What an event does to money, to the free minutes and to the count of wrong codes.
    fn consequences(&mut self, backend: &Backend, kind: &str, stop: Option<u64>, at_ms: i64) -> Checked {
        let id = self.row.id;
        self.codes_looked_at(kind, stop, at_ms)?;
        match kind {
            "order.allocated" => {
                self.first_allocated_ms.get_or_insert(at_ms);
            }
            "delivery.cancelled" => {
                let fee = backend.order(id).map_or(0, |row| centavos(row.fee));
                if fee > self.fee {
                    return Err(format!("order {id} became dearer by losing a stop"));
                }
                if self.is_late(at_ms) {
                    self.cancelled_late += self.fee - fee;
                }
                (self.fee, self.due) = (fee, -fee - Self::late_fee(self.cancelled_late));
            }
            "order.expired" => self.due = 0,
            "order.cancelled" => {
                let late = self.is_late(at_ms);
                match self.status {
                    600 if late => return Err(format!("order {id} was cancelled free of charge too late")),
                    610 if !late => return Err(format!("order {id} was charged for a cancellation in time")),
                    // As much as if no stop had been cancelled late before.
                    610 => self.due = -Self::late_fee(self.cancelled_late + self.fee),
                    _ => self.due = 0,
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the free minutes are over. They do not begin again where the clock is set back.
    fn is_late(&self, at_ms: i64) -> bool {
        let first = self.first_allocated_ms;
        self.cancelled_late > 0 || first.is_some_and(|first| at_ms >= first + FREE_MINUTES * 60_000)
    }

    /// A right code is not looked at while codes are locked, and begins the count anew; so does another courier.
    fn codes_looked_at(&mut self, kind: &str, stop: Option<u64>, at_ms: i64) -> Checked {
        let queries = |stop: &&despacho_core::model::order::Delivery| {
            stop.confirmation.as_ref().is_some_and(|sent| sent.platform)
        };
        let requested = match kind {
            "order.picked_up" => true,
            "order.returned" => true,
            "delivery.delivered" => {
                let delivery = self.first.deliveries.iter().find(|delivery| Some(delivery.id.get()) == stop);
                delivery.filter(queries).is_some()
            }
            "order.courier_released" => {
                (self.wrong, self.locked_until_ms) = (0, None);
                return Ok(());
            }
            _ => return Ok(()),
        };
        if requested && self.locked_until_ms.is_some_and(|until| until > at_ms) {
            return Err(format!("order {}: {kind} while codes were locked", self.row.id));
        }
        if requested {
            (self.wrong, self.locked_until_ms) = (0, None);
        }
        Ok(())
    }

    /// What never changes once it was acknowledged.
    fn unchanged(&self, row: &Order) -> Checked {
        let fixed = |order: &Order| {
            let stops: Vec<_> = order.deliveries.iter().map(|stop| (stop.id, stop.delivery_code.clone())).collect();
            (order.store, order.code.clone(), order.fingerprint.clone(), order.created_at, order.origin.clone(), stops)
        };
        if fixed(row) != fixed(&self.first) {
            return Err(format!("order {} is not what it was when it was created", row.id));
        }
        if centavos(row.fee) == self.fee { Ok(()) } else { Err(format!("order {} has another fee", row.id)) }
    }
}
