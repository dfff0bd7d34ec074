//! An open database: its writer, readers and health.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use despacho_core::host::HostError;
use despacho_sql::{Driver, Query, Row, Statement, WriteHealth, WriteState};

use crate::{
    backup::{BackupError, BackupReport, backup},
    connection::{OpenError, open_writer},
    health::Health,
    reader::{ReadLimits, Readers},
    stats::{Counters, Stats},
    writer::Writer,
};

/// The limits of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Reader threads, each with a connection.
    pub readers: usize,
    /// Maximum queued writes, and maximum queued reads; further ones fail.
    pub queue: usize,
    /// Maximum time of a write or read in its queue.
    pub timeout: Duration,
    /// Maximum time of a read after the queue.
    pub read_timeout: Duration,
    /// Maximum writes that are committed together.
    pub group: usize,
    /// Whether to create a new database if the file is missing or empty; otherwise this is an
    /// error.
    pub create: bool,
}

impl Default for Options {
    fn default() -> Options {
        let (timeout, read_timeout) = (Duration::from_secs(5), Duration::from_secs(30));
        Options {
            readers: 2,
            queue: 4_096,
            timeout,
            read_timeout,
            group: 256,
            create: true,
        }
    }
}

/// An open SQLite database.
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    writer: Writer,
    readers: Readers,
    counters: Arc<Counters>,
    health: Health,
}

impl Sqlite {
    /// Opens the database in this file, or creates it if `options` allow that, and migrates its
    /// schema. Blocks the thread.
    pub fn open(path: &Path, options: &Options) -> Result<Sqlite, OpenError> {
        let counters = Arc::new(Counters::default());
        let health = Health::new();
        let Options {
            readers,
            queue,
            timeout,
            read_timeout,
            group,
            create,
        } = *options;
        let connection = open_writer(path, create)?;
        let limits = ReadLimits {
            queue,
            waiting: timeout,
            running: read_timeout,
        };
        let readers = Readers::start(path, readers, limits, Arc::clone(&counters))?;
        let writer = Writer::start(
            connection,
            queue,
            timeout,
            group.max(1),
            Arc::clone(&counters),
            health.clone(),
        );
        let writer = writer.map_err(|error| OpenError::Database(error.to_string()))?;
        Ok(Sqlite {
            path: path.to_owned(),
            writer,
            readers,
            counters,
            health,
        })
    }

    /// Returns the counters.
    pub fn stats(&self) -> Stats {
        self.counters.stats()
    }

    /// Checks that both queues advance, with an empty transaction and a read, and that the last
    /// write reached the disk.
    pub async fn ready(&self) -> Result<(), HostError> {
        let statements = match self.health.state() {
            WriteState::Healthy => Vec::new(),
            WriteState::Failing(error) => return Err(error),
            WriteState::ProbeDue => {
                let now = SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default()
                    .as_millis();
                vec![WriteHealth::probe(u64::try_from(now).unwrap_or_default())]
            }
        };
        self.writer.transact(statements).await?;
        self.readers
            .read(Query {
                sql: "SELECT 1".into(),
                params: Vec::new(),
            })
            .await
            .map(drop)
    }

    /// Copies a snapshot of the database to a new file, while requests continue, and checks the
    /// copy.
    pub async fn backup_to(&self, path: &Path) -> Result<BackupReport, BackupError> {
        let (from, to) = (self.path.clone(), path.to_owned());
        let copied = tokio::task::spawn_blocking(move || backup(&from, &to)).await;
        copied.unwrap_or_else(|error| Err(BackupError::Failed(error.to_string())))
    }

    /// Finishes all queued reads and writes, then closes. Later calls fail; a second close does
    /// nothing.
    pub async fn close(&self) -> Result<(), HostError> {
        // The writer closes last: the last connection moves the log into the database, which a
        // reader cannot do.
        join(self.readers.close()).await?;
        join(self.writer.close().into_iter().collect()).await
    }
}

