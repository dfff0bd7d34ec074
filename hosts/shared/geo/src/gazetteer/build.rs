//! One build: read, sort, group, write.

use std::io;
use std::path::{Path, PathBuf};

use despacho_core::geo::{
    cnefe::{RowError, RowReader, is_header},
    pack::{
        Builder, ROW,
        format::{Header, LABEL},
        row_bytes,
    },
};

use crate::gazetteer::error::BuildError;
use crate::gazetteer::input;
use crate::gazetteer::sort::Sorter;
use crate::gazetteer::write::Tables;

/// Memory for sorting rows, in bytes. With buffers and tables a build stays well under 300 MB.
const ROW_MEMORY: usize = 96 << 20;

/// Rows between two calls of the progress function.
const PROGRESS_ROWS: u64 = 1 << 16;

/// What a pack of this program says it was made from.
const MADE_FROM: &[u8] = b"IBGE CNEFE 2022";

/// Lines of malformed rows that a report names.
const NAMED_LINES: usize = 20;

/// Where a build stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Rows are read and sorted in parts.
    Reading,
    /// The parts are merged and grouped; counted in rows.
    Merging,
    /// The pack is written.
    Writing,
}

/// How far a build has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it does.
    pub stage: Stage,
    /// Bytes of the input files that are read.
    pub bytes: u64,
    /// Bytes of the input files in all.
    pub bytes_total: u64,
    /// Rows that are read, or while merging, that are merged.
    pub rows: u64,
}

/// A row that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// File it is in.
    pub path: PathBuf,
    /// Line of the file, the first being 1; in a zip, of all its csv files together.
    pub line: u64,
    /// What is wrong with it.
    pub error: RowError,
}

/// What a build did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows that were read, headers aside.
    pub rows: u64,
    /// Rows left out, by fault, in the order of [`RowError::ALL`].
    pub errors: [u64; RowError::ALL.len()],
    /// The first malformed rows.
    pub named: Vec<Malformed>,
    /// Distinct addresses among the rows.
    pub distinct: u64,
    /// Records of CEP5, CEP, streets and doors.
    pub records: [u64; 4],
    /// Length of the pack.
    pub pack_bytes: u64,
}

impl Report {
    /// Rows left out.
    pub fn malformed(&self) -> u64 {
        self.errors.iter().sum()
    }
}

/// Makes a pack from register files: csv, zips of csv, and folders of both.
///
/// The pack appears under its name only when it is whole; until then files beside it hold the work. Malformed rows are left
/// out, counted and named. `progress` is called about every 65,000 rows.
///
/// # Errors
/// [`BuildError`] names the file and the reason.
pub fn build(inputs: &[PathBuf], output: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Report, BuildError> {
    let scratch = Scratch::next_to(output)?;
    let mut rows = Sorter::<ROW>::new(scratch.path(), "rows", ROW_MEMORY);
    let mut report = Report::default();
    let bytes_total = read(inputs, &mut rows, &mut report, progress)?;
    if report.rows == report.malformed() {
        return Err(BuildError::NoRows { rows: report.rows });
    }
    let at = |stage, rows| Progress { stage, bytes: bytes_total, bytes_total, rows };
    let (mut tables, mut builder) = (Tables::create(scratch.path())?, Builder::default());
    rows.drain::<BuildError>(&mut |row| {
        builder.push(row, &mut tables)?;
        report.distinct += 1;
        if report.distinct.is_multiple_of(PROGRESS_ROWS) {
            progress(at(Stage::Merging, report.distinct));
        }
        Ok(())
    })?;
    report.records = builder.finish(&mut tables)?;
    progress(at(Stage::Writing, report.distinct));
    let mut label = [0; LABEL];
    label[..MADE_FROM.len()].copy_from_slice(MADE_FROM);
    let header = Header { counts: report.records, rows: report.rows, label };
    let whole = scratch.path().join("pack");
    report.pack_bytes = tables.join(&header, &whole)?;
    std::fs::rename(&whole, output)?;
    Ok(report)
}

/// Reads every row into the sorter; returns how many bytes the files have.
fn read(
    inputs: &[PathBuf],
    rows: &mut Sorter<ROW>,
    report: &mut Report,
    progress: &mut dyn FnMut(Progress),
) -> Result<u64, BuildError> {
    let files = input::files(inputs)?;
    let bytes_total = files.iter().map(|(_, length)| length).sum();
    let mut before = 0;
    let mut reader = RowReader::default();
    for (path, length) in &files {
        let mut number = 0;
        input::lines(path, &mut |line, bytes| {
            number += 1;
            if is_header(line) {
                return Ok(());
            }
            report.rows += 1;
            match reader.read(line) {
                Ok(row) => rows.push(row_bytes(&row))?,
                Err(error) => {
                    report.errors[error as usize] += 1;
                    if report.named.len() < NAMED_LINES {
                        report.named.push(Malformed { path: path.clone(), line: number, error });
                    }
                }
            }
            if report.rows.is_multiple_of(PROGRESS_ROWS) {
                let bytes = before + bytes;
                progress(Progress { stage: Stage::Reading, bytes, bytes_total, rows: report.rows });
            }
            Ok(())
        })?;
        before += length;
    }
    progress(Progress { stage: Stage::Reading, bytes: bytes_total, bytes_total, rows: report.rows });
    Ok(bytes_total)
}

/// A folder for unfinished work, removed with all that is in it.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A new folder beside a file, named after it and this process.
    pub(crate) fn next_to(file: &Path) -> io::Result<Scratch> {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = file.file_name().ok_or_else(|| io::Error::other("the pack needs a file name"))?;
        let mut name = name.to_owned();
        name.push(format!(".{}-{next}.building", std::process::id()));
        let path = file.with_file_name(name);
        std::fs::create_dir(&path)?;
        Ok(Scratch(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing can be done about a folder that will not go; it holds no result.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
