//! `cargo run --release -p despacho-simulation -- [--seeds N] [--from S] [--steps N] [--mutation NAME]`, or
//! `-- fuzz [TARGET …] [--seconds N] [--seed S]`
//!
//! Runs seeds one after the other until one finds something wrong, and says how to see it again.

#![expect(clippy::print_stdout, reason = "telling what was found is what this program is for")]

use std::{collections::BTreeMap, process::ExitCode, time::Instant};

use despacho_simulation::{Mutation, STEPS, fuzz, run};

/// What to run.
struct Choice {
    from: u64,
    seeds: u64,
    steps: u64,
    mutation: Option<Mutation>,
}

fn main() -> ExitCode {
    let mut arguments = lexopt::Parser::from_env();
    let is_fuzz = arguments.try_raw_args().and_then(|rest| rest.peek().map(|first| first == "fuzz")).unwrap_or(false);
    let done = if is_fuzz {
        _ = arguments.next();
        fuzz::command(arguments)
    } else {
        choice(arguments).and_then(|choice| simulate(&choice))
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            println!("{fault}");
            ExitCode::FAILURE
        }
    }
}

fn choice(mut arguments: lexopt::Parser) -> Result<Choice, Box<dyn std::error::Error>> {
    let mut choice = Choice { from: 1, seeds: 1_000, steps: STEPS, mutation: None };
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("from") => choice.from = arguments.value()?.to_string_lossy().parse()?,
            lexopt::Arg::Long("seeds") => choice.seeds = arguments.value()?.to_string_lossy().parse()?,
            lexopt::Arg::Long("steps") => choice.steps = arguments.value()?.to_string_lossy().parse()?,
            lexopt::Arg::Long("mutation") => {
                let name = arguments.value()?.to_string_lossy().into_owned();
                let known = Mutation::from_name(&name);
                choice.mutation = Some(known.ok_or_else(|| format!("there is no mutation `{name}`"))?);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(choice)
}

fn simulate(choice: &Choice) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let (mut steps, mut requests, mut acknowledged, mut faults, mut orders) = (0, 0, 0, 0, 0);
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for (count, seed) in (choice.from..choice.from.saturating_add(choice.seeds)).enumerate() {
        let done = run(seed, choice.steps, choice.mutation)?;
        steps += done.steps;
        requests += done.requests;
        acknowledged += done.acknowledged;
        faults += done.faults;
        orders += done.orders;
        for (kind, times) in done.kinds {
            *kinds.entry(kind).or_default() += times;
        }
        if (count + 1).is_multiple_of(1_000) {
            println!("{} seeds, {steps} steps, {:.0} s", count + 1, start.elapsed().as_secs_f64());
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} seeds, {steps} steps in {seconds:.1} s: {:.0} steps per second",
        choice.seeds,
        precise(steps) / seconds
    );
    println!(
        "{requests} requests arrived, {acknowledged} wishes were acknowledged, {orders} orders created, {faults} faults injected"
    );
    for (kind, times) in kinds {
        println!("{times:>9} {kind}");
    }
    println!("nothing is wrong");
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn precise(number: u64) -> f64 {
    number as f64
}
