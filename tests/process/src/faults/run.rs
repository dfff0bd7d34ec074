//! The state that all threads of a run share.

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

/// Prints a line of progress.
pub type Printer = fn(&str);

/// The operator's token.
pub(crate) const OPERATOR: &str = "operator-token-of-the-fault-run";
/// The maximum number of recorded violations.
const MAX_FINDINGS: usize = 50;

/// An order that a server has acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acknowledged {
    /// Its ID.
    pub(crate) id: u64,
    /// Whether a cancellation was acknowledged.
    pub(crate) cancelled: bool,
}

/// The shared state of a run.
pub(crate) struct RunState<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) database: Database<'a>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) clients: OnceLock<Clients>,
    /// No more faults: merchants create no new orders, and retry open requests until they are
    /// acknowledged.
    pub(crate) closing: AtomicBool,
    /// All requests of merchants have a response.
    pub(crate) settled: AtomicBool,
    /// All threads stop.
    pub(crate) over: AtomicBool,
    pub(crate) acknowledged: Mutex<BTreeMap<String, Acknowledged>>,
    pub(crate) sent: Mutex<BTreeSet<String>>,
    /// Codes of orders whose creation was rejected for good.
    pub(crate) rejected: Mutex<BTreeSet<String>>,
    /// Additional settings of the servers.
    pub(crate) settings: Vec<(&'static str, String)>,
    checks: AtomicU64,
    pub(crate) findings: Mutex<Vec<String>>,
    pub(crate) responses: Mutex<BTreeMap<u16, u64>>,
    pub(crate) snapshots: AtomicU64,
    next: AtomicU64,
    started: Instant,
}

/// The clients of a run.
pub(crate) struct Clients {
    pub(crate) merchants: Vec<Client>,
    pub(crate) couriers: Vec<Client>,
}

/// A merchant or courier with an API key.
pub(crate) struct Client {
    pub(crate) id: u64,
    pub(crate) key: String,
}

impl<'a> RunState<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        database: Database<'a>,
        instances: usize,
        clocks: Option<&Clocks>,
    ) -> RunState<'a> {
        let instances = (0..instances)
            .map(|number| Instance::new(number, clocks))
            .collect();
        RunState {
            plan,
            database,
            instances,
            clients: OnceLock::new(),
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

    /// Returns the base URL of a running server, in rotation, or `None` if no server is running.
    pub(crate) fn some_base(&self) -> Option<String> {
        let first = usize::try_from(self.next.fetch_add(1, Ordering::Relaxed)).unwrap_or_default();
        (0..self.instances.len())
            .find_map(|step| self.instances[(first + step) % self.instances.len()].base())
    }

    /// Records a violation.
    pub(crate) fn record_violation(&self, violation: String) {
        let mut findings = lock(&self.findings);
        if findings.len() < MAX_FINDINGS {
            self.print(&format!("VIOLATION: {violation}"));
            findings.push(violation);
        }
    }

    /// Counts a check and records its violation.
    pub(crate) fn check(&self, holds: bool, failure: impl FnOnce() -> String) {
        self.count_check();
        if !holds {
            self.record_violation(failure());
        }
    }

    /// Counts a check that the caller performs.
    pub(crate) fn count_check(&self) {
        self.checks.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of checks so far.
    pub(crate) fn checks(&self) -> u64 {
        self.checks.load(Ordering::Relaxed)
    }

    /// Prints a line with the time since the start of the run.
    pub(crate) fn print(&self, line: &str) {
        (self.plan.print)(&format!(
            "{:>6.1} s  {line}",
            self.started.elapsed().as_secs_f64()
        ));
    }

    /// Counts a response by its status.
    pub(crate) fn count(&self, status: u16) {
        *lock(&self.responses).entry(status).or_default() += 1;
    }

    /// Returns the number of responses with this status so far.
    pub(crate) fn responses_with(&self, status: u16) -> u64 {
        lock(&self.responses)
            .get(&status)
            .copied()
            .unwrap_or_default()
    }

    /// Waits until every instance is ready, and returns the delay. The error lists the instances
    /// that are not ready in time.
    pub(crate) fn await_ready(&self, timeout: Duration) -> Result<Duration, String> {
        let since = Instant::now();
        loop {
            let late: Vec<String> = self
                .instances
                .iter()
                .filter(|one| !one.is_ready())
                .map(|one| one.number.to_string())
                .collect();
            if late.is_empty() {
                return Ok(since.elapsed());
            }
            if since.elapsed() > timeout {
                return Err(format!(
                    "not ready after {} s: instance {}",
                    timeout.as_secs(),
                    late.join(", ")
                ));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Creates two merchants and the couriers, as the operator.
    pub(crate) fn create_clients(&self, couriers: usize) -> Result<Clients, Failure> {
        let operator = Caller::new(self, OPERATOR);
        let mut clients = Clients {
            merchants: Vec::new(),
            couriers: Vec::new(),
        };
        // Unassigned company numbers (CNPJ) with valid check digits.
        for (number, cnpj) in ["44333222000100", "55544333000173"].into_iter().enumerate() {
            let parent = store(cnpj, &format!("merchant-{number}"));
            let created = create_resource(&operator, "/admin/matrices", &parent)?;
            let id = created["storeId"]
                .as_str()
                .and_then(|id| id.parse().ok())
                .unwrap_or_default();
            clients.merchants.push(Client {
                id,
                key: api_key(&created),
            });
        }
        for number in 0..couriers {
            let courier = json!({ "name": format!("Courier {number}"), "phone": "+5511990000001", "available": true });
            let created = create_resource(&operator, "/admin/couriers", &courier)?;
            clients.couriers.push(Client {
                id: created["id"].as_u64().unwrap_or_default(),
                key: api_key(&created),
            });
        }
        Ok(clients)
    }

    /// Returns the environment variables of an instance.
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

    /// Returns the log file of an instance.
    pub(crate) fn log(&self, instance: &Instance) -> Option<PathBuf> {
        self.plan
            .log
            .as_deref()
            .map(|folder: &Path| folder.join(format!("instance-{}.log", instance.number)))
    }
}

/// Returns the body of a request that creates a store.
pub(crate) fn store(cnpj: &str, name: &str) -> Value {
    json!({
        "cnpj": cnpj, "name": name, "email": format!("{name}@faults.example"),
        "responsible": { "name": "Ana Souza", "phone": "+5511999990000" }, "password": "correct horse battery",
        "marketplaceBranchId": 3,
        "address": { "street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP",
            "latitude": -23.5558, "longitude": -46.6582 },
    })
}

/// Creates a resource as the operator and returns the response.
pub(crate) fn create_resource(
    operator: &Caller<'_>,
    path: &str,
    body: &Value,
) -> Result<Value, Failure> {
    match operator.retry_until_response("POST", path, None, body) {
        Some((201, created)) => Ok(created),
        other => Err(Failure::new(format!("{path} returned {other:?}"))),
    }
}

/// Returns the API key in a response.
pub(crate) fn api_key(created: &Value) -> String {
    created["value"].as_str().unwrap_or_default().to_owned()
}

/// Locks a mutex, even if another thread panicked while it held the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
