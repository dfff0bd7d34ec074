//! An archive file: one order per line, in JSON, compressed with gzip.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use despacho_core::model::Timestamp;
use flate2::{Compression, bufread::MultiGzDecoder, write::GzEncoder};

use crate::{commands::error::CommandError, private};

/// A file that is being written under a temporary name.
pub(super) struct Draft {
    folder: PathBuf,
    path: PathBuf,
    partial: PathBuf,
    out: GzEncoder<BufWriter<File>>,
}

impl Draft {
    /// Creates a file with a unique name. Only its owner can read it, because it contains names and
    /// phone numbers.
    pub(super) fn begin(folder: &Path, now: Timestamp) -> Result<Draft, CommandError> {
        let mut mark = super::super::operator::random_text()?;
        mark.truncate(8);
        let time: String = now
            .to_string()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(15)
            .collect();
        let name = format!("despacho-{time}-{mark}.jsonl.gz");
        let partial = folder.join(format!("{name}.partial"));
        let file = private::create_new(&partial)
            .map_err(|error| format!("{}: {error}", partial.display()))?;
        let out = GzEncoder::new(BufWriter::new(file), Compression::default());
        Ok(Draft {
            folder: folder.to_owned(),
            path: folder.join(name),
            partial,
            out,
        })
    }

    /// Writes a record.
    pub(super) fn add(&mut self, record: &str) -> io::Result<()> {
        self.out.write_all(record.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// Flushes the file and its final name to disk, and returns the name and the size.
    pub(super) fn seal(self) -> io::Result<(PathBuf, u64)> {
        let file = self
            .out
            .finish()?
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        let bytes = file.metadata()?.len();
        drop(file);
        fs::rename(&self.partial, &self.path)?;
        // On Unix a rename is durable only after its folder is flushed.
        #[cfg(unix)]
        File::open(&self.folder)?.sync_all()?;
        Ok((self.path, bytes))
    }
}

/// The part of a record by which it is found.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    order_id: u64,
}

/// Prints the records of a file, or that of one order.
pub(in crate::commands) fn show(path: &Path, order: Option<u64>) -> Result<(), CommandError> {
    let failed = |error: io::Error| CommandError::Failed(format!("{}: {error}", path.display()));
    let file = BufReader::new(File::open(path).map_err(failed)?);
    let mut out = io::stdout().lock();
    let mut found = order.is_none();
    for line in BufReader::new(MultiGzDecoder::new(file)).lines() {
        let line = line.map_err(failed)?;
        let head: Head = serde_json::from_str(&line).map_err(|error| {
            CommandError::Failed(format!("{}: invalid record: {error}", path.display()))
        })?;
        if order.is_none_or(|order| order == head.order_id) {
            found = true;
            writeln!(out, "{line}")?;
        }
    }
    match found {
        true => Ok(out.flush()?),
        false => Err(CommandError::Failed(format!(
            "{} does not contain this order",
            path.display()
        ))),
    }
}
