//! Properties of visiting orders.

use super::instances::{KINDS, Kind, Rng, distances, problem};
use crate::arcs::Arcs;
use crate::model::Model;
use crate::proof::Proof;
use crate::search::Search;
use crate::{
    Budget, Pin, Problem, Route, RouteError, UNREACHABLE, best_order, given_order, subset,
};

/// The number of random problems of each kind per property.
const CASES: usize = 2_000;

/// Returns the first optimum in lexicographic order by exhaustive search.
fn brute_force(problem: &Problem) -> Option<(u64, Vec<usize>)> {
    let mut best: Option<(u64, Vec<usize>)> = None;
    let mut stops: Vec<usize> = (0..problem.size).filter(|&i| i != problem.start).collect();
    loop {
        let first = problem
            .pinned(Pin::First)
            .is_none_or(|stop| stops.first() == Some(&stop));
        let last = problem
            .pinned(Pin::Last)
            .is_none_or(|stop| stops.last() == Some(&stop));
        if let (true, true, Some(cost)) = (first, last, problem.length(&stops))
            && best.as_ref().is_none_or(|best| cost < best.0)
        {
            best = Some((cost, stops.clone()));
        }
        if !next_permutation(&mut stops) {
            return best;
        }
    }
}

fn next_permutation(items: &mut [usize]) -> bool {
    let Some(pivot) = (1..items.len()).rev().find(|&i| items[i - 1] < items[i]) else {
        return false;
    };
    let swap = (pivot..items.len())
        .rev()
        .find(|&i| items[i] > items[pivot - 1])
        .unwrap();
    items.swap(pivot - 1, swap);
    items[pivot..].reverse();
    true
}

fn check(problem: &Problem, route: &Route) {
    let mut sorted = route.order.clone();
    sorted.sort_unstable();
    let all: Vec<usize> = (0..problem.size).filter(|&i| i != problem.start).collect();
    assert_eq!(sorted, all, "not a permutation of the stops");
    assert_eq!(problem.length(&route.order), Some(route.cost));
    assert!(
        route.bound <= route.cost && (route.proven == (route.bound == route.cost)),
        "{route:?}"
    );
    for (stop, pin) in &problem.pins {
        let held = if *pin == Pin::First {
            route.order.first()
        } else {
            route.order.last()
        };
        assert_eq!(held, Some(stop));
    }
    if let Ok(given) = given_order(problem) {
        assert!(
            route.cost <= given.cost,
            "the order is longer than the given one"
        );
        assert!(
            route.cost < given.cost || route.order == given.order,
            "a tie must return the given order"
        );
    }
}

#[test]
fn best_order_equals_brute_force_up_to_eight_stops() {
    for kind in KINDS {
        let mut rng = Rng(1);
        for case in 0..CASES {
            // Most cases are small, because exhaustive search tries 40,320 orders of eight stops.
            let size = if case % 200 == 0 { 9 } else { 1 + rng.index(6) };
            let problem = problem(kind, size, &mut rng);
            match (
                brute_force(&problem),
                best_order(&problem, Budget::default()),
            ) {
                (Some((cost, order)), Ok(route)) => {
                    check(&problem, &route);
                    assert!(route.proven);
                    assert_eq!(
                        (route.cost, &route.order),
                        (cost, &order),
                        "{kind:?} case {case}"
                    );
                }
                (None, Err(error)) => assert_eq!(error, RouteError::Infeasible),
                other => panic!("{kind:?} case {case}: {other:?}"),
            }
        }
    }
}

#[test]
fn best_order_is_never_longer_than_given_order() {
    for kind in KINDS {
        let mut rng = Rng(2);
        for case in 0..CASES {
            let size = 2 + rng.index(if case % 100 == 0 { 60 } else { 8 });
            let problem = problem(kind, size, &mut rng);
            match best_order(&problem, Budget::of_work(200_000)) {
                Ok(route) => check(&problem, &route),
                Err(error) => assert!(
                    given_order(&problem).is_err() && kind == Kind::Gaps,
                    "{error}"
                ),
            }
        }
    }
}

#[test]
fn spent_budget_returns_an_unproven_order_of_fifty_stops() {
    for kind in [Kind::Uniform, Kind::OneWay, Kind::Arbitrary] {
        let problem = problem(kind, 51, &mut Rng(4));
        let route = best_order(&problem, Budget::of_work(0)).unwrap();
        check(&problem, &route);
        assert!(!route.proven, "{kind:?}");
        // Without the work limit, this number of rounds would not end.
        let model = Model::new(&problem).unwrap();
        let mut search = Search::new(Arcs::new(&model));
        search.run(u64::MAX, 300_000);
        assert!(
            (300_000..400_000).contains(&search.work),
            "{kind:?} {}",
            search.work
        );
    }
}

