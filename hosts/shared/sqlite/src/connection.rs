//! Opens connections, migrates the schema and runs statements.

use std::{
    fs::{self, OpenOptions},
    io::ErrorKind,
    path::Path,
    time::Duration,
};

use despacho_core::host::HostError;
use despacho_sql::{Dialect, Row, SchemaError, SchemaState, Value, is_ahead, pending};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, config::DbConfig, types::ValueRef,
};

use crate::error::host_error;

/// The reason that a database cannot be opened.
#[derive(Debug, PartialEq, Eq)]
pub enum OpenError {
    /// The schema is too new for this program.
    Schema(SchemaError),
    /// The file system does not support shared memory, which the write-ahead log needs. Usually it
    /// is a network share.
    NoWriteAheadLog,
    /// The file does not exist.
    Missing,
    /// The file is empty.
    Empty,
    /// The file is missing or empty, but its write-ahead log is not.
    OrphanedLog,
    /// The file has this table of another application.
    Foreign(String),
    /// The file is not a database, or is damaged.
    Damaged(String),
    /// SQLite or the file system failed.
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
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                OpenError::Damaged(error.to_string())
            }
            _ => OpenError::Database(error.to_string()),
        }
    }
}

/// Maximum time to wait for the write of another process, for example an operator's command.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Pages between two checkpoints (16 MiB). Each checkpoint delays a group by one more flush.
const CHECKPOINT_PAGES: u32 = 4_096;
/// Maximum size of the log's file after a checkpoint, if a long read let it grow: what the next
/// checkpoint needs again. A smaller file would be extended with each write until then.
const MAX_LOG_BYTES: u32 = 16 << 20;
/// Maximum prepared statements of a connection, more than there are distinct statements.
const MAX_PREPARED: usize = 128;

/// Opens the connection that writes and migrates the schema.
pub(crate) fn open_writer(path: &Path, create: bool) -> Result<Connection, OpenError> {
    check_file(path, create)?;
    create_private(path)?;
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if let Some(table) = foreign_table(&connection)? {
        return Err(OpenError::Foreign(table));
    }
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(OpenError::NoWriteAheadLog);
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On macOS an ordinary flush only reaches the disk's cache.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Overwrites deleted data, so that erased names do not remain in free pages.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "cache_size", -16_384)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", MAX_LOG_BYTES)?;
    keep_statements_prepared(&connection)?;
    migrate(&connection)?;
    Ok(connection)
}

/// Opens a read-only connection.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "cache_size", -8_192)?;
    keep_statements_prepared(&connection)?;
    Ok(connection)
}

/// Keeps statements prepared, independently of their parameters.
///
/// Without the query planner stability guarantee, SQLite plans a statement again for each value
/// bound to an indexed column, which costs more than most reads.
fn keep_statements_prepared(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(MAX_PREPARED);
    Ok(())
}

/// Runs a query. Each distinct SQL text is prepared once per connection.
pub(crate) fn query(
    connection: &Connection,
    sql: &str,
    params: &[Value],
) -> Result<Vec<Row>, HostError> {
    let mut statement = connection.prepare_cached(sql).map_err(host_error)?;
    bind(&mut statement, params)?;
    let width = statement.column_count();
    let mut rows = statement.raw_query();
    let mut response = Vec::new();
    while let Some(row) = rows.next().map_err(host_error)? {
        let columns: Result<Vec<Value>, HostError> = (0..width)
            .map(|index| column(row.get_ref(index).map_err(host_error)?))
            .collect();
        response.push(Row::new(columns?));
    }
    Ok(response)
}

/// Runs a write and returns the number of touched rows. Each distinct SQL text is prepared once per
/// connection.
pub(crate) fn execute(
    connection: &Connection,
    sql: &str,
    params: &[Value],
) -> Result<u64, HostError> {
    let mut statement = connection.prepare_cached(sql).map_err(host_error)?;
    bind(&mut statement, params)?;
    Ok(statement.raw_execute().map_err(host_error)? as u64)
}

