//! The errors of a build.

use std::io;
use std::path::PathBuf;

use crate::gazetteer::report::{MAX_MALFORMED_PERCENT, Report};

/// The reason that a build failed.
#[derive(Debug)]
pub enum BuildError {
    /// No file was named, or the folders contain none.
    NoInput,
    /// A file could not be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// A zip is damaged.
    Zip {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: zip::result::ZipError,
    },
    /// A zip contains no csv file.
    NoCsv {
        /// The file.
        path: PathBuf,
    },
    /// Every row is malformed, so the files are not the register's.
    NoRows {
        /// The number of rows.
        rows: u64,
    },
    /// Too many rows are malformed.
    MalformedRows {
        /// The rows that were read.
        report: Box<Report>,
    },
    /// The pack or a temporary file could not be written.
    Write(io::Error),
}

impl From<io::Error> for BuildError {
    fn from(error: io::Error) -> BuildError {
        BuildError::Write(error)
    }
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BuildError::NoInput => write!(f, "no csv or zip file to read"),
            BuildError::Read { path, error } => write!(f, "{}: {error}", path.display()),
            BuildError::Zip { path, error } => write!(f, "{}: {error}", path.display()),
            BuildError::NoCsv { path } => {
                write!(f, "{}: the zip contains no csv file", path.display())
            }
            BuildError::NoRows { rows } => {
                write!(
                    f,
                    "none of the {rows} rows is a row of the register, which has 34 columns separated by semicolons"
                )
            }
            BuildError::MalformedRows { report } => {
                let (malformed, rows) = (report.malformed(), report.rows);
                write!(
                    f,
                    "{malformed} of {rows} rows are malformed, more than {MAX_MALFORMED_PERCENT} %"
                )
            }
            BuildError::Write(error) => write!(f, "the pack could not be written: {error}"),
        }
    }
}

impl std::error::Error for BuildError {}
