//! The tools that steps need in addition to Rust: how to detect them and how to install them.

use std::{path::Path, process::Command};

use despacho_xtask::{
    component, place,
    postgres::programs as postgres,
    run::{self, Failure},
};

use crate::crates;

/// The version of cargo-deny that `.cargo/deny.toml` is written for.
const CARGO_DENY: &str = "cargo-deny@0.20.2";
/// Python packages in a virtual environment in the build folder, pinned with all their
/// dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Venv {
    folder: &'static str,
    requirements: &'static str,
    /// One of the installed programs.
    program: &'static str,
}

/// The packages of the tests.
pub(crate) const TESTS: Venv = Venv {
    folder: "venv",
    requirements: "tests/xtask/requirements.txt",
    program: "schemathesis",
};
/// The generators of clients. Their dependencies conflict with those of the tests.
pub(crate) const GENERATORS: Venv = Venv {
    folder: "generators-venv",
    requirements: "tests/xtask/tools/requirements.txt",
    program: "openapi-python-client",
};

/// A requirement of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A component of the Rust toolchain: its name in rustup, and the cargo subcommand that it
    /// provides.
    Component(&'static str, &'static str),
    /// The standard library of a target.
    Target(&'static str),
    /// A program and the Debian package that contains it.
    Program(&'static str, &'static str),
    /// PostgreSQL's server, which Debian does not put on PATH.
    Postgres,
    /// The Spin CLI, which no package registry distributes. `DESPACHO_SPIN` names one that is not
    /// on PATH.
    Spin,
    /// cargo-deny.
    CargoDeny,
    /// RustSec's current advisory database. Without a network the step is skipped.
    Advisories,
    /// The registry's current index. Without a network the step is skipped.
    Registry,
    /// A virtual environment with its packages installed.
    Venv(Venv),
}

impl Need {
    /// Checks that the requirement is met, and installs it if necessary and allowed.
    pub(crate) fn ensure(self, root: &Path, offline: bool) -> Result<(), Missing> {
        if self.is_met(root)? {
            return Ok(());
        }
        if self == Need::Advisories {
            let skipped = "the advisory database is not fetched";
            return fetch(
                run::command(root, &FETCH_ADVISORIES),
                "the advisory database",
                skipped,
                offline,
            );
        }
        if self == Need::Registry {
            let skipped = "the newest dependencies are not resolved";
            return fetch(
                crates::probe_registry(root),
                "the registry's index",
                skipped,
                offline,
            );
        }
        if matches!(self, Need::Spin) {
            let reason = "Spin 4.1 or newer is neither on PATH nor named by DESPACHO_SPIN; install it from https://spinframework.dev";
            return Err(Missing::Offline(reason.to_owned()));
        }
        if offline {
            return Err(Missing::Offline(format!(
                "{} is missing and DESPACHO_VERIFY_OFFLINE is set",
                self.name()
            )));
        }
        println!("  installing {}", self.name());
        self.install(root)?;
        match self.is_met(root)? {
            true => Ok(()),
            false => Err(Failure::new(format!(
                "{} is still missing after it was installed",
                self.name()
            ))
            .into()),
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
            Need::Registry => "the registry's index".to_owned(),
            Need::Venv(venv) => format!("the Python packages of {}", venv.requirements),
        }
    }

