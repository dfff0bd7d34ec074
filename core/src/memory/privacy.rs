//! Stored personal data.

use super::state::{State, of_store};
use crate::{
    host::HostError,
    model::{
        order::{Erasure, Order},
        privacy::{ErasureRecord, PersonalData, PersonalQuery, Redaction, StoredRecord},
        store::{Claim, Notification},
        webhook::Webhook,
    },
    rules::erasure::{erase_mention, is_about},
};

impl State {
    pub(super) fn personal_data(&self, query: &PersonalQuery) -> PersonalData {
        let data = PersonalData::default();
        match query {
            PersonalQuery::Orders {
                phone,
                after,
                limit,
            } => {
                let rows = self
                    .orders
                    .rows()
                    .values()
                    .filter(|order| order.id.get() > *after);
                let matching = rows
                    .filter(|order| order.delivers_to(phone))
                    .take(*limit as usize);
                PersonalData {
                    orders: matching.cloned().collect(),
                    ..data
                }
            }
            PersonalQuery::Expired {
                erasure,
                before,
                limit,
            } => {
                let ended =
                    |order: &&Order| order.status.is_final() && order.erasure < Erasure::Recipients;
                let expired =
                    |order: &&Order| order.erasure == *erasure && order.created_at < *before;
                let rows = self.orders.rows().values().filter(ended).filter(expired);
                let mut orders: Vec<Order> = rows.cloned().collect();
                orders.sort_by_key(|order| (order.created_at, order.id));
                orders.truncate(*limit as usize);
                PersonalData { orders, ..data }
            }
            PersonalQuery::Proofs { before, limit } => {
                let rows = self.orders.rows().values();
                let old =
                    rows.filter(|order| order.status.is_final() && order.created_at < *before);
                let mut orders: Vec<Order> = old
                    .filter(|order| order.proof.is_personal())
                    .cloned()
                    .collect();
                orders.sort_by_key(|order| (order.created_at, order.id));
                orders.truncate(*limit as usize);
                PersonalData { orders, ..data }
            }
            PersonalQuery::Outbound { order, store } => {
                let merchant = self.merchant_of(*store);
                let own: Vec<&Webhook> = self
                    .webhooks
                    .rows()
                    .values()
                    .filter(|one| one.merchant == merchant)
                    .collect();
                let is_own = |id| own.iter().any(|webhook| webhook.id == id);
                let about = self
                    .messages
                    .rows()
                    .values()
                    .filter(|one| is_about(&one.subject, *order));
                let messages: Vec<_> = about
                    .filter(|message| is_own(message.webhook))
                    .cloned()
                    .collect();
                let ids = self
                    .attempts
                    .rows()
                    .iter()
                    .filter(|(_, one)| is_about(&one.subject, *order));
                let attempts = ids
                    .filter(|(_, one)| is_own(one.webhook))
                    .filter_map(|(id, _)| self.attempt(*id));
                let attempts = attempts.collect();
                let has_message = |webhook: &Webhook| {
                    messages.iter().any(|message| message.webhook == webhook.id)
                };
                let webhooks = own
                    .into_iter()
                    .filter(|webhook| webhook.lease.is_some() || has_message(webhook));
                let webhooks = webhooks.cloned().collect();
                PersonalData {
                    messages,
                    attempts,
                    webhooks,
                    ..data
                }
            }
            PersonalQuery::Mentions(phone) => {
                let rows = self.notifications.rows().values();
                let mention = |one: &&Notification| erase_mention(&mut (*one).clone(), phone);
                PersonalData {
                    notifications: rows.filter(mention).cloned().collect(),
                    ..data
                }
            }
            PersonalQuery::OldNotifications { limit } => {
                let mut notifications: Vec<_> =
                    self.notifications.rows().values().cloned().collect();
                notifications.sort_by_key(|one| one.id);
                notifications.truncate(*limit as usize);
                PersonalData {
                    notifications,
                    ..data
                }
            }
            PersonalQuery::Claims { after, limit } => {
                let later = self
                    .claims
                    .rows()
                    .iter()
                    .filter(|(key, _)| after.as_ref().is_none_or(|after| *key > after));
                let claims = later.take(*limit as usize).map(|(_, claim)| claim.clone());
                PersonalData {
                    claims: claims.collect(),
                    ..data
                }
            }
            PersonalQuery::Records { before, limit } => {
                let newest = self.erasures.rows().iter().rev();
                let older = newest.filter(|(id, _)| before.is_none_or(|before| **id < before));
                let records = older.take(*limit as usize);
                let records = records.map(|(id, record)| StoredRecord {
                    id: *id,
                    record: record.clone(),
                });
                PersonalData {
                    records: records.collect(),
                    ..data
                }
            }
        }
    }

