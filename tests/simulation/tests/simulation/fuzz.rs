//! The short form of the fuzz targets: ten seconds each, with the stable toolchain.

#![expect(
    clippy::print_stdout,
    reason = "figures are printed for developers: run with --no-capture"
)]

use std::{error::Error, fs, path::Path, time::Duration};

use despacho_simulation::fuzz::{drive, target};

/// The duration of each target.
const SPAN: Duration = Duration::from_secs(10);

fn run_target(name: &str) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fuzz/corpus")
        .join(name);
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    let corpus = paths.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
    let figures = drive(target(name).ok_or("no such target")?, &corpus, 7, SPAN)?;
    println!(
        "{name}: {} runs, {} kinds of outcomes",
        figures.runs, figures.kinds
    );
    assert!(
        figures.kinds > 2,
        "{name} has only {} kinds of outcomes; the corpus is not effective",
        figures.kinds
    );
    Ok(())
}

#[test]
fn every_request_gets_a_response() -> Result<(), Box<dyn Error>> {
    run_target("api")
}

#[test]
fn every_pack_is_opened_or_rejected() -> Result<(), Box<dyn Error>> {
    run_target("pack")
}

#[test]
fn core_and_serde_json_parse_equally() -> Result<(), Box<dyn Error>> {
    run_target("wire")
}

#[test]
fn tokens_round_trip() -> Result<(), Box<dyn Error>> {
    run_target("tokens")
}

#[test]
fn every_event_is_applied_or_rejected() -> Result<(), Box<dyn Error>> {
    run_target("follow")
}