    fn is_met(self, root: &Path) -> Result<bool, Failure> {
        Ok(match self {
            Need::Component(_, subcommand) => run::succeeds(&["cargo", subcommand, "--version"]),
            Need::Target(name) => {
                run::stdout(&["rustc", "--print", "target-libdir", "--target", name])
                    .is_some_and(|folder| Path::new(&folder).is_dir())
            }
            // openssl has a command instead of the flag.
            Need::Program(name, _) => ["--version", "version"]
                .iter()
                .any(|word| run::succeeds(&[name, word])),
            Need::Postgres => postgres().is_some(),
            Need::Spin => run::succeeds(&[&spin(), "--version"]),
            Need::CargoDeny => run::succeeds(&["cargo", "deny", "--version"]),
            // Both are fetched in every run.
            Need::Advisories | Need::Registry => false,
            Need::Venv(venv) => {
                let installed = std::fs::read_to_string(venv.stamp()?).unwrap_or_default();
                venv.program(venv.program)?.is_file() && installed == venv.requirements(root)?
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
            Need::Spin => Err(Failure::new(
                "the Spin CLI cannot be installed from a registry",
            )),
            // A debug build takes half the time, and cargo-deny runs for only a second.
            Need::CargoDeny => show(&["cargo", "install", "--locked", "--debug", CARGO_DENY]),
            Need::Advisories => show(&FETCH_ADVISORIES),
            Need::Registry => run::show(crates::probe_registry(root)),
            Need::Venv(venv) => venv.make(root),
        }
    }
}

const FETCH_ADVISORIES: [&str; 6] = [
    "cargo",
    "deny",
    "--config",
    ".cargo/deny.toml",
    "fetch",
    "db",
];

/// Fetches current data with a command. A failed download skips the step, because it does not
/// indicate a defect of the repository.
fn fetch(
    mut command: Command,
    what: &str,
    consequence: &str,
    offline: bool,
) -> Result<(), Missing> {
    if offline {
        return Err(Missing::Offline(format!(
            "DESPACHO_VERIFY_OFFLINE is set; {consequence}"
        )));
    }
    let fetched = command.output();
    let fetched = fetched.map_err(|e| Failure::new(format!("{what} could not be fetched: {e}")))?;
    if fetched.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&fetched.stderr);
    let reason = output
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim();
    Err(Missing::Offline(format!(
        "{what} could not be fetched: {reason}"
    )))
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

impl From<Missing> for Failure {
    fn from(missing: Missing) -> Failure {
        match missing {
            Missing::Offline(reason) => Failure::new(reason),
            Missing::Failed(failure) => failure,
        }
    }
}

impl From<Failure> for Missing {
    fn from(failure: Failure) -> Missing {
        Missing::Failed(failure)
    }
}

/// Returns the path of a program in the virtual environment of the tests.
pub(crate) fn venv_program(name: &str) -> Result<std::path::PathBuf, Failure> {
    TESTS.program(name)
}

impl Venv {
    /// Returns the path of one of its programs.
    pub(crate) fn program(self, name: &str) -> Result<std::path::PathBuf, Failure> {
        let programs = if cfg!(windows) { "Scripts" } else { "bin" };
        Ok(place::target()?.join(self.folder).join(programs).join(name))
    }

    /// Returns the path of the copy of the requirements that were installed last.
    fn stamp(self) -> Result<std::path::PathBuf, Failure> {
        Ok(place::target()?.join(self.folder).join("installed.txt"))
    }

    fn requirements(self, root: &Path) -> Result<String, Failure> {
        let file = self.requirements;
        std::fs::read_to_string(root.join(file)).map_err(|e| Failure::new(format!("{file}: {e}")))
    }

    fn make(self, root: &Path) -> Result<(), Failure> {
        if !run::succeeds(&["python3", "-c", "import venv, ensurepip"]) {
            debian_package(root, "python3-venv")?;
        }
        let folder = place::target()?.join(self.folder);
        let python = self.program("python")?;
        run::show(run::command(
            root,
            &[
                "python3",
                "-m",
                "venv",
                "--clear",
                &folder.to_string_lossy(),
            ],
        ))?;
        let install = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
            self.requirements,
        ];
        run::show(run::command(
            root,
            &[&[&*python.to_string_lossy()], &install[..]].concat(),
        ))?;
        std::fs::write(self.stamp()?, self.requirements(root)?)
            .map_err(|e| Failure::new(format!("the stamp of {}: {e}", folder.display())))
    }
}

/// Installs a Debian package if this runs as root on Debian. Otherwise the error contains the
/// command to run.
fn debian_package(root: &Path, package: &str) -> Result<(), Failure> {
    let is_root = run::stdout(&["id", "-u"]).as_deref() == Some("0");
    if !is_root || !run::succeeds(&["apt-get", "--version"]) {
        return Err(Failure::new(format!(
            "please install {package} (`apt-get install {package}`) and run this again"
        )));
    }
    run::show(run::command(root, &["apt-get", "update", "--quiet"]))?;
    let mut install = run::command(
        root,
        &[
            "apt-get",
            "install",
            "--yes",
            "--no-install-recommends",
            package,
        ],
    );
    install.env("DEBIAN_FRONTEND", "noninteractive");
    run::show(install)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offline_mode_names_missing_target_without_install() {
        let missing = Need::Target("no-such-target")
            .ensure(Path::new("."), true)
            .err();
        let output = |reason: &str| reason.contains("the Rust target no-such-target");
        assert!(
            matches!(&missing, Some(Missing::Offline(reason)) if output(reason)),
            "{missing:?}"
        );
        let missing = Need::Registry.ensure(Path::new("."), true).err();
        let output = |reason: &str| reason.ends_with("the newest dependencies are not resolved");
        assert!(
            matches!(&missing, Some(Missing::Offline(reason)) if output(reason)),
            "{missing:?}"
        );
    }
}
