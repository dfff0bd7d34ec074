//! The merchant panel: built from its sources and the browser package, and tried in a browser against a real server.

use std::path::{Path, PathBuf};

use despacho_xtask::{
    place,
    run::{self, Failure},
    server::{self, Server},
};

use crate::{needs::Need, package};

/// The panel's sources.
const FOLDER: &str = "hosts/panel";
/// The operator's token of the server that is tested.
const OPERATOR: &str = "panel-tests-operator-token";
/// One account logs in many times, and pages ask often; how quotas work is shown by the cases. Simulated couriers are fast, so that an order is
/// carried to its end while a test watches.
const SETTINGS: [(&str, &str); 10] = [
    ("DESPACHO_LIMITS_PREVIEWS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_READS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_LOGINS_PER_15_MINUTES", "10000"),
    ("DESPACHO_LIMITS_REGISTRATIONS_PER_DAY", "100000"),
    // The tests listen for webhooks on this machine.
    ("DESPACHO_WEBHOOKS_LOOPBACK", "true"),
    // One that fails is stopped while a test watches.
    ("DESPACHO_WEBHOOKS_DISABLE_AFTER", "4"),
    // Couriers that do what a test wants are the operator's to register.
    ("DESPACHO_ADMIN_TOKEN", OPERATOR),
    ("DESPACHO_SANDBOX_COURIERS_PER_STORE", "12"),
    ("DESPACHO_SANDBOX_SPEED", "20"),
];

/// Builds the browser package and the panel's files, and returns their folder. Without the compiler's target for browsers the panel is
/// built with the package's types alone and requests its prices from the server.
pub(crate) fn build(root: &Path) -> Result<PathBuf, Failure> {
    let folder = root.join(FOLDER);
    let mut options = package::Options::default();
    if Need::Target("wasm32-unknown-unknown").ensure(root, false).is_err() {
        println!("the Rust target wasm32-unknown-unknown is missing: the panel will ask the server for its prices");
        options.types = true;
    }
    package::run(root, options)?;
    if !is_newer(&folder.join("node_modules/.package-lock.json"), &folder.join("package-lock.json")) {
        run::show(run::command(&folder, &["npm", "ci", "--no-audit", "--no-fund"]))?;
    }
    let mut build = run::command(&folder, &["npm", "run", "build"]);
    build.env("DESPACHO_PACKAGE", place::target()?.join("package"));
    run::show(build)?;
    Ok(folder.join("dist"))
}

/// Builds the panel and runs its tests in the system's Chromium, against a fresh server with demonstration data. Pictures of every
/// page are left in `panel` in the build folder.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let files = build(root)?.to_string_lossy().into_owned();
    let target = place::target()?;
    let data = target.join("panel-data");
    if data.exists() {
        std::fs::remove_dir_all(&data).map_err(|e| Failure::new(format!("{}: {e}", data.display())))?;
    }
    let server = Server::start(&server::shipped()?, &data, &["--demo", "--panel", &files], &SETTINGS)?;
    let mut tests = run::command(&root.join(FOLDER), &["npm", "test"]);
    tests.env("DESPACHO_PANEL_ADMIN", OPERATOR);
    tests.env("DESPACHO_PANEL_URL", &server.base).env("DESPACHO_PANEL_SHOTS", target.join("panel"));
    run::show(tests)
}

/// Whether `product` exists and was written after `source`.
fn is_newer(product: &Path, source: &Path) -> bool {
    let written = |path: &Path| std::fs::metadata(path).and_then(|meta| meta.modified());
    matches!((written(product), written(source)), (Ok(product), Ok(source)) if product >= source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_product_is_not_newer() {
        assert!(!is_newer(Path::new("no-such-file"), Path::new("Cargo.toml")));
        assert!(is_newer(Path::new("Cargo.toml"), Path::new("Cargo.toml")));
    }
}
