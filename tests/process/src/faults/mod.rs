//! Three real servers over one PostgreSQL under load, while servers, database, disk and clock fail by a seed.
//!
//! The machine is real, so that a seed says what fails and in which order, and not what meets it. What must hold in the end is judged from
//! the database and from the API, by rules that know nothing of how the service keeps them.

mod chaos;
mod client;
mod clock;
mod courier;
mod database;
mod disk;
mod fleet;
mod judge;
mod merchant;
mod reader;
mod report;
mod run;
mod storm;
mod watch;

use std::{
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use crate::cluster::{Cluster, Options};
use despacho_xtask::run::Failure;

use crate::faults::{clock::Clocks, database::Database, disk::Disk, fleet::Instance, run::StormRun};
pub use crate::faults::{
    report::Report,
    run::Printer,
    storm::{Storm, StormReport, run as run_storm},
};

/// What is run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The server's program.
    pub binary: PathBuf,
    /// What faults, and their order, follow from.
    pub seed: u64,
    /// How long things fail. Each kind of fault comes at least once, however short that is.
    pub span: Duration,
    /// Threads that create orders.
    pub merchants: usize,
    /// Couriers, each of them a thread.
    pub couriers: usize,
    /// How long database and disk are away each time, at most.
    pub longest: Duration,
    /// Megabytes of the small disk.
    pub disk_mb: u64,
    /// Where the servers' words go; nowhere where none is named.
    pub log: Option<PathBuf>,
    /// Where it is told what fails.
    pub print: Printer,
}

/// Servers over the one database.
const INSTANCES: usize = 3;
/// For everything that is still open when nothing fails any more, on however busy a machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Runs the plan to its end and judges what is left; the failure is one of the machine, and no word on the service.
pub fn run(plan: &Plan) -> Result<Report, Failure> {
    let started = Instant::now();
    let folder = tempfile::tempdir().map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
    let mut report = Report::default();
    // Declared before the server that stands on it, so that it goes after it.
    let disk = report.or_skip("disk full", Disk::mount(folder.path(), plan.disk_mb));
    let clocks = report.or_skip("clock stepped", Clocks::find(folder.path()));
    let options = Options {
        place: disk.as_ref().map(|disk| disk.place().to_owned()),
        settings: "-c max_wal_size=64MB -c min_wal_size=8MB -c checkpoint_timeout=30s".to_owned(),
        ..Options::default()
    };
    let cluster = Cluster::start_as(options)?;
    let address = cluster.fresh()?;
    let storm = StormRun::new(plan, Database::Server(&cluster, address), INSTANCES, clocks.as_ref());
    std::thread::scope(|scope| {
        for instance in &storm.instances {
            scope.spawn(|| fleet::serve(&storm, instance, folder.path()));
        }
        let outcome = under_load(&storm, plan, scope, &cluster, disk.as_ref(), clocks.as_ref(), &mut report);
        storm.over.store(true, Ordering::SeqCst);
        outcome
    })?;
    report.took = started.elapsed();
    report.take(&storm);
    Ok(report)
}

/// Everything between the first server's start and the judgement.
fn under_load<'scope, 'env: 'scope>(
    storm: &'env StormRun<'env>,
    plan: &'env Plan,
    scope: &'scope std::thread::Scope<'scope, 'env>,
    cluster: &'env Cluster,
    disk: Option<&Disk>,
    clocks: Option<&Clocks>,
    report: &mut Report,
) -> Result<(), Failure> {
    storm.await_ready(TIMEOUT).map_err(|late| Failure::new(format!("the servers did not start: {late}")))?;
    let parties = storm.found(plan.couriers)?;
    let parties = storm.parties.get_or_init(|| parties);
    let mut busy = Vec::new();
    for number in 0..plan.merchants {
        busy.push(scope.spawn(move || merchant::sell(storm, parties, number)));
    }
    for courier in &parties.couriers {
        scope.spawn(move || courier::ride(storm, parties, courier));
    }
    let readers: Vec<_> =
        parties.merchants.iter().map(|merchant| scope.spawn(move || reader::follow(storm, merchant))).collect();
    for instance in &storm.instances {
        scope.spawn(move || watch::readiness(storm, instance));
    }
    scope.spawn(move || watch::allocation(storm));
    chaos::rage(storm, plan, cluster, disk, clocks, report);
    // Nothing fails from here on: whoever was told nothing asks until there is an answer.
    storm.closing.store(true, Ordering::SeqCst);
    for merchant in busy {
        merchant.join().map_err(|_| Failure::new("a merchant stopped"))?;
    }
    let written = judge::written(storm, parties)?;
    storm.settled.store(true, Ordering::SeqCst);
    let mut read = Vec::new();
    for reader in readers {
        read.push(reader.join().map_err(|_| Failure::new("a reader stopped"))?);
    }
    let (what, sql) = judge::REFUNDED_ONCE;
    judge::judge(storm, parties, &written, &read, &[(what, sql.to_owned())], report)
}

/// The folder of an instance.
fn home(folder: &Path, instance: &Instance) -> PathBuf {
    folder.join(format!("instance-{}", instance.number))
}
