//! The result of a fault run.

use std::{collections::BTreeMap, fmt, sync::atomic::Ordering, time::Duration};

use crate::faults::run::{RunState, lock};

/// The result of a fault run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The violated invariants.
    pub violations: Vec<String>,
    /// The faults that this machine cannot inject, with the reasons.
    pub skipped: Vec<(String, String)>,
    /// The number of injections of each fault.
    pub faults: BTreeMap<String, u64>,
    /// The number of acknowledged orders.
    pub acknowledged: usize,
    /// The number of stored rows: orders, and events by kind.
    pub stored: BTreeMap<String, u64>,
    /// The number of snapshots in which all orders and couriers were compared.
    pub snapshots: u64,
    /// The duration from the first server's start to the last check.
    pub duration: Duration,
    pub(crate) outages: Vec<Outage>,
    pub(crate) responses: BTreeMap<u16, u64>,
    pub(crate) starts: u64,
}

/// An outage of the database.
#[derive(Clone, Debug)]
pub(crate) struct Outage {
    pub(crate) name: &'static str,
    /// The duration of the outage.
    pub(crate) away: Duration,
    /// The delay until every running server returned 503.
    pub(crate) noticed: Option<Duration>,
    /// The delay from the database's restart until every server returned 200.
    pub(crate) back: Option<Duration>,
}

impl Report {
    /// Returns a part of the run, or records the reason that this machine lacks it.
    pub(crate) fn or_skip<T>(&mut self, name: &str, found: Result<T, String>) -> Option<T> {
        found
            .map_err(|reason| self.skipped.push((name.to_owned(), reason)))
            .ok()
    }

    /// Counts an injected fault.
    pub(crate) fn count(&mut self, name: &str) {
        *self.faults.entry(name.to_owned()).or_default() += 1;
    }

    /// Copies the results of the threads.
    pub(crate) fn collect(&mut self, state: &RunState<'_>) {
        self.violations = lock(&state.findings).clone();
        self.acknowledged = lock(&state.acknowledged).len();
        self.responses = lock(&state.responses).clone();
        self.snapshots = state.snapshots.load(Ordering::Relaxed);
        self.starts = state
            .instances
            .iter()
            .map(|one| one.starts.load(Ordering::Relaxed))
            .sum();
    }

    /// Writes the maximum delays of one kind of outage.
    fn write_max_delays(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        let outages = || self.outages.iter().filter(|outage| outage.name == name);
        let worst = |time: fn(&Outage) -> Option<Duration>| outages().filter_map(time).max();
        let text = |time: Option<Duration>| {
            time.map_or("–".to_owned(), |time| {
                format!("{:.1} s", time.as_secs_f64())
            })
        };
        writeln!(
            f,
            "  {name}: {} times, unavailable for at most {}; all servers 503 after at most {}, all 200 at most {} after the restart",
            outages().count(),
            text(worst(|outage| Some(outage.away))),
            text(worst(|outage| outage.noticed)),
            text(worst(|outage| outage.back)),
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:.0} s, {} starts of servers",
            self.duration.as_secs_f64(),
            self.starts
        )?;
        let list = |map: &BTreeMap<String, u64>| {
            map.iter()
                .map(|(name, count)| format!("{count} {name}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        writeln!(f, "faults: {}", list(&self.faults))?;
        for (name, reason) in &self.skipped {
            writeln!(f, "skipped: {name}: {reason}")?;
        }
        let responses = self
            .responses
            .iter()
            .map(|(status, count)| format!("{count} × {status}"))
            .collect::<Vec<_>>();
        writeln!(f, "responses: {}", responses.join(", "))?;
        writeln!(
            f,
            "acknowledged: {} orders; stored: {}",
            self.acknowledged,
            list(&self.stored)
        )?;
        writeln!(f, "orders and trips agreed in {} snapshots", self.snapshots)?;
        let mut names: Vec<&str> = self.outages.iter().map(|outage| outage.name).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            self.write_max_delays(f, name)?;
        }
        for violation in &self.violations {
            writeln!(f, "VIOLATION: {violation}")?;
        }
        if self.violations.is_empty() {
            write!(f, "no invariant is violated")
        } else {
            write!(f, "{} violations", self.violations.len())
        }
    }
}
