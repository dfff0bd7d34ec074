//! Errors of loading and writing roads.

use std::fmt;

use crate::pbf::DecodeError;

/// An error of loading or writing roads.
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
    /// A road file is truncated or damaged.
    DamagedRoadFile {
        /// The invalid part.
        part: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// A road file has the format of another version of this program.
    RoadFileVersion {
        /// The version of the file's format.
        found: u32,
        /// The version that this program reads.
        supported: u32,
    },
    /// There is too little memory for a part of the network.
    Memory {
        /// The bytes that the part needs.
        bytes: usize,
    },
    /// The extract uses a feature or a compression that this reader does not support.
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
            RoadsError::Read(error) => write!(f, "the roads could not be read: {error}"),
            RoadsError::Write(error) => write!(f, "the roads could not be written: {error}"),
            RoadsError::Damaged { block, reason } => {
                write!(
                    f,
                    "not a complete .osm.pbf extract: block {block}: {reason}; download the file again"
                )
            }
            RoadsError::DamagedRoadFile { part, reason } => {
                write!(
                    f,
                    "not a complete road file: {part}: {reason}; build it again with `despacho roads build`"
                )
            }
            RoadsError::RoadFileVersion { found, supported } if found > supported => write!(
                f,
                "the road file has format {found} of a newer program, and this one reads format {supported}; update the program, or \
                 build the file again with `despacho roads build`"
            ),
            RoadsError::RoadFileVersion { found, supported } => write!(
                f,
                "the road file has the earlier format {found}, and this program reads format {supported}; build it again with \
                 `despacho roads build`"
            ),
            RoadsError::Memory { bytes } => {
                write!(
                    f,
                    "there is too little memory for {} MB of roads; use a smaller region",
                    bytes.div_ceil(1_000_000)
                )
            }
            RoadsError::Unsupported(feature) => write!(
                f,
                "the extract uses {feature}, which is not supported; use the extract as its server publishes it, or convert it with \
                 `osmium cat -f pbf,pbf_compression=zlib`"
            ),
            RoadsError::NoRoads => f.write_str("the extract contains no roads for motor vehicles"),
            RoadsError::TooLarge => {
                f.write_str("the extract contains too many roads; use a smaller region")
            }
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
