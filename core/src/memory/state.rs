//! The data of the reference host, and the application of commits to it.

use super::table::{Table, Transactional};
use crate::{
    changes::{Changes, TariffChange, TariffWrite, Versioned, Write},
    host::{AuditQuery, HostError, StorageUsage},
    model::{
        AttemptId, CourierId, DeliveryId, EventId, KeyId, Money, OrderId, PayPlanId, PhotoId,
        StoreId, TariffId, Timestamp, UserId, WebhookId,
        audit::{AuditEntry, AuditRecord},
        cash::{CashBalance, RecordedCash},
        courier::{Candidate, Courier, Position},
        order::{Blob, Event, Order, RecordedEvent, TrackingLink},
        pay::{PayEntry, StoredPayPlan},
        privacy::ErasureRecord,
        store::{
            Claim, ClaimChange, Key, KeyHash, LedgerEntry, MAX_NOTIFICATIONS, Notification, Store,
            User,
        },
        tariff::StoredTariff,
        webhook::{Attempt, Message, Webhook},
    },
};

/// An entry of the ledger with the balance after it.
#[derive(Clone, Debug)]
pub(super) struct BookedEntry {
    pub(super) entry: LedgerEntry,
    pub(super) reference: Option<String>,
    pub(super) balance: Money,
}

/// All tables, with the indexes for unique values.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) stores: Table<StoreId, Store>,
    pub(super) balances: Table<StoreId, Money>,
    /// Removed stores, whose balances are fixed.
    pub(super) closed: Table<StoreId, ()>,
    pub(super) cnpjs: Table<String, StoreId>,
    pub(super) emails: Table<String, StoreId>,
    pub(super) users: Table<UserId, User>,
    pub(super) audit: Table<u64, AuditEntry>,
    pub(super) keys: Table<KeyId, Key>,
    pub(super) hashes: Table<KeyHash, KeyId>,
    pub(super) orders: Table<OrderId, Order>,
    pub(super) codes: Table<(StoreId, String), OrderId>,
    pub(super) couriers: Table<CourierId, Courier>,
    pub(super) courier_hashes: Table<KeyHash, CourierId>,
    pub(super) positions: Table<CourierId, Position>,
    pub(super) journal: Table<EventId, Event>,
    pub(super) histories: Table<(OrderId, u32), EventId>,
    /// Events by merchant and journal position.
    pub(super) journal_positions: Table<(StoreId, u64), EventId>,
    /// Entries by ID, with the store whose balance they changed.
    pub(super) ledger: Table<u64, (StoreId, BookedEntry)>,
    pub(super) references: Table<(StoreId, String), u64>,
    pub(super) webhooks: Table<WebhookId, Webhook>,
    pub(super) messages: Table<(WebhookId, String), Message>,
    pub(super) attempts: Table<AttemptId, Attempt>,
    pub(super) notifications: Table<(StoreId, u64), Notification>,
    pub(super) claims: Table<(String, String), Claim>,
    pub(super) erasures: Table<u64, ErasureRecord>,
    pub(super) links: Table<KeyHash, TrackingLink>,
    pub(super) blobs: Table<PhotoId, Blob>,
    pub(super) tariffs: Table<TariffId, StoredTariff>,
    pub(super) pay_plans: Table<PayPlanId, StoredPayPlan>,
    pub(super) pay: Table<u64, PayEntry>,
    /// Entries by [`PayEntry::unique_key`].
    pub(super) pay_keys: Table<String, u64>,
    pub(super) cash_balances: Table<(CourierId, StoreId), CashBalance>,
    pub(super) cash_entries: Table<u64, RecordedCash>,
    /// Deliveries whose payment was collected in cash.
    pub(super) cash_deliveries: Table<DeliveryId, ()>,
    /// One row: the number of changes to the tariffs.
    tariff_revision: Table<(), u64>,
    /// Usage of an owner of claims per hour.
    pub(super) claim_usage: Table<(String, i64), StorageUsage>,
}

