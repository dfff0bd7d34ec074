//! `cargo run --release -p despacho-bench -- COMMAND`: `route` and `assign` (`--long` measures more instances, `--short` fewer; numbers
//! after `route` are the only sizes to measure), `load` for the service, `roads` for the legs of an extract, and `answers`, which writes
//! problems of the route engine with their solutions for the browser package.
//!
//! Peers are asked in the same run where they are installed; where they are not, the command says how to install them.
#![expect(clippy::print_stdout, reason = "a command that prints a table")]

mod assign;
mod load;
mod peers;
mod roads;
mod route;
mod wasm;

use std::error::Error;
use std::time::Instant;

use despacho_bench::parity::responses;

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A look in passing, as `cargo verify` takes it.
    Short,
    /// What one waits for.
    Usual,
    /// What is written down.
    Long,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = lexopt::Parser::from_env();
    let command = match arguments.next()? {
        Some(lexopt::Arg::Value(word)) => word.to_string_lossy().into_owned(),
        _ => String::new(),
    };
    match &*command {
        "route" => {
            let (extent, sizes) = extent(arguments)?;
            route::run(extent, &sizes)
        }
        "assign" => assign::run(extent(arguments)?.0),
        "load" => load::command(arguments).map_err(|failure| -> Box<dyn Error> { failure }),
        "roads" => Ok(roads::command(arguments)?),
        "answers" => Ok(responses::write_all()?),
        _ => {
            println!("usage: despacho-bench route [STOPS]...|assign [--short|--long], or load, roads, answers");
            Ok(())
        }
    }
}

/// How much to measure, and the sizes that are named.
fn extent(mut arguments: lexopt::Parser) -> Result<(Extent, Vec<usize>), Box<dyn Error>> {
    let (mut extent, mut sizes) = (Extent::Usual, Vec::new());
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

/// Milliseconds that some work takes, the least of `rounds` of `repeats` each: what the machine does when nobody else asks.
pub(crate) fn min_ms(rounds: u32, repeats: u32, mut work: impl FnMut()) -> f64 {
    let mut min = f64::MAX;
    for _ in 0..rounds {
        let begun = Instant::now();
        for _ in 0..repeats {
            work();
        }
        min = min.min(begun.elapsed().as_secs_f64() * 1e3 / f64::from(repeats));
    }
    min
}

/// The median of some numbers.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The mean of some numbers.
pub(crate) fn mean(numbers: &[f64]) -> f64 {
    let mut sum = 0.0;
    let mut count = 0.0;
    for number in numbers {
        sum += number;
        count += 1.0;
    }
    sum / count
}
