//! Compression of complete bodies. No encoder outlives the call: a slow reader occupies only the
//! compressed bytes.

use std::{
    collections::HashMap,
    io::{self, Read},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, HeaderValue, header};
use tokio::{runtime::Handle, sync::OnceCell};

use crate::{memory::MemoryOwner, work::Turns};

/// Minimum size of a compressed body. Below it, compression saves no packet.
const MIN_BYTES: usize = 1024;
/// Maximum size of a body that is compressed on the threads that serve connections, which takes
/// less than a millisecond.
const MAX_INLINE_BYTES: usize = 16 * 1024;
/// Maximum size of a compressed body that is not a file. Compressing a megabyte takes some twenty
/// milliseconds.
const MAX_BYTES: usize = 4 << 20;
/// Maximum time of compressing such a body. After it, the body is sent as it is.
const MAX_TIME: Duration = Duration::from_millis(250);
/// Bytes that are compressed between two checks of the time.
const PART_BYTES: usize = 64 * 1024;
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

    /// Returns the coding that a client prefers; Brotli at equal quality. `None` if it accepts
    /// neither.
    pub(super) fn preferred(headers: &HeaderMap) -> Option<Encoding> {
        let (mut brotli, mut gzip, mut any) = (None, None, None);
        let lines = headers
            .get_all(header::ACCEPT_ENCODING)
            .iter()
            .filter_map(|line| line.to_str().ok());
        for item in lines.flat_map(|line| line.split(',')) {
            let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
            let quality = parameters
                .trim()
                .strip_prefix("q=")
                .map_or(1.0, |q| q.trim().parse::<f32>().unwrap_or(0.0));
            match name.trim().to_ascii_lowercase().as_str() {
                "br" => brotli = Some(quality),
                "gzip" | "x-gzip" => gzip = Some(quality),
                "*" => any = Some(quality),
                _ => {}
            }
        }
        let quality = |named: Option<f32>| named.or(any).filter(|quality| *quality > 0.0);
        match (quality(brotli), quality(gzip)) {
            (Some(brotli), gzip) if gzip.is_none_or(|gzip| brotli >= gzip) => {
                Some(Encoding::Brotli)
            }
            (_, Some(_)) => Some(Encoding::Gzip),
            _ => None,
        }
    }

    /// Compresses a body, or returns `None` if it takes longer than `limit`.
    fn compress(self, body: &[u8], limit: Option<Duration>) -> Option<Bytes> {
        let mut compressed = Vec::with_capacity(body.len() / 4);
        let mut source = Limited {
            body,
            until: limit.and_then(|limit| Instant::now().checked_add(limit)),
        };
        match self {
            Encoding::Brotli => {
                let params = BrotliEncoderParams {
                    quality: BROTLI_QUALITY,
                    lgwin: BROTLI_WINDOW,
                    size_hint: body.len(),
                    ..BrotliEncoderParams::default()
                };
                brotli::BrotliCompress(&mut source, &mut compressed, &params).ok()?;
            }
            Encoding::Gzip => {
                let mut encoder = GzEncoder::new(&mut compressed, Compression::default());
                io::copy(&mut source, &mut encoder).ok()?;
                encoder.finish().ok()?;
            }
        }
        compressed.shrink_to_fit();
        Some(Bytes::from(compressed))
    }
}

/// A body that cannot be read after a time.
struct Limited<'a> {
    body: &'a [u8],
    until: Option<Instant>,
}

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let part = buffer.len().min(PART_BYTES);
        self.body.read(buffer.split_at_mut(part).0)
    }
}

/// The identity of a file: its address and size in memory, and the coding.
type FileId = (usize, usize, Encoding);

/// Compresses bodies, and caches compressed files.
#[derive(Debug, Default)]
pub(super) struct Compressor {
    files: Mutex<HashMap<FileId, Arc<OnceCell<Bytes>>>>,
}

/// The threads on which larger bodies are compressed, and the turns of the callers that receive
/// them.
pub(super) struct Threads<'a> {
    pub(super) handle: Handle,
    pub(super) turns: &'a Turns,
    pub(super) owner: MemoryOwner,
}

