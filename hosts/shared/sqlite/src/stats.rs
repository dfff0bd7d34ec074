//! Counters for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The counters of a database since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Committed requests.
    pub commits: u64,
    /// Requests that were rolled back because of a concurrent write.
    pub conflicts: u64,
    /// Requests that failed for other reasons, for example a full queue or a full disk.
    pub failures: u64,
    /// Groups of requests, each of which was flushed once; `commits / groups` is the mean size of a
    /// group.
    pub groups: u64,
    /// Requests in the last group.
    pub last_group: u64,
    /// Requests in the largest group.
    pub largest_group: u64,
    /// Writes in the queue.
    pub queued_writes: u64,
    /// Completed reads.
    pub reads: u64,
    /// Reads in the queue.
    pub queued_reads: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) commits: AtomicU64,
    pub(crate) conflicts: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) groups: AtomicU64,
    pub(crate) last_group: AtomicU64,
    pub(crate) largest_group: AtomicU64,
    pub(crate) queued_writes: AtomicU64,
    pub(crate) reads: AtomicU64,
    pub(crate) queued_reads: AtomicU64,
}

impl Counters {
    pub(crate) fn stats(&self) -> Stats {
        Stats {
            commits: self.commits.load(Relaxed),
            conflicts: self.conflicts.load(Relaxed),
            failures: self.failures.load(Relaxed),
            groups: self.groups.load(Relaxed),
            last_group: self.last_group.load(Relaxed),
            largest_group: self.largest_group.load(Relaxed),
            queued_writes: self.queued_writes.load(Relaxed),
            reads: self.reads.load(Relaxed),
            queued_reads: self.queued_reads.load(Relaxed),
        }
    }
}