    pub(super) fn redact(&mut self, redaction: &Redaction) -> Result<(), HostError> {
        match redaction {
            Redaction::Event(recorded) => {
                if self.journal.get(&recorded.id).is_none() {
                    return Err(HostError::Conflict);
                }
                self.journal.put(recorded.id, recorded.event.clone());
            }
            Redaction::Attempt(recorded) => {
                if self.attempts.get(&recorded.id).is_some() {
                    self.attempts.put(recorded.id, recorded.attempt.clone());
                }
            }
            Redaction::Claim(claim) => {
                if self.holds(claim) {
                    self.claims
                        .put((claim.scope.clone(), claim.key.clone()), claim.clone());
                }
            }
            Redaction::RemoveClaim(claim) => {
                if self.holds(claim) {
                    self.claims
                        .remove(&(claim.scope.clone(), claim.key.clone()));
                }
            }
            Redaction::PurgeClaims(before) => {
                let ended = self
                    .claims
                    .rows()
                    .iter()
                    .filter(|(_, claim)| claim.expires_at <= *before);
                let ended: Vec<_> = ended.map(|(key, _)| key.clone()).collect();
                ended.iter().for_each(|key| self.claims.remove(key));
            }
            Redaction::PurgeLinks(before) => {
                let ended = self
                    .links
                    .rows()
                    .iter()
                    .filter(|(_, link)| link.ends_at.is_some_and(|end| end < *before));
                let ended: Vec<_> = ended.map(|(hash, _)| hash.clone()).collect();
                ended.iter().for_each(|hash| self.links.remove(hash));
            }
            Redaction::RemovePositions(before) => {
                let old = self
                    .positions
                    .rows()
                    .iter()
                    .filter(|(_, position)| position.at < *before);
                let old: Vec<_> = old.map(|(courier, _)| *courier).collect();
                old.iter()
                    .for_each(|courier| self.positions.remove(courier));
            }
            Redaction::PurgeAudit(before) => {
                let old = self
                    .audit
                    .rows()
                    .iter()
                    .filter(|(_, entry)| entry.at < *before);
                let old: Vec<_> = old.map(|(id, _)| *id).collect();
                old.iter().for_each(|id| self.audit.remove(id));
            }
            Redaction::PurgeUsers(before) => {
                let old = self
                    .users
                    .rows()
                    .values()
                    .filter(|user| user.removed_at.is_some_and(|at| at < *before));
                let old: Vec<_> = old.map(|user| user.id).collect();
                old.iter().for_each(|id| self.users.remove(id));
            }
            Redaction::RemoveNotification(store, id) => {
                let key = self
                    .notifications
                    .rows()
                    .range(of_store(*store))
                    .map(|(key, _)| *key);
                if let Some(key) = { key }.find(|(_, number)| *number == id.get()) {
                    self.notifications.remove(&key);
                }
            }
            Redaction::Record(record) => self.record_erasure(record),
        }
        Ok(())
    }

    fn holds(&self, claim: &Claim) -> bool {
        let stored = self.claims.get(&(claim.scope.clone(), claim.key.clone()));
        stored.is_some_and(|stored| stored.holder == claim.holder && stored.response.is_some())
    }

    fn record_erasure(&mut self, record: &ErasureRecord) {
        let known = self
            .erasures
            .rows()
            .iter()
            .find(|(_, known)| known.name == record.name);
        let (id, known) = match known {
            Some((id, known)) => (*id, known.clone()),
            None => {
                let id = self
                    .erasures
                    .rows()
                    .last_key_value()
                    .map_or(1, |(id, _)| id + 1);
                (
                    id,
                    ErasureRecord {
                        orders: 0,
                        deliveries: 0,
                        entries: 0,
                        archived: 0,
                        ..record.clone()
                    },
                )
            }
        };
        let sum = ErasureRecord {
            at: record.at,
            orders: known.orders.saturating_add(record.orders),
            deliveries: known.deliveries.saturating_add(record.deliveries),
            entries: known.entries.saturating_add(record.entries),
            archived: known.archived.saturating_add(record.archived),
            ..known
        };
        self.erasures.put(id, sum);
    }
}
