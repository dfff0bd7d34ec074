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
        let response = match line.split_once(' ') {
            Some(("route", request)) => response(request, times, &mut out, solve_route)?,
            Some(("assign", request)) => response(request, times, &mut out, solve_assign)?,
            _ => "unknown question".to_owned(),
        };
        out.write_all(response.as_bytes())?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn response<Q: DeserializeOwned, A: Serialize>(
    request: &str,
    times: u32,
    out: &mut impl Write,
    engine: fn(&Q) -> Result<A, LineError>,
) -> io::Result<String> {
    match serde_json::from_str(request) {
        Ok(request) => {
            out.write_all(b"begin\n")?;
            for _ in 1..times {
                std::hint::black_box(engine(std::hint::black_box(&request)).is_ok());
            }
            Ok(render(engine(&request)))
        }
        Err(error) => Ok(LineError::Malformed(error.to_string()).to_json()),
    }
}

fn render<T: Serialize>(response: Result<T, LineError>) -> String {
    response
        .map(|response| serde_json::to_string(&response).unwrap_or_else(|error| error.to_string()))
        .unwrap_or_else(|error| error.to_json())
}
