//! The table of `cargo verify`. A new check is one more line here.

use std::{path::Path, process::Command};

use despacho_xtask::{
    component,
    run::{self, Failure},
    server,
};

use crate::{
    contract, deploy,
    needs::{self, Need},
    package, pages, panel, webhooks,
};

/// The package of the component's own tests.
const SPIN_TESTS: &str = "despacho-spin-tests";

/// One check.
pub(crate) struct Step {
    /// What `--only` and `--from` call it.
    pub(crate) name: &'static str,
    /// What it shows, for people.
    pub(crate) what: &'static str,
    /// What must be there.
    pub(crate) needs: &'static [Need],
    /// What it does.
    pub(crate) act: fn(&Path) -> Result<(), Failure>,
}

/// All steps, quick ones first: who breaks the formatting should know before the release build.
pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        what: "the code is formatted",
        needs: &[Need::Component("rustfmt", "fmt")],
        act: |root| run::show(cargo(root, &["fmt", "--all", "--check"])),
    },
    Step {
        name: "wasm",
        what: "the core builds for a browser, alone, so that no host's features help it; then the roads",
        needs: &[Need::Target("wasm32-unknown-unknown")],
        act: |root| {
            // The step `package` builds the bindings.
            for package in ["despacho-core", "despacho-roads"] {
                let words = ["check", "--locked", "--target", "wasm32-unknown-unknown", "-p", package];
                run::show(cargo(root, &words))?;
            }
            Ok(())
        },
    },
    Step {
        name: "clippy",
        what: "no lint has anything to say",
        needs: &[Need::Component("clippy", "clippy")],
        act: |root| {
            let words =
                ["clippy", "--locked", "--workspace", "--all-features", "--all-targets", "--", "-D", "warnings"];
            run::show(cargo(root, &words))
        },
    },
    Step {
        name: "doc",
        what: "the documentation builds and its links lead somewhere",
        needs: &[],
        act: |root| {
            let mut doc = cargo(root, &["doc", "--locked", "--workspace", "--all-features", "--no-deps"]);
            doc.env("RUSTDOCFLAGS", "-D warnings");
            run::show(doc)
        },
    },
    Step {
        name: "deny",
        what: "licences, sources and bans of the dependencies (.cargo/deny.toml)",
        needs: &[Need::CargoDeny],
        act: |root| {
            let words = [
                "deny",
                "--locked",
                "--config",
                ".cargo/deny.toml",
                "check",
                "--hide-inclusion-graph",
                "licenses",
                "bans",
                "sources",
            ];
            run::show(cargo(root, &words))
        },
    },
    Step {
        name: "advisories",
        what: "no dependency has a known vulnerability (RustSec's database, if it can be fetched)",
        needs: &[Need::CargoDeny, Need::Advisories],
        act: |root| {
            let words = ["deny", "--locked", "--config", ".cargo/deny.toml", "check", "--disable-fetch", "advisories"];
            run::show(cargo(root, &words))
        },
    },
    Step {
        name: "deploy",
        what: "the image's recipe, the manifests and the unit under their linters",
        needs: &[Need::Venv],
        act: deploy::check,
    },
    Step {
        name: "release",
        what: "the server as it ships; the tests below run this very build",
        needs: &[],
        act: |root| server::build(root).map(|_| ()),
    },
    Step {
        name: "pages",
        what: "the commands of every page run as written, on the server as it ships",
        needs: &[Need::Program("jq", "jq"), Need::Program("curl", "curl")],
        act: pages::check,
    },
    Step {
        name: "spin-build",
        what: "the Spin component as it ships, within its limit of size; the tests below run this very build",
        needs: &[Need::Target(component::TARGET), Need::Program(component::OPTIMISER, "binaryen")],
        act: component::build_within_limit,
    },
    Step {
        name: "test",
        what: "every test of the workspace, the component's own aside; the cases run on it too, and on PostgreSQL",
        needs: &[
            Need::Target("wasm32-wasip1"),
            Need::Target(component::TARGET),
            Need::Postgres,
            Need::Program("pgbouncer", "pgbouncer"),
        ],
        act: test_workspace,
    },
    Step {
        name: "spin-test",
        what: "the component on SQLite and PostgreSQL: races, traps, kills, configuration, memory",
        needs: &[Need::Target(component::TARGET), Need::Postgres],
        act: test_component,
    },
    Step {
        name: "spin-up",
        what: "the cases on the Spin runtime itself, if it is installed",
        needs: &[Need::Target(component::TARGET), Need::Program(component::OPTIMISER, "binaryen"), Need::Spin],
        act: test_under_spin_up,
    },
    Step {
        name: "wasm-test",
        what: "the core's own tests, on wasm: the same answers there",
        needs: &[Need::Target("wasm32-wasip1"), Need::Program("node", "nodejs")],
        act: |root| {
            // The runner's path is from the package's folder, where cargo runs tests, so that no space can be in it.
            for (package, root_from_there) in [("despacho-core", ".."), ("despacho-route", "../..")] {
                let words = ["test", "--locked", "-p", package, "--target", "wasm32-wasip1", "--lib"];
                let mut tests = cargo(root, &words);
                // With threads of its own Node 20 crashes at the end of a long run.
                let runner = format!("node --no-warnings --single-threaded {root_from_there}/tests/xtask/wasi.mjs");
                tests.env("CARGO_TARGET_WASM32_WASIP1_RUNNER", runner);
                run::show(tests)?;
            }
            Ok(())
        },
    },
    Step {
        name: "package",
        what: "the browser package builds within its limit of size, and under Node.js its previews are the service's, byte for byte",
        needs: &[Need::Target("wasm32-unknown-unknown"), Need::Program("node", "nodejs"), Need::Program("npm", "npm")],
        act: |root| package::run(root, package::Options { check: true, ..Default::default() }),
    },
    Step {
        name: "doctest",
        what: "the examples in the documentation",
        needs: &[],
        act: |root| run::show(cargo(root, &["test", "--locked", "--workspace", "--all-features", "--doc"])),
    },
    Step {
        name: "crates",
        what: "the packages of the route engine and the core build from what is in them",
        needs: &[],
        act: |root| {
            // Files that are not committed yet count too. All dependencies are here by now.
            let words =
                ["package", "--locked", "--offline", "--allow-dirty", "-p", "despacho-route", "-p", "despacho-core"];
            run::show(cargo(root, &words))
        },
    },
    Step {
        name: "contract",
        what: "generated requests, sound and broken, get answers as /openapi.json promises",
        needs: &[Need::Venv],
        act: contract::check,
    },
    Step {
        name: "webhooks",
        what: "a receiver that verifies signatures by the reference library, and fails on purpose, loses nothing",
        needs: &[Need::Venv],
        act: webhooks::check,
    },
    Step {
        name: "panel",
        what: "the merchant panel in a browser, against the server as it ships; pictures of it are left in target/panel",
        needs: &[
            Need::Target("wasm32-unknown-unknown"),
            Need::Program("node", "nodejs"),
            Need::Program("npm", "npm"),
            Need::Program("chromium", "chromium"),
        ],
        act: panel::check,
    },
    Step {
        name: "bench",
        what: "how fast it is beside references in the same run: printed for people, nothing is asserted",
        needs: &[],
        act: |root| {
            // On wasm the routes' answers are compared by the tests; its times are for the long form.
            let bench = ["run", "--locked", "--release", "--no-default-features", "-p", "despacho-bench", "--"];
            let binary = server::build(root)?;
            for words in
                [&["load", "--seconds", "1", "--orders", "2000"][..], &["route", "--short"], &["assign", "--short"]]
            {
                let mut bench = cargo(root, &[&bench, words].concat());
                bench.env(server::BINARY, &binary);
                run::show(bench)?;
            }
            Ok(())
        },
    },
];

