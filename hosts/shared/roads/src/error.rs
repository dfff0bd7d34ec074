//! Why there are no roads.

use std::fmt;

use crate::pbf::Malformed;

/// Why an extract gives no roads.
#[derive(Debug)]
pub enum RoadsError {
    /// The bytes could not be read.
    Read(std::io::Error),
    /// The bytes are no extract, or one that was cut off or damaged.
    Damaged {
        /// The block of the file that could not be understood, from 0.
        block: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The file needs an ability that this reader does not have.
    Unsupported(String),
    /// The file was read, and holds no road network that a vehicle may use.
    NoRoads,
    /// The file holds more road than 32-bit numbers count; take a smaller region.
    TooLarge,
}

impl RoadsError {
    pub(crate) fn in_block(block: u64) -> impl Fn(Malformed) -> RoadsError {
        move |Malformed(what)| RoadsError::Damaged { block, what }
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
            RoadsError::Damaged { block, what } => {
                write!(f, "not a whole .osm.pbf extract: block {block}: {what}; fetch the file again")
            }
            RoadsError::Unsupported(what) => write!(f, "the extract uses {what}, which is not supported"),
            RoadsError::NoRoads => f.write_str("the extract holds no road that a vehicle may use"),
            RoadsError::TooLarge => f.write_str("the extract holds too many roads; take a smaller region"),
        }
    }
}

impl std::error::Error for RoadsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RoadsError::Read(error) => Some(error),
            _ => None,
        }
    }
}
