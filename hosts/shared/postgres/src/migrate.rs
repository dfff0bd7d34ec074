//! Runs the schema's migrations, on one instance at a time.

use deadpool_postgres::tokio_postgres::{Client, SimpleQueryMessage};
use despacho_sql::{Dialect, SchemaError, SchemaState, is_ahead, migrations, pending};

use crate::{
    error::{PgError, text},
    server::Kind,
};

/// The reason that a database cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// The schema is too new for this program.
    Schema(SchemaError),
    /// The schema has this table of another application.
    Foreign(String),
    /// The server, the network or the address failed.
    Database(String),
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenError::Schema(error) => error.fmt(f),
            OpenError::Foreign(table) => write!(
                f,
                "it belongs to another application (it has a table `{table}` and no schema of Despacho); \
                 name an empty database"
            ),
            OpenError::Database(detail) => f.write_str(detail),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<tokio_postgres::Error> for OpenError {
    fn from(error: tokio_postgres::Error) -> OpenError {
        match PgError::from(error) {
            PgError::Permanent(error) => OpenError::Database(error.to_string()),
            PgError::Retryable(detail) | PgError::ConnectionLost(detail) => {
                OpenError::Database(detail)
            }
        }
    }
}

/// Removes the timeouts of a transaction that can wait long.
pub(crate) const NO_TIMEOUTS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
     SET LOCAL idle_in_transaction_session_timeout = 0";
/// This driver's own table, which stores the markers of transactions.
const CREATE_MARKERS: &str = "CREATE TABLE IF NOT EXISTS commit_marks (at BIGINT NOT NULL, salt BIGINT NOT NULL, PRIMARY KEY (at, salt))";
/// Finds a table that exists before the first migration and belongs to no extension.
const FOREIGN_TABLE: &str = "SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace \
     AND c.relkind IN ('r', 'p') AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') \
     AND to_regclass('schema_version') IS NULL ORDER BY 1 LIMIT 1";
/// The SQLSTATE of a missing table.
const UNDEFINED_TABLE: &str = "42P01";

/// Migrates the schema, or leaves it unchanged on failure. If it is current, this takes no lock and
/// needs no right to change tables.
pub(crate) async fn migrate(client: &Client, kind: Kind) -> Result<(), OpenError> {
    if is_current(client).await? {
        return Ok(());
    }
    if !kind.locks() {
        // Steps change objects that earlier steps created, which not every server supports within
        // one transaction.
        return steps(client, kind).await;
    }
    client.batch_execute("BEGIN").await?;
    let migrated = async {
        client.batch_execute(NO_TIMEOUTS).await?;
        client.batch_execute(Dialect::EXCLUSIVE).await?;
        steps(client, kind).await
    };
    let migrated = migrated.await;
    client
        .batch_execute(if migrated.is_ok() {
            "COMMIT"
        } else {
            "ROLLBACK"
        })
        .await?;
    migrated
}

/// Rejects every schema except the current one: a newer schema can contain data that this program
/// would leave behind.
pub(crate) async fn require_current_schema(client: &Client) -> Result<(), OpenError> {
    let newest = migrations(Dialect::Postgres)
        .last()
        .map(|newest| i64::from(newest.version));
    if is_current(client).await? && schema_state(client).await?.version == newest {
        return Ok(());
    }
    let detail =
        "its schema is not the one of this version; start this version's server on it first";
    Err(OpenError::Database(detail.to_owned()))
}

async fn steps(client: &Client, kind: Kind) -> Result<(), OpenError> {
    client
        .batch_execute(&Dialect::Postgres.version_table())
        .await?;
    for migration in
        pending(Dialect::Postgres, schema_state(client).await?).map_err(OpenError::Schema)?
    {
        for step in &migration.steps {
            let result = client.batch_execute(&kind.step(step)).await;
            result.map_err(|error| {
                OpenError::Database(format!(
                    "version {} of the schema: {}: {step}",
                    migration.version,
                    text(&error)
                ))
            })?;
        }
    }
    Ok(client.batch_execute(CREATE_MARKERS).await?)
}

/// Whether no migration is pending. A schema that is too new for this program is an error.
async fn is_current(client: &Client) -> Result<bool, OpenError> {
    let found = match schema_state(client).await {
        Err(error)
            if error
                .code()
                .is_some_and(|state| state.code() == UNDEFINED_TABLE) =>
        {
            return first(client, FOREIGN_TABLE)
                .await?
                .map_or(Ok(false), |table| Err(OpenError::Foreign(table)));
        }
        found => found?,
    };
    if !pending(Dialect::Postgres, found)
        .map_err(OpenError::Schema)?
        .is_empty()
    {
        return Ok(false);
    }
    match client
        .batch_execute("SELECT 1 FROM commit_marks LIMIT 1")
        .await
    {
        Err(error)
            if error
                .code()
                .is_some_and(|state| state.code() == UNDEFINED_TABLE) =>
        {
            Ok(false)
        }
        result => Ok(result.map(|()| true)?),
    }
}

async fn schema_state(client: &Client) -> Result<SchemaState, tokio_postgres::Error> {
    let version = number(client, Dialect::VERSION_QUERY).await?;
    let min_compatible = if is_ahead(version) {
        number(client, Dialect::MIN_COMPATIBLE_QUERY).await?
    } else {
        None
    };
    Ok(SchemaState {
        version,
        min_compatible,
    })
}

async fn number(client: &Client, sql: &str) -> Result<Option<i64>, tokio_postgres::Error> {
    Ok(first(client, sql).await?.and_then(|text| text.parse().ok()))
}

/// Returns the first column of the first row. It uses no prepared statement, because a pooler in
/// transaction mode would lose it.
pub(crate) async fn first(
    client: &Client,
    sql: &str,
) -> Result<Option<String>, tokio_postgres::Error> {
    let messages = client.simple_query(sql).await?;
    Ok(messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}
