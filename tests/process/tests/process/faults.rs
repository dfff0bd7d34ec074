//! The short form of the fault run: every kind of fault once, with little load.

#![expect(
    clippy::print_stdout,
    reason = "figures are printed for developers: run with --no-capture"
)]

use std::time::Duration;

use despacho_process::faults::{Plan, run};
use despacho_xtask::{server, skip};

#[test]
fn failures_under_load_violate_no_invariant() {
    if !despacho_process::cluster::is_installed() {
        return;
    }
    let binary = server::binary().unwrap_or_else(|failure| panic!("{failure}"));
    let plan = Plan {
        binary,
        seed: 7,
        span: Duration::from_secs(10),
        merchants: 4,
        couriers: 8,
        max_outage: Duration::from_secs(2),
        disk_mb: 192,
        log: None,
        print: |line| println!("{line}"),
    };
    let report = run(&plan).unwrap_or_else(|failure| panic!("{failure}"));
    println!("{report}");
    for (fault, reason) in &report.skipped {
        skip::test(&fault.replace(' ', "-"), reason);
    }
    assert!(report.violations.is_empty(), "\n{report}");
    // Without assigned orders, the checks would not be meaningful.
    assert!(
        report.stored.contains_key("order.allocated") && report.acknowledged > 0,
        "\n{report}"
    );
}
