//! The errors of a build.

use std::io;
use std::path::PathBuf;

/// Why there is no pack.
#[derive(Debug)]
pub enum BuildError {
    /// No file was named, or the folders hold none.
    NoOutput,
    /// A file could not be read.
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A zip is damaged.
    Zip {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        error: zip::result::ZipError,
    },
    /// A zip without a csv file.
    NoCsv {
        /// Which.
        path: PathBuf,
    },
    /// Rows were read, and every one is malformed: the files are not the register's.
    NoRows {
        /// How many.
        rows: u64,
    },
    /// The pack or a file beside it could not be written.
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
            BuildError::NoOutput => write!(f, "no csv or zip file to read"),
            BuildError::Read { path, error } => write!(f, "{}: {error}", path.display()),
            BuildError::Zip { path, error } => write!(f, "{}: {error}", path.display()),
            BuildError::NoCsv { path } => write!(f, "{}: no csv file in it", path.display()),
            BuildError::NoRows { rows } => {
                write!(f, "none of {rows} rows is of the register: 34 columns parted by semicolons are wanted")
            }
            BuildError::Write(error) => write!(f, "the pack could not be written: {error}"),
        }
    }
}

impl std::error::Error for BuildError {}
