//! The result of a storm.

use std::{collections::BTreeMap, fmt, sync::atomic::Ordering, time::Duration};

use super::MAX_MEMORY_MB;
use crate::faults::run::{RunState, lock};

/// The result of a storm.
#[derive(Clone, Debug, Default)]
pub struct StormReport {
    /// The violated invariants.
    pub violations: Vec<String>,
    /// The number of checks.
    pub checks: u64,
    /// The number of killed servers.
    pub kills: u64,
    /// The number of times that all connections to PostgreSQL were terminated.
    pub cuts: u64,
    /// The number of acknowledged orders.
    pub acknowledged: usize,
    /// The number of orders that were rejected for insufficient balance.
    pub rejected: usize,
    /// The number of stored rows: `orders`, and events by type.
    pub stored: BTreeMap<String, u64>,
    /// The maximum resident memory of each instance, in MB.
    pub memory_mb: BTreeMap<usize, u64>,
    /// The number of responses by status.
    pub responses: BTreeMap<u16, u64>,
    /// The duration from the first server's start to the last check.
    pub duration: Duration,
    pub(crate) seed: u64,
    pub(crate) starts: u64,
}

impl StormReport {
    pub(crate) fn collect(&mut self, storm: &RunState<'_>) {
        self.violations.clone_from(&lock(&storm.findings));
        self.checks = storm.checks();
        self.acknowledged = lock(&storm.acknowledged).len();
        self.rejected = lock(&storm.rejected).len();
        self.responses.clone_from(&lock(&storm.responses));
        self.starts = storm
            .instances
            .iter()
            .map(|one| one.starts.load(Ordering::Relaxed))
            .sum();
    }
}

impl fmt::Display for StormReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seed, seconds) = (self.seed, self.duration.as_secs_f64());
        writeln!(
            f,
            "seed {seed}, {seconds:.0} s, {} kills, {} cuts, {} starts",
            self.kills, self.cuts, self.starts
        )?;
        let responses: Vec<String> = self
            .responses
            .iter()
            .map(|(status, count)| format!("{count} × {status}"))
            .collect();
        writeln!(f, "responses: {}", responses.join(", "))?;
        let stored: Vec<String> = self
            .stored
            .iter()
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        writeln!(
            f,
            "orders: {} acknowledged, {} rejected for insufficient balance",
            self.acknowledged, self.rejected
        )?;
        writeln!(f, "stored: {}", stored.join(", "))?;
        let memory: Vec<String> = self
            .memory_mb
            .values()
            .map(|used| format!("{used} MB"))
            .collect();
        writeln!(
            f,
            "memory: at most {} (limit {MAX_MEMORY_MB} MB)",
            memory.join(", ")
        )?;
        for violation in &self.violations {
            writeln!(f, "VIOLATION: {violation}")?;
        }
        write!(
            f,
            "{} checks, {} failed",
            self.checks,
            self.violations.len()
        )
    }
}
