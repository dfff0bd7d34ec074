//! The part's name, and what its failures have in common.

use despacho_core::host::HostError;

/// The part's name in the documentation.
const DATABASE: &str = "database";

/// The database cannot answer now.
pub(crate) fn unavailable(detail: impl Into<String>) -> HostError {
    HostError::Unavailable { what: DATABASE, detail: detail.into() }
}

/// What a write reports if another process holds SQLite's lock for too long.
const LOCKED: &str = "database is locked";

/// Another process holds SQLite's lock.
pub(crate) fn locked() -> HostError {
    unavailable(LOCKED)
}

/// Whether SQLite's lock was not free: nothing was written, and the same may succeed later.
pub(crate) fn is_locked(error: &HostError) -> bool {
    matches!(error, HostError::Unavailable { what: DATABASE, detail } if detail.contains("locked") || detail.contains("busy"))
}

/// Something that cannot happen did.
pub(crate) fn internal(detail: impl Into<String>) -> HostError {
    HostError::Internal { detail: detail.into() }
}
