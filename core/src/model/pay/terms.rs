//! The terms of a courier: by which plan, and by whom, orders are paid.

use serde::{Deserialize, Serialize};

use crate::model::StoreId;

/// Who pays a courier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Payer {
    /// The operator.
    #[default]
    Operator,
    /// The store of the order.
    Store,
}

impl Payer {
    /// All values.
    pub const ALL: &'static [Payer] = &[Payer::Operator, Payer::Store];

    /// Returns the name in the API and in databases.
    pub fn name(self) -> &'static str {
        match self {
            Payer::Operator => "OPERATOR",
            Payer::Store => "STORE",
        }
    }

    /// Returns the payer with this name.
    pub fn from_name(name: &str) -> Option<Payer> {
        Payer::ALL.iter().copied().find(|one| one.name() == name)
    }
}

/// The terms of a courier for the orders of a store, or of all stores without terms of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayTerms {
    /// The store. `None` for all stores without terms of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreId>,
    /// Name of the plan.
    pub plan: String,
    /// Who pays orders.
    pub payer: Payer,
    /// Who pays shifts.
    pub shift_payer: Payer,
}

impl PayTerms {
    /// Maximum number of terms of a courier.
    pub const MAX: usize = 50;

    /// Returns the terms that apply to a store's orders.
    pub fn of(terms: &[PayTerms], store: StoreId) -> Option<&PayTerms> {
        let own = terms.iter().find(|one| one.store == Some(store));
        own.or_else(|| terms.iter().find(|one| one.store.is_none()))
    }
}
