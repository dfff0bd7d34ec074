//! WebP files: chunks in a RIFF container.

use super::file::{CleanPhoto, PhotoError, Reader, check_size, length};

/// The flag of `VP8X` for transparency. All others announce metadata or an animation.
const ALPHA: u8 = 0x10;
const ANIMATION: u8 = 0x02;

pub(super) fn clean(bytes: &[u8]) -> Result<CleanPhoto, PhotoError> {
    let mut file = Reader(bytes);
    file.take(4)?;
    // Bytes after the container are not read.
    let size = length(file.little_u32()?)?;
    let mut chunks = Reader(file.take(size)?);
    chunks.take(4)?;
    let (mut canvas, mut alpha) = (None, None);
    while !chunks.0.is_empty() {
        let (kind, data) = chunk(&mut chunks)?;
        match kind {
            b"VP8X" => canvas = Some(extended(Reader(data))?),
            b"ANIM" | b"ANMF" => return Err(PhotoError::Animated),
            b"ALPH" if !data.is_empty() => alpha = Some(data),
            b"VP8 " | b"VP8L" => {
                let (width, height) = if kind == b"VP8L" {
                    lossless(Reader(data))?
                } else {
                    lossy(Reader(data))?
                };
                check_size(width, height)?;
                if canvas.is_some_and(|canvas| canvas != (width, height)) {
                    return Err(PhotoError::Damaged);
                }
                // A lossless picture contains its transparency.
                let alpha = alpha.filter(|_| kind == b"VP8 ");
                return Ok(CleanPhoto {
                    bytes: written((kind, data), alpha, (width, height))?,
                    width,
                    height,
                });
            }
            _ => {}
        }
    }
    Err(PhotoError::Damaged)
}

/// Reads a chunk. A chunk of an odd size is followed by one byte.
fn chunk<'a>(reader: &mut Reader<'a>) -> Result<(&'a [u8; 4], &'a [u8]), PhotoError> {
    let kind = reader
        .take(4)?
        .try_into()
        .map_err(|_| PhotoError::Damaged)?;
    let size = length(reader.little_u32()?)?;
    let data = reader.take(size)?;
    if !size.is_multiple_of(2) {
        reader.take(1)?;
    }
    Ok((kind, data))
}

/// Returns the dimensions of the canvas.
fn extended(mut data: Reader<'_>) -> Result<(u32, u32), PhotoError> {
    let flags = data.byte()?;
    if flags & ANIMATION != 0 {
        return Err(PhotoError::Animated);
    }
    data.take(3)?;
    let [w0, w1, w2, h0, h1, h2] = data.array()?;
    let (width, height) = (
        u32::from_le_bytes([w0, w1, w2, 0]) + 1,
        u32::from_le_bytes([h0, h1, h2, 0]) + 1,
    );
    check_size(width, height)?;
    Ok((width, height))
}

/// Returns the dimensions of a key frame.
fn lossy(mut data: Reader<'_>) -> Result<(u32, u32), PhotoError> {
    let [tag, .., s0, s1, s2] = data.array::<6>()?;
    let [w0, w1, h0, h1] = data.array()?;
    if tag & 1 != 0 || [s0, s1, s2] != [0x9D, 0x01, 0x2A] || data.0.is_empty() {
        return Err(PhotoError::Damaged);
    }
    // The upper two bits are the scale at which the picture is shown.
    let side = |low, high| u32::from(u16::from_le_bytes([low, high]) & 0x3FFF);
    Ok((side(w0, w1), side(h0, h1)))
}

/// Returns the dimensions of a lossless picture.
fn lossless(mut data: Reader<'_>) -> Result<(u32, u32), PhotoError> {
    let (signature, bits) = (data.byte()?, data.little_u32()?);
    // The upper three bits are the version.
    if signature != 0x2F || bits >> 29 != 0 || data.0.is_empty() {
        return Err(PhotoError::Damaged);
    }
    Ok(((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1))
}

/// Returns a file with the picture and, of a lossy one, its transparency.
fn written(
    (kind, data): (&[u8], &[u8]),
    alpha: Option<&[u8]>,
    (width, height): (u32, u32),
) -> Result<Vec<u8>, PhotoError> {
    let mut body = b"WEBP".to_vec();
    if let Some(alpha) = alpha {
        let mut canvas = vec![ALPHA, 0, 0, 0];
        for side in [width, height] {
            canvas.extend(side.saturating_sub(1).to_le_bytes().iter().take(3));
        }
        put(&mut body, b"VP8X", &canvas)?;
        put(&mut body, b"ALPH", alpha)?;
    }
    put(&mut body, kind, data)?;
    let mut file = Vec::with_capacity(body.len() + 8);
    put(&mut file, b"RIFF", &body)?;
    Ok(file)
}

fn put(out: &mut Vec<u8>, kind: &[u8], data: &[u8]) -> Result<(), PhotoError> {
    let size = u32::try_from(data.len()).map_err(|_| PhotoError::Damaged)?;
    out.extend_from_slice(kind);
    out.extend(size.to_le_bytes());
    out.extend_from_slice(data);
    if !data.len().is_multiple_of(2) {
        out.push(0);
    }
    Ok(())
}
