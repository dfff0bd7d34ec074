//! Compression of complete bodies. No encoder outlives the call: a slow reader occupies only the compressed bytes.

use std::{
    collections::HashMap,
    io::{self, Write as _},
    sync::{Mutex, PoisonError},
};

use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, HeaderValue, header};

/// Minimum size of a compressed body. Below it, compression saves no packet.
const MIN_BYTES: usize = 1024;
/// Brotli's quality: higher ones take several times the CPU time for a few per cent.
const BROTLI_QUALITY: i32 = 4;
/// Binary logarithm of Brotli's window: 256 KiB, which keeps encoders small.
const BROTLI_WINDOW: i32 = 18;
/// Maximum number of cached compressed files. A release has fewer.
const MAX_FILES: usize = 256;

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    fn name(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Encoding::Brotli => "br",
            Encoding::Gzip => "gzip",
        })
    }

    /// Returns the coding that a client prefers; Brotli at equal quality. `None` if it accepts neither.
    pub(super) fn preferred(headers: &HeaderMap) -> Option<Encoding> {
        let (mut brotli, mut gzip, mut any) = (None, None, None);
        let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
        for item in lines.flat_map(|line| line.split(',')) {
            let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
            let quality = parameters.trim().strip_prefix("q=").map_or(1.0, |q| q.trim().parse::<f32>().unwrap_or(0.0));
            match name.trim().to_ascii_lowercase().as_str() {
                "br" => brotli = Some(quality),
                "gzip" | "x-gzip" => gzip = Some(quality),
                "*" => any = Some(quality),
                _ => {}
            }
        }
        let quality = |named: Option<f32>| named.or(any).filter(|quality| *quality > 0.0);
        match (quality(brotli), quality(gzip)) {
            (Some(brotli), gzip) if gzip.is_none_or(|gzip| brotli >= gzip) => Some(Encoding::Brotli),
            (_, Some(_)) => Some(Encoding::Gzip),
            _ => None,
        }
    }

    fn compress(self, body: &[u8]) -> io::Result<Vec<u8>> {
        let mut compressed = Vec::with_capacity(body.len() / 4);
        match self {
            Encoding::Brotli => {
                let params = BrotliEncoderParams {
                    quality: BROTLI_QUALITY,
                    lgwin: BROTLI_WINDOW,
                    size_hint: body.len(),
                    ..BrotliEncoderParams::default()
                };
                brotli::BrotliCompress(&mut &*body, &mut compressed, &params)?;
            }
            Encoding::Gzip => {
                let mut encoder = GzEncoder::new(&mut compressed, Compression::default());
                encoder.write_all(body)?;
                encoder.finish()?;
            }
        }
        compressed.shrink_to_fit();
        Ok(compressed)
    }
}

/// Compresses bodies, and caches compressed files.
#[derive(Debug, Default)]
pub(super) struct Compressor {
    files: Mutex<HashMap<(usize, usize, Encoding), Bytes>>,
}

impl Compressor {
    /// Returns the body in the client's preferred coding and sets its headers, or returns the body unchanged. A `file` has a static
    /// lifetime and is identified by its memory address.
    pub(super) fn apply(&self, headers: &mut HeaderMap, body: Bytes, encoding: Option<Encoding>, file: bool) -> Bytes {
        let kind = headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
        let is_image = kind.starts_with(b"image/") && kind != b"image/svg+xml";
        // The positions of a range are those of the file itself.
        let is_ranged = headers.contains_key(header::ACCEPT_RANGES);
        if body.len() < MIN_BYTES || is_image || is_ranged || headers.contains_key(header::CONTENT_ENCODING) {
            return body;
        }
        headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        let Some(encoding) = encoding else { return body };
        let compressed = if file { self.file(&body, encoding) } else { encoding.compress(&body).map(Bytes::from) };
        let Ok(compressed) = compressed else { return body };
        headers.insert(header::CONTENT_ENCODING, encoding.name());
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(compressed.len()));
        compressed
    }

    fn file(&self, body: &Bytes, encoding: Encoding) -> io::Result<Bytes> {
        let id = (body.as_ptr() as usize, body.len(), encoding);
        // The lock is held during compression: concurrent requests for a file must compress it once.
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compressed) = files.get(&id) {
            return Ok(compressed.clone());
        }
        let compressed = Bytes::from(encoding.compress(body)?);
        if files.len() < MAX_FILES {
            files.insert(id, compressed.clone());
        }
        Ok(compressed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferred_encoding_follows_quality() {
        for (accepted, encoding) in [
            ("", None),
            ("br, gzip", Some(Encoding::Brotli)),
            ("gzip;q=1.0, br;q=0.5", Some(Encoding::Gzip)),
            ("br;q=0, gzip", Some(Encoding::Gzip)),
            ("*", Some(Encoding::Brotli)),
            ("*;q=0, gzip", Some(Encoding::Gzip)),
            ("identity;q=0, *;q=0", None),
            ("deflate", None),
            ("GZIP", Some(Encoding::Gzip)),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, accepted.parse().unwrap());
            assert_eq!(Encoding::preferred(&headers), encoding, "{accepted}");
        }
    }

    #[test]
    fn file_is_compressed_once() {
        let (compressor, body) = (Compressor::default(), Bytes::from(vec![b'a'; 100_000]));
        let apply = |file| {
            let mut headers = HeaderMap::new();
            let compressed = compressor.apply(&mut headers, body.clone(), Some(Encoding::Gzip), file);
            assert_eq!(headers[header::CONTENT_LENGTH], compressed.len().to_string());
            assert!(compressed.len() < 1_000);
            compressed
        };
        assert_eq!(apply(true).as_ptr(), apply(true).as_ptr());
        assert_ne!(apply(false).as_ptr(), apply(false).as_ptr());
    }
}
