//! The short forms of both storms, for `cargo verify`.

#![expect(
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may panic where it fails; figures are printed for developers: run with --no-capture"
)]

use std::time::Duration;

use despacho_process::faults::{Plan, Storm, run_storm};
use despacho_xtask::server;

fn storm(sqlite: bool) {
    let binary = server::binary().unwrap_or_else(|failure| panic!("{failure}"));
    let plan = Plan {
        binary,
        seed: 11,
        span: Duration::from_secs(8),
        merchants: 9,
        couriers: 6,
        max_outage: Duration::ZERO,
        disk_mb: 0,
        log: None,
        print: |line| println!("{line}"),
    };
    let report = run_storm(&Storm { plan, sqlite }).unwrap_or_else(|failure| panic!("{failure}"));
    println!("{report}");
    assert!(report.violations.is_empty(), "\n{report}");
    // Without orders, kills or rejected requests, the checks would not be meaningful.
    assert!(
        report.acknowledged > 0 && report.kills >= 2 && report.checks > 500,
        "\n{report}"
    );
    for status in [401, 404, 413] {
        assert!(
            report.responses.contains_key(&status),
            "no response {status}\n{report}"
        );
    }
}

#[test]
fn storm_on_sqlite_violates_no_invariant() {
    storm(true);
}

#[test]
fn storm_over_three_instances_violates_no_invariant() {
    if !despacho_process::cluster::is_installed() {
        return;
    }
    storm(false);
}
