//! Benchmarks: `cargo run --release -p despacho-bench -- COMMAND`.
//!
//! - `route` and `assign` measure the route engine. `--long` measures more instances, `--short`
//!   fewer. Numbers after `route` restrict the sizes.
//! - `dispatch` simulates days of public instances and compares the results with published ones.
//! - `load` measures the service.
//! - `roads` measures the legs of an extract.
//! - `responses` writes problems of the route engine with their solutions, for the browser
//!   package's tests.
//!
//! Peer solvers run in the same benchmark if they are installed. Otherwise the command prints how
//! to install them.
#![expect(clippy::print_stdout, reason = "a command that prints a table")]

mod assign;
mod dispatch;
mod load;
mod peers;
mod roads;
mod route;
mod wasm;

use std::error::Error;
use std::time::Instant;

use despacho_bench::parity::responses;

/// The number of instances to measure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A quick check, as in `cargo verify`.
    Short,
    /// The default.
    Default,
    /// A thorough measurement for publication.
    Long,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = lexopt::Parser::from_env();
    let command = match arguments.next()? {
        Some(lexopt::Arg::Value(command)) => command.to_string_lossy().into_owned(),
        _ => String::new(),
    };
    match &*command {
        "route" => {
            let (extent, sizes) = extent(arguments)?;
            route::run(extent, &sizes)
        }
        "assign" => assign::run(extent(arguments)?.0),
        "dispatch" => dispatch::command(arguments).map_err(|failure| -> Box<dyn Error> { failure }),
        "load" => load::command(arguments).map_err(|failure| -> Box<dyn Error> { failure }),
        "roads" => Ok(roads::command(arguments)?),
        "responses" => Ok(responses::write_all()?),
        _ => {
            println!(
                "usage: despacho-bench route [STOPS]...|assign [--short|--long], or dispatch, load, roads, responses"
            );
            Ok(())
        }
    }
}

/// Parses the extent and the sizes.
fn extent(mut arguments: lexopt::Parser) -> Result<(Extent, Vec<usize>), Box<dyn Error>> {
    let (mut extent, mut sizes) = (Extent::Default, Vec::new());
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("short") => extent = Extent::Short,
            lexopt::Arg::Long("long") => extent = Extent::Long,
            lexopt::Arg::Value(size) => sizes.push(size.to_string_lossy().parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok((extent, sizes))
}

/// Returns the milliseconds per call of `work`: the minimum of `rounds` rounds of `repeats` calls.
/// The minimum is the least affected by other load on the machine.
pub(crate) fn min_ms(rounds: u32, repeats: u32, mut work: impl FnMut()) -> f64 {
    let mut min = f64::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        for _ in 0..repeats {
            work();
        }
        min = min.min(start.elapsed().as_secs_f64() * 1e3 / f64::from(repeats));
    }
    min
}

/// Returns the mean.
pub(crate) fn mean(numbers: &[f64]) -> f64 {
    let mut sum = 0.0;
    let mut count = 0.0;
    for number in numbers {
        sum += number;
        count += 1.0;
    }
    sum / count
}
