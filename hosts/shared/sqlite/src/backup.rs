//! A copy of the database while it is in use.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use rusqlite::{
    Connection, OpenFlags,
    backup::{Backup, StepResult},
};

use crate::connection::create_private;

/// What was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackupReport {
    /// Size of the copy.
    pub bytes: u64,
    /// The schema's version in it.
    pub schema: i64,
    /// Orders in it.
    pub orders: i64,
}

/// Why there is no copy.
#[derive(Debug, PartialEq, Eq)]
pub enum BackupError {
    /// There is a file of that name; a backup never replaces another.
    Exists(PathBuf),
    /// The copy was made and does not pass SQLite's integrity check; it was removed.
    Damaged(String),
    /// SQLite, the file or the machine would not.
    Failed(String),
}

impl std::fmt::Display for BackupError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BackupError::Exists(path) => write!(f, "{} exists; a backup does not replace a file", path.display()),
            BackupError::Damaged(detail) => write!(f, "the copy is damaged and was removed: {detail}"),
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

/// Pages that are copied between two looks at the source.
const PAGES_AT_ONCE: i32 = 2_048;

/// Copies the database at `from`, as it is at one instant, to `to`, and checks the copy. Another process may be writing. The
/// copy appears under its name once it is whole and on disk. Blocks for as long as that takes.
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
    // The snapshot is held from the first read on: without it, each write of the server would start the copy anew.
    source.execute_batch("BEGIN")?;
    source.query_row("SELECT COUNT(*) FROM schema_version", [], |_| Ok(()))?;
    {
        let backup = Backup::new(&source, &mut target)?;
        loop {
            match backup.step(PAGES_AT_ONCE)? {
                StepResult::Done => break,
                StepResult::More => {}
                _ => std::thread::sleep(std::time::Duration::from_millis(5)),
            }
        }
    }
    source.execute_batch("COMMIT")?;
    // One file, without a log beside it, whatever opens it next.
    target.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    Ok(())
}

fn check(copy: &Path) -> Result<BackupReport, BackupError> {
    let connection = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let verdict: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(BackupError::Damaged(verdict));
    }
    let schema = connection.query_row("SELECT MAX(version) FROM schema_version", [], |row| row.get(0))?;
    let orders = connection.query_row("SELECT COUNT(*) FROM orders", [], |row| row.get(0))?;
    Ok(BackupReport { bytes: fs::metadata(copy)?.len(), schema, orders })
}

fn remove(path: &Path) -> Result<(), BackupError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
