//! Builds a pack: reads, sorts, groups and writes rows.

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

/// The label of packs, which names their source.
const SOURCE_LABEL: &[u8] = b"IBGE CNEFE 2022";

/// Maximum malformed rows that a report names.
const MAX_NAMED_ROWS: usize = 20;

/// The stage of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Rows are read and sorted in parts.
    Reading,
    /// The parts are merged and grouped. Progress is counted in rows.
    Merging,
    /// The pack is written.
    Writing,
}

/// The progress of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// Bytes of the input files that have been read.
    pub bytes: u64,
    /// Total bytes of the input files.
    pub bytes_total: u64,
    /// Rows that have been read, or merged in the later stages.
    pub rows: u64,
}

/// A row that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MalformedRow {
    /// The file.
    pub path: PathBuf,
    /// The line number, from 1. In a zip it counts the lines of all csv files.
    pub line: u64,
    /// The reason.
    pub error: RowError,
}

/// The result of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows that were read, without headers.
    pub rows: u64,
    /// Skipped rows by error, in the order of [`RowError::ALL`].
    pub errors: [u64; RowError::ALL.len()],
    /// The first malformed rows.
    pub named: Vec<MalformedRow>,
    /// Distinct addresses among the rows.
    pub distinct: u64,
    /// Records of CEP5, CEP, streets and doors.
    pub records: [u64; 4],
    /// Size of the pack in bytes.
    pub pack_bytes: u64,
}

impl Report {
    /// Returns the number of skipped rows.
    pub fn malformed(&self) -> u64 {
        self.errors.iter().sum()
    }
}

/// Builds a pack from register files: csv, zips of csv, and folders of both.
///
/// The pack appears under its name when it is complete; temporary files are in a folder next to it. Malformed rows are skipped, counted
/// and named. `progress` is called about every 65,000 rows.
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
    label[..SOURCE_LABEL.len()].copy_from_slice(SOURCE_LABEL);
    let header = Header { counts: report.records, rows: report.rows, label };
    let complete = scratch.path().join("pack");
    report.pack_bytes = tables.join(&header, &complete)?;
    std::fs::rename(&complete, output)?;
    Ok(report)
}

/// Reads every row into the sorter and returns the total bytes of the files.
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
                    if report.named.len() < MAX_NAMED_ROWS {
                        report.named.push(MalformedRow { path: path.clone(), line: number, error });
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

/// A temporary folder, which is removed with its content when dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Creates a folder next to a file, named after the file and this process.
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
        // A folder that cannot be removed holds no result, so the error is ignored.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
