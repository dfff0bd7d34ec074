//! JPEG files: a sequence of segments, each with a marker.

use super::file::{CleanPhoto, PhotoError, Reader, check_size};

/// Maximum number of scans. Progressive files have about ten; each one costs a decoder a pass over
/// the whole picture.
const MAX_SCANS: u32 = 100;

const START: u8 = 0xD8;
const END: u8 = 0xD9;
const SCAN: u8 = 0xDA;
const QUANTIZATION: u8 = 0xDB;
const HUFFMAN: u8 = 0xC4;
const RESTART_INTERVAL: u8 = 0xDD;
/// Decoders assume the colours of a JFIF file if this segment exists.
const JFIF: &[u8] = &[
    0xFF, 0xE0, 0, 16, b'J', b'F', b'I', b'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0,
];

pub(super) fn clean(bytes: &[u8]) -> Result<CleanPhoto, PhotoError> {
    let mut reader = Reader(bytes);
    reader.take(2)?;
    let mut out = vec![0xFF, START];
    let (mut size, mut scans) = (None, 0);
    loop {
        let marker = marker(&mut reader)?;
        if marker == END {
            let (width, height) = size.filter(|_| scans > 0).ok_or(PhotoError::Damaged)?;
            out.extend([0xFF, END]);
            return Ok(CleanPhoto {
                bytes: out,
                width,
                height,
            });
        }
        // Markers without a length, which are valid only within a scan.
        if matches!(marker, 0x00..=0x01 | 0xD0..=START) {
            return Err(PhotoError::Damaged);
        }
        let length = reader.big_u16()?;
        let data = reader.take(
            usize::from(length)
                .checked_sub(2)
                .ok_or(PhotoError::Damaged)?,
        )?;
        match marker {
            QUANTIZATION => quantization(Reader(data))?,
            HUFFMAN => huffman(Reader(data))?,
            RESTART_INTERVAL if data.len() == 2 => {}
            // Baseline, extended sequential, progressive. Browsers show no other process.
            0xC0..=0xC2 if size.is_none() => size = Some(frame(Reader(data))?),
            SCAN if size.is_some() => {
                let components = usize::from(*data.first().ok_or(PhotoError::Damaged)?);
                scans += 1;
                if scans > MAX_SCANS
                    || !(1..=4).contains(&components)
                    || data.len() != 4 + 2 * components
                {
                    return Err(PhotoError::Damaged);
                }
            }
            0xE0 if data.starts_with(b"JFIF\0") => {
                out.extend_from_slice(JFIF);
                continue;
            }
            // The colour transform of files with four components. The segment is written again, so
            // nothing else remains.
            0xEE if data.starts_with(b"Adobe") => {
                let transform = *data.get(11).ok_or(PhotoError::Damaged)?;
                out.extend([
                    0xFF,
                    0xEE,
                    0,
                    14,
                    b'A',
                    b'd',
                    b'o',
                    b'b',
                    b'e',
                    0,
                    100,
                    0,
                    0,
                    0,
                    0,
                    transform.min(2),
                ]);
                continue;
            }
            // Application data and comments.
            0xE0..=0xEF | 0xFE => continue,
            _ => return Err(PhotoError::Damaged),
        }
        out.extend([0xFF, marker]);
        out.extend(length.to_be_bytes());
        out.extend_from_slice(data);
        if marker == SCAN {
            out.extend_from_slice(scan(&mut reader)?);
        }
    }
}

/// Reads a marker, which any number of bytes 0xFF may precede.
fn marker(reader: &mut Reader<'_>) -> Result<u8, PhotoError> {
    if reader.byte()? != 0xFF {
        return Err(PhotoError::Damaged);
    }
    loop {
        let marker = reader.byte()?;
        if marker != 0xFF {
            return Ok(marker);
        }
    }
}

/// Reads the compressed data of a scan, which ends before the next marker.
fn scan<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], PhotoError> {
    let is_end =
        |pair: &[u8]| matches!(pair, [0xFF, second] if !matches!(second, 0x00 | 0xD0..=0xD7));
    let end = reader
        .0
        .windows(2)
        .position(is_end)
        .filter(|end| *end > 0)
        .ok_or(PhotoError::Damaged)?;
    reader.take(end)
}

/// Returns the dimensions of a frame.
fn frame(mut data: Reader<'_>) -> Result<(u32, u32), PhotoError> {
    let precision = data.byte()?;
    let (height, width) = (data.big_u16()?.into(), data.big_u16()?.into());
    let components = usize::from(data.byte()?);
    if precision != 8 || !matches!(components, 1 | 3 | 4) || data.0.len() != 3 * components {
        return Err(PhotoError::Damaged);
    }
    check_size(width, height)?;
    Ok((width, height))
}

/// Checks that a segment consists of quantization tables.
fn quantization(mut data: Reader<'_>) -> Result<(), PhotoError> {
    while !data.0.is_empty() {
        let entries = match data.byte()? {
            0x00..=0x03 => 64,
            0x10..=0x13 => 128,
            _ => return Err(PhotoError::Damaged),
        };
        data.take(entries)?;
    }
    Ok(())
}

/// Checks that a segment consists of Huffman tables.
fn huffman(mut data: Reader<'_>) -> Result<(), PhotoError> {
    while !data.0.is_empty() {
        if !matches!(data.byte()?, 0x00..=0x03 | 0x10..=0x13) {
            return Err(PhotoError::Damaged);
        }
        let symbols: usize = data.take(16)?.iter().copied().map(usize::from).sum();
        if symbols > 256 {
            return Err(PhotoError::Damaged);
        }
        data.take(symbols)?;
    }
    Ok(())
}
