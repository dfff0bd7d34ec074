//! Connections: how each is opened, and the schema's migrations.

use std::{
    fs::{self, OpenOptions},
    io::ErrorKind,
    path::Path,
    time::Duration,
};

use despacho_core::host::HostError;
use despacho_sql::{Dialect, Row, SchemaError, SchemaState, Value, is_ahead, pending};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, config::DbConfig, types::ValueRef};

use crate::error::host_error;

/// Why a database is not opened.
#[derive(Debug, PartialEq, Eq)]
pub enum OpenError {
    /// Its schema is too new for this program.
    Schema(SchemaError),
    /// The file system cannot share memory between connections, which the write-ahead log needs: a network share, mostly.
    NoWriteAheadLog,
    /// There is no file.
    Missing,
    /// The file is empty.
    Empty,
    /// The file is missing or empty, and the write-ahead log beside it is not.
    OrphanedLog,
    /// The file holds tables of another application, of which this is one.
    Foreign(String),
    /// The file is not a database, or is damaged.
    Damaged(String),
    /// SQLite, the file or the machine would not.
    Database(String),
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenError::Schema(error) => error.fmt(f),
            OpenError::NoWriteAheadLog => {
                f.write_str("the database's folder does not support a write-ahead log; choose one on a local disk")
            }
            OpenError::Missing => f.write_str("the file does not exist"),
            OpenError::Empty => f.write_str("the file is empty (0 bytes)"),
            OpenError::OrphanedLog => f.write_str(
                "the file is missing or empty, but its log (the file that ends in -wal) holds changes; restore both from a \
                 backup, or move the log away",
            ),
            OpenError::Foreign(table) => {
                write!(f, "it belongs to another application (it has a table `{table}` and no schema of Despacho)")
            }
            OpenError::Damaged(detail) => write!(f, "it is damaged or not a database ({detail}); restore a backup"),
            OpenError::Database(detail) => f.write_str(detail),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> OpenError {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => OpenError::Damaged(error.to_string()),
            _ => OpenError::Database(error.to_string()),
        }
    }
}

/// How long a connection waits for another process, a command of the operator, to finish its write.
pub(crate) const BUSY: Duration = Duration::from_secs(5);
/// The log's size after a long reader has ended: twice what one checkpoint leaves.
pub(crate) const MAX_LOG_BYTES: u64 = 32 << 20;
/// Distinct statements there are, with room to spare; each stays prepared.
const STATEMENTS: usize = 64;

/// The one connection that writes, its schema up to date.
pub(crate) fn open_writer(path: &Path, create: bool) -> Result<Connection, OpenError> {
    examine(path, create)?;
    create_private(path)?;
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    if let Some(table) = foreign_table(&connection)? {
        return Err(OpenError::Foreign(table));
    }
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(OpenError::NoWriteAheadLog);
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Where a plain flush stops at the disk's own cache (macOS), ask for the real one.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What is deleted or replaced is overwritten: an erased name must not remain in a free page.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "cache_size", -16_384)?;
    // Pages between two checkpoints, 16 MiB: every checkpoint holds up a group for one more flush.
    connection.pragma_update(None, "wal_autocheckpoint", 4_096)?;
    connection.pragma_update(None, "journal_size_limit", i64::try_from(MAX_LOG_BYTES).unwrap_or(i64::MAX))?;
    stay_prepared(&connection)?;
    migrate(&connection)?;
    Ok(connection)
}

/// A connection that only reads.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, rusqlite::Error> {
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "cache_size", -8_192)?;
    stay_prepared(&connection)?;
    Ok(connection)
}

