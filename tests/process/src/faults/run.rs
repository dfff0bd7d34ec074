//! What all threads share.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use despacho_xtask::run::Failure;
use serde_json::{Value, json};

use crate::faults::{Plan, client::Caller, clock::Clocks, database::Database, fleet::Instance};

/// Tells a line to whoever watches.
pub type Printer = fn(&str);

/// The operator's token.
pub(crate) const OPERATOR: &str = "operator-token-of-the-fault-run";
/// What is wrong is listed up to so many.
const MAX_FINDINGS: usize = 50;

/// An order that a server has acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acknowledged {
    /// Its number.
    pub(crate) id: u64,
    /// Whether its merchant cancelled it, and was told so.
    pub(crate) cancelled: bool,
}

/// The shared state of a run.
pub(crate) struct StormRun<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) database: Database<'a>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) parties: OnceLock<Parties>,
    /// Nothing fails any more: no new orders, but the open ones are asked for until they are acknowledged.
    pub(crate) closing: AtomicBool,
    /// All merchants know what they want to know.
    pub(crate) settled: AtomicBool,
    /// Everybody stops.
    pub(crate) over: AtomicBool,
    pub(crate) acknowledged: Mutex<BTreeMap<String, Acknowledged>>,
    pub(crate) sent: Mutex<BTreeSet<String>>,
    /// Codes of orders whose creation was rejected for good.
    pub(crate) rejected: Mutex<BTreeSet<String>>,
    /// Settings of the servers beside those of every run.
    pub(crate) settings: Vec<(&'static str, String)>,
    checks: AtomicU64,
    pub(crate) findings: Mutex<Vec<String>>,
    pub(crate) responses: Mutex<BTreeMap<u16, u64>>,
    pub(crate) snapshots: AtomicU64,
    next: AtomicU64,
    started: Instant,
}

/// Who takes part.
pub(crate) struct Parties {
    pub(crate) merchants: Vec<Party>,
    pub(crate) couriers: Vec<Party>,
}

/// Somebody with a key.
pub(crate) struct Party {
    pub(crate) id: u64,
    pub(crate) key: String,
}

