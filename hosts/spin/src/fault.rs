//! The part's name, and what its failures have in common.

use despacho_core::host::Fault;

/// The part's name in the documentation.
const DATABASE: &str = "database";

/// The database cannot answer now.
pub(crate) fn unavailable(detail: impl Into<String>) -> Fault {
    Fault::Unavailable { what: DATABASE, detail: detail.into() }
}

/// Something that cannot happen did.
pub(crate) fn internal(detail: impl Into<String>) -> Fault {
    Fault::Internal { detail: detail.into() }
}