#[test]
fn search_knows_the_length_of_its_tour() {
    for kind in KINDS {
        let mut rng = Rng(5);
        for size in [15, 16, 40, 90] {
            let problem = problem(kind, size, &mut rng);
            let model = Model::new(&problem).unwrap();
            let mut search = Search::new(Arcs::new(&model));
            let first = search.cost;
            search.run(500, u64::MAX);
            let order = search.order();
            let arcs = &search.arcs;
            let tour = [vec![arcs.start()], order.clone(), vec![arcs.end()]].concat();
            assert_eq!(search.cost, arcs.length(&tour), "{kind:?} {size}");
            assert!(search.cost <= first, "{kind:?} {size}");
            let mut sorted = order;
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..model.count), "{kind:?} {size}");
        }
    }
}

#[test]
fn budget_below_the_work_of_the_metric_closure_is_spent_on_the_search() {
    // The last two stops are co-located. In some problems, rounding to metres makes it inexact to
    // merge them.
    let size = 201;
    let origin = |stop: usize| if stop == size - 1 { size - 2 } else { stop };
    let problem = |seed| {
        let metres = distances(Kind::Uniform, size, &mut Rng(seed));
        let pairs = (0..size).flat_map(|from| (0..size).map(move |to| (origin(from), origin(to))));
        Problem::new(
            size,
            pairs.map(|(from, to)| metres[from * size + to]).collect(),
        )
        .unwrap()
    };
    let is_inexact = |problem: &Problem| !Model::new(problem).unwrap().merged().1;
    let problem = (0..100).map(problem).find(is_inexact).unwrap();
    let (short, long) = (
        best_order(&problem, Budget::PREVIEW).unwrap(),
        best_order(&problem, Budget::PROOF).unwrap(),
    );
    assert!(
        short.cost * 100 <= long.cost * 102,
        "{} {}",
        short.cost,
        long.cost
    );
}

#[test]
fn branch_and_bound_equals_dynamic_programming() {
    for kind in KINDS {
        let mut rng = Rng(3);
        for case in 0..CASES {
            let size = 3 + rng.index(if case % 20 == 0 { 10 } else { 5 });
            let problem = problem(kind, size, &mut rng);
            let Ok(model) = Model::new(&problem) else {
                continue;
            };
            if model.count < 2 {
                continue;
            }
            let table = subset::solve(&model).and_then(|order| model.length(&order));
            // Half of the cases start with a poor incumbent, from which legs are eliminated.
            let poor = (case % 2 == 0).then(|| (0..model.count).collect());
            let mut proof = Proof::new(&model, poor, 1_000_000);
            proof.explore(20_000_000);
            let outcome = proof.result();
            let cost = outcome.order.as_ref().and_then(|order| model.length(order));
            let complete = outcome.bound >= cost.unwrap_or(u64::MAX);
            assert!(complete || kind == Kind::Huge, "{kind:?} case {case}");
            if complete {
                assert_eq!(cost, table, "{kind:?} case {case} {problem:?}");
            } else {
                assert!(outcome.bound <= table.unwrap());
            }
        }
    }
}

/// The lengths of the first problem are computed in `f32`, up to the largest that it permits, and
/// those of the second in `u64`.
#[test]
fn order_of_tripled_legs_is_equal() {
    let mut rng = Rng(6);
    for case in 0..CASES / 2 {
        let count = 1 + rng.index(12);
        let longest = ((1 << 24) - 1) / (u32::try_from(count).unwrap() + 2);
        let mut legs = vec![0; (count + 1) * (count + 1)];
        for (cell, leg) in legs
            .iter_mut()
            .enumerate()
            .filter(|(cell, _)| cell % (count + 2) != 0)
        {
            // Many orders are equally long, or differ by one metre.
            let random = u32::try_from(rng.index(16)).unwrap();
            *leg = match random {
                _ if cell == 1 => longest,
                0 => UNREACHABLE,
                1..=5 => random,
                _ => longest - random % 4,
            };
        }
        let tripled = legs
            .iter()
            .map(|leg| if *leg == UNREACHABLE { *leg } else { leg * 3 })
            .collect();
        let solve = |legs: Vec<u32>| {
            let problem = Problem::new(count + 1, legs).unwrap().closed(case % 2 == 0);
            subset::solve(&Model::new(&problem).unwrap())
        };
        assert_eq!(solve(legs), solve(tripled), "case {case}");
    }
}

