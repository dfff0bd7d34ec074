//! What all formats share: the limits, the errors, and a reader of bytes.

use crate::model::order::PhotoFormat;

/// Maximum width and height in pixels.
pub const MAX_SIDE: u32 = 8_192;
/// Maximum number of pixels, which a phone's browser can decode.
pub const MAX_PIXELS: u64 = 33_554_432;

/// A photo without metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanPhoto {
    /// The file.
    pub bytes: Vec<u8>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// The reason that a photo is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhotoError {
    /// There are no bytes.
    #[error("there are no bytes")]
    Empty,
    /// The bytes are not a JPEG, PNG or WebP file.
    #[error("not a JPEG, PNG or WebP file")]
    UnknownFormat,
    /// The bytes are a file of this format, and another one was declared.
    #[error("the file has another format than declared")]
    OtherFormat(PhotoFormat),
    /// The file is truncated or malformed, or uses a variant of the format that browsers do not
    /// show.
    #[error("the file is truncated or malformed, or uses a variant that browsers do not show")]
    Damaged,
    /// The file is an animation.
    #[error("the file is an animation")]
    Animated,
    /// The width or the height is zero.
    #[error("the width or the height is zero")]
    NoPixels,
    /// The dimensions exceed [`MAX_SIDE`] or [`MAX_PIXELS`].
    #[error("{width} × {height} pixels are too many")]
    TooManyPixels {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
}

pub(super) fn check_size(width: u32, height: u32) -> Result<(), PhotoError> {
    if width == 0 || height == 0 {
        return Err(PhotoError::NoPixels);
    }
    if width > MAX_SIDE || height > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(PhotoError::TooManyPixels { width, height });
    }
    Ok(())
}

/// The bytes that have not been read. A read beyond the end means that the file is truncated.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], PhotoError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(PhotoError::Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], PhotoError> {
        self.take(N)?.try_into().map_err(|_| PhotoError::Damaged)
    }

    pub(super) fn byte(&mut self) -> Result<u8, PhotoError> {
        Ok(u8::from_be_bytes(self.array()?))
    }

    pub(super) fn big_u16(&mut self) -> Result<u16, PhotoError> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(super) fn big_u32(&mut self) -> Result<u32, PhotoError> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(super) fn little_u32(&mut self) -> Result<u32, PhotoError> {
        Ok(u32::from_le_bytes(self.array()?))
    }
}

/// Converts a length in a file, which fits into memory on every host.
pub(super) fn length(length: u32) -> Result<usize, PhotoError> {
    usize::try_from(length).map_err(|_| PhotoError::Damaged)
}