impl<'a> StormRun<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        database: Database<'a>,
        instances: usize,
        clocks: Option<&Clocks>,
    ) -> StormRun<'a> {
        let instances = (0..instances).map(|number| Instance::new(number, clocks)).collect();
        StormRun {
            plan,
            database,
            instances,
            parties: OnceLock::new(),
            closing: AtomicBool::new(false),
            settled: AtomicBool::new(false),
            over: AtomicBool::new(false),
            acknowledged: Mutex::default(),
            sent: Mutex::default(),
            rejected: Mutex::default(),
            settings: Vec::new(),
            checks: AtomicU64::new(0),
            findings: Mutex::default(),
            responses: Mutex::default(),
            snapshots: AtomicU64::new(0),
            next: AtomicU64::new(0),
            started: Instant::now(),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// Where a server answers, each in its turn; `None` while none is there.
    pub(crate) fn some_base(&self) -> Option<String> {
        let first = usize::try_from(self.next.fetch_add(1, Ordering::Relaxed)).unwrap_or_default();
        (0..self.instances.len()).find_map(|step| self.instances[(first + step) % self.instances.len()].base())
    }

    /// Notes something that must not be.
    pub(crate) fn wrong(&self, what: String) {
        let mut findings = lock(&self.findings);
        if findings.len() < MAX_FINDINGS {
            self.print(&format!("WRONG: {what}"));
            findings.push(what);
        }
    }

    /// Counts a check, and notes its failure.
    pub(crate) fn check(&self, holds: bool, failure: impl FnOnce() -> String) {
        self.count_check();
        if !holds {
            self.wrong(failure());
        }
    }

    /// Counts a check that was made elsewhere.
    pub(crate) fn count_check(&self) {
        self.checks.fetch_add(1, Ordering::Relaxed);
    }

    /// How many checks were made so far.
    pub(crate) fn checks(&self) -> u64 {
        self.checks.load(Ordering::Relaxed)
    }

    /// Tells a line with the time since the run began.
    pub(crate) fn print(&self, what: &str) {
        (self.plan.print)(&format!("{:>6.1} s  {what}", self.started.elapsed().as_secs_f64()));
    }

    /// Counts an answer by its status.
    pub(crate) fn count(&self, status: u16) {
        *lock(&self.responses).entry(status).or_default() += 1;
    }

    /// How many answers had this status so far.
    pub(crate) fn responded(&self, status: u16) -> u64 {
        lock(&self.responses).get(&status).copied().unwrap_or_default()
    }

    /// Waits until every instance says that it is ready, and says how long that took; who is late where it does not come about.
    pub(crate) fn await_ready(&self, timeout: Duration) -> Result<Duration, String> {
        let since = Instant::now();
        loop {
            let late: Vec<String> =
                self.instances.iter().filter(|one| !one.is_ready()).map(|one| one.number.to_string()).collect();
            if late.is_empty() {
                return Ok(since.elapsed());
            }
            if since.elapsed() > timeout {
                return Err(format!("after {} s not ready: instance {}", timeout.as_secs(), late.join(", ")));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Two merchants and the couriers, made by the operator.
    pub(crate) fn found(&self, couriers: usize) -> Result<Parties, Failure> {
        let operator = Caller::new(self, OPERATOR);
        let mut parties = Parties { merchants: Vec::new(), couriers: Vec::new() };
        // Company numbers that nobody has, with their check digits.
        for (number, cnpj) in ["44333222000100", "55544333000173"].into_iter().enumerate() {
            let matrix = store(cnpj, &format!("merchant-{number}"));
            let made = made(&operator, "/admin/matrices", &matrix)?;
            let id = made["storeId"].as_str().and_then(|id| id.parse().ok()).unwrap_or_default();
            parties.merchants.push(Party { id, key: text(&made) });
        }
        for number in 0..couriers {
            let courier = json!({ "name": format!("Courier {number}"), "phone": "+5511990000001", "available": true });
            let made = made(&operator, "/admin/couriers", &courier)?;
            parties.couriers.push(Party { id: made["id"].as_u64().unwrap_or_default(), key: text(&made) });
        }
        Ok(parties)
    }

    /// The environment of an instance.
    pub(crate) fn variables(&self, instance: &Instance) -> Vec<(&'static str, String)> {
        let mut variables = vec![
            ("DESPACHO_DATABASE", self.database.address().to_owned()),
            ("DESPACHO_SECRET", "5c".repeat(32)),
            ("DESPACHO_ADMIN_TOKEN", OPERATOR.to_owned()),
            ("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000".to_owned()),
            ("DESPACHO_LIMITS_READS_PER_MINUTE", "1000000".to_owned()),
            ("DESPACHO_LIMITS_REGISTRATIONS_PER_DAY", "100000".to_owned()),
            ("DESPACHO_LIMITS_IDEMPOTENCY_RECORDS", "10000000".to_owned()),
            ("DESPACHO_LIMITS_IDEMPOTENCY_MIB", "100000".to_owned()),
            ("DESPACHO_DISPATCH_INTERVAL_SECONDS", "1".to_owned()),
            ("DESPACHO_LOG_LEVEL", "warn".to_owned()),
        ];
        variables.extend(self.settings.iter().cloned());
        variables.extend(instance.clock.iter().flat_map(|clock| clock.variables()));
        variables
    }

    /// Where the words of an instance go.
    pub(crate) fn log(&self, instance: &Instance) -> Option<PathBuf> {
        self.plan.log.as_deref().map(|folder: &Path| folder.join(format!("instance-{}.log", instance.number)))
    }
}

/// The body that creates a store.
pub(crate) fn store(cnpj: &str, name: &str) -> Value {
    json!({
        "cnpj": cnpj, "name": name, "email": format!("{name}@faults.example"),
        "responsible": { "name": "Ana Souza", "phone": "+5511999990000" }, "password": "correct horse battery",
        "marketplaceBranchId": 3,
        "address": { "street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP",
            "latitude": -23.5558, "longitude": -46.6582 },
    })
}

pub(crate) fn made(operator: &Caller<'_>, path: &str, body: &Value) -> Result<Value, Failure> {
    match operator.retry_until_response("POST", path, None, body) {
        Some((201, made)) => Ok(made),
        other => Err(Failure::new(format!("{path} was answered {other:?}"))),
    }
}

pub(crate) fn text(made: &Value) -> String {
    made["value"].as_str().unwrap_or_default().to_owned()
}

/// A lock that a panic elsewhere does not take away.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
