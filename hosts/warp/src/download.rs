//! Downloads of large files, which resume after an interruption.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use ureq::{
    Agent,
    http::{HeaderMap, Response, StatusCode, header},
    tls::{Certificate, RootCerts, TlsConfig},
};

/// Maximum size of a file. The largest state of the register has about 700 MB, the largest extract of Brazil's roads 800 MB.
const MAX_BYTES: u64 = 8 << 30;
/// Maximum size of a page that is read into memory.
const MAX_PAGE_BYTES: u64 = 4 << 20;
/// Consecutive attempts without progress. The time between them doubles from one second.
const MAX_FAILURES: u32 = 4;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);
/// Timeout of the body of an attempt. The next attempt resumes where it ended.
const BODY_TIMEOUT: Duration = Duration::from_secs(30 * 60);
const BUFFER_BYTES: usize = 1 << 16;

/// A version of a file on a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileVersion {
    pub(crate) url: String,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
}

/// The error of a download.
#[derive(Debug)]
pub(crate) enum DownloadError {
    /// The server has no such file.
    NotFound { url: String },
    /// The server rejected the request.
    Rejected { url: String, status: StatusCode },
    /// The connection failed, or ended early. The next attempt can resume.
    Interrupted { url: String, detail: String },
    /// The file is too large.
    TooLarge { url: String },
    /// The file could not be written.
    Write { path: PathBuf, error: io::Error },
}

impl fmt::Display for DownloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DownloadError::NotFound { url } => write!(f, "{url} does not exist"),
            DownloadError::Rejected { url, status } => write!(f, "{url} returned {status}"),
            DownloadError::Interrupted { url, detail } => {
                write!(f, "{url}: {detail}; run the command again to resume the download")
            }
            DownloadError::TooLarge { url } => write!(f, "{url} has more than {} GiB", MAX_BYTES >> 30),
            DownloadError::Write { path, error } => write!(f, "{} cannot be written: {error}", path.display()),
        }
    }
}

/// Receives the number of bytes so far, and the total if the server stated it.
pub(crate) type OnProgress<'a> = &'a mut dyn FnMut(u64, Option<u64>);

/// Downloads files by HTTP, through the proxy of the environment if there is one.
pub(crate) struct Downloader {
    agent: Agent,
}