/// Keeps every statement prepared, whatever is bound to it.
///
/// Without the query planner's stability guarantee SQLite plans a statement anew for each value bound to an indexed column,
/// which costs more than most reads.
fn stay_prepared(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// Runs a query on a connection, prepared once for each text.
pub(crate) fn query(connection: &Connection, sql: &str, params: &[Value]) -> Result<Vec<Row>, HostError> {
    let mut statement = connection.prepare_cached(sql).map_err(host_error)?;
    bind(&mut statement, params)?;
    let width = statement.column_count();
    let mut rows = statement.raw_query();
    let mut response = Vec::new();
    while let Some(row) = rows.next().map_err(host_error)? {
        let columns: Result<Vec<Value>, HostError> =
            (0..width).map(|index| column(row.get_ref(index).map_err(host_error)?)).collect();
        response.push(Row::new(columns?));
    }
    Ok(response)
}

/// Runs a write on a connection, prepared once for each text, and gives the number of rows that it touched.
pub(crate) fn execute(connection: &Connection, sql: &str, params: &[Value]) -> Result<u64, HostError> {
    let mut statement = connection.prepare_cached(sql).map_err(host_error)?;
    bind(&mut statement, params)?;
    Ok(statement.raw_execute().map_err(host_error)? as u64)
}

fn bind(statement: &mut rusqlite::CachedStatement<'_>, params: &[Value]) -> Result<(), HostError> {
    if statement.parameter_count() != params.len() {
        let detail = format!("{} parameters wanted, {} given", statement.parameter_count(), params.len());
        return Err(HostError::Internal { detail });
    }
    for (index, value) in (1..).zip(params) {
        let bound = match value {
            Value::Null => statement.raw_bind_parameter(index, rusqlite::types::Null),
            Value::Integer(number) => statement.raw_bind_parameter(index, number),
            Value::Text(text) => statement.raw_bind_parameter(index, text.as_str()),
        };
        bound.map_err(host_error)?;
    }
    Ok(())
}

fn column(value: ValueRef<'_>) -> Result<Value, HostError> {
    let wrong = |what: &str| HostError::Internal { detail: format!("reading a row: {what} in a column") };
    match value {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Ok(Value::Integer(number)),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Value::Text(text.to_owned())),
            Err(_) => Err(wrong("text that is not UTF-8")),
        },
        ValueRef::Real(_) => Err(wrong("a floating-point number")),
        ValueRef::Blob(_) => Err(wrong("bytes")),
    }
}

/// Brings the schema up to date in one transaction, or leaves it as it was. Where nothing is to be done nobody is waited for.
fn migrate(connection: &Connection) -> Result<(), OpenError> {
    // In a new database there is no table to ask; whatever else is wrong comes to light below.
    if let Ok(schema_state) = schema_state(connection)
        && pending(Dialect::Sqlite, schema_state).map_err(OpenError::Schema)?.is_empty()
    {
        return Ok(());
    }
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let migrated = migrate_within(connection);
    connection.execute_batch(if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    migrated
}

fn migrate_within(connection: &Connection) -> Result<(), OpenError> {
    connection.execute_batch(&Dialect::Sqlite.version_table())?;
    for migration in pending(Dialect::Sqlite, schema_state(connection)?).map_err(OpenError::Schema)? {
        for step in &migration.steps {
            connection.execute_batch(step)?;
        }
    }
    Ok(())
}

fn schema_state(connection: &Connection) -> Result<SchemaState, rusqlite::Error> {
    let query = |sql| connection.query_row(sql, [], |row| row.get::<_, Option<i64>>(0));
    let version = query(Dialect::VERSION_QUERY)?;
    let min_compatible = if is_ahead(version) { query(Dialect::MIN_COMPATIBLE_QUERY)? } else { None };
    Ok(SchemaState { version, min_compatible })
}

/// Moves the write-ahead log into the database and empties it, so that no earlier version of a row remains in it. Returns false where a
/// reader prevented it.
///
/// # Errors
/// SQLite's own.
pub fn truncate_log(path: &Path) -> Result<bool, String> {
    let checkpoint = || {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(BUSY)?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
    };
    checkpoint().map(|busy| busy == 0).map_err(|error: rusqlite::Error| error.to_string())
}

/// Looks at the file before SQLite does, which makes a new database of a missing or empty one, and deletes the log beside it.
fn examine(path: &Path, create: bool) -> Result<(), OpenError> {
    let unreadable = |error: std::io::Error| OpenError::Database(format!("{}: {error}", path.display()));
    let size = match fs::metadata(path) {
        Ok(found) => Some(found.len()),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(unreadable(error)),
    };
    if size.is_some_and(|size| size > 0) {
        return Ok(());
    }
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if fs::metadata(log).is_ok_and(|found| found.len() > 0) {
        return Err(OpenError::OrphanedLog);
    }
    match size {
        _ if create => Ok(()),
        None => Err(OpenError::Missing),
        Some(_) => Err(OpenError::Empty),
    }
}

/// A table of another application, in a database that has none of ours.
fn foreign_table(connection: &Connection) -> Result<Option<String>, rusqlite::Error> {
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
               AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'schema_version') ORDER BY name LIMIT 1";
    connection.query_row(sql, [], |row| row.get(0)).optional()
}

/// Creates the file for its owner alone, since it holds names and telephone numbers; its log takes over the permissions.
pub(crate) fn create_private(path: &Path) -> Result<(), OpenError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let created = options.open(path);
    created.map(drop).map_err(|error| OpenError::Database(format!("{}: {error}", path.display())))
}
