//! The schema's migrations, one instance at a time.

use deadpool_postgres::tokio_postgres::{Client, SimpleQueryMessage};
use despacho_sql::{Dialect, SchemaError, SchemaState, is_ahead, migrations, pending};

use crate::{
    error::{PgError, text},
    server::Kind,
};

/// Why a database is not opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// Its schema is too new for this program.
    Schema(SchemaError),
    /// Its schema holds tables of another application, of which this is one.
    Foreign(String),
    /// The server, the network or the address would not.
    Database(String),
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenError::Schema(error) => error.fmt(f),
            OpenError::Foreign(table) => write!(
                f,
                "it belongs to another application (it has a table `{table}` and no schema of Despacho): \
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
            PgError::Retryable(detail) | PgError::ConnectionLost(detail) => OpenError::Database(detail),
        }
    }
}

/// What a transaction that may wait long is told first.
pub(crate) const NO_TIMEOUTS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
     SET LOCAL idle_in_transaction_session_timeout = 0";
/// This driver's own table: what it knows repeated transactions by.
const MARKS: &str =
    "CREATE TABLE IF NOT EXISTS commit_marks (at BIGINT NOT NULL, salt BIGINT NOT NULL, PRIMARY KEY (at, salt))";
/// A table that is there before the first migration, and that no extension brought.
const FOREIGN_TABLE: &str = "SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace \
     AND c.relkind IN ('r', 'p') AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') \
     AND to_regclass('schema_version') IS NULL ORDER BY 1 LIMIT 1";
/// There is no such table.
const NO_TABLE: &str = "42P01";

/// Brings the schema up to date, or leaves it as it was. Where nothing is to be done nothing is locked, and no right to change
/// tables is needed.
pub(crate) async fn migrate(client: &Client, kind: Kind) -> Result<(), OpenError> {
    if is_current(client).await? {
        return Ok(());
    }
    if !kind.locks() {
        // Steps of one version alter what the step before has made, which not every server does within one transaction.
        return steps(client, kind).await;
    }
    client.batch_execute("BEGIN").await?;
    let migrated = async {
        client.batch_execute(NO_TIMEOUTS).await?;
        client.batch_execute(Dialect::EXCLUSIVE).await?;
        steps(client, kind).await
    };
    let migrated = migrated.await;
    client.batch_execute(if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
    migrated
}

/// Refuses every schema but the one that this program knows: one that has grown since may hold what it would leave behind.
pub(crate) async fn demand(client: &Client) -> Result<(), OpenError> {
    let newest = migrations(Dialect::Postgres).last().map(|newest| i64::from(newest.version));
    if is_current(client).await? && schema_state(client).await?.version == newest {
        return Ok(());
    }
    let detail = "it does not have the schema that this program knows: start this version's server on it first";
    Err(OpenError::Database(detail.to_owned()))
}

async fn steps(client: &Client, kind: Kind) -> Result<(), OpenError> {
    client.batch_execute(&Dialect::Postgres.version_table()).await?;
    for migration in pending(Dialect::Postgres, schema_state(client).await?).map_err(OpenError::Schema)? {
        for step in &migration.steps {
            let done = client.batch_execute(&kind.step(step)).await;
            done.map_err(|error| {
                OpenError::Database(format!("version {} of the schema: {}: {step}", migration.version, text(&error)))
            })?;
        }
    }
    Ok(client.batch_execute(MARKS).await?)
}

/// Whether there is nothing to do; a schema that is too new for this program is refused.
async fn is_current(client: &Client) -> Result<bool, OpenError> {
    let found = match schema_state(client).await {
        Err(error) if error.code().is_some_and(|state| state.code() == NO_TABLE) => {
            return first(client, FOREIGN_TABLE).await?.map_or(Ok(false), |table| Err(OpenError::Foreign(table)));
        }
        found => found?,
    };
    if !pending(Dialect::Postgres, found).map_err(OpenError::Schema)?.is_empty() {
        return Ok(false);
    }
    match client.batch_execute("SELECT 1 FROM commit_marks LIMIT 1").await {
        Err(error) if error.code().is_some_and(|state| state.code() == NO_TABLE) => Ok(false),
        there => Ok(there.map(|()| true)?),
    }
}

async fn schema_state(client: &Client) -> Result<SchemaState, tokio_postgres::Error> {
    let version = number(client, Dialect::VERSION_QUERY).await?;
    let min_compatible = if is_ahead(version) { number(client, Dialect::MIN_COMPATIBLE_QUERY).await? } else { None };
    Ok(SchemaState { version, min_compatible })
}

async fn number(client: &Client, sql: &str) -> Result<Option<i64>, tokio_postgres::Error> {
    Ok(first(client, sql).await?.and_then(|text| text.parse().ok()))
}

/// The first column of the first row, without a prepared statement: a pooler in transaction mode would lose it.
pub(crate) async fn first(client: &Client, sql: &str) -> Result<Option<String>, tokio_postgres::Error> {
    let messages = client.simple_query(sql).await?;
    Ok(messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}
