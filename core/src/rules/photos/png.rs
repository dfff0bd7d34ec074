//! PNG files: a signature and a sequence of chunks, each with a checksum.

use crc::{CRC_32_ISO_HDLC, Crc};

use super::file::{CleanPhoto, PhotoError, Reader, check_size, length};

/// The first bytes of a file.
pub(super) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The checksum of a chunk.
const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

pub(super) fn clean(bytes: &[u8]) -> Result<CleanPhoto, PhotoError> {
    let mut reader = Reader(bytes);
    let mut out = reader.take(SIGNATURE.len())?.to_vec();
    let mut size: Option<(u32, u32)> = None;
    // Whether the data has begun, and whether it has ended. Its chunks must follow each other.
    let (mut data_bytes, mut is_ended) = (0, false);
    loop {
        let size_of_data = length(reader.big_u32()?)?;
        let chunk = reader.take(size_of_data.checked_add(4).ok_or(PhotoError::Damaged)?)?;
        let crc = reader.big_u32()?;
        if crc != CRC.checksum(chunk) {
            return Err(PhotoError::Damaged);
        }
        let (kind, data) = chunk.split_at_checked(4).ok_or(PhotoError::Damaged)?;
        let (is_first, has_data) = (size.is_none(), data_bytes > 0);
        match kind {
            b"IHDR" if is_first => size = Some(header(Reader(data))?),
            _ if is_first => return Err(PhotoError::Damaged),
            b"IDAT" if !is_ended => data_bytes += data.len(),
            b"PLTE" if !has_data && matches!(data.len(), 3..=768) && data.len().is_multiple_of(3) => {}
            b"tRNS" if !has_data && data.len() <= 256 => {}
            b"IEND" if has_data && data.is_empty() => {
                put(&mut out, chunk, crc)?;
                let (width, height) = size.ok_or(PhotoError::Damaged)?;
                return Ok(CleanPhoto { bytes: out, width, height });
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

/// Returns the dimensions.
fn header(mut data: Reader<'_>) -> Result<(u32, u32), PhotoError> {
    let (width, height) = (data.big_u32()?, data.big_u32()?);
    let depths: &[u8] = match data.0.get(1) {
        Some(0) => &[1, 2, 4, 8, 16],
        Some(3) => &[1, 2, 4, 8],
        Some(2 | 4 | 6) => &[8, 16],
        _ => return Err(PhotoError::Damaged),
    };
    match data.0 {
        [depth, _, 0, 0, 0 | 1] if depths.contains(depth) => {}
        _ => return Err(PhotoError::Damaged),
    }
    check_size(width, height)?;
    Ok((width, height))
}

/// Writes a chunk of kind and data with its checksum.
fn put(out: &mut Vec<u8>, chunk: &[u8], crc: u32) -> Result<(), PhotoError> {
    let size = u32::try_from(chunk.len().saturating_sub(4)).map_err(|_| PhotoError::Damaged)?;
    out.extend(size.to_be_bytes());
    out.extend_from_slice(chunk);
    out.extend(crc.to_be_bytes());
    Ok(())
}
