//! What came of a run, for people.

use std::{collections::BTreeMap, fmt, sync::atomic::Ordering, time::Duration};

use crate::faults::run::{StormRun, lock};

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What must not be. Nothing here is what a run is for.
    pub wrong: Vec<String>,
    /// Faults that this machine does not let us make, and why.
    pub skipped: Vec<(String, String)>,
    /// How often each fault came.
    pub faults: BTreeMap<String, u64>,
    /// Orders that were acknowledged to their merchants.
    pub acknowledged: usize,
    /// What the database counts: `orders`, `events` by kind.
    pub stored: BTreeMap<String, u64>,
    /// Looks at all orders and couriers at once.
    pub snapshots: u64,
    /// From the first server's start to the judgement.
    pub took: Duration,
    pub(crate) outages: Vec<Outage>,
    pub(crate) responses: BTreeMap<u16, u64>,
    pub(crate) starts: u64,
}

/// A time without the database.
#[derive(Clone, Debug)]
pub(crate) struct Outage {
    pub(crate) name: &'static str,
    /// How long it was away.
    pub(crate) away: Duration,
    /// Until every server that was there said 503.
    pub(crate) noticed: Option<Duration>,
    /// From its return until every server said 200.
    pub(crate) back: Option<Duration>,
}

impl Report {
    /// A part that this machine has, or the note that it lacks it.
    pub(crate) fn or_skip<T>(&mut self, name: &str, found: Result<T, String>) -> Option<T> {
        found.map_err(|reason| self.skipped.push((name.to_owned(), reason))).ok()
    }

    /// Counts a fault.
    pub(crate) fn count(&mut self, name: &str) {
        *self.faults.entry(name.to_owned()).or_default() += 1;
    }

    /// Takes over what the threads have noted.
    pub(crate) fn take(&mut self, storm: &StormRun<'_>) {
        self.wrong = lock(&storm.findings).clone();
        self.acknowledged = lock(&storm.acknowledged).len();
        self.responses = lock(&storm.responses).clone();
        self.snapshots = storm.snapshots.load(Ordering::Relaxed);
        self.starts = storm.instances.iter().map(|one| one.starts.load(Ordering::Relaxed)).sum();
    }

    /// The longest time that servers took, of one kind of outage.
    fn longest(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        let outages = || self.outages.iter().filter(|outage| outage.name == name);
        let worst = |time: fn(&Outage) -> Option<Duration>| outages().filter_map(time).max();
        let text =
            |time: Option<Duration>| time.map_or("–".to_owned(), |time| format!("{:.1} s", time.as_secs_f64()));
        writeln!(
            f,
            "  {name}: {} times, away at most {}; 503 everywhere after at most {}, 200 everywhere at most {} after its return",
            outages().count(),
            text(worst(|outage| Some(outage.away))),
            text(worst(|outage| outage.noticed)),
            text(worst(|outage| outage.back)),
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:.0} s, {} starts of servers", self.took.as_secs_f64(), self.starts)?;
        let list = |map: &BTreeMap<String, u64>| {
            map.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
        };
        writeln!(f, "faults: {}", list(&self.faults))?;
        for (name, reason) in &self.skipped {
            writeln!(f, "left out: {name}: {reason}")?;
        }
        let responses = self.responses.iter().map(|(status, count)| format!("{count} × {status}")).collect::<Vec<_>>();
        writeln!(f, "answers: {}", responses.join(", "))?;
        writeln!(f, "acknowledged: {} orders; stored: {}", self.acknowledged, list(&self.stored))?;
        writeln!(f, "one courier each, in {} looks at all orders", self.snapshots)?;
        let mut names: Vec<&str> = self.outages.iter().map(|outage| outage.name).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            self.longest(f, name)?;
        }
        for wrong in &self.wrong {
            writeln!(f, "WRONG: {wrong}")?;
        }
        if self.wrong.is_empty() {
            write!(f, "nothing is wrong")
        } else {
            write!(f, "{} things are wrong", self.wrong.len())
        }
    }
}
