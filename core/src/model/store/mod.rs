//! Stores: parent stores and branches, their keys, ledgers and notifications.

mod coverage;
mod hash;
mod key;
mod ledger;
mod notification;
mod payments;
mod top_up;
mod tracking;
mod user;

use serde::{Deserialize, Serialize};

pub use coverage::{HoursException, OpeningPeriod, Ring, ServiceArea, StoreHours, TimeSpan};
pub use hash::KeyHash;
pub use key::{Claim, ClaimChange, Key, KeyHolder, KeyKind, Recompute, StoredResponse};
pub use ledger::{Billing, EntryKind, LedgerEntry, Period, StatementLine, TopUp};
pub use notification::{
    FailedField, FailureReason, MAX_NOTIFICATIONS, Notification, NotificationKind,
};
pub use payments::{Settle, StorePayments};
pub use top_up::{TopUpRequest, TopUpRequests, TopUpState};
pub use tracking::{NotifyAt, RecipientChoice, StoreTracking, TrackingContact};
pub use user::{PasswordLink, Role, SessionUser, User};

use super::{
    Address, Cnpj, Email, Located, Money, Person, Phone, Precision, StoreId, Timestamp,
    order::ProofRule, price::EstimatePolicy,
};

/// A store: a parent store, or a branch if `parent` is set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Store {
    /// The ID.
    pub id: StoreId,
    /// Number of times the store was written, starting at 1.
    pub version: u32,
    /// The parent store of a branch.
    #[serde(rename = "matrix")]
    pub parent: Option<StoreId>,
    /// Business registration number (CNPJ), unique.
    pub cnpj: Cnpj,
    /// Trade name, 5 to 255 characters.
    pub name: String,
    /// The contact person.
    pub responsible: Person,
    /// Email address for contact and login, unique.
    pub email: Email,
    /// Argon2id hash of the password in PHC format.
    pub password_hash: String,
    /// The link with which a new password is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PasswordLink>,
    /// Fingerprints of the addresses from which the login last succeeded, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<String>,
    /// Address of the store, which is the default pickup.
    pub address: Address,
    /// Coordinates of the address, determined when the address was set.
    pub located: Located,
    /// Number of the store's category, 1 to 8.
    pub category: u8,
    /// How fees are paid. A branch has the value of its parent store.
    pub billing: Billing,
    /// Balance of [`Store::account`]. The database stores it separately, so writing the store does
    /// not change it.
    #[serde(default)]
    pub balance: Money,
    /// Whether the store is a sandbox store, for testing an integration: simulated couriers carry
    /// its orders, and its fees are never billed. A branch has the value of its parent store. The
    /// value never changes. Rows of schema version 12 call it `demo`.
    #[serde(default, alias = "demo")]
    pub sandbox: bool,
    /// The store's own dispatch terms.
    #[serde(default, skip_serializing_if = "StoreDispatch::is_empty")]
    pub dispatch: StoreDispatch,
    /// What to do with uncertain prices. `None` means the deployment's setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimates: Option<EstimatePolicy>,
    /// The settings for the pages of recipients.
    #[serde(default, skip_serializing_if = "StoreTracking::is_default")]
    pub tracking: StoreTracking,
    /// What the store's steps require as a proof. New orders of the store copy it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proofs: Vec<ProofRule>,
    /// The settings for payments at the door. New orders of the store use them.
    #[serde(default, skip_serializing_if = "StorePayments::is_default")]
    pub payments: StorePayments,
    /// The requests for top-ups by Pix.
    #[serde(default, skip_serializing_if = "TopUpRequests::is_empty")]
    pub top_ups: TopUpRequests,
    /// The usual preparation time in minutes, which the panel suggests for new orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preparation_minutes: Option<u32>,
    /// The opening hours, in the store's time zone.
    #[serde(default, skip_serializing_if = "StoreHours::is_default")]
    pub hours: StoreHours,
    /// The area in which it delivers. `None` means that only the tariff's service radius applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<ServiceArea>,
    /// Time at which the operator disabled the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<Timestamp>,
    /// Whether the operator disabled the parent store.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parent_disabled: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of removal.
    pub deleted_at: Option<Timestamp>,
}

/// Dispatch terms that the operator set for a store. Absent terms are those of the deployment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoreDispatch {
    /// Minutes before the ready time from which a courier is searched, 0 to 60.
    pub lead_minutes: Option<u32>,
    /// Maximum number of orders in a trip, 1 to 10.
    pub orders_per_trip: Option<u32>,
}

impl StoreDispatch {
    fn is_empty(&self) -> bool {
        *self == StoreDispatch::default()
    }
}

impl Store {
    /// The store categories: number, English name and Portuguese name.
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

    /// Returns whether this store may act for another one: for itself and, if it is a parent store,
    /// for its branches.
    pub fn oversees(&self, other: &Store) -> bool {
        self.id == other.id || other.parent == Some(self.id)
    }

    /// Returns the store whose balance pays for this one. A prepaid parent store and its branches
    /// share the parent's balance, so its floor applies to all of them together. Every other store
    /// has its own balance.
    pub fn account(&self) -> StoreId {
        match (self.billing, self.parent) {
            (Billing::Prepaid { .. }, Some(parent)) => parent,
            _ => self.id,
        }
    }

    /// Returns the merchant, identified by its parent store. Quotas, streams, webhook deliveries
    /// and stored responses are limited per merchant, so additional keys or branches do not
    /// increase them.
    pub fn merchant(&self) -> StoreId {
        self.parent.unwrap_or(self.id)
    }

    /// Returns whether the store's keys and sessions are rejected, because the operator disabled it
    /// or its parent store.
    pub fn is_disabled(&self) -> bool {
        self.disabled_at.is_some() || self.parent_disabled
    }

    /// Returns whether the store's prices are estimates because only its municipality locates it.
    pub fn is_rough(&self) -> bool {
        self.located.precision == Precision::Municipality
            && self.deleted_at.is_none()
            && !self.sandbox
    }

    /// Returns the telephone of the counter: the one for recipients, or else that of the contact
    /// person.
    pub fn phone(&self) -> Option<&Phone> {
        self.tracking
            .contact
            .phone
            .as_ref()
            .or(self.responsible.phone.as_ref())
    }

    /// Returns whether this store is a parent store.
    pub fn is_parent(&self) -> bool {
        self.parent.is_none()
    }
}
