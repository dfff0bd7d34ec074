//! Many normal and hostile clients at once, while servers are killed and started again. Every response is checked, and so is what is
//! stored afterwards. The seed decides what each client does; the machine decides in which order their requests meet.

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
    fleet, judge, reader,
    run::{OPERATOR, Parties, Party, StormRun, lock, made, store, text},
    storm::probe::Target,
    watch,
};

/// A storm and the database under it.
#[derive(Clone, Debug)]
pub struct Storm {
    /// Program, seed, duration, numbers of clients and couriers.
    pub plan: Plan,
    /// One instance on SQLite; otherwise three on PostgreSQL.
    pub sqlite: bool,
}

/// No server may use more, in MB of resident memory.
pub(crate) const MAX_MEMORY_MB: u64 = 512;
/// No debit may take the prepaid merchant's balance below so many cents, or its own and those of its branches together.
const PREPAID_FLOOR: i64 = -60_000;
/// For servers to start and for open work to finish when nothing is killed any more, on however busy a machine.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Between two kills, in milliseconds.
const KILL_INTERVAL_MS: std::ops::RangeInclusive<u64> = 1_000..=4_000;
/// Between two checks of what is stored.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The database ends every connection but the one that asks.
const CUT: &str = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid()";

/// What all clients of a storm share.
pub(crate) struct Field<'a> {
    pub(crate) storm: &'a StormRun<'a>,
    pub(crate) parties: &'a Parties,
    /// A courier who is not available and never has an order.
    pub(crate) outsider: Party,
    /// What tenancy probes aim at.
    pub(crate) targets: Mutex<Vec<Target>>,
    /// A receiver of webhooks that accepts connections and never responds.
    pub(crate) hanging: String,
}

/// Runs a storm and checks what is left. An error means that the machine could not run it.
pub fn run(storm: &Storm) -> Result<StormReport, Failure> {
    let (plan, started) = (&storm.plan, Instant::now());
    let folder = tempfile::tempdir().map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
    let cluster = if storm.sqlite { None } else { Some(Cluster::start()?) };
    let (database, instances) = match &cluster {
        Some(cluster) => (Database::Server(cluster, cluster.fresh()?), 3),
        None => (Database::File(folder.path().join("instance-0").join("despacho.db")), 1),
    };
    let mut storm = StormRun::new(plan, database, instances, None);
    storm.settings = vec![("DESPACHO_WEBHOOKS_LOOPBACK", "true".to_owned())];
    let storm = &storm;
    storm.print(&format!("seed {}", plan.seed));
    let receiver = TcpListener::bind("127.0.0.1:0").map_err(|error| Failure::new(format!("no receiver: {error}")))?;
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
    report.took = started.elapsed();
    report.take(storm);
    Ok(report)
}

fn under_load<'scope, 'env: 'scope>(
    storm: &'env StormRun<'env>,
    scope: &'scope std::thread::Scope<'scope, 'env>,
    receiver: &TcpListener,
    report: &mut StormReport,
) -> Result<(), Failure> {
    storm.await_ready(TIMEOUT).map_err(|late| Failure::new(format!("the servers did not start: {late}")))?;
    let field = found(storm, receiver)?;
    let parties = field.parties;
    let readers: Vec<_> =
        parties.merchants.iter().map(|merchant| scope.spawn(move || reader::follow(storm, merchant))).collect();
    for courier in &parties.couriers {
        scope.spawn(move || courier::ride(storm, parties, courier));
    }
    scope.spawn(move || watch::allocation(storm));
    scope.spawn(move || floor(storm, parties));
    let memory = scope.spawn(move || memory::sample(storm));
    std::thread::scope(|clients| {
        for number in 0..storm.plan.merchants {
            let field = &field;
            clients.spawn(move || client::run(field, number));
        }
        kill(storm, report);
        // From here on nothing is killed: clients send what is open until they have a response.
        storm.closing.store(true, Ordering::SeqCst);
    });
    storm.await_ready(TIMEOUT).unwrap_or_else(|late| {
        storm.wrong(late);
        Duration::ZERO
    });
    let written = judge::written(storm, parties)?;
    storm.settled.store(true, Ordering::SeqCst);
    let mut read = Vec::new();
    for reader in readers {
        read.push(reader.join().map_err(|_| Failure::new("a reader stopped"))?);
    }
    let mut judged = Report::default();
    judge::judge(storm, parties, &written, &read, &[], &mut judged)?;
    report.stored = judged.stored;
    storm.over.store(true, Ordering::SeqCst);
    report.memory_mb = memory.join().map_err(|_| Failure::new("the memory could not be sampled"))?;
    Ok(())
}

