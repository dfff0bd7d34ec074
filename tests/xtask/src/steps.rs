//! The steps of `cargo verify`, in order.

use std::{path::Path, process::Command};

use despacho_xtask::{
    component,
    run::{self, Failure},
    server, skip,
};

use crate::{
    contract, crates, deploy, generators,
    needs::{self, GENERATORS, Need, TESTS},
    package, pages, panel, webhooks, woocommerce,
};

/// The package of the Spin component's tests.
const SPIN_TESTS: &str = "despacho-spin-tests";

/// One check.
pub(crate) struct Step {
    /// Its name for `--only` and `--from`.
    pub(crate) name: &'static str,
    /// A description of what the step checks.
    pub(crate) description: &'static str,
    /// The tools that it requires.
    pub(crate) needs: &'static [Need],
    /// Whether it runs only by name: it takes minutes and its tools are large, or other steps
    /// include it.
    pub(crate) is_by_name: bool,
    /// What it does most of the time.
    pub(crate) load: Load,
    /// Runs the check.
    pub(crate) run: fn(&Path) -> Result<(), Failure>,
}

/// What a step does most of the time. Steps that wait run at the same time as the steps after them
/// that compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// Compiles on every processor.
    Compiles,
    /// Waits, or uses a single processor.
    Waits,
    /// Tests or measures what other work could disturb.
    Tests,
}

/// The steps of `cargo verify --quick`, for every day.
pub(crate) const QUICK: [&str; 4] = ["fmt", "clippy", "units", "types"];

