//! Errors of downloads.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use ureq::http::StatusCode;

/// Maximum size of a file. The largest state of the register has about 700 MB, the largest extract
/// of Brazil's roads 800 MB.
pub(super) const MAX_BYTES: u64 = 8 << 30;

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
                write!(
                    f,
                    "{url}: {detail}; run the command again to resume the download"
                )
            }
            DownloadError::TooLarge { url } => {
                write!(f, "{url} has more than {} GiB", MAX_BYTES >> 30)
            }
            DownloadError::Write { path, error } => {
                write!(f, "{} cannot be written: {error}", path.display())
            }
        }
    }
}

pub(super) fn interrupted(url: &str, error: &dyn fmt::Display) -> DownloadError {
    DownloadError::Interrupted {
        url: url.to_owned(),
        detail: error.to_string(),
    }
}

pub(super) fn write_error(path: &Path, error: io::Error) -> DownloadError {
    DownloadError::Write {
        path: path.to_owned(),
        error,
    }
}
