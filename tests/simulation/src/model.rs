//! The reference model, which is compared with the service after each step.
//!
//! It applies each event of the merchants' journals by the published table, and tracks statuses,
//! codes, balances, versions and assignments itself. It uses the core's stored data, but none of
//! its rules.

use std::collections::{BTreeMap, BTreeSet};

use despacho_core::model::{
    CourierId, OrderId, StoreId,
    courier::Courier,
    order::{Eta, JournalEntry, Order},
};

use crate::{
    backend::{Backend, centavos},
    schedule,
    service::Commit,
    table::Table,
    tracked_order::TrackedOrder,
    trips::Trips,
};

/// The result of a check. The error describes the violation.
pub(crate) type CheckResult = Result<(), String>;

/// A store in the model.
#[derive(Clone, Debug)]
pub(crate) struct KnownStore {
    pub(crate) matrix: StoreId,
    /// The store whose balance pays: itself, or the prepaid parent store for its branches, as
    /// published.
    pub(crate) account: StoreId,
    pub(crate) floor: Option<i64>,
    pub(crate) removed: bool,
    version: u32,
}

/// An event of a merchant's journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JournalEvent {
    pub(crate) event: u64,
    pub(crate) order: OrderId,
    pub(crate) store: StoreId,
    pub(crate) sequence: u32,
    pub(crate) kind: &'static str,
}

/// The state of the model.
#[derive(Default)]
pub(crate) struct Model {
    table: Table,
    pub(crate) stores: BTreeMap<StoreId, KnownStore>,
    pub(crate) orders: BTreeMap<OrderId, TrackedOrder>,
    pub(crate) couriers: BTreeMap<CourierId, (u32, bool)>,
    pub(crate) trips: Trips,
    /// The journals by parent store. An event's position is its index plus one.
    pub(crate) journals: BTreeMap<StoreId, Vec<JournalEvent>>,
    entries: BTreeMap<StoreId, usize>,
    balances: BTreeMap<StoreId, i64>,
    /// The IDs of orders and deliveries, which are unique.
    ids: BTreeSet<u64>,
}

impl Model {
    /// Creates the model of an empty service.
    pub(crate) fn new() -> Result<Model, String> {
        Ok(Model {
            table: Table::published()?,
            ..Model::default()
        })
    }