impl State {
    /// Applies all changes or none.
    pub(super) fn commit(&mut self, changes: &Changes) -> Result<(), HostError> {
        let done = self.apply(changes);
        for table in self.tables() {
            if done.is_ok() {
                table.commit()
            } else {
                table.roll_back()
            }
        }
        done
    }

    /// Returns a store with the balance that pays for it.
    pub(super) fn store(&self, id: StoreId) -> Option<Store> {
        let store = self.stores.get(&id)?;
        Some(Store {
            balance: *self.balances.get(&store.account())?,
            ..store.clone()
        })
    }

    /// Returns entries of the audit log, newest first.
    pub(super) fn audit(&self, query: AuditQuery) -> Vec<AuditRecord> {
        let is_of = |store: Option<StoreId>| {
            query.store.is_none_or(|wanted| store == Some(wanted))
                && query.merchant.is_none_or(|wanted| {
                    store.is_some_and(|store| self.merchant_of(store) == wanted)
                })
        };
        let newest = self.audit.rows().iter().rev();
        let older = newest.filter(|(id, entry)| {
            query.before.is_none_or(|before| **id < before) && is_of(entry.store)
        });
        let page = older.take(query.limit as usize);
        page.map(|(id, entry)| AuditRecord {
            id: *id,
            entry: entry.clone(),
        })
        .collect()
    }

    /// Returns a courier with the position, which is stored separately.
    pub(super) fn courier(&self, id: CourierId) -> Option<Courier> {
        let (courier, position) = (self.couriers.get(&id)?.clone(), self.positions.get(&id));
        Some(Courier {
            position: position.map(|position| position.point),
            position_at: position.map(|position| position.at),
            ..courier
        })
    }

    /// Returns all couriers, sorted by ID.
    pub(super) fn couriers(&self) -> impl Iterator<Item = Courier> {
        self.couriers
            .rows()
            .keys()
            .filter_map(|id| self.courier(*id))
    }

    /// Returns the couriers that dispatch considers, with the times of their positions.
    pub(super) fn candidates(&self) -> impl Iterator<Item = (Candidate, Timestamp)> {
        self.couriers.rows().values().filter_map(|courier| {
            let position = self.positions.get(&courier.id)?;
            Some((Candidate::located(courier, position.point)?, position.at))
        })
    }

    /// Returns an order's history, oldest first.
    pub(super) fn events(&self, order: OrderId) -> Vec<RecordedEvent> {
        let ids = self.histories.rows().range((order, 0)..=(order, u32::MAX));
        ids.filter_map(|(_, id)| {
            Some(RecordedEvent {
                id: *id,
                event: self.journal.get(id)?.clone(),
            })
        })
        .collect()
    }

    fn tables(&mut self) -> [&mut dyn Transactional; 36] {
        [
            &mut self.stores,
            &mut self.balances,
            &mut self.closed,
            &mut self.cnpjs,
            &mut self.emails,
            &mut self.users,
            &mut self.audit,
            &mut self.keys,
            &mut self.hashes,
            &mut self.orders,
            &mut self.codes,
            &mut self.couriers,
            &mut self.courier_hashes,
            &mut self.positions,
            &mut self.journal,
            &mut self.histories,
            &mut self.journal_positions,
            &mut self.ledger,
            &mut self.references,
            &mut self.webhooks,
            &mut self.messages,
            &mut self.attempts,
            &mut self.notifications,
            &mut self.claims,
            &mut self.erasures,
            &mut self.blobs,
            &mut self.claim_usage,
            &mut self.links,
            &mut self.tariffs,
            &mut self.tariff_revision,
            &mut self.pay_plans,
            &mut self.pay,
            &mut self.pay_keys,
            &mut self.cash_balances,
            &mut self.cash_entries,
            &mut self.cash_deliveries,
        ]
    }

