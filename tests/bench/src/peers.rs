//! Peer solvers from the Python Package Index, run by a small script.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

const SCRIPT: &str = include_str!("peers.py");
const INSTALL_HINT: &str = "install them with `python3 -m venv target/peers` and \
    `target/peers/bin/pip install pyvrp==0.14.1 ortools==9.15.6755 scipy==1.17.1`, or set DESPACHO_PEERS_PYTHON to a Python interpreter";

/// A peer's result for one instance.
#[derive(Debug, Deserialize)]
pub(crate) struct PeerResult {
    /// The name of the peer.
    pub(crate) peer: String,
    /// The index of the instance.
    pub(crate) index: usize,
    /// The visiting order, or the column of each row.
    pub(crate) order: Vec<usize>,
    /// The time of solving, without setup, in milliseconds.
    pub(crate) ms: f64,
}

/// The installed peers.
pub(crate) struct Peers {
    python: PathBuf,
}

impl Peers {
    /// Finds the interpreter with the peers. If there is none, prints how to install them.
    pub(crate) fn find() -> Option<Peers> {
        let python = python();
        let tried = Command::new(&python)
            .args(["-c", "import scipy, pyvrp, ortools"])
            .stderr(Stdio::null())
            .status();
        if tried.is_ok_and(|status| status.success()) {
            return Some(Peers { python });
        }
        println!(
            "no peers: {} has no scipy, pyvrp or ortools; {INSTALL_HINT}",
            python.display()
        );
        None
    }

    /// Sends a problem to every peer and returns the results.
    pub(crate) fn query(&self, problem: &str) -> Result<Vec<PeerResult>, Box<dyn Error>> {
        let mut child = Command::new(&self.python)
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // A script that exits early prints its own error.
            let _ = input.write_all(problem.as_bytes());
        }
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err(format!("the peers exited with {}", output.status).into());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines()
            .map(|line| Ok(serde_json::from_str(line)?))
            .collect()
    }
}

/// Returns the interpreter of the peers: from the environment variable, from `target/peers`, or the
/// system's.
fn python() -> PathBuf {
    let local = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/bin/python");
    match std::env::var_os("DESPACHO_PEERS_PYTHON") {
        Some(path) => path.into(),
        None if local.exists() => local,
        None => "python3".into(),
    }
}
