//! Maps SQLite's errors to host errors.

use despacho_core::host::HostError;
use despacho_sql::STORAGE;
use rusqlite::{Error, ErrorCode, ffi};

/// The name of this part in errors and the documentation.
const DATABASE: &str = "database";

/// Maps an error of SQLite.
pub(crate) fn host_error(error: Error) -> HostError {
    let detail = error.to_string();
    let Error::SqliteFailure(
        ffi::Error {
            code,
            extended_code,
        },
        _,
    ) = error
    else {
        return HostError::Internal { detail };
    };
    // Statements check unique values before they write, so an index found a race.
    if matches!(
        extended_code,
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
    ) {
        return HostError::Conflict;
    }
    match code {
        ErrorCode::DiskFull
        | ErrorCode::SystemIoFailure
        | ErrorCode::CannotOpen
        | ErrorCode::ReadOnly => storage(detail),
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::DatabaseCorrupt
        | ErrorCode::NotADatabase
        | ErrorCode::OutOfMemory => unavailable(detail),
        ErrorCode::OperationInterrupted => HostError::Timeout { what: DATABASE },
        _ => HostError::Internal { detail },
    }
}

/// Returns the error of a disk that is full, failing or read-only.
pub(crate) fn storage(detail: impl Into<String>) -> HostError {
    HostError::Unavailable {
        what: STORAGE,
        detail: detail.into(),
    }
}

/// Returns the error of a database that is unavailable.
pub(crate) fn unavailable(detail: impl Into<String>) -> HostError {
    HostError::Unavailable {
        what: DATABASE,
        detail: detail.into(),
    }
}
