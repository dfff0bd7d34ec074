//! Downloads of large files, which resume after an interruption.

mod body;
mod error;
mod part;

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    sync::Arc,
    time::Duration,
};

use ureq::{
    Agent,
    http::{HeaderMap, StatusCode, header},
    tls::{Certificate, RootCerts, TlsConfig},
};

use body::Chunks;
use error::{MAX_BYTES, interrupted, write_error};
use part::{Part, text};

pub(crate) use error::DownloadError;
pub(crate) use part::FileVersion;

/// Maximum size of a page that is read into memory.
const MAX_PAGE_BYTES: u64 = 4 << 20;
/// Consecutive attempts without progress. The time between them doubles from the first pause.
const MAX_FAILURES: u32 = 4;
/// Timeout of the body of an attempt. The next attempt resumes where it ended.
const BODY_TIMEOUT: Duration = Duration::from_secs(6 * 60 * 60);

/// Timeouts of a download.
#[derive(Clone, Copy, Debug)]
struct Timeouts {
    connect: Duration,
    /// Until the head of a response, and for a whole page.
    response: Duration,
    /// Between two parts of a file.
    stall: Duration,
    /// The pause after the first failed attempt.
    pause: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            connect: Duration::from_secs(20),
            response: Duration::from_secs(60),
            stall: Duration::from_secs(60),
            pause: Duration::from_millis(500),
        }
    }
}

/// Receives the number of bytes so far, and the total if the server stated it.
pub(crate) type OnProgress<'a> = &'a mut dyn FnMut(u64, Option<u64>);

/// Returns whether there is an incomplete download to `path`.
pub(crate) fn has_begun(path: &Path) -> bool {
    Part::of(path).length() > 0
}

/// Removes an incomplete download to `path`.
pub(crate) fn discard(path: &Path) {
    Part::of(path).remove();
}

/// Downloads files by HTTP, through the proxy of the environment if there is one.
pub(crate) struct Downloader {
    agent: Agent,
    timeouts: Timeouts,
}

impl Downloader {
    pub(crate) fn new() -> Downloader {
        Downloader::with(Timeouts::default())
    }

    fn with(timeouts: Timeouts) -> Downloader {
        let roots = rustls_native_certs::load_native_certs().certs;
        let roots = roots
            .iter()
            .map(|one| Certificate::from_der(one.as_ref()).to_owned());
        let provider = tokio_rustls::rustls::crypto::ring::default_provider();
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::Specific(Arc::new(roots.collect())))
            .unversioned_rustls_crypto_provider(Arc::new(provider));
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .tls_config(tls.build())
            .timeout_connect(Some(timeouts.connect))
            .timeout_recv_response(Some(timeouts.response))
            .timeout_recv_body(Some(BODY_TIMEOUT))
            .user_agent(concat!("despacho/", env!("CARGO_PKG_VERSION")));
        Downloader {
            agent: agent.build().into(),
            timeouts,
        }
    }

    /// Returns the text of a page.
    pub(crate) fn page(&self, url: &str) -> Result<String, DownloadError> {
        let timeout = self.timeouts.response;
        self.retried(|| {
            let request = self
                .agent
                .get(url)
                .config()
                .timeout_recv_body(Some(timeout))
                .build();
            let mut response = request.call().map_err(|error| interrupted(url, &error))?;
            check_status(url, response.status())?;
            let body = response.body_mut().with_config().limit(MAX_PAGE_BYTES);
            body.read_to_string()
                .map_err(|error| interrupted(url, &error))
                .map(Attempt::Done)
        })
    }

    /// Downloads a file to `path`, and returns its version, or `None` if the server has no version
    /// but the known one.
    ///
    /// Until the download is complete, its bytes are in the file `path` with the suffix `.part`,
    /// which the next call resumes if the server still has the same version.
    pub(crate) fn file(
        &self,
        url: &str,
        path: &Path,
        known: Option<&FileVersion>,
        on_progress: OnProgress<'_>,
    ) -> Result<Option<FileVersion>, DownloadError> {
        let part = Part::of(path);
        let result = self.retried(|| {
            let before = part.length();
            match self.attempt(url, &part, known, on_progress) {
                Err(DownloadError::Interrupted { .. }) if part.length() > before => {
                    Ok(Attempt::Progress)
                }
                other => other.map(Attempt::Done),
            }
        });
        match &result {
            Ok(Some(_)) => {
                fs::rename(&part.file, path).map_err(|error| write_error(path, error))?;
                part.remove();
            }
            // A full disk must not stay full.
            Err(DownloadError::Write { .. } | DownloadError::TooLarge { .. }) => part.remove(),
            _ => {}
        }
        result
    }

    /// Repeats an interrupted attempt.
    fn retried<T>(
        &self,
        mut attempt: impl FnMut() -> Result<Attempt<T>, DownloadError>,
    ) -> Result<T, DownloadError> {
        let mut failures = 0;
        loop {
            match attempt() {
                Ok(Attempt::Done(done)) => return Ok(done),
                Ok(Attempt::Progress) => failures = 0,
                Err(DownloadError::Interrupted { .. }) if failures + 1 < MAX_FAILURES => {
                    failures += 1
                }
                Err(error) => return Err(error),
            }
            std::thread::sleep(self.timeouts.pause * (1 << failures));
        }
    }

    fn attempt(
        &self,
        url: &str,
        part: &Part,
        known: Option<&FileVersion>,
        on_progress: OnProgress<'_>,
    ) -> Result<Option<FileVersion>, DownloadError> {
        let (begun, mut length) = part.resumable(url);
        let mut request = self
            .agent
            .get(url)
            .header(header::ACCEPT_ENCODING, "identity");
        if let Some(validator) = begun.as_ref().and_then(FileVersion::strong_validator) {
            request = request
                .header(header::RANGE, format!("bytes={length}-"))
                .header(header::IF_RANGE, validator);
        } else if let Some(known) = known.filter(|known| known.url == url) {
            for (name, value) in [
                (header::IF_NONE_MATCH, &known.etag),
                (header::IF_MODIFIED_SINCE, &known.last_modified),
            ] {
                if let Some(value) = value {
                    request = request.header(name, value);
                }
            }
        }
        let response = request.call().map_err(|error| interrupted(url, &error))?;
        let total = match response.status() {
            StatusCode::NOT_MODIFIED => return Ok(None),
            StatusCode::RANGE_NOT_SATISFIABLE => {
                part.remove();
                return Err(interrupted(url, &"the server rejected the range"));
            }
            StatusCode::PARTIAL_CONTENT => match content_range(response.headers()) {
                Some((start, total)) if start == length => Some(total),
                _ => {
                    part.remove();
                    return Err(interrupted(url, &"the server returned another range"));
                }
            },
            status => {
                check_status(url, status)?;
                length = 0;
                number(response.headers(), &header::CONTENT_LENGTH)
            }
        };
        let version = FileVersion::of(url, response.headers());
        let mut output = part.open(&version, length)?;
        let chunks = Chunks::new(response.into_body().into_reader(), self.timeouts.stall);
        copy(
            url,
            chunks,
            &mut Copy {
                path: &part.file,
                output: &mut output,
                length,
                total,
                on_progress,
            },
        )?;
        output
            .sync_all()
            .map_err(|error| write_error(&part.file, error))?;
        Ok(Some(version))
    }
}

