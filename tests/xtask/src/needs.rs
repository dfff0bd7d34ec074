//! The tools that steps need in addition to Rust: how to detect them and how to install them.

use std::path::Path;

use despacho_xtask::{
    component, place,
    postgres::programs as postgres,
    run::{self, Failure},
};

/// The version of cargo-deny that `.cargo/deny.toml` is written for.
const CARGO_DENY: &str = "cargo-deny@0.20.2";
/// The Python packages of the tests, pinned with all their dependencies.
const REQUIREMENTS: &str = "tests/xtask/requirements.txt";

/// A requirement of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A component of the Rust toolchain: its name in rustup, and the cargo subcommand that it provides.
    Component(&'static str, &'static str),
    /// The standard library of a target.
    Target(&'static str),
    /// A program and the Debian package that contains it.
    Program(&'static str, &'static str),
    /// PostgreSQL's server, which Debian does not put on PATH.
    Postgres,
    /// The Spin CLI, which no package registry distributes. `DESPACHO_SPIN` names one that is not on PATH.
    Spin,
    /// cargo-deny.
    CargoDeny,
    /// RustSec's current advisory database. Without a network the step is skipped.
    Advisories,
    /// The virtual environment `venv` in the build folder, with the pinned packages installed.
    Venv,
}

impl Need {
    /// Checks that the requirement is met, and installs it if necessary and allowed.
    pub(crate) fn ensure(self, root: &Path, offline: bool) -> Result<(), Missing> {
        if self.is_met(root)? {
            return Ok(());
        }
        if self == Need::Advisories {
            return fetch_advisories(root, offline);
        }
        if matches!(self, Need::Spin) {
            let reason = "Spin 4.1 or newer is neither on PATH nor named by DESPACHO_SPIN; install it from https://spinframework.dev";
            return Err(Missing::Offline(reason.to_owned()));
        }
        if offline {
            return Err(Missing::Offline(format!("{} is missing and DESPACHO_VERIFY_OFFLINE is set", self.name())));
        }
        println!("  installing {}", self.name());
        self.install(root)?;
        match self.is_met(root)? {
            true => Ok(()),
            false => Err(Failure::new(format!("{} is still missing after it was installed", self.name())).into()),
        }
    }

    fn name(self) -> String {
        match self {
            Need::Component(name, _) => format!("the Rust component {name}"),
            Need::Target(name) => format!("the Rust target {name}"),
            Need::Program(name, _) => format!("the program {name}"),
            Need::Postgres => "PostgreSQL".to_owned(),
            Need::Spin => "the Spin CLI".to_owned(),
            Need::CargoDeny => "cargo-deny".to_owned(),
            Need::Advisories => "the advisory database".to_owned(),
            Need::Venv => "the Python packages of the tests".to_owned(),
        }
    }

    fn is_met(self, root: &Path) -> Result<bool, Failure> {
        Ok(match self {
            Need::Component(_, subcommand) => run::succeeds(&["cargo", subcommand, "--version"]),
            Need::Target(name) => run::stdout(&["rustc", "--print", "target-libdir", "--target", name])
                .is_some_and(|folder| Path::new(&folder).is_dir()),
            // openssl has a command instead of the flag.
            Need::Program(name, _) => ["--version", "version"].iter().any(|word| run::succeeds(&[name, word])),
            Need::Postgres => postgres().is_some(),
            Need::Spin => run::succeeds(&[&spin(), "--version"]),
            Need::CargoDeny => run::succeeds(&["cargo", "deny", "--version"]),
            // The database is fetched in every run.
            Need::Advisories => false,
            Need::Venv => {
                let installed = std::fs::read_to_string(venv_stamp()?).unwrap_or_default();
                venv_program("schemathesis")?.is_file() && installed == requirements(root)?
            }
        })
    }

