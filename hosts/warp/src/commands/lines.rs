//! `despacho route` and `despacho assign`: one JSON object per input line, one per output line.

use std::{
    io::{self, BufRead, Read, Write},
    time::Instant,
};

use despacho_core::route::line::{LineError, assign_line, route_line};
use serde::Serialize;

use super::error::CommandError;

/// Maximum length of a line: a full matrix of 2,000 × 3,000 fits.
const MAX_LINE_BYTES: u64 = 128 << 20;

/// Computes a stop order for every line of standard input.
pub(super) fn route() -> Result<(), CommandError> {
    each_line(route_line)
}

/// Computes an assignment for every line of standard input.
pub(super) fn assign() -> Result<(), CommandError> {
    each_line(assign_line)
}

/// A result and its duration.
#[derive(Serialize)]
struct TimedResult<T> {
    #[serde(flatten)]
    response: T,
    /// Milliseconds from the parsing of the line to the result.
    ms: f64,
}

fn each_line<T: Serialize>(solve: fn(&str) -> Result<T, LineError>) -> Result<(), CommandError> {
    let (mut lines, mut output) = (Lines::of_stdin(), io::stdout().lock());
    while let Some(line) = lines.next()? {
        let start = Instant::now();
        let responded = solve(line);
        let ms = milliseconds(start);
        match responded {
            Ok(response) => {
                serde_json::to_writer(&mut output, &TimedResult { response, ms })
                    .map_err(io::Error::from)?;
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

/// Returns the milliseconds since an instant, rounded to microseconds.
pub(super) fn milliseconds(start: Instant) -> f64 {
    (start.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

/// The non-empty lines of standard input, with a count of those that failed.
pub(super) struct Lines {
    input: io::BufReader<io::Stdin>,
    line: String,
    number: u64,
    /// The number of lines that failed.
    pub(super) errors: u64,
}

impl Lines {
    pub(super) fn of_stdin() -> Lines {
        Lines {
            input: io::BufReader::new(io::stdin()),
            line: String::new(),
            number: 0,
            errors: 0,
        }
    }

    /// Returns the next non-empty line, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<&str>, CommandError> {
        loop {
            self.line.clear();
            if (&mut self.input)
                .take(MAX_LINE_BYTES)
                .read_line(&mut self.line)?
                == 0
            {
                return Ok(None);
            }
            self.number += 1;
            if !self.line.ends_with('\n') && self.line.len() as u64 == MAX_LINE_BYTES {
                return Err(CommandError::Failed(format!(
                    "line {} is longer than {MAX_LINE_BYTES} bytes",
                    self.number
                )));
            }
            if !self.line.trim().is_empty() {
                return Ok(Some(&self.line));
            }
        }
    }

    /// Returns an error if a line failed.
    pub(super) fn end(self) -> Result<(), CommandError> {
        let Lines { number, errors, .. } = self;
        if errors == 0 {
            Ok(())
        } else {
            Err(CommandError::Failed(format!(
                "{errors} of {number} lines failed"
            )))
        }
    }
}