/// Two merchants that pay by invoice, one that pays in advance, the couriers and one courier who never gets an order.
fn found<'a>(storm: &'a StormRun<'a>, receiver: &TcpListener) -> Result<Field<'a>, Failure> {
    let mut parties = storm.found(storm.plan.couriers)?;
    let operator = Caller::new(storm, OPERATOR);
    let mut prepaid = store(&probe::cnpj(0), "prepaid");
    prepaid["prepaidFloor"] = json!(PREPAID_FLOOR / 100);
    let prepaid = made(&operator, "/admin/matrices", &prepaid)?;
    let id = prepaid["storeId"].as_str().and_then(|id| id.parse().ok()).unwrap_or_default();
    parties.merchants.push(Party { id, key: text(&prepaid) });
    let outsider = json!({ "name": "Outsider", "phone": "+5511990000001", "available": false });
    let outsider = made(&operator, "/admin/couriers", &outsider)?;
    let outsider = Party { id: outsider["id"].as_u64().unwrap_or_default(), key: text(&outsider) };
    let port =
        receiver.local_addr().map_err(|error| Failure::new(format!("the receiver has no port: {error}")))?.port();
    let field = Field {
        storm,
        parties: storm.parties.get_or_init(|| parties),
        outsider,
        targets: Mutex::default(),
        hanging: format!("http://127.0.0.1:{port}/hang"),
    };
    for (merchant, party) in field.parties.merchants.iter().enumerate() {
        lock(&field.targets).push(Target { merchant, store: party.id, id: party.id, kind: probe::Kind::Store });
    }
    Ok(field)
}

/// Kills servers until the time is up, and at least twice. On PostgreSQL, connections are cut too.
fn kill(storm: &StormRun<'_>, report: &mut StormReport) {
    let (mut rng, until) = (Rng::with_seed(storm.plan.seed), Instant::now() + storm.plan.span);
    while Instant::now() < until || report.kills < 2 {
        std::thread::sleep(Duration::from_millis(rng.u64(KILL_INTERVAL_MS)));
        if storm.instances.len() > 1 && rng.u8(..4) == 0 {
            report.cuts += 1;
            if let Err(failure) = storm.database.query(CUT) {
                storm.print(&format!("connections were not cut: {failure}"));
            }
            continue;
        }
        let instance = &storm.instances[rng.usize(..storm.instances.len())];
        if instance.base().is_some() {
            instance.kill(Duration::from_millis(rng.u64(..1_500)));
            report.kills += 1;
        }
        // A server that is killed as soon as it has started would answer nobody.
        _ = storm.await_ready(TIMEOUT);
    }
}

/// Checks what the prepaid merchant and its branches owe together until the storm is over.
fn floor(storm: &StormRun<'_>, parties: &Parties) {
    let Some(prepaid) = parties.merchants.last() else { return };
    let sql = format!(
        "SELECT cast(coalesce(sum(amount), 0) AS BIGINT) FROM balances WHERE store = {id} \
         OR store IN (SELECT id FROM stores WHERE matrix = {id})",
        id = prepaid.id
    );
    while !storm.is_over() {
        if let Ok(amount) = storm.database.query(&sql) {
            let amount: i64 = amount.parse().unwrap_or(i64::MIN);
            storm.check(amount >= PREPAID_FLOOR, || {
                format!("a prepaid balance is {amount} cents, below {PREPAID_FLOOR}")
            });
        }
        std::thread::sleep(CHECK_INTERVAL);
    }
}
