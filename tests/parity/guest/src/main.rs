//! Answers lines of questions: `route {…}` and `assign {…}`, each with one line.
//!
//! The question is read before a line `begin` is written: between that line and the answer lies the engine alone, which
//! is what the host times.

use std::io::{self, BufRead, Write};

use despacho_core::route::line::{LineFault, answer_assign, answer_route};

fn main() -> io::Result<()> {
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answer = match line.split_once(' ') {
            Some(("route", question)) => match serde_json::from_str(question) {
                Ok(question) => {
                    out.write_all(b"begin\n")?;
                    render(answer_route(&question))
                }
                Err(fault) => LineFault::Malformed(fault.to_string()).to_json(),
            },
            Some(("assign", question)) => match serde_json::from_str(question) {
                Ok(question) => {
                    out.write_all(b"begin\n")?;
                    render(answer_assign(&question))
                }
                Err(fault) => LineFault::Malformed(fault.to_string()).to_json(),
            },
            _ => "unknown question".to_owned(),
        };
        out.write_all(answer.as_bytes())?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn render<T: serde::Serialize>(answer: Result<T, LineFault>) -> String {
    answer
        .map(|answer| serde_json::to_string(&answer).unwrap_or_else(|fault| fault.to_string()))
        .unwrap_or_else(|fault| fault.to_json())
}
