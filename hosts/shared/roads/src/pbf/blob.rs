//! From a file to its blocks, unpacked one at a time.

use std::io::Read;

use flate2::{Decompress, FlushDecompress, Status};

use super::wire::{Fields, Malformed, Packed, Value, signed};
use crate::error::RoadsError;
use crate::place::Place;

/// The format's own limits: a header of 64 KiB, a block of 32 MiB.
const HEADER_LIMIT: u64 = 64 << 10;
const BLOCK_LIMIT: u64 = 32 << 20;

/// What a block of the file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Header,
    Data,
    /// Of a kind that readers must skip.
    Other,
}

/// The area that an extract says it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) low: Place,
    pub(crate) high: Place,
}

impl Bounds {
    pub(crate) fn contains(&self, place: Place) -> bool {
        (self.low.lat..=self.high.lat).contains(&place.lat) && (self.low.lon..=self.high.lon).contains(&place.lon)
    }
}

/// Walks over the blocks of a file.
pub(crate) struct Blobs<R> {
    file: R,
    number: u64,
    packed: Vec<u8>,
    plain: Vec<u8>,
}

impl<R: Read> Blobs<R> {
    pub(crate) fn new(file: R) -> Blobs<R> {
        Blobs { file, number: 0, packed: Vec::new(), plain: Vec::new() }
    }

    /// Reads the next block's packed bytes; `None` at the file's end.
    pub(crate) fn advance(&mut self) -> Result<Option<(u64, Kind)>, RoadsError> {
        let number = self.number;
        let damaged = |what| RoadsError::Damaged { block: number, what };
        let mut length = [0u8; 4];
        match fill(&mut self.file, &mut length)? {
            0 => return Ok(None),
            4 => {}
            _ => return Err(damaged("its length is cut off")),
        }
        let length = u64::from(u32::from_be_bytes(length));
        if length > HEADER_LIMIT {
            return Err(damaged("its header is longer than the format allows"));
        }
        self.load(length)?;
        let (kind, size) = blob_header(&self.packed).map_err(RoadsError::in_block(number))?;
        if size > BLOCK_LIMIT {
            return Err(damaged("it is longer than the format allows"));
        }
        self.load(size)?;
        self.number += 1;
        Ok(Some((number, kind)))
    }

    /// The current block, unpacked.
    pub(crate) fn unpack(&mut self) -> Result<&[u8], RoadsError> {
        let block = self.number.saturating_sub(1);
        unpack(&self.packed, &mut self.plain, block)?;
        Ok(&self.plain)
    }

    fn load(&mut self, length: u64) -> Result<(), RoadsError> {
        self.packed.clear();
        let got = (&mut self.file).take(length).read_to_end(&mut self.packed)?;
        if got as u64 == length {
            return Ok(());
        }
        Err(RoadsError::Damaged { block: self.number, what: "it is cut off" })
    }
}

fn fill(file: &mut impl Read, buffer: &mut [u8]) -> Result<usize, std::io::Error> {
    let mut got = 0;
    while got < buffer.len() {
        match file.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(count) => got += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

fn blob_header(bytes: &[u8]) -> Result<(Kind, u64), Malformed> {
    let (mut kind, mut size) = (None, None);
    for field in Fields::new(bytes) {
        match field? {
            (1, Value::Bytes(b"OSMHeader")) => kind = Some(Kind::Header),
            (1, Value::Bytes(b"OSMData")) => kind = Some(Kind::Data),
            (1, Value::Bytes(_)) => kind = Some(Kind::Other),
            (3, Value::Number(length)) => size = Some(length),
            _ => {}
        }
    }
    kind.zip(size).ok_or(Malformed("its header lacks its kind or its length"))
}

fn unpack(blob: &[u8], plain: &mut Vec<u8>, block: u64) -> Result<(), RoadsError> {
    plain.clear();
    let mut size = 0;
    let mut data = None;
    for field in Fields::new(blob) {
        match field.map_err(RoadsError::in_block(block))? {
            (1, Value::Bytes(raw)) => {
                plain.extend_from_slice(raw);
                return Ok(());
            }
            (2, Value::Number(length)) => size = length,
            (3, Value::Bytes(packed)) => data = Some(packed),
            (4..=7, Value::Bytes(_)) => {
                return Err(RoadsError::Unsupported("a compression other than zlib".to_owned()));
            }
            _ => {}
        }
    }
    let damaged = |what| RoadsError::Damaged { block, what };
    let data = data.ok_or_else(|| damaged("it holds no data"))?;
    if size > BLOCK_LIMIT {
        return Err(damaged("it is longer than the format allows"));
    }
    plain.reserve_exact(usize::try_from(size).unwrap_or(0));
    let mut inflater = Decompress::new(true);
    let status = inflater.decompress_vec(data, plain, FlushDecompress::Finish);
    if !matches!(status, Ok(Status::StreamEnd)) || plain.len() as u64 != size {
        return Err(damaged("it cannot be unpacked"));
    }
    Ok(())
}

/// Reads the file's header: refuses what this reader cannot do, and tells the covered area where it is stated.
pub(crate) fn header(bytes: &[u8], block: u64) -> Result<Option<Bounds>, RoadsError> {
    let mut bounds = None;
    for field in Fields::new(bytes) {
        match field.map_err(RoadsError::in_block(block))? {
            (1, Value::Bytes(area)) => bounds = Some(read_bounds(area).map_err(RoadsError::in_block(block))?),
            (4, Value::Bytes(b"OsmSchema-V0.6" | b"DenseNodes")) => {}
            (4, Value::Bytes(feature)) => {
                return Err(RoadsError::Unsupported(String::from_utf8_lossy(feature).into_owned()));
            }
            _ => {}
        }
    }
    Ok(bounds.filter(|area| area.low.lat < area.high.lat && area.low.lon < area.high.lon))
}

fn read_bounds(bytes: &[u8]) -> Result<Bounds, Malformed> {
    let mut sides = [0i32; 4];
    for field in Fields::new(bytes) {
        if let (side @ 1..=4, Value::Number(raw)) = field? {
            // Billionths of a degree.
            let degrees = i32::try_from(signed(raw) / 100).map_err(|_| Malformed("its area is not on the planet"))?;
            sides[usize::try_from(side - 1).unwrap_or(0)] = degrees;
        }
    }
    let [left, right, top, bottom] = sides;
    Ok(Bounds { low: Place { lat: bottom, lon: left }, high: Place { lat: top, lon: right } })
}

/// Numbers of a packed field; used by the blocks too.
pub(super) fn packed<'a>(value: Value<'a>) -> Packed<'a> {
    match value {
        Value::Bytes(bytes) => Packed::new(bytes),
        _ => Packed::new(&[]),
    }
}
