//! The streets of the panel's map: one PMTiles file, of which browsers request ranges. It is read
//! from disk, because the streets of a country do not fit into memory.

use std::{
    fs::File,
    hash::{DefaultHasher, Hasher},
    io::{self, Read, Seek, SeekFrom},
    ops::Bound,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::UNIX_EPOCH,
};

use bytes::Bytes;
use headers::{
    AcceptRanges, CacheControl, ContentRange, ETag, HeaderMapExt, IfNoneMatch, IfRange, Range,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};

use crate::error::StartError;

/// Maximum size of a response. A longer range is shortened, as RFC 9110 permits; the largest tiles
/// have some hundred kilobytes.
const MAX_RESPONSE_BYTES: u64 = 1024 * 1024;
/// The first bytes of a file of version 3.
const SIGNATURE: &[u8; 8] = b"PMTiles\x03";
/// The size of the header that follows.
const HEADER_BYTES: u64 = 127;
/// Browsers use a range for a day without a request. The panel notices a replaced file by its
/// entity tag.
const MAX_AGE: std::time::Duration = std::time::Duration::from_secs(86_400);

/// The streets of the demo's city: derived from OpenStreetMap, under the ODbL; see data/NOTICE.md.
const DEMO: &[u8] = include_bytes!("../data/demo-streets.pmtiles");

/// The content of a file.
#[derive(Debug)]
enum Content {
    /// A file that replaces this one is read after a restart.
    File(Arc<Mutex<File>>),
    Embedded(&'static [u8]),
}

/// A PMTiles file.
#[derive(Debug)]
pub struct StreetFile {
    content: Content,
    length: u64,
    tag: ETag,
}

impl StreetFile {
    /// Opens a file.
    ///
    /// # Errors
    /// The file cannot be read or is not a PMTiles file.
    pub fn open(path: &Path) -> Result<StreetFile, StartError> {
        let error = |error| StartError::File {
            name: "street file",
            path: path.to_owned(),
            error,
        };
        let mut file = File::open(path).map_err(error)?;
        let metadata = file.metadata().map_err(error)?;
        let mut signature = Vec::new();
        file.by_ref()
            .take(SIGNATURE.len() as u64)
            .read_to_end(&mut signature)
            .map_err(error)?;
        if signature != SIGNATURE || metadata.len() < HEADER_BYTES {
            let detail = "is not a PMTiles file of version 3".to_owned();
            return Err(StartError::Content {
                name: "street file",
                path: path.to_owned(),
                detail,
            });
        }
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let tag = format!(
            "\"{:x}-{:x}\"",
            metadata.len(),
            modified.unwrap_or_default().as_nanos()
        );
        let invalid = |_| error(io::Error::other("its entity tag cannot be written"));
        let content = Content::File(Arc::new(Mutex::new(file)));
        Ok(StreetFile {
            content,
            length: metadata.len(),
            tag: tag.parse().map_err(invalid)?,
        })
    }

    /// Returns the streets of the demo's city.
    #[must_use]
    pub fn demo() -> Option<StreetFile> {
        let mut hasher = DefaultHasher::new();
        hasher.write(DEMO);
        let tag = format!("\"{:016x}\"", hasher.finish()).parse().ok()?;
        Some(StreetFile {
            content: Content::Embedded(DEMO),
            length: DEMO.len() as u64,
            tag,
        })
    }

