//! `cargo run --release -p despacho-bench -- load [--seconds N] [--orders N] [--sizes N,N] [--couriers N] PART…`
//!
//! Measures the service and compares it with a baseline in the same run, because absolute figures
//! of a shared machine are not meaningful. Asserts nothing. The parts `preview`, `http` and
//! `memory` run by default; `couriers`, `creations`, `dispatch`, `overload`, `growth`, `postgres`
//! and `streams` take longer.

mod copies;
mod core;
mod couriers;
mod creations;
mod dispatch;
mod echo;
mod growth;
mod memory;
mod over_http;
mod overload;
mod postgres;
mod streams;

use despacho_bench::BoxError;

/// The parts to run and their parameters.
struct Plan {
    parts: Vec<String>,
    seconds: u64,
    orders: usize,
    sizes: Vec<usize>,
    couriers: usize,
}

/// Parses the rest of the command line and runs the benchmarks.
pub(crate) fn command(arguments: lexopt::Parser) -> Result<(), BoxError> {
    run(&plan(arguments)?)
}

fn plan(mut arguments: lexopt::Parser) -> Result<Plan, BoxError> {
    let sizes = vec![10_000, 100_000, 1_000_000];
    let mut plan = Plan {
        parts: Vec::new(),
        seconds: 4,
        orders: 100_000,
        sizes,
        couriers: 50_000,
    };
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("seconds") => {
                plan.seconds = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("orders") => {
                plan.orders = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("sizes") => {
                plan.sizes = growth::sizes(&arguments.value()?.to_string_lossy())?
            }
            lexopt::Arg::Long("couriers") => {
                plan.couriers = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Value(part) => plan.parts.push(part.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(plan)
}

fn run(plan: &Plan) -> Result<(), BoxError> {
    // The reference server is another process of this program.
    if plan.parts == ["echo"] {
        return echo::serve();
    }
    let is_selected =
        |part: &str| plan.parts.is_empty() || plan.parts.iter().any(|selected| selected == part);
    if is_selected("preview") {
        core::preview(plan.seconds)?;
    }
    if is_selected("http") {
        over_http::compare(plan.seconds)?;
    }
    if is_selected("memory") {
        memory::after(plan.orders)?;
    }
    let is_named = |part: &str| plan.parts.iter().any(|named| named == part);
    if is_named("couriers") {
        couriers::compare(plan.couriers, plan.seconds)?;
    }
    if is_named("creations") {
        creations::compare(plan.seconds)?;
    }
    if is_named("overload") {
        overload::run(plan.seconds)?;
    }
    if is_named("growth") {
        growth::run(&plan.sizes)?;
    }
    if is_named("dispatch") {
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?
            .block_on(dispatch::run())?;
    }
    if is_named("postgres") {
        postgres::compare(plan.seconds)?;
    }
    if is_named("streams") {
        streams::run(plan.seconds)?;
    }
    Ok(())
}
