//! Figures for an operator's metrics, counted where the work is done.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The figures of a database since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Transactions that were committed.
    pub commits: u64,
    /// Transactions that met another's write and were undone.
    pub conflicts: u64,
    /// Transactions that failed otherwise: no connection, a full disk.
    pub failures: u64,
    /// Pipelines that were sent; `commits / pipelines` is the mean number in one.
    pub pipelines: u64,
    /// Transactions that were sent again: after a deadlock, a failed serialization or a lost connection.
    pub repeats: u64,
    /// Transactions that were committed although their connection broke before the response.
    pub found_done: u64,
    /// Reads that were answered.
    pub reads: u64,
    /// Open connections.
    pub connections: u64,
    /// Open connections that nobody uses now.
    pub idle: u64,
    /// Requests that wait for a connection now.
    pub waiting: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) commits: AtomicU64,
    pub(crate) conflicts: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) pipelines: AtomicU64,
    pub(crate) repeats: AtomicU64,
    pub(crate) found_done: AtomicU64,
    pub(crate) reads: AtomicU64,
}

impl Counters {
    pub(crate) fn stats(&self, pools: impl Iterator<Item = deadpool_postgres::Status>) -> Stats {
        let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let (mut connections, mut idle, mut waiting) = (0, 0, 0);
        for pool in pools {
            connections += wide(pool.size);
            idle += wide(pool.available);
            waiting += wide(pool.waiting);
        }
        Stats {
            commits: self.commits.load(Relaxed),
            conflicts: self.conflicts.load(Relaxed),
            failures: self.failures.load(Relaxed),
            pipelines: self.pipelines.load(Relaxed),
            repeats: self.repeats.load(Relaxed),
            found_done: self.found_done.load(Relaxed),
            reads: self.reads.load(Relaxed),
            connections,
            idle,
            waiting,
        }
    }
}