    /// Returns a range of the file, 304 if the client has it, or 416 if the file has no such range
    /// or is too long for one response.
    ///
    /// # Errors
    /// The file cannot be read.
    pub async fn respond(&self, request: &HeaderMap) -> io::Result<Response<Bytes>> {
        let selection = self.select(request);
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = selection.status();
        let headers = response.headers_mut();
        headers.typed_insert(AcceptRanges::bytes());
        headers.typed_insert(self.tag.clone());
        headers.typed_insert(CacheControl::new().with_public().with_max_age(MAX_AGE));
        let (start, end) = match selection {
            Selection::Known => return Ok(response),
            Selection::Unsatisfiable => {
                headers.typed_insert(ContentRange::unsatisfied_bytes(self.length));
                return Ok(response);
            }
            Selection::Whole => (0, self.length),
            Selection::Part { start, end } => {
                let range = ContentRange::bytes(start..end, self.length);
                headers.typed_insert(range.map_err(|error| io::Error::other(error.to_string()))?);
                (start, end)
            }
        };
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/vnd.pmtiles"),
        );
        *response.body_mut() = self.read(start, end).await?;
        Ok(response)
    }

    fn select(&self, request: &HeaderMap) -> Selection {
        if request
            .typed_get::<IfNoneMatch>()
            .is_some_and(|condition| !condition.precondition_passes(&self.tag))
        {
            return Selection::Known;
        }
        let is_current = request
            .typed_get::<IfRange>()
            .is_none_or(|condition| !condition.is_modified(Some(&self.tag), None));
        let range = request.typed_get::<Range>().filter(|_| is_current);
        let Some(range) = range else {
            let fits = self.length <= MAX_RESPONSE_BYTES;
            return if fits {
                Selection::Whole
            } else {
                Selection::Unsatisfiable
            };
        };
        // Of several ranges the first is returned.
        match range.satisfiable_ranges(self.length).next() {
            Some((Bound::Included(start), end)) if start < self.length => {
                let end = match end {
                    Bound::Included(last) => last.saturating_add(1),
                    Bound::Excluded(end) => end,
                    Bound::Unbounded => self.length,
                };
                let end = end.min(self.length).min(start + MAX_RESPONSE_BYTES);
                if start < end {
                    Selection::Part { start, end }
                } else {
                    Selection::Unsatisfiable
                }
            }
            _ => Selection::Unsatisfiable,
        }
    }

    async fn read(&self, start: u64, end: u64) -> io::Result<Bytes> {
        let range = usize::try_from(start).map_err(io::Error::other)?
            ..usize::try_from(end).map_err(io::Error::other)?;
        let file = match &self.content {
            Content::File(file) => file.clone(),
            Content::Embedded(bytes) => {
                return Ok(Bytes::from_static(bytes.get(range).unwrap_or_default()));
            }
        };
        let read = tokio::task::spawn_blocking(move || {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(start))?;
            let mut body = vec![0; range.len()];
            file.read_exact(&mut body)?;
            Ok(Bytes::from(body))
        });
        read.await.map_err(io::Error::other)?
    }
}

/// The part of the file that a request selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Selection {
    /// The client has the file.
    Known,
    Whole,
    /// From `start` to before `end`.
    Part {
        start: u64,
        end: u64,
    },
    Unsatisfiable,
}

