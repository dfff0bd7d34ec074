//! Counters for tests and measurements.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use wasmtime::ResourceLimiter;

/// Counters of an application.
#[derive(Debug)]
pub struct Stats {
    instances: AtomicU64,
    started_ns: AtomicU64,
    min_start_ns: AtomicU64,
    peak_bytes: AtomicU64,
    total_bytes: AtomicU64,
    peak_total_bytes: AtomicU64,
    statements: AtomicU64,
    traps: AtomicU64,
}

impl Default for Stats {
    fn default() -> Stats {
        let zero = AtomicU64::default;
        Stats {
            instances: zero(),
            started_ns: zero(),
            min_start_ns: AtomicU64::new(u64::MAX),
            peak_bytes: zero(),
            total_bytes: zero(),
            peak_total_bytes: zero(),
            statements: zero(),
            traps: zero(),
        }
    }
}

impl Stats {
    /// Returns the number of started instances.
    pub fn instances(&self) -> u64 {
        self.instances.load(Relaxed)
    }

    /// Returns the mean start time of an instance, in microseconds.
    pub fn mean_start_us(&self) -> u64 {
        self.started_ns.load(Relaxed) / self.instances().max(1) / 1_000
    }

    /// Returns the minimum start time of an instance, in microseconds.
    pub fn min_start_us(&self) -> u64 {
        self.min_start_ns.load(Relaxed) / 1_000
    }

    /// Returns the peak memory of one instance, in bytes.
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Relaxed)
    }

    /// Returns the peak memory of all instances together, in bytes.
    pub fn peak_total_bytes(&self) -> u64 {
        self.peak_total_bytes.load(Relaxed)
    }

    /// Returns the number of statements sent to a database.
    pub fn statements(&self) -> u64 {
        self.statements.load(Relaxed)
    }

    /// Returns the number of instances that trapped.
    pub fn traps(&self) -> u64 {
        self.traps.load(Relaxed)
    }

    pub(crate) fn started(&self, ns: u64) {
        self.instances.fetch_add(1, Relaxed);
        self.started_ns.fetch_add(ns, Relaxed);
        self.min_start_ns.fetch_min(ns, Relaxed);
    }

    /// Counts a statement and returns its number.
    pub(crate) fn statement(&self) -> u64 {
        self.statements.fetch_add(1, Relaxed) + 1
    }

    pub(crate) fn trapped(&self) {
        self.traps.fetch_add(1, Relaxed);
    }
}

/// Records the memory of an instance.
pub(crate) struct MemoryWatch {
    stats: std::sync::Arc<Stats>,
    bytes: u64,
}

impl MemoryWatch {
    pub(crate) fn new(stats: std::sync::Arc<Stats>) -> MemoryWatch {
        MemoryWatch { stats, bytes: 0 }
    }
}

impl Drop for MemoryWatch {
    fn drop(&mut self) {
        self.stats.total_bytes.fetch_sub(self.bytes, Relaxed);
    }
}

impl ResourceLimiter for MemoryWatch {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _max: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.stats.peak_bytes.fetch_max(desired as u64, Relaxed);
        let more = desired.saturating_sub(current) as u64;
        self.bytes += more;
        let total = self.stats.total_bytes.fetch_add(more, Relaxed) + more;
        self.stats.peak_total_bytes.fetch_max(total, Relaxed);
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        _desired: usize,
        _max: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(true)
    }
}
