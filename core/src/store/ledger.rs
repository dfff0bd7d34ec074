//! The money of a store, as entries that are never changed.

use serde::{Deserialize, Serialize};

use crate::domain::{Money, OrderId, StoreId, Timestamp};

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
}

impl EntryKind {
    /// The kind's name in databases and statements.
    pub fn name(self) -> &'static str {
        match self {
            EntryKind::Fee => "fee",
            EntryKind::Refund => "refund",
            EntryKind::CancellationFee => "cancellation_fee",
            EntryKind::TopUp => "top_up",
        }
    }
}

/// One movement of a store's money.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// Whose money.
    pub store: StoreId,
    /// The order that it belongs to; `None` for a top-up.
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