    fn apply(&mut self, changes: &Changes) -> Result<(), HostError> {
        changes
            .stores
            .iter()
            .try_for_each(|write| self.write_store(write))?;
        changes
            .keys
            .iter()
            .try_for_each(|write| self.write_key(write))?;
        changes
            .users
            .iter()
            .try_for_each(|write| self.write_user(write))?;
        changes
            .orders
            .iter()
            .try_for_each(|write| self.write_order(write))?;
        changes
            .couriers
            .iter()
            .try_for_each(|write| self.write_courier(write))?;
        changes
            .positions
            .iter()
            .for_each(|position| self.put_position(position));
        changes
            .events
            .iter()
            .try_for_each(|event| self.append_event(event))?;
        changes
            .links
            .iter()
            .for_each(|link| self.links.put(link.hash.clone(), link.clone()));
        changes
            .ledger
            .iter()
            .try_for_each(|entry| self.append_entry(entry))?;
        changes
            .top_ups
            .iter()
            .try_for_each(|top_up| self.book_top_up(top_up))?;
        changes
            .cash
            .iter()
            .try_for_each(|entry| self.book_cash(entry))?;
        changes
            .stores
            .iter()
            .try_for_each(|write| self.close_balance(write))?;
        self.apply_webhooks(changes)?;
        changes
            .notifications
            .iter()
            .for_each(|notification| self.put_notification(notification));
        for entry in &changes.audit {
            let last = self.audit.rows().last_key_value().map_or(0, |(id, _)| *id);
            self.audit.put(last + 1, entry.clone());
        }
        changes
            .claim
            .iter()
            .try_for_each(|change| self.change_claim(change, changes.at))?;
        changes
            .blobs
            .iter()
            .try_for_each(|blob| claim_value(&mut self.blobs, blob.id, blob.clone()))?;
        changes
            .removed_blobs
            .iter()
            .for_each(|id| self.blobs.remove(id));
        changes
            .tariffs
            .iter()
            .try_for_each(|write| self.write_tariff(write, changes.at))?;
        changes
            .pay_plans
            .iter()
            .try_for_each(|change| self.change_pay_plan(change, changes.at))?;
        changes
            .pay
            .iter()
            .try_for_each(|entry| self.append_pay(entry))?;
        changes
            .redactions
            .iter()
            .try_for_each(|redaction| self.redact(redaction))
    }

    fn write_store(&mut self, write: &Write<Store>) -> Result<(), HostError> {
        let (id, old) = (write.value.id, self.stores.get(&write.value.id).cloned());
        let store = Store {
            balance: Money::ZERO,
            ..apply(write, old.as_ref())?
        };
        let mut orders = self.orders.rows().values();
        if write.expected != 0
            && write.value.deleted_at.is_some()
            && orders.any(|order| order.store == id && !order.status.is_final())
        {
            return Err(HostError::Conflict);
        }
        if let Some(old) = old.filter(|old| old.deleted_at.is_none()) {
            self.cnpjs.remove(&old.cnpj.as_str().to_owned());
            self.emails.remove(&old.email.key());
        }
        if store.deleted_at.is_none() {
            claim_value(&mut self.cnpjs, store.cnpj.as_str().to_owned(), id)?;
            claim_value(&mut self.emails, store.email.key(), id)?;
            if self
                .users
                .rows()
                .values()
                .any(|user| user.removed_at.is_none() && user.email.key() == store.email.key())
            {
                return Err(HostError::Conflict);
            }
        }
        if write.expected == 0 {
            self.balances.put(id, Money::ZERO);
        }
        if write.expected == 0 && store.deleted_at.is_some() {
            self.closed.put(id, ());
        } else if store.deleted_at.is_none() {
            self.closed.remove(&id);
        }
        self.stores.put(id, store);
        Ok(())
    }

    fn write_user(&mut self, write: &Write<User>) -> Result<(), HostError> {
        let id = write.value.id;
        let user = apply(write, self.users.get(&id))?;
        let key = user.email.key();
        let has_email =
            |other: &User| other.id != id && other.removed_at.is_none() && other.email.key() == key;
        let is_new = write.expected == 0;
        let has_store = self
            .stores
            .get(&user.store)
            .is_some_and(|store| store.deleted_at.is_none());
        if (is_new && (!has_store || self.emails.get(&key).is_some()))
            || (user.removed_at.is_none() && self.users.rows().values().any(has_email))
        {
            return Err(HostError::Conflict);
        }
        self.users.put(id, user);
        Ok(())
    }

