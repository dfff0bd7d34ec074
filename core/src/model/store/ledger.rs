//! The money of a store, as entries that are never changed.

use serde::{Deserialize, Serialize};

use crate::model::{EntryId, Money, OrderId, StoreId, Timestamp};

/// How a store pays its fees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Billing {
    /// By invoice: the balance may go as far below zero as it likes.
    #[default]
    Invoiced,
    /// In advance: no debit may take the balance below `floor`.
    Prepaid {
        /// The lowest balance that a debit may leave.
        floor: Money,
    },
}

impl Billing {
    /// The lowest balance that a debit may leave, where there is one.
    pub fn floor(self) -> Option<Money> {
        match self {
            Billing::Invoiced => None,
            Billing::Prepaid { floor } => Some(floor),
        }
    }
}

/// Why money moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// The fee of a new order.
    Fee,
    /// A fee that came back, in whole or in part.
    Refund,
    /// The fee of a late cancellation.
    CancellationFee,
    /// Money that the operator booked in.
    TopUp,
    /// Money that moved between a branch's balance and its parent's.
    Transfer,
}

impl EntryKind {
    /// Every kind.
    pub const ALL: [EntryKind; 5] =
        [EntryKind::Fee, EntryKind::Refund, EntryKind::CancellationFee, EntryKind::TopUp, EntryKind::Transfer];

    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<EntryKind> {
        EntryKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind's name in databases and statements.
    pub fn name(self) -> &'static str {
        match self {
            EntryKind::Fee => "fee",
            EntryKind::Refund => "refund",
            EntryKind::CancellationFee => "cancellation_fee",
            EntryKind::TopUp => "top_up",
            EntryKind::Transfer => "transfer",
        }
    }
}

/// One movement of money.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The store that it belongs to.
    pub store: StoreId,
    /// The store whose balance moves; `None` for the one that pays for `store`, by [`super::Store::account`].
    pub account: Option<StoreId>,
    /// The order that it belongs to; `None` for a top-up or a transfer.
    pub order: Option<OrderId>,
    /// Why.
    pub kind: EntryKind,
    /// How much: negative is a debit.
    pub amount: Money,
    /// When.
    pub at: Timestamp,
    /// The balance that this entry must not pass; `None` for no floor.
    pub floor: Option<Money>,
}

/// A payment to the operator. A commit with a reference that the account already has is a conflict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopUp {
    /// The store that it belongs to; it changes the balance of [`super::Store::account`].
    pub store: StoreId,
    /// How much, above zero.
    pub amount: Money,
    /// The operator's reference of the payment, unique for the account.
    pub reference: String,
    /// When.
    pub at: Timestamp,
}

/// A line of a statement: an entry of the ledger and the balance after it.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementLine {
    /// The entry's number.
    pub id: EntryId,
    /// Why money moved.
    pub kind: EntryKind,
    /// The store that it belongs to.
    pub store: StoreId,
    /// The order that it belongs to; `None` for a top-up or a transfer.
    pub order: Option<OrderId>,
    /// The operator's reference of a top-up.
    pub reference: Option<String>,
    /// How much: negative is a debit.
    pub amount: Money,
    /// The balance once it had moved.
    pub balance: Money,
    /// When.
    pub at: Timestamp,
}

/// Which lines of a store's statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// From this instant on.
    pub from: Timestamp,
    /// Before this instant.
    pub until: Timestamp,
    /// After this entry; `None` from the first on.
    pub after: Option<EntryId>,
}
