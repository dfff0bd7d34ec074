//! People who log in to the panel besides a store's own login.

use serde::{Deserialize, Serialize};

use super::KeyHash;
use crate::model::{Email, StoreId, Timestamp, UserId};

/// What a login may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Role {
    /// Everything that the store may do. The store's own login and API keys have this role.
    #[default]
    Owner,
    /// Daily work with orders, without keys, webhooks, money, users and settings.
    Clerk,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 2] = [Role::Owner, Role::Clerk];

    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Role::Owner => "OWNER",
            Role::Clerk => "CLERK",
        }
    }
}

/// A user of a store. The row of a removed user is deleted with the retention of the audit log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct User {
    /// The ID.
    pub id: UserId,
    /// Number of times the user was written, starting at 1.
    pub version: u32,
    /// The store.
    pub store: StoreId,
    /// The name.
    pub name: String,
    /// Email address for login, unique among users that are not removed and stores.
    pub email: Email,
    /// The role.
    pub role: Role,
    /// Argon2id hash of the password in PHC format. `None` until the user has set one.
    pub password_hash: Option<String>,
    /// The link with which the user sets a password.
    pub link: Option<PasswordLink>,
    /// Fingerprints of the addresses from which the login last succeeded, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of removal.
    pub removed_at: Option<Timestamp>,
}

/// A link that sets a password once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasswordLink {
    /// Hash of its code.
    pub hash: KeyHash,
    /// Time at which it expires.
    pub expires_at: Timestamp,
}

/// The user of a session, as of the login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionUser {
    /// The ID.
    pub id: UserId,
    /// The name.
    pub name: String,
    /// The role.
    pub role: Role,
}
