//! A real `despacho` process on a free port. Dropping it stops the process.

use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

use crate::{
    place,
    run::{self, Failure},
};

/// The time limit until the server announces that it is ready. It is long because the machine can
/// be busy.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// The environment variable that names the server binary for tests.
pub const BINARY: &str = "DESPACHO_BIN";

/// Builds the server with the profile of the checks and returns the path of the binary.
pub fn build(root: &Path) -> Result<PathBuf, Failure> {
    build_with(root, "quick", "quick")
}

/// Builds the server with the dev profile, in half of the time, and returns the path of the binary.
pub fn build_dev(root: &Path) -> Result<PathBuf, Failure> {
    build_with(root, "dev", "debug")
}

/// Returns the server for a measurement: the build named by [`BINARY`], or else a new release
/// build.
pub fn shipped() -> Result<PathBuf, Failure> {
    named_or(|root| build_with(root, "release", "release"))
}

/// Returns the server for a check: the build named by [`BINARY`], or else a new one.
pub fn checked() -> Result<PathBuf, Failure> {
    named_or(build)
}

/// Returns the server for a test: the build named by [`BINARY`], or else a new one, so that no test
/// runs an outdated build. It uses the dev profile because the test has already built most of its
/// dependencies with it.
pub fn binary() -> Result<PathBuf, Failure> {
    named_or(build_dev)
}

fn named_or(build: impl Fn(&Path) -> Result<PathBuf, Failure>) -> Result<PathBuf, Failure> {
    match std::env::var_os(BINARY) {
        Some(path) => Ok(path.into()),
        None => build(&place::root()?),
    }
}

fn build_with(root: &Path, profile: &str, folder: &str) -> Result<PathBuf, Failure> {
    let words = [
        "cargo",
        "build",
        "--package",
        "despacho-warp",
        "--bin",
        "despacho",
        "--profile",
        profile,
    ];
    run::show(run::command(root, &words))?;
    Ok(place::target()?
        .join(folder)
        .join(format!("despacho{}", std::env::consts::EXE_SUFFIX)))
}

/// A running server.
pub struct Server {
    child: Child,
    /// The base URL without a trailing slash: `http://127.0.0.1:40123`.
    pub base: String,
    /// The demo parent store's key, if the server was started with `--demo`.
    pub key: Option<String>,
}

impl Server {
    /// Starts `binary serve` on a free port with the data folder `data`, and waits until it is
    /// ready.
    ///
    /// If `arguments` contain `--demo`, it also waits for the demo key.
    pub fn start(
        binary: &Path,
        data: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Result<Server, Failure> {
        Server::start_observed(binary, data, arguments, variables).map(|(server, _)| server)
    }

    /// Starts the server like [`Server::start`], and also returns the lines that it prints after it
    /// is ready.
    pub fn start_observed(
        binary: &Path,
        data: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Result<(Server, Receiver<String>), Failure> {
        let on_postgres = variables
            .iter()
            .any(|(name, value)| *name == "DESPACHO_DATABASE" && *value != "sqlite");
        if !on_postgres && !arguments.contains(&"--demo") {
            init(binary, data, variables)?;
        }
        let mut child = program(binary)
            // The kernel assigns a free port, and the server prints it when it is ready.
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(arguments)
            // Simulated couriers would deliver a test's orders before the test reads them.
            .env("DESPACHO_SANDBOX_COURIERS_PER_STORE", "0")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| Failure::new(format!("{} could not start: {e}", binary.display())))?;
        let (send, lines) = mpsc::channel();
        forward(child.stdout.take(), send.clone());
        forward(child.stderr.take(), send);
        let mut server = Server {
            child,
            base: String::new(),
            key: None,
        };
        server.await_ready(&lines, arguments.contains(&"--demo"))?;
        Ok((server, lines))
    }

    /// Returns the process, for tests that signal or kill it.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    fn await_ready(&mut self, lines: &Receiver<String>, requires_key: bool) -> Result<(), Failure> {
        let deadline = Instant::now() + START_TIMEOUT;
        let mut output = Vec::new();
        while self.base.is_empty() || (requires_key && self.key.is_none()) {
            let wait = deadline.saturating_duration_since(Instant::now());
            let line = lines.recv_timeout(wait).map_err(|e| {
                let event = match e {
                    RecvTimeoutError::Timeout => "did not become ready in time",
                    RecvTimeoutError::Disconnected => "ended before it was ready",
                };
                Failure::new(format!(
                    "the server {event}; its output:\n{}",
                    output.join("\n")
                ))
            })?;
            match announcement(&line) {
                Some(Announcement::Ready(base)) => self.base = base.to_owned(),
                Some(Announcement::Key(key)) => self.key = Some(key.to_owned()),
                None => {}
            }
            output.push(line);
        }
        Ok(())
    }
}

/// Returns a command for the server without the developer's own `DESPACHO_` variables.
#[must_use]
pub fn program(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("DESPACHO_"))
    {
        command.env_remove(name);
    }
    command
}

/// Runs `despacho init` in a data folder. It keeps existing data.
fn init(binary: &Path, data: &Path, variables: &[(&str, &str)]) -> Result<(), Failure> {
    let mut command = program(binary);
    command
        .args(["init", "--data"])
        .arg(data)
        .envs(variables.iter().copied())
        .stdin(Stdio::null());
    let done = command
        .output()
        .map_err(|e| Failure::new(format!("{} could not start: {e}", binary.display())))?;
    if done.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(Failure::new(format!(
        "`despacho init` ended before it was ready: {output}"
    )))
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already, which is not an error here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A line of the server's output that scripts rely on.
#[derive(Debug, PartialEq, Eq)]
enum Announcement<'a> {
    Ready(&'a str),
    Key(&'a str),
}

fn announcement(line: &str) -> Option<Announcement<'_>> {
    if let Some(base) = line.strip_prefix("ready ") {
        return base
            .starts_with("http")
            .then(|| Announcement::Ready(base.trim().trim_end_matches('/')));
    }
    line.strip_prefix("x-api-token: ")
        .map(|key| Announcement::Key(key.trim()))
}

/// Forwards a stream's lines. It keeps reading after the receiver is dropped, because a full pipe
/// would block the server.
fn forward(stream: Option<impl Read + Send + 'static>, to: mpsc::Sender<String>) {
    let Some(stream) = stream else { return };
    std::thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while reader
            .read_until(b'\n', &mut line)
            .is_ok_and(|count| count > 0)
        {
            let _ = to.send(String::from_utf8_lossy(&line).trim_end().to_owned());
            line.clear();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_distinguished_from_logs() {
        assert_eq!(
            announcement("ready http://127.0.0.1:80/"),
            Some(Announcement::Ready("http://127.0.0.1:80"))
        );
        assert_eq!(
            announcement("x-api-token: dsp_1"),
            Some(Announcement::Key("dsp_1"))
        );
        assert_eq!(announcement("ready when you are"), None);
        assert_eq!(announcement("2026-11-21T00:00:00Z INFO listening"), None);
    }

    #[cfg(unix)]
    #[test]
    fn program_that_exits_early_is_reported_with_its_output() {
        let failure = Server::start(Path::new("false"), Path::new("."), &[], &[])
            .err()
            .map(|f| f.to_string());
        assert!(
            failure
                .as_deref()
                .is_some_and(|text| text.contains("ended before it was ready")),
            "{failure:?}"
        );
    }
}
