//! One connection, whichever database it leads to.

use std::time::Duration;

use despacho_core::host::HostError;
use despacho_sql::{Dialect, Row, Value};

use crate::{postgres, sqlite};

/// How long a connection may take to open, with the wait for a free one in the runtime's pool.
pub(crate) const OPEN_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a read, a single write or a transaction may take.
pub(crate) const STATEMENT_TIMEOUT: Duration = Duration::from_secs(10);

/// An open connection.
pub(crate) enum Session {
    /// To Spin's SQLite.
    Sqlite(spin_sdk::sqlite::Connection),
    /// To PostgreSQL.
    Postgres(spin_sdk::pg::Connection),
}

impl Session {
    /// Opens a connection to PostgreSQL, or to Spin's SQLite where there is no address.
    pub(crate) async fn open(url: Option<&str>) -> Result<Session, HostError> {
        match url {
            Some(url) => postgres::open(url).await.map(Session::Postgres),
            None => sqlite::open().await.map(Session::Sqlite),
        }
    }

    /// The rows of one statement.
    pub(crate) async fn rows(&self, sql: &str, params: &[Value]) -> Result<Vec<Row>, HostError> {
        match self {
            Session::Sqlite(connection) => sqlite::rows(connection, sql, params).await,
            Session::Postgres(connection) => postgres::rows(connection, sql, params).await,
        }
    }

    /// Runs one statement for what it does.
    pub(crate) async fn run(&self, sql: &str, params: &[Value]) -> Result<(), HostError> {
        match self {
            Session::Sqlite(connection) => sqlite::run(connection, sql, params).await,
            Session::Postgres(connection) => postgres::run(connection, sql, params).await.map(drop),
        }
    }

    /// Runs one write, and gives the number of rows that it touched.
    pub(crate) async fn touch(&self, sql: &str, params: &[Value]) -> Result<u64, HostError> {
        match self {
            Session::Sqlite(connection) => {
                sqlite::run(connection, sql, params).await?;
                Ok(connection.changes().await)
            }
            Session::Postgres(connection) => postgres::run(connection, sql, params).await,
        }
    }

    /// Opens a connection of a request's own: its commits are on disk before they are reported.
    pub(crate) async fn open_own(url: Option<&str>) -> Result<Session, HostError> {
        let session = Session::open(url).await?;
        if let Session::Sqlite(connection) = &session {
            sqlite::run(connection, "PRAGMA synchronous = FULL", &[]).await?;
            // What is deleted or replaced is overwritten: an erased name must not remain in a free page.
            sqlite::rows(connection, "PRAGMA secure_delete = ON", &[]).await?;
        }
        Ok(session)
    }

    /// Opens a connection to SQLite for the queue of writes, which tries again itself if SQLite has not found the lock free within 15 ms. Where it does not flush,
    /// a transaction's flush on any connection takes with it what was written before, so that what a commit builds on is never lost alone.
    pub(crate) async fn open_for_writes(flushed: bool) -> Result<Session, HostError> {
        let session = Session::open(None).await?;
        session.rows("PRAGMA busy_timeout = 15", &[]).await?;
        session.run(if flushed { "PRAGMA synchronous = FULL" } else { "PRAGMA synchronous = NORMAL" }, &[]).await?;
        Ok(session)
    }

    /// Begins a transaction. SQLite takes its one lock at once: a transaction that has read and then finds it taken could only be given
    /// up.
    pub(crate) async fn begin(&self) -> Result<(), HostError> {
        match self {
            Session::Sqlite(connection) => sqlite::run(connection, "BEGIN IMMEDIATE", &[]).await,
            Session::Postgres(connection) => postgres::run(connection, "BEGIN", &[]).await.map(drop),
        }
    }

    /// Begins a transaction beside which no other of its kind runs, whichever instance asks.
    pub(crate) async fn begin_exclusive(&self) -> Result<(), HostError> {
        // Whoever is at it may be hashing passwords meanwhile.
        if let Session::Sqlite(connection) = self {
            sqlite::rows(connection, "PRAGMA busy_timeout = 20000", &[]).await?;
        }
        self.begin().await?;
        match self {
            Session::Sqlite(_) => Ok(()),
            Session::Postgres(connection) => postgres::run(connection, Dialect::EXCLUSIVE, &[]).await.map(drop),
        }
    }

    /// Turns the write-ahead log on, without which every commit writes the file twice and readers wait for it.
    pub(crate) async fn write_ahead(&self) -> Result<(), HostError> {
        match self {
            Session::Sqlite(connection) => sqlite::rows(connection, "PRAGMA journal_mode = WAL", &[]).await.map(drop),
            Session::Postgres(_) => Ok(()),
        }
    }

    /// Whether a connection leads to a database without a file.
    pub(crate) async fn is_in_memory(&self) -> Result<bool, HostError> {
        let files = self.rows("SELECT file FROM pragma_database_list WHERE name = 'main'", &[]).await?;
        let file = files.into_iter().next().map(|mut row| row.optional_text()).transpose()?.flatten();
        Ok(file.is_none_or(|file| file.is_empty()))
    }

    /// Which SQL it speaks.
    pub(crate) fn dialect(&self) -> Dialect {
        match self {
            Session::Sqlite(_) => Dialect::Sqlite,
            Session::Postgres(_) => Dialect::Postgres,
        }
    }
}
