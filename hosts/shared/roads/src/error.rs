//! Errors of loading an extract.

use std::fmt;

use crate::pbf::DecodeError;

/// An error of loading an extract.
#[derive(Debug)]
pub enum RoadsError {
    /// The extract could not be read.
    Read(std::io::Error),
    /// A new extract could not be written.
    Write(std::io::Error),
    /// The extract is truncated, damaged or not an `.osm.pbf` file.
    Damaged {
        /// The index of the invalid block, from 0.
        block: u64,
        /// The reason.
        reason: &'static str,
    },
    /// The extract requires a feature that this reader does not support.
    Unsupported(String),
    /// The extract is valid but contains no road network for motor vehicles.
    NoRoads,
    /// The extract contains more roads than 32-bit indices can address. Use a smaller region.
    TooLarge,
}

impl RoadsError {
    pub(crate) fn in_block(block: u64) -> impl Fn(DecodeError) -> RoadsError {
        move |DecodeError(reason)| RoadsError::Damaged { block, reason }
    }
}

impl From<std::io::Error> for RoadsError {
    fn from(error: std::io::Error) -> RoadsError {
        RoadsError::Read(error)
    }
}

impl fmt::Display for RoadsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoadsError::Read(error) => write!(f, "the extract could not be read: {error}"),
            RoadsError::Write(error) => write!(f, "the extract could not be written: {error}"),
            RoadsError::Damaged { block, reason } => {
                write!(f, "not a complete .osm.pbf extract: block {block}: {reason}; download the file again")
            }
            RoadsError::Unsupported(feature) => write!(f, "the extract uses {feature}, which is not supported"),
            RoadsError::NoRoads => f.write_str("the extract contains no roads for motor vehicles"),
            RoadsError::TooLarge => f.write_str("the extract contains too many roads; use a smaller region"),
        }
    }
}

impl std::error::Error for RoadsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RoadsError::Read(error) | RoadsError::Write(error) => Some(error),
            _ => None,
        }
    }
}
