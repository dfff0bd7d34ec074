//! The register's files: csv, zips of csv, and folders of both, line by line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::gazetteer::error::BuildError;

/// Maximum length of a line; the register's lines have 150 to 300 bytes. A longer line is passed on
/// empty and counts as malformed.
const MAX_LINE_BYTES: u64 = 1 << 14;

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Returns the named files, and the csv and zip files of the named folders by name, each with its
/// size.
pub(crate) fn files(inputs: &[PathBuf]) -> Result<Vec<(PathBuf, u64)>, BuildError> {
    let mut files = Vec::new();
    for input in inputs {
        let read_error = |error| BuildError::Read {
            path: input.clone(),
            error,
        };
        let meta = std::fs::metadata(input).map_err(read_error)?;
        if !meta.is_dir() {
            files.push((input.clone(), meta.len()));
            continue;
        }
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(input).map_err(read_error)? {
            let path = entry.map_err(read_error)?.path();
            if has_extension(&path, "csv") || has_extension(&path, "zip") {
                let length = std::fs::metadata(&path).map_err(read_error)?.len();
                inside.push((path, length));
            }
        }
        inside.sort();
        files.append(&mut inside);
    }
    if files.is_empty() {
        Err(BuildError::NoInput)
    } else {
        Ok(files)
    }
}

/// Counts the bytes that are read, so that progress is in bytes of the file on disk.
struct CountingReader<R> {
    inner: R,
    read: std::rc::Rc<std::cell::Cell<u64>>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

/// Receives a line, and the bytes of its file that have been read so far.
type LineHandler<'a> = &'a mut dyn FnMut(&[u8], u64) -> Result<(), BuildError>;

/// Calls `handle` with every line of a file, or of every csv file in a zip.
pub(crate) fn lines(path: &Path, handle: LineHandler<'_>) -> Result<(), BuildError> {
    let read_error = |error| BuildError::Read {
        path: path.to_owned(),
        error,
    };
    let file = File::open(path).map_err(read_error)?;
    if !has_extension(path, "zip") {
        let read = std::rc::Rc::new(std::cell::Cell::new(0));
        let counted = CountingReader {
            inner: file,
            read: read.clone(),
        };
        return each_line(
            &mut BufReader::with_capacity(1 << 20, counted),
            path,
            &mut |line| handle(line, read.get()),
        );
    }
    let length = file.metadata().map_err(read_error)?.len();
    let bad_zip = |error| BuildError::Zip {
        path: path.to_owned(),
        error,
    };
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
        let (packed, unpacked) = (entry.compressed_size(), entry.size().max(1));
        let read = std::rc::Rc::new(std::cell::Cell::new(0u64));
        let counted = CountingReader {
            inner: entry,
            read: read.clone(),
        };
        let so_far = |read: u64| {
            let part = before + u128::from(packed) * u128::from(read) / u128::from(unpacked);
            u64::try_from(part).unwrap_or(length).min(length)
        };
        each_line(
            &mut BufReader::with_capacity(1 << 20, counted),
            path,
            &mut |line| handle(line, so_far(read.get())),
        )?;
        before += u128::from(packed);
    }
    if found {
        Ok(())
    } else {
        Err(BuildError::NoCsv {
            path: path.to_owned(),
        })
    }
}

fn each_line(
    reader: &mut impl BufRead,
    path: &Path,
    handle: &mut dyn FnMut(&[u8]) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    let read_error = |error| BuildError::Read {
        path: path.to_owned(),
        error,
    };
    let mut line = Vec::with_capacity(512);
    loop {
        line.clear();
        if reader
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)
            .map_err(read_error)?
            == 0
        {
            return Ok(());
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() as u64 == MAX_LINE_BYTES {
            reader.skip_until(b'\n').map_err(read_error)?;
            line.clear();
        }
        handle(&line)?;
    }
}
