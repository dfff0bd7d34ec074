//! `cargo run --release -p despacho-simulation -- [--seeds N] [--from S] [--steps N] [--mutation NAME]`,
//! or `-- fuzz [TARGET …] [--seconds N] [--seed S]`, or `-- night [--short] [--seed S]`
//!
//! Runs seeds one after another until one violates an invariant, and prints the command that
//! repeats it.

#![expect(
    clippy::print_stdout,
    reason = "a command-line tool: its report goes to standard output"
)]

use std::{collections::BTreeMap, process::ExitCode, time::Instant};

use despacho_simulation::{
    Mutation, STEPS, fuzz,
    night::{NightSize, night},
    run,
};

/// The seeds to run, with their steps and mutation.
struct Options {
    from: u64,
    seeds: u64,
    steps: u64,
    mutation: Option<Mutation>,
}

fn main() -> ExitCode {
    let mut arguments = lexopt::Parser::from_env();
    let command = arguments
        .try_raw_args()
        .and_then(|rest| rest.peek().map(std::ffi::OsStr::to_os_string));
    let result = match command.as_ref().and_then(|name| name.to_str()) {
        Some("fuzz") => {
            _ = arguments.next();
            fuzz::command(arguments)
        }
        Some("night") => {
            _ = arguments.next();
            run_night(arguments)
        }
        _ => options(arguments).and_then(|options| simulate(&options)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn options(mut arguments: lexopt::Parser) -> Result<Options, Box<dyn std::error::Error>> {
    let mut options = Options {
        from: 1,
        seeds: 1_000,
        steps: STEPS,
        mutation: None,
    };
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("from") => {
                options.from = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("seeds") => {
                options.seeds = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("steps") => {
                options.steps = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("mutation") => {
                let name = arguments.value()?.to_string_lossy().into_owned();
                let known = Mutation::from_name(&name);
                options.mutation =
                    Some(known.ok_or_else(|| format!("there is no mutation `{name}`"))?);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

/// Runs one night and prints what happened.
fn run_night(mut arguments: lexopt::Parser) -> Result<(), Box<dyn std::error::Error>> {
    let (mut size, mut seed) = (NightSize::LONG, 1);
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("short") => size = NightSize::SHORT,
            lexopt::Arg::Long("seed") => seed = arguments.value()?.to_string_lossy().parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    let start = Instant::now();
    println!("{}", night(size, seed)?);
    println!("{:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn simulate(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let (mut steps, mut requests, mut acknowledged, mut faults, mut orders) = (0, 0, 0, 0, 0);
    let (mut kinds, mut trips): (BTreeMap<&str, u64>, BTreeMap<usize, u64>) = Default::default();
    for (count, seed) in (options.from..options.from.saturating_add(options.seeds)).enumerate() {
        let run = run(seed, options.steps, options.mutation)?;
        steps += run.steps;
        requests += run.requests;
        acknowledged += run.acknowledged;
        faults += run.faults;
        orders += run.orders;
        for (kind, times) in run.kinds {
            *kinds.entry(kind).or_default() += times;
        }
        run.trips
            .into_iter()
            .for_each(|(orders, times)| *trips.entry(orders).or_default() += times);
        if (count + 1).is_multiple_of(1_000) {
            println!(
                "{} seeds, {steps} steps, {:.0} s",
                count + 1,
                start.elapsed().as_secs_f64()
            );
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} seeds, {steps} steps in {seconds:.1} s: {:.0} steps per second",
        options.seeds,
        as_f64(steps) / seconds
    );
    println!(
        "{requests} requests, {acknowledged} operations acknowledged, {orders} orders created, {faults} faults injected"
    );
    for (kind, times) in kinds {
        println!("{times:>9} {kind}");
    }
    for (orders, times) in trips {
        println!("{times:>9} assignments to a trip of {orders}");
    }
    println!("no invariant is violated");
    Ok(())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a printed figure needs no more precision"
)]
fn as_f64(number: u64) -> f64 {
    number as f64
}
