//! The SQLite driver of Despacho: one writer thread with group commit, and several reader
//! connections.
//!
//! A commit is on disk before its response (`synchronous = FULL`, write-ahead log). Flushing
//! dominates the cost of a commit, so requests that wait during one flush share the next. Readers
//! never wait for the writer.

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
