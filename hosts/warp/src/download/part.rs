//! The version of a file on a server, and the incomplete file of a download.

use std::{
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use ureq::http::{HeaderMap, header};

use super::error::{DownloadError, write_error};

/// A version of a file on a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileVersion {
    pub(crate) url: String,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
}

impl FileVersion {
    pub(super) fn of(url: &str, headers: &HeaderMap) -> FileVersion {
        let [etag, last_modified] =
            [header::ETAG, header::LAST_MODIFIED].map(|name| text(headers, &name));
        FileVersion {
            url: url.to_owned(),
            etag,
            last_modified,
        }
    }

    /// Returns the value of `if-range`, which permits no weak validator.
    pub(super) fn strong_validator(&self) -> Option<&str> {
        let etag = self.etag.as_deref().filter(|etag| !etag.starts_with("W/"));
        etag.or(self.last_modified.as_deref())
    }
}

/// An incomplete file, and a file with its version.
pub(super) struct Part {
    pub(super) file: PathBuf,
    version: PathBuf,
}

impl Part {
    pub(super) fn of(path: &Path) -> Part {
        let suffixed = |suffix: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        };
        Part {
            file: suffixed(".part"),
            version: suffixed(".part.json"),
        }
    }

    pub(super) fn length(&self) -> u64 {
        fs::metadata(&self.file).map_or(0, |meta| meta.len())
    }

    /// Returns the version whose first bytes the file has, and their number.
    pub(super) fn resumable(&self, url: &str) -> (Option<FileVersion>, u64) {
        let version = fs::read(&self.version)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<FileVersion>(&bytes).ok());
        let version = version.filter(|version| version.url == url && self.length() > 0);
        if version.is_some() {
            (version, self.length())
        } else {
            (None, 0)
        }
    }

    /// Opens the file behind its first `length` bytes.
    pub(super) fn open(&self, version: &FileVersion, length: u64) -> Result<File, DownloadError> {
        if length > 0 {
            return OpenOptions::new()
                .append(true)
                .open(&self.file)
                .map_err(|error| write_error(&self.file, error));
        }
        let file = File::create(&self.file).map_err(|error| write_error(&self.file, error))?;
        let json = serde_json::to_vec(version).unwrap_or_default();
        fs::write(&self.version, json).map_err(|error| write_error(&self.version, error))?;
        Ok(file)
    }

    /// Removes both files. A file that does not exist or cannot be removed is replaced by the next
    /// download.
    pub(super) fn remove(&self) {
        let _ = (fs::remove_file(&self.file), fs::remove_file(&self.version));
    }
}

/// Returns a header as text.
pub(super) fn text(headers: &HeaderMap, name: &header::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
