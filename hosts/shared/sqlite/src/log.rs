//! The file of the write-ahead log. It grows until a checkpoint, and further while a reader holds
//! an old snapshot, and does not shrink by itself.

use std::{fs, path::PathBuf, time::Duration};

use rusqlite::Connection;

use crate::connection::BUSY_TIMEOUT;

/// Size above which an idle server truncates the log. Below it, some fifty orders do not cost a
/// checkpoint of several flushes.
const MAX_IDLE_BYTES: u64 = 1 << 20;

#[derive(Debug)]
pub(crate) struct Log {
    file: Option<PathBuf>,
}

impl Log {
    pub(crate) fn of(connection: &Connection) -> Log {
        Log {
            file: connection
                .path()
                .map(|path| PathBuf::from(format!("{path}-wal"))),
        }
    }

    pub(crate) fn is_large(&self) -> bool {
        let size = self
            .file
            .as_ref()
            .and_then(|file| fs::metadata(file).ok())
            .map_or(0, |found| found.len());
        size > MAX_IDLE_BYTES
    }

    /// Moves the log's pages into the database and truncates the file, unless a reader needs them.
    pub(crate) fn truncate(&self, connection: &Connection) {
        // After a failure the log is unchanged, and the writer tries again later.
        let _ = connection.busy_timeout(Duration::ZERO);
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let _ = connection.busy_timeout(BUSY_TIMEOUT);
    }
}
