//! Builds a pack: reads, sorts, groups and writes rows.

use std::path::{Path, PathBuf};

use despacho_core::geo::{
    cnefe::{RowReader, is_header},
    pack::{
        Builder, ROW,
        format::{Header, LABEL},
        row_bytes,
    },
};

use crate::gazetteer::error::BuildError;
use crate::gazetteer::input;
use crate::gazetteer::report::{MAX_MALFORMED_PERCENT, MAX_NAMED_ROWS, MalformedRow, Report};
use crate::gazetteer::scratch::Scratch;
use crate::gazetteer::sort::Sorter;
use crate::gazetteer::write::Tables;

/// Memory for sorting rows, in bytes. With buffers and tables a build stays well under 300 MB.
const ROW_MEMORY: usize = 96 << 20;

/// Rows between two calls of the progress function.
const PROGRESS_ROWS: u64 = 1 << 16;

/// The label of packs, which names their source.
const SOURCE_LABEL: &[u8] = b"IBGE CNEFE 2022";

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

/// Builds a pack from register files: csv, zips of csv, and folders of both.
///
/// The pack appears under its name when it is complete; temporary files are in a folder next to it.
/// The folders of earlier builds of this pack that were killed are removed. Malformed rows are
/// skipped, counted and named; more than [`MAX_MALFORMED_PERCENT`] of the rows are an error.
/// `progress` is called about every 65,000 rows.
///
/// # Errors
/// [`BuildError`] names the file and the reason.
pub fn build(
    inputs: &[PathBuf],
    output: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report, BuildError> {
    let scratch = Scratch::next_to(output)?;
    let mut rows = Sorter::<ROW>::new(scratch.path(), "rows", ROW_MEMORY);
    let mut report = Report::default();
    let bytes_total = read(inputs, &mut rows, &mut report, progress)?;
    if report.rows == report.malformed() {
        return Err(BuildError::NoRows { rows: report.rows });
    }
    if report.malformed() * 100 > report.rows * MAX_MALFORMED_PERCENT {
        return Err(BuildError::MalformedRows {
            report: Box::new(report),
        });
    }
    let at = |stage, rows| Progress {
        stage,
        bytes: bytes_total,
        bytes_total,
        rows,
    };
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
    let header = Header {
        counts: report.records,
        rows: report.rows,
        label,
    };
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
                        report.named.push(MalformedRow {
                            path: path.clone(),
                            line: number,
                            error,
                        });
                    }
                }
            }
            if report.rows.is_multiple_of(PROGRESS_ROWS) {
                let bytes = before + bytes;
                progress(Progress {
                    stage: Stage::Reading,
                    bytes,
                    bytes_total,
                    rows: report.rows,
                });
            }
            Ok(())
        })?;
        before += length;
    }
    progress(Progress {
        stage: Stage::Reading,
        bytes: bytes_total,
        bytes_total,
        rows: report.rows,
    });
    Ok(bytes_total)
}
