//! Peers from the Python package index, asked through one small script.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

const SCRIPT: &str = include_str!("peers.py");
const HOW_TO_INSTALL: &str = "install them with `python3 -m venv target/peers` and \
    `target/peers/bin/pip install pyvrp==0.14.1 ortools==9.15.6755 scipy==1.17.1`, or name a Python by DESPACHO_PEERS_PYTHON";

/// What a peer answered to one instance.
#[derive(Debug, Deserialize)]
pub(crate) struct PeerResult {
    /// Who answered.
    pub(crate) peer: String,
    /// Which instance.
    pub(crate) index: usize,
    /// The order of visit, or the column of each row.
    pub(crate) order: Vec<usize>,
    /// The time of the solve alone.
    pub(crate) ms: f64,
}

/// Peers that are installed.
pub(crate) struct Peers {
    python: PathBuf,
}

impl Peers {
    /// The interpreter with the peers; where there is none, a word on how to install them.
    pub(crate) fn find() -> Option<Peers> {
        let python = python();
        let tried = Command::new(&python).args(["-c", "import scipy, pyvrp, ortools"]).stderr(Stdio::null()).status();
        if tried.is_ok_and(|status| status.success()) {
            return Some(Peers { python });
        }
        println!("no peers: {} lacks scipy, pyvrp or ortools; {HOW_TO_INSTALL}", python.display());
        None
    }

    /// Asks every peer the same question.
    pub(crate) fn query(&self, problem: &str) -> Result<Vec<PeerResult>, Box<dyn Error>> {
        let mut child = Command::new(&self.python)
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // A script that ends early says why itself.
            let _ = input.write_all(problem.as_bytes());
        }
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err(format!("the peers ended with {}", output.status).into());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }
}

/// The interpreter of the peers: named by the environment, or of the environment beside the build, or the system's.
fn python() -> PathBuf {
    let comparison = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/bin/python");
    match std::env::var_os("DESPACHO_PEERS_PYTHON") {
        Some(named) => named.into(),
        None if comparison.exists() => comparison,
        None => "python3".into(),
    }
}
