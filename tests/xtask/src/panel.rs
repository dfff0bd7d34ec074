//! Builds the merchant panel, the courier's app and the operator's console from their sources and
//! the browser package, and tests them in a browser with a real server.

use std::path::{Path, PathBuf};

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
    let folder = root.join(FOLDER);
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
    install(root)?;
    let mut build = run::command(&folder, &["npm", "run", "build"]);
    build.env("DESPACHO_PACKAGE", place::target()?.join("package"));
    run::show(build)?;
    Ok(folder.join("dist"))
}

/// Checks the panel's code without building it, and runs its unit tests.
pub(crate) fn check_code(root: &Path) -> Result<(), Failure> {
    let types = package::Options {
        types: true,
        ..Default::default()
    };
    package::run(root, types)?;
    install(root)?;
    for script in ["check", "unit"] {
        let mut check = run::command(&root.join(FOLDER), &["npm", "run", script]);
        check.env("DESPACHO_PACKAGE", place::target()?.join("package"));
        run::show(check)?;
    }
    Ok(())
}

/// Installs the packages of the lock file, if it has changed since.
fn install(root: &Path) -> Result<(), Failure> {
    let folder = root.join(FOLDER);
    let installed = folder.join("node_modules/.package-lock.json");
    if is_newer(&installed, &folder.join("package-lock.json")) {
        return Ok(());
    }
    let words = ["npm", "ci", "--no-audit", "--no-fund"];
    run::show(run::command(&folder, &words))
}

/// Builds the panel and runs its unit tests with Vitest, and its other tests with Playwright in the
/// system's Chromium. Each worker of Playwright starts a server with data of its own. Screenshots
/// of every page are written to `panel` in the build folder, and what a failed test leaves to
/// `panel-results`.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    build(root)?;
    let folder = root.join(FOLDER);
    let target = place::target()?;
    let mut unit = run::command(&folder, &["npm", "run", "unit"]);
    unit.env("DESPACHO_PACKAGE", target.join("package"));
    run::show(unit)?;
    let mut tests = run::command(&folder, &["npm", "test"]);
    tests
        .env(server::BINARY, server::checked()?)
        .env("DESPACHO_PANEL_SHOTS", target.join("panel"))
        .env("DESPACHO_PANEL_RESULTS", target.join("panel-results"));
    run::show(tests)
}

/// Returns whether `product` exists and is not older than `source`.
fn is_newer(product: &Path, source: &Path) -> bool {
    let written = |path: &Path| std::fs::metadata(path).and_then(|meta| meta.modified());
    matches!((written(product), written(source)), (Ok(product), Ok(source)) if product >= source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_product_is_not_newer() {
        assert!(!is_newer(
            Path::new("no-such-file"),
            Path::new("Cargo.toml")
        ));
        assert!(is_newer(Path::new("Cargo.toml"), Path::new("Cargo.toml")));
    }
}
