//! `despacho route` and `despacho assign`: one JSON object a line in, one a line out.

use std::{
    io::{self, BufRead, Read, Write},
    time::Instant,
};

use despacho_core::route::line::{LineFault, assign_line, route_line};
use serde::Serialize;

use super::Failure;

/// A line may be this long: a full matrix of 2,000 × 3,000 fits.
const LONGEST_LINE: u64 = 128 << 20;

/// Answers every line of standard input with an order of visit.
pub(super) fn route() -> Result<(), Failure> {
    each_line(route_line)
}

/// Answers every line of standard input with an assignment.
pub(super) fn assign() -> Result<(), Failure> {
    each_line(assign_line)
}

/// An answer and how long it took.
#[derive(Serialize)]
struct Timed<T> {
    #[serde(flatten)]
    answer: T,
    /// Milliseconds from the line's text to its answer.
    ms: f64,
}

fn each_line<T: Serialize>(answer: fn(&str) -> Result<T, LineFault>) -> Result<(), Failure> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (mut number, mut faults) = (0u64, 0u64);
    let mut line = String::new();
    loop {
        line.clear();
        if (&mut input).take(LONGEST_LINE).read_line(&mut line)? == 0 {
            break;
        }
        number += 1;
        if !line.ends_with('\n') && line.len() as u64 == LONGEST_LINE {
            return Err(Failure::Failed(format!("line {number} is longer than {LONGEST_LINE} bytes")));
        }
        if line.trim().is_empty() {
            continue;
        }
        let start = Instant::now();
        let answered = answer(&line);
        let ms = (start.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        match answered {
            Ok(answer) => {
                serde_json::to_writer(&mut output, &Timed { answer, ms }).map_err(io::Error::from)?;
                output.write_all(b"\n")?;
            }
            Err(fault) => {
                faults += 1;
                writeln!(output, "{}", fault.to_json())?;
            }
        }
        output.flush()?;
    }
    if faults == 0 { Ok(()) } else { Err(Failure::Failed(format!("{faults} of {number} lines have no answer"))) }
}