#[test]
fn branch_and_cut_equals_dynamic_programming() {
    for kind in KINDS {
        let mut rng = Rng(5);
        for case in 0..CASES {
            let size = 4 + rng.index(if case % 20 == 0 { 10 } else { 5 });
            let problem = problem(kind, size, &mut rng);
            let Ok(model) = Model::new(&problem) else {
                continue;
            };
            let poor: Vec<usize> = (0..model.count).collect();
            if model.count < 2 || model.length(&poor).is_none() {
                continue;
            }
            let table = subset::solve(&model).and_then(|order| model.length(&order));
            // The root ascent has no budget and the incumbent is poor, so the cutting planes do all
            // the work.
            let mut proof = Proof::new(&model, Some(poor), 0);
            proof.cut(50_000_000);
            let outcome = proof.result();
            let cost = outcome.order.as_ref().and_then(|order| model.length(order));
            assert!(
                outcome.bound <= table.unwrap(),
                "{kind:?} case {case} {problem:?}"
            );
            assert!(
                outcome.bound >= cost.unwrap() || kind == Kind::Huge,
                "{kind:?} case {case}: not finished"
            );
        }
    }
}

#[test]
fn relabelled_stops_have_equal_cost() {
    for kind in KINDS {
        let mut rng = Rng(4);
        for case in 0..CASES {
            // From seventeen free stops on, the root ascent starts over nearest neighbours.
            let size = if case % 100 == 0 {
                14 + rng.index(12)
            } else {
                2 + rng.index(5)
            };
            let problem = problem(kind, size, &mut rng);
            let mut label: Vec<usize> = (0..size).collect();
            for i in (1..size).rev() {
                label.swap(i, rng.index(i + 1));
            }
            let mut metres = vec![0; size * size];
            for i in 0..size {
                for j in 0..size {
                    metres[label[i] * size + label[j]] = problem.metres[i * size + j];
                }
            }
            let mut other = Problem::new(size, metres)
                .unwrap()
                .start(label[problem.start])
                .unwrap();
            other = other.closed(problem.closed);
            for &(stop, pin) in &problem.pins {
                other = other.pin(label[stop], pin).unwrap();
            }
            match (
                best_order(&problem, Budget::default()),
                best_order(&other, Budget::default()),
            ) {
                (Ok(one), Ok(two)) if one.proven && two.proven => {
                    assert_eq!(one.cost, two.cost, "{kind:?}")
                }
                (Ok(one), Ok(two)) => assert!(one.bound <= two.cost && two.bound <= one.cost),
                (Err(one), Err(two)) => assert_eq!(one, two),
                other => panic!("{kind:?} case {case}: {other:?}"),
            }
        }
    }
}

#[test]
fn invalid_problem_returns_typed_error() {
    assert_eq!(Problem::new(0, vec![]), Err(RouteError::Empty));
    assert_eq!(
        Problem::new(2, vec![0; 3]),
        Err(RouteError::NotSquare {
            size: 2,
            entries: 3
        })
    );
    assert_eq!(
        Problem::new(202, vec![0; 202 * 202]),
        Err(RouteError::TooManyStops {
            stops: 201,
            limit: 200
        })
    );
    let two = Problem::new(2, vec![0, UNREACHABLE, 4, 0]).unwrap();
    assert_eq!(
        best_order(&two, Budget::default()),
        Err(RouteError::Infeasible)
    );
    assert_eq!(
        two.clone().start(2),
        Err(RouteError::BadStart { start: 2, size: 2 })
    );
    assert_eq!(
        two.clone().pin(0, Pin::First),
        Err(RouteError::BadPin { stop: 0 })
    );
    assert_eq!(
        two.clone().pin(2, Pin::Last),
        Err(RouteError::BadPin { stop: 2 })
    );
    let four = Problem::new(4, vec![1; 16])
        .unwrap()
        .pin(1, Pin::First)
        .unwrap();
    assert_eq!(
        four.clone().pin(1, Pin::Last),
        Err(RouteError::BadPin { stop: 1 })
    );
    assert_eq!(
        four.clone().pin(2, Pin::First),
        Err(RouteError::BadPin { stop: 2 })
    );
    assert_eq!(four.start(1), Err(RouteError::BadPin { stop: 1 }));
}
