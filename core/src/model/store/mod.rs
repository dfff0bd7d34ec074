//! Stores: a matrix or one of its branches, their keys, their money and what they are told.

mod key;
mod ledger;
mod notification;

use serde::{Deserialize, Serialize};

pub use key::{Claim, ClaimChange, Key, KeyHash, KeyHolder, KeyKind, Recompute, StoredResponse};
pub use ledger::{Billing, EntryKind, LedgerEntry, Period, StatementLine, TopUp};
pub use notification::{FailedField, FailureReason, NOTIFICATIONS_KEPT, Notification, NotificationKind};

use super::{Address, Cnpj, Email, Located, Money, Person, StoreId, Timestamp};

/// A merchant. One without a `matrix` is a matrix itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Store {
    /// The number.
    pub id: StoreId,
    /// How often the store was written; 1 after the first time.
    pub version: u32,
    /// The matrix that this store is a branch of.
    pub matrix: Option<StoreId>,
    /// Business registration number, unique.
    pub cnpj: Cnpj,
    /// Trade name, 5 to 255 characters.
    pub name: String,
    /// Whom to call.
    pub responsible: Person,
    /// Contact and login address, unique.
    pub email: Email,
    /// The argon2id hash of the password, in PHC form.
    pub password_hash: String,
    /// Where the store is; the default pickup.
    pub address: Address,
    /// Where that is on the map, found when the address was written.
    pub located: Located,
    /// What the store sells: the category's number, 1 to 8.
    pub category: u8,
    /// How fees are paid; a branch has the terms of its parent.
    pub billing: Billing,
    /// The balance of [`Store::account`]. The database stores it separately: a write of the store does not change it.
    #[serde(default)]
    pub balance: Money,
    /// Whether the store is a sandbox for testing an integration: simulated couriers carry its orders, and its money is never billed. A
    /// branch has the value of its parent, and the value never changes. Rows of schema version 12 name it `demo`.
    #[serde(default, alias = "demo")]
    pub sandbox: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was removed.
    pub deleted_at: Option<Timestamp>,
}

impl Store {
    /// What a store may sell: number, English and Portuguese name.
    pub const CATEGORIES: [(u8, &'static str, &'static str); 8] = [
        (1, "food", "alimentação"),
        (2, "pharmacy", "farmácia"),
        (3, "groceries", "mercado"),
        (4, "beverages", "bebidas"),
        (5, "pets", "animais de estimação"),
        (6, "flowers and gifts", "flores e presentes"),
        (7, "documents", "documentos"),
        (8, "other", "outros"),
    ];

    /// Whether this store may see and act for another one: itself, and a matrix its branches.
    pub fn oversees(&self, other: &Store) -> bool {
        self.id == other.id || other.matrix == Some(self.id)
    }

    /// The store whose balance pays for this one. A prepaid parent and its branches share the parent's, so that its floor holds for all of
    /// them together; every other store pays for itself.
    pub fn account(&self) -> StoreId {
        match (self.billing, self.matrix) {
            (Billing::Prepaid { .. }, Some(parent)) => parent,
            _ => self.id,
        }
    }

    /// The merchant that the store belongs to, by the ID of its parent store: quotas, streams, webhook deliveries and stored responses are
    /// counted for it, so that more keys or branches give no more of them.
    pub fn merchant(&self) -> StoreId {
        self.matrix.unwrap_or(self.id)
    }

    /// Whether this store is a matrix.
    pub fn is_matrix(&self) -> bool {
        self.matrix.is_none()
    }
}