impl Downloader {
    pub(crate) fn new() -> Downloader {
        let roots = rustls_native_certs::load_native_certs().certs;
        let roots = roots.iter().map(|one| Certificate::from_der(one.as_ref()).to_owned());
        let provider = tokio_rustls::rustls::crypto::ring::default_provider();
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::Specific(Arc::new(roots.collect())))
            .unversioned_rustls_crypto_provider(Arc::new(provider));
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .tls_config(tls.build())
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(RESPONSE_TIMEOUT))
            .timeout_recv_body(Some(BODY_TIMEOUT))
            .user_agent(concat!("despacho/", env!("CARGO_PKG_VERSION")));
        Downloader { agent: agent.build().into() }
    }

    /// Returns the text of a page.
    pub(crate) fn page(&self, url: &str) -> Result<String, DownloadError> {
        retried(|| {
            let mut response = self.agent.get(url).call().map_err(|error| interrupted(url, &error))?;
            check_status(url, response.status())?;
            let body = response.body_mut().with_config().limit(MAX_PAGE_BYTES);
            body.read_to_string().map_err(|error| interrupted(url, &error)).map(Attempt::Done)
        })
    }

    /// Downloads a file to `path`, and returns its version, or `None` if the server has no version but the known one.
    ///
    /// Until the download is complete, its bytes are in the file `path` with the suffix `.part`, which the next call resumes if the
    /// server still has the same version.
    pub(crate) fn file(
        &self,
        url: &str,
        path: &Path,
        known: Option<&FileVersion>,
        on_progress: OnProgress<'_>,
    ) -> Result<Option<FileVersion>, DownloadError> {
        let part = Part::of(path);
        let result = retried(|| {
            let before = part.length();
            match self.attempt(url, &part, known, on_progress) {
                Err(DownloadError::Interrupted { .. }) if part.length() > before => Ok(Attempt::Progress),
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

    fn attempt(
        &self,
        url: &str,
        part: &Part,
        known: Option<&FileVersion>,
        on_progress: OnProgress<'_>,
    ) -> Result<Option<FileVersion>, DownloadError> {
        let (begun, mut length) = part.resumable(url);
        let mut request = self.agent.get(url).header(header::ACCEPT_ENCODING, "identity");
        if let Some(validator) = begun.as_ref().and_then(FileVersion::strong_validator) {
            request = request.header(header::RANGE, format!("bytes={length}-")).header(header::IF_RANGE, validator);
        } else if let Some(known) = known.filter(|known| known.url == url) {
            for (name, value) in
                [(header::IF_NONE_MATCH, &known.etag), (header::IF_MODIFIED_SINCE, &known.last_modified)]
            {
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
        copy(url, response, &mut Copy { path: &part.file, output: &mut output, length, total, on_progress })?;
        output.sync_all().map_err(|error| write_error(&part.file, error))?;
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

fn copy(url: &str, response: Response<ureq::Body>, to: &mut Copy<'_>) -> Result<(), DownloadError> {
    let mut reader = response.into_body().into_reader();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        if to.length.max(to.total.unwrap_or(0)) > MAX_BYTES {
            return Err(DownloadError::TooLarge { url: url.to_owned() });
        }
        (to.on_progress)(to.length, to.total);
        let read = reader.read(&mut buffer).map_err(|error| interrupted(url, &error))?;
        if read == 0 {
            break;
        }
        to.output.write_all(&buffer[..read]).map_err(|error| write_error(to.path, error))?;
        to.length += read as u64;
    }
    match to.total {
        Some(total) if total != to.length => {
            Err(interrupted(url, &format!("the connection ended after {} of {total} bytes", to.length)))
        }
        _ => Ok(()),
    }
}

/// The result of an attempt that can be repeated.
enum Attempt<T> {
    Done(T),
    /// The attempt was interrupted, but the next one has less to do.
    Progress,
}

/// Repeats an interrupted attempt.
fn retried<T>(mut attempt: impl FnMut() -> Result<Attempt<T>, DownloadError>) -> Result<T, DownloadError> {
    let mut failures = 0;
    loop {
        match attempt() {
            Ok(Attempt::Done(done)) => return Ok(done),
            Ok(Attempt::Progress) => failures = 0,
            Err(DownloadError::Interrupted { .. }) if failures + 1 < MAX_FAILURES => failures += 1,
            Err(error) => return Err(error),
        }
        std::thread::sleep(Duration::from_secs(1 << failures) / 2);
    }
}

fn interrupted(url: &str, error: &dyn fmt::Display) -> DownloadError {
    DownloadError::Interrupted { url: url.to_owned(), detail: error.to_string() }
}

fn write_error(path: &Path, error: io::Error) -> DownloadError {
    DownloadError::Write { path: path.to_owned(), error }
}

fn check_status(url: &str, status: StatusCode) -> Result<(), DownloadError> {
    match status {
        StatusCode::OK => Ok(()),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(DownloadError::NotFound { url: url.to_owned() }),
        StatusCode::TOO_MANY_REQUESTS => Err(interrupted(url, &status)),
        status if status.is_server_error() => Err(interrupted(url, &status)),
        status => Err(DownloadError::Rejected { url: url.to_owned(), status }),
    }
}

fn text(headers: &HeaderMap, name: &header::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
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

impl FileVersion {
    fn of(url: &str, headers: &HeaderMap) -> FileVersion {
        let [etag, last_modified] = [header::ETAG, header::LAST_MODIFIED].map(|name| text(headers, &name));
        FileVersion { url: url.to_owned(), etag, last_modified }
    }

    /// Returns the value of `if-range`, which permits no weak validator.
    fn strong_validator(&self) -> Option<&str> {
        let etag = self.etag.as_deref().filter(|etag| !etag.starts_with("W/"));
        etag.or(self.last_modified.as_deref())
    }
}

/// An incomplete file, and a file with its version.
struct Part {
    file: PathBuf,
    version: PathBuf,
}

impl Part {
    fn of(path: &Path) -> Part {
        let suffixed = |suffix: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        };
        Part { file: suffixed(".part"), version: suffixed(".part.json") }
    }

    fn length(&self) -> u64 {
        fs::metadata(&self.file).map_or(0, |meta| meta.len())
    }

    /// Returns the version whose first bytes the file has, and their number.
    fn resumable(&self, url: &str) -> (Option<FileVersion>, u64) {
        let version = fs::read(&self.version).ok().and_then(|bytes| serde_json::from_slice::<FileVersion>(&bytes).ok());
        let version = version.filter(|version| version.url == url && self.length() > 0);
        if version.is_some() { (version, self.length()) } else { (None, 0) }
    }

    /// Opens the file behind its first `length` bytes.
    fn open(&self, version: &FileVersion, length: u64) -> Result<File, DownloadError> {
        if length > 0 {
            return OpenOptions::new().append(true).open(&self.file).map_err(|error| write_error(&self.file, error));
        }
        let file = File::create(&self.file).map_err(|error| write_error(&self.file, error))?;
        let json = serde_json::to_vec(version).unwrap_or_default();
        fs::write(&self.version, json).map_err(|error| write_error(&self.version, error))?;
        Ok(file)
    }

    /// Removes both files. A file that does not exist or cannot be removed is replaced by the next download.
    fn remove(&self) {
        let _ = (fs::remove_file(&self.file), fs::remove_file(&self.version));
    }
}
