//! Reads the blocks of a file and decompresses them one at a time.

use std::io::Read;

use flate2::{Decompress, FlushDecompress, Status};

use super::protobuf::{DecodeError, Fields, Packed, Value, zigzag};
use crate::coord::Coord;
use crate::error::RoadsError;

/// The limits of the format: 64 KiB per header, 32 MiB per block.
const HEADER_LIMIT: u64 = 64 << 10;
const BLOCK_LIMIT: u64 = 32 << 20;

/// The type of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlobKind {
    Header,
    Data,
    /// A type that readers must skip.
    Other,
}

/// The area that an extract covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) low: Coord,
    pub(crate) high: Coord,
}

impl Bounds {
    pub(crate) fn contains(&self, coord: Coord) -> bool {
        (self.low.lat..=self.high.lat).contains(&coord.lat)
            && (self.low.lon..=self.high.lon).contains(&coord.lon)
    }
}

/// A reader of the blocks of a file.
pub(crate) struct Blobs<R> {
    file: R,
    index: u64,
    compressed: Vec<u8>,
    decompressed: Vec<u8>,
}

impl<R: Read> Blobs<R> {
    pub(crate) fn new(file: R) -> Blobs<R> {
        Blobs {
            file,
            index: 0,
            compressed: Vec::new(),
            decompressed: Vec::new(),
        }
    }

    /// Reads the next block without decompressing it. Returns `None` at the end of the file.
    pub(crate) fn read_next(&mut self) -> Result<Option<(u64, BlobKind)>, RoadsError> {
        let index = self.index;
        let damaged = |reason| RoadsError::Damaged {
            block: index,
            reason,
        };
        let mut length = [0u8; 4];
        match read_full(&mut self.file, &mut length)? {
            0 => return Ok(None),
            4 => {}
            _ => return Err(damaged("its length is truncated")),
        }
        let length = u64::from(u32::from_be_bytes(length));
        if length > HEADER_LIMIT {
            return Err(damaged("its header is longer than the format allows"));
        }
        self.load(length)?;
        let (kind, size) = blob_header(&self.compressed).map_err(RoadsError::in_block(index))?;
        if size > BLOCK_LIMIT {
            return Err(damaged("it is longer than the format allows"));
        }
        self.load(size)?;
        self.index += 1;
        Ok(Some((index, kind)))
    }

    /// Returns the current block, decompressed.
    pub(crate) fn decompress(&mut self) -> Result<&[u8], RoadsError> {
        let block = self.index.saturating_sub(1);
        decompress(&self.compressed, &mut self.decompressed, block)?;
        Ok(&self.decompressed)
    }

    fn load(&mut self, length: u64) -> Result<(), RoadsError> {
        self.compressed.clear();
        let read = (&mut self.file)
            .take(length)
            .read_to_end(&mut self.compressed)?;
        if read as u64 == length {
            return Ok(());
        }
        Err(RoadsError::Damaged {
            block: self.index,
            reason: "it is truncated",
        })
    }
}

fn read_full(file: &mut impl Read, buffer: &mut [u8]) -> Result<usize, std::io::Error> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read(&mut buffer[read..]) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

fn blob_header(bytes: &[u8]) -> Result<(BlobKind, u64), DecodeError> {
    let (mut kind, mut size) = (None, None);
    for field in Fields::new(bytes) {
        match field? {
            (1, Value::Bytes(b"OSMHeader")) => kind = Some(BlobKind::Header),
            (1, Value::Bytes(b"OSMData")) => kind = Some(BlobKind::Data),
            (1, Value::Bytes(_)) => kind = Some(BlobKind::Other),
            (3, Value::Number(length)) => size = Some(length),
            _ => {}
        }
    }
    kind.zip(size)
        .ok_or(DecodeError("its header has no type or no length"))
}

