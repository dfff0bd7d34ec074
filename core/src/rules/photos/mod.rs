//! Checks photos and removes their metadata.
//!
//! A photo is copied part by part into a new file, and only the parts that a decoder needs are
//! copied. So metadata, a position, a colour profile, a comment, a thumbnail, a second picture or
//! data after the end cannot remain. No pixels are kept: the dimensions are read from the header,
//! so a photo with a small file and a huge picture is rejected because of its dimensions. Only the
//! data of a PNG file is decompressed, up to the size that its header announces, to find its end.

mod file;
mod jpeg;
mod png;
mod webp;

pub use file::{CleanPhoto, MAX_PIXELS, MAX_SIDE, PhotoError};

use crate::model::order::PhotoFormat;

/// Returns the photo without metadata.
///
/// # Errors
/// [`PhotoError`] if the bytes are not a complete still picture of the declared format, or the
/// picture is too large.
pub fn clean(bytes: &[u8], declared: PhotoFormat) -> Result<CleanPhoto, PhotoError> {
    if bytes.is_empty() {
        return Err(PhotoError::Empty);
    }
    let found = format(bytes).ok_or(PhotoError::UnknownFormat)?;
    if found != declared {
        return Err(PhotoError::OtherFormat(found));
    }
    match found {
        PhotoFormat::Jpeg => jpeg::clean(bytes),
        PhotoFormat::Png => png::clean(bytes),
        PhotoFormat::Webp => webp::clean(bytes),
    }
}

/// Returns the format by the first bytes.
fn format(bytes: &[u8]) -> Option<PhotoFormat> {
    if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        Some(PhotoFormat::Jpeg)
    } else if bytes.starts_with(png::SIGNATURE) {
        Some(PhotoFormat::Png)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some(PhotoFormat::Webp)
    } else {
        None
    }
}