/// All steps, quick ones first, so that a formatting error fails before the builds.
pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        description: "the code is formatted",
        needs: &[Need::Component("rustfmt", "fmt")],
        is_by_name: false,
        load: Load::Tests,
        run: |root| run::show(cargo(root, &["fmt", "--all", "--check"])),
    },
    Step {
        name: "deploy",
        description: "the Dockerfile, the Kubernetes manifests, the systemd unit and the workflows pass their linters",
        needs: &[Need::Venv(TESTS)],
        is_by_name: false,
        load: Load::Waits,
        run: deploy::check,
    },
    Step {
        name: "wasm",
        description: "the core and the road network build for browsers, each with only its own features",
        needs: &[Need::Target("wasm32-unknown-unknown")],
        is_by_name: false,
        load: Load::Compiles,
        run: |root| {
            // The step `package` builds the bindings.
            for package in ["despacho-core", "despacho-roads"] {
                let words = [
                    "check",
                    "--locked",
                    "--target",
                    "wasm32-unknown-unknown",
                    "-p",
                    package,
                ];
                run::show(cargo(root, &words))?;
            }
            Ok(())
        },
    },
    Step {
        name: "clippy",
        description: "clippy reports no warning",
        needs: &[Need::Component("clippy", "clippy")],
        is_by_name: false,
        load: Load::Compiles,
        run: |root| {
            let words = [
                "clippy",
                "--locked",
                "--workspace",
                "--all-features",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ];
            run::show(cargo(root, &words))
        },
    },
    Step {
        name: "units",
        description: "the unit tests of the core and the route engine pass, and the cases on the in-memory host",
        needs: &[],
        is_by_name: true,
        load: Load::Tests,
        run: |root| {
            let packages = ["-p", "despacho-core", "-p", "despacho-route"];
            let units = [
                &["test", "--locked", "--all-features", "--lib"][..],
                &packages,
            ]
            .concat();
            run::show(cargo(root, &units))?;
            let package = [
                "-p",
                "despacho-conformance",
                "--all-features",
                "--test",
                "cases",
            ];
            let cases = [&["test", "--locked"][..], &package, &["--", "memory::"]].concat();
            // A test of two hosts has `memory::` in its name too.
            run::show(cargo(root, &[&cases[..], &["--skip", "= "]].concat()))
        },
    },
    Step {
        name: "types",
        description: "the panel's code is formatted, has correct types and passes its unit tests",
        needs: &[Need::Program("node", "nodejs"), Need::Program("npm", "npm")],
        is_by_name: true,
        load: Load::Tests,
        run: panel::check_code,
    },
    Step {
        name: "doc",
        description: "the API documentation builds without broken links",
        needs: &[],
        is_by_name: false,
        load: Load::Compiles,
        run: |root| {
            let mut doc = cargo(
                root,
                &[
                    "doc",
                    "--locked",
                    "--workspace",
                    "--all-features",
                    "--no-deps",
                ],
            );
            doc.env("RUSTDOCFLAGS", "-D warnings");
            run::show(doc)
        },
    },
    Step {
        name: "deny",
        description: "licences, sources and bans of the dependencies meet .cargo/deny.toml",
        needs: &[Need::CargoDeny],
        is_by_name: false,
        load: Load::Tests,
        run: |root| {
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
        description: "no dependency has a known vulnerability (RustSec's database, if it can be fetched)",
        needs: &[Need::CargoDeny, Need::Advisories],
        is_by_name: false,
        load: Load::Tests,
        run: |root| {
            let words = [
                "deny",
                "--locked",
                "--config",
                ".cargo/deny.toml",
                "check",
                "--disable-fetch",
                "advisories",
            ];
            run::show(cargo(root, &words))
        },
    },
    Step {
        name: "server",
        description: "the server builds with the profile of the checks; the tests below use this build",
        needs: &[],
        is_by_name: false,
        load: Load::Compiles,
        run: |root| server::build(root).map(|_| ()),
    },
    Step {
        name: "pages",
        description: "the commands of every page run as written, with the server that the step `server` builds",
        needs: &[
            Need::Program("jq", "jq"),
            Need::Program("curl", "curl"),
            Need::Program("openssl", "openssl"),
        ],
        is_by_name: false,
        load: Load::Tests,
        run: pages::check,
    },
    Step {
        name: "webhooks",
        description: "a failing receiver gets every webhook, with signatures that the reference library verifies",
        needs: &[Need::Venv(TESTS)],
        is_by_name: false,
        load: Load::Waits,
        run: webhooks::check,
    },
    Step {
        name: "recipes",
        description: "the client code of bindings/RECIPES.md works in every language, with lost connections and forged webhooks",
        needs: &[
            Need::Venv(TESTS),
            Need::Program("node", "nodejs"),
            Need::Program("jq", "jq"),
            Need::Program("curl", "curl"),
        ],
        is_by_name: false,
        load: Load::Waits,
        run: webhooks::check_recipes,
    },
    Step {
        name: "spin-build",
        description: "the Spin component builds as it ships; the tests below use this build",
        needs: &[Need::Target(component::TARGET)],
        is_by_name: false,
        load: Load::Compiles,
        run: component::build_with_size,
    },
    Step {
        name: "test",
        description: "all tests of the workspace pass except spin-test; the cases run on every host, including Spin and PostgreSQL",
        needs: &[
            Need::Target("wasm32-wasip1"),
            Need::Target(component::TARGET),
            Need::Postgres,
            Need::Program("pgbouncer", "pgbouncer"),
        ],
        is_by_name: false,
        load: Load::Tests,
        run: test_workspace,
    },
    Step {
        name: "spin-test",
        description: "the Spin component passes its tests on SQLite and PostgreSQL: races, traps, kills, configuration, memory, Open Delivery",
        needs: &[
            Need::Target(component::TARGET),
            Need::Postgres,
            Need::Venv(TESTS),
        ],
        is_by_name: false,
        load: Load::Tests,
        run: test_component,
    },
    Step {
        name: "spin-up",
        description: "the cases pass under `spin up`, if the Spin CLI is installed",
        needs: &[Need::Target(component::TARGET), Need::Spin],
        is_by_name: false,
        load: Load::Tests,
        run: test_under_spin_up,
    },
    Step {
        name: "contract",
        description: "generated valid and invalid requests get responses that conform to /openapi.json",
        needs: &[Need::Venv(TESTS)],
        is_by_name: false,
        load: Load::Waits,
        run: contract::check,
    },
    Step {
        name: "wasm-test",
        description: "the unit tests of the core and the route engine pass on WebAssembly",
        needs: &[
            Need::Target("wasm32-wasip1"),
            Need::Program("node", "nodejs"),
        ],
        is_by_name: false,
        load: Load::Compiles,
        run: |root| {
            // Cargo runs tests in the package's folder. A relative path of the runner contains no
            // spaces.
            for (package, root_from_there) in [("despacho-core", ".."), ("despacho-route", "../..")]
            {
                let words = [
                    "test",
                    "--locked",
                    "-p",
                    package,
                    "--target",
                    "wasm32-wasip1",
                    "--lib",
                ];
                let mut tests = cargo(root, &words);
                // Without --single-threaded, Node 20 crashes at the end of a long run.
                let runner = format!(
                    "node --no-warnings --single-threaded {root_from_there}/tests/xtask/wasi.mjs"
                );
                tests.env("CARGO_TARGET_WASM32_WASIP1_RUNNER", runner);
                run::show(tests)?;
            }
            Ok(())
        },
    },
    Step {
        name: "package",
        description: "the browser package builds, its previews equal the service's byte for byte, and its element works in pages",
        needs: &[
            Need::Target("wasm32-unknown-unknown"),
            Need::Program("node", "nodejs"),
            Need::Program("npm", "npm"),
            Need::Program("chromium", "chromium"),
        ],
        is_by_name: false,
        load: Load::Compiles,
        run: |root| {
            package::run(
                root,
                package::Options {
                    check: true,
                    ..Default::default()
                },
            )
        },
    },
    Step {
        name: "doctest",
        description: "the examples in the API documentation run",
        needs: &[],
        is_by_name: false,
        load: Load::Compiles,
        run: |root| {
            run::show(cargo(
                root,
                &["test", "--locked", "--workspace", "--all-features", "--doc"],
            ))
        },
    },
    Step {
        name: "crates",
        description: "the published packages of the route engine and the core build from their own files",
        needs: &[],
        is_by_name: false,
        load: Load::Compiles,
        run: crates::package,
    },
    Step {
        name: "crates-newest",
        description: "the published packages build without a lock file, with the newest version of every dependency",
        needs: &[Need::Target("wasm32-unknown-unknown"), Need::Registry],
        is_by_name: false,
        load: Load::Compiles,
        run: crates::check_newest,
    },
    Step {
        name: "crates-oldest",
        description: "the published packages build with the lowest version of every dependency that their manifests permit",
        needs: &[Need::Registry],
        is_by_name: false,
        load: Load::Compiles,
        run: crates::check_oldest,
    },
    Step {
        name: "generators",
        description: "linters accept core/openapi.json, and clients that four generators and Postman derive from it create orders",
        needs: &[
            Need::Venv(GENERATORS),
            Need::Program("node", "nodejs"),
            Need::Program("npm", "npm"),
        ],
        is_by_name: true,
        load: Load::Tests,
        run: generators::check,
    },
    Step {
        name: "panel",
        description: "the merchant panel passes its browser tests with the server that the step `server` builds; screenshots are in target/panel",
        needs: &[
            Need::Target("wasm32-unknown-unknown"),
            Need::Program("node", "nodejs"),
            Need::Program("npm", "npm"),
            Need::Program("chromium", "chromium"),
        ],
        is_by_name: false,
        load: Load::Tests,
        run: panel::check,
    },
    Step {
        name: "woocommerce",
        description: "the WooCommerce plugin passes its tests, with the installed PHP, WordPress, MariaDB and browser; screenshots are in target/woocommerce",
        // The step itself reports missing programs, because few developers have all of them.
        needs: &[],
        is_by_name: false,
        load: Load::Tests,
        run: woocommerce::check,
    },
    Step {
        name: "bench",
        description: "the benchmarks run and print their results compared with baselines; no speed is asserted",
        needs: &[],
        is_by_name: false,
        load: Load::Tests,
        run: |root| {
            // The short form omits timings on WebAssembly; other steps compare its results.
            let bench = [
                "run",
                "--locked",
                "--profile",
                "quick",
                "--no-default-features",
                "-p",
                "despacho-bench",
                "--",
            ];
            let binary = server::build(root)?;
            for words in [
                &["load", "--seconds", "1", "--orders", "2000"][..],
                &["route", "--short"],
                &["assign", "--short"],
            ] {
                let mut bench = cargo(root, &[&bench, words].concat());
                bench.env(server::BINARY, &binary);
                run::show(bench)?;
            }
            match instances(root) {
                Some(path) => run::show(cargo(
                    root,
                    &[&bench[..], &["dispatch", &path, "--short"]].concat(),
                )),
                None => {
                    let reason = format!(
                        "the benchmark `dispatch`: {INSTANCES} does not name a folder or an archive of its instances"
                    );
                    skip::record("shared-data", &reason)
                }
            }
        },
    },
];