fn decompress(blob: &[u8], decompressed: &mut Vec<u8>, block: u64) -> Result<(), RoadsError> {
    decompressed.clear();
    let mut size = 0;
    let mut compressed = None;
    for field in Fields::new(blob) {
        match field.map_err(RoadsError::in_block(block))? {
            (1, Value::Bytes(raw)) => {
                decompressed.extend_from_slice(raw);
                return Ok(());
            }
            (2, Value::Number(length)) => size = length,
            (3, Value::Bytes(data)) => compressed = Some(data),
            (number @ 4..=7, Value::Bytes(_)) => {
                let name = ["LZMA", "bzip2", "LZ4", "Zstandard"];
                let name = usize::try_from(number - 4)
                    .ok()
                    .and_then(|index| name.get(index))
                    .copied();
                return Err(RoadsError::Unsupported(format!(
                    "the compression {}",
                    name.unwrap_or_default()
                )));
            }
            _ => {}
        }
    }
    let damaged = |reason| RoadsError::Damaged { block, reason };
    let data = compressed.ok_or_else(|| damaged("it contains no data"))?;
    if size > BLOCK_LIMIT {
        return Err(damaged("it is longer than the format allows"));
    }
    decompressed.reserve_exact(usize::try_from(size).unwrap_or(0));
    let mut inflater = Decompress::new(true);
    let status = inflater.decompress_vec(data, decompressed, FlushDecompress::Finish);
    if !matches!(status, Ok(Status::StreamEnd)) || decompressed.len() as u64 != size {
        return Err(damaged("it cannot be decompressed"));
    }
    Ok(())
}

/// The header of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Header {
    /// The covered area, if it is stated.
    pub(crate) bounds: Option<Bounds>,
    /// Whether ways contain the locations of their nodes. The file may then lack the nodes
    /// themselves.
    pub(crate) has_locations: bool,
}

/// Reads the file's header. Returns an error if the file uses an unknown feature: optional ones
/// too, because they can change where a reader finds something, as `LocationsOnWays` does.
pub(crate) fn header(bytes: &[u8], block: u64) -> Result<Header, RoadsError> {
    let (mut bounds, mut has_locations) = (None, false);
    for field in Fields::new(bytes) {
        match field.map_err(RoadsError::in_block(block))? {
            (1, Value::Bytes(area)) => {
                bounds = Some(read_bounds(area).map_err(RoadsError::in_block(block))?)
            }
            (4 | 5, Value::Bytes(feature)) => match String::from_utf8_lossy(feature).as_ref() {
                "OsmSchema-V0.6" | "DenseNodes" => {}
                "LocationsOnWays" => has_locations = true,
                // The first three describe the file; the last one, when it was made.
                "Has_Metadata" | "Sort.Type_then_ID" | "Sort.Geographic" => {}
                feature if feature.starts_with("timestamp=") => {}
                feature => return Err(RoadsError::Unsupported(format!("the feature {feature}"))),
            },
            _ => {}
        }
    }
    let bounds =
        bounds.filter(|area: &Bounds| area.low.lat < area.high.lat && area.low.lon < area.high.lon);
    Ok(Header {
        bounds,
        has_locations,
    })
}

fn read_bounds(bytes: &[u8]) -> Result<Bounds, DecodeError> {
    let mut sides = [0i32; 4];
    for field in Fields::new(bytes) {
        if let (side @ 1..=4, Value::Number(raw)) = field? {
            // Nanodegrees.
            let degrees = i32::try_from(zigzag(raw) / 100)
                .map_err(|_| DecodeError("its area is out of range"))?;
            sides[usize::try_from(side - 1).unwrap_or(0)] = degrees;
        }
    }
    let [left, right, top, bottom] = sides;
    Ok(Bounds {
        low: Coord {
            lat: bottom,
            lon: left,
        },
        high: Coord {
            lat: top,
            lon: right,
        },
    })
}

/// Returns the numbers of a packed field.
pub(super) fn packed<'a>(value: Value<'a>) -> Packed<'a> {
    match value {
        Value::Bytes(bytes) => Packed::new(bytes),
        _ => Packed::new(&[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pbf::encode;

    #[test]
    fn other_compressions_are_rejected_by_name() {
        for (field, name) in [(4, "LZMA"), (5, "bzip2"), (6, "LZ4"), (7, "Zstandard")] {
            let mut blob = Vec::new();
            encode::number(&mut blob, 2, 3);
            encode::bytes(&mut blob, field, b"abc");
            let error = decompress(&blob, &mut Vec::new(), 1)
                .expect_err("another compression")
                .to_string();
            assert!(
                error.contains(&format!(
                    "uses the compression {name}, which is not supported"
                )),
                "{error}"
            );
            assert!(error.contains("osmium cat"), "{error}");
        }
    }
}
