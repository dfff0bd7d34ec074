//! The published packages: that they build from their own files, and that they build for their
//! users, whose programs do not have this repository's lock file. They get the newest compatible
//! version of every dependency, or keep an older one that the manifests permit.

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
    package_with(root, &[])
}

fn package_with(root: &Path, options: &[&str]) -> Result<(), Failure> {
    let mut words = vec!["cargo", "package", "--locked", "--offline", "--allow-dirty"];
    words.extend(options);
    words.extend(PACKAGES.iter().flat_map(|name| ["--package", name]));
    run::show(run::command(root, &words))
}

/// Compiles the packaged crates with the newest version of every dependency, for this machine and
/// for browsers.
pub(crate) fn check_newest(root: &Path) -> Result<(), Failure> {
    let cargo = resolve(root, "newest", &["update"])?;
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

/// Compiles the packaged crates with the lowest version that the manifests permit of each direct
/// dependency. Their own dependencies are the newest, because many crates declare lower bounds that
/// do not compile.
pub(crate) fn check_oldest(root: &Path) -> Result<(), Failure> {
    let words = ["update", "-Z", "direct-minimal-versions"];
    let cargo = resolve(root, "oldest", &words)?;
    run::show(cargo(&["check", "--workspace", "--all-features"]))
}

/// Resolves the dependencies of the packaged crates anew, in a folder of the build folder. Returns
/// a function that creates a cargo command in that folder.
fn resolve(
    root: &Path,
    name: &str,
    words: &[&str],
) -> Result<impl Fn(&[&str]) -> Command, Failure> {
    package_with(root, &["--no-verify"])?;
    let folder = unpack(root, name)?;
    // Both resolutions have most indirect dependencies in common, and compile them once.
    let built = place::target()?.join("published");
    let cargo = move |words: &[&str]| {
        let mut command = run::command(&folder, &[&["cargo"], words].concat());
        // Users do not have the flags of `.cargo/config.toml`.
        command
            .env("CARGO_ENCODED_RUSTFLAGS", "")
            .env("CARGO_TARGET_DIR", &built);
        command
    };
    let mut resolve = cargo(words);
    // `-Z` is an unstable option, which the compilation does not get.
    resolve.env("RUSTC_BOOTSTRAP", "1");
    run::show(resolve)?;
    Ok(cargo)
}

/// Unpacks the packages into a workspace without a lock file, in which the core depends on the
/// unpacked route engine.
fn unpack(root: &Path, name: &str) -> Result<PathBuf, Failure> {
    let target = place::target()?;
    let folder = target.join(name);
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