/// The variable that names the instances of the benchmark `dispatch`, which have no licence and are
/// not in the repository.
const INSTANCES: &str = "DESPACHO_MDRP";

/// Returns the path of the instances of the benchmark `dispatch`: the variable's, or an archive
/// near the repository.
fn instances(root: &Path) -> Option<String> {
    let named = std::env::var(INSTANCES).ok();
    let nearby =
        || Some(root.join("../shared/data/mdrp/instances.tar.xz")).filter(|path| path.is_file());
    named.or_else(|| nearby().map(|path| path.to_string_lossy().into_owned()))
}

/// Creates a cargo command that runs in the repository.
fn cargo(root: &Path, words: &[&str]) -> Command {
    run::command(root, &[&["cargo"], words].concat())
}

/// Runs the Spin component's tests, and Open Delivery on the component. With nextest the tests are
/// selected from the whole workspace, because a single package would rebuild its dependencies with
/// different features.
fn test_component(root: &Path) -> Result<(), Failure> {
    match has_nextest() {
        true => {
            let filter = format!("package({SPIN_TESTS})");
            run_tests(
                root,
                &NEXTEST,
                &["--workspace", &test_threads(), "--filterset", &filter],
            )
        }
        false => run_tests(root, &EVERY_TEST, &["--package", SPIN_TESTS]),
    }?;
    webhooks::check_open_delivery_on_spin(root)
}

