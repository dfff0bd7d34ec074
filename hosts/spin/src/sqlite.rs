//! Spin's SQLite: every open is a connection of its own, and errors come with the result alone.

use despacho_core::host::HostError;
use despacho_sql::{Row, Value};
use spin_sdk::sqlite::{self, Connection, Error, RowResult};

use crate::error::{internal, unavailable};

/// What to do if every connection is an empty database of its own, in memory: Spin has no state directory then.
pub(crate) const IN_MEMORY: &str = "SQLite has no file, since Spin runs without a state directory";

/// Opens the default database.
pub(crate) async fn open() -> Result<Connection, HostError> {
    Connection::open_default().await.map_err(host_error)
}

/// The rows of one statement.
pub(crate) async fn rows(connection: &Connection, sql: &str, params: &[Value]) -> Result<Vec<Row>, HostError> {
    let response = connection.execute(sql, params.iter().map(parameter)).await.map_err(host_error)?;
    response.collect().await.map_err(host_error)?.into_iter().map(row).collect()
}

/// Runs one statement for what it does.
pub(crate) async fn run(connection: &Connection, sql: &str, params: &[Value]) -> Result<(), HostError> {
    let response = connection.execute(sql, params.iter().map(parameter)).await.map_err(host_error)?;
    response.result().await.map_err(host_error)
}

fn parameter(value: &Value) -> sqlite::Value {
    match value {
        Value::Null => sqlite::Value::Null,
        Value::Integer(number) => sqlite::Value::Integer(*number),
        Value::Text(text) => sqlite::Value::Text(text.clone()),
    }
}

fn row(row: RowResult) -> Result<Row, HostError> {
    let column = |value: sqlite::Value| match value {
        sqlite::Value::Null => Ok(Value::Null),
        sqlite::Value::Integer(number) => Ok(Value::Integer(number)),
        sqlite::Value::Text(text) => Ok(Value::Text(text)),
        sqlite::Value::Real(_) => Err(internal("reading a row: a floating-point number in a column")),
        sqlite::Value::Blob(_) => Err(internal("reading a row: bytes in a column")),
    };
    Ok(Row::new(row.values.into_iter().map(column).collect::<Result<_, _>>()?))
}

/// What an error means for a request. Spin tells most as SQLite's own text.
fn host_error(error: Error) -> HostError {
    let text = match error {
        Error::NoSuchDatabase | Error::AccessDenied => {
            return unavailable("the component has no SQLite database `default`: see sqlite_databases in spin.toml");
        }
        Error::InvalidConnection => return unavailable("the connection is gone"),
        Error::DatabaseFull => return unavailable("the database is full"),
        Error::Io(text) => text,
    };
    // Statements ask before they write, so that this is a race that an index caught.
    if text.contains("UNIQUE constraint failed") {
        return HostError::Conflict;
    }
    const FOR_A_WHILE: [&str; 8] =
        ["locked", "busy", "full", "disk I/O", "unable to open", "readonly", "malformed", "not a database"];
    if FOR_A_WHILE.iter().any(|part| text.contains(part)) { unavailable(text) } else { internal(text) }
}
