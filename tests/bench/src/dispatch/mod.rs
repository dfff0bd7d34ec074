//! `cargo run --release -p despacho-bench -- dispatch DIR|ARCHIVE [NAME…]`
//!
//! Simulates days of the public meal delivery routing problem with the core's API, and compares the
//! results with published ones. Merchants, couriers and a scheduler send the same requests as in
//! production; only the distances are the instances' Euclidean minutes. No request uses knowledge
//! of the future.

mod area;
mod client;
mod courier;
mod day;
mod host;
mod instance;
mod measures;
mod published;
mod random;
mod record;
mod report;
mod settings;
mod size;
mod solution;

use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use despacho_bench::BoxError;

use self::{
    instance::{Instance, Instances},
    measures::Measures,
    report::Measured,
};

/// The options of the command.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The folder or the archive of the instances.
    path: Option<PathBuf>,
    /// Starts of the names of the instances. Empty selects all.
    names: Vec<String>,
    is_short: bool,
    is_size: bool,
    /// Minutes before its ready time from which an order is matched.
    lead: u32,
    /// Maximum deviation of a real travel time in per cent.
    rides: u8,
    /// Standard deviation of the real ready times in minutes.
    ready: i64,
    /// Seconds by which couriers are sent earlier than necessary.
    margin: u32,
    /// Seconds between two passes.
    every: u32,
    out: Option<PathBuf>,
    /// Further settings of dispatch.
    set: Vec<(String, String)>,
}

impl Options {
    /// Returns whether real times deviate from the estimates.
    fn deviates(&self) -> bool {
        self.rides > 0 || self.ready > 0
    }
}

const USAGE: &str = "usage: despacho-bench dispatch DIR|ARCHIVE [NAME...] [options]
  DIR|ARCHIVE       folder or .tar.xz archive of instances
  NAME              start of an instance's name; all instances if unset
  --short           the smallest instance of each seed
  --lead MIN        setting lead-minutes (30)
  --margin S        setting margin-seconds (0)
  --every S         seconds between passes (60)
  --rides PERCENT   uniform deviation of real travel times (0)
  --ready MIN       standard deviation of real ready times (0)
  --set NAME=VALUE  another setting of dispatch
  --out DIR         folder for the solution files
  --size            measures a pass with 3,000 couriers and 2,000 orders instead; needs no instances";

/// Parses the rest of the command line and runs the benchmark.
pub(crate) fn command(arguments: lexopt::Parser) -> Result<(), BoxError> {
    let options = options(arguments)?;
    match &options.path {
        _ if options.is_size => size::run(&options),
        Some(path) => run(path, &options),
        None => {
            println!("{USAGE}");
            Ok(())
        }
    }
}

fn options(mut arguments: lexopt::Parser) -> Result<Options, BoxError> {
    let mut options = Options {
        path: None,
        names: Vec::new(),
        is_short: false,
        is_size: false,
        lead: 30,
        rides: 0,
        ready: 0,
        margin: 0,
        every: 60,
        out: None,
        set: Vec::new(),
    };
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("short") => options.is_short = true,
            lexopt::Arg::Long("size") => options.is_size = true,
            lexopt::Arg::Long("lead") => {
                options.lead = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("rides") => {
                options.rides = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("ready") => {
                options.ready = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("margin") => {
                options.margin = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("every") => {
                options.every = arguments.value()?.to_string_lossy().parse()?
            }
            lexopt::Arg::Long("out") => options.out = Some(arguments.value()?.into()),
            lexopt::Arg::Long("set") => {
                let set = arguments.value()?.to_string_lossy().into_owned();
                let (name, value) = set.split_once('=').ok_or("--set expects NAME=VALUE")?;
                options.set.push((name.to_owned(), value.to_owned()));
            }
            lexopt::Arg::Value(value) if options.path.is_none() => {
                options.path = Some(value.into())
            }
            lexopt::Arg::Value(name) => options.names.push(name.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().into()),
        }
    }
    if options.every == 0 || options.rides > 99 || options.ready < 0 {
        return Err("--every must be at least 1, --rides at most 99 and --ready at least 0".into());
    }
    Ok(options)
}

fn run(path: &Path, options: &Options) -> Result<(), BoxError> {
    let instances = Instances::find(path, &options.names, options.is_short)?;
    let folders = &instances.folders;
    println!(
        "dispatch: {} instances of the meal delivery routing problem, lead {} min, a pass every {} s, margin {} s, travel times ± {} %, \
         ready times ± {} min (standard deviation)",
        folders.len(),
        options.lead,
        options.every,
        options.margin,
        options.rides,
        options.ready,
    );
    report::print(&simulate_all(folders, options)?);
    Ok(())
}

/// Simulates the instances on all processors. Each instance has its own host.
fn simulate_all(folders: &[PathBuf], options: &Options) -> Result<Vec<Measured>, BoxError> {
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(folders.len());
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(folder) = folders.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = simulate(folder, options);
                    let is_err = result.is_err();
                    results
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(result);
                    if is_err {
                        // The other threads stop after their current instance.
                        next.store(folders.len(), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut measured = results
        .into_iter()
        .collect::<Result<Vec<Measured>, BoxError>>()?;
    measured.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(measured)
}

fn simulate(folder: &Path, options: &Options) -> Result<Measured, BoxError> {
    let instance = Instance::read(folder)?;
    let record = day::simulate(&instance, options)?;
    record::check(&instance, &record, !options.deviates())?;
    if let Some(out) = &options.out {
        solution::write(out, &instance, &record)?;
    }
    let measures = Measures::of(&instance, &record);
    Ok(Measured::new(instance.name, measures, record))
}
