//! Runs many normal and hostile clients at once, while servers are killed and restarted. Every
//! response is checked, and at the end the stored data. The seed decides each client's actions; the
//! machine decides the order in which requests arrive.

mod client;
mod hostile;
mod memory;
mod probe;
mod report;

use std::{
    net::TcpListener,
    sync::{Mutex, atomic::Ordering},
    time::{Duration, Instant},
};

use crate::cluster::Cluster;
use despacho_xtask::run::Failure;
use fastrand::Rng;
use serde_json::json;

pub use self::report::StormReport;
use crate::faults::{
    Plan, Report,
    client::Caller,
    courier,
    database::Database,
    fleet, oracle, reader,
    run::{Client, Clients, OPERATOR, RunState, api_key, create_resource, lock, store},
    storm::probe::Target,
    watch,
};

/// The parameters of a storm.
#[derive(Clone, Debug)]
pub struct Storm {
    /// The binary, the seed, the duration, and the numbers of clients and couriers.
    pub plan: Plan,
    /// Whether to run one instance on SQLite, instead of three on PostgreSQL.
    pub sqlite: bool,
}

/// The maximum resident memory of a server, in MB.
pub(crate) const MAX_MEMORY_MB: u64 = 512;
/// The minimum balance of the prepaid merchant together with its branches, in centavos.
const PREPAID_FLOOR: i64 = -60_000;
/// The time limit for servers to become ready, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The interval between two kills, in milliseconds.
const KILL_INTERVAL_MS: std::ops::RangeInclusive<u64> = 1_000..=4_000;
/// The interval between two checks of the prepaid balance.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Terminates all connections to the database except the current one.
const CUT: &str = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid()";

/// The state that all clients of a storm share.
pub(crate) struct Field<'a> {
    pub(crate) storm: &'a RunState<'a>,
    pub(crate) clients: &'a Clients,
    /// A courier who is not available and never has an order.
    pub(crate) outsider: Client,
    /// The targets of tenancy probes.
    pub(crate) targets: Mutex<Vec<Target>>,
    /// The URL of a webhook receiver that accepts connections and never responds.
    pub(crate) hanging: String,
}

/// Runs a storm and checks the invariants.
///
/// # Errors
/// If this machine cannot run the storm. Violations of the service are in the report.
pub fn run(storm: &Storm) -> Result<StormReport, Failure> {
    let (plan, started) = (&storm.plan, Instant::now());
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
    let cluster = if storm.sqlite {
        None
    } else {
        Some(Cluster::start()?)
    };
    let (database, instances) = match &cluster {
        Some(cluster) => (Database::Server(cluster, cluster.fresh()?), 3),
        None => (
            Database::File(folder.path().join("instance-0").join("despacho.db")),
            1,
        ),
    };
    let mut storm = RunState::new(plan, database, instances, None);
    storm.settings = vec![("DESPACHO_WEBHOOKS_LOOPBACK", "true".to_owned())];
    let storm = &storm;
    storm.print(&format!("seed {}", plan.seed));
    let receiver = TcpListener::bind("127.0.0.1:0")
        .map_err(|error| Failure::new(format!("no receiver: {error}")))?;
    let mut report = StormReport::default();
    std::thread::scope(|scope| {
        for instance in &storm.instances {
            scope.spawn(|| fleet::serve(storm, instance, folder.path()));
        }
        scope.spawn(|| hostile::hang(storm, &receiver));
        let outcome = under_load(storm, scope, &receiver, &mut report);
        storm.over.store(true, Ordering::SeqCst);
        outcome
    })?;
    report.seed = plan.seed;
    report.duration = started.elapsed();
    report.collect(storm);
    Ok(report)
}

