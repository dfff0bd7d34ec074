//! Constructors of database errors.

use despacho_core::host::HostError;

/// The name of the database in problem texts.
const DATABASE: &str = "database";

/// Returns the error of an unavailable database.
pub(crate) fn unavailable(detail: impl Into<String>) -> HostError {
    HostError::Unavailable {
        what: DATABASE,
        detail: detail.into(),
    }
}

/// The detail if another process holds SQLite's lock for too long.
const LOCKED: &str = "database is locked";

/// Returns the error of a lock that another process holds.
pub(crate) fn locked() -> HostError {
    unavailable(LOCKED)
}

/// Returns whether SQLite's lock was not free. Nothing was written, and a retry may succeed.
pub(crate) fn is_locked(error: &HostError) -> bool {
    matches!(error, HostError::Unavailable { what: DATABASE, detail } if detail.contains("locked") || detail.contains("busy"))
}

/// Returns the error of a bug or a corrupt row.
pub(crate) fn internal(detail: impl Into<String>) -> HostError {
    HostError::Internal {
        detail: detail.into(),
    }
}
