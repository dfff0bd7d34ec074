//! The register's files: csv, zips of csv, and folders of both, line by line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::gazetteer::error::BuildError;

/// Longest line that is read; the register's are 150 to 300 bytes. A longer one is handed on cut, and counts as malformed.
const LONGEST_LINE: u64 = 1 << 14;

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// The files to read: those named, and the csv and zip files of folders named, in order of their names.
pub(crate) fn files(inputs: &[PathBuf]) -> Result<Vec<(PathBuf, u64)>, BuildError> {
    let mut files = Vec::new();
    for input in inputs {
        let at = |error| BuildError::Read { path: input.clone(), error };
        let meta = std::fs::metadata(input).map_err(at)?;
        if !meta.is_dir() {
            files.push((input.clone(), meta.len()));
            continue;
        }
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(input).map_err(at)? {
            let path = entry.map_err(at)?.path();
            if has_extension(&path, "csv") || has_extension(&path, "zip") {
                let length = std::fs::metadata(&path).map_err(at)?.len();
                inside.push((path, length));
            }
        }
        inside.sort();
        files.append(&mut inside);
    }
    if files.is_empty() { Err(BuildError::NoOutput) } else { Ok(files) }
}

/// Counts the bytes that pass, so that progress can be told in bytes of the file on disk.
struct Counted<R> {
    inner: R,
    read: std::rc::Rc<std::cell::Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

/// Takes a line, and the bytes of its file that are read so far.
type Take<'a> = &'a mut dyn FnMut(&[u8], u64) -> Result<(), BuildError>;

/// Hands every line of a file, and of every csv inside a zip, to `take`, with the bytes of the file that are read so far.
pub(crate) fn lines(path: &Path, take: Take<'_>) -> Result<(), BuildError> {
    let at = |error| BuildError::Read { path: path.to_owned(), error };
    let file = File::open(path).map_err(at)?;
    if !has_extension(path, "zip") {
        let read = std::rc::Rc::new(std::cell::Cell::new(0));
        let counted = Counted { inner: file, read: read.clone() };
        return each_line(&mut BufReader::with_capacity(1 << 20, counted), path, &mut |line| take(line, read.get()));
    }
    let length = file.metadata().map_err(at)?.len();
    let bad_zip = |error| BuildError::Zip { path: path.to_owned(), error };
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(bad_zip)?;
    let mut before = 0;
    let mut found = false;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(bad_zip)?;
        let is_csv = has_extension(Path::new(entry.name().map_err(bad_zip)?.as_ref()), "csv");
        if !is_csv {
            continue;
        }
        found = true;
        let (packed, whole) = (entry.compressed_size(), entry.size().max(1));
        let read = std::rc::Rc::new(std::cell::Cell::new(0u64));
        let counted = Counted { inner: entry, read: read.clone() };
        let so_far = |read: u64| {
            let part = before + u128::from(packed) * u128::from(read) / u128::from(whole);
            u64::try_from(part).unwrap_or(length).min(length)
        };
        each_line(&mut BufReader::with_capacity(1 << 20, counted), path, &mut |line| take(line, so_far(read.get())))?;
        before += u128::from(packed);
    }
    if found { Ok(()) } else { Err(BuildError::NoCsv { path: path.to_owned() }) }
}

fn each_line(
    reader: &mut impl BufRead,
    path: &Path,
    take: &mut dyn FnMut(&[u8]) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    let at = |error| BuildError::Read { path: path.to_owned(), error };
    let mut line = Vec::with_capacity(512);
    loop {
        line.clear();
        if reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(at)? == 0 {
            return Ok(());
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() as u64 == LONGEST_LINE {
            reader.skip_until(b'\n').map_err(at)?;
            line.clear();
        }
        take(&line)?;
    }
}
