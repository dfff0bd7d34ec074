//! `cargo run --release -p despacho-bench -- roads compare --osrm URL --extract FILE` measures the
//! errors of the models of a leg compared with a running OSRM. `roads speed --extract FILE`
//! measures times and memory of an extract and of its road file, and
//! `roads generate --nodes N --extract FILE` writes a synthetic extract of a region.

mod compare;
mod osrm;
mod speed;

use std::path::{Path, PathBuf};

use despacho_roads::{Roads, testing::write_region};

const USAGE: &str = "usage: compare --osrm URL --extract FILE [--pairs N] [--worst N]  |  speed --extract FILE  |  \
                     generate --nodes N --extract FILE";

/// The command line.
#[derive(Default)]
struct Arguments {
    command: String,
    osrm: Option<String>,
    extract: Option<PathBuf>,
    pairs: usize,
    worst: usize,
    nodes: u64,
}

/// Parses the rest of the command line and runs the benchmark.
pub(crate) fn command(arguments: lexopt::Parser) -> Result<(), String> {
    let parsed = parse(arguments).map_err(|error| format!("{error}\n{USAGE}"))?;
    let extract = parsed.extract.as_deref().ok_or(USAGE)?;
    let text = match (&*parsed.command, &parsed.osrm) {
        ("speed", _) => speed::measure(extract).map_err(|error| error.to_string())?,
        ("generate", _) => generate(extract, parsed.nodes).map_err(|error| error.to_string())?,
        ("compare", Some(osrm)) => compare(osrm, extract, &parsed)?,
        _ => return Err(USAGE.to_owned()),
    };
    report(&text);
    Ok(())
}

/// Writes a synthetic extract.
fn generate(extract: &Path, nodes: u64) -> std::io::Result<String> {
    let file = std::fs::File::create(extract)?;
    write_region(std::io::BufWriter::new(&file), nodes, 1)?;
    Ok(format!(
        "{}: {} bytes",
        extract.display(),
        file.metadata()?.len()
    ))
}

fn parse(mut parser: lexopt::Parser) -> Result<Arguments, lexopt::Error> {
    use lexopt::prelude::{Long, Value, ValueExt as _};
    let mut parsed = Arguments {
        pairs: 2_000,
        ..Arguments::default()
    };
    while let Some(argument) = parser.next()? {
        match argument {
            Long("osrm") => parsed.osrm = Some(parser.value()?.string()?),
            Long("extract") => parsed.extract = Some(parser.value()?.into()),
            Long("pairs") => parsed.pairs = parser.value()?.parse()?,
            Long("nodes") => parsed.nodes = parser.value()?.parse()?,
            Long("worst") => parsed.worst = parser.value()?.parse()?,
            Value(command) if parsed.command.is_empty() => parsed.command = command.string()?,
            other => return Err(other.unexpected()),
        }
    }
    Ok(parsed)
}

fn compare(osrm: &str, extract: &Path, parsed: &Arguments) -> Result<String, String> {
    let roads = Roads::load(extract).map_err(|error| error.to_string())?;
    let pairs = compare::pairs(osrm, &roads, parsed.pairs, 1)?;
    let missing = pairs.iter().filter(|pair| pair.own.is_none()).count();
    let mut lines = vec![
        format!(
            "{} pairs; {missing} of them have no leg in process",
            pairs.len()
        ),
        "| model | pairs | median error | 95th percentile | bias |".to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ];
    lines.extend(
        compare::errors(&roads, &pairs, 2)
            .iter()
            .map(ToString::to_string),
    );
    let mut worst = pairs;
    let error = |pair: &compare::Pair| {
        pair.own.map_or(f64::INFINITY, |own| {
            (f64::from(own.metres) - pair.metres).abs() / pair.metres
        })
    };
    worst.sort_by(|a, b| error(b).total_cmp(&error(a)));
    let coordinates = |point: despacho_core::model::Point| {
        format!("{:.6},{:.6}", point.longitude(), point.latitude())
    };
    for pair in worst.iter().take(parsed.worst) {
        let (metres, ms) = pair.own.map_or((0, 0), |own| (own.metres, own.ms));
        let (from, to) = (coordinates(pair.from), coordinates(pair.to));
        lines.push(format!(
            "{from};{to}: {metres} m {ms} ms, OSRM {:.0} m {:.1} s",
            pair.metres, pair.seconds
        ));
    }
    Ok(lines.join("\n"))
}

fn report(text: &str) {
    println!("{text}");
}
