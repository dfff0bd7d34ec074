//! Queries for users and for the audit log.

use crate::model::{Email, StoreId, UserId, store::User};

/// A query for users. Removed users are excluded.
#[derive(Clone, Copy, Debug)]
pub enum UserQuery<'a> {
    /// The user with this ID.
    Id(UserId),
    /// The user with this email address, in upper or lower case.
    Email(&'a Email),
    /// The users of a store, by ID.
    Store(StoreId),
}

impl UserQuery<'_> {
    /// Returns the users that match the query. `users` must be sorted by ID.
    pub fn scan<'r>(&self, users: impl Iterator<Item = &'r User>) -> Vec<User> {
        let is_match = |user: &&User| match *self {
            UserQuery::Id(id) => user.id == id,
            UserQuery::Email(email) => user.email.key() == email.key(),
            UserQuery::Store(store) => user.store == store,
        };
        users
            .filter(|user| user.removed_at.is_none())
            .filter(is_match)
            .cloned()
            .collect()
    }
}

/// A query for the audit log. Without a store and a merchant it returns the entries of all stores
/// and couriers.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditQuery {
    /// Only entries of this parent store and its branches, removed ones too.
    pub merchant: Option<StoreId>,
    /// Only entries of this store.
    pub store: Option<StoreId>,
    /// Only entries with a lower ID.
    pub before: Option<u64>,
    /// The maximum number of results.
    pub limit: u32,
}
