//! Spin's SQLite interface. Every open creates a connection, and errors are reported only when the
//! result is read.

use despacho_core::host::HostError;
use despacho_sql::{Row, Value};
use spin_sdk::sqlite::{self, Connection, Error, RowResult};

use crate::error::{internal, unavailable};

/// The error detail if Spin has no state directory: every connection then has its own empty
/// database in memory.
pub(crate) const IN_MEMORY: &str =
    "SQLite has no file, because Spin runs without a state directory";

/// Opens the default database.
pub(crate) async fn open() -> Result<Connection, HostError> {
    Connection::open_default().await.map_err(host_error)
}

/// Runs one statement and returns its rows.
pub(crate) async fn rows(
    connection: &Connection,
    sql: &str,
    params: &[Value],
) -> Result<Vec<Row>, HostError> {
    let response = connection
        .execute(sql, params.iter().map(parameter))
        .await
        .map_err(host_error)?;
    response
        .collect()
        .await
        .map_err(host_error)?
        .into_iter()
        .map(row)
        .collect()
}

/// Runs one statement without returning rows.
pub(crate) async fn run(
    connection: &Connection,
    sql: &str,
    params: &[Value],
) -> Result<(), HostError> {
    let response = connection
        .execute(sql, params.iter().map(parameter))
        .await
        .map_err(host_error)?;
    response.result().await.map_err(host_error)
}

fn parameter(value: &Value) -> sqlite::Value {
    match value {
        Value::Null => sqlite::Value::Null,
        Value::Integer(number) => sqlite::Value::Integer(*number),
        Value::Text(text) => sqlite::Value::Text(text.clone()),
        Value::Bytes(bytes) => sqlite::Value::Blob(bytes.to_vec()),
    }
}

fn row(row: RowResult) -> Result<Row, HostError> {
    let column = |value: sqlite::Value| match value {
        sqlite::Value::Null => Ok(Value::Null),
        sqlite::Value::Integer(number) => Ok(Value::Integer(number)),
        sqlite::Value::Text(text) => Ok(Value::Text(text)),
        sqlite::Value::Real(_) => Err(internal("unexpected column type: floating-point number")),
        sqlite::Value::Blob(bytes) => Ok(Value::Bytes(bytes.into())),
    };
    Ok(Row::new(
        row.values
            .into_iter()
            .map(column)
            .collect::<Result<_, _>>()?,
    ))
}

/// Maps an error. Spin reports most errors as SQLite's text.
fn host_error(error: Error) -> HostError {
    let text = match error {
        Error::NoSuchDatabase | Error::AccessDenied => {
            return unavailable(
                "the component has no SQLite database `default`; see sqlite_databases in spin.toml",
            );
        }
        Error::InvalidConnection => return unavailable("the connection was closed"),
        Error::DatabaseFull => return unavailable("the database is full"),
        Error::Io(text) => text,
    };
    // Requests check uniqueness before they write, so this is a race caught by an index.
    if text.contains("UNIQUE constraint failed") {
        return HostError::Conflict;
    }
    const TRANSIENT: [&str; 8] = [
        "locked",
        "busy",
        "full",
        "disk I/O",
        "unable to open",
        "readonly",
        "malformed",
        "not a database",
    ];
    if TRANSIENT.iter().any(|part| text.contains(part)) {
        unavailable(text)
    } else {
        internal(text)
    }
}
