//! Checks that cancelling an order stop by stop never costs less than cancelling the rest at once,
//! at any time.

use despacho_core::{
    changes::Changes,
    host::{Host, Platform, Storage},
    model::{
        Duration, Entropy, ExecContext, IdBlock, LocalTime, Located, Money, Person, Timestamp,
        order::{Order, OrderStatus},
        price::EstimatePolicy,
    },
    rules::{
        lifecycle::{self, Cancellation, Mode, Repricing, StepOutcome},
        pricing::{Plan, Request, Stop, Tariff, Times, Window, plan},
    },
};
use rust_decimal::Decimal;

use crate::support::{block_on, create_allocated_order, host};

/// Cancellation rules of an order, and the price function for its remaining stops.
struct Scenario<'a> {
    rules: Cancellation,
    /// Number of cancellations within the free minutes.
    free_steps: usize,
    fee: i64,
    price: &'a dyn Fn(&Order, &[usize]) -> Plan,
}

fn money(centavos: i64) -> Money {
    Money::from_centavos(centavos).unwrap()
}

fn merchant() -> Person {
    Person {
        name: "Loja".to_owned(),
        phone: None,
    }
}

fn ledger_sum(changes: &Changes) -> i64 {
    changes
        .ledger
        .iter()
        .map(|entry| entry.amount.centavos())
        .sum()
}

fn expect_taken(outcome: StepOutcome) -> (Order, Changes) {
    match outcome {
        StepOutcome::Now(moved) => *moved,
        StepOutcome::Already => panic!("the step had no effect"),
    }
}

impl Scenario<'_> {
    fn context_at(&self, order: &Order, step: usize) -> ExecContext {
        let minutes = if step < self.free_steps { 1 } else { 3 };
        let at = order
            .first_allocated_at
            .unwrap()
            .after(Duration::minutes(minutes));
        ExecContext {
            now: at,
            entropy: Entropy::new([7; 32]),
        }
    }

    /// Explores all sequences of cancellations from this step. `sum` is the order's ledger total so
    /// far. Returns the lowest final cost and the number of sequences.
    fn explore(&self, order: &Order, step: usize, sum: i64) -> (i64, usize) {
        let context = self.context_at(order, step);
        let at_once = self.at_once(order, sum, &context);
        self.assert_full_refunds(order, sum, &context);
        let (mut lowest, mut sequences) = (at_once, 1);
        let waiting: Vec<_> = order
            .deliveries
            .iter()
            .filter(|stop| !order.is_cancelled(stop.id))
            .collect();
        if waiting.len() == 1 {
            return (lowest, sequences);
        }
        for stop in waiting.iter().map(|stop| stop.id) {
            let left = lifecycle::without(order, stop).unwrap();
            let plan = (self.price)(order, &left);
            let terms = lifecycle::stop_terms(order, plan.fee, &self.rules, context.now);
            let repriced = Repricing {
                plan: &plan,
                tariff_version: "t",
                rules: &self.rules,
            };
            let (next, changes) = expect_taken(
                lifecycle::cancel_stop(order, stop, repriced, merchant(), None, &context).unwrap(),
            );
            let charged = next.cancellation_fee.centavos() - order.cancellation_fee.centavos();
            assert_eq!(charged, terms.fee.centavos(), "the charge equals the terms");
            assert_eq!(
                order.fee.centavos() - next.fee.centavos() - charged,
                ledger_sum(&changes)
            );
            assert!(next.fee <= order.fee && charged >= 0 && ledger_sum(&changes) >= 0);
            let (cost, count) = self.explore(&next, step + 1, sum + ledger_sum(&changes));
            assert!(
                cost >= at_once,
                "step {step}: {cost} centavos stop by stop, {at_once} at once"
            );
            (lowest, sequences) = (lowest.min(cost), sequences + count);
        }
        (lowest, sequences)
    }

    /// Cancels the rest of the order now and returns the order's final cost.
    fn at_once(&self, order: &Order, sum: i64, context: &ExecContext) -> i64 {
        let terms = lifecycle::terms(order, &self.rules, context.now);
        let (ended, changes) = expect_taken(
            lifecycle::cancel(order, None, merchant(), None, &self.rules, context).unwrap(),
        );
        let cost = -(sum + ledger_sum(&changes));
        assert_eq!(
            cost,
            ended.cancellation_fee.centavos(),
            "the ledger's sum equals the order's cancellation fee"
        );
        assert_eq!(
            cost,
            order.cancellation_fee.plus(terms.fee).centavos(),
            "the charge equals the terms"
        );
        assert!((0..=self.fee).contains(&cost), "{cost} of {}", self.fee);
        let late = if terms.mode == Mode::Paid {
            OrderStatus::CancelledWithFee
        } else {
            OrderStatus::Cancelled
        };
        assert_eq!(ended.status, late);
        cost
    }

    /// Checks that the platform's cancellation and an expired search refund everything, including
    /// late cancellation fees.
    fn assert_full_refunds(&self, order: &Order, sum: i64, context: &ExecContext) {
        let mut ids = IdBlock::new(1, 9);
        let ended =
            lifecycle::cancel_by_platform(order, None, "flood".to_owned(), &mut ids, context)
                .unwrap();
        let (ended, changes) = expect_taken(ended);
        assert_eq!(
            (sum + ledger_sum(&changes), ended.cancellation_fee),
            (0, Money::ZERO)
        );
        let mut searching = Order {
            status: OrderStatus::Searching,
            courier: None,
            ..order.clone()
        };
        let (_, ledger) = lifecycle::expire(
            &mut searching,
            &lifecycle::Timing::default(),
            Timestamp::from_millis(i64::MAX / 2),
        );
        assert_eq!(searching.status, OrderStatus::Expired);
        let refunded: i64 = ledger.iter().map(|entry| entry.amount.centavos()).sum();
        assert_eq!(
            (sum + refunded, searching.cancellation_fee),
            (0, Money::ZERO)
        );
    }
}