    /// Applies new commits and compares the changed data.
    pub(crate) fn apply_commits(&mut self, backend: &Backend, commits: &[Commit]) -> CheckResult {
        let (mut orders, mut stores, mut couriers) =
            (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        for changes in commits.iter().map(|commit| &commit.changes) {
            for write in &changes.stores {
                self.apply_store(write.value.id, &write.value, write.expected)?;
                stores.insert(write.value.id);
            }
            changes
                .couriers
                .iter()
                .for_each(|write| *couriers.entry(write.value.id).or_insert(0) += 1);
            for write in &changes.orders {
                *orders.entry(write.value.id).or_insert(0) += 1;
                // Without an event, a step counts a wrong code or stores the first estimate.
                if changes.events.is_empty() && write.expected > 0 {
                    let tracked = self.orders.get_mut(&write.value.id);
                    let is_estimate = |eta: &Eta| eta.at == changes.at;
                    let is_new = write.value.eta.as_ref().is_some_and(is_estimate);
                    let tracked =
                        tracked.filter(|tracked| !is_new || tracked.row.eta == write.value.eta);
                    tracked.map_or(Ok(()), |tracked| {
                        tracked.count_wrong_code(changes.at.millis())
                    })?;
                }
            }
            stores.extend(
                changes
                    .ledger
                    .iter()
                    .flat_map(|entry| [Some(entry.store), entry.account])
                    .flatten(),
            );
            stores.extend(changes.top_ups.iter().map(|top_up| top_up.store));
        }
        for matrix in self
            .stores
            .values()
            .map(|store| store.matrix)
            .collect::<BTreeSet<_>>()
        {
            self.apply_journal(backend, matrix)?;
        }
        orders
            .iter()
            .try_for_each(|(id, touches)| self.check_order(backend, *id, *touches))?;
        couriers
            .iter()
            .try_for_each(|(id, touches)| self.check_courier(backend, *id, *touches))?;
        if !orders.is_empty() || !couriers.is_empty() {
            self.check_assignments(backend)?;
            self.check_order_codes()?;
        }
        // One request can expire a branch's orders and then remove the branch, in two commits of
        // one step.
        let removed = |id: &StoreId| self.stores.get(id).is_some_and(|store| store.removed);
        let open =
            |tracked: &&TrackedOrder| tracked.status < 500 && stores.contains(&tracked.row.store);
        if let Some(open) = self
            .orders
            .values()
            .filter(open)
            .find(|tracked| removed(&tracked.row.store))
        {
            return Err(format!(
                "store {} was removed while order {} was open",
                open.row.store, open.row.id
            ));
        }
        stores
            .iter()
            .try_for_each(|id| self.check_ledger(backend, *id))
    }

    /// Compares all data.
    pub(crate) fn compare_all(&mut self, backend: &Backend) -> CheckResult {
        let stored: BTreeMap<OrderId, Order> = backend
            .memory
            .orders()
            .into_iter()
            .map(|order| (order.id, backend.shown(order)))
            .collect();
        for (id, order) in &stored {
            let tracked = self
                .orders
                .get(id)
                .ok_or_else(|| format!("order {id} is stored without an event"))?;
            if tracked.row != *order {
                return Err(format!("order {id} changed without a commit"));
            }
        }
        let lost = self.orders.keys().find(|id| !stored.contains_key(id));
        lost.map_or(Ok(()), |lost| Err(format!("order {lost} has disappeared")))?;
        self.check_assignments(backend)?;
        self.check_order_codes()?;
        self.stores
            .keys()
            .copied()
            .collect::<Vec<_>>()
            .into_iter()
            .try_for_each(|id| self.check_ledger(backend, id))
    }

    /// Returns whether a store may access another: itself, or a branch of the parent store.
    pub(crate) fn can_access(&self, viewer: StoreId, owner: StoreId) -> bool {
        let existing = self.stores.get(&owner).filter(|store| !store.removed);
        viewer == owner || existing.is_some_and(|store| store.matrix == viewer)
    }

    fn apply_store(
        &mut self,
        id: StoreId,
        value: &despacho_core::model::store::Store,
        expected: u32,
    ) -> CheckResult {
        let known = self.stores.get(&id).map_or(0, |known| known.version);
        if known != expected {
            return Err(format!(
                "store {id} was written over version {expected}, but version {known} was stored"
            ));
        }
        let removed = value.deleted_at.is_some();
        let matrix = value.parent.unwrap_or(id);
        // A branch has its parent's billing, regardless of its own row.
        let own = || value.billing.floor().map(centavos);
        let floor = self
            .stores
            .get(&matrix)
            .filter(|_| matrix != id)
            .map_or_else(own, |parent| parent.floor);
        let account = if floor.is_some() { matrix } else { id };
        self.stores.insert(
            id,
            KnownStore {
                matrix,
                account,
                floor,
                removed,
                version: expected + 1,
            },
        );
        Ok(())
    }

    /// Applies the new events of a journal.
    fn apply_journal(&mut self, backend: &Backend, matrix: StoreId) -> CheckResult {
        let known = self.journals.entry(matrix).or_default().len() as u64;
        for entry in backend.journal(matrix, known) {
            let events = self.journals.entry(matrix).or_default();
            if entry.position != events.len() as u64 + 1 {
                return Err(format!(
                    "journal {matrix}: position {} follows {}",
                    entry.position,
                    events.len()
                ));
            }
            let event = &entry.recorded.event;
            events.push(JournalEvent {
                event: entry.recorded.id.get(),
                order: event.order,
                store: event.store,
                sequence: event.sequence,
                kind: event.kind.name(),
            });
            let (store, owner) = (
                event.store,
                self.stores.get(&event.store).map(|store| store.matrix),
            );
            if owner != Some(matrix) {
                return Err(format!(
                    "journal {matrix} has an event of another merchant's store {store}"
                ));
            }
            self.apply_event(backend, &entry)?;
        }
        Ok(())
    }

    fn apply_event(&mut self, backend: &Backend, entry: &JournalEntry) -> CheckResult {
        let event = &entry.recorded.event;
        let (id, kind) = (event.order, event.kind.name());
        if kind == "order.created" {
            return self.apply_creation(backend, entry);
        }
        let rows = self.table.rows(kind).to_vec();
        let tracked = self
            .orders
            .get_mut(&id)
            .ok_or_else(|| format!("{kind} of order {id}, which was not created"))?;
        if event.sequence as usize != tracked.after.len() + 1 {
            return Err(format!(
                "order {id}: event {} follows {}",
                event.sequence,
                tracked.after.len()
            ));
        }
        let before = tracked.clone();
        let stop = event.delivery.map(despacho_core::model::DeliveryId::get);
        let next = rows
            .iter()
            .find_map(|row| tracked.apply_row(row, stop, event.status));
        let (status, stops) = next.ok_or_else(|| {
            let (at, stops) = (before.status, &before.stops);
            format!(
                "order {id} with status {at} {stops:?}: the table has no {kind} to {} of {stop:?}",
                event.status
            )
        })?;
        (tracked.status, tracked.stops) = (status, stops);
        tracked.after.push(status);
        tracked.kinds.push(kind);
        tracked.apply_effects(backend, kind, stop, event.at.millis())
    }

    fn apply_creation(&mut self, backend: &Backend, entry: &JournalEntry) -> CheckResult {
        let event = &entry.recorded.event;
        let id = event.order;
        let row = backend
            .order(id)
            .ok_or_else(|| format!("order {id} has an event, but is not stored"))?;
        if event.sequence != 1 || self.orders.contains_key(&id) {
            return Err(format!(
                "order {id} was created twice, as event {}",
                event.sequence
            ));
        }
        let rows = self.table.rows("order.created");
        if !rows.iter().any(|row| row.to == Some(event.status)) {
            return Err(format!(
                "order {id} was created with status {}",
                event.status
            ));
        }
        schedule::check_new(&row, event.status)?;
        let stops: Vec<_> = row
            .deliveries
            .iter()
            .map(|stop| (stop.id.get(), 150, stop.online_payment))
            .collect();
        let mut ids = std::iter::once(id.get()).chain(stops.iter().map(|stop| stop.0));
        if let Some(duplicate) = ids.find(|id| !self.ids.insert(*id)) {
            return Err(format!("order {id}: the ID {duplicate} is already used"));
        }
        self.orders
            .insert(id, TrackedOrder::new(row, event.status, stops));
        Ok(())
    }

    /// Compares an order that `touches` commits wrote.
    fn check_order(&mut self, backend: &Backend, id: OrderId, touches: u32) -> CheckResult {
        let row = backend
            .order(id)
            .ok_or_else(|| format!("order {id} was committed, but is not stored"))?;
        let tracked = self
            .orders
            .get_mut(&id)
            .ok_or_else(|| format!("order {id} was stored without an event"))?;
        let stops: Vec<_> = row
            .deliveries
            .iter()
            .map(|stop| (stop.id.get(), stop.status.number(), stop.online_payment))
            .collect();
        let existing = (row.status.number(), &stops, row.last_sequence as usize);
        let expected = (tracked.status, &tracked.stops, tracked.after.len());
        if existing != expected {
            return Err(format!(
                "order {id} is stored as {existing:?}, but its events result in {expected:?}"
            ));
        }
        if row.version != tracked.row.version + touches {
            let before = tracked.row.version;
            return Err(format!(
                "order {id} has version {} after {touches} commits to version {before}",
                row.version
            ));
        }
        if row.tries.wrong != tracked.wrong {
            return Err(format!(
                "order {id} counts {} wrong codes, but {} were given",
                row.tries.wrong, tracked.wrong
            ));
        }
        tracked.check_immutable(&row)?;
        schedule::check_ready_time(tracked, &row)?;
        tracked.row = row;
        Ok(())
    }

    fn check_courier(&mut self, backend: &Backend, id: CourierId, touches: u32) -> CheckResult {
        let row = backend
            .courier(id)
            .ok_or_else(|| format!("courier {id} was committed, but is not stored"))?;
        let (version, sandbox) = self.couriers.entry(id).or_insert((0, row.sandbox));
        if (row.version, row.sandbox) != (*version + touches, *sandbox) {
            return Err(format!(
                "{touches} commits after version {version}, sandbox {sandbox}: {row:?}"
            ));
        }
        *version = row.version;
        Ok(())
    }

    /// Checks that each order is in at most one trip, that both rows agree, and the limits of the
    /// trips.
    fn check_assignments(&mut self, backend: &Backend) -> CheckResult {
        let couriers: Vec<Courier> = self
            .couriers
            .keys()
            .filter_map(|id| backend.courier(*id))
            .collect();
        self.trips.check(&self.orders, &couriers)
    }

    /// Checks that no two open orders of a store have the same code.
    fn check_order_codes(&self) -> CheckResult {
        let mut held = BTreeMap::new();
        for tracked in self.orders.values().filter(|tracked| tracked.status < 520) {
            let (store, code, id) = (tracked.row.store, tracked.row.code.as_str(), tracked.row.id);
            if let Some(other) = held.insert((store, code), id) {
                return Err(format!(
                    "orders {other} and {id} of store {store} both have the code {code}"
                ));
            }
        }
        Ok(())
    }

    /// Checks that the balance of a store's account is the sum of its entries, and that each
    /// order's entries are its cost.
    fn check_ledger(&mut self, backend: &Backend, id: StoreId) -> CheckResult {
        let Some(known) = self.stores.get(&id) else {
            return Err(format!("store {id} is unknown"));
        };
        let account = known.account;
        let entries = backend.memory.ledger(account);
        let sum = entries
            .iter()
            .map(|entry| centavos(entry.amount))
            .sum::<i64>();
        if known.removed && account == id && sum != 0 {
            return Err(format!(
                "store {id} was removed with a balance of {sum} centavos"
            ));
        }
        if let Some(store) = backend.store(id) {
            let balance = centavos(store.balance);
            if balance != sum {
                return Err(format!(
                    "store {id} has {balance} centavos, but the sum of its entries is {sum}"
                ));
            }
            // A floor limits only debits. A store without a top-up can already be below it.
            let before = self.balances.insert(account, balance).unwrap_or_default();
            if known
                .floor
                .is_some_and(|floor| balance < floor && balance < before)
            {
                return Err(format!(
                    "store {id} was debited to {balance} centavos, below its floor of {:?}",
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
        for tracked in self
            .orders
            .values()
            .filter(|tracked| tracked.row.store == id)
        {
            let (order, sum) = (
                tracked.row.id,
                booked.remove(&tracked.row.id).unwrap_or_default(),
            );
            if sum != tracked.due {
                return Err(format!(
                    "order {order} has entries of {sum} centavos, but its lifecycle costs {}",
                    tracked.due
                ));
            }
        }
        match booked.first_key_value() {
            Some((order, _)) => Err(format!(
                "store {id} has entries for order {order} of another store"
            )),
            None => Ok(()),
        }
    }
}