    fn install(self, root: &Path) -> Result<(), Failure> {
        let show = |words: &[&str]| run::show(run::command(root, words));
        match self {
            Need::Component(name, _) => show(&["rustup", "component", "add", name]),
            Need::Target(name) => show(&["rustup", "target", "add", name]),
            Need::Program(_, package) => debian_package(root, package),
            Need::Postgres => debian_package(root, "postgresql"),
            Need::Spin => Err(Failure::new("the Spin CLI cannot be installed from a registry")),
            // A debug build takes half the time, and cargo-deny runs for only a second.
            Need::CargoDeny => show(&["cargo", "install", "--locked", "--debug", CARGO_DENY]),
            Need::Advisories => show(&FETCH_ADVISORIES),
            Need::Venv => make_venv(root),
        }
    }
}

const FETCH_ADVISORIES: [&str; 6] = ["cargo", "deny", "--config", ".cargo/deny.toml", "fetch", "db"];

/// Fetches the advisory database. A failed download skips the step, because it does not indicate a defect of the repository.
fn fetch_advisories(root: &Path, offline: bool) -> Result<(), Missing> {
    if offline {
        return Err(Missing::Offline(
            "DESPACHO_VERIFY_OFFLINE is set; the advisory database is not fetched".to_owned(),
        ));
    }
    let fetched = run::command(root, &FETCH_ADVISORIES).output();
    let fetched = fetched.map_err(|e| Failure::new(format!("cargo-deny could not start: {e}")))?;
    if fetched.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&fetched.stderr);
    let reason = output.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    Err(Missing::Offline(format!("the advisory database could not be fetched: {reason}")))
}

/// Returns the Spin CLI's path or name.
pub(crate) fn spin() -> String {
    std::env::var(component::SPIN).unwrap_or_else(|_| "spin".to_owned())
}

/// The reason that a requirement is not met.
#[derive(Debug)]
pub(crate) enum Missing {
    /// It is missing and cannot be installed here. The step is skipped for this reason.
    Offline(String),
    /// Its installation failed, and so the step fails.
    Failed(Failure),
}

impl From<Failure> for Missing {
    fn from(failure: Failure) -> Missing {
        Missing::Failed(failure)
    }
}

/// Returns the path of a program in the virtual environment.
pub(crate) fn venv_program(name: &str) -> Result<std::path::PathBuf, Failure> {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    Ok(place::target()?.join("venv").join(folder).join(name))
}

/// Returns the path of the copy of the requirements that were installed last.
fn venv_stamp() -> Result<std::path::PathBuf, Failure> {
    Ok(place::target()?.join("venv").join("installed.txt"))
}

fn requirements(root: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(root.join(REQUIREMENTS)).map_err(|e| Failure::new(format!("{REQUIREMENTS}: {e}")))
}

fn make_venv(root: &Path) -> Result<(), Failure> {
    if !run::succeeds(&["python3", "-c", "import venv, ensurepip"]) {
        debian_package(root, "python3-venv")?;
    }
    let folder = place::target()?.join("venv");
    let python = venv_program("python")?;
    run::show(run::command(root, &["python3", "-m", "venv", "--clear", &folder.to_string_lossy()]))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS];
    run::show(run::command(root, &[&[&*python.to_string_lossy()], &install[..]].concat()))?;
    std::fs::write(venv_stamp()?, requirements(root)?)
        .map_err(|e| Failure::new(format!("the stamp of {}: {e}", folder.display())))
}

/// Installs a Debian package if this runs as root on Debian. Otherwise the error contains the command to run.
fn debian_package(root: &Path, package: &str) -> Result<(), Failure> {
    let is_root = run::stdout(&["id", "-u"]).as_deref() == Some("0");
    if !is_root || !run::succeeds(&["apt-get", "--version"]) {
        return Err(Failure::new(format!("please install {package} (`apt-get install {package}`) and run this again")));
    }
    run::show(run::command(root, &["apt-get", "update", "--quiet"]))?;
    let mut install = run::command(root, &["apt-get", "install", "--yes", "--no-install-recommends", package]);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    run::show(install)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offline_mode_names_missing_target_without_install() {
        let missing = Need::Target("no-such-target").ensure(Path::new("."), true).err();
        let output = |reason: &str| reason.contains("the Rust target no-such-target");
        assert!(matches!(&missing, Some(Missing::Offline(reason)) if output(reason)), "{missing:?}");
    }
}