/// The target of a copy.
struct Copy<'a> {
    path: &'a Path,
    output: &'a mut File,
    length: u64,
    total: Option<u64>,
    on_progress: OnProgress<'a>,
}

fn copy(url: &str, mut chunks: Chunks, to: &mut Copy<'_>) -> Result<(), DownloadError> {
    loop {
        if to.length.max(to.total.unwrap_or(0)) > MAX_BYTES {
            return Err(DownloadError::TooLarge {
                url: url.to_owned(),
            });
        }
        (to.on_progress)(to.length, to.total);
        let Some(chunk) = chunks.next() else { break };
        let chunk = chunk.map_err(|error| interrupted(url, &error))?;
        to.output
            .write_all(&chunk)
            .map_err(|error| write_error(to.path, error))?;
        to.length += chunk.len() as u64;
    }
    match to.total {
        Some(total) if total != to.length => Err(interrupted(
            url,
            &format!("the connection ended after {} of {total} bytes", to.length),
        )),
        _ => Ok(()),
    }
}

/// The result of an attempt that can be repeated.
enum Attempt<T> {
    Done(T),
    /// The attempt was interrupted, but the next one has less to do.
    Progress,
}

fn check_status(url: &str, status: StatusCode) -> Result<(), DownloadError> {
    match status {
        StatusCode::OK => Ok(()),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(DownloadError::NotFound {
            url: url.to_owned(),
        }),
        StatusCode::TOO_MANY_REQUESTS => Err(interrupted(url, &status)),
        status if status.is_server_error() => Err(interrupted(url, &status)),
        status => Err(DownloadError::Rejected {
            url: url.to_owned(),
            status,
        }),
    }
}

fn number(headers: &HeaderMap, name: &header::HeaderName) -> Option<u64> {
    text(headers, name)?.parse().ok()
}

/// Returns the first byte and the total of `content-range`.
fn content_range(headers: &HeaderMap) -> Option<(u64, u64)> {
    let text = text(headers, &header::CONTENT_RANGE)?;
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    Some((range.split_once('-')?.0.parse().ok()?, total.parse().ok()?))
}

#[cfg(test)]
mod tests;