/// Explores the order for each number of steps within the free minutes. Without free steps, all
/// sequences cost the same.
fn explore_order(order: &Order, percent: u32, price: &dyn Fn(&Order, &[usize]) -> Plan) -> usize {
    let fee = order.fee.centavos();
    let mut sequences = 0;
    for free_steps in 0..=order.deliveries.len() {
        let rules = Cancellation {
            free_minutes: 2,
            fee_percent: percent,
        };
        let scenario = Scenario {
            rules,
            free_steps,
            fee,
            price,
        };
        let (lowest, count) = scenario.explore(order, 0, -fee);
        if free_steps == 0 {
            let full = Money::rounded(order.fee.reais() * Decimal::new(percent.into(), 2)).unwrap();
            assert_eq!(lowest, full.centavos());
        }
        sequences += count;
    }
    sequences
}

#[test]
fn stop_by_stop_cancellation_never_costs_less_for_any_price() {
    let host = host();
    let mut sequences = 0;
    for stops in 1..=5_usize {
        let order = create_allocated_order(&host, &format!("A-{stops}"), &vec![true; stops]);
        let courier = crate::support::courier(&host, 7);
        assert!(courier.carries(order.id));
        for seed in 0..3_u32 {
            // Arbitrary prices for all sets of stops: removing a stop may increase the price.
            let of = |mask: u64| {
                let mixed = (mask + 1)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(17 + seed)
                    ^ u64::from(seed);
                if seed == 0 {
                    1_001 * i64::from(mask.count_ones())
                } else {
                    i64::try_from(mixed % 5_003).unwrap()
                }
            };
            let price =
                |_: &Order, left: &[usize]| plan_with_fee(of(left.iter().map(|at| 1 << at).sum()));
            let order = Order {
                fee: money(of((1 << stops) - 1)),
                ..order.clone()
            };
            for percent in [0, 1, 33, 50, 100] {
                sequences += explore_order(&order, percent, &price);
            }
        }
        cancel_order(&host, &order);
    }
    assert!(sequences > 20_000, "{sequences}");
}

