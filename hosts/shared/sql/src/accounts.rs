//! Queries and statements for users.

use despacho_core::{
    changes::Write,
    host::{HostError, UserQuery},
    model::store::User,
};

use crate::{Query, Row, Statement, Value, statement::versioned};

/// The email must be neither a store's nor another user's, and the store must exist. The index enforces unique emails of users if there is a
/// race. PostgreSQL infers parameter types from the select list, so they are cast.
const INSERT_USER: &str = "INSERT INTO users (id, version, store, email, removed_at, body) \
     SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS BIGINT), CAST($6 AS TEXT) \
     WHERE EXISTS (SELECT 1 FROM stores WHERE stores.id = $3 AND stores.deleted_at IS NULL) AND NOT EXISTS \
     (SELECT 1 FROM stores WHERE stores.email = $4 AND stores.deleted_at IS NULL) ON CONFLICT DO NOTHING";

/// The store and the email of a user never change.
const UPDATE_USER: &str = "UPDATE users SET version = $1, store = $2, email = $3, removed_at = $4, body = $5 \
     WHERE id = $6 AND version = $7";

pub(crate) fn users(query: UserQuery<'_>) -> Query {
    match query {
        UserQuery::Id(id) => Query::new(
            "SELECT version, body FROM users WHERE id = $1 AND removed_at IS NULL",
            vec![Value::number(id.get())],
        ),
        UserQuery::Email(email) => Query::new(
            "SELECT version, body FROM users WHERE email = $1 AND removed_at IS NULL",
            vec![email.key().into()],
        ),
        UserQuery::Store(store) => Query::new(
            "SELECT version, body FROM users WHERE store = $1 AND removed_at IS NULL ORDER BY id",
            vec![Value::number(store.get())],
        ),
    }
}

/// Decodes a row of `version, body`.
pub(crate) fn to_user(row: &mut Row) -> Result<User, HostError> {
    let version = row.small()?;
    Ok(User { version, ..row.json()? })
}

pub(crate) fn user(write: &Write<User>) -> Result<Statement, HostError> {
    let user = &write.value;
    let columns =
        [Value::number(user.store.get()), user.email.key().into(), user.removed_at.into(), Value::json(user)?];
    Ok(versioned(INSERT_USER, UPDATE_USER, Value::number(user.id.get()), write.expected, columns))
}
