//! Writes problems with the native core's results, one JSON object per line, for the browser
//! package's tests: `{"kind": "route" or "assign", "request", "response"}`.

use std::io::{self, BufWriter, Write};

use super::{problems, solve_natively};

/// The number of random problems of each kind.
const CASES: u64 = 200;

/// Writes the problems and results to standard output.
pub fn write_all() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for kind in problems::ALL {
        for seed in 0..CASES {
            // Most are solved by dynamic programming; every twentieth is large enough for search
            // and proof.
            let stops = if seed % 20 == 0 {
                13 + seed / 5
            } else {
                seed % 11
            };
            let stops = usize::try_from(stops).unwrap_or(0);
            write(
                &mut out,
                &problems::route_problem(kind, stops, seed, Some(150_000)),
            )?;
        }
    }
    for seed in 0..CASES {
        let (rows, columns) = (
            usize::try_from(seed % 17).unwrap_or(0),
            usize::try_from(seed % 13).unwrap_or(0),
        );
        write(
            &mut out,
            &problems::assign_problem(rows, columns, (seed % 2 == 0).then_some(6_000), seed),
        )?;
    }
    for rejected in [
        r#"route {"matrix":[[0,1],[-1,0]]}"#,
        r#"route {"matrix":[[0,1]]}"#,
        r#"assign {"costs":[[1],[1,2]]}"#,
    ] {
        write(&mut out, rejected)?;
    }
    out.flush()
}

fn write(out: &mut impl Write, line: &str) -> io::Result<()> {
    let (kind, problem) = line.split_once(' ').unwrap_or((line, "null"));
    let response = solve_natively(line);
    writeln!(
        out,
        "{{\"kind\":\"{kind}\",\"request\":{problem},\"response\":{response}}}"
    )
}