async fn join(threads: Vec<JoinHandle<()>>) -> Result<(), HostError> {
    let joined =
        tokio::task::spawn_blocking(move || threads.into_iter().try_for_each(JoinHandle::join))
            .await;
    match joined {
        Ok(Ok(())) => Ok(()),
        _ => Err(HostError::Internal {
            detail: "a thread of the database ended early".to_owned(),
        }),
    }
}

impl Driver for Sqlite {
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.readers.read(query).await
    }

    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.writer.returning(query).await
    }

    async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError> {
        self.writer.transact(statements).await
    }

    async fn transact_each(&self, transactions: Vec<Vec<Statement>>) -> Vec<Result<(), HostError>> {
        self.writer.transact_each(transactions).await
    }
}

#[cfg(test)]
mod tests {
    use despacho_core::{
        changes::Changes,
        drivers::clock,
        host::{Host, Platform, Storage},
        model::{OrderId, StoreId, Timestamp},
        rules::{lifecycle::Timing, settings::Settings},
    };

    use super::*;
    use crate::{LocalPlatform, SqliteHost};

    fn assert_send<T: Send>(value: T) -> T {
        value
    }

    fn host(folder: &tempfile::TempDir) -> SqliteHost {
        let database =
            Sqlite::open(&folder.path().join("despacho.db"), &Options::default()).unwrap();
        SqliteHost::new(database, LocalPlatform::new().unwrap(), Timing::default())
    }

    /// The core's traits have no `Send` bound, but a server that spawns requests needs it.
    #[tokio::test]
    async fn futures_move_between_threads() {
        let folder = tempfile::tempdir().unwrap();
        let host = Arc::new(host(&folder));
        let (order, store) = (OrderId::new(1).unwrap(), StoreId::new(1).unwrap());
        assert_eq!(assert_send(host.order(order)).await, Ok(None));
        assert_eq!(assert_send(host.store(store)).await, Ok(None));
        assert_eq!(assert_send(host.commit(&Changes::default())).await, Ok(()));
        assert_eq!(assert_send(host.align_deadlines()).await, Ok(0));
        assert!(
            assert_send(host.hash_password("correct horse", [1; 16]))
                .await
                .is_ok()
        );
        let spawned = Arc::clone(&host);
        let pass = tokio::spawn(async move {
            clock::run_pass(
                &*spawned,
                &Settings::default(),
                Timestamp::from_millis(1),
                10,
            )
            .await
        });
        assert_eq!(pass.await.unwrap(), Ok(0));
        assert_eq!(assert_send(host.driver().ready()).await, Ok(()));
        assert_eq!(assert_send(host.driver().close()).await, Ok(()));
    }

    /// `.cargo/config.toml` sets the option. Without it, a creation writes pages to a temporary
    /// file and takes 30 to 60 % longer.
    #[test]
    fn sqlite_keeps_the_pages_of_savepoints_in_memory() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let mut query = connection.prepare("PRAGMA compile_options").unwrap();
        let options: Vec<String> = query
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert!(
            options.iter().any(|option| option == "STMTJRNL_SPILL=-1"),
            "{options:?}"
        );
    }

    #[tokio::test]
    async fn closed_database_rejects_calls_and_closes_again() {
        let folder = tempfile::tempdir().unwrap();
        let host = host(&folder);
        assert!(host.ids(3).await.is_ok());
        host.driver().close().await.unwrap();
        host.driver().close().await.unwrap();
        assert!(matches!(
            host.commit(&Changes::default()).await,
            Err(HostError::Unavailable { .. })
        ));
        assert!(matches!(
            host.order(OrderId::new(1).unwrap()).await,
            Err(HostError::Unavailable { .. })
        ));
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["despacho.db"], "the log was moved into the database");
        assert_eq!(host.driver().stats().commits, 1);
    }
}
