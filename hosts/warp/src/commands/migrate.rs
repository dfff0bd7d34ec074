//! `despacho migrate`: everything from one database to another.

use std::path::{Path, PathBuf};

use despacho_postgres::{Address, Postgres};
use despacho_sql::{Dialect, copy, migrations};
use despacho_sqlite::{Options, Sqlite, backup};
use rusqlite::{Connection, OpenFlags};

use super::failure::Failure;
use crate::server::print;

/// For a server that is in the middle of a write.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(20);

/// A database as the command line names it.
enum Named {
    File(PathBuf),
    Server(Address),
}

/// A database that is open.
enum Opened {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// Copies, compares, and says what was copied.
pub(super) async fn migrate(from: Option<String>, to: Option<String>) -> Result<(), Failure> {
    let from = named("--from", "DESPACHO_MIGRATE_FROM", from)?;
    let to = named("--to", "DESPACHO_MIGRATE_TO", to)?;
    let (source, held) = match &from {
        Named::File(file) => {
            let (snapshot, held) = Held::take(file)?;
            (Opened::Sqlite(snapshot), Some(held))
        }
        Named::Server(address) => (Opened::Postgres(postgres(address, false).await?), None),
    };
    let target = match &to {
        Named::File(file) => Opened::Sqlite(sqlite(file)?),
        Named::Server(address) => Opened::Postgres(postgres(address, true).await?),
    };
    use Dialect::{Postgres as Server, Sqlite as File};
    let copied = match (&source, &target) {
        (Opened::Sqlite(one), Opened::Sqlite(other)) => copy((one, File), (other, File)).await,
        (Opened::Sqlite(one), Opened::Postgres(other)) => copy((one, File), (other, Server)).await,
        (Opened::Postgres(one), Opened::Sqlite(other)) => copy((one, Server), (other, File)).await,
        (Opened::Postgres(one), Opened::Postgres(other)) => copy((one, Server), (other, Server)).await,
    };
    source.close().await?;
    target.close().await?;
    drop(held);
    let copied = copied.map_err(|error| error.to_string())?;
    for (table, rows) in &copied {
        print(&format!("{table}: {rows}"))?;
    }
    let rows: u64 = copied.iter().map(|(_, rows)| rows).sum();
    Ok(print(&format!(
        "{rows} rows of {} tables are copied and compared; the new instances need the secret of the old ones",
        copied.len()
    ))?)
}

impl Opened {
    async fn close(&self) -> Result<(), Failure> {
        let closed = match self {
            Opened::Sqlite(database) => database.close().await,
            Opened::Postgres(database) => database.close().await,
        };
        closed.map_err(|error| Failure::Failed(error.to_string()))
    }
}

/// A file that nobody writes to meanwhile, and a snapshot of it that is removed afterwards.
struct Held {
    snapshot: PathBuf,
    _fence: Connection,
}

impl Held {
    /// Keeps writers out of a file, and opens a snapshot of it: the file itself is left as it is.
    fn take(file: &Path) -> Result<(Sqlite, Held), Failure> {
        let failed = |detail: String| Failure::Failed(format!("{} cannot be copied: {detail}", file.display()));
        let fence = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(|error| failed(error.to_string()))?;
        let known = migrations(Dialect::Sqlite).last().map(|newest| i64::from(newest.version));
        let found: Option<i64> = fence
            .busy_timeout(TIMEOUT)
            .and_then(|()| fence.execute_batch("BEGIN IMMEDIATE"))
            .and_then(|()| fence.query_row(Dialect::VERSION_QUERY, [], |row| row.get(0)))
            .map_err(|error| failed(error.to_string()))?;
        if found != known {
            let detail = format!(
                "it has schema version {}, and this program copies version {}: start its own version on it first",
                found.unwrap_or_default(),
                known.unwrap_or_default()
            );
            return Err(failed(detail));
        }
        let mut snapshot = file.as_os_str().to_owned();
        snapshot.push(".migrating");
        let held = Held { snapshot: snapshot.into(), _fence: fence };
        held.remove();
        backup(file, &held.snapshot).map_err(|error| failed(error.to_string()))?;
        Ok((sqlite(&held.snapshot)?, held))
    }

    /// What a command that was killed left behind goes as well.
    fn remove(&self) {
        for ending in ["", "-wal", "-shm", ".partial"] {
            let mut name = self.snapshot.as_os_str().to_owned();
            name.push(ending);
            // What is not there need not go.
            let _ = std::fs::remove_file(name);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.remove();
    }
}

/// What a flag names, or the variable beside it: other users of the machine can read flags.
fn named(flag: &str, variable: &str, given: Option<String>) -> Result<Named, Failure> {
    let Some(text) = given.or_else(|| std::env::var(variable).ok()) else {
        return Err(Failure::Usage(format!("{flag} or {variable} must name a database")));
    };
    if !text.contains("://") {
        return Ok(Named::File(text.into()));
    }
    Address::parse(&text).map(Named::Server).map_err(|error| Failure::Usage(format!("{flag} {error}, or a file")))
}

fn sqlite(file: &Path) -> Result<Sqlite, Failure> {
    let opened = Sqlite::open(file, &Options::default());
    opened.map_err(|error| Failure::Failed(format!("{} cannot be opened: {error}", file.display())))
}

async fn postgres(address: &Address, migrate: bool) -> Result<Postgres, Failure> {
    let options = despacho_postgres::Options { connections: 2, migrate, ..Default::default() };
    let opened = Postgres::open(address, &options).await;
    opened.map_err(|error| Failure::Failed(format!("{address} cannot be opened: {error}")))
}
