//! Counters for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The counters of a database since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Committed transactions of single requests; several can share one transaction of the
    /// database.
    pub commits: u64,
    /// Transactions that were rolled back because of a concurrent write.
    pub conflicts: u64,
    /// Transactions that failed for other reasons, for example without a connection or on a full
    /// disk.
    pub failures: u64,
    /// Pipelines that were sent; `commits / pipelines` is the mean number of transactions in one.
    pub pipelines: u64,
    /// Retries of transactions after a deadlock, a serialization failure or a lost connection, and
    /// of joined transactions by themselves.
    pub repeats: u64,
    /// Transactions that a retry found committed, because their connection broke before the
    /// response.
    pub found_done: u64,
    /// Completed reads.
    pub reads: u64,
    /// Open connections.
    pub connections: u64,
    /// Idle connections.
    pub idle: u64,
    /// Requests that wait in a queue or for a connection.
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
    pub(crate) fn stats(
        &self,
        pools: impl Iterator<Item = deadpool_postgres::Status>,
        queued: usize,
    ) -> Stats {
        let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let (mut connections, mut idle, mut waiting) = (0, 0, wide(queued));
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
