//! Reads requests line by line, `route {…}` or `assign {…}`, and writes a line with the response to
//! each.
//!
//! A line `begin` is written after the request is parsed. The time between it and the response is
//! that of the engine only.

use std::io::{self, BufRead, Write};

use despacho_route::line::{LineError, solve_assign, solve_route};
use serde::{Serialize, de::DeserializeOwned};

fn main() -> io::Result<()> {
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line?;
        // `repeat 9 route {…}` solves the request nine times, to measure short times.
        let (times, line) = match line
            .strip_prefix("repeat ")
            .and_then(|rest| rest.split_once(' '))
        {
            Some((times, rest)) => (times.parse().unwrap_or(1), rest),
            None => (1, &*line),
        };
        let response = match line.split_once(' ') {
            Some(("route", request)) => respond(request, times, &mut out, solve_route)?,
            Some(("assign", request)) => respond(request, times, &mut out, solve_assign)?,
            _ => "unknown request".to_owned(),
        };
        out.write_all(response.as_bytes())?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn respond<Q: DeserializeOwned, R: Serialize>(
    request: &str,
    times: u32,
    out: &mut impl Write,
    solve: fn(&Q) -> Result<R, LineError>,
) -> io::Result<String> {
    match serde_json::from_str(request) {
        Ok(request) => {
            out.write_all(b"begin\n")?;
            for _ in 1..times {
                std::hint::black_box(solve(std::hint::black_box(&request)).is_ok());
            }
            Ok(render(solve(&request)))
        }
        Err(error) => Ok(LineError::Malformed(error.to_string()).to_json()),
    }
}

fn render<T: Serialize>(response: Result<T, LineError>) -> String {
    response
        .map(|response| serde_json::to_string(&response).unwrap_or_else(|error| error.to_string()))
        .unwrap_or_else(|error| error.to_json())
}
