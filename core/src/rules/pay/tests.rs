use rust_decimal::Decimal;

use super::{Outcome, ShiftWork, Stage, Work, order_lines, shares, shift_lines, total};
use crate::model::{
    Distance, LocalTime, Money, Timestamp, Zone,
    pay::{
        Band, Bonus, CancelledPercent, Combine, Commission, PayKind, PayLine, PayPlan, ReturnPay,
        ShiftPay, TripPosition, WaitingPay,
    },
    tariff::Window,
};

fn reais(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// Returns the plan of the reference figures, and its version at a time of the night.
fn reference() -> PayPlan {
    PayPlan {
        version: "reference".to_owned(),
        per_trip: reais("4.00"),
        per_extra_order: reais("2.00"),
        per_delivery: reais("3.00"),
        included_km: reais("2"),
        per_km: reais("1.50"),
        returned: ReturnPay {
            fee: Decimal::ZERO,
            per_km: reais("1.50"),
        },
        cancelled_percent: CancelledPercent {
            assigned: Decimal::ZERO,
            arrived: 50.into(),
        },
        waiting: WaitingPay {
            after_minutes: 10,
            per_minute: reais("0.60"),
            max_minutes: 0,
        },
        windows: vec![Window {
            name: "night".to_owned(),
            days: Vec::new(),
            from: LocalTime::of(18, 0),
            until: LocalTime::of(6, 0),
            percent: 20.into(),
        }],
        shift: ShiftPay {
            daily: reais("30.00"),
            guarantee_per_hour: reais("20.00"),
            ..ShiftPay::default()
        },
        commission: Commission {
            percent: 10.into(),
            per_delivery: Decimal::ZERO,
        },
        ..PayPlan::default()
    }
}

fn carried(metres: u32) -> Work {
    Work {
        position: TripPosition::First,
        deliveries: 1,
        outward: Distance(metres),
        back: None,
        fee: Money::ZERO,
        waited_minutes: 0,
        outcome: Outcome::Carried,
    }
}

fn amounts(lines: &[PayLine]) -> Vec<(PayKind, String)> {
    lines
        .iter()
        .map(|line| (line.kind, line.amount.to_string()))
        .collect()
}

fn expect(plan: &PayPlan, work: &Work, lines: &[(PayKind, &str)], sum: &str) {
    let calculated = order_lines(plan, work);
    let lines: Vec<_> = lines
        .iter()
        .map(|(kind, amount)| (*kind, (*amount).to_owned()))
        .collect();
    assert_eq!(amounts(&calculated), lines);
    assert_eq!(total(&calculated).to_string(), sum);
}

#[test]
fn orders_of_the_reference_shift_are_paid_to_the_centavo() {
    use PayKind::{
        Cancellation, Commission, Daily, Delivery, ExtraOrder, Guarantee, Return, Trip, Waiting,
        Window,
    };
    let plan = reference();
    expect(
        &plan,
        &carried(3_400),
        &[
            (Trip, "4.00"),
            (Delivery, "3.00"),
            (PayKind::Distance, "2.10"),
            (Window, "1.82"),
        ],
        "10.92",
    );
    // With the tip of 5.00, 22.08.
    let first = Work {
        deliveries: 2,
        ..carried(4_821)
    };
    expect(
        &plan,
        &first,
        &[
            (Trip, "4.00"),
            (Delivery, "6.00"),
            (PayKind::Distance, "4.23"),
            (Window, "2.85"),
        ],
        "17.08",
    );
    let second = Work {
        position: TripPosition::Further,
        ..carried(1_100)
    };
    expect(
        &plan,
        &second,
        &[(ExtraOrder, "2.00"), (Delivery, "3.00"), (Window, "1.00")],
        "6.00",
    );
    let returned = Work {
        back: Some(Distance(2_000)),
        ..carried(2_000)
    };
    expect(
        &plan,
        &returned,
        &[
            (Trip, "4.00"),
            (Delivery, "3.00"),
            (Return, "3.00"),
            (Window, "2.00"),
        ],
        "12.00",
    );
    let cancelled = Work {
        waited_minutes: plan.waiting.paid_minutes(17),
        outcome: Outcome::Cancelled(Stage::Arrived),
        ..carried(6_350)
    };
    expect(
        &plan,
        &cancelled,
        &[(Cancellation, "6.77"), (Window, "1.35"), (Waiting, "4.20")],
        "12.32",
    );
    let shift = ShiftWork {
        minutes: 310,
        deliveries: 6,
        pay: Money::rounded(reais("58.32")).unwrap(),
    };
    let lines = shift_lines(&plan, &shift);
    let expected = [
        (Daily, "30.00"),
        (Guarantee, "15.01"),
        (Commission, "-5.83"),
    ];
    assert_eq!(
        amounts(&lines),
        expected.map(|(kind, amount)| (kind, amount.to_owned()))
    );
    let orders = reais("63.32");
    assert_eq!(orders + total(&lines).reais(), reais("102.50"));
}

#[test]
fn route_amount_and_kilometres_give_the_amount_of_bill_2479() {
    let plan = PayPlan {
        per_trip: reais("10"),
        included_km: reais("4"),
        per_km: reais("2.50"),
        ..PayPlan::default()
    };
    expect(
        &plan,
        &carried(4_821),
        &[(PayKind::Trip, "10.00"), (PayKind::Distance, "2.05")],
        "12.05",
    );
    let banded = PayPlan {
        bands: vec![Band {
            until_km: reais("4"),
            amount: reais("10"),
        }],
        per_km: reais("2.50"),
        ..PayPlan::default()
    };
    expect(
        &banded,
        &carried(4_821),
        &[(PayKind::Trip, "0.00"), (PayKind::Distance, "12.05")],
        "12.05",
    );
    expect(
        &banded,
        &carried(4_000),
        &[(PayKind::Trip, "0.00"), (PayKind::Distance, "10.00")],
        "10.00",
    );
}

#[test]
fn largest_of_the_parts_is_paid_with_max() {
    let plan = PayPlan {
        per_trip: reais("7.50"),
        per_delivery: reais("3"),
        per_km: reais("1.50"),
        combine: Combine::Max,
        ..PayPlan::default()
    };
    let work = |metres| Work {
        deliveries: 2,
        ..carried(metres)
    };
    let counted = [(PayKind::Trip, "7.50"), (PayKind::Delivery, "6.00")];
    expect(&plan, &work(8_200), &counted, "13.50");
    // Of equal parts the first is paid.
    expect(&plan, &work(9_000), &counted, "13.50");
    expect(
        &plan,
        &work(9_400),
        &[(PayKind::Distance, "14.10")],
        "14.10",
    );
    let share = PayPlan {
        fee_percent: 80.into(),
        ..plan
    };
    let work = Work {
        fee: Money::rounded(reais("20.01")).unwrap(),
        ..work(9_400)
    };
    expect(&share, &work, &[(PayKind::FeeShare, "16.01")], "16.01");
}

#[test]
fn minimum_waiting_and_bonuses_are_lines_of_their_own() {
    let plan = PayPlan {
        minimum_per_order: reais("8.50"),
        bonuses: vec![Bonus {
            name: "rain".to_owned(),
            per_delivery: reais("2"),
        }],
        ..reference()
    };
    let night = plan.clone();
    let plan = PayPlan {
        windows: Vec::new(),
        ..plan
    };
    let work = Work {
        waited_minutes: 3,
        ..carried(1_000)
    };
    let lines = [
        (PayKind::Trip, "4.00"),
        (PayKind::Delivery, "3.00"),
        (PayKind::Minimum, "1.50"),
        (PayKind::Waiting, "1.80"),
        (PayKind::Bonus, "2.00"),
    ];
    expect(&plan, &work, &lines, "12.30");
    // 18:30 and 05:59 in São Paulo are of the night, 06:00 is not.
    let windows = |text, bonuses: &[&str]| {
        let at = Timestamp::parse(text).unwrap();
        let plan = night.at(at, Zone::Brasilia, bonuses);
        (plan.windows.len(), plan.bonuses.len())
    };
    assert_eq!(windows("2026-11-30T21:30:00Z", &["rain"]), (1, 1));
    assert_eq!(windows("2026-11-30T08:59:00Z", &["cold"]), (1, 0));
    assert_eq!(windows("2026-11-30T09:00:00Z", &[]), (0, 0));
}

#[test]
fn order_that_pays_nothing_has_a_line() {
    let lines = order_lines(&PayPlan::default(), &carried(9_000));
    assert_eq!(amounts(&lines), [(PayKind::Trip, "0.00".to_owned())]);
    let cancelled = Work {
        outcome: Outcome::Cancelled(Stage::Assigned),
        ..carried(9_000)
    };
    let lines = order_lines(&reference(), &cancelled);
    assert_eq!(
        amounts(&lines),
        [(PayKind::Cancellation, "0.00".to_owned())]
    );
}

#[test]
fn waiting_is_paid_from_its_first_minute_to_its_maximum() {
    let waiting = WaitingPay {
        after_minutes: 10,
        per_minute: Decimal::ONE,
        max_minutes: 30,
    };
    let paid = [0, 10, 11, 40, 41, u32::MAX].map(|minutes| waiting.paid_minutes(minutes));
    assert_eq!(paid, [0, 0, 1, 30, 30, 30]);
}

#[test]
fn missing_deliveries_are_guaranteed() {
    let plan = PayPlan {
        per_delivery: reais("7"),
        shift: ShiftPay {
            guarantee_deliveries: 10,
            ..ShiftPay::default()
        },
        ..PayPlan::default()
    };
    let lines = |deliveries: u32| {
        let pay = Money::rounded(Decimal::from(deliveries) * plan.per_delivery).unwrap();
        shift_lines(
            &plan,
            &ShiftWork {
                minutes: 240,
                deliveries,
                pay,
            },
        )
    };
    assert_eq!(
        amounts(&lines(7)),
        [(PayKind::Guarantee, "21.00".to_owned())]
    );
    assert_eq!(lines(10), []);
}

#[test]
fn shares_of_the_reference_are_by_the_largest_remainder() {
    let split = |total: &str, weights: &[&str]| {
        let weights: Vec<(usize, Decimal)> =
            weights.iter().map(|one| reais(one)).enumerate().collect();
        let parts = shares(Money::rounded(reais(total)).unwrap(), &weights);
        parts.iter().map(Money::to_string).collect::<Vec<_>>()
    };
    assert_eq!(split("10.00", &["1"; 3]), ["3.34", "3.33", "3.33"]);
    assert_eq!(split("20.00", &["33.33", "66.67"]), ["6.67", "13.33"]);
    assert_eq!(
        split("0.05", &["1"; 7]),
        ["0.01", "0.01", "0.01", "0.01", "0.01", "0.00", "0.00"]
    );
    assert_eq!(split("0.05", &["0", "0"]), ["0.03", "0.02"]);
    assert_eq!(split("1.00", &[]), [""; 0]);
    // Ties are decided by ID, not by position.
    let parts = shares(
        Money::rounded(reais("0.01")).unwrap(),
        &[(9, Decimal::ONE), (3, Decimal::ONE)],
    );
    assert_eq!(
        parts.iter().map(|one| one.centavos()).collect::<Vec<_>>(),
        [0, 1]
    );
}

/// A source of numbers, by Steele and Vigna's SplitMix64.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    fn count(&mut self, limit: u32) -> u32 {
        u32::try_from(self.below(limit.into())).unwrap()
    }

    /// Returns an amount with up to four decimals, often zero.
    fn amount(&mut self, limit: u32) -> Decimal {
        match self.below(3) {
            0 => Decimal::ZERO,
            scale => Decimal::new(i64::from(self.count(limit)), if scale == 1 { 2 } else { 4 }),
        }
    }

    fn plan(&mut self) -> PayPlan {
        let bands: Vec<Band> = (0..self.below(4))
            .scan((Decimal::ZERO, Decimal::ZERO), |(km, amount), _| {
                *km += Decimal::new(i64::from(self.count(5_000)) + 1, 3);
                *amount += self.amount(900);
                Some(Band {
                    until_km: *km,
                    amount: *amount,
                })
            })
            .collect();
        PayPlan {
            version: "random".to_owned(),
            per_trip: self.amount(1_500),
            per_extra_order: self.amount(900),
            per_delivery: self.amount(900),
            included_km: if bands.is_empty() {
                self.amount(400)
            } else {
                Decimal::ZERO
            },
            bands,
            per_km: self.amount(400),
            fee_percent: Decimal::from(self.count(101)),
            combine: if self.below(2) == 0 {
                Combine::Sum
            } else {
                Combine::Max
            },
            minimum_per_order: self.amount(1_500),
            returned: ReturnPay {
                fee: self.amount(500),
                per_km: self.amount(300),
            },
            cancelled_percent: CancelledPercent {
                assigned: Decimal::from(self.count(101)),
                arrived: Decimal::from(self.count(101)),
            },
            waiting: WaitingPay {
                after_minutes: 10,
                per_minute: self.amount(100),
                max_minutes: 0,
            },
            windows: reference().windows,
            bonuses: vec![Bonus {
                name: "rain".to_owned(),
                per_delivery: self.amount(300),
            }],
            shift: ShiftPay {
                daily: self.amount(9_000),
                guarantee: self.amount(20_000),
                guarantee_per_hour: self.amount(3_000),
                guarantee_deliveries: self.count(15),
            },
            commission: Commission {
                percent: Decimal::from(self.count(101)),
                per_delivery: self.amount(200),
            },
        }
    }

    fn work(&mut self) -> Work {
        let is_first = self.below(2) == 0;
        let outcomes = [
            Outcome::Carried,
            Outcome::Carried,
            Outcome::Cancelled(Stage::Assigned),
            Outcome::Cancelled(Stage::Arrived),
        ];
        Work {
            position: if is_first {
                TripPosition::First
            } else {
                TripPosition::Further
            },
            deliveries: self.count(6) + 1,
            outward: Distance(self.count(20_000)),
            back: (self.below(2) == 0).then(|| Distance(self.count(9_000))),
            fee: Money::from_centavos(self.below(6_000).try_into().unwrap()).unwrap(),
            waited_minutes: self.count(40),
            outcome: outcomes[usize::try_from(self.below(4)).unwrap()],
        }
    }
}

