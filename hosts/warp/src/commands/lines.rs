//! `despacho route` and `despacho assign`: one JSON object a line in, one a line out.

use std::{
    io::{self, BufRead, Read, Write},
    time::Instant,
};

use despacho_core::route::line::{LineError, assign_line, route_line};
use serde::Serialize;

use super::failure::Failure;

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
    response: T,
    /// Milliseconds from the line's text to its answer.
    ms: f64,
}

fn each_line<T: Serialize>(solve: fn(&str) -> Result<T, LineError>) -> Result<(), Failure> {
    let (mut lines, mut output) = (Lines::of_stdin(), io::stdout().lock());
    while let Some(line) = lines.next()? {
        let start = Instant::now();
        let responded = solve(line);
        let ms = milliseconds(start);
        match responded {
            Ok(response) => {
                serde_json::to_writer(&mut output, &Timed { response, ms }).map_err(io::Error::from)?;
                output.write_all(b"\n")?;
            }
            Err(error) => {
                writeln!(output, "{}", error.to_json())?;
                lines.errors += 1;
            }
        }
        output.flush()?;
    }
    lines.end()
}

/// Milliseconds since an instant, to the microsecond.
pub(super) fn milliseconds(start: Instant) -> f64 {
    (start.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

/// The lines of standard input that hold something, and how many of them had no answer.
pub(super) struct Lines {
    input: io::BufReader<io::Stdin>,
    line: String,
    number: u64,
    /// Lines without an answer.
    pub(super) errors: u64,
}

impl Lines {
    pub(super) fn of_stdin() -> Lines {
        Lines { input: io::BufReader::new(io::stdin()), line: String::new(), number: 0, errors: 0 }
    }

    /// The next line, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<&str>, Failure> {
        loop {
            self.line.clear();
            if (&mut self.input).take(LONGEST_LINE).read_line(&mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if !self.line.ends_with('\n') && self.line.len() as u64 == LONGEST_LINE {
                return Err(Failure::Failed(format!("line {} is longer than {LONGEST_LINE} bytes", self.number)));
            }
            if !self.line.trim().is_empty() {
                return Ok(Some(&self.line));
            }
        }
    }

    /// How the command ends.
    pub(super) fn end(self) -> Result<(), Failure> {
        let Lines { number, errors, .. } = self;
        if errors == 0 { Ok(()) } else { Err(Failure::Failed(format!("{errors} of {number} lines have no answer"))) }
    }
}
