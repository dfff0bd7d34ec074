//! Injects faults. The seed decides their kinds and times.

use std::time::{Duration, Instant};

use crate::cluster::Cluster;
use fastrand::Rng;

use crate::faults::{
    Plan, TIMEOUT, client,
    clock::Clocks,
    disk::Disk,
    report::{Outage, Report},
    run::RunState,
    watch::State,
};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// An instance is killed and restarted.
    Kill,
    /// Two instances are killed at once.
    KillTwo,
    /// Every connection to the database is terminated.
    Cut,
    /// The database crashes.
    Crash,
    /// The database is shut down in order.
    Shut,
    /// The database crashes, and an instance is killed before the database is restarted.
    CrashAndKill,
    /// The database's disk is full.
    Full,
    /// The clock of an instance is changed.
    Clock,
}

/// All kinds of faults. Each cycle injects every kind once, in a random order.
const ALL: [Fault; 8] = [
    Fault::Kill,
    Fault::KillTwo,
    Fault::Cut,
    Fault::Crash,
    Fault::Shut,
    Fault::CrashAndKill,
    Fault::Full,
    Fault::Clock,
];
/// The offsets of a clock from the real time, in seconds. They differ by less than 20 minutes,
/// after which one server would end an order as unassigned that another server has just assigned.
const CLOCK_OFFSETS_S: [i64; 8] = [-600, -90, -5, -1, 1, 5, 90, 500];
/// Terminates all connections to the database except the current one.
const CUT: &str = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid()";
/// The time limit until every server detects that the database is unavailable.
const DETECTION_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum time for which the disk stays full if no request is rejected.
const DISK_FULL_TIMEOUT: Duration = Duration::from_secs(30);

/// Injects faults into the instances, the database, its disk and the clocks.
struct Injector<'a> {
    state: &'a RunState<'a>,
    cluster: &'a Cluster,
    disk: Option<&'a Disk>,
    clocks: Option<&'a Clocks>,
    max_outage: Duration,
}

/// Injects faults for the duration of the plan, and then restores the instances and clocks.
pub(crate) fn inject_faults(
    state: &RunState<'_>,
    plan: &Plan,
    cluster: &Cluster,
    disk: Option<&Disk>,
    clocks: Option<&Clocks>,
    report: &mut Report,
) {
    let (mut rng, started) = (Rng::with_seed(plan.seed), Instant::now());
    let injector = Injector {
        state,
        cluster,
        disk,
        clocks,
        max_outage: plan.max_outage,
    };
    // Some orders must exist before the first fault.
    std::thread::sleep(Duration::from_secs(2));
    for cycle in 0.. {
        let mut faults = ALL;
        rng.shuffle(&mut faults);
        for fault in faults {
            if cycle > 0 && started.elapsed() > plan.span {
                break;
            }
            injector.inject(fault, &mut rng, report);
            std::thread::sleep(Duration::from_millis(rng.u64(200..=2_500)));
        }
        if started.elapsed() > plan.span {
            break;
        }
    }
    for clock in state
        .instances
        .iter()
        .filter_map(|instance| instance.clock.as_ref())
    {
        _ = clock.set(0);
    }
    if let Err(late) = state.await_ready(TIMEOUT) {
        state.record_violation(late);
    }
}

