//! What is looked at all the time: whether servers say that they are ready, and whether every order has one courier at most.

use std::{
    sync::{Mutex, atomic::Ordering},
    time::{Duration, Instant},
};

use crate::faults::{
    client,
    fleet::Instance,
    judge,
    run::{StormRun, lock},
};

/// Between two questions to a server.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Between two looks at all orders.
const LOOKS: Duration = Duration::from_secs(2);

/// What a server said last of its readiness, and when it said something else before.
#[derive(Debug, Default)]
pub(crate) struct Readiness(Mutex<Option<(State, Instant)>>);

/// What a server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// 200.
    Ready,
    /// 503.
    Rejected,
    /// Nothing: it is not there.
    Nothing,
}

impl Readiness {
    /// What it says now, and since when.
    pub(crate) fn now(&self) -> Option<(State, Instant)> {
        *lock(&self.0)
    }

    fn set(&self, state: State) {
        let mut last = lock(&self.0);
        if last.is_none_or(|(before, _)| before != state) {
            *last = Some((state, Instant::now()));
        }
    }
}

/// Asks a server for its readiness until the world is over.
pub(crate) fn readiness(storm: &StormRun<'_>, instance: &Instance) {
    let agent = client::agent(Duration::from_secs(5));
    while !storm.is_over() {
        let response = instance.base().and_then(|base| agent.get(format!("{base}/readyz")).call().ok());
        instance.readiness.set(match response.map(|response| response.status().as_u16()) {
            Some(200) => State::Ready,
            Some(503) => State::Rejected,
            Some(other) => {
                storm.wrong(format!("instance {} answers its readiness with {other}", instance.number));
                State::Nothing
            }
            None => State::Nothing,
        });
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Looks whether orders and couriers say the same of each other, one to one, until the world is over.
pub(crate) fn allocation(storm: &StormRun<'_>) {
    while !storm.is_over() {
        // While the database is away there is nothing to see.
        if let Ok(count) = storm.database.query(judge::INCONSISTENT_PAIRS) {
            storm.snapshots.fetch_add(1, Ordering::Relaxed);
            storm.check(count == "0", || format!("{count} orders or couriers were not one to one during the run"));
        }
        let until = Instant::now() + LOOKS;
        while Instant::now() < until && !storm.is_over() {
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}
