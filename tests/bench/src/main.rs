//! `cargo run --release -p despacho-bench -- route` and `-- assign`; `--long` measures more instances, `--short` fewer;
//! numbers after `route` are the only sizes to measure.
//!
//! Peers are asked in the same run where they are installed; where they are not, the command says how to install them.
#![expect(clippy::print_stdout, reason = "a command that prints a table")]

mod assign;
mod peers;
mod route;
mod wasm;

use std::error::Error;
use std::time::Instant;

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
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let extent = match (given("--short"), given("--long")) {
        (true, _) => Extent::Short,
        (_, true) => Extent::Long,
        _ => Extent::Usual,
    };
    match arguments.iter().find(|argument| !argument.starts_with("--")).map(String::as_str) {
        Some("route") => {
            let sizes: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
            route::run(extent, &sizes)
        }
        Some("assign") => assign::run(extent),
        _ => {
            println!("usage: despacho-bench route [STOPS]...|assign [--short|--long]");
            Ok(())
        }
    }
}

/// Milliseconds that some work takes, the least of `rounds` of `repeats` each: what the machine does when nobody else asks.
pub(crate) fn least_ms(rounds: u32, repeats: u32, mut work: impl FnMut()) -> f64 {
    let mut least = f64::MAX;
    for _ in 0..rounds {
        let begun = Instant::now();
        for _ in 0..repeats {
            work();
        }
        least = least.min(begun.elapsed().as_secs_f64() * 1e3 / f64::from(repeats));
    }
    least
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
