//! Queries and statements for users and for the audit log.

use despacho_core::{
    changes::Write,
    host::{AuditQuery, HostError, UserQuery},
    model::{
        StoreId,
        audit::{AuditEntry, AuditRecord},
        store::User,
    },
};

use crate::{Query, Row, Statement, Value, statement::versioned};

/// The email must be neither a store's nor another user's, and the store must exist. The index
/// enforces unique emails of users if there is a race. PostgreSQL infers parameter types from the
/// select list, so they are cast.
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
    Ok(User {
        version,
        ..row.json()?
    })
}

pub(crate) fn user(write: &Write<User>) -> Result<Statement, HostError> {
    let user = &write.value;
    let columns = [
        Value::number(user.store.get()),
        user.email.key().into(),
        user.removed_at.into(),
        Value::json(user)?,
    ];
    Ok(versioned(
        INSERT_USER,
        UPDATE_USER,
        Value::number(user.id.get()),
        write.expected,
        columns,
    ))
}

const INSERT_ENTRY: &str = "INSERT INTO audit (store, matrix, at, body) \
     VALUES ($1, COALESCE((SELECT stores.matrix FROM stores WHERE stores.id = $1), $1), $2, $3)";

pub(crate) fn entry(entry: &AuditEntry) -> Result<Statement, HostError> {
    let params = vec![number(entry.store), entry.at.into(), Value::json(entry)?];
    Ok(Statement::one(INSERT_ENTRY, params))
}

pub(crate) fn audit(query: AuditQuery) -> Query {
    let AuditQuery {
        merchant,
        store,
        before,
        limit,
    } = query;
    let sql = match (merchant, store) {
        (Some(_), _) => {
            "SELECT id, body FROM audit WHERE matrix = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
        }
        (None, Some(_)) => {
            "SELECT id, body FROM audit WHERE store = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
        }
        (None, None) => "SELECT id, body FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2",
    };
    let mut params: Vec<Value> = merchant
        .or(store)
        .map(|store| number(Some(store)))
        .into_iter()
        .collect();
    params.push(before.map_or(Value::Integer(i64::MAX), Value::number));
    params.push(Value::number(limit));
    Query::new(sql, params)
}

/// Decodes a row of `id, body`.
pub(crate) fn to_record(row: &mut Row) -> Result<AuditRecord, HostError> {
    let id = u64::try_from(row.integer()?).unwrap_or_default();
    Ok(AuditRecord {
        id,
        entry: row.json()?,
    })
}

fn number(store: Option<StoreId>) -> Value {
    store.map_or(Value::Null, |store| Value::number(store.get()))
}