impl Injector<'_> {
    fn inject(&self, fault: Fault, rng: &mut Rng, report: &mut Report) {
        match fault {
            Fault::Kill => self.kill(rng, 1, report),
            Fault::KillTwo => self.kill(rng, 2, report),
            Fault::Cut => self.cut(report),
            Fault::Crash => self.outage("PostgreSQL crashed", Cluster::crash, rng, report),
            Fault::Shut => self.outage("PostgreSQL restarted", Cluster::shut, rng, report),
            Fault::CrashAndKill => self.crash_and_kill(rng, report),
            Fault::Full => self.fill_disk(rng, report),
            Fault::Clock => self.set_clock(rng, report),
        }
    }

    fn kill(&self, rng: &mut Rng, count: usize, report: &mut Report) {
        let first = rng.usize(..self.state.instances.len());
        for step in 0..count {
            let instance = &self.state.instances[(first + step) % self.state.instances.len()];
            self.print(&format!("instance {} is killed", instance.number));
            instance.kill(Duration::from_millis(rng.u64(..3_000)));
            report.count("instances killed");
        }
    }

    fn cut(&self, report: &mut Report) {
        self.print("all database connections are terminated");
        report.count("terminations of all connections");
        if let Err(failure) = self.state.database.query(CUT) {
            self.print(&format!("terminating connections failed: {failure}"));
        }
        let back = self.await_recovery();
        report.outages.push(Outage {
            name: "connections terminated",
            away: Duration::ZERO,
            noticed: None,
            back,
        });
    }

    /// Stops the database, waits until every server detects the outage, restarts it, and waits
    /// until every server is ready.
    fn outage(
        &self,
        name: &'static str,
        stop: fn(&Cluster) -> Result<(), despacho_xtask::run::Failure>,
        rng: &mut Rng,
        report: &mut Report,
    ) {
        // A server that is still starting does not report the outage, so all servers must be ready
        // first.
        _ = self.await_recovery();
        self.print(name);
        report.count(name);
        let stopped = Instant::now();
        if let Err(failure) = stop(self.cluster) {
            return self
                .state
                .record_violation(format!("PostgreSQL could not be stopped: {failure}"));
        }
        let restart = stopped + self.random_outage(rng);
        let noticed = self.await_detection(stopped);
        std::thread::sleep(restart.saturating_duration_since(Instant::now()));
        let away = stopped.elapsed();
        self.ensure_running();
        let back = self.await_recovery();
        report.outages.push(Outage {
            name,
            away,
            noticed,
            back,
        });
    }

    fn crash_and_kill(&self, rng: &mut Rng, report: &mut Report) {
        self.print("PostgreSQL crashes, and an instance is killed");
        report.count("PostgreSQL crashed");
        if let Err(failure) = self.cluster.crash() {
            return self
                .state
                .record_violation(format!("PostgreSQL could not be stopped: {failure}"));
        }
        self.kill(rng, 1, report);
        std::thread::sleep(self.random_outage(rng));
        self.ensure_running();
        _ = self.await_recovery();
    }

    fn fill_disk(&self, rng: &mut Rng, report: &mut Report) {
        let Some(disk) = self.disk else { return };
        _ = self.await_recovery();
        self.print("the disk is full");
        let (rejected, since, hold) = (
            self.state.responses_with(503),
            Instant::now(),
            self.random_outage(rng),
        );
        let rejects = || self.state.responses_with(503) > rejected;
        let filled = disk
            .fill(|| (rejects() && since.elapsed() > hold) || since.elapsed() > DISK_FULL_TIMEOUT);
        if let Err(failure) = filled {
            self.print(&format!("the disk could not be filled: {failure}"));
        }
        let away = since.elapsed();
        if rejects() {
            report.count("disk full");
        } else {
            self.print("no request was rejected while the disk was full");
        }
        disk.free();
        self.ensure_running();
        let back = self.await_recovery();
        report.outages.push(Outage {
            name: "disk full",
            away,
            noticed: None,
            back,
        });
    }

    fn set_clock(&self, rng: &mut Rng, report: &mut Report) {
        if self.clocks.is_none() {
            return;
        }
        let instance = &self.state.instances[rng.usize(..self.state.instances.len())];
        let Some(clock) = &instance.clock else { return };
        let offset = CLOCK_OFFSETS_S[rng.usize(..CLOCK_OFFSETS_S.len())];
        self.print(&format!(
            "the clock of instance {} is set to {offset:+} s",
            instance.number
        ));
        let before = match clock.set(offset) {
            Ok(before) => before,
            Err(failure) => return self.print(&format!("setting the clock failed: {failure}")),
        };
        report.count("clocks set");
        // The server's `Date` header is updated every second and never goes backwards, so only a
        // forward step is checked.
        std::thread::sleep(Duration::from_secs(2));
        let requested = now_s();
        let server_time = instance
            .base()
            .filter(|_| offset > before)
            .and_then(|base| seconds_of_day(&base));
        if server_time.is_some_and(|server_time| {
            !is_between(server_time, requested + offset - 5, now_s() + offset + 5)
        }) {
            self.state.record_violation(format!(
                "the clock of instance {} does not have the offset {offset:+} s",
                instance.number
            ));
        }
    }

    /// Waits until every running instance returns 503, and returns the delay. Records a violation
    /// if one does not in time.
    fn await_detection(&self, since: Instant) -> Option<Duration> {
        while since.elapsed() < DETECTION_TIMEOUT {
            let is_undetected = |state| matches!(state, None | Some((State::Ready, _)));
            if !self
                .state
                .instances
                .iter()
                .any(|instance| is_undetected(instance.readiness.current()))
            {
                return Some(since.elapsed());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.state.record_violation(
            "a server reported that it is ready while its database was unavailable".to_owned(),
        );
        None
    }

    /// Starts the database if it is not running, and waits until it executes queries.
    fn ensure_running(&self) {
        let since = Instant::now();
        while self.state.database.query("SELECT 1").is_err() {
            if since.elapsed() > TIMEOUT {
                return self
                    .state
                    .record_violation("PostgreSQL could not be restarted".to_owned());
            }
            if !self.cluster.is_running() {
                self.print("PostgreSQL is started");
                _ = self.cluster.run();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until every instance is ready, and returns the delay. Records a violation if one is
    /// not ready in time.
    fn await_recovery(&self) -> Option<Duration> {
        self.state
            .await_ready(TIMEOUT)
            .map_err(|late| self.state.record_violation(late))
            .ok()
    }

    fn random_outage(&self, rng: &mut Rng) -> Duration {
        Duration::from_millis(
            rng.u64(
                500..=self
                    .max_outage
                    .as_millis()
                    .try_into()
                    .unwrap_or(u64::MAX)
                    .max(501),
            ),
        )
    }

    fn print(&self, line: &str) {
        self.state.print(line);
    }
}

/// Returns the time of day of a server's `Date` header, in seconds.
fn seconds_of_day(base: &str) -> Option<i64> {
    let response = client::agent(Duration::from_secs(5))
        .get(format!("{base}/healthz"))
        .call()
        .ok()?;
    // `Sat, 21 Nov 2026 22:18:47 GMT`
    let date = response.headers().get("date")?.to_str().ok()?.to_owned();
    let parts: Vec<i64> = date
        .split(' ')
        .nth(4)?
        .split(':')
        .filter_map(|part| part.parse().ok())
        .collect();
    let [hours, minutes, seconds] = parts[..] else {
        return None;
    };
    Some((hours * 60 + minutes) * 60 + seconds)
}

/// Returns whether a time of day is between two times, also across midnight.
fn is_between(server_time: i64, first: i64, last: i64) -> bool {
    const DAY_S: i64 = 86_400;
    (server_time - first).rem_euclid(DAY_S) <= last - first
}

fn now_s() -> i64 {
    std::time::UNIX_EPOCH.elapsed().map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or_default()
    })
}
