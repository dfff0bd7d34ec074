//! Journals, statements and webhooks.

use std::collections::BTreeSet;

use super::state::{BookedEntry, State, apply, claim_value};
use crate::{
    changes::{Changes, Write},
    host::{HostError, PricePage, PriceQuery},
    model::{
        AttemptId, EntryId, Money, StoreId, WebhookId,
        order::{Journal, JournalEntry, PricedOrder, RecordedEvent},
        store::{EntryKind, LedgerEntry, Period, StatementLine, Store, TopUp},
        webhook::{MAX_STORED_ATTEMPTS, Message, MessageChange, RecordedAttempt, Webhook},
    },
};

impl State {
    /// Returns the parent store of a store, or the store itself if it has none or does not exist.
    pub(super) fn merchant_of(&self, store: StoreId) -> StoreId {
        self.stores
            .get(&store)
            .and_then(|store| store.parent)
            .unwrap_or(store)
    }

    pub(super) fn journal_last_position(&self, merchant: StoreId) -> u64 {
        let last = self
            .journal_positions
            .rows()
            .range((merchant, 0)..=(merchant, u64::MAX))
            .next_back();
        last.map_or(0, |((_, position), _)| *position)
    }

    pub(super) fn journal_after(&self, of: Journal, after: u64, limit: u32) -> Vec<JournalEntry> {
        let positions = self
            .journal_positions
            .rows()
            .range((of.merchant, after.saturating_add(1))..=(of.merchant, u64::MAX));
        let entries = positions.filter_map(|((_, position), id)| {
            let recorded = RecordedEvent {
                id: *id,
                event: self.journal.get(id)?.clone(),
            };
            Some(JournalEntry {
                position: *position,
                recorded,
            })
        });
        let seen = entries.filter(|entry| {
            of.branch
                .is_none_or(|branch| entry.recorded.event.store == branch)
        });
        seen.take(limit as usize).collect()
    }

    pub(super) fn order_prices(&self, PriceQuery { store, before }: PriceQuery) -> PricePage {
        let mut page = PricePage::default();
        let entries = self.ledger.rows().range(..before.unwrap_or(u64::MAX)).rev();
        for (id, (_, BookedEntry { entry, .. })) in entries.take(PricePage::MAX_ENTRIES as usize) {
            page.next = Some((*id, entry.at));
            let is_fee =
                entry.kind == EntryKind::Fee && store.is_none_or(|store| entry.store == store);
            let order = entry
                .order
                .filter(|_| is_fee)
                .and_then(|id| self.orders.get(&id));
            page.orders.extend(order.map(PricedOrder::from));
        }
        page
    }

    pub(super) fn book(
        &mut self,
        entry: &LedgerEntry,
        reference: Option<&str>,
    ) -> Result<(), HostError> {
        let own = self
            .stores
            .get(&entry.store)
            .ok_or(HostError::Conflict)?
            .account();
        let account = entry.account.unwrap_or(own);
        if self.closed.get(&entry.store).is_some() || self.closed.get(&account).is_some() {
            return Err(HostError::Conflict);
        }
        let balance = self
            .balances
            .get(&account)
            .copied()
            .ok_or(HostError::Conflict)?;
        let after = Money::from_centavos(balance.centavos() + entry.amount.centavos())
            .ok_or(HostError::Conflict)?;
        if entry.floor.is_some_and(|floor| after < floor) {
            return Err(HostError::Conflict);
        }
        self.balances.put(account, after);
        // Entries are never removed, so the count determines the next ID.
        let next = self.ledger.rows().len() as u64 + 1;
        if let Some(reference) = reference {
            claim_value(&mut self.references, (account, reference.to_owned()), next)?;
        }
        let booked = BookedEntry {
            entry: entry.clone(),
            reference: reference.map(str::to_owned),
            balance: after,
        };
        self.ledger.put(next, (account, booked));
        Ok(())
    }

    pub(super) fn book_top_up(&mut self, top_up: &TopUp) -> Result<(), HostError> {
        let TopUp {
            store, amount, at, ..
        } = *top_up;
        let entry = LedgerEntry {
            store,
            account: None,
            order: None,
            kind: EntryKind::TopUp,
            amount,
            at,
            floor: None,
        };
        self.book(&entry, Some(&top_up.reference))
    }

    pub(super) fn statement(
        &self,
        store: StoreId,
        period: Period,
        limit: u32,
    ) -> Vec<StatementLine> {
        let after = period.after.map_or(0, EntryId::get);
        let rows = self.ledger.rows().range(after.saturating_add(1)..);
        let seen =
            rows.filter(|(_, (account, booked))| *account == store || booked.entry.store == store);
        let lines = seen.filter_map(|(number, (_, booked))| line(*number, booked));
        lines
            .filter(|line| (period.from..period.until).contains(&line.at))
            .take(limit as usize)
            .collect()
    }

