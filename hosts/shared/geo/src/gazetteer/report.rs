//! The result of a build.

use std::path::PathBuf;

use despacho_core::geo::cnefe::RowError;

/// Maximum malformed rows that a report names.
pub(super) const MAX_NAMED_ROWS: usize = 20;

/// Maximum share of malformed rows, in percent. The register has hardly any, so a file with more is
/// damaged or has another layout, and its pack would lack addresses that the one in use may have.
pub const MAX_MALFORMED_PERCENT: u64 = 1;

/// A row that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MalformedRow {
    /// The file.
    pub path: PathBuf,
    /// The line number, from 1. In a zip it counts the lines of all csv files.
    pub line: u64,
    /// The reason.
    pub error: RowError,
}

/// The result of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows that were read, without headers.
    pub rows: u64,
    /// Skipped rows by error, in the order of [`RowError::ALL`].
    pub errors: [u64; RowError::ALL.len()],
    /// The first malformed rows.
    pub named: Vec<MalformedRow>,
    /// Distinct addresses among the rows.
    pub distinct: u64,
    /// Records of CEP5, CEP, streets and doors.
    pub records: [u64; 4],
    /// Size of the pack in bytes.
    pub pack_bytes: u64,
}

impl Report {
    /// Returns the number of skipped rows.
    pub fn malformed(&self) -> u64 {
        self.errors.iter().sum()
    }
}