fn bind(statement: &mut rusqlite::CachedStatement<'_>, params: &[Value]) -> Result<(), HostError> {
    if statement.parameter_count() != params.len() {
        let detail = format!(
            "{} parameters expected, {} given",
            statement.parameter_count(),
            params.len()
        );
        return Err(HostError::Internal { detail });
    }
    for (index, value) in (1..).zip(params) {
        let bound = match value {
            Value::Null => statement.raw_bind_parameter(index, rusqlite::types::Null),
            Value::Integer(number) => statement.raw_bind_parameter(index, number),
            Value::Text(text) => statement.raw_bind_parameter(index, text.as_str()),
            Value::Bytes(bytes) => statement.raw_bind_parameter(index, &bytes[..]),
        };
        bound.map_err(host_error)?;
    }
    Ok(())
}

fn column(value: ValueRef<'_>) -> Result<Value, HostError> {
    let unexpected = |what: &str| HostError::Internal {
        detail: format!("reading a row: {what} in a column"),
    };
    match value {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Ok(Value::Integer(number)),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Value::Text(text.to_owned())),
            Err(_) => Err(unexpected("text that is not UTF-8")),
        },
        ValueRef::Real(_) => Err(unexpected("a floating-point number")),
        ValueRef::Blob(bytes) => Ok(Value::Bytes(bytes.to_vec().into())),
    }
}

/// Migrates the schema in one transaction, or leaves it unchanged on failure. If it is current,
/// this does not wait for other writers.
fn migrate(connection: &Connection) -> Result<(), OpenError> {
    // A new database has no table of versions. The migration below reports any other error.
    if let Ok(schema_state) = schema_state(connection)
        && pending(Dialect::Sqlite, schema_state)
            .map_err(OpenError::Schema)?
            .is_empty()
    {
        return Ok(());
    }
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let migrated = migrate_within(connection);
    connection.execute_batch(if migrated.is_ok() {
        "COMMIT"
    } else {
        "ROLLBACK"
    })?;
    migrated
}

fn migrate_within(connection: &Connection) -> Result<(), OpenError> {
    connection.execute_batch(&Dialect::Sqlite.version_table())?;
    for migration in
        pending(Dialect::Sqlite, schema_state(connection)?).map_err(OpenError::Schema)?
    {
        for step in &migration.steps {
            connection.execute_batch(step)?;
        }
    }
    Ok(())
}

fn schema_state(connection: &Connection) -> Result<SchemaState, rusqlite::Error> {
    let query = |sql| connection.query_row(sql, [], |row| row.get::<_, Option<i64>>(0));
    let version = query(Dialect::VERSION_QUERY)?;
    let min_compatible = if is_ahead(version) {
        query(Dialect::MIN_COMPATIBLE_QUERY)?
    } else {
        None
    };
    Ok(SchemaState {
        version,
        min_compatible,
    })
}

/// Moves the write-ahead log into the database and truncates it, so that no earlier version of a
/// row remains in it. Returns false if a reader prevented it.
///
/// # Errors
/// The database cannot be opened or written.
pub fn truncate_log(path: &Path) -> Result<bool, OpenError> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
        row.get::<_, i64>(0)
    })?;
    Ok(busy == 0)
}

/// Checks the file before SQLite opens it: SQLite would make a new database of a missing or empty
/// file and delete its log.
fn check_file(path: &Path, create: bool) -> Result<(), OpenError> {
    let unreadable =
        |error: std::io::Error| OpenError::Database(format!("{}: {error}", path.display()));
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

/// Returns a table of another application if the database has no schema of Despacho.
fn foreign_table(connection: &Connection) -> Result<Option<String>, rusqlite::Error> {
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
               AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'schema_version') ORDER BY name LIMIT 1";
    connection.query_row(sql, [], |row| row.get(0)).optional()
}

/// Creates the file with access for its owner only, because it contains names and phone numbers.
/// SQLite creates the log with the same permissions.
pub(crate) fn create_private(path: &Path) -> Result<(), OpenError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let created = options.open(path);
    created
        .map(drop)
        .map_err(|error| OpenError::Database(format!("{}: {error}", path.display())))
}
