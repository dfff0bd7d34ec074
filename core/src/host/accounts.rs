//! Queries for users.

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
        users.filter(|user| user.removed_at.is_none()).filter(is_match).cloned().collect()
    }
}
