//! `despacho gazetteer`.

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use despacho_core::{
    geo::{Gazetteer, cnefe::RowError, pack::format},
    model::{Address, Cep, Uf},
};
use despacho_geo::gazetteer::{BuildError, Progress, Report, Stage};

use super::failure::Failure;
use crate::{cli::Lookup, geo::LoadedPack, server::print};

/// Between two progress lines; a terminal's one line is written over more often.
const EACH: Duration = Duration::from_secs(5);
const EACH_ON_TERMINAL: Duration = Duration::from_millis(200);

/// Makes a pack, tells how far it is on standard error, and prints what it holds.
pub(super) fn build(inputs: &[PathBuf], output: &Path) -> Result<(), Failure> {
    let mut bar = Bar::new();
    let built = despacho_geo::gazetteer::build(inputs, output, &mut |progress| bar.show(&progress));
    bar.end();
    let report = built.map_err(rejected)?;
    let took = bar.start.elapsed();
    name_malformed(&report)?;
    let rate = rate(report.rows, took);
    let [cep5s, ceps, streets, doors] = report.records;
    print(&format!(
        "{}: {} bytes from {} rows, {} malformed, in {:.1} s ({rate} rows a second)\n\
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

/// What went wrong, with what to do; a missing file is a wrong command line.
fn rejected(error: BuildError) -> Failure {
    let text = format!("there is no pack: {error}");
    match &error {
        BuildError::Read { error, .. } if error.kind() == io::ErrorKind::NotFound => Failure::Usage(text),
        BuildError::NoInput => Failure::Usage(format!("{text}; name csv or zip files, or a folder of them")),
        BuildError::Zip { .. } => Failure::Failed(format!("{text}; download the file again")),
        BuildError::NoRows { .. } => {
            Failure::Failed(format!("{text}; the files are those of IBGE's CNEFE 2022, as they are downloaded"))
        }
        _ => Failure::Failed(text),
    }
}

/// Malformed rows by fault, and where the first of them stand.
fn name_malformed(report: &Report) -> io::Result<()> {
    let mut errors = io::stderr().lock();
    for (error, count) in RowError::ALL.iter().zip(report.errors).filter(|(_, count)| *count > 0) {
        writeln!(errors, "{count} rows left out: {}", meaning(*error))?;
    }
    for row in &report.named {
        writeln!(errors, "  {} line {}: {}", row.path.display(), row.line, meaning(row.error))?;
    }
    let unnamed = report.malformed() - report.named.len() as u64;
    if unnamed > 0 { writeln!(errors, "  and {unnamed} more") } else { Ok(()) }
}

fn meaning(error: RowError) -> &'static str {
    match error {
        RowError::Columns => "fewer than 34 columns",
        RowError::Text => "text that is not UTF-8",
        RowError::Municipality => "no IBGE code of a municipality",
        RowError::Cep => "no CEP of eight digits",
        RowError::Coordinates => "no coordinates, or none in Brazil",
    }
}

fn rate(rows: u64, took: Duration) -> u128 {
    u128::from(rows) * 1_000 / took.as_millis().max(1)
}

/// Progress on standard error: one line that is written over on a terminal, else a line now and then.
struct Bar {
    start: Instant,
    received: Instant,
    on_terminal: bool,
    width: usize,
}

impl Bar {
    fn new() -> Bar {
        let now = Instant::now();
        Bar { start: now, received: now, on_terminal: io::stderr().is_terminal(), width: 0 }
    }

    fn show(&mut self, progress: &Progress) {
        let each = if self.on_terminal { EACH_ON_TERMINAL } else { EACH };
        if self.received.elapsed() < each {
            return;
        }
        self.received = Instant::now();
        let percent = progress.bytes * 100 / progress.bytes_total.max(1);
        let rate = rate(progress.rows, self.start.elapsed());
        let line = match progress.stage {
            Stage::Reading => {
                let full = usize::try_from(percent / 5).unwrap_or(20).min(20);
                let bar = format!("{}{}", "#".repeat(full), ".".repeat(20 - full));
                format!("reading [{bar}] {percent:3} %, {} rows, {rate} a second", progress.rows)
            }
            Stage::Merging => format!("merging {} rows", progress.rows),
            Stage::Writing => "writing the pack".to_owned(),
        };
        self.write(&line);
    }

    /// Progress that nobody can read is no reason to stop.
    fn write(&mut self, line: &str) {
        let mut errors = io::stderr().lock();
        let _ = if self.on_terminal {
            let width = std::mem::replace(&mut self.width, line.len());
            write!(errors, "\r{line:width$}")
        } else {
            writeln!(errors, "{line}")
        };
        let _ = errors.flush();
    }

    fn end(&mut self) {
        if self.width > 0 {
            self.write("");
            let _ = write!(io::stderr(), "\r");
        }
    }
}

/// Prints what a pack holds.
pub(super) fn info(path: &Path) -> Result<(), Failure> {
    let info = read(path)?.pack.info();
    let bytes = std::fs::metadata(path)?.len();
    print(&format!(
        "pack: {}\nversion: {}\nsource: {}\nrows: {}\nstreet numbers: {}\nstreets: {}\nCEPs: {}\nCEP5s: {}\nbytes: {bytes}\n\
         whole: its checksum is right",
        path.display(),
        format::VERSION,
        info.label(),
        info.rows,
        info.doors,
        info.streets,
        info.ceps,
        info.cep5s,
    ))?;
    Ok(())
}

fn read(path: &Path) -> Result<LoadedPack, Failure> {
    if path.exists() {
        LoadedPack::read(path).map_err(Failure::Failed)
    } else {
        Err(Failure::Usage(format!("there is no file {}", path.display())))
    }
}

/// Looks an address up in a pack alone.
pub(super) fn look_up(lookup: Lookup) -> Result<(), Failure> {
    let Lookup { pack, street, number, city, state, zip_code } = lookup;
    if state.as_deref().is_some_and(|state| Uf::parse(state).is_none()) {
        return Err(Failure::Usage("--state must be the two letters of a federative unit, as SP".to_owned()));
    }
    if zip_code.as_deref().is_some_and(|cep| Cep::parse(cep).is_none()) {
        return Err(Failure::Usage("--zip-code must be a CEP of eight digits, as 01310-100".to_owned()));
    }
    if zip_code.is_none() && (street.is_none() || city.is_none()) {
        return Err(Failure::Usage("give --zip-code, or --street with --city and --state".to_owned()));
    }
    let address = Address { street, number, city, state, zip_code, ..Address::default() };
    let found = read(&pack)?.pack.locate(Gazetteer::embedded(), &address);
    let Some(located) = found else {
        return Err(Failure::Failed(format!("{} knows neither the street nor the CEP", pack.display())));
    };
    let (precision, point) = (located.precision.name(), located.point);
    let (latitude, longitude, radius_m) = (point.latitude(), point.longitude(), located.radius_m);
    Ok(print(&format!("precision: {precision}\nlatitude: {latitude}\nlongitude: {longitude}\nradius: {radius_m} m"))?)
}
