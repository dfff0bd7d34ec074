//! `cargo run --release -p despacho-process -- [storm [--sqlite]] [--seconds N] [--seed N] [--merchants N] [--couriers N] [--log FOLDER]`
//!
//! Prints the injected faults and the result, and exits with an error if an invariant is violated.

#![expect(
    clippy::print_stdout,
    reason = "a command-line tool: its report goes to standard output"
)]

use std::{fmt::Display, path::PathBuf, process::ExitCode, time::Duration};

use despacho_process::faults::{Plan, Storm, run, run_storm};
use despacho_xtask::server;

fn main() -> ExitCode {
    let result = command().and_then(|command| match command {
        Command::Faults(plan) => Ok(print_report(&run(&plan)?, |report| {
            report.violations.is_empty()
        })),
        Command::Storm(storm) => Ok(print_report(&run_storm(&storm)?, |report| {
            report.violations.is_empty()
        })),
    });
    match result {
        Ok(code) => code,
        Err(failure) => {
            println!("despacho-process: {failure}");
            ExitCode::FAILURE
        }
    }
}

enum Command {
    Faults(Plan),
    Storm(Storm),
}

fn print_report<R: Display>(report: &R, is_clean: impl Fn(&R) -> bool) -> ExitCode {
    println!("{report}");
    if is_clean(report) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn command() -> Result<Command, Box<dyn std::error::Error>> {
    let mut plan = Plan {
        binary: PathBuf::new(),
        seed: 1,
        span: Duration::from_secs(60),
        merchants: 8,
        couriers: 24,
        max_outage: Duration::from_secs(8),
        disk_mb: 512,
        log: None,
        print: |line| println!("{line}"),
    };
    let (mut storm, mut sqlite) = (false, false);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Value(name) if name == "storm" => {
                storm = true;
                plan.merchants = 24;
            }
            lexopt::Arg::Long("sqlite") if storm => sqlite = true,
            lexopt::Arg::Long("seconds") => {
                plan.span = Duration::from_secs(arguments.value()?.to_string_lossy().parse()?);
            }
            lexopt::Arg::Long("seed") => {
                plan.seed = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("merchants") => {
                plan.merchants = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("couriers") => {
                plan.couriers = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("log") => plan.log = Some(arguments.value()?.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    if let Some(log) = &plan.log {
        std::fs::create_dir_all(log)?;
    }
    plan.binary = server::shipped()?;
    Ok(if storm {
        Command::Storm(Storm { plan, sqlite })
    } else {
        Command::Faults(plan)
    })
}
