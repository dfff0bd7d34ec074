//! The cash ledger of the reference host.

use super::state::{State, claim_value};
use crate::{
    host::{CashBalanceQuery, CashEntryQuery, HostError},
    model::{
        EntryId,
        cash::{CashBalance, CashEntry, CashKind, RecordedCash},
    },
};

impl State {
    pub(super) fn book_cash(&mut self, entry: &CashEntry) -> Result<(), HostError> {
        let key = (entry.courier, entry.store);
        let before = self.cash_balances.get(&key).copied();
        let before = before.unwrap_or_else(|| CashBalance::new(entry.courier, entry.store));
        let after = before.after(entry).ok_or(HostError::Conflict)?;
        if let Some(delivery) = entry.delivery.filter(|_| entry.kind == CashKind::Collected) {
            claim_value(&mut self.cash_deliveries, delivery, ())?;
        }
        let last = self.cash_entries.rows().last_key_value();
        let next = last.map_or(0, |(id, _)| *id) + 1;
        let recorded = RecordedCash {
            id: EntryId::new(next).ok_or(HostError::Conflict)?,
            period: before.period,
            entry: entry.clone(),
        };
        self.cash_balances.put(key, after);
        self.cash_entries.put(next, recorded);
        Ok(())
    }

    pub(super) fn find_cash_balances(&self, query: CashBalanceQuery<'_>) -> Vec<CashBalance> {
        let rows = self.cash_balances.rows().values();
        let is_match = |one: &&CashBalance| match query {
            CashBalanceQuery::Of(couriers, store) => {
                one.store == store && couriers.contains(&one.courier)
            }
            CashBalanceQuery::Store { store, after, .. } => {
                one.store == store && after.is_none_or(|after| one.courier > after)
            }
            CashBalanceQuery::Courier { courier, after, .. } => {
                one.courier == courier
                    && one.entries > 0
                    && after.is_none_or(|after| one.store > after)
            }
            CashBalanceQuery::Couriers(couriers) => {
                one.entries > 0 && couriers.contains(&one.courier)
            }
        };
        let limit = match query {
            CashBalanceQuery::Store { limit, .. } | CashBalanceQuery::Courier { limit, .. } => {
                limit
            }
            CashBalanceQuery::Of(..) | CashBalanceQuery::Couriers(_) => u32::MAX,
        };
        let found = rows.filter(is_match).take(limit as usize);
        found.copied().collect()
    }

    pub(super) fn find_cash_entries(&self, query: CashEntryQuery<'_>) -> Vec<RecordedCash> {
        let newest = self.cash_entries.rows().values().rev();
        let (is_match, limit): (&dyn Fn(&RecordedCash) -> bool, u32) = match query {
            CashEntryQuery::Notes(about) => (
                &move |one| one.entry.about.is_some_and(|id| about.contains(&id)),
                u32::MAX,
            ),
            CashEntryQuery::Matching(filter, limit) => (&move |one| filter.matches(one), limit),
        };
        let found = newest.filter(|one| is_match(one)).take(limit as usize);
        found.cloned().collect()
    }
}
