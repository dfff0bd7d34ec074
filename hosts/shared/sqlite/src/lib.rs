//! SQLite under Despacho: one writer thread that commits waiting requests as a group, reader connections beside it.
//!
//! A commit is on disk before it is answered (`synchronous = FULL`, write-ahead log). The flush is what costs, so that requests that
//! wait while one runs share the next. Readers never wait for the writer.

mod admission;
mod backup;
mod connection;
mod database;
mod error;
mod health;
mod log;
mod platform;
mod reader;
mod stats;
mod writer;

pub use backup::{BackupError, BackupReport, backup};
pub use connection::{OpenError, truncate_log};
pub use database::{Options, Sqlite};
pub use platform::{LocalPlatform, changes_access};
pub use stats::Stats;

/// The host on SQLite.
pub type SqliteHost = despacho_sql::SqlHost<Sqlite, LocalPlatform>;
