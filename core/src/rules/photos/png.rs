//! PNG files: a signature and a sequence of chunks, each with a checksum. The compressed data is
//! decompressed once, in a window of 32 KiB, to find its end: data behind it does not belong to the
//! picture.

use crc::{CRC_32_ISO_HDLC, Crc};
use miniz_oxide::inflate::{
    TINFLStatus,
    core::{DecompressorOxide, decompress, inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER},
};

use super::file::{CleanPhoto, PhotoError, Reader, check_size, length};

/// The first bytes of a file.
pub(super) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The checksum of a chunk.
const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

pub(super) fn clean(bytes: &[u8]) -> Result<CleanPhoto, PhotoError> {
    let mut reader = Reader(bytes);
    let mut out = reader.take(SIGNATURE.len())?.to_vec();
    let mut header: Option<Header> = None;
    // The chunks of data must follow each other.
    let (mut pixels, mut is_ended) = (Vec::new(), false);
    loop {
        let size_of_data = length(reader.big_u32()?)?;
        let chunk = reader.take(size_of_data.checked_add(4).ok_or(PhotoError::Damaged)?)?;
        let crc = reader.big_u32()?;
        if crc != CRC.checksum(chunk) {
            return Err(PhotoError::Damaged);
        }
        let (kind, data) = chunk.split_at_checked(4).ok_or(PhotoError::Damaged)?;
        let (is_first, has_data) = (header.is_none(), !pixels.is_empty());
        match kind {
            b"IHDR" if is_first => header = Some(Header::read(Reader(data))?),
            _ if is_first => return Err(PhotoError::Damaged),
            b"IDAT" if !is_ended => {
                pixels.extend_from_slice(data);
                continue;
            }
            b"PLTE"
                if !has_data && matches!(data.len(), 3..=768) && data.len().is_multiple_of(3) => {}
            b"tRNS" if !has_data && data.len() <= 256 => {}
            b"IEND" if has_data && data.is_empty() => {
                let header = header.ok_or(PhotoError::Damaged)?;
                pixels.truncate(end_of_data(&pixels, header.raw_bytes())?);
                let data = [b"IDAT", &*pixels].concat();
                put(&mut out, &data, CRC.checksum(&data))?;
                put(&mut out, chunk, crc)?;
                let Header { width, height, .. } = header;
                return Ok(CleanPhoto {
                    bytes: out,
                    width,
                    height,
                });
            }
            b"acTL" | b"fcTL" | b"fdAT" => return Err(PhotoError::Animated),
            // A lower-case first letter marks a chunk that a decoder can ignore.
            [b'a'..=b'z', ..] => {
                is_ended = has_data;
                continue;
            }
            _ => return Err(PhotoError::Damaged),
        }
        put(&mut out, chunk, crc)?;
    }
}

/// The dimensions of a picture and the form of its pixels.
struct Header {
    width: u32,
    height: u32,
    bits_per_pixel: u64,
    is_interlaced: bool,
}

impl Header {
    fn read(mut data: Reader<'_>) -> Result<Header, PhotoError> {
        let (width, height) = (data.big_u32()?, data.big_u32()?);
        let (samples, depths): (u64, &[u8]) = match data.0.get(1) {
            Some(0) => (1, &[1, 2, 4, 8, 16]),
            Some(3) => (1, &[1, 2, 4, 8]),
            Some(2) => (3, &[8, 16]),
            Some(4) => (2, &[8, 16]),
            Some(6) => (4, &[8, 16]),
            _ => return Err(PhotoError::Damaged),
        };
        let (depth, interlacing) = match data.0 {
            [depth, _, 0, 0, interlacing @ (0 | 1)] if depths.contains(depth) => {
                (*depth, *interlacing)
            }
            _ => return Err(PhotoError::Damaged),
        };
        check_size(width, height)?;
        Ok(Header {
            width,
            height,
            bits_per_pixel: samples * u64::from(depth),
            is_interlaced: interlacing == 1,
        })
    }

    /// Returns the bytes of the decompressed data: each row has one byte more than its pixels, and
    /// a pass without columns or rows has none.
    fn raw_bytes(&self) -> u64 {
        let (width, height) = (u64::from(self.width), u64::from(self.height));
        let pass = |[left, top, columns, rows]: [u64; 4]| {
            let count =
                |size: u64, start: u64, step: u64| size.saturating_sub(start).div_ceil(step);
            let (columns, rows) = (count(width, left, columns), count(height, top, rows));
            if columns == 0 {
                0
            } else {
                rows * (1 + (columns * self.bits_per_pixel).div_ceil(8))
            }
        };
        if self.is_interlaced {
            ADAM7.into_iter().map(pass).sum()
        } else {
            pass([0, 0, 1, 1])
        }
    }
}

/// The passes of an interlaced picture: the first column and row, and the steps to the next ones.
const ADAM7: [[u64; 4]; 7] = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
];

/// The distance to which compressed data can refer.
const WINDOW: usize = 32_768;

/// Returns the number of compressed bytes that contain exactly these decompressed bytes. The pixels
/// are not kept.
fn end_of_data(compressed: &[u8], raw_bytes: u64) -> Result<usize, PhotoError> {
    let (mut state, mut window) = (Box::<DecompressorOxide>::default(), vec![0; WINDOW]);
    let (mut rest, mut position, mut raw) = (Reader(compressed), 0, 0);
    loop {
        let (status, read, written) = decompress(
            &mut state,
            rest.0,
            &mut window,
            position,
            TINFL_FLAG_PARSE_ZLIB_HEADER,
        );
        rest.take(read)?;
        position = (position + written) % WINDOW;
        raw += written as u64;
        match status {
            TINFLStatus::HasMoreOutput if raw <= raw_bytes => {}
            TINFLStatus::Done if raw == raw_bytes => return Ok(compressed.len() - rest.0.len()),
            _ => return Err(PhotoError::Damaged),
        }
    }
}

/// Writes a chunk of kind and data with its checksum.
fn put(out: &mut Vec<u8>, chunk: &[u8], crc: u32) -> Result<(), PhotoError> {
    let size = u32::try_from(chunk.len().saturating_sub(4)).map_err(|_| PhotoError::Damaged)?;
    out.extend(size.to_be_bytes());
    out.extend_from_slice(chunk);
    out.extend(crc.to_be_bytes());
    Ok(())
}
