//! Selects the algorithm by problem size and divides the budget between search and proof.

use super::arcs::Arcs;
use super::model::Model;
use super::problem::{Budget, Problem, Route, RouteError};
use super::proof::Proof;
use super::search::Search;
use super::subset;

/// Up to this number of stops, most of the work is spent on the proof. Above it, the search gains
/// more.
const FEW_STOPS: usize = 60;
/// Above `FEW_STOPS`: the minimum work per pair of stops that makes cutting planes worthwhile.
const MIN_CUT_WORK_PER_PAIR: u64 = 4_000;
/// Above `FEW_STOPS`: the percentage of the remaining work spent on cutting planes before the
/// search restarts from their solution.
const RESTART_CUTS_PERCENT: u64 = 30;
/// Above `FEW_STOPS`: the percentage of the remaining work spent on cutting planes in total.
const TOTAL_CUTS_PERCENT: u64 = 95;
/// Above `FEW_STOPS`: the minimum number of branches that the remaining work must cover to start
/// branching.
const MIN_BRANCHES: u64 = 10;
/// Up to `FEW_STOPS`: the work of branch and bound before cutting planes start.
const BRANCHING_WORK: u64 = 1_500_000;
/// Up to `FEW_STOPS`: the gap, in thousandths of the cutoff, from which this branch and bound is
/// skipped.
const MAX_BRANCHING_GAP: i64 = 11;
/// Up to `FEW_STOPS`: work of cutting planes, per pair of stops, between two turns of the search.
const CUT_WORK_PER_PAIR: u64 = 1_200;

/// Returns the shortest order found within the budget, never longer than [`given_order`].
///
/// If the given order is as short as the best order found, it is returned. Otherwise, with up to
/// twelve free stops, the first optimum in lexicographic order is returned.
///
/// # Errors
///
/// Returns [`RouteError::Infeasible`] if every order provably needs a missing road, and
/// [`RouteError::Unresolved`] if the budget ended before an order without missing roads was found.
pub fn best_order(problem: &Problem, budget: Budget) -> Result<Route, RouteError> {
    let model = Model::new(problem)?;
    let given = problem.given_order();
    let given_cost = problem.length(&given);
    let (found, bound) = if model.count <= subset::MAX_FREE_STOPS {
        let order = subset::solve(&model).ok_or(RouteError::Infeasible)?;
        (Some(model.expand(&order)), u64::MAX)
    } else {
        solve(&model, budget)
    };
    let cost = found.as_ref().and_then(|order| problem.length(order));
    let (order, cost) = match (found, cost, given_cost) {
        (Some(order), Some(cost), given_cost)
            if given_cost.is_none_or(|given_cost| cost < given_cost) =>
        {
            (order, cost)
        }
        (_, _, Some(given_cost)) => (given, given_cost),
        _ if bound == u64::MAX => return Err(RouteError::Infeasible),
        _ => return Err(RouteError::Unresolved),
    };
    let proven = bound >= cost;
    Ok(Route {
        order,
        cost,
        proven,
        bound: if proven { cost } else { bound },
    })
}

/// Returns the stops by index, with pinned stops in their positions, and the length of this order.
/// `proven` is true only if no other order exists.
///
/// # Errors
///
/// Returns [`RouteError::Infeasible`] if the order needs a missing road.
pub fn given_order(problem: &Problem) -> Result<Route, RouteError> {
    let order = problem.given_order();
    let cost = problem.length(&order).ok_or(RouteError::Infeasible)?;
    let proven = Model::new(problem)?.count <= 1;
    Ok(Route {
        order,
        cost,
        proven,
        bound: if proven { cost } else { 0 },
    })
}

/// Searches and proves a problem too large for dynamic programming. Returns the order and a lower
/// bound, which is `u64::MAX` if no order exists.
fn solve(model: &Model, budget: Budget) -> (Option<Vec<usize>>, u64) {
    let (merged, exact) = model.merged();
    let closure_work = (merged.count * merged.count * merged.count) as u64;
    if exact || closure_work > budget.work / 2 {
        let model = if exact { &merged } else { model };
        let found = search_and_prove(model, model, budget.work);
        return (found.order.map(|order| model.expand(&order)), found.bound);
    }
    // Merging can lengthen the route by a metre of rounding. The bound therefore comes from the
    // metric closure, where merging is exact. If it leaves a gap, the co-located stops are
    // separated again.
    let closure = merged.metric_closure();
    let mut found = search_and_prove(&merged, &closure, budget.work - closure_work);
    found.work += closure_work;
    let order = found.order.map(|order| {
        order
            .iter()
            .flat_map(|&stop| merged.merged_from[stop].iter().copied())
            .collect()
    });
    let cost = order
        .as_ref()
        .and_then(|order: &Vec<usize>| model.length(order))
        .unwrap_or(u64::MAX);
    if found.bound >= cost && cost < u64::MAX || found.work >= budget.work {
        return (order.map(|order| model.expand(&order)), found.bound);
    }
    let left = budget.work - found.work;
    let mut proof = Proof::new(model, order, left / 3);
    proof.explore(left);
    let outcome = proof.result();
    (
        outcome.order.map(|order| model.expand(&order)),
        outcome.bound.max(found.bound),
    )
}

/// The result of [`search_and_prove`].
struct SearchResult {
    order: Option<Vec<usize>>,
    bound: u64,
    work: u64,
}

/// The division of the work between search and proof.
struct Schedule {
    few: bool,
    /// Rounds of the first search.
    rounds: u64,
    /// Percentages of these rounds on distances and, after the root ascent, on reduced costs.
    distance_percent: u64,
    reduced_cost_percent: u64,
    /// The search's percentage of the work while search and proof alternate.
    search_percent: u64,
    /// Branching ends if the remaining work covers fewer branches.
    min_branches: u64,
}

