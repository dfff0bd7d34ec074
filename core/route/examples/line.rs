//! Answers lines of questions: `route {…}` and `assign {…}`, each with one line.
//!
//! The question is read before a line `begin` is written: between that line and the answer lies the engine alone, which
//! is what the host times.

use std::io::{self, BufRead, Write};

use despacho_route::line::{LineError, solve_assign, solve_route};
use serde::{Serialize, de::DeserializeOwned};

fn main() -> io::Result<()> {
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line?;
        // `repeat 9 route {…}` computes the answer nine times, so that short times can be measured.
        let (times, line) = match line.strip_prefix("repeat ").and_then(|rest| rest.split_once(' ')) {
            Some((times, rest)) => (times.parse().unwrap_or(1), rest),
            None => (1, &*line),
        };
        let answer = match line.split_once(' ') {
            Some(("route", question)) => answer(question, times, &mut out, solve_route)?,
            Some(("assign", question)) => answer(question, times, &mut out, solve_assign)?,
            _ => "unknown question".to_owned(),
        };
        out.write_all(answer.as_bytes())?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn answer<Q: DeserializeOwned, A: Serialize>(
    question: &str,
    times: u32,
    out: &mut impl Write,
    engine: fn(&Q) -> Result<A, LineError>,
) -> io::Result<String> {
    match serde_json::from_str(question) {
        Ok(question) => {
            out.write_all(b"begin\n")?;
            for _ in 1..times {
                std::hint::black_box(engine(std::hint::black_box(&question)).is_ok());
            }
            Ok(render(engine(&question)))
        }
        Err(error) => Ok(LineError::Malformed(error.to_string()).to_json()),
    }
}

fn render<T: Serialize>(answer: Result<T, LineError>) -> String {
    answer
        .map(|answer| serde_json::to_string(&answer).unwrap_or_else(|error| error.to_string()))
        .unwrap_or_else(|error| error.to_json())
}