    pub(super) fn top_up(&self, store: StoreId, reference: &str) -> Option<StatementLine> {
        let account = self.stores.get(&store)?.account();
        let known = |owner| self.references.get(&(owner, reference.to_owned())).copied();
        let number = known(account).or_else(|| known(store))?;
        line(number, &self.ledger.get(&number)?.1)
    }

    pub(super) fn branches(&self, merchant: StoreId) -> u64 {
        let branch = |store: &&Store| store.parent == Some(merchant) && store.deleted_at.is_none();
        self.stores.rows().values().filter(branch).count() as u64
    }

    pub(super) fn merchant_webhooks(&self, merchant: StoreId) -> u64 {
        let subscribed = |webhook: &&Webhook| webhook.merchant == merchant && !webhook.is_removed();
        self.webhooks.rows().values().filter(subscribed).count() as u64
    }

    pub(super) fn messages_of(&self, webhook: WebhookId) -> Vec<Message> {
        let rows = self
            .messages
            .rows()
            .iter()
            .filter(|((owner, _), _)| *owner == webhook);
        let mut messages: Vec<Message> = rows.map(|(_, message)| message.clone()).collect();
        messages.sort_by(|one, other| {
            (one.position(), &one.name).cmp(&(other.position(), &other.name))
        });
        messages
    }

    pub(super) fn attempts_of(
        &self,
        webhook: WebhookId,
        before: Option<AttemptId>,
        limit: u32,
    ) -> Vec<RecordedAttempt> {
        let newest_first = self
            .attempts
            .rows()
            .iter()
            .rev()
            .filter(|(_, attempt)| attempt.webhook == webhook);
        let older = newest_first.filter(|(id, _)| before.is_none_or(|before| **id < before));
        let recorded = older.map(|(id, attempt)| RecordedAttempt {
            id: *id,
            attempt: attempt.clone(),
        });
        recorded.take(limit as usize).collect()
    }

    pub(super) fn attempt(&self, id: AttemptId) -> Option<RecordedAttempt> {
        self.attempts.get(&id).map(|attempt| RecordedAttempt {
            id,
            attempt: attempt.clone(),
        })
    }

    pub(super) fn apply_webhooks(&mut self, changes: &Changes) -> Result<(), HostError> {
        changes
            .webhooks
            .iter()
            .try_for_each(|write| self.write_webhook(write))?;
        changes
            .messages
            .iter()
            .for_each(|change| self.change_message(change));
        for attempt in &changes.attempts {
            let last = self
                .attempts
                .rows()
                .last_key_value()
                .map_or(0, |(id, _)| id.get());
            let id = AttemptId::new(last + 1).ok_or_else(|| HostError::Internal {
                detail: "attempt IDs are exhausted".to_owned(),
            })?;
            self.attempts.put(id, attempt.clone());
        }
        let touched: BTreeSet<WebhookId> = changes
            .attempts
            .iter()
            .map(|attempt| attempt.webhook)
            .collect();
        for webhook in touched {
            let old = self
                .attempts_of(webhook, None, u32::MAX)
                .into_iter()
                .skip(MAX_STORED_ATTEMPTS);
            old.for_each(|recorded| self.attempts.remove(&recorded.id));
        }
        Ok(())
    }

    fn write_webhook(&mut self, write: &Write<Webhook>) -> Result<(), HostError> {
        let id = write.value.id;
        self.webhooks.put(id, apply(write, self.webhooks.get(&id))?);
        Ok(())
    }

    fn change_message(&mut self, change: &MessageChange) {
        match change {
            MessageChange::Put(message) => {
                self.messages
                    .put((message.webhook, message.name.clone()), message.clone());
            }
            MessageChange::Remove { webhook, name } => {
                self.messages.remove(&(*webhook, name.clone()))
            }
            MessageChange::Clear(webhook) => {
                for message in self.messages_of(*webhook) {
                    self.messages.remove(&(*webhook, message.name));
                }
            }
        }
    }
}

fn line(number: u64, booked: &BookedEntry) -> Option<StatementLine> {
    let LedgerEntry {
        kind,
        store,
        order,
        amount,
        at,
        ..
    } = booked.entry;
    let reference = booked.reference.clone();
    Some(StatementLine {
        id: EntryId::new(number)?,
        kind,
        store,
        order,
        reference,
        amount,
        balance: booked.balance,
        at,
    })
}
