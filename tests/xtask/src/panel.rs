//! Builds the merchant panel, the courier's app and the operator's console from their sources and
//! the browser package, and tests them in a browser with a real server.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use despacho_xtask::{
    place,
    run::{self, Failure},
    server::{self, Server},
};

use crate::{needs::Need, package};

/// The panel's sources.
const FOLDER: &str = "hosts/panel";
/// The number of test files that run at the same time, each against a server of its own. Most tests
/// wait for a page or for the server.
const WORKERS: usize = 3;
/// The line of Node.js's report after which the failed tests and their errors follow.
const FAILING: &str = "failing tests:";
/// The environment variable with which the tests delay requests at random.
const DELAY: &str = "DESPACHO_PANEL_DELAY";
/// The operator's token of the tested server.
const OPERATOR: &str = "panel-tests-operator-token";
/// Settings of the tested server. The limits allow frequent logins and polling from one account.
/// Simulated couriers are fast enough to complete an order during a test.
const SETTINGS: [(&str, &str); 11] = [
    ("DESPACHO_LIMITS_PREVIEWS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_READS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_LOGINS_PER_15_MINUTES", "10000"),
    ("DESPACHO_LIMITS_REGISTRATIONS_PER_DAY", "100000"),
    // The tests receive webhooks on a loopback address.
    ("DESPACHO_WEBHOOKS_LOOPBACK", "true"),
    // A failing webhook is disabled within the duration of a test.
    ("DESPACHO_WEBHOOKS_DISABLE_AFTER", "4"),
    // The tests register couriers of their own as the operator.
    ("DESPACHO_ADMIN_TOKEN", OPERATOR),
    // Links of couriers and recipients need a base URL. The port is not known yet, and the tests
    // use only the paths.
    ("DESPACHO_PUBLIC_URL", "http://127.0.0.1"),
    ("DESPACHO_SANDBOX_COURIERS_PER_STORE", "12"),
    ("DESPACHO_SANDBOX_SPEED", "20"),
];

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

/// Builds the panel and runs its unit tests, and its other tests in the system's Chromium against
/// new servers with demo data. Screenshots of every page are written to `panel` in the build
/// folder.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let panel = build(root)?;
    run::show(run::command(&root.join(FOLDER), &["npm", "run", "unit"]))?;
    let (measurements, tests) = test_files(&root.join(FOLDER))?;
    let next = AtomicUsize::new(0);
    let run_next = |worker: usize| -> Vec<Failure> {
        let server = match start(&panel, &worker.to_string()) {
            Ok(server) => server,
            Err(failure) => return vec![failure],
        };
        let files = std::iter::from_fn(|| tests.get(next.fetch_add(1, Ordering::Relaxed)));
        files
            .filter_map(|file| run_tests(root, &server, file).err())
            .collect()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..=WORKERS)
            .map(|worker| scope.spawn(move || run_next(worker)))
            .collect();
        let panicked = |_| vec![Failure::new("a worker of the panel's tests panicked")];
        let failures = workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(panicked));
        failures.map(|failure| failure.to_string()).collect()
    });
    if !failures.is_empty() {
        return Err(Failure::new(failures.join("\n")));
    }
    if std::env::var_os(DELAY).is_some() {
        println!("  {DELAY} is set, so nothing is measured");
        return Ok(());
    }
    let server = start(&panel, "speed")?;
    measurements
        .iter()
        .try_for_each(|file| run_tests(root, &server, file))
}

/// Returns the test files that measure times, which run alone, and all others, those that take
/// longest first.
fn test_files(folder: &Path) -> Result<(Vec<String>, Vec<String>), Failure> {
    let tests = folder.join("tests");
    let entries =
        std::fs::read_dir(&tests).map_err(|e| Failure::new(format!("{}: {e}", tests.display())))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<_> = names
        .filter(|name| name.ends_with(".test.mjs"))
        .map(|name| format!("tests/{name}"))
        .collect();
    files.sort_by_cached_key(|name| (!name.ends_with("looks.test.mjs"), name.clone()));
    Ok(files
        .into_iter()
        .partition(|name| name.ends_with("/speed.test.mjs")))
}

/// Starts a server whose data folder has the given name.
fn start(panel: &Path, name: &str) -> Result<Server, Failure> {
    let data = place::target()?.join("panel-data").join(name);
    if data.exists() {
        std::fs::remove_dir_all(&data)
            .map_err(|e| Failure::new(format!("{}: {e}", data.display())))?;
    }
    Server::start(
        &server::checked()?,
        &data,
        &["--demo", "--panel", &panel.to_string_lossy()],
        &SETTINGS,
    )
}

/// Runs the tests of a file against a server.
fn run_tests(root: &Path, server: &Server, file: &str) -> Result<(), Failure> {
    let mut tests = run::command(&root.join(FOLDER), &["npm", "test", "--", file]);
    tests.env("DESPACHO_PANEL_ADMIN", OPERATOR);
    tests
        .env("DESPACHO_PANEL_URL", &server.base)
        .env("DESPACHO_PANEL_SHOTS", place::target()?.join("panel"));
    run::show_at_end(tests, Some(FAILING))
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
    fn measurements_are_separate_from_the_other_tests() -> Result<(), Failure> {
        let (measurements, tests) = test_files(&place::root()?.join(FOLDER))?;
        assert_eq!(measurements, ["tests/speed.test.mjs"]);
        assert_eq!(
            tests[..2],
            ["tests/console-looks.test.mjs", "tests/looks.test.mjs"]
        );
        assert!(tests.len() > 10 && tests[2..].is_sorted() && !tests.contains(&measurements[0]));
        Ok(())
    }

    #[test]
    fn missing_product_is_not_newer() {
        assert!(!is_newer(
            Path::new("no-such-file"),
            Path::new("Cargo.toml")
        ));
        assert!(is_newer(Path::new("Cargo.toml"), Path::new("Cargo.toml")));
    }
}