/// Runs the cases under `spin up`, each with its own application.
fn test_under_spin_up(root: &Path) -> Result<(), Failure> {
    let words = [
        "test",
        "--locked",
        "--all-features",
        "--workspace",
        "--exclude",
        SPIN_TESTS,
        "--test",
        "cases",
    ];
    let mut tests = cargo(root, &[&words[..], &["--", "spin-up::"]].concat());
    tests
        .env(component::SPIN, needs::spin())
        .env(component::COMPONENT, component::build(root)?);
    run::show(tests)
}

/// Runs every test of the workspace except the Spin component's. The cases and the storage tests
/// run in one process each, which starts PostgreSQL once; nextest would do so for every test.
fn test_workspace(root: &Path) -> Result<(), Failure> {
    const WORKSPACE: [&str; 3] = ["--workspace", "--exclude", SPIN_TESTS];
    if !has_nextest() {
        return run_tests(root, &EVERY_TEST, &WORKSPACE);
    }
    let threads = test_threads();
    let others = [
        "--profile",
        "verify",
        &threads,
        "--filterset",
        "not (binary(cases) or binary(storage))",
    ];
    let others = run_tests(root, &NEXTEST, &[&WORKSPACE[..], &others].concat());
    let shared = [
        "test",
        "--no-fail-fast",
        "--test",
        "storage",
        "--test",
        "cases",
    ];
    let shared = run_tests(root, &shared, &[&WORKSPACE[..], &["--", &threads]].concat());
    others.and(shared)
}

/// Returns the option for two tests on each processor, because most tests wait.
fn test_threads() -> String {
    format!(
        "--test-threads={}",
        std::thread::available_parallelism().map_or(2, usize::from) * 2
    )
}

const NEXTEST: [&str; 3] = ["nextest", "run", "--no-fail-fast"];
const EVERY_TEST: [&str; 3] = ["test", "--no-fail-fast", "--tests"];

fn has_nextest() -> bool {
    run::succeeds(&["cargo", "nextest", "--version"])
}

fn run_tests(root: &Path, runner: &[&str], selected: &[&str]) -> Result<(), Failure> {
    let mut tests = cargo(
        root,
        &[runner, &["--locked", "--all-features"], selected].concat(),
    );
    tests.env(component::COMPONENT, component::build(root)?);
    tests.env(server::BINARY, server::build(root)?);
    // The default of `core/tests/lifecycle/coverage.rs` is a tenth, for short runs.
    tests.env("DESPACHO_COVERAGE_CASES", "10000");
    run::show(tests)
}
