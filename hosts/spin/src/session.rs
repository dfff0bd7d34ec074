//! One connection to either database.

use std::time::Duration;

use despacho_core::host::HostError;
use despacho_sql::{Dialect, Row, Value};

use crate::{postgres, sqlite};

/// Maximum time to open a connection, including the wait for a free one in the runtime's pool.
pub(crate) const OPEN_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time of a read, a single write or a transaction.
pub(crate) const STATEMENT_TIMEOUT: Duration = Duration::from_secs(10);

/// An open connection.
pub(crate) enum Session {
    /// To Spin's SQLite.
    Sqlite(spin_sdk::sqlite::Connection),
    /// To PostgreSQL.
    Postgres(spin_sdk::pg::Connection),
}

impl Session {
    /// Opens a connection to PostgreSQL, or to Spin's SQLite without a URL.
    pub(crate) async fn open(url: Option<&str>) -> Result<Session, HostError> {
        match url {
            Some(url) => postgres::open(url).await.map(Session::Postgres),
            None => sqlite::open().await.map(Session::Sqlite),
        }
    }

    /// Runs one statement and returns its rows.
    pub(crate) async fn rows(&self, sql: &str, params: &[Value]) -> Result<Vec<Row>, HostError> {
        match self {
            Session::Sqlite(connection) => sqlite::rows(connection, sql, params).await,
            Session::Postgres(connection) => postgres::rows(connection, sql, params).await,
        }
    }

    /// Runs one statement without returning rows.
    pub(crate) async fn run(&self, sql: &str, params: &[Value]) -> Result<(), HostError> {
        match self {
            Session::Sqlite(connection) => sqlite::run(connection, sql, params).await,
            Session::Postgres(connection) => postgres::run(connection, sql, params).await.map(drop),
        }
    }

    /// Runs one write and returns the number of affected rows.
    pub(crate) async fn touch(&self, sql: &str, params: &[Value]) -> Result<u64, HostError> {
        match self {
            Session::Sqlite(connection) => {
                sqlite::run(connection, sql, params).await?;
                Ok(connection.changes().await)
            }
            Session::Postgres(connection) => postgres::run(connection, sql, params).await,
        }
    }

    /// Opens a connection for one request. Its commits are flushed to disk before they are
    /// reported.
    pub(crate) async fn open_own(url: Option<&str>) -> Result<Session, HostError> {
        let session = Session::open(url).await?;
        if let Session::Sqlite(connection) = &session {
            sqlite::run(connection, "PRAGMA synchronous = FULL", &[]).await?;
            // Overwrites deleted data: an erased name must not remain in a free page.
            sqlite::rows(connection, "PRAGMA secure_delete = ON", &[]).await?;
        }
        Ok(session)
    }

    /// Opens a connection to SQLite for the write queue, which retries by itself if the lock is not
    /// free within 15 ms. Without `flushed`, the next flush of any connection also includes the
    /// earlier writes: data on which a commit depends is never lost without the commit.
    pub(crate) async fn open_for_writes(flushed: bool) -> Result<Session, HostError> {
        let session = Session::open(None).await?;
        session.rows("PRAGMA busy_timeout = 15", &[]).await?;
        session
            .run(
                if flushed {
                    "PRAGMA synchronous = FULL"
                } else {
                    "PRAGMA synchronous = NORMAL"
                },
                &[],
            )
            .await?;
        Ok(session)
    }

    /// Begins a transaction. SQLite takes its write lock at once: a transaction that found it taken
    /// after its reads would have to be aborted.
    pub(crate) async fn begin(&self) -> Result<(), HostError> {
        match self {
            Session::Sqlite(connection) => sqlite::run(connection, "BEGIN IMMEDIATE", &[]).await,
            Session::Postgres(connection) => {
                postgres::run(connection, "BEGIN", &[]).await.map(drop)
            }
        }
    }

    /// Begins a transaction that excludes others of its kind in all instances.
    pub(crate) async fn begin_exclusive(&self) -> Result<(), HostError> {
        // The holder of the lock may be hashing passwords, which takes long.
        if let Session::Sqlite(connection) = self {
            sqlite::rows(connection, "PRAGMA busy_timeout = 20000", &[]).await?;
        }
        self.begin().await?;
        match self {
            Session::Sqlite(_) => Ok(()),
            Session::Postgres(connection) => postgres::run(connection, Dialect::EXCLUSIVE, &[])
                .await
                .map(drop),
        }
    }

    /// Enables the write-ahead log. Without it every commit writes the file twice and blocks
    /// readers.
    pub(crate) async fn write_ahead(&self) -> Result<(), HostError> {
        match self {
            Session::Sqlite(connection) => {
                sqlite::rows(connection, "PRAGMA journal_mode = WAL", &[])
                    .await
                    .map(drop)
            }
            Session::Postgres(_) => Ok(()),
        }
    }

    /// Returns whether the database has no file.
    pub(crate) async fn is_in_memory(&self) -> Result<bool, HostError> {
        let files = self
            .rows(
                "SELECT file FROM pragma_database_list WHERE name = 'main'",
                &[],
            )
            .await?;
        let file = files
            .into_iter()
            .next()
            .map(|mut row| row.optional_text())
            .transpose()?
            .flatten();
        Ok(file.is_none_or(|file| file.is_empty()))
    }

    /// Returns the SQL dialect.
    pub(crate) fn dialect(&self) -> Dialect {
        match self {
            Session::Sqlite(_) => Dialect::Sqlite,
            Session::Postgres(_) => Dialect::Postgres,
        }
    }
}
