//! What the suite runs against.

use std::path::PathBuf;

use despacho_core::{host::Host, memory::MemoryHost, order::Timing};
use despacho_sqlite::{LocalPlatform, Options, Sqlite, SqliteHost};
use tempfile::TempDir;

/// A place to keep data, empty at the start.
pub(crate) trait Backend: Sized {
    /// The host on it.
    type Host: Host;

    /// A new and empty one.
    async fn start() -> Self;
    /// The host that is open now.
    fn host(&self) -> &Self::Host;
    /// Closes the host in good order and opens it again.
    async fn restart(self) -> Self;
}

/// The reference host. It cannot restart, so that it just goes on.
pub(crate) struct InMemory(MemoryHost);

impl Backend for InMemory {
    type Host = MemoryHost;

    async fn start() -> InMemory {
        InMemory(MemoryHost::seeded(1))
    }

    fn host(&self) -> &MemoryHost {
        &self.0
    }

    async fn restart(self) -> InMemory {
        self
    }
}

/// SQLite in a folder that goes with the test.
pub(crate) struct OnSqlite {
    folder: TempDir,
    host: SqliteHost,
}

impl OnSqlite {
    /// The database's file.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("despacho.db")
    }

    /// A path beside the database.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Closes the host, and opens it again with other deadlines.
    pub(crate) async fn restart_with(self, timing: Timing) -> OnSqlite {
        self.host.driver().close().await.unwrap();
        OnSqlite::open(self.folder, timing)
    }

    fn open(folder: TempDir, timing: Timing) -> OnSqlite {
        let database = Sqlite::open(&folder.path().join("despacho.db"), &Options::default()).unwrap();
        let host = SqliteHost::new(database, LocalPlatform::new().unwrap(), timing);
        OnSqlite { folder, host }
    }
}

impl Backend for OnSqlite {
    type Host = SqliteHost;

    async fn start() -> OnSqlite {
        OnSqlite::open(tempfile::tempdir().unwrap(), Timing::default())
    }

    fn host(&self) -> &SqliteHost {
        &self.host
    }

    async fn restart(self) -> OnSqlite {
        self.restart_with(Timing::default()).await
    }
}
