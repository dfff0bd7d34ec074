//! Loads a network from an extract or from a road file, whichever the source contains.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::Path;

use crate::error::RoadsError;
use crate::network::Roads;
use crate::road_file;

impl Roads {
    /// Reads an extract or a road file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is not a complete extract or road file, or
    /// contains no roads.
    pub fn load(path: &Path) -> Result<Roads, RoadsError> {
        Roads::read(BufReader::with_capacity(1 << 20, File::open(path)?))
    }

    /// Reads an extract from memory, as in a browser.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a complete extract, or contain no roads.
    pub fn from_bytes(bytes: &[u8]) -> Result<Roads, RoadsError> {
        Roads::read(Cursor::new(bytes))
    }

    /// Reads an extract or a road file from a seekable source. An extract is read twice.
    ///
    /// # Errors
    ///
    /// Returns an error if the source cannot be read, is not a complete extract or road file, or
    /// contains no roads.
    pub fn read(mut extract: impl Read + Seek) -> Result<Roads, RoadsError> {
        if road_file::is_road_file(&mut extract)? {
            road_file::read(extract)
        } else {
            Roads::of_extract(extract)
        }
    }
}
