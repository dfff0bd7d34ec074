//! From SQLite's errors to faults.

use despacho_core::host::HostError;
use despacho_sql::STORAGE;
use rusqlite::{Error, ErrorCode, ffi};

/// The part's name in the documentation.
const DATABASE: &str = "database";

/// What an error of SQLite means for a request.
pub(crate) fn host_error(error: Error) -> HostError {
    let detail = error.to_string();
    let Error::SqliteFailure(ffi::Error { code, extended_code }, _) = error else {
        return HostError::Internal { detail };
    };
    // Statements ask before they write, so that this is a race that an index caught.
    if matches!(extended_code, ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY) {
        return HostError::Conflict;
    }
    match code {
        ErrorCode::DiskFull | ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::ReadOnly => {
            storage(detail)
        }
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::DatabaseCorrupt
        | ErrorCode::NotADatabase
        | ErrorCode::OutOfMemory => unavailable(detail),
        _ => HostError::Internal { detail },
    }
}

/// The disk is full, failing or read-only.
pub(crate) fn storage(detail: impl Into<String>) -> HostError {
    HostError::Unavailable { what: STORAGE, detail: detail.into() }
}

/// The database cannot answer now.
pub(crate) fn unavailable(detail: impl Into<String>) -> HostError {
    HostError::Unavailable { what: DATABASE, detail: detail.into() }
}
