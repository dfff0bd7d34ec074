//! Runs three real servers with one PostgreSQL under load, and injects faults into servers,
//! database, disk and clocks.
//!
//! The seed decides the faults and their order. The machine is real, so the requests that a fault
//! affects differ between runs. The invariants are checked in the database and through the API,
//! independently of the service's implementation.

mod chaos;
mod client;
mod clock;
mod courier;
mod database;
mod disk;
mod fleet;
mod merchant;
mod oracle;
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

use crate::faults::{
    clock::Clocks, database::Database, disk::Disk, fleet::Instance, run::RunState,
};
pub use crate::faults::{
    report::Report,
    run::Printer,
    storm::{Storm, StormReport, run as run_storm},
};

/// The parameters of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The server's binary.
    pub binary: PathBuf,
    /// The seed of the faults and their order.
    pub seed: u64,
    /// The duration of fault injection. Each kind of fault occurs at least once, even if this is
    /// short.
    pub span: Duration,
    /// The number of threads that create orders.
    pub merchants: usize,
    /// The number of couriers, each with a thread.
    pub couriers: usize,
    /// The maximum duration of an outage of the database or the disk.
    pub max_outage: Duration,
    /// The size of the small disk in MB.
    pub disk_mb: u64,
    /// The folder of the servers' logs, or `None` to discard them.
    pub log: Option<PathBuf>,
    /// Prints a line of progress.
    pub print: Printer,
}

/// The number of servers.
const INSTANCES: usize = 3;
/// The time limit for servers to become ready and for the database to start, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Runs the plan and checks the invariants.
///
/// # Errors
/// If this machine cannot run the plan. Violations of the service are in the report.
pub fn run(plan: &Plan) -> Result<Report, Failure> {
    let started = Instant::now();
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
    let mut report = Report::default();
    // Declared before the database server that uses it, so that it is dropped after the server.
    let disk = report.or_skip("disk full", Disk::mount(folder.path(), plan.disk_mb));
    let clocks = report.or_skip("clock stepped", Clocks::find(folder.path()));
    let options = Options {
        parent: disk.as_ref().map(|disk| disk.path().to_owned()),
        settings: "-c max_wal_size=64MB -c min_wal_size=8MB -c checkpoint_timeout=30s".to_owned(),
        ..Options::default()
    };
    let cluster = Cluster::start_as(options)?;
    let address = cluster.fresh()?;
    let state = RunState::new(
        plan,
        Database::Server(&cluster, address),
        INSTANCES,
        clocks.as_ref(),
    );
    std::thread::scope(|scope| {
        for instance in &state.instances {
            scope.spawn(|| fleet::serve(&state, instance, folder.path()));
        }
        let outcome = under_load(
            &state,
            plan,
            scope,
            &cluster,
            disk.as_ref(),
            clocks.as_ref(),
            &mut report,
        );
        state.over.store(true, Ordering::SeqCst);
        outcome
    })?;
    report.duration = started.elapsed();
    report.collect(&state);
    Ok(report)
}

/// Creates load, injects faults and checks the invariants.
fn under_load<'scope, 'env: 'scope>(
    state: &'env RunState<'env>,
    plan: &'env Plan,
    scope: &'scope std::thread::Scope<'scope, 'env>,
    cluster: &'env Cluster,
    disk: Option<&Disk>,
    clocks: Option<&Clocks>,
    report: &mut Report,
) -> Result<(), Failure> {
    state
        .await_ready(TIMEOUT)
        .map_err(|late| Failure::new(format!("the servers did not start: {late}")))?;
    let clients = state.create_clients(plan.couriers)?;
    let clients = state.clients.get_or_init(|| clients);
    let mut busy = Vec::new();
    for number in 0..plan.merchants {
        busy.push(scope.spawn(move || merchant::create_orders(state, clients, number)));
    }
    for courier in &clients.couriers {
        scope.spawn(move || courier::deliver_orders(state, clients, courier));
    }
    let readers: Vec<_> = clients
        .merchants
        .iter()
        .map(|merchant| scope.spawn(move || reader::follow(state, merchant)))
        .collect();
    for instance in &state.instances {
        scope.spawn(move || watch::poll_readiness(state, instance));
    }
    scope.spawn(move || watch::check_allocation(state));
    chaos::inject_faults(state, plan, cluster, disk, clocks, report);
    // No more faults: clients retry open requests until they get a response.
    state.closing.store(true, Ordering::SeqCst);
    for merchant in busy {
        merchant
            .join()
            .map_err(|_| Failure::new("a merchant's thread panicked"))?;
    }
    let written = oracle::event_counts(state, clients)?;
    state.settled.store(true, Ordering::SeqCst);
    let mut read = Vec::new();
    for reader in readers {
        read.push(
            reader
                .join()
                .map_err(|_| Failure::new("a reader's thread panicked"))?,
        );
    }
    let (violation, sql) = oracle::REFUNDED_ONCE;
    oracle::check(
        state,
        clients,
        &written,
        &read,
        &[(violation, sql.to_owned())],
        report,
    )
}

/// Returns the data folder of an instance.
fn home(folder: &Path, instance: &Instance) -> PathBuf {
    folder.join(format!("instance-{}", instance.number))
}
