//! `despacho migrate`: copies a database to another one.

use std::path::{Path, PathBuf};

use despacho_postgres::{Address, Postgres};
use despacho_sql::{Dialect, copy, migrations};
use despacho_sqlite::{Options, Sqlite, backup};
use rusqlite::{Connection, OpenFlags};

use super::error::CommandError;
use crate::server::print;

/// Maximum wait for a running server's write to end.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(20);

/// The name of a database on the command line.
enum DatabaseName {
    File(PathBuf),
    Server(Address),
}

/// An open database.
enum OpenDatabase {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// Copies and compares the rows, and prints a summary.
pub(super) async fn migrate(from: Option<String>, to: Option<String>) -> Result<(), CommandError> {
    let from = database_name("--from", "DESPACHO_MIGRATE_FROM", from)?;
    let to = database_name("--to", "DESPACHO_MIGRATE_TO", to)?;
    let (source, lock) = match &from {
        DatabaseName::File(file) => {
            let (database, snapshot) = Snapshot::take(file)?;
            (OpenDatabase::Sqlite(database), Some(snapshot))
        }
        DatabaseName::Server(address) => (
            OpenDatabase::Postgres(postgres(address, false).await?),
            None,
        ),
    };
    let target = match &to {
        DatabaseName::File(file) => OpenDatabase::Sqlite(sqlite(file)?),
        DatabaseName::Server(address) => OpenDatabase::Postgres(postgres(address, true).await?),
    };
    use Dialect::{Postgres as Server, Sqlite as File};
    let copied = match (&source, &target) {
        (OpenDatabase::Sqlite(one), OpenDatabase::Sqlite(other)) => {
            copy((one, File), (other, File)).await
        }
        (OpenDatabase::Sqlite(one), OpenDatabase::Postgres(other)) => {
            copy((one, File), (other, Server)).await
        }
        (OpenDatabase::Postgres(one), OpenDatabase::Sqlite(other)) => {
            copy((one, Server), (other, File)).await
        }
        (OpenDatabase::Postgres(one), OpenDatabase::Postgres(other)) => {
            copy((one, Server), (other, Server)).await
        }
    };
    source.close().await?;
    target.close().await?;
    drop(lock);
    let copied = copied.map_err(|error| error.to_string())?;
    for (table, rows) in &copied {
        print(&format!("{table}: {rows}"))?;
    }
    let rows: u64 = copied.iter().map(|(_, rows)| rows).sum();
    Ok(print(&format!(
        "copied and compared {rows} rows of {} tables; the new instances need the secret of the old ones",
        copied.len()
    ))?)
}

impl OpenDatabase {
    async fn close(&self) -> Result<(), CommandError> {
        let closed = match self {
            OpenDatabase::Sqlite(database) => database.close().await,
            OpenDatabase::Postgres(database) => database.close().await,
        };
        closed.map_err(|error| CommandError::Failed(error.to_string()))
    }
}

/// A snapshot of a file that is locked against writes. The snapshot is deleted on drop.
struct Snapshot {
    snapshot: PathBuf,
    _lock: Connection,
}

impl Snapshot {
    /// Locks a file against writes and opens a snapshot of it. The file itself is not changed.
    fn take(file: &Path) -> Result<(Sqlite, Snapshot), CommandError> {
        let failed = |detail: String| {
            CommandError::Failed(format!("cannot copy {}: {detail}", file.display()))
        };
        let lock = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(|error| failed(error.to_string()))?;
        let known = migrations(Dialect::Sqlite)
            .last()
            .map(|newest| i64::from(newest.version));
        let found: Option<i64> = lock
            .busy_timeout(TIMEOUT)
            .and_then(|()| lock.execute_batch("BEGIN IMMEDIATE"))
            .and_then(|()| lock.query_row(Dialect::VERSION_QUERY, [], |row| row.get(0)))
            .map_err(|error| failed(error.to_string()))?;
        if found != known {
            let detail = format!(
                "its schema version is {}, but this program copies version {}; start this version's server on it first",
                found.unwrap_or_default(),
                known.unwrap_or_default()
            );
            return Err(failed(detail));
        }
        let mut snapshot = file.as_os_str().to_owned();
        snapshot.push(".migrating");
        let snapshot = Snapshot {
            snapshot: snapshot.into(),
            _lock: lock,
        };
        snapshot.remove();
        backup(file, &snapshot.snapshot).map_err(|error| failed(error.to_string()))?;
        Ok((sqlite(&snapshot.snapshot)?, snapshot))
    }

    /// Deletes the snapshot, also one that an interrupted command left.
    fn remove(&self) {
        for ending in ["", "-wal", "-shm", ".partial"] {
            let mut name = self.snapshot.as_os_str().to_owned();
            name.push(ending);
            // Most of these files usually do not exist.
            let _ = std::fs::remove_file(name);
        }
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Parses a flag or its environment variable. Passwords belong in the variable: other users of the
/// machine can read flags.
fn database_name(
    flag: &str,
    variable: &str,
    given: Option<String>,
) -> Result<DatabaseName, CommandError> {
    let Some(text) = given.or_else(|| std::env::var(variable).ok()) else {
        return Err(CommandError::Usage(format!(
            "{flag} or {variable} must name a database"
        )));
    };
    if !text.contains("://") {
        return Ok(DatabaseName::File(text.into()));
    }
    Address::parse(&text)
        .map(DatabaseName::Server)
        .map_err(|error| CommandError::Usage(format!("{flag} {error}, or a file")))
}

fn sqlite(file: &Path) -> Result<Sqlite, CommandError> {
    let opened = Sqlite::open(file, &Options::default());
    opened.map_err(|error| CommandError::Failed(format!("cannot open {}: {error}", file.display())))
}

async fn postgres(address: &Address, migrate: bool) -> Result<Postgres, CommandError> {
    let options = despacho_postgres::Options {
        connections: 2,
        migrate,
        ..Default::default()
    };
    let opened = Postgres::open(address, &options).await;
    opened.map_err(|error| CommandError::Failed(format!("cannot open {address}: {error}")))
}
