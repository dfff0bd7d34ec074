//! The result of a storm.

use std::{collections::BTreeMap, fmt, sync::atomic::Ordering, time::Duration};

use super::MAX_MEMORY_MB;
use crate::faults::run::{StormRun, lock};

/// The result of a storm, for people.
#[derive(Clone, Debug, Default)]
pub struct StormReport {
    /// Violated invariants.
    pub wrong: Vec<String>,
    /// Checks that were made.
    pub checks: u64,
    /// Servers killed.
    pub kills: u64,
    /// Times that all connections to PostgreSQL were cut.
    pub cuts: u64,
    /// Acknowledged orders.
    pub acknowledged: usize,
    /// Orders that were rejected for lack of money.
    pub rejected: usize,
    /// Rows by kind: `orders`, and events by type.
    pub stored: BTreeMap<String, u64>,
    /// Maximum resident memory of each instance, in MB.
    pub memory_mb: BTreeMap<usize, u64>,
    /// Responses by status.
    pub responses: BTreeMap<u16, u64>,
    /// From the first server's start to the last check.
    pub took: Duration,
    pub(crate) seed: u64,
    pub(crate) starts: u64,
}

impl StormReport {
    pub(crate) fn take(&mut self, storm: &StormRun<'_>) {
        self.wrong.clone_from(&lock(&storm.findings));
        self.checks = storm.checks();
        self.acknowledged = lock(&storm.acknowledged).len();
        self.rejected = lock(&storm.rejected).len();
        self.responses.clone_from(&lock(&storm.responses));
        self.starts = storm.instances.iter().map(|one| one.starts.load(Ordering::Relaxed)).sum();
    }
}

impl fmt::Display for StormReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seed, seconds) = (self.seed, self.took.as_secs_f64());
        writeln!(f, "seed {seed}, {seconds:.0} s, {} kills, {} cuts, {} starts", self.kills, self.cuts, self.starts)?;
        let responses: Vec<String> =
            self.responses.iter().map(|(status, count)| format!("{count} × {status}")).collect();
        writeln!(f, "responses: {}", responses.join(", "))?;
        let stored: Vec<String> = self.stored.iter().map(|(name, count)| format!("{count} {name}")).collect();
        writeln!(f, "orders: {} acknowledged, {} rejected for lack of money", self.acknowledged, self.rejected)?;
        writeln!(f, "stored: {}", stored.join(", "))?;
        let memory: Vec<String> = self.memory_mb.values().map(|used| format!("{used} MB")).collect();
        writeln!(f, "memory: at most {} (limit {MAX_MEMORY_MB} MB)", memory.join(", "))?;
        for wrong in &self.wrong {
            writeln!(f, "WRONG: {wrong}")?;
        }
        write!(f, "{} checks, {} failed", self.checks, self.wrong.len())
    }
}
