//! Pay plans and the entries of couriers' pay.

use super::state::{State, claim_value};
use crate::{
    changes::PayPlanChange,
    host::{HostError, PayEntryQuery},
    model::{
        CourierId, PayEntryId, Timestamp,
        pay::{PayEntry, RecordedPayEntry},
    },
};

impl State {
    pub(super) fn change_pay_plan(
        &mut self,
        change: &PayPlanChange,
        at: Timestamp,
    ) -> Result<(), HostError> {
        match change {
            PayPlanChange::Insert(stored) => {
                let is_same = |other: &crate::model::pay::StoredPayPlan| {
                    other.plan.version == stored.plan.version
                        || (&other.name, other.effective_from)
                            == (&stored.name, stored.effective_from)
                };
                if self.pay_plans.rows().values().any(is_same) {
                    return Err(HostError::Conflict);
                }
                claim_value(&mut self.pay_plans, stored.id, stored.clone())
            }
            PayPlanChange::Remove(id) => {
                let stored = self.pay_plans.get(id);
                if stored.is_none_or(|stored| stored.effective_from <= at) {
                    return Err(HostError::Conflict);
                }
                self.pay_plans.remove(id);
                Ok(())
            }
        }
    }

    pub(super) fn append_pay(&mut self, entry: &PayEntry) -> Result<(), HostError> {
        let id = self
            .pay
            .rows()
            .last_key_value()
            .map_or(1, |(id, _)| *id + 1);
        if let Some(key) = entry.unique_key() {
            claim_value(&mut self.pay_keys, key, id)?;
        }
        self.pay.put(id, entry.clone());
        Ok(())
    }

    pub(super) fn pay_entries(
        &self,
        courier: CourierId,
        query: PayEntryQuery,
    ) -> Vec<RecordedPayEntry> {
        let entries = self.pay.rows().iter().filter_map(|(id, entry)| {
            Some(RecordedPayEntry {
                id: PayEntryId::new(*id)?,
                entry: entry.clone(),
            })
        });
        let own = entries.filter(|one| one.entry.courier == courier);
        match query {
            PayEntryQuery::Id(id) => own.filter(|one| one.id == id).collect(),
            PayEntryQuery::Period(period, limit) => {
                let mut found: Vec<RecordedPayEntry> = own
                    .filter(|one| {
                        period.after.is_none_or(|after| one.order() > after)
                            && (period.from..period.until).contains(&one.entry.at)
                    })
                    .collect();
                found.sort_by_key(RecordedPayEntry::order);
                found.truncate(limit as usize);
                found
            }
        }
    }
}
