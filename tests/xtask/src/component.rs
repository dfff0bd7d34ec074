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