/// A cargo command in the repository.
fn cargo(root: &Path, words: &[&str]) -> Command {
    run::command(root, &[&["cargo"], words].concat())
}

/// The component's own tests. Chosen out of the workspace, since a package alone has its dependencies with other features, and built
/// again for them.
fn test_component(root: &Path) -> Result<(), Failure> {
    match has_nextest() {
        true => run_tests(root, &NEXTEST, &["--workspace", "--filterset", &format!("package({SPIN_TESTS})")]),
        false => run_tests(root, &EVERY_TEST, &["--package", SPIN_TESTS]),
    }
}

/// The cases under `spin up`, an application for each.
fn test_under_spin_up(root: &Path) -> Result<(), Failure> {
    component::build(root)?;
    let words = ["test", "--locked", "--all-features", "--workspace", "--exclude", SPIN_TESTS, "--test", "cases"];
    let mut tests = cargo(root, &[&words[..], &["--", "spin-up::"]].concat());
    tests.env(component::SPIN, needs::spin());
    run::show(tests)
}

/// Every test of the workspace but the component's own. The cases run in one process, which loads the component and starts PostgreSQL
/// once, where nextest would do so for each of them.
fn test_workspace(root: &Path) -> Result<(), Failure> {
    const WORKSPACE: [&str; 3] = ["--workspace", "--exclude", SPIN_TESTS];
    if !has_nextest() {
        return run_tests(root, &EVERY_TEST, &WORKSPACE);
    }
    let others = run_tests(root, &NEXTEST, &[&WORKSPACE[..], &["--filterset", "not binary(cases)"]].concat());
    let cases = run_tests(root, &["test", "--no-fail-fast", "--test", "cases"], &WORKSPACE);
    others.and(cases)
}

const NEXTEST: [&str; 3] = ["nextest", "run", "--no-fail-fast"];
const EVERY_TEST: [&str; 3] = ["test", "--no-fail-fast", "--tests"];

fn has_nextest() -> bool {
    run::succeeds(&["cargo", "nextest", "--version"])
}

fn run_tests(root: &Path, runner: &[&str], selected: &[&str]) -> Result<(), Failure> {
    let mut tests = cargo(root, &[runner, &["--locked", "--all-features"], selected].concat());
    tests.env(component::COMPONENT, component::build(root)?);
    tests.env(server::BINARY, server::build(root)?);
    run::show(tests)
}
