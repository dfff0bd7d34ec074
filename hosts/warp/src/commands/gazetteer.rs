//! `despacho gazetteer`.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use despacho_core::{
    geo::{Gazetteer, cnefe::RowError},
    model::{Address, Cep, Uf},
};
use despacho_geo::gazetteer::{BuildError, Report};

use super::{error::CommandError, progress::Progress};
use crate::{cli::Lookup, geo::LoadedPack, server::print};

/// Builds a pack, reports progress on standard error, and prints a summary.
pub(super) fn build(inputs: &[PathBuf], output: &Path) -> Result<(), CommandError> {
    let (report, took) = build_pack(inputs, output)?;
    let rate = rate(report.rows, took);
    let [cep5s, ceps, streets, doors] = report.records;
    print(&format!(
        "{}: {} bytes from {} rows, {} malformed, in {:.1} s ({rate} rows per second)\n\
         {doors} street numbers, {streets} streets, {ceps} CEPs, {cep5s} CEP5s of {} addresses",
        output.display(),
        report.pack_bytes,
        report.rows,
        report.malformed(),
        took.as_secs_f64(),
        report.distinct,
    ))?;
    Ok(())
}

/// Builds a pack, reports progress and malformed rows on standard error, and returns the time that
/// it took.
pub(super) fn build_pack(
    inputs: &[PathBuf],
    output: &Path,
) -> Result<(Report, Duration), CommandError> {
    let mut shown = Progress::new("building the pack");
    let built =
        despacho_geo::gazetteer::build(inputs, output, &mut |progress| shown.show_build(&progress));
    let took = shown.finish();
    if let Err(BuildError::MalformedRows { report }) = &built {
        list_malformed(report)?;
    }
    let report = built.map_err(build_error)?;
    list_malformed(&report)?;
    Ok((report, took))
}

/// Returns the error with a remedy. A missing file is a usage error.
fn build_error(error: BuildError) -> CommandError {
    let text = format!("no pack was built: {error}");
    match &error {
        BuildError::Read { error, .. } if error.kind() == io::ErrorKind::NotFound => {
            CommandError::Usage(text)
        }
        BuildError::NoInput => CommandError::Usage(format!(
            "{text}; name csv or zip files, or a folder of them"
        )),
        BuildError::Read { error, .. } if error.kind() == io::ErrorKind::InvalidData => {
            CommandError::Failed(format!("{text}; download the file again"))
        }
        BuildError::Zip { .. } => CommandError::Failed(format!("{text}; download the file again")),
        BuildError::MalformedRows { .. } => CommandError::Failed(format!(
            "{text}; download the file again, or remove the rows"
        )),
        BuildError::NoRows { .. } => CommandError::Failed(format!(
            "{text}; use the files of IBGE's CNEFE 2022 as downloaded"
        )),
        _ => CommandError::Failed(text),
    }
}

/// Lists the malformed rows by error, and the locations of the first ones.
fn list_malformed(report: &Report) -> io::Result<()> {
    let mut errors = io::stderr().lock();
    for (error, count) in RowError::ALL
        .iter()
        .zip(report.errors)
        .filter(|(_, count)| *count > 0)
    {
        writeln!(errors, "{count} rows skipped: {}", describe(*error))?;
    }
    for row in &report.named {
        writeln!(
            errors,
            "  {} line {}: {}",
            row.path.display(),
            row.line,
            describe(row.error)
        )?;
    }
    let unnamed = report.malformed() - report.named.len() as u64;
    if unnamed > 0 {
        writeln!(errors, "  and {unnamed} more")
    } else {
        Ok(())
    }
}

fn describe(error: RowError) -> &'static str {
    match error {
        RowError::Columns => "fewer than 34 columns",
        RowError::Text => "text that is not UTF-8",
        RowError::Municipality => "invalid IBGE code of the municipality",
        RowError::Cep => "CEP without eight digits",
        RowError::Coordinates => "coordinates missing or outside Brazil",
    }
}

fn rate(rows: u64, took: Duration) -> u128 {
    u128::from(rows) * 1_000 / took.as_millis().max(1)
}

/// Prints the contents of a pack.
pub(super) fn info(path: &Path) -> Result<(), CommandError> {
    let pack = read(path)?.pack;
    let info = pack.info();
    let bytes = std::fs::metadata(path)?.len();
    print(&format!(
        "pack: {}\nversion: {}\nsource: {}\nrows: {}\nstreet numbers: {}\nstreets: {}\nCEPs: {}\nCEP5s: {}\nbytes: {bytes}\n\
         checksum: valid",
        path.display(),
        pack.version(),
        info.label(),
        info.rows,
        info.doors,
        info.streets,
        info.ceps,
        info.cep5s,
    ))?;
    Ok(())
}

fn read(path: &Path) -> Result<LoadedPack, CommandError> {
    if path.exists() {
        Ok(LoadedPack::read(path)?)
    } else {
        Err(CommandError::Usage(format!(
            "file not found: {}",
            path.display()
        )))
    }
}

/// Looks up an address in a pack only.
pub(super) fn look_up(lookup: Lookup) -> Result<(), CommandError> {
    let Lookup {
        pack,
        street,
        number,
        city,
        state,
        zip_code,
    } = lookup;
    if state
        .as_deref()
        .is_some_and(|state| Uf::parse(state).is_none())
    {
        return Err(CommandError::Usage(
            "--state must be the two letters of a state, such as SP".to_owned(),
        ));
    }
    if zip_code
        .as_deref()
        .is_some_and(|cep| Cep::parse(cep).is_none())
    {
        return Err(CommandError::Usage(
            "--zip-code must be a CEP of eight digits, such as 01310-100".to_owned(),
        ));
    }
    if zip_code.is_none() && (street.is_none() || city.is_none()) {
        return Err(CommandError::Usage(
            "give --zip-code, or --street with --city and --state".to_owned(),
        ));
    }
    let address = Address {
        street,
        number,
        city,
        state,
        zip_code,
        ..Address::default()
    };
    let found = read(&pack)?.pack.locate(Gazetteer::embedded(), &address);
    let Some(located) = found else {
        return Err(CommandError::Failed(format!(
            "{} contains neither the street nor the CEP",
            pack.display()
        )));
    };
    let (precision, point) = (located.precision.name(), located.point);
    let (latitude, longitude, radius_m) = (point.latitude(), point.longitude(), located.radius_m);
    Ok(print(&format!(
        "precision: {precision}\nlatitude: {latitude}\nlongitude: {longitude}\nradius: {radius_m} m"
    ))?)
}
