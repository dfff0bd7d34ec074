//! The Spin component's build.

use std::path::{Path, PathBuf};

use crate::{
    place,
    run::{self, Failure},
};

/// The environment variable by which tests are told which build of the component to run.
pub const COMPONENT: &str = "DESPACHO_COMPONENT";

/// The target that components are built for.
pub const TARGET: &str = "wasm32-wasip2";

/// Builds the component as it ships, by the command of spin.toml, and returns the file.
pub fn build(root: &Path) -> Result<PathBuf, Failure> {
    build_package(root, "despacho-spin")
}

/// Builds any package of the workspace in the same way.
pub fn build_package(root: &Path, package: &str) -> Result<PathBuf, Failure> {
    let words = ["cargo", "build", "--locked", "--profile", "edge", "--package", package, "--target", TARGET];
    run::show(run::command(root, &words))?;
    let file = format!("{}.wasm", package.replace('-', "_"));
    Ok(place::target()?.join(TARGET).join("edge").join(file))
}

/// The component for a test or a measurement: the build named by [`COMPONENT`], or else one made now, so that nothing runs
/// yesterday's.
pub fn shipped() -> Result<PathBuf, Failure> {
    match std::env::var_os(COMPONENT) {
        Some(path) => Ok(path.into()),
        None => build(&place::root()?),
    }
}