    /// Closes the balance of a removed store. Conflicts unless the balance is zero.
    fn close_balance(&mut self, write: &Write<Store>) -> Result<(), HostError> {
        let id = write.value.id;
        if write.expected == 0 || write.value.deleted_at.is_none() {
            return Ok(());
        }
        if self.balances.get(&id) != Some(&Money::ZERO) {
            return Err(HostError::Conflict);
        }
        self.closed.put(id, ());
        Ok(())
    }

    /// Returns the number of changes to the stored tariffs.
    pub(super) fn tariff_revision(&self) -> u64 {
        self.tariff_revision.get(&()).copied().unwrap_or_default()
    }

    fn write_tariff(&mut self, write: &TariffWrite, at: Timestamp) -> Result<(), HostError> {
        if self.tariff_revision() != write.revision {
            return Err(HostError::Conflict);
        }
        self.tariff_revision.put((), write.revision + 1);
        match &write.change {
            TariffChange::Insert(tariff) => {
                let version = &tariff.tariff.version;
                if self
                    .tariffs
                    .rows()
                    .values()
                    .any(|other| other.tariff.version == *version)
                {
                    return Err(HostError::Conflict);
                }
                claim_value(&mut self.tariffs, tariff.id, tariff.clone())
            }
            TariffChange::Remove(id) => {
                let is_scheduled = self
                    .tariffs
                    .get(id)
                    .is_some_and(|tariff| tariff.effective_from > at);
                self.tariffs.remove(id);
                if is_scheduled {
                    Ok(())
                } else {
                    Err(HostError::Conflict)
                }
            }
        }
    }

    fn write_key(&mut self, write: &Write<Key>) -> Result<(), HostError> {
        let (id, old) = (write.value.id, self.keys.get(&write.value.id).cloned());
        let key = apply(write, old.as_ref())?;
        if let Some(old) = old {
            self.hashes.remove(&old.hash);
        }
        claim_value(&mut self.hashes, key.hash.clone(), id)?;
        self.keys.put(id, key);
        Ok(())
    }

    fn write_order(&mut self, write: &Write<Order>) -> Result<(), HostError> {
        let (id, old) = (write.value.id, self.orders.get(&write.value.id).cloned());
        let order = apply(write, old.as_ref())?;
        if let Some(old) = old.filter(|old| old.status.holds_code()) {
            self.codes.remove(&(old.store, old.code));
        }
        if order.status.holds_code() {
            claim_value(&mut self.codes, (order.store, order.code.clone()), id)?;
        }
        self.orders.put(id, order);
        Ok(())
    }

    fn write_courier(&mut self, write: &Write<Courier>) -> Result<(), HostError> {
        let id = write.value.id;
        let old = self.couriers.get(&id).cloned();
        let courier = Courier {
            position: None,
            position_at: None,
            ..apply(write, old.as_ref())?
        };
        if let Some(key) = old.and_then(|old| old.key) {
            self.courier_hashes.remove(&key.hash);
        }
        if let Some(key) = &courier.key {
            claim_value(&mut self.courier_hashes, key.hash.clone(), id)?;
        }
        self.couriers.put(id, courier);
        Ok(())
    }

    fn put_position(&mut self, position: &Position) {
        if self
            .positions
            .get(&position.courier)
            .is_none_or(|known| known.at < position.at)
        {
            self.positions.put(position.courier, *position);
        }
    }

    fn append_event(&mut self, event: &Event) -> Result<(), HostError> {
        let last = self
            .journal
            .rows()
            .last_key_value()
            .map_or(0, |(id, _)| id.get());
        let id = EventId::new(last + 1).ok_or_else(|| HostError::Internal {
            detail: "event IDs are exhausted".to_owned(),
        })?;
        claim_value(&mut self.histories, (event.order, event.sequence), id)?;
        let merchant = self.merchant_of(event.store);
        self.journal_positions
            .put((merchant, self.journal_last_position(merchant) + 1), id);
        self.journal.put(id, event.clone());
        Ok(())
    }

