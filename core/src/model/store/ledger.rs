//! Ledger entries, which are never changed.
//!
//! An entry adds to the store's balance and contains the minimum balance, so orders of one store
//! can be created concurrently: balances do not conflict. A prepaid parent store and its branches
//! share the parent's balance, so one row enforces the minimum for all of them. `Store::account`
//! selects the balance; hosts resolve it in the commit, so a refund returns to the balance that
//! paid.
//!
//! A removed branch has no balance. Its removal transfers the balance to its parent, and commits
//! only if nothing remains. The removal locks the balance first, so a removal and a concurrent
//! order conflict. Statements of removed stores stay readable.

use serde::{Deserialize, Serialize};

use crate::model::{EntryId, Money, OrderId, StoreId, Text, Timestamp};

/// How a store pays its fees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Billing {
    /// By invoice: the balance has no lower limit.
    #[default]
    Invoiced,
    /// In advance: no debit may reduce the balance below `floor`.
    Prepaid {
        /// Minimum balance after a debit.
        floor: Money,
    },
}

impl Billing {
    /// Returns the minimum balance after a debit, if any.
    pub fn floor(self) -> Option<Money> {
        match self {
            Billing::Invoiced => None,
            Billing::Prepaid { floor } => Some(floor),
        }
    }
}

/// The kind of a ledger entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// The fee of a new order.
    Fee,
    /// A full or partial refund of a fee.
    Refund,
    /// The fee of a late cancellation.
    CancellationFee,
    /// A top-up by the operator.
    TopUp,
    /// A transfer between the balances of a branch and its parent store.
    Transfer,
}

impl EntryKind {
    /// All kinds.
    pub const ALL: [EntryKind; 5] = [
        EntryKind::Fee,
        EntryKind::Refund,
        EntryKind::CancellationFee,
        EntryKind::TopUp,
        EntryKind::Transfer,
    ];

    /// Returns the kind with a name.
    pub fn from_name(name: &str) -> Option<EntryKind> {
        EntryKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the name in databases and statements.
    pub fn name(self) -> &'static str {
        match self {
            EntryKind::Fee => "fee",
            EntryKind::Refund => "refund",
            EntryKind::CancellationFee => "cancellation_fee",
            EntryKind::TopUp => "top_up",
            EntryKind::Transfer => "transfer",
        }
    }

    /// Returns the name for people.
    pub fn text(self) -> Text {
        match self {
            EntryKind::Fee => Text::new("Delivery fee", "Taxa de entrega"),
            EntryKind::Refund => Text::new("Refund", "Estorno"),
            EntryKind::CancellationFee => Text::new("Cancellation fee", "Taxa de cancelamento"),
            EntryKind::TopUp => Text::new("Top-up", "Recarga"),
            EntryKind::Transfer => Text::new("Transfer", "Transferência"),
        }
    }
}

/// A movement of money.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The store that caused the entry.
    pub store: StoreId,
    /// The store whose balance changes. `None` for the [`super::Store::account`] of `store`.
    pub account: Option<StoreId>,
    /// The order. `None` for top-ups and transfers.
    pub order: Option<OrderId>,
    /// The kind of the entry.
    pub kind: EntryKind,
    /// Amount. Debits are negative.
    pub amount: Money,
    /// Time of the entry.
    pub at: Timestamp,
    /// Minimum balance after the entry, if any.
    pub floor: Option<Money>,
}

/// A top-up by the operator. A commit conflicts if the balance already has a top-up with the same
/// reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopUp {
    /// The store. The balance that pays for it changes.
    pub store: StoreId,
    /// Amount, above zero.
    pub amount: Money,
    /// The operator's reference of the payment, unique for the balance.
    pub reference: String,
    /// Time of the entry.
    pub at: Timestamp,
}

/// A line of a statement: a ledger entry and the balance after it.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementLine {
    /// The entry's ID.
    pub id: EntryId,
    /// The kind of a ledger entry.
    pub kind: EntryKind,
    /// The store that caused the entry.
    pub store: StoreId,
    /// The order. `None` for top-ups and transfers.
    pub order: Option<OrderId>,
    /// The operator's reference, for top-ups.
    pub reference: Option<String>,
    /// Amount. Debits are negative.
    pub amount: Money,
    /// Balance after the entry.
    pub balance: Money,
    /// Time of the entry.
    pub at: Timestamp,
}

/// A range of statement lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// At this time or later.
    pub from: Timestamp,
    /// Before this time.
    pub until: Timestamp,
    /// After this entry, or from the first if `None`.
    pub after: Option<EntryId>,
}
