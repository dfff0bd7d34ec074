//! The cash that couriers carry for stores: a ledger whose entries are never changed.
//!
//! Each entry belongs to a courier and a store, and changes their balance in the same commit. A
//! balance counts from one closing to the next, its *period*: the closing takes everything that is
//! in hand, books the difference, and starts the next period at zero. At every moment
//!
//! float + collected + corrections + differences = handed over + in hand,
//!
//! where a difference is what was counted minus what was expected: negative if cash is missing.

use serde::{Deserialize, Serialize};

use super::{
    CourierId, DeliveryId, EntryId, Money, OrderId, StoreId, Timestamp, audit::Actor,
    order::PaymentMethod,
};

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CashKind {
    /// The store gave the courier change for the shift.
    Float,
    /// The courier collected the payment of a delivery. A delivery has at most one such entry.
    Collected,
    /// The counter changed what was collected for a delivery. The amount is the change.
    Correction,
    /// The courier gave cash to the store.
    HandedOver,
    /// A recipient gave the cash for a delivery to the store directly, so the courier never carried
    /// it. It changes nothing in hand.
    ToStoreDirectly,
    /// The period was closed. The amount is what was counted minus what was expected, also zero.
    Difference,
    /// A reason for a difference, which was given after the closing. The amount is zero, and the
    /// balance does not change.
    Note,
}

impl CashKind {
    /// All kinds.
    pub const ALL: [CashKind; 7] = [
        CashKind::Float,
        CashKind::Collected,
        CashKind::Correction,
        CashKind::HandedOver,
        CashKind::ToStoreDirectly,
        CashKind::Difference,
        CashKind::Note,
    ];

    /// Returns the kind with a name of the API.
    pub fn from_name(name: &str) -> Option<CashKind> {
        CashKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the name in databases.
    pub fn key(self) -> &'static str {
        match self {
            CashKind::Float => "float",
            CashKind::Collected => "collected",
            CashKind::Correction => "correction",
            CashKind::HandedOver => "handed_over",
            CashKind::ToStoreDirectly => "to_store_directly",
            CashKind::Difference => "difference",
            CashKind::Note => "note",
        }
    }

    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            CashKind::Float => "FLOAT",
            CashKind::Collected => "COLLECTED",
            CashKind::Correction => "CORRECTION",
            CashKind::HandedOver => "HANDED_OVER",
            CashKind::ToStoreDirectly => "TO_STORE_DIRECTLY",
            CashKind::Difference => "DIFFERENCE",
            CashKind::Note => "NOTE",
        }
    }
}

/// An entry of the cash ledger. It contains no data of recipients: neither the reference of a
/// payment, which belongs to the delivery and is erased with it, nor a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CashEntry {
    /// The courier.
    pub courier: CourierId,
    /// The store.
    pub store: StoreId,
    /// The kind.
    pub kind: CashKind,
    /// The amount. Only corrections, differences and amounts to the store directly can be negative.
    pub amount: Money,
    /// How the amount was paid. A courier can hand cash over by Pix to the store.
    pub method: PaymentMethod,
    /// Time of the entry, by the service's clock.
    pub at: Timestamp,
    /// Who caused it.
    pub by: Actor,
    /// The order, for amounts of deliveries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderId>,
    /// The delivery, for amounts of a delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryId>,
    /// What shows that a float or a handover took place, such as the number of a receipt or of a
    /// Pix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The reason, for differences and notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The difference that a note explains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<EntryId>,
    /// What was counted, for differences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Box<CashClosing>>,
}

/// A closing of a period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CashClosing {
    /// The period that it ends. It must be the current one.
    pub period: u32,
    /// The sum of floats of the period.
    pub float: Money,
    /// The sum that was collected in the period, with corrections.
    pub collected: Money,
    /// The sum that was handed over in the period before the closing.
    pub handed_over: Money,
    /// The sum that recipients gave the store directly.
    pub to_store_directly: Money,
    /// The amount that was counted, which the courier handed over.
    pub counted: Money,
    /// The slips of the card machine that the courier brought.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slips: Vec<CardSlip>,
}

impl CashClosing {
    /// Returns the amount that was expected: what was in hand.
    pub fn expected(&self) -> Money {
        self.float
            .plus(self.collected)
            .plus(self.handed_over.negated())
    }

    /// Returns what was counted minus what was expected.
    pub fn difference(&self) -> Money {
        self.counted.plus(self.expected().negated())
    }
}

