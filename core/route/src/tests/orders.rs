//! Properties of the visiting order.

use super::instances::{KINDS, Kind, Rng, problem};
use crate::arcs::Arcs;
use crate::model::Model;
use crate::proof::Proof;
use crate::search::Search;
use crate::{Budget, Pin, Problem, RouteError, UNREACHABLE, Visit, best_order, given_order, subset};

/// The number of random problems of every kind for each property.
const CASES: usize = 2_000;

/// The best order by trying all of them, the first in index order among equals.
fn brute_force(problem: &Problem) -> Option<(u64, Vec<usize>)> {
    let mut best: Option<(u64, Vec<usize>)> = None;
    let mut stops: Vec<usize> = (0..problem.size).filter(|&i| i != problem.start).collect();
    loop {
        let first = problem.pinned(Pin::First).is_none_or(|stop| stops.first() == Some(&stop));
        let last = problem.pinned(Pin::Last).is_none_or(|stop| stops.last() == Some(&stop));
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
    let Some(pivot) = (1..items.len()).rev().find(|&i| items[i - 1] < items[i]) else { return false };
    let swap = (pivot..items.len()).rev().find(|&i| items[i] > items[pivot - 1]).unwrap();
    items.swap(pivot - 1, swap);
    items[pivot..].reverse();
    true
}

fn check(problem: &Problem, visit: &Visit) {
    let mut sorted = visit.order.clone();
    sorted.sort_unstable();
    let all: Vec<usize> = (0..problem.size).filter(|&i| i != problem.start).collect();
    assert_eq!(sorted, all, "every stop once");
    assert_eq!(problem.length(&visit.order), Some(visit.cost));
    assert!(visit.bound <= visit.cost && (visit.proven == (visit.bound == visit.cost)), "{visit:?}");
    for (stop, pin) in &problem.pins {
        let held = if *pin == Pin::First { visit.order.first() } else { visit.order.last() };
        assert_eq!(held, Some(stop));
    }
    if let Ok(sent) = given_order(problem) {
        assert!(visit.cost <= sent.cost, "never worse than the order sent");
        assert!(visit.cost < sent.cost || visit.order == sent.order, "ties go to the order sent");
    }
}

#[test]
fn equals_brute_force_up_to_eight_stops() {
    for kind in KINDS {
        let mut rng = Rng(1);
        for case in 0..CASES {
            // Most cases are small: the brute force tries 40,320 orders at eight stops.
            let size = if case % 200 == 0 { 9 } else { 1 + rng.index(6) };
            let problem = problem(kind, size, &mut rng);
            match (brute_force(&problem), best_order(&problem, Budget::default())) {
                (Some((cost, order)), Ok(visit)) => {
                    check(&problem, &visit);
                    assert!(visit.proven);
                    assert_eq!((visit.cost, &visit.order), (cost, &order), "{kind:?} case {case}");
                }
                (None, Err(error)) => assert_eq!(error, RouteError::Infeasible),
                other => panic!("{kind:?} case {case}: {other:?}"),
            }
        }
    }
}

#[test]
fn never_worse_than_the_order_sent() {
    for kind in KINDS {
        let mut rng = Rng(2);
        for case in 0..CASES {
            let size = 2 + rng.index(if case % 100 == 0 { 60 } else { 8 });
            let problem = problem(kind, size, &mut rng);
            match best_order(&problem, Budget::of_work(200_000)) {
                Ok(visit) => check(&problem, &visit),
                Err(error) => assert!(given_order(&problem).is_err() && kind == Kind::Gaps, "{error}"),
            }
        }
    }
}

#[test]
fn spent_budget_returns_an_unproven_order_of_fifty_stops() {
    for kind in [Kind::Uniform, Kind::OneWay, Kind::Arbitrary] {
        let problem = problem(kind, 51, &mut Rng(4));
        let visit = best_order(&problem, Budget::of_work(0)).unwrap();
        check(&problem, &visit);
        assert!(!visit.proven, "{kind:?}");
        // Without the budget, so many rounds would not end.
        let model = Model::of(&problem).unwrap();
        let arcs = Arcs::of(&model);
        let work = Search::new(&arcs).run(u64::MAX, 300_000);
        assert!((300_000..400_000).contains(&work), "{kind:?} {work}");
    }
}

#[test]
fn branch_and_bound_equals_the_table() {
    for kind in KINDS {
        let mut rng = Rng(3);
        for case in 0..CASES {
            let size = 3 + rng.index(if case % 20 == 0 { 10 } else { 5 });
            let problem = problem(kind, size, &mut rng);
            let Ok(model) = Model::of(&problem) else { continue };
            if model.count < 2 {
                continue;
            }
            let table = subset::solve(&model).and_then(|order| model.length(&order));
            // Without a known order, and with a poor one, from which legs are ruled out.
            let poor = (case % 2 == 0).then(|| (0..model.count).collect());
            let mut proof = Proof::begin(&model, poor, 1_000_000);
            proof.explore(20_000_000);
            let outcome = proof.outcome();
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

#[test]
fn branch_and_cut_equals_the_table() {
    for kind in KINDS {
        let mut rng = Rng(5);
        for case in 0..CASES {
            let size = 4 + rng.index(if case % 20 == 0 { 10 } else { 5 });
            let problem = problem(kind, size, &mut rng);
            let Ok(model) = Model::of(&problem) else { continue };
            let poor: Vec<usize> = (0..model.count).collect();
            if model.count < 2 || model.length(&poor).is_none() {
                continue;
            }
            let table = subset::solve(&model).and_then(|order| model.length(&order));
            // A first ascent that is too short to close anything, and a poor order: the cutting planes do all of it.
            let mut proof = Proof::begin(&model, Some(poor), 0);
            proof.cut(50_000_000);
            let outcome = proof.outcome();
            let cost = outcome.order.as_ref().and_then(|order| model.length(order));
            assert!(outcome.bound <= table.unwrap(), "{kind:?} case {case} {problem:?}");
            assert!(outcome.bound >= cost.unwrap() || kind == Kind::Huge, "{kind:?} case {case}: not finished");
        }
    }
}

#[test]
fn cost_does_not_move_when_stops_are_relabelled() {
    for kind in KINDS {
        let mut rng = Rng(4);
        for case in 0..CASES {
            // From seventeen free stops on the first ascent runs along short legs.
            let size = if case % 100 == 0 { 14 + rng.index(12) } else { 2 + rng.index(5) };
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
            let mut other = Problem::new(size, metres).unwrap().start(label[problem.start]).unwrap();
            other = other.closed(problem.closed);
            for &(stop, pin) in &problem.pins {
                other = other.pin(label[stop], pin).unwrap();
            }
            match (best_order(&problem, Budget::default()), best_order(&other, Budget::default())) {
                (Ok(one), Ok(two)) if one.proven && two.proven => assert_eq!(one.cost, two.cost, "{kind:?}"),
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
    assert_eq!(Problem::new(2, vec![0; 3]), Err(RouteError::NotSquare { size: 2, entries: 3 }));
    assert_eq!(Problem::new(202, vec![0; 202 * 202]), Err(RouteError::TooManyStops { stops: 201, limit: 200 }));
    let two = Problem::new(2, vec![0, UNREACHABLE, 4, 0]).unwrap();
    assert_eq!(best_order(&two, Budget::default()), Err(RouteError::Infeasible));
    assert_eq!(two.clone().start(2), Err(RouteError::BadStart { start: 2, size: 2 }));
    assert_eq!(two.clone().pin(0, Pin::First), Err(RouteError::BadPin { stop: 0 }));
    assert_eq!(two.clone().pin(2, Pin::Last), Err(RouteError::BadPin { stop: 2 }));
    let four = Problem::new(4, vec![1; 16]).unwrap().pin(1, Pin::First).unwrap();
    assert_eq!(four.clone().pin(1, Pin::Last), Err(RouteError::BadPin { stop: 1 }));
    assert_eq!(four.clone().pin(2, Pin::First), Err(RouteError::BadPin { stop: 2 }));
    assert_eq!(four.start(1), Err(RouteError::BadPin { stop: 1 }));
}