    fn append_entry(&mut self, entry: &LedgerEntry) -> Result<(), HostError> {
        self.book(entry, None)
    }

    fn put_notification(&mut self, notification: &Notification) {
        let store = notification.store;
        self.notifications
            .put((store, notification.id.get()), notification.clone());
        // One was inserted, so at most one must be removed.
        let oldest = self
            .notifications
            .rows()
            .range(of_store(store))
            .rev()
            .nth(MAX_NOTIFICATIONS);
        if let Some(key) = oldest.map(|(key, _)| *key) {
            self.notifications.remove(&key);
        }
    }

    pub(super) fn claim_usage(&self, owner: &str, since: Timestamp) -> StorageUsage {
        let hours = self
            .claim_usage
            .rows()
            .range(of_owner(owner, Claim::hour(since)));
        hours.fold(StorageUsage::default(), |sum, (_, hour)| StorageUsage {
            records: sum.records + hour.records,
            bytes: sum.bytes + hour.bytes,
        })
    }

    fn count_claim(&mut self, claim: &Claim, at: Timestamp) {
        let Some(owner) = claim.owner.clone() else {
            return;
        };
        let key = (owner, Claim::hour(at));
        let StorageUsage { records, bytes } =
            self.claim_usage.get(&key).copied().unwrap_or_default();
        self.claim_usage.put(
            key,
            StorageUsage {
                records: records + 1,
                bytes: bytes + claim.size(),
            },
        );
    }

    fn change_claim(&mut self, change: &ClaimChange, at: Timestamp) -> Result<(), HostError> {
        let key_of = |claim: &Claim| (claim.scope.clone(), claim.key.clone());
        match change {
            ClaimChange::Take(claim) => {
                if self
                    .claims
                    .get(&key_of(claim))
                    .is_some_and(|held| held.expires_at > at)
                {
                    return Err(HostError::Conflict);
                }
                self.claims.put(key_of(claim), claim.clone());
            }
            ClaimChange::Finish(claim) => {
                if self
                    .claims
                    .get(&key_of(claim))
                    .is_some_and(|held| held.holder != claim.holder)
                {
                    return Err(HostError::Conflict);
                }
                self.claims.put(key_of(claim), claim.clone());
                self.count_claim(claim, at);
            }
            ClaimChange::Release {
                scope,
                key,
                holder,
                until,
            } => {
                let key = (scope.clone(), key.clone());
                let is_running = |held: &Claim| held.holder == *holder && held.expires_at <= *until;
                if self.claims.get(&key).is_some_and(is_running) {
                    self.claims.remove(&key);
                }
            }
        }
        Ok(())
    }
}

/// Returns the key range of an owner's usage from an hour on.
fn of_owner(owner: &str, from: i64) -> std::ops::RangeInclusive<(String, i64)> {
    (owner.to_owned(), from)..=(owner.to_owned(), i64::MAX)
}

/// Returns the key range of a store's notifications, oldest first.
pub(super) fn of_store(store: StoreId) -> std::ops::RangeInclusive<(StoreId, u64)> {
    (store, 0)..=(store, u64::MAX)
}

/// Checks the expected version. Version 0 means that the row must not exist.
pub(super) fn apply<T: Versioned>(write: &Write<T>, stored: Option<&T>) -> Result<T, HostError> {
    write.apply(stored).ok_or(HostError::Conflict)
}

/// Inserts a unique value. Conflicts if it exists.
pub(super) fn claim_value<K: Ord + Clone, V: Clone>(
    index: &mut Table<K, V>,
    key: K,
    owner: V,
) -> Result<(), HostError> {
    if index.get(&key).is_some() {
        return Err(HostError::Conflict);
    }
    index.put(key, owner);
    Ok(())
}