/// A slip of a card machine. It names no delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardSlip {
    /// The amount.
    pub amount: Money,
    /// The card's brand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// The authorisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorisation: Option<String>,
}

/// An entry with what the commit assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedCash {
    /// The ID.
    pub id: EntryId,
    /// The period of the courier and the store, starting at 1.
    pub period: u32,
    /// The entry.
    pub entry: CashEntry,
}

/// What a courier carries for a store: the sums of the current period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CashBalance {
    /// The courier.
    pub courier: CourierId,
    /// The store.
    pub store: StoreId,
    /// The current period, starting at 1.
    pub period: u32,
    /// Number of entries in the period.
    pub entries: u32,
    /// The sum of floats.
    pub float: Money,
    /// The sum that was collected, with corrections.
    pub collected: Money,
    /// The sum that was handed over.
    pub handed_over: Money,
    /// The sum that recipients gave the store directly.
    pub to_store_directly: Money,
    /// Time of the last entry.
    pub changed_at: Timestamp,
    /// The difference of the last closing. `None` before the first.
    pub last_difference: Option<Money>,
    /// Time of the last closing.
    pub closed_at: Option<Timestamp>,
}

impl CashBalance {
    /// Returns the balance of a courier and a store without entries.
    pub fn new(courier: CourierId, store: StoreId) -> CashBalance {
        CashBalance {
            courier,
            store,
            period: 1,
            entries: 0,
            float: Money::ZERO,
            collected: Money::ZERO,
            handed_over: Money::ZERO,
            to_store_directly: Money::ZERO,
            changed_at: Timestamp::default(),
            last_difference: None,
            closed_at: None,
        }
    }

    /// Returns the cash that the courier has in hand for the store. Negative if more was handed over
    /// than the entries explain.
    pub fn in_hand(&self) -> Money {
        self.float
            .plus(self.collected)
            .plus(self.handed_over.negated())
    }

    /// Returns the balance after an entry. `None`, a conflict, if a closing is not of the current
    /// period or does not bring the cash in hand to zero, because of an entry that it does not know.
    #[must_use]
    pub fn after(&self, entry: &CashEntry) -> Option<CashBalance> {
        let mut next = CashBalance {
            entries: self.entries.saturating_add(1),
            changed_at: entry.at.max(self.changed_at),
            ..*self
        };
        let sum = match entry.kind {
            CashKind::Float => &mut next.float,
            CashKind::Collected | CashKind::Correction => &mut next.collected,
            CashKind::HandedOver => &mut next.handed_over,
            CashKind::ToStoreDirectly => &mut next.to_store_directly,
            CashKind::Note => return Some(*self),
            CashKind::Difference => {
                let closing = entry.closing.as_deref();
                let is_current = closing.is_some_and(|closing| closing.period == self.period);
                let is_even = self.in_hand().plus(entry.amount) == Money::ZERO;
                return (is_current && is_even).then_some(CashBalance {
                    period: self.period.saturating_add(1),
                    changed_at: next.changed_at,
                    last_difference: Some(entry.amount),
                    closed_at: Some(entry.at),
                    ..CashBalance::new(self.courier, self.store)
                });
            }
        };
        *sum = sum.plus(entry.amount);
        Some(next)
    }
}

/// The cash that was paid for a delivery, as the ledger has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryCash {
    /// The courier of the entries.
    pub courier: CourierId,
    /// The amount that the courier collected, with corrections.
    pub collected: Money,
    /// The amount that the recipient gave to the store directly.
    #[serde(default)]
    pub direct: Money,
    /// Whether the courier came back to the pickup with the amount, and handed it over there.
    #[serde(default)]
    pub handed_over: bool,
}

impl DeliveryCash {
    /// Returns the amounts after the counter recorded another total. What the courier carries
    /// changes first, unless only the store received anything.
    #[must_use]
    pub(crate) fn with_total(self, total: Money) -> DeliveryCash {
        let only_direct = self.collected == Money::ZERO && self.direct > Money::ZERO;
        let is_unpaid = self.collected == Money::ZERO && self.direct == Money::ZERO;
        let direct = if only_direct || is_unpaid {
            total
        } else {
            self.direct.min(total)
        };
        DeliveryCash {
            collected: total.plus(direct.negated()),
            direct,
            ..self
        }
    }
}
