//! A short night in which half of the couriers fail.

#![expect(
    clippy::print_stdout,
    reason = "figures are printed for developers: run with --no-capture"
)]

use despacho_simulation::night::{NightSize, night};

/// The longest permitted wait while a courier is idle in reach: the limit, and one pass.
const BOUND_S: i64 = 5 * 60 + 15;

#[test]
fn no_order_starves_while_a_courier_is_idle_and_health_names_what_is_wrong() {
    for seed in 1..=2 {
        let report = night(NightSize::SHORT, seed).unwrap();
        println!("{report}");
        assert_eq!(
            (report.starved, report.wrong_readings),
            (0, 0),
            "seed {seed}: {report}"
        );
        assert!(
            report.longest_wait_while_idle_s <= BOUND_S,
            "seed {seed}: {report}"
        );
        assert!(
            report
                .named_after_s
                .iter()
                .flatten()
                .all(|seconds| *seconds <= 60),
            "seed {seed}: {report}"
        );
        // Without failures and orders that were delivered in spite of them, the night would show
        // nothing.
        let (silent, stuck) = report.failures;
        assert!(
            silent > 0 && stuck > 0 && report.delivered * 4 >= report.orders * 3,
            "seed {seed}: {report}"
        );
        assert!(
            report.named_after_s[0].is_some() && report.named_after_s[1].is_some(),
            "seed {seed}: {report}"
        );
    }
}

#[test]
fn equal_seeds_give_equal_nights() {
    let size = NightSize {
        orders: 20,
        minutes: 20,
        ..NightSize::SHORT
    };
    assert_eq!(night(size, 3), night(size, 3));
}
