//! The build of the Spin component.

use std::path::{Path, PathBuf};

use crate::{
    place,
    run::{self, Failure},
};

/// The environment variable that names the built component for tests.
pub const COMPONENT: &str = "DESPACHO_COMPONENT";

/// The environment variable that names the Spin CLI for tests under `spin up`.
pub const SPIN: &str = "DESPACHO_SPIN";

/// The compilation target of components.
pub const TARGET: &str = "wasm32-wasip2";

const PACKAGE: &str = "despacho-spin";

/// The profile of the component, which is also the name of cargo's output folder.
const PROFILE: &str = "edge";

/// Builds the component as it ships, by the same command as spin.toml. Returns its file.
pub fn build(root: &Path) -> Result<PathBuf, Failure> {
    cargo(root, "build", &["--package", PACKAGE])?;
    Ok(built()?.join("despacho_spin.wasm"))
}

/// Builds the component and prints its size.
pub fn build_with_size(root: &Path) -> Result<(), Failure> {
    let file = build(root)?;
    let size = file
        .metadata()
        .map_err(|error| Failure::new(format!("{}: {error}", file.display())))?
        .len();
    println!("  {}: {size} bytes", file.display());
    Ok(())
}

/// Builds the empty component with the same settings, as the baseline of measurements.
pub fn build_hello(root: &Path) -> Result<PathBuf, Failure> {
    cargo(
        root,
        "rustc",
        &[
            "--package",
            PACKAGE,
            "--example",
            "hello",
            "--crate-type",
            "cdylib",
        ],
    )?;
    Ok(built()?.join("examples/hello.wasm"))
}

fn cargo(root: &Path, command: &str, options: &[&str]) -> Result<(), Failure> {
    let words = [
        "cargo",
        command,
        "--locked",
        "--profile",
        PROFILE,
        "--target",
        TARGET,
    ];
    run::show(run::command(root, &[&words, options].concat()))
}

/// Returns cargo's output folder of the component.
fn built() -> Result<PathBuf, Failure> {
    Ok(place::target()?.join(TARGET).join(PROFILE))
}

/// Returns the component for a test or a measurement: the build named by [`COMPONENT`], or else a
/// new one, so that no test runs an outdated build.
pub fn shipped() -> Result<PathBuf, Failure> {
    match std::env::var_os(COMPONENT) {
        Some(path) => Ok(path.into()),
        None => build(&place::root()?),
    }
}