impl Selection {
    fn status(self) -> StatusCode {
        match self {
            Selection::Known => StatusCode::NOT_MODIFIED,
            Selection::Whole => StatusCode::OK,
            Selection::Part { .. } => StatusCode::PARTIAL_CONTENT,
            Selection::Unsatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens a file whose bytes after the signature are its positions.
    fn street_file(length: usize) -> (tempfile::TempDir, StreetFile) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("streets.pmtiles");
        let mut content: Vec<u8> = (0..length)
            .map(|position| u8::try_from(position % 251).unwrap())
            .collect();
        content[..SIGNATURE.len()].copy_from_slice(SIGNATURE);
        std::fs::write(&path, content).unwrap();
        let file = StreetFile::open(&path).unwrap();
        (folder, file)
    }

    async fn get(
        file: &StreetFile,
        lines: &[(&'static str, &str)],
    ) -> (u16, Option<String>, Bytes) {
        let lines = lines
            .iter()
            .map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap()));
        let (head, body) = file.respond(&lines.collect()).await.unwrap().into_parts();
        assert_eq!(head.headers[header::ACCEPT_RANGES], "bytes");
        let range = head
            .headers
            .get(header::CONTENT_RANGE)
            .map(|range| range.to_str().unwrap().to_owned());
        (head.status.as_u16(), range, body)
    }

    #[tokio::test]
    async fn ranges_of_the_file_are_returned() {
        let (_folder, file) = street_file(1_000);
        let (status, range, body) = get(&file, &[("range", "bytes=100-103")]).await;
        assert_eq!(
            (status, range.as_deref(), &body[..]),
            (206, Some("bytes 100-103/1000"), &[100, 101, 102, 103][..])
        );
        for (requested, returned) in [
            ("bytes=0-16383", "bytes 0-999/1000"),
            ("bytes=990-", "bytes 990-999/1000"),
            ("bytes=-10", "bytes 990-999/1000"),
            ("bytes=5-6,8-9", "bytes 5-6/1000"),
        ] {
            let (status, range, _) = get(&file, &[("range", requested)]).await;
            assert_eq!(
                (status, range.as_deref()),
                (206, Some(returned)),
                "{requested}"
            );
        }
        for requested in ["bytes=1000-1001", "bytes=5000-"] {
            let (status, range, body) = get(&file, &[("range", requested)]).await;
            assert_eq!(
                (status, range.as_deref(), body.len()),
                (416, Some("bytes */1000"), 0),
                "{requested}"
            );
        }
        let (status, range, body) = get(&file, &[]).await;
        assert_eq!((status, range, body.len()), (200, None, 1_000));
    }

    #[tokio::test]
    async fn response_is_bounded() {
        let length = usize::try_from(MAX_RESPONSE_BYTES).unwrap() + 1_000;
        let (_folder, file) = street_file(length);
        let (status, range, body) = get(&file, &[("range", "bytes=500-")]).await;
        assert_eq!((status, body.len() as u64), (206, MAX_RESPONSE_BYTES));
        assert_eq!(
            range.unwrap(),
            format!("bytes 500-{}/{length}", 499 + MAX_RESPONSE_BYTES)
        );
        assert_eq!(
            get(&file, &[]).await.0,
            416,
            "the whole file is longer than a response"
        );
    }

    #[tokio::test]
    async fn validators_are_respected() {
        let (_folder, file) = street_file(1_000);
        let tag = file.respond(&HeaderMap::new()).await.unwrap().headers()[header::ETAG]
            .to_str()
            .unwrap()
            .to_owned();
        let range = ("range", "bytes=0-9");
        assert_eq!(get(&file, &[range, ("if-none-match", &tag)]).await.0, 304);
        assert_eq!(
            get(&file, &[range, ("if-none-match", "\"other\"")]).await.0,
            206
        );
        assert_eq!(get(&file, &[range, ("if-range", &tag)]).await.0, 206);
        assert_eq!(get(&file, &[range, ("if-range", "\"other\"")]).await.0, 200);
    }

    #[tokio::test]
    async fn demo_has_streets() {
        let demo = StreetFile::demo().unwrap();
        let (status, range, body) = get(&demo, &[("range", "bytes=0-7")]).await;
        assert_eq!((status, &body[..]), (206, &SIGNATURE[..]));
        assert_eq!(range.unwrap(), format!("bytes 0-7/{}", DEMO.len()));
    }

    #[test]
    fn other_files_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.pmtiles");
        assert!(
            StreetFile::open(&path)
                .unwrap_err()
                .to_string()
                .contains("map.pmtiles")
        );
        for content in [
            &b""[..],
            b"PMTiles\x02 and more",
            &[SIGNATURE, &[0; 50][..]].concat(),
        ] {
            std::fs::write(&path, content).unwrap();
            assert!(
                StreetFile::open(&path)
                    .unwrap_err()
                    .to_string()
                    .contains("not a PMTiles file")
            );
        }
    }
}
