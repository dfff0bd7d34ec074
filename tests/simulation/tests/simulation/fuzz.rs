//! The short form: each target for ten seconds on its corpus, on stable.

#![expect(clippy::print_stdout, reason = "figures are for people: run with --no-capture")]

use std::{error::Error, fs, path::Path, time::Duration};

use despacho_simulation::fuzz::{drive, target};

/// How long each target is driven.
const SPAN: Duration = Duration::from_secs(10);

fn driven(name: &str) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(name);
    let mut paths =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    let corpus = paths.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
    let done = drive(target(name).ok_or("no such target")?, &corpus, 7, SPAN)?;
    println!("{name}: {} runs, {} kinds of outcomes", done.runs, done.kinds);
    assert!(done.kinds > 2, "{name} sees {} kinds of outcomes: the corpus reaches nothing", done.kinds);
    Ok(())
}

#[test]
fn any_request_is_answered() -> Result<(), Box<dyn Error>> {
    driven("api")
}

#[test]
fn any_pack_is_opened_or_refused() -> Result<(), Box<dyn Error>> {
    driven("pack")
}

#[test]
fn core_and_serde_json_read_the_same() -> Result<(), Box<dyn Error>> {
    driven("wire")
}

#[test]
fn tokens_are_read_as_they_are_written() -> Result<(), Box<dyn Error>> {
    driven("tokens")
}

#[test]
fn any_event_follows_or_does_not() -> Result<(), Box<dyn Error>> {
    driven("follow")
}
