//! Searches archive files, and rewrites them atomically: a crash leaves the old file or the new
//! one.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use despacho_core::{
    model::{Phone, privacy::RecipientOrder},
    rules::settings::Secret,
};
use despacho_sql::{Selection, erase_record, find_in_record};
use flate2::{Compression, bufread::MultiGzDecoder, write::GzEncoder};

use crate::{commands::error::CommandError, private, server::print};

const ENDING: &str = ".jsonl.gz";

/// The files of a folder.
#[derive(Default)]
pub(super) struct Files {
    /// Complete archives, by name.
    pub(super) archives: Vec<PathBuf>,
    /// Incomplete ones, which are not read.
    partial: Vec<PathBuf>,
}

impl Files {
    /// Lists files that may contain personal data and were not read.
    pub(super) fn warn(&self) -> io::Result<()> {
        for file in &self.partial {
            print(&format!(
                "{} is incomplete and was not read: delete it if no archiving is running",
                file.display()
            ))?;
        }
        Ok(())
    }
}

/// Lists the archives in a folder.
pub(super) fn list(folder: &Path) -> Result<Files, CommandError> {
    let failed = |error: io::Error| {
        CommandError::Usage(format!("--archives: {}: {error}", folder.display()))
    };
    let mut files = Files::default();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if name.ends_with(ENDING) {
            files.archives.push(path);
        } else if name.contains(ENDING) {
            files.partial.push(path);
        }
    }
    files.archives.sort();
    Ok(files)
}

/// Returns the orders of a recipient in an archive.
pub(super) fn find(path: &Path, phone: &Phone) -> Result<Vec<RecipientOrder>, CommandError> {
    let mut found = Vec::new();
    for line in records(path)? {
        let line = line.map_err(|error| failed(path, &error))?;
        found.extend(find_in_record(&line, phone).map_err(|error| failed(path, &error))?);
    }
    Ok(found)
}

/// Erases recipients from an archive, and returns the number of affected orders. A file without any
/// is not rewritten.
pub(super) fn erase(
    path: &Path,
    selection: &Selection,
    secret: &Secret,
) -> Result<u32, CommandError> {
    let mut count = 0;
    for line in records(path)? {
        let line = line.map_err(|error| failed(path, &error))?;
        count += u32::from(
            erase_record(&line, selection, secret)
                .map_err(|error| failed(path, &error))?
                .is_some(),
        );
    }
    if count > 0 {
        rewrite(path, selection, secret).map_err(|error| failed(path, &error))?;
    }
    Ok(count)
}

fn rewrite(path: &Path, selection: &Selection, secret: &Secret) -> io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".erasing");
    let partial = PathBuf::from(partial);
    // An interrupted run may have left the file.
    match fs::remove_file(&partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut out = GzEncoder::new(
        BufWriter::new(private::create_new(&partial)?),
        Compression::default(),
    );
    let source = BufReader::new(File::open(path)?);
    for line in BufReader::new(MultiGzDecoder::new(source)).lines() {
        let line = line?;
        let erased = erase_record(&line, selection, secret).map_err(io::Error::other)?;
        out.write_all(erased.unwrap_or(line).as_bytes())?;
        out.write_all(b"\n")?;
    }
    out.finish()?
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .sync_all()?;
    fs::rename(&partial, path)?;
    #[cfg(unix)]
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

fn records(path: &Path) -> Result<impl Iterator<Item = io::Result<String>>, CommandError> {
    let file = File::open(path).map_err(|error| failed(path, &error))?;
    Ok(BufReader::new(MultiGzDecoder::new(BufReader::new(file))).lines())
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> CommandError {
    CommandError::Failed(format!("{}: {error}", path.display()))
}
