//! Continuous checks: the readiness of servers, and the assignment of couriers to orders.

use std::{
    sync::{Mutex, atomic::Ordering},
    time::{Duration, Instant},
};

use crate::faults::{
    client,
    fleet::Instance,
    oracle,
    run::{RunState, lock},
};

/// The interval between two requests to a server.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The interval between two snapshots of all orders.
const SNAPSHOT_INTERVAL: Duration = Duration::from_secs(2);

/// A server's current readiness, and the time since which it has been unchanged.
#[derive(Debug, Default)]
pub(crate) struct Readiness(Mutex<Option<(State, Instant)>>);

/// A server's response to a readiness request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Status 200.
    Ready,
    /// Status 503.
    Unavailable,
    /// No response: the server is not running.
    Stopped,
}

impl Readiness {
    /// Returns the current state and the time of its start.
    pub(crate) fn current(&self) -> Option<(State, Instant)> {
        *lock(&self.0)
    }

    fn set(&self, state: State) {
        let mut last = lock(&self.0);
        if last.is_none_or(|(before, _)| before != state) {
            *last = Some((state, Instant::now()));
        }
    }
}

/// Polls a server's readiness until the end of the run.
pub(crate) fn poll_readiness(state: &RunState<'_>, instance: &Instance) {
    let agent = client::agent(Duration::from_secs(5));
    while !state.is_over() {
        let response = instance
            .base()
            .and_then(|base| agent.get(format!("{base}/readyz")).call().ok());
        instance
            .readiness
            .set(match response.map(|response| response.status().as_u16()) {
                Some(200) => State::Ready,
                Some(503) => State::Unavailable,
                Some(other) => {
                    state.record_violation(format!(
                        "instance {} returned {other} on /readyz",
                        instance.number
                    ));
                    State::Stopped
                }
                None => State::Stopped,
            });
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Checks until the end of the run that orders and trips agree.
pub(crate) fn check_allocation(state: &RunState<'_>) {
    while !state.is_over() {
        // The query fails while the database is unavailable.
        if let Ok(count) = state.database.query(oracle::INCONSISTENT_TRIPS) {
            state.snapshots.fetch_add(1, Ordering::Relaxed);
            state.check(count == "0", || {
                format!("{count} orders and trips did not agree during the run")
            });
        }
        let until = Instant::now() + SNAPSHOT_INTERVAL;
        while Instant::now() < until && !state.is_over() {
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}