fn under_load<'scope, 'env: 'scope>(
    storm: &'env RunState<'env>,
    scope: &'scope std::thread::Scope<'scope, 'env>,
    receiver: &TcpListener,
    report: &mut StormReport,
) -> Result<(), Failure> {
    storm
        .await_ready(TIMEOUT)
        .map_err(|late| Failure::new(format!("the servers did not start: {late}")))?;
    let field = create_field(storm, receiver)?;
    let clients = field.clients;
    let readers: Vec<_> = clients
        .merchants
        .iter()
        .map(|merchant| scope.spawn(move || reader::follow(storm, merchant)))
        .collect();
    for courier in &clients.couriers {
        scope.spawn(move || courier::deliver_orders(storm, clients, courier));
    }
    scope.spawn(move || watch::check_allocation(storm));
    scope.spawn(move || check_prepaid_floor(storm, clients));
    let memory = scope.spawn(move || memory::sample(storm));
    std::thread::scope(|clients| {
        for number in 0..storm.plan.merchants {
            let field = &field;
            clients.spawn(move || client::run(field, number));
        }
        kill(storm, report);
        // No more kills: clients retry open requests until they get a response.
        storm.closing.store(true, Ordering::SeqCst);
    });
    storm.await_ready(TIMEOUT).unwrap_or_else(|late| {
        storm.record_violation(late);
        Duration::ZERO
    });
    let written = oracle::event_counts(storm, clients)?;
    storm.settled.store(true, Ordering::SeqCst);
    let mut read = Vec::new();
    for reader in readers {
        read.push(
            reader
                .join()
                .map_err(|_| Failure::new("a reader's thread panicked"))?,
        );
    }
    let mut checked = Report::default();
    oracle::check(storm, clients, &written, &read, &[], &mut checked)?;
    report.stored = checked.stored;
    storm.over.store(true, Ordering::SeqCst);
    report.memory_mb = memory
        .join()
        .map_err(|_| Failure::new("the memory could not be sampled"))?;
    Ok(())
}

/// Creates two merchants that pay by invoice, one that pays in advance, the couriers, and one
/// courier who never gets an order.
fn create_field<'a>(storm: &'a RunState<'a>, receiver: &TcpListener) -> Result<Field<'a>, Failure> {
    let mut clients = storm.create_clients(storm.plan.couriers)?;
    let operator = Caller::new(storm, OPERATOR);
    let mut prepaid = store(&probe::cnpj(0), "prepaid");
    prepaid["prepaidFloor"] = json!(PREPAID_FLOOR / 100);
    let prepaid = create_resource(&operator, "/admin/matrices", &prepaid)?;
    let id = prepaid["storeId"]
        .as_str()
        .and_then(|id| id.parse().ok())
        .unwrap_or_default();
    clients.merchants.push(Client {
        id,
        key: api_key(&prepaid),
    });
    let outsider = json!({ "name": "Outsider", "phone": "+5511990000001", "available": false });
    let outsider = create_resource(&operator, "/admin/couriers", &outsider)?;
    let outsider = Client {
        id: outsider["id"].as_u64().unwrap_or_default(),
        key: api_key(&outsider),
    };
    let port = receiver
        .local_addr()
        .map_err(|error| Failure::new(format!("the receiver has no port: {error}")))?
        .port();
    let field = Field {
        storm,
        clients: storm.clients.get_or_init(|| clients),
        outsider,
        targets: Mutex::default(),
        hanging: format!("http://127.0.0.1:{port}/hang"),
    };
    for (merchant, client) in field.clients.merchants.iter().enumerate() {
        lock(&field.targets).push(Target {
            merchant,
            store: client.id,
            id: client.id,
            kind: probe::Kind::Store,
        });
    }
    Ok(field)
}

/// Kills servers for the duration of the plan, at least twice. On PostgreSQL, it also terminates
/// connections.
fn kill(storm: &RunState<'_>, report: &mut StormReport) {
    let (mut rng, until) = (
        Rng::with_seed(storm.plan.seed),
        Instant::now() + storm.plan.span,
    );
    while Instant::now() < until || report.kills < 2 {
        std::thread::sleep(Duration::from_millis(rng.u64(KILL_INTERVAL_MS)));
        if storm.instances.len() > 1 && rng.u8(..4) == 0 {
            report.cuts += 1;
            if let Err(failure) = storm.database.query(CUT) {
                storm.print(&format!("terminating connections failed: {failure}"));
            }
            continue;
        }
        let instance = &storm.instances[rng.usize(..storm.instances.len())];
        if instance.base().is_some() {
            instance.kill(Duration::from_millis(rng.u64(..1_500)));
            report.kills += 1;
        }
        // A server that is killed immediately after its start would process no request.
        _ = storm.await_ready(TIMEOUT);
    }
}

/// Checks the balance of the prepaid merchant together with its branches until the storm is over.
fn check_prepaid_floor(storm: &RunState<'_>, clients: &Clients) {
    let Some(prepaid) = clients.merchants.last() else {
        return;
    };
    let sql = format!(
        "SELECT cast(coalesce(sum(amount), 0) AS BIGINT) FROM balances WHERE store = {id} \
         OR store IN (SELECT id FROM stores WHERE matrix = {id})",
        id = prepaid.id
    );
    while !storm.is_over() {
        if let Ok(amount) = storm.database.query(&sql) {
            let amount: i64 = amount.parse().unwrap_or(i64::MIN);
            storm.check(amount >= PREPAID_FLOOR, || {
                format!("the prepaid balance is {amount} centavos, below {PREPAID_FLOOR}")
            });
        }
        std::thread::sleep(CHECK_INTERVAL);
    }
}
