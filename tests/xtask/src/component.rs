//! The Spin component's build.

use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

use crate::{
    place,
    run::{self, Failure},
    shrink::shrink,
};

/// The environment variable by which tests are told which build of the component to run.
pub const COMPONENT: &str = "DESPACHO_COMPONENT";

/// The environment variable that names the Spin CLI for tests under `spin up`.
pub const SPIN: &str = "DESPACHO_SPIN";

/// The target that components are built for.
pub const TARGET: &str = "wasm32-wasip2";

/// The component's package.
const PACKAGE: &str = "despacho-spin";
/// The component as it ships, beside what cargo builds; spin.toml names it.
const SHIPPED: &str = "despacho.wasm";

/// Binaryen's optimiser, which makes the component smaller where it is installed.
pub const OPTIMISER: &str = "wasm-opt";

/// The limit of the optimised component, in bytes; core/SIZE.md has the present size.
const MAX_BYTES: u64 = 2_000_000;

/// Builds the component as it ships and fails if it is larger than its limit.
pub fn build_within_limit(root: &Path) -> Result<(), Failure> {
    let shipped = build(root)?;
    let metadata = shipped.metadata().map_err(|error| Failure::new(format!("{}: {error}", shipped.display())))?;
    check_size(metadata.len())
}

fn check_size(bytes: u64) -> Result<(), Failure> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the Spin component has {bytes} bytes, and its limit is {MAX_BYTES}: compare it with the build of the previous commit and \
         remove what made it larger, or raise the limit in tests/xtask/src/component.rs and core/SIZE.md"
    )))
}

/// Builds the component as it ships, which is what spin.toml's command does, and returns the file.
pub fn build(root: &Path) -> Result<PathBuf, Failure> {
    cargo(root, "build", &[])?;
    let built = built()?.join("despacho_spin.wasm");
    let shipped = built.with_file_name(SHIPPED);
    finish(&built, &shipped).map_err(|error| Failure::new(format!("{}: {error}", shipped.display())))??;
    Ok(shipped)
}

/// Makes the file that ships of the one that cargo built, unless it is there already. Tests in several processes ask for it at once.
fn finish(built: &Path, shipped: &Path) -> io::Result<Result<(), Failure>> {
    let lock = File::create(shipped.with_extension("lock"))?;
    lock.lock()?;
    let optimised = run::succeeds(&[OPTIMISER, "--version"]);
    let before = built.metadata()?;
    if shipped.metadata().is_ok_and(|after| is_made_of(&after, &before, optimised)) {
        return Ok(Ok(()));
    }
    let fresh = shipped.with_extension("fresh.wasm");
    fs::copy(built, &fresh)?;
    if optimised && let Err(failure) = shrink(&fresh, OPTIMISER) {
        return Ok(Err(failure));
    }
    fs::rename(&fresh, shipped)?;
    let [whole, left] = [before.len(), shipped.metadata()?.len()];
    println!("  {}: {left} bytes, of {whole} before {OPTIMISER}", shipped.display());
    Ok(Ok(()))
}

/// Whether a file was made of that one, and of its last state; what was optimised is smaller.
fn is_made_of(after: &Metadata, before: &Metadata, optimised: bool) -> bool {
    let in_order = after.modified().ok().zip(before.modified().ok()).is_some_and(|(after, before)| after >= before);
    in_order && optimised == (after.len() < before.len())
}

/// Builds the component that does nothing in the same way, for measurements to compare with.
pub fn build_hello(root: &Path) -> Result<PathBuf, Failure> {
    cargo(root, "rustc", &["--example", "hello", "--crate-type", "cdylib"])?;
    Ok(built()?.join("examples/hello.wasm"))
}

fn cargo(root: &Path, command: &str, selected: &[&str]) -> Result<(), Failure> {
    let words = ["cargo", command, "--locked", "--profile", "edge", "--package", PACKAGE, "--target", TARGET];
    run::show(run::command(root, &[&words, selected].concat()))
}

/// Cargo's folder for the component's profile and target.
fn built() -> Result<PathBuf, Failure> {
    Ok(place::target()?.join(TARGET).join("edge"))
}

/// The component for a test or a measurement: the build named by [`COMPONENT`], or else one made now, so that nothing runs
/// yesterday's.
pub fn shipped() -> Result<PathBuf, Failure> {
    match std::env::var_os(COMPONENT) {
        Some(path) => Ok(path.into()),
        None => build(&place::root()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn component_above_its_limit_is_rejected() {
        assert_eq!(check_size(MAX_BYTES), Ok(()));
        let error = check_size(2_000_001).expect_err("one byte too many").to_string();
        assert!(error.contains("has 2000001 bytes") && error.contains("core/SIZE.md"), "{error}");
    }
}
