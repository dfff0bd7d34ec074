//! `cargo run --release -p despacho-bench -- route` and `-- assign`; `--long` measures more instances.
//!
//! Peers are asked in the same run where they are installed; where they are not, the command says how to install them.
#![expect(clippy::print_stdout, reason = "a command that prints a table")]

mod assign;
mod peers;
mod route;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let long = arguments.iter().any(|argument| argument == "--long");
    match arguments.iter().find(|argument| !argument.starts_with("--")).map(String::as_str) {
        Some("route") => route::run(long),
        Some("assign") => assign::run(long),
        _ => {
            println!("usage: despacho-bench route|assign [--long]");
            Ok(())
        }
    }
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
