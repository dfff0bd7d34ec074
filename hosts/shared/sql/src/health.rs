//! Tracks whether writes reach the disk. A driver records the result of each write, so that
//! readiness needs no write while writes succeed.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use despacho_core::host::HostError;

use crate::{Statement, Value};

/// The part named by [`HostError::Unavailable`] if the disk is full, failing or read-only, or the
/// database server is read-only.
pub const STORAGE: &str = "database storage";

/// Minimum time between a failure and the next probe, and between a failure and the success that
/// ends it.
const PROBE_INTERVAL: Duration = Duration::from_secs(2);
/// Bytes that a probe writes, so that it does not succeed in the free space of a page.
const PROBE_BYTES: usize = 32 << 10;

/// The last failed write, until a later write succeeds. `now` is the time since the driver was
/// opened.
#[derive(Debug, Default)]
pub struct WriteHealth(Mutex<Option<Failure>>);

#[derive(Debug)]
struct Failure {
    error: HostError,
    failed_at: Duration,
    /// The time of the last probe.
    probed_at: Duration,
}

/// The state of writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteState {
    /// The last write succeeded.
    Healthy,
    /// The last write failed, and it is time to write the probe.
    ProbeDue,
    /// The last write failed.
    Failing(HostError),
}

impl WriteHealth {
    /// Records the result of a write. Only failures of [`STORAGE`] count, because conflicts and
    /// full queues do not reach the disk. A success shortly after a failure does not count either:
    /// on a full disk small writes succeed between large writes that fail.
    pub fn record(&self, result: Result<(), &HostError>, now: Duration) {
        let mut failure = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (result, &*failure) {
            (Err(error @ HostError::Unavailable { what: STORAGE, .. }), _) => {
                *failure = Some(Failure {
                    error: error.clone(),
                    failed_at: now,
                    probed_at: now,
                });
            }
            (Ok(()), Some(last)) if now.saturating_sub(last.failed_at) >= PROBE_INTERVAL => {
                *failure = None
            }
            _ => {}
        }
    }

    /// Returns the current state. [`WriteState::ProbeDue`] is returned once per interval.
    pub fn state(&self, now: Duration) -> WriteState {
        let mut failure = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *failure {
            None => WriteState::Healthy,
            Some(last) if now.saturating_sub(last.probed_at) >= PROBE_INTERVAL => {
                last.probed_at = now;
                WriteState::ProbeDue
            }
            Some(last) => WriteState::Failing(last.error.clone()),
        }
    }

    /// Returns a write that changes only its own row. Its text depends on `number`, because an
    /// unchanged row would not be written.
    pub fn probe(number: u64) -> Statement {
        Statement::any(
            PROBE,
            vec![Value::Text(
                format!("{number:020} ").repeat(PROBE_BYTES / 21),
            )],
        )
    }
}

const PROBE: &str = "INSERT INTO settings (name, value) VALUES ('write_probe', $1) \
     ON CONFLICT (name) DO UPDATE SET value = excluded.value";

#[cfg(test)]
mod tests {
    use super::*;

    fn host_error(what: &'static str) -> HostError {
        HostError::Unavailable {
            what,
            detail: "disk full".to_owned(),
        }
    }

    #[test]
    fn failed_write_is_reported_until_later_write_succeeds() {
        let (health, start) = (WriteHealth::default(), Duration::from_secs(60));
        let after = |intervals: u32| start + PROBE_INTERVAL * intervals;
        assert_eq!(health.state(start), WriteState::Healthy);
        health.record(Err(&host_error(STORAGE)), start);
        health.record(Ok(()), start);
        assert_eq!(
            health.state(start),
            WriteState::Failing(host_error(STORAGE)),
            "too soon to be trusted"
        );
        assert_eq!(health.state(after(1)), WriteState::ProbeDue);
        assert_eq!(
            health.state(after(1)),
            WriteState::Failing(host_error(STORAGE)),
            "one probe per interval"
        );
        health.record(Err(&host_error(STORAGE)), after(1));
        assert_eq!(health.state(after(2)), WriteState::ProbeDue);
        health.record(Ok(()), after(2));
        assert_eq!(health.state(after(2)), WriteState::Healthy);
    }

    #[test]
    fn overload_and_conflicts_do_not_count() {
        let (health, now) = (WriteHealth::default(), Duration::from_secs(60));
        for other in [
            host_error("database"),
            HostError::Conflict,
            HostError::Timeout { what: "database" },
        ] {
            health.record(Err(&other), now);
            assert_eq!(health.state(now), WriteState::Healthy, "{other:?}");
        }
    }

    #[test]
    fn two_probes_write_different_values() {
        assert_ne!(WriteHealth::probe(1), WriteHealth::probe(2));
    }
}