#[test]
fn pay_is_never_negative_and_grows_with_the_work() {
    for seed in 0..3_000 {
        let mut rng = Rng(seed);
        let (plan, work) = (rng.plan(), rng.work());
        assert_eq!(
            plan.errors()
                .iter()
                .filter(|one| one.field != "shift.guaranteeDeliveries")
                .count(),
            0,
            "seed {seed}"
        );
        let pay = |work: &Work| {
            let lines = order_lines(&plan, work);
            let is_above = |line: &PayLine| !line.amount.is_negative();
            assert!(
                !lines.is_empty() && lines.iter().all(is_above),
                "seed {seed}"
            );
            let zeros = lines
                .iter()
                .skip(1)
                .filter(|line| line.amount == Money::ZERO);
            assert_eq!(zeros.count(), 0, "seed {seed}");
            total(&lines)
        };
        let least = pay(&work);
        for more in [
            Work {
                deliveries: work.deliveries + 1,
                ..work
            },
            Work {
                outward: work.outward.plus(Distance(rng.count(5_000))),
                ..work
            },
            Work {
                waited_minutes: work.waited_minutes + rng.count(9),
                ..work
            },
            Work {
                fee: work.fee.plus(Money::from_centavos(50).unwrap()),
                ..work
            },
            Work {
                back: work.back.map(|back| back.plus(Distance(700))),
                ..work
            },
        ] {
            assert!(pay(&more) >= least, "seed {seed}: {more:?}");
        }
        if work.outcome == Outcome::Carried {
            assert!(
                least.reais() >= Money::rounded(plan.minimum_per_order).unwrap().reais(),
                "seed {seed}"
            );
        }
        let shift = ShiftWork {
            minutes: rng.count(700),
            deliveries: rng.count(20),
            pay: least,
        };
        let lines = shift_lines(&plan, &shift);
        assert!(!total(&lines).plus(least).is_negative(), "seed {seed}");
    }
}

#[test]
fn shares_add_up_and_differ_by_less_than_a_centavo() {
    for seed in 0..2_000 {
        let mut rng = Rng(seed);
        let total = Money::from_centavos(rng.below(100_000).try_into().unwrap()).unwrap();
        let weights: Vec<(u32, Decimal)> = (0..=rng.count(9))
            .map(|id| (id, rng.amount(10_000)))
            .collect();
        let parts = shares(total, &weights);
        assert_eq!(parts.iter().copied().sum::<Money>(), total, "seed {seed}");
        let sum: Decimal = weights.iter().map(|(_, weight)| *weight).sum();
        for ((_, weight), part) in weights.iter().zip(&parts) {
            let exact = if sum.is_zero() {
                total.reais() / Decimal::from(weights.len())
            } else {
                total.reais() * *weight / sum
            };
            assert!((part.reais() - exact).abs() < reais("0.01"), "seed {seed}");
        }
    }
}
