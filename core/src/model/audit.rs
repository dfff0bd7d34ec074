//! The audit log: who changed what, apart from orders, which have their own history.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{StoreId, Timestamp};

/// An entry of the audit log. It contains no secrets, and no personal data except the name of a
/// user or key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Time of the change.
    pub at: Timestamp,
    /// The login or key that sent the request.
    pub actor: Actor,
    /// The store that the change concerns. `None` for couriers and tariffs.
    pub store: Option<StoreId>,
    /// The change, such as `user.created`.
    pub action: Cow<'static, str>,
    /// ID of the changed object. 0 if there is none: the sign-in of the operator, and exports over
    /// all stores.
    pub subject: u64,
}

/// The login or key that changed something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The kind.
    pub kind: ActorKind,
    /// ID of the store, the user, the key or the courier. `None` for the operator.
    pub id: Option<u64>,
    /// Its name at that time. `None` for the operator, for couriers and for keys without a name.
    pub name: Option<String>,
}

/// The kind of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ActorKind {
    /// The operator's token.
    Operator,
    /// A store's own login.
    StoreLogin,
    /// A user of a store.
    User,
    /// An API key.
    Key,
    /// A courier.
    Courier,
}

impl ActorKind {
    /// Every kind.
    pub const ALL: [ActorKind; 5] = [
        ActorKind::Operator,
        ActorKind::StoreLogin,
        ActorKind::User,
        ActorKind::Key,
        ActorKind::Courier,
    ];

    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            ActorKind::Operator => "OPERATOR",
            ActorKind::StoreLogin => "STORE_LOGIN",
            ActorKind::User => "USER",
            ActorKind::Key => "KEY",
            ActorKind::Courier => "COURIER",
        }
    }
}

/// An entry with the ID that the commit assigned.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditRecord {
    /// The ID.
    pub id: u64,
    /// The entry.
    pub entry: AuditEntry,
}
