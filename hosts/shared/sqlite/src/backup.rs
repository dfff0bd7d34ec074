//! Copies the database while it is in use.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use rusqlite::{
    Connection, OpenFlags,
    backup::{Backup, StepResult},
};

use crate::connection::create_private;

/// The content of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackupReport {
    /// Size of the copy in bytes.
    pub bytes: u64,
    /// Its schema version.
    pub schema: i64,
    /// The number of its orders.
    pub orders: i64,
}

/// The reason that a backup failed.
#[derive(Debug, PartialEq, Eq)]
pub enum BackupError {
    /// The file exists. A backup never replaces a file.
    Exists(PathBuf),
    /// The copy failed SQLite's integrity check and was removed.
    Damaged(String),
    /// SQLite or the file system failed.
    Failed(String),
}

impl std::fmt::Display for BackupError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BackupError::Exists(path) => write!(
                f,
                "{} exists; a backup does not replace a file",
                path.display()
            ),
            BackupError::Damaged(detail) => {
                write!(f, "the copy is damaged and was removed: {detail}")
            }
            BackupError::Failed(detail) => write!(f, "the backup failed: {detail}"),
        }
    }
}

impl std::error::Error for BackupError {}

impl From<rusqlite::Error> for BackupError {
    fn from(error: rusqlite::Error) -> BackupError {
        BackupError::Failed(error.to_string())
    }
}

impl From<std::io::Error> for BackupError {
    fn from(error: std::io::Error) -> BackupError {
        BackupError::Failed(error.to_string())
    }
}

/// Pages that one step copies.
const PAGES_PER_STEP: i32 = 2_048;

/// Copies a snapshot of the database `from` to `to` and checks the copy. Another process can write
/// meanwhile. The copy appears under its name after it is complete and on disk. Blocks the thread.
pub fn backup(from: &Path, to: &Path) -> Result<BackupReport, BackupError> {
    if to.exists() {
        return Err(BackupError::Exists(to.to_owned()));
    }
    let mut partial = to.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    remove(&partial)?;
    let report = copy(from, &partial).and_then(|()| check(&partial));
    if report.is_err() {
        remove(&partial)?;
        return report;
    }
    File::open(&partial)?.sync_all()?;
    fs::rename(&partial, to)?;
    if let Some(folder) = to.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        File::open(folder)?.sync_all()?;
    }
    report
}

fn copy(from: &Path, to: &Path) -> Result<(), BackupError> {
    let source = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    source.busy_timeout(std::time::Duration::from_secs(5))?;
    // SQLite would create it with mode 0644.
    create_private(to).map_err(|error| BackupError::Failed(error.to_string()))?;
    let mut target = Connection::open(to)?;
    // The transaction holds a snapshot from its first read. Without it, each write of the server
    // would restart the copy.
    source.execute_batch("BEGIN")?;
    source.query_row("SELECT COUNT(*) FROM schema_version", [], |_| Ok(()))?;
    {
        let backup = Backup::new(&source, &mut target)?;
        loop {
            match backup.step(PAGES_PER_STEP)? {
                StepResult::Done => break,
                StepResult::More => {}
                _ => std::thread::sleep(std::time::Duration::from_millis(5)),
            }
        }
    }
    source.execute_batch("COMMIT")?;
    // Without a write-ahead log, the copy stays a single file when it is opened.
    target.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    Ok(())
}

fn check(copy: &Path) -> Result<BackupReport, BackupError> {
    let connection = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let result: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if result != "ok" {
        return Err(BackupError::Damaged(result));
    }
    let schema = connection.query_row("SELECT MAX(version) FROM schema_version", [], |row| {
        row.get(0)
    })?;
    let orders = connection.query_row("SELECT COUNT(*) FROM orders", [], |row| row.get(0))?;
    Ok(BackupReport {
        bytes: fs::metadata(copy)?.len(),
        schema,
        orders,
    })
}

fn remove(path: &Path) -> Result<(), BackupError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
