//! `cargo run --release -p despacho-faults -- [--seconds N] [--seed N] [--merchants N] [--couriers N] [--log FOLDER]`
//!
//! Tells what fails while it runs and what came of it, and fails where something is wrong.

#![expect(clippy::print_stdout, reason = "telling what was found is what this program is for")]

use std::{path::PathBuf, process::ExitCode, time::Duration};

use despacho_faults::{Plan, run};
use despacho_tool::server;

fn main() -> ExitCode {
    match plan().and_then(|plan| run(&plan).map_err(Into::into)) {
        Ok(report) => {
            println!("{report}");
            if report.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(failure) => {
            println!("despacho-faults: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn plan() -> Result<Plan, Box<dyn std::error::Error>> {
    let mut plan = Plan {
        binary: PathBuf::new(),
        seed: 1,
        span: Duration::from_secs(60),
        merchants: 8,
        couriers: 24,
        longest: Duration::from_secs(8),
        disk_mb: 512,
        log: None,
        say: |line| println!("{line}"),
    };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("seconds") => {
                plan.span = Duration::from_secs(arguments.value()?.to_string_lossy().parse()?);
            }
            lexopt::Arg::Long("seed") => plan.seed = arguments.value()?.to_string_lossy().parse()?,
            lexopt::Arg::Long("merchants") => plan.merchants = arguments.value()?.to_string_lossy().parse()?,
            lexopt::Arg::Long("couriers") => plan.couriers = arguments.value()?.to_string_lossy().parse()?,
            lexopt::Arg::Long("log") => plan.log = Some(arguments.value()?.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    if let Some(log) = &plan.log {
        std::fs::create_dir_all(log)?;
    }
    plan.binary = server::shipped()?;
    Ok(plan)
}