impl Schedule {
    fn of(model: &Model) -> Schedule {
        let (count, few) = (model.count as u64, model.count <= FEW_STOPS);
        let (distance_percent, reduced_cost_percent) = match (model.symmetric, few) {
            (true, true) => (25, 0),
            (false, true) => (30, 40),
            (true, false) => (1, 99),
            (false, false) => (10, 90),
        };
        Schedule {
            few,
            rounds: (2 * count).max(count * count / 15),
            distance_percent,
            reduced_cost_percent,
            search_percent: if few { 10 } else { 60 },
            min_branches: if few { 0 } else { MIN_BRANCHES },
        }
    }
}

/// Alternates search in `model` and proof in `relaxed`, whose legs are never longer.
fn search_and_prove(model: &Model, relaxed: &Model, budget: u64) -> SearchResult {
    if model.count <= subset::MAX_FREE_STOPS {
        let order = subset::solve(model);
        let bound = subset::solve(relaxed)
            .and_then(|order| relaxed.length(&order))
            .unwrap_or(u64::MAX);
        return SearchResult {
            order,
            bound,
            work: 1 << (model.count + 5),
        };
    }
    let (schedule, count) = (Schedule::of(model), model.count as u64);
    let mut search = Search::new(Arcs::new(model));
    search.run(
        schedule.rounds * schedule.distance_percent / 100,
        budget / 3,
    );
    let left = budget.saturating_sub(search.work);
    let mut proof = Proof::new(relaxed, Some(search.order()), left / 3);
    if !proof.is_complete()
        && schedule.reduced_cost_percent > 0
        && let Some(reduced) = proof.reduced_costs(&search.arcs)
    {
        search.set_arcs(reduced);
        let work = if schedule.few {
            budget / 3
        } else {
            budget.saturating_sub(proof.work)
        };
        search.run(schedule.rounds * schedule.reduced_cost_percent / 100, work);
        proof.update_incumbent(search.order());
    }
    if schedule.few {
        cut_in_turns(&mut search, &mut proof, model, budget);
    } else if budget >= MIN_CUT_WORK_PER_PAIR * count * count {
        cut_at_root(&mut search, &mut proof, model, schedule.rounds, budget);
    }
    alternate(&mut search, &mut proof, &schedule, 20_000 * count, budget);
    let work = proof.work + search.work;
    let outcome = proof.result();
    let length = |order: &Vec<usize>| model.length(order).unwrap_or(u64::MAX);
    let order = [Some(search.order()), outcome.order]
        .into_iter()
        .flatten()
        .min_by_key(length);
    SearchResult {
        order: order.filter(|order| model.length(order).is_some()),
        bound: outcome.bound,
        work,
    }
}

/// Alternates search and branch and bound in slices of increasing work.
fn alternate(
    search: &mut Search,
    proof: &mut Proof<'_>,
    schedule: &Schedule,
    mut slice: u64,
    budget: u64,
) {
    while !proof.is_complete() && proof.work + search.work < budget {
        let left = budget - proof.work - search.work;
        slice = (2 * slice).min(left);
        let explored = slice / 100 * (100 - schedule.search_percent);
        if explored < proof.node_work() || left < schedule.min_branches * proof.node_work() {
            // The remaining work covers too few branches: spend all of it on the search.
            search.run(u64::MAX, search.work + left);
            proof.update_incumbent(search.order());
            return;
        }
        search.run(u64::MAX, search.work + slice - explored);
        proof.update_incumbent(search.order());
        proof.explore(proof.work + explored);
    }
}

/// Above `FEW_STOPS`: runs cutting planes at the root, with one restart of an asymmetric search
/// from their solution.
fn cut_at_root(
    search: &mut Search,
    proof: &mut Proof<'_>,
    model: &Model,
    rounds: u64,
    budget: u64,
) {
    let left = budget.saturating_sub(search.work + proof.work);
    if !model.symmetric {
        proof.cut(proof.work + left / 100 * RESTART_CUTS_PERCENT);
        restart(search, proof, rounds / 2, search.work + left / 3);
    }
    let left = budget.saturating_sub(search.work + proof.work);
    proof.cut(proof.work + left / 100 * TOTAL_CUTS_PERCENT);
}

/// Up to `FEW_STOPS`: alternates cutting planes with a few rounds of the search, because a shorter
/// order prunes many nodes.
fn cut_in_turns(search: &mut Search, proof: &mut Proof<'_>, model: &Model, budget: u64) {
    let mut slice = CUT_WORK_PER_PAIR * (model.count * model.count) as u64;
    let mut turn = slice / 2;
    let mut restarts = !model.symmetric;
    if proof.gap_per_mille() < MAX_BRANCHING_GAP {
        proof.explore((proof.work + BRANCHING_WORK).min(budget.saturating_sub(search.work)));
    }
    while !proof.is_complete() && proof.work + search.work < budget {
        proof.cut((proof.work + slice).min(budget.saturating_sub(search.work)));
        if !proof.is_complete() {
            let work = (search.work + turn).min(budget.saturating_sub(proof.work));
            if restarts {
                restart(search, proof, u64::MAX, work);
                restarts = false;
            } else {
                search.run(u64::MAX, work);
                proof.update_incumbent(search.order());
            }
            turn = slice / 5;
            // Every turn interrupts a subtree, so the turns grow.
            slice *= 2;
        }
    }
}

/// Searches from the order of the LP solution.
fn restart(search: &mut Search, proof: &mut Proof<'_>, rounds: u64, work: u64) {
    if let Some(order) = proof.greedy_order() {
        search.try_order(&order, rounds, work);
        proof.update_incumbent(search.order());
    }
}
