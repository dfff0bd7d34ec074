//! What fails, when, by a seed.

use std::time::{Duration, Instant};

use crate::cluster::Cluster;
use fastrand::Rng;

use crate::faults::{
    Plan, TIMEOUT, client,
    clock::Clocks,
    disk::Disk,
    report::{Outage, Report},
    run::StormRun,
    watch::State,
};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// An instance is killed, and started again.
    Kill,
    /// Two of three at once.
    KillTwo,
    /// Every connection to the database is cut.
    Cut,
    /// The database is ended as by a crash.
    Crash,
    /// It is ended in order.
    Shut,
    /// It crashes, and an instance is killed before it is back.
    CrashAndKill,
    /// Its disk is full.
    Full,
    /// The clock of an instance is set.
    Clock,
}

/// Every kind comes once in a round, in an order by the seed.
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
/// Seconds that a clock is set beside the real time. No two are 20 minutes apart: by then one server would end, as nobody's, an order
/// that another one has just taken.
const STEPS_S: [i64; 8] = [-600, -90, -5, -1, 1, 5, 90, 500];
/// The database ends every connection but the one that asks.
const CUT: &str = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid()";
/// Within so long a server has noticed that its database is away.
const NOTICE: Duration = Duration::from_secs(30);
/// A full disk that refuses nobody is given back after so long.
const FULL: Duration = Duration::from_secs(30);

/// What faults work on.
struct Place<'a> {
    storm: &'a StormRun<'a>,
    cluster: &'a Cluster,
    disk: Option<&'a Disk>,
    clocks: Option<&'a Clocks>,
    longest: Duration,
}

/// Lets things fail for as long as the plan says, and then repairs everything.
pub(crate) fn rage(
    storm: &StormRun<'_>,
    plan: &Plan,
    cluster: &Cluster,
    disk: Option<&Disk>,
    clocks: Option<&Clocks>,
    report: &mut Report,
) {
    let (mut rng, started) = (Rng::with_seed(plan.seed), Instant::now());
    let place = Place { storm, cluster, disk, clocks, longest: plan.longest };
    // Some work first, so that there is something to lose.
    std::thread::sleep(Duration::from_secs(2));
    for round in 0.. {
        let mut faults = ALL;
        rng.shuffle(&mut faults);
        for fault in faults {
            if round > 0 && started.elapsed() > plan.span {
                break;
            }
            place.inject(fault, &mut rng, report);
            std::thread::sleep(Duration::from_millis(rng.u64(200..=2_500)));
        }
        if started.elapsed() > plan.span {
            break;
        }
    }
    for clock in storm.instances.iter().filter_map(|instance| instance.clock.as_ref()) {
        _ = clock.set(0);
    }
    if let Err(late) = storm.await_ready(TIMEOUT) {
        storm.wrong(late);
    }
}

