//! Builds the merchant panel, the courier's app and the operator's console from their sources and
//! the browser package, and tests them in a browser with a real server.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use despacho_xtask::{
    place,
    run::{self, Failure},
    server,
};

use crate::{needs::Need, package};

/// The panel's sources.
const FOLDER: &str = "hosts/panel";

/// Builds the browser package and the panel, and returns the panel's folder. If the Rust target for
/// browsers is missing, the panel is built with only the package's types and requests its prices
/// from the server.
pub(crate) fn build(root: &Path) -> Result<PathBuf, Failure> {
    let mut options = package::Options::default();
    if Need::Target("wasm32-unknown-unknown")
        .ensure(root, false)
        .is_err()
    {
        println!(
            "the Rust target wasm32-unknown-unknown is missing; the panel will request its prices from the server"
        );
        options.types = true;
    }
    package::run(root, options)?;
    package::install(&root.join(FOLDER))?;
    run::show(npm(root, &["run", "build"])?)?;
    Ok(root.join(FOLDER).join("dist"))
}

/// Checks the panel's code without building it, and runs its unit tests. The types have a folder of
/// their own: beside a module of an earlier build, the tests that compare with it would fail.
pub(crate) fn check_code(root: &Path) -> Result<(), Failure> {
    let folder = place::target()?.join("package-types");
    let types = package::Options {
        types: true,
        out: Some(folder.clone()),
        ..Default::default()
    };
    package::run(root, types)?;
    package::install(&root.join(FOLDER))?;
    for script in ["check", "unit"] {
        let mut npm = npm(root, &["run", script])?;
        npm.env("DESPACHO_PACKAGE", &folder);
        run::show(npm)?;
    }
    Ok(())
}

/// Creates a command of npm that finds the browser package.
fn npm(root: &Path, words: &[&str]) -> Result<Command, Failure> {
    let mut npm = run::command(&root.join(FOLDER), &[&["npm"], words].concat());
    npm.env("DESPACHO_PACKAGE", place::target()?.join("package"));
    Ok(npm)
}

/// Builds the panel and runs its unit tests with Vitest, and its other tests with Playwright in the
/// system's Chromium. Each worker of Playwright starts a server with data of its own. Screenshots
/// of every page are written to `panel` in the build folder, and what a failed test leaves to
/// `panel-results`.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    build(root)?;
    let target = place::target()?;
    run::show(npm(root, &["run", "unit"])?)?;
    let mut tests = npm(root, &["test"])?;
    tests
        .env(server::BINARY, server::checked()?)
        .env("DESPACHO_PANEL_SHOTS", target.join("panel"))
        .env("DESPACHO_PANEL_RESULTS", target.join("panel-results"));
    run::show(tests)
}
