//! The published packages: that they build from their own files, and that they build for their
//! users, whose programs do not have this repository's lock file and get the newest compatible
//! version of every dependency.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use despacho_xtask::{
    place,
    run::{self, Failure},
};

/// The published packages, dependencies first.
const PACKAGES: [&str; 2] = ["despacho-route", "despacho-core"];
/// The version of the workspace, which every package has.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The target of browsers.
const BROWSER: &str = "wasm32-unknown-unknown";

/// Packages the crates and builds them from the packaged files. The earlier steps have downloaded
/// all dependencies, so this needs no network. Uncommitted files are included.
pub(crate) fn package(root: &Path) -> Result<(), Failure> {
    let mut words = vec!["cargo", "package", "--locked", "--offline", "--allow-dirty"];
    words.extend(PACKAGES.iter().flat_map(|name| ["--package", name]));
    run::show(run::command(root, &words))
}

/// Resolves the dependencies of the packaged crates anew and compiles the crates for this machine
/// and for browsers.
pub(crate) fn check_newest(root: &Path) -> Result<(), Failure> {
    package(root)?;
    let folder = unpack(root)?;
    let cargo = |words: &[&str]| {
        let mut command = run::command(&folder, &[&["cargo"], words].concat());
        // Users do not have the flags of `.cargo/config.toml`.
        command
            .env("CARGO_ENCODED_RUSTFLAGS", "")
            .env("CARGO_TARGET_DIR", folder.join("target"));
        command
    };
    run::show(cargo(&["update"]))?;
    for target in [None, Some(BROWSER)] {
        let target: Vec<&str> = target.iter().flat_map(|name| ["--target", name]).collect();
        // Each package alone, because features of one package also apply to the other in the same
        // build.
        for name in PACKAGES {
            run::show(cargo(
                &[&["check", "--package", name], &target[..]].concat(),
            ))?;
        }
        run::show(cargo(
            &[&["check", "--workspace", "--all-features"], &target[..]].concat(),
        ))?;
    }
    Ok(())
}

/// Unpacks the packages into a workspace without a lock file, in which the core depends on the
/// unpacked route engine.
fn unpack(root: &Path) -> Result<PathBuf, Failure> {
    let target = place::target()?;
    let folder = target.join("newest");
    let failure = |path: &Path, e: std::io::Error| Failure::new(format!("{}: {e}", path.display()));
    fs::create_dir_all(&folder).map_err(|e| failure(&folder, e))?;
    let mut manifest =
        "[workspace]\nresolver = \"3\"\nmembers = [\"despacho-*\"]\n\n[patch.crates-io]\n"
            .to_owned();
    for name in PACKAGES {
        let versioned = format!("{name}-{VERSION}");
        let unpacked = folder.join(&versioned);
        if unpacked.exists() {
            fs::remove_dir_all(&unpacked).map_err(|e| failure(&unpacked, e))?;
        }
        let archive = target
            .join("package")
            .join(format!("{versioned}.crate"))
            .to_string_lossy()
            .into_owned();
        run::show(run::command(
            root,
            &["tar", "-xzf", &archive, "-C", &folder.to_string_lossy()],
        ))?;
        manifest.push_str(&format!("{name} = {{ path = \"{versioned}\" }}\n"));
    }
    let path = folder.join("Cargo.toml");
    fs::write(&path, manifest).map_err(|e| failure(&path, e))?;
    let lock = folder.join("Cargo.lock");
    if lock.exists() {
        fs::remove_file(&lock).map_err(|e| failure(&lock, e))?;
    }
    Ok(folder)
}

/// Returns a command that reads the registry's index and changes nothing.
pub(crate) fn probe_registry(root: &Path) -> Command {
    run::command(root, &["cargo", "update", "--dry-run"])
}
