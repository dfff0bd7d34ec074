//! `cargo run --release -p despacho-bench -- load [--seconds N] [--orders N] [--sizes N,N] PART…`
//!
//! Prints how fast the service is beside a reference in the same run, as ratios: on a shared machine a figure alone says little.
//! Nothing is asserted. The parts are `preview`, `http` and `memory`, which run where none is named, and `dispatch`, `overload`, `growth`, `postgres` and
//! `streams`, which take their time.

mod copies;
mod core;
mod dispatch;
mod echo;
mod growth;
mod memory;
mod over_http;
mod overload;
mod postgres;
mod streams;

use despacho_bench::Failure;

/// What to run and for how long.
struct Plan {
    parts: Vec<String>,
    seconds: u64,
    orders: usize,
    sizes: Vec<usize>,
}

/// Reads the rest of the command line and measures.
pub(crate) fn command(arguments: lexopt::Parser) -> Result<(), Failure> {
    run(&plan(arguments)?)
}

fn plan(mut arguments: lexopt::Parser) -> Result<Plan, Failure> {
    let mut plan = Plan { parts: Vec::new(), seconds: 4, orders: 100_000, sizes: vec![10_000, 100_000, 1_000_000] };
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("seconds") => plan.seconds = arguments.value()?.to_string_lossy().parse()?,
            lexopt::Arg::Long("orders") => plan.orders = arguments.value()?.to_string_lossy().parse()?,
            lexopt::Arg::Long("sizes") => plan.sizes = growth::sizes(&arguments.value()?.to_string_lossy())?,
            lexopt::Arg::Value(part) => plan.parts.push(part.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(plan)
}

fn run(plan: &Plan) -> Result<(), Failure> {
    // The reference server is this program once more, as a process of its own.
    if plan.parts == ["echo"] {
        return echo::serve();
    }
    let wanted = |part: &str| plan.parts.is_empty() || plan.parts.iter().any(|wanted| wanted == part);
    if wanted("preview") {
        core::preview(plan.seconds)?;
    }
    if wanted("http") {
        over_http::compare(plan.seconds)?;
    }
    if wanted("memory") {
        memory::after(plan.orders)?;
    }
    let named = |part: &str| plan.parts.iter().any(|wanted| wanted == part);
    if named("overload") {
        overload::run(plan.seconds)?;
    }
    if named("growth") {
        growth::run(&plan.sizes)?;
    }
    if named("dispatch") {
        tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(dispatch::run())?;
    }
    if named("postgres") {
        postgres::compare(plan.seconds)?;
    }
    if named("streams") {
        streams::run(plan.seconds)?;
    }
    Ok(())
}
