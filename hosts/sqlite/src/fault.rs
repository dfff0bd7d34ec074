//! From SQLite's errors to faults.

use despacho_core::host::Fault;
use rusqlite::{Error, ErrorCode, ffi};

/// The part's name in the documentation.
const DATABASE: &str = "database";

/// What an error of SQLite means for a request.
pub(crate) fn fault(error: Error) -> Fault {
    let detail = error.to_string();
    let Error::SqliteFailure(ffi::Error { code, extended_code }, _) = error else { return Fault::Internal { detail } };
    // Statements ask before they write, so that this is a race that an index caught.
    if matches!(extended_code, ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY) {
        return Fault::Conflict;
    }
    let for_a_while = matches!(
        code,
        ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::DatabaseCorrupt
            | ErrorCode::OutOfMemory
    );
    if for_a_while { unavailable(detail) } else { Fault::Internal { detail } }
}

/// The database cannot answer now.
pub(crate) fn unavailable(detail: impl Into<String>) -> Fault {
    Fault::Unavailable { what: DATABASE, detail: detail.into() }
}
