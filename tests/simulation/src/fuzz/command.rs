//! `cargo run --release -p despacho-simulation -- fuzz [TARGET …] [--seconds N] [--seed S]`
//!
//! Drives the targets, all of them where none is named, each for so many seconds. What something is wrong with is written beside the
//! corpus, into `tests/fuzz/found`.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{TARGETS, Target, drive, target};

/// Reads the rest of the command line and drives the targets.
///
/// # Errors
/// An argument that is not understood, a corpus that cannot be read, or what a target found.
#[expect(clippy::print_stdout, reason = "the program prints what it found")]
pub fn command(mut arguments: lexopt::Parser) -> Result<(), Box<dyn std::error::Error>> {
    let (mut names, mut seconds, mut seed) = (Vec::new(), 600, 1);
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("seconds") => seconds = arguments.value()?.to_string_lossy().parse()?,
            lexopt::Arg::Long("seed") => seed = arguments.value()?.to_string_lossy().parse()?,
            lexopt::Arg::Value(name) => names.push(name.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().into()),
        }
    }
    let chosen: Vec<Target> = match names.as_slice() {
        [] => TARGETS.to_vec(),
        names => names
            .iter()
            .map(|name| target(name).ok_or_else(|| format!("no target `{name}`")))
            .collect::<Result<_, _>>()?,
    };
    let folder = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| "tests/fuzz".into(), |package| PathBuf::from(package).join("../fuzz"));
    for target in chosen {
        let corpus = corpus(&folder, target)?;
        match drive(target, &corpus, seed, Duration::from_secs(seconds)) {
            Ok(done) => println!(
                "{}: {} runs of {} seeds, {} kinds of outcomes",
                target.name,
                done.runs,
                corpus.len(),
                done.kinds
            ),
            Err(finding) => {
                let found = folder.join("found");
                fs::create_dir_all(&found)?;
                fs::write(found.join(target.name), &finding.input)?;
                return Err(format!("{}: {finding}", target.name).into());
            }
        }
    }
    Ok(())
}

fn corpus(folder: &Path, target: Target) -> std::io::Result<Vec<Vec<u8>>> {
    let entries = fs::read_dir(folder.join("corpus").join(target.name))?;
    let mut paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    paths.iter().map(fs::read).collect()
}
