//! Peers from the Python package index, asked through one small script.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

const SCRIPT: &str = include_str!("peers.py");

/// What a peer answered to one instance.
#[derive(Debug, Deserialize)]
pub(crate) struct PeerAnswer {
    /// Who answered.
    pub(crate) peer: String,
    /// Which instance.
    pub(crate) index: usize,
    /// The order of visit, or the column of each row.
    pub(crate) order: Vec<usize>,
    /// The time of the solve alone.
    pub(crate) ms: f64,
}

/// Asks the peers; none where they are not installed, with a word on how to install them.
pub(crate) fn ask(question: &str) -> Result<Vec<PeerAnswer>, Box<dyn Error>> {
    let python = python();
    let child = Command::new(&python)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    let Ok(mut child) = child else {
        println!("{} does not start; {}", python.display(), how_to_install());
        return Ok(Vec::new());
    };
    if let Some(mut input) = child.stdin.take() {
        // A script that ends early says why itself.
        let _ = input.write_all(question.as_bytes());
    }
    let output = child.wait_with_output()?;
    let mut answers = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match line.strip_prefix("missing ") {
            Some(missing) => println!("peer {missing} is not installed; {}", how_to_install()),
            None => answers.push(serde_json::from_str(line)?),
        }
    }
    Ok(answers)
}

/// The interpreter of the peers: named by the environment, or of the environment beside the build, or the system's.
fn python() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/bin/python");
    match std::env::var_os("DESPACHO_PEERS_PYTHON") {
        Some(named) => named.into(),
        None if beside.exists() => beside,
        None => "python3".into(),
    }
}

fn how_to_install() -> &'static str {
    "install the peers with: python3 -m venv target/peers && target/peers/bin/pip install pyvrp ortools scipy"
}
