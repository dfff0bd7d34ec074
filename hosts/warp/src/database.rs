//! The databases of the server as one type, so that the core is compiled only once for both.

use std::future::Future;

use despacho_core::host::HostError;
use despacho_postgres::Postgres;
use despacho_sql::{Driver, Query, Row, Statement};
use despacho_sqlite::{Sqlite, Stats};

/// An open database.
#[derive(Debug)]
pub(crate) enum AnyDatabase {
    /// The file in the data folder.
    Sqlite(Sqlite),
    /// A PostgreSQL server.
    Postgres(Postgres),
}

/// Evaluates an expression for the database of any variant.
macro_rules! each {
    ($any:expr, $database:ident => $result:expr) => {
        match $any {
            AnyDatabase::Sqlite($database) => $result,
            AnyDatabase::Postgres($database) => $result,
        }
    };
}

impl AnyDatabase {
    /// Runs work under a lock that excludes other instances. SQLite has only one.
    pub(crate) async fn exclusively<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, HostError> {
        match self {
            AnyDatabase::Sqlite(_) => Ok(work.await),
            AnyDatabase::Postgres(database) => database.exclusively(work).await,
        }
    }

    /// Checks that the database accepts reads and writes.
    pub(crate) async fn ready(&self) -> Result<(), HostError> {
        each!(self, database => database.ready().await)
    }

    /// Returns the statistics. On PostgreSQL a group is one pipeline.
    pub(crate) fn stats(&self) -> Stats {
        match self {
            AnyDatabase::Sqlite(database) => database.stats(),
            AnyDatabase::Postgres(database) => {
                let stats = database.stats();
                Stats {
                    commits: stats.commits,
                    conflicts: stats.conflicts,
                    failures: stats.failures,
                    groups: stats.pipelines,
                    reads: stats.reads,
                    queued_writes: stats.waiting,
                    ..Stats::default()
                }
            }
        }
    }

    /// Returns the statistics of the PostgreSQL connection pool.
    pub(crate) fn connections(&self) -> Option<despacho_postgres::Stats> {
        match self {
            AnyDatabase::Sqlite(_) => None,
            AnyDatabase::Postgres(database) => Some(database.stats()),
        }
    }

    /// Completes queued work, then closes the database.
    pub(crate) async fn close(&self) -> Result<(), HostError> {
        each!(self, database => database.close().await)
    }
}

impl Driver for AnyDatabase {
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError> {
        each!(self, database => database.read(query).await)
    }

    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
        each!(self, database => database.write_returning(query).await)
    }

    async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError> {
        each!(self, database => database.transact(statements).await)
    }

    async fn transact_each(&self, transactions: Vec<Vec<Statement>>) -> Vec<Result<(), HostError>> {
        each!(self, database => database.transact_each(transactions).await)
    }
}
