//! The instances, each with a supervisor that restarts it, like a service manager.

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
    run::{RunState, lock},
    watch::Readiness,
};

/// One of the server processes.
pub(crate) struct Instance {
    pub(crate) number: usize,
    base: Mutex<Option<String>>,
    kill_requested: AtomicBool,
    restart_delay_ms: AtomicU64,
    pub(crate) clock: Option<Clock>,
    pub(crate) readiness: Readiness,
    pub(crate) starts: AtomicU64,
    /// The process ID, or 0 if the process is not running.
    pub(crate) pid: AtomicU32,
}

impl Instance {
    pub(crate) fn new(number: usize, clocks: Option<&Clocks>) -> Instance {
        Instance {
            number,
            base: Mutex::default(),
            kill_requested: AtomicBool::new(false),
            restart_delay_ms: AtomicU64::new(0),
            clock: clocks.map(|clocks| clocks.clock(number)),
            readiness: Readiness::default(),
            starts: AtomicU64::new(0),
            pid: AtomicU32::new(0),
        }
    }

    /// Returns the base URL while the server is running.
    pub(crate) fn base(&self) -> Option<String> {
        lock(&self.base).clone()
    }

    /// Requests the supervisor to kill the process and to restart it after a delay.
    pub(crate) fn kill(&self, restart_delay: Duration) {
        self.restart_delay_ms.store(
            u64::try_from(restart_delay.as_millis()).unwrap_or_default(),
            Ordering::SeqCst,
        );
        self.kill_requested.store(true, Ordering::SeqCst);
    }

    /// Returns whether the server reports that it is ready. An instance that is about to be killed
    /// is not ready.
    pub(crate) fn is_ready(&self) -> bool {
        !self.kill_requested.load(Ordering::SeqCst)
            && self.base().is_some_and(|base| {
                client::agent(Duration::from_secs(5))
                    .get(format!("{base}/readyz"))
                    .call()
                    .is_ok_and(|response| response.status() == 200)
            })
    }
}

/// Keeps an instance running until the end of the run.
pub(crate) fn serve(state: &RunState<'_>, instance: &Instance, folder: &Path) {
    let home = home(folder, instance);
    if let Err(error) = std::fs::create_dir_all(&home) {
        return state.record_violation(format!("{} cannot be created: {error}", home.display()));
    }
    let variables = state.variables(instance);
    let variables: Vec<(&str, &str)> = variables
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    while !state.is_over() {
        // While the database is unavailable the server may exit before it is ready. It is then
        // started again.
        let Ok((server, lines)) =
            Server::start_observed(&state.plan.binary, &home, &[], &variables)
        else {
            std::thread::sleep(Duration::from_millis(500));
            continue;
        };
        instance.starts.fetch_add(1, Ordering::SeqCst);
        std::thread::scope(|scope| {
            scope.spawn(move || read_log(state, instance, &lines));
            supervise(state, instance, server);
        });
    }
}

/// Waits until the server must be killed, and kills it. An exit by itself is a violation.
fn supervise(state: &RunState<'_>, instance: &Instance, mut server: Server) {
    instance.pid.store(server.child().id(), Ordering::SeqCst);
    *lock(&instance.base) = Some(server.base.clone());
    loop {
        if instance.kill_requested.load(Ordering::SeqCst) || state.is_over() {
            break;
        }
        if let Ok(Some(status)) = server.child().try_wait() {
            state.record_violation(format!(
                "instance {} exited by itself: {status}",
                instance.number
            ));
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // Dropping the server sends SIGKILL, which breaks the connections of requests in progress.
    instance.pid.store(0, Ordering::SeqCst);
    drop(server);
    *lock(&instance.base) = None;
    let until =
        Instant::now() + Duration::from_millis(instance.restart_delay_ms.load(Ordering::SeqCst));
    while Instant::now() < until && !state.is_over() {
        std::thread::sleep(Duration::from_millis(10));
    }
    instance.kill_requested.store(false, Ordering::SeqCst);
}

/// Writes a server's output to its log file. A panic is a violation.
fn read_log(state: &RunState<'_>, instance: &Instance, lines: &Receiver<String>) {
    let file = state
        .log(instance)
        .and_then(|path| OpenOptions::new().create(true).append(true).open(path).ok());
    let mut file = file;
    for line in lines {
        if line.contains("panicked") {
            state.record_violation(format!("instance {} panicked: {line}", instance.number));
        }
        if let Some(file) = &mut file {
            _ = writeln!(file, "{line}");
        }
    }
}