impl Place<'_> {
    fn inject(&self, fault: Fault, rng: &mut Rng, report: &mut Report) {
        match fault {
            Fault::Kill => self.kill(rng, 1, report),
            Fault::KillTwo => self.kill(rng, 2, report),
            Fault::Cut => self.cut(report),
            Fault::Crash => self.outage("PostgreSQL crashed", Cluster::crash, rng, report),
            Fault::Shut => self.outage("PostgreSQL restarted", Cluster::shut, rng, report),
            Fault::CrashAndKill => self.crash_and_kill(rng, report),
            Fault::Full => self.full(rng, report),
            Fault::Clock => self.step(rng, report),
        }
    }

    fn kill(&self, rng: &mut Rng, count: usize, report: &mut Report) {
        let first = rng.usize(..self.storm.instances.len());
        for step in 0..count {
            let instance = &self.storm.instances[(first + step) % self.storm.instances.len()];
            self.print(&format!("instance {} is killed", instance.number));
            instance.kill(Duration::from_millis(rng.u64(..3_000)));
            report.count("instances killed");
        }
    }

    fn cut(&self, report: &mut Report) {
        self.print("connections are cut");
        report.count("cuts of all connections");
        if let Err(failure) = self.storm.database.query(CUT) {
            self.print(&format!("they were not: {failure}"));
        }
        let back = self.recovered();
        report.outages.push(Outage { name: "connections cut", away: Duration::ZERO, noticed: None, back });
    }

    /// The database goes, everybody says so, it comes again, and everybody is ready by itself.
    fn outage(
        &self,
        name: &'static str,
        end: fn(&Cluster) -> Result<(), despacho_xtask::run::Failure>,
        rng: &mut Rng,
        report: &mut Report,
    ) {
        // From a quiet moment on: what is still starting notices nothing.
        _ = self.recovered();
        self.print(name);
        report.count(name);
        let gone = Instant::now();
        if let Err(failure) = end(self.cluster) {
            return self.storm.wrong(format!("PostgreSQL does not end: {failure}"));
        }
        let hold = gone + self.within(rng);
        let noticed = self.noticed(gone);
        std::thread::sleep(hold.saturating_duration_since(Instant::now()));
        let away = gone.elapsed();
        self.start();
        let back = self.recovered();
        report.outages.push(Outage { name, away, noticed, back });
    }

    fn crash_and_kill(&self, rng: &mut Rng, report: &mut Report) {
        self.print("PostgreSQL crashes, and an instance is killed");
        report.count("PostgreSQL crashed");
        if let Err(failure) = self.cluster.crash() {
            return self.storm.wrong(format!("PostgreSQL does not end: {failure}"));
        }
        self.kill(rng, 1, report);
        std::thread::sleep(self.within(rng));
        self.start();
        _ = self.recovered();
    }

    fn full(&self, rng: &mut Rng, report: &mut Report) {
        let Some(disk) = self.disk else { return };
        _ = self.recovered();
        self.print("the disk is full");
        let (rejected, since, hold) = (self.storm.responded(503), Instant::now(), self.within(rng));
        let rejects = || self.storm.responded(503) > rejected;
        let filled = disk.fill(|| (rejects() && since.elapsed() > hold) || since.elapsed() > FULL);
        if let Err(failure) = filled {
            self.print(&format!("it could not be filled: {failure}"));
        }
        let away = since.elapsed();
        if rejects() {
            report.count("disk full");
        } else {
            self.print("and nobody was refused");
        }
        disk.free();
        self.start();
        let back = self.recovered();
        report.outages.push(Outage { name: "disk full", away, noticed: None, back });
    }

    fn step(&self, rng: &mut Rng, report: &mut Report) {
        if self.clocks.is_none() {
            return;
        }
        let instance = &self.storm.instances[rng.usize(..self.storm.instances.len())];
        let Some(clock) = &instance.clock else { return };
        let off = STEPS_S[rng.usize(..STEPS_S.len())];
        self.print(&format!("the clock of instance {} is set to {off:+} s", instance.number));
        let before = match clock.set(off) {
            Ok(before) => before,
            Err(failure) => return self.print(&format!("it is not: {failure}")),
        };
        report.count("clocks set");
        // A server tells its time in every answer, renewed each second, and never set back.
        std::thread::sleep(Duration::from_secs(2));
        let requested = now_s();
        let server_time = instance.base().filter(|_| off > before).and_then(|base| seconds_of_day(&base));
        if server_time.is_some_and(|server_time| !is_between(server_time, requested + off - 5, now_s() + off + 5)) {
            self.storm.wrong(format!("the clock of instance {} is not {off:+} s off", instance.number));
        }
    }

    /// Waits until every instance that is there says 503; `None` where one does not.
    fn noticed(&self, since: Instant) -> Option<Duration> {
        while since.elapsed() < NOTICE {
            let ready = |output| matches!(output, None | Some((State::Ready, _)));
            if !self.storm.instances.iter().any(|instance| ready(instance.readiness.now())) {
                return Some(since.elapsed());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.storm.wrong("a server said that it is ready while its database was away".to_owned());
        None
    }

    /// Starts the database where it is not there, until it takes questions.
    fn start(&self) {
        let since = Instant::now();
        while self.storm.database.query("SELECT 1").is_err() {
            if since.elapsed() > TIMEOUT {
                return self.storm.wrong("PostgreSQL does not start again".to_owned());
            }
            if !self.cluster.is_there() {
                self.print("PostgreSQL is started");
                _ = self.cluster.run();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// How long it takes until everybody is ready; `None`, and noted, where somebody is not.
    fn recovered(&self) -> Option<Duration> {
        self.storm.await_ready(TIMEOUT).map_err(|late| self.storm.wrong(late)).ok()
    }

    fn within(&self, rng: &mut Rng) -> Duration {
        Duration::from_millis(rng.u64(500..=self.longest.as_millis().try_into().unwrap_or(u64::MAX).max(501)))
    }

    fn print(&self, what: &str) {
        self.storm.print(what);
    }
}

/// The time of day that a server tells, in seconds.
fn seconds_of_day(base: &str) -> Option<i64> {
    let response = client::agent(Duration::from_secs(5)).get(format!("{base}/healthz")).call().ok()?;
    // `Sat, 21 Nov 2026 22:18:47 GMT`
    let date = response.headers().get("date")?.to_str().ok()?.to_owned();
    let parts: Vec<i64> = date.split(' ').nth(4)?.split(':').filter_map(|part| part.parse().ok()).collect();
    let [hours, minutes, seconds] = parts[..] else { return None };
    Some((hours * 60 + minutes) * 60 + seconds)
}

/// Whether a time of day lies between two instants, around the clock.
fn is_between(server_time: i64, first: i64, last: i64) -> bool {
    const DAY_S: i64 = 86_400;
    (server_time - first).rem_euclid(DAY_S) <= last - first
}

fn now_s() -> i64 {
    std::time::UNIX_EPOCH.elapsed().map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or_default())
}