#[test]
fn stop_by_stop_cancellation_never_costs_less_with_tariffs() {
    let host = host();
    let usual = Tariff::default();
    let dearer = Tariff {
        per_km: Decimal::from(9),
        base_fee: Decimal::from(30),
        ..usual.clone()
    };
    let night = Window {
        days: Vec::new(),
        from: LocalTime::START,
        until: LocalTime::START,
        ..usual.windows[0].clone()
    };
    let surcharged = Tariff {
        windows: vec![night],
        per_extra_stop: Decimal::ZERO,
        ..usual.clone()
    };
    let minimum = Tariff {
        minimum_fee: Decimal::from(25),
        ..usual.clone()
    };
    for (number, tariff) in [usual, dearer, surcharged, minimum].iter().enumerate() {
        for paid in [[true, true, true, true], [true, false, true, false]] {
            let order = create_allocated_order(&host, &format!("B-{number}-{}", paid[1]), &paid);
            let price = |order: &Order, left: &[usize]| plan_stops(&host, tariff, order, left);
            for percent in [33, 50] {
                assert!(explore_order(&order, percent, &price) > 200);
            }
            cancel_order(&host, &order);
        }
    }
}

#[test]
fn late_cancellation_stays_late_if_the_clock_is_set_back() {
    let host = host();
    let order = create_allocated_order(&host, "C-1", &[true, true]);
    let (rules, first) = (Cancellation::default(), order.first_allocated_at.unwrap());
    let at = |minutes| ExecContext {
        now: first.after(Duration::minutes(minutes)),
        entropy: Entropy::new([7; 32]),
    };
    let stop = order.deliveries[0].id;
    let plan = plan_with_fee(order.fee.centavos() / 3);
    let repriced = Repricing {
        plan: &plan,
        tariff_version: "t",
        rules: &rules,
    };
    let (left, _) = expect_taken(
        lifecycle::cancel_stop(&order, stop, repriced, merchant(), None, &at(5)).unwrap(),
    );
    assert!(left.cancellation_fee > Money::ZERO);
    assert_eq!(lifecycle::terms(&left, &rules, at(1).now).mode, Mode::Paid);
    let (ended, changes) =
        expect_taken(lifecycle::cancel(&left, None, merchant(), None, &rules, &at(1)).unwrap());
    assert_eq!(ended.status, OrderStatus::CancelledWithFee);
    let half = Money::rounded(order.fee.reais() * Decimal::new(5, 1)).unwrap();
    assert_eq!(
        ended.cancellation_fee, half,
        "the same as cancelling at once"
    );
    assert_eq!(
        ledger_sum(&changes),
        left.fee.centavos() - (half.centavos() - left.cancellation_fee.centavos())
    );
}

fn plan_with_fee(fee: i64) -> Plan {
    let at = Timestamp::default();
    Plan {
        order: Vec::new(),
        legs: Vec::new(),
        back: None,
        total_distance: despacho_core::model::Distance(0),
        lines: Vec::new(),
        fee: money(fee),
        fee_range: None,
        times: Times {
            ready: at,
            pickup: at,
            delivery: at,
        },
        estimated: false,
        rough_places: Vec::new(),
        has_near_leg: false,
        lowered: false,
    }
}

fn plan_stops(host: &impl Host, tariff: &Tariff, order: &Order, left: &[usize]) -> Plan {
    let stop = |at: &usize| {
        let stop = &order.deliveries[*at];
        Stop {
            located: stop.place.located,
            returns: stop.returns(),
            pin: None,
            window: None,
        }
    };
    let stops: Vec<Stop> = left.iter().map(stop).collect();
    let places: Vec<Located> = [order.pickup.located]
        .into_iter()
        .chain(stops.iter().map(|stop| stop.located))
        .collect();
    let request = Request {
        pickup: order.pickup.located,
        stops: &stops,
        matrix: &block_on(host.distance_matrix(&places)).unwrap(),
        best_route: false,
        preparation_minutes: 0,
        lead_minutes: 0,
        deliver_at: None,
        now: order.created_at,
        vehicle: None,
        zone: despacho_core::model::Zone::default(),
        estimates: EstimatePolicy::Accept,
    };
    plan(tariff, &request).unwrap()
}

/// Cancels an order to release its courier for the next one.
fn cancel_order(host: &despacho_core::memory::MemoryHost, order: &Order) {
    let courier = crate::support::courier(host, 7);
    let rules = Cancellation::default();
    let (_, changes) = expect_taken(
        lifecycle::cancel(
            order,
            Some(&courier),
            merchant(),
            None,
            &rules,
            &host.exec_context(),
        )
        .unwrap(),
    );
    block_on(host.commit(&changes)).unwrap();
}
