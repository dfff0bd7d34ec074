//! The instances, each under a supervisor as a service manager is one: what ends is started again.

use std::{
    fs::OpenOptions,
    io::Write,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
        mpsc::Receiver,
    },
    time::{Duration, Instant},
};

use despacho_xtask::server::Server;

use crate::faults::{
    client,
    clock::{Clock, Clocks},
    home,
    run::{StormRun, lock},
    watch::Readiness,
};

/// One of the servers.
pub(crate) struct Instance {
    pub(crate) number: usize,
    base: Mutex<Option<String>>,
    doomed: AtomicBool,
    rest_ms: AtomicU64,
    pub(crate) clock: Option<Clock>,
    pub(crate) readiness: Readiness,
    pub(crate) starts: AtomicU64,
    /// The process, while it runs; 0 otherwise.
    pub(crate) pid: AtomicU32,
}

impl Instance {
    pub(crate) fn new(number: usize, clocks: Option<&Clocks>) -> Instance {
        Instance {
            number,
            base: Mutex::default(),
            doomed: AtomicBool::new(false),
            rest_ms: AtomicU64::new(0),
            clock: clocks.map(|clocks| clocks.of(number)),
            readiness: Readiness::default(),
            starts: AtomicU64::new(0),
            pid: AtomicU32::new(0),
        }
    }

    /// Where it answers, while it is there.
    pub(crate) fn base(&self) -> Option<String> {
        lock(&self.base).clone()
    }

    /// Lets its supervisor kill it, and start it again so much later.
    pub(crate) fn kill(&self, rest: Duration) {
        self.rest_ms.store(u64::try_from(rest.as_millis()).unwrap_or_default(), Ordering::SeqCst);
        self.doomed.store(true, Ordering::SeqCst);
    }

    /// Whether it says now that it is ready. One that is about to be killed is not.
    pub(crate) fn is_ready(&self) -> bool {
        !self.doomed.load(Ordering::SeqCst)
            && self.base().is_some_and(|base| {
                client::agent(Duration::from_secs(5))
                    .get(format!("{base}/readyz"))
                    .call()
                    .is_ok_and(|response| response.status() == 200)
            })
    }
}

/// Keeps an instance running until the world is over.
pub(crate) fn serve(storm: &StormRun<'_>, instance: &Instance, folder: &Path) {
    let home = home(folder, instance);
    if let Err(error) = std::fs::create_dir_all(&home) {
        return storm.wrong(format!("{} cannot be made: {error}", home.display()));
    }
    let variables = storm.variables(instance);
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    while !storm.is_over() {
        // While the database is away it may end before it is ready, and says why: then it is started again.
        let Ok((server, lines)) = Server::start_observed(&storm.plan.binary, &home, &[], &variables) else {
            std::thread::sleep(Duration::from_millis(500));
            continue;
        };
        instance.starts.fetch_add(1, Ordering::SeqCst);
        std::thread::scope(|scope| {
            scope.spawn(move || read_log(storm, instance, &lines));
            watch_over(storm, instance, server);
        });
    }
}

/// Until the server is killed, or ends by itself, which it must not.
fn watch_over(storm: &StormRun<'_>, instance: &Instance, mut server: Server) {
    instance.pid.store(server.child().id(), Ordering::SeqCst);
    *lock(&instance.base) = Some(server.base.clone());
    loop {
        let doomed = instance.doomed.load(Ordering::SeqCst);
        if doomed || storm.is_over() {
            break;
        }
        if let Ok(Some(status)) = server.child().try_wait() {
            storm.wrong(format!("instance {} ended by itself: {status}", instance.number));
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // Callers that are in the middle of a request see its connection break: it is dropped with SIGKILL.
    instance.pid.store(0, Ordering::SeqCst);
    drop(server);
    *lock(&instance.base) = None;
    let until = Instant::now() + Duration::from_millis(instance.rest_ms.load(Ordering::SeqCst));
    while Instant::now() < until && !storm.is_over() {
        std::thread::sleep(Duration::from_millis(10));
    }
    instance.doomed.store(false, Ordering::SeqCst);
}

/// Keeps what a server says, until it ends; a panic must not be.
fn read_log(storm: &StormRun<'_>, instance: &Instance, lines: &Receiver<String>) {
    let file = storm.log(instance).and_then(|path| OpenOptions::new().create(true).append(true).open(path).ok());
    let mut file = file;
    for line in lines {
        if line.contains("panicked") {
            storm.wrong(format!("instance {} panicked: {line}", instance.number));
        }
        if let Some(file) = &mut file {
            _ = writeln!(file, "{line}");
        }
    }
}
