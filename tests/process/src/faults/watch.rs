//! What is looked at all the time: whether servers say that they are ready, and whether every order has one courier at most.

use std::{
    sync::{Mutex, atomic::Ordering},
    time::{Duration, Instant},
};

use crate::faults::{
    client,
    fleet::Instance,
    judge,
    world::{World, lock},
};

/// Between two questions to a server.
const ASKS: Duration = Duration::from_millis(100);
/// Between two looks at all orders.
const LOOKS: Duration = Duration::from_secs(2);

/// What a server said last of its readiness, and when it said something else before.
#[derive(Debug, Default)]
pub(crate) struct Readiness(Mutex<Option<(Said, Instant)>>);

/// What a server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// 200.
    Ready,
    /// 503.
    Refused,
    /// Nothing: it is not there.
    Nothing,
}

impl Readiness {
    /// What it says now, and since when.
    pub(crate) fn now(&self) -> Option<(Said, Instant)> {
        *lock(&self.0)
    }

    fn say(&self, said: Said) {
        let mut last = lock(&self.0);
        if last.is_none_or(|(before, _)| before != said) {
            *last = Some((said, Instant::now()));
        }
    }
}

/// Asks a server for its readiness until the world is over.
pub(crate) fn readiness(world: &World<'_>, instance: &Instance) {
    let agent = client::agent(Duration::from_secs(5));
    while !world.is_over() {
        let answer = instance.base().and_then(|base| agent.get(format!("{base}/readyz")).call().ok());
        instance.readiness.say(match answer.map(|answer| answer.status().as_u16()) {
            Some(200) => Said::Ready,
            Some(503) => Said::Refused,
            Some(other) => {
                world.wrong(format!("instance {} answers its readiness with {other}", instance.number));
                Said::Nothing
            }
            None => Said::Nothing,
        });
        std::thread::sleep(ASKS);
    }
}

/// Looks whether orders and couriers say the same of each other, one to one, until the world is over.
pub(crate) fn allocation(world: &World<'_>) {
    while !world.is_over() {
        // While the database is away there is nothing to see.
        if let Ok(count) = world.database.ask(judge::APART) {
            world.snapshots.fetch_add(1, Ordering::Relaxed);
            world.check(count == "0", || format!("{count} orders or couriers were not one to one during the run"));
        }
        let until = Instant::now() + LOOKS;
        while Instant::now() < until && !world.is_over() {
            std::thread::sleep(ASKS);
        }
    }
}