impl Compressor {
    /// Returns the body in the client's preferred coding and sets its headers, or returns the body
    /// unchanged. A `file` has a static lifetime and is identified by its memory address.
    pub(super) async fn apply(
        &self,
        headers: &mut HeaderMap,
        body: Bytes,
        encoding: Option<Encoding>,
        file: bool,
        threads: Threads<'_>,
    ) -> Bytes {
        if !is_compressible(headers, &body) {
            return body;
        }
        headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        let Some(encoding) = encoding else {
            return body;
        };
        let compressed = if file {
            self.file(&body, encoding, &threads).await
        } else if body.len() <= MAX_INLINE_BYTES {
            encoding.compress(&body, None)
        } else if body.len() <= MAX_BYTES {
            large(&body, encoding, &threads).await
        } else {
            None
        };
        let Some(compressed) = compressed else {
            return body;
        };
        headers.insert(header::CONTENT_ENCODING, encoding.name());
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(compressed.len()));
        compressed
    }

    /// Returns a compressed file. Concurrent requests for a file compress it once.
    async fn file(&self, body: &Bytes, encoding: Encoding, threads: &Threads<'_>) -> Option<Bytes> {
        let id = (body.as_ptr() as usize, body.len(), encoding);
        let cell = {
            let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
            if files.len() >= MAX_FILES && !files.contains_key(&id) {
                return None;
            }
            files.entry(id).or_default().clone()
        };
        let compress = || async {
            let body = body.clone();
            threads
                .handle
                .spawn(async move { encoding.compress(&body, None) })
                .await
                .ok()
                .flatten()
                .ok_or(())
        };
        cell.get_or_try_init(compress).await.ok().cloned()
    }
}

/// Compresses a larger body in the caller's turn; `None` if it does not come.
async fn large(body: &Bytes, encoding: Encoding, threads: &Threads<'_>) -> Option<Bytes> {
    let caller = match threads.owner {
        MemoryOwner::Merchant(merchant) => format!("merchant/{merchant}"),
        MemoryOwner::Address(address) | MemoryOwner::HealthCheck(address) => {
            format!("from/{address}")
        }
    };
    let turn = threads.turns.take(&caller).await.ok().flatten()?;
    let body = body.clone();
    let compress = async move {
        let compressed = encoding.compress(&body, Some(MAX_TIME));
        drop(turn);
        compressed
    };
    threads.handle.spawn(compress).await.ok().flatten()
}

/// Whether a body becomes smaller and may be changed.
fn is_compressible(headers: &HeaderMap, body: &[u8]) -> bool {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .map_or(&b""[..], HeaderValue::as_bytes);
    let is_image = kind.starts_with(b"image/") && kind != b"image/svg+xml";
    let control = headers
        .get(header::CACHE_CONTROL)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let is_final = control
        .split(',')
        .any(|directive| directive.trim() == "no-transform");
    // The positions of a range are those of the file itself.
    let is_ranged = headers.contains_key(header::ACCEPT_RANGES);
    body.len() >= MIN_BYTES
        && !is_image
        && !is_ranged
        && !is_final
        && !headers.contains_key(header::CONTENT_ENCODING)
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

    fn threads(turns: &Turns) -> Threads<'_> {
        Threads {
            handle: Handle::current(),
            turns,
            owner: MemoryOwner::Address([192, 0, 2, 1].into()),
        }
    }

    #[tokio::test]
    async fn file_is_compressed_once() {
        let (compressor, body, turns) = (
            Compressor::default(),
            Bytes::from(vec![b'a'; 100_000]),
            Turns::new(),
        );
        let apply = async |file| {
            let mut headers = HeaderMap::new();
            let compressed = compressor
                .apply(
                    &mut headers,
                    body.clone(),
                    Some(Encoding::Gzip),
                    file,
                    threads(&turns),
                )
                .await;
            assert_eq!(
                headers[header::CONTENT_LENGTH],
                compressed.len().to_string()
            );
            assert!(compressed.len() < 1_000);
            compressed
        };
        assert_eq!(apply(true).await.as_ptr(), apply(true).await.as_ptr());
        assert_ne!(apply(false).await.as_ptr(), apply(false).await.as_ptr());
    }

    #[tokio::test]
    async fn large_final_and_compressed_bodies_are_unchanged() {
        let (compressor, turns) = (Compressor::default(), Turns::new());
        let coding = async |headers: &[(&'static str, &'static str)], size| {
            let mut sent: HeaderMap = headers
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
                .collect();
            let body = Bytes::from(vec![b'a'; size]);
            let applied = compressor
                .apply(
                    &mut sent,
                    body.clone(),
                    Some(Encoding::Brotli),
                    false,
                    threads(&turns),
                )
                .await;
            applied != body
        };
        assert!(coding(&[], MIN_BYTES).await && coding(&[], MAX_INLINE_BYTES + 1).await);
        assert!(coding(&[("cache-control", "no-store")], MAX_INLINE_BYTES + 1).await);
        assert!(!coding(&[], MIN_BYTES - 1).await && !coding(&[], MAX_BYTES + 1).await);
        assert!(!coding(&[("cache-control", "no-store, no-transform")], MIN_BYTES).await);
        assert!(!coding(&[("content-type", "image/png")], MIN_BYTES).await);
        assert!(!coding(&[("content-encoding", "gzip")], MIN_BYTES).await);
    }

    #[test]
    fn compression_ends_after_its_time() {
        let body = vec![b'a'; MAX_BYTES];
        for encoding in [Encoding::Brotli, Encoding::Gzip] {
            assert_eq!(encoding.compress(&body, Some(Duration::ZERO)), None);
            assert!(
                encoding
                    .compress(&body, None)
                    .is_some_and(|compressed| compressed.len() < body.len() / 100)
            );
        }
    }
}
