//! `cargo run --release -p despacho-simulation -- fuzz [TARGET …] [--seconds N] [--seed S]`
//!
//! Runs the named targets, or all of them, each for a number of seconds. An input that causes a
//! failure is written to `tests/fuzz/found`.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{TARGETS, Target, drive, target};

/// Parses the rest of the command line and runs the targets.
///
/// # Errors
/// If an argument is invalid, the corpus cannot be read, or a target fails.
#[expect(
    clippy::print_stdout,
    reason = "a command-line tool: its report goes to standard output"
)]
pub fn command(mut arguments: lexopt::Parser) -> Result<(), Box<dyn std::error::Error>> {
    let (mut names, mut seconds, mut seed) = (Vec::new(), 600, 1);
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("seconds") => {
                seconds = arguments.value()?.to_string_lossy().parse()?
            }
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
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(
        || "tests/fuzz".into(),
        |package| PathBuf::from(package).join("../fuzz"),
    );
    for target in chosen {
        let corpus = corpus(&folder, target)?;
        match drive(target, &corpus, seed, Duration::from_secs(seconds)) {
            Ok(figures) => println!(
                "{}: {} runs of {} seeds, {} kinds of outcomes",
                target.name,
                figures.runs,
                corpus.len(),
                figures.kinds
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
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    paths.iter().map(fs::read).collect()
}
