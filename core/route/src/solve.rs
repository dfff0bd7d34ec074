//! Chooses the algorithm by size, and the result if algorithms disagree or the budget ends.

use super::arcs::Arcs;
use super::model::Model;
use super::problem::{Budget, Problem, RouteError, Visit};
use super::proof::Proof;
use super::search::Search;
use super::subset;

/// Up to so many stops most of the work goes to the proof; beyond, to the search, which gains more there.
const FEW_STOPS: usize = 60;
/// Many stops: the minimum work per pair of stops that makes cutting planes worthwhile.
const ROOT_CUTS: u64 = 4_000;
/// Many stops: percentages of the remaining work for cutting planes before the search restarts from their solution, and in total.
const CUTS_BEFORE_RESTART_PERCENT: u64 = 30;
const CUTS_TOTAL_PERCENT: u64 = 95;
/// Many stops: branching is worthwhile only if the remaining work pays for so many branches.
const MIN_BRANCHES: u64 = 10;
/// Few stops: work of branch and bound before cutting planes take over, unless more than `NEAR` thousandths of the best known
/// length are missing.
const EXPLORE: u64 = 1_500_000;
const NEAR: i64 = 11;
/// Few stops: work of cutting planes, per pair of stops, between two turns of the search.
const CUT_SLICE: u64 = 1_200;

/// The shortest order found within the budget, never longer than the order sent.
///
/// Among orders of equal length the order sent wins; failing that, up to twelve free stops, the first in index order.
pub fn best_order(problem: &Problem, budget: Budget) -> Result<Visit, RouteError> {
    let model = Model::of(problem)?;
    let sent = problem.sent();
    let known = problem.length(&sent);
    let (found, bound) = if model.count <= subset::MAX_FREE_STOPS {
        let order = subset::solve(&model).ok_or(RouteError::Infeasible)?;
        (Some(model.expand(&order)), u64::MAX)
    } else {
        solve(&model, budget)
    };
    let cost = found.as_ref().and_then(|order| problem.length(order));
    let (order, cost) = match (found, cost, known) {
        (Some(order), Some(cost), known) if known.is_none_or(|known| cost < known) => (order, cost),
        (_, _, Some(known)) => (sent, known),
        _ if bound == u64::MAX => return Err(RouteError::Infeasible),
        _ => return Err(RouteError::Unresolved),
    };
    let proven = bound >= cost;
    Ok(Visit { order, cost, proven, bound: if proven { cost } else { bound } })
}

/// The order sent, with its length; proven only if there is no other.
pub fn given_order(problem: &Problem) -> Result<Visit, RouteError> {
    let order = problem.sent();
    let cost = problem.length(&order).ok_or(RouteError::Infeasible)?;
    let proven = Model::of(problem)?.count <= 1;
    Ok(Visit { order, cost, proven, bound: if proven { cost } else { 0 } })
}

/// Search, then proof, over more stops than the table of subsets holds; the order and a bound, the largest number where
/// there is no order.
fn solve(model: &Model, budget: Budget) -> (Option<Vec<usize>>, u64) {
    let (merged, exact) = model.merged();
    if exact {
        let found = search_and_prove(&merged, &merged, budget.work);
        return (found.order.map(|order| merged.expand(&order)), found.bound);
    }
    // Merging may cost a metre of rounding: the bound comes from the model in which it cannot. Where that is not enough,
    // co-located stops are separated again.
    let shortcut = merged.shortcut();
    let work = (merged.count * merged.count * merged.count) as u64;
    let mut found = search_and_prove(&merged, &shortcut, budget.work.saturating_sub(work));
    found.work += work;
    let order = found.order.map(|order| order.iter().flat_map(|&stop| merged.places[stop].iter().copied()).collect());
    let cost = order.as_ref().and_then(|order: &Vec<usize>| model.length(order)).unwrap_or(u64::MAX);
    if found.bound >= cost && cost < u64::MAX || found.work >= budget.work {
        return (order.map(|order| model.expand(&order)), found.bound);
    }
    let left = budget.work - found.work;
    let mut proof = Proof::begin(model, order, left / 3);
    proof.explore(left);
    let outcome = proof.outcome();
    (outcome.order.map(|order| model.expand(&order)), outcome.bound.max(found.bound))
}

/// The result of [`search_and_prove`].
struct Found {
    order: Option<Vec<usize>>,
    bound: u64,
    work: u64,
}

/// How the work is divided between search and proof.
struct Schedule {
    few: bool,
    /// Rounds of the first search.
    rounds: u64,
    /// Percentages of these rounds on plain legs and on legs with the prices of the proof. Only directed legs profit from prices.
    plain_percent: u64,
    priced_percent: u64,
    /// Work after which the first search ends.
    first_search: u64,
    /// Percentage of the search where search and proof alternate.
    search_percent: u64,
    /// Branching ends if the remaining work does not pay for so many branches.
    min_branches: u64,
}

impl Schedule {
    fn of(model: &Model, budget: u64) -> Schedule {
        let (count, few) = (model.count as u64, model.count <= FEW_STOPS);
        let (plain_percent, priced_percent) = match (model.symmetric, few) {
            (true, _) => (100, 0),
            (false, true) => (30, 40),
            (false, false) => (50, 50),
        };
        Schedule {
            few,
            rounds: (2 * count).max(count * count / 15),
            plain_percent,
            priced_percent,
            first_search: if few { budget / 3 } else { budget / 2 },
            search_percent: if few { 10 } else { 60 },
            min_branches: if few { 0 } else { MIN_BRANCHES },
        }
    }
}

/// Alternates search in one model and proof in the other, whose legs are nowhere longer.
fn search_and_prove(model: &Model, relaxed: &Model, budget: u64) -> Found {
    if model.count <= subset::MAX_FREE_STOPS {
        let order = subset::solve(model);
        let bound = subset::solve(relaxed).and_then(|order| relaxed.length(&order)).unwrap_or(u64::MAX);
        return Found { order, bound, work: 1 << (model.count + 5) };
    }
    let arcs = Arcs::of(model);
    let (schedule, count) = (Schedule::of(model, budget), model.count as u64);
    let mut search = Search::new(&arcs);
    search.run(schedule.rounds * schedule.plain_percent / 100, schedule.first_search);
    let left = budget.saturating_sub(search.work);
    let mut proof = Proof::begin(relaxed, Some(search.order()), if schedule.few { left / 2 } else { left });
    let priced = if model.symmetric || proof.done() { None } else { proof.priced(&arcs) };
    if let Some(priced) = &priced {
        search = search.again(priced, search.tour.clone());
        search.run(schedule.rounds * schedule.priced_percent / 100, schedule.first_search);
        proof.offer(search.order());
    }
    if schedule.few {
        cut_in_turns(&mut search, priced.as_ref(), &mut proof, count, budget);
    } else if budget >= ROOT_CUTS * count * count {
        cut_at_root(&mut search, priced.as_ref(), &mut proof, schedule.rounds, budget);
    }
    alternate(&mut search, &mut proof, &schedule, 20_000 * count, budget);
    let work = proof.work + search.work;
    let outcome = proof.outcome();
    let length = |order: &Vec<usize>| model.length(order).unwrap_or(u64::MAX);
    let order = [Some(search.order()), outcome.order].into_iter().flatten().min_by_key(length);
    Found { order: order.filter(|order| model.length(order).is_some()), bound: outcome.bound, work }
}

/// Alternates search and branch and bound in slices of growing work.
fn alternate(search: &mut Search<'_>, proof: &mut Proof<'_>, schedule: &Schedule, mut slice: u64, budget: u64) {
    while !proof.done() && proof.work + search.work < budget {
        let left = budget - proof.work - search.work;
        slice = (2 * slice).min(left);
        let explored = slice / 100 * (100 - schedule.search_percent);
        if explored < proof.step() || left < schedule.min_branches * proof.step() {
            // The remaining work does not pay for branching: the search gets all of it.
            search.run(u64::MAX, search.work + left);
            proof.offer(search.order());
            return;
        }
        search.run(u64::MAX, search.work + slice - explored);
        proof.offer(search.order());
        proof.explore(proof.work + explored);
    }
}

/// Many stops: cutting planes for the whole problem, with one restart of the search from their solution.
fn cut_at_root<'a>(search: &mut Search<'a>, priced: Option<&'a Arcs>, proof: &mut Proof<'_>, rounds: u64, budget: u64) {
    let left = budget.saturating_sub(search.work + proof.work);
    if let Some(priced) = priced {
        proof.cut(proof.work + left / 100 * CUTS_BEFORE_RESTART_PERCENT);
        let work = search.work + left / 3;
        restart(search, priced, proof, rounds / 2, work);
    }
    let left = budget.saturating_sub(search.work + proof.work);
    proof.cut(proof.work + left / 100 * CUTS_TOTAL_PERCENT);
}

/// Few stops: cutting planes in turns with a few rounds of the search, since a shorter order closes many parts.
fn cut_in_turns<'a>(
    search: &mut Search<'a>,
    mut priced: Option<&'a Arcs>,
    proof: &mut Proof<'_>,
    count: u64,
    budget: u64,
) {
    let mut slice = CUT_SLICE * count * count;
    let mut turn = slice / 2;
    if proof.missing() < NEAR {
        proof.explore((proof.work + EXPLORE).min(budget.saturating_sub(search.work)));
    }
    while !proof.done() && proof.work + search.work < budget {
        proof.cut((proof.work + slice).min(budget.saturating_sub(search.work)));
        if !proof.done() {
            let work = (search.work + turn).min(budget.saturating_sub(proof.work));
            match priced.take() {
                Some(priced) => restart(search, priced, proof, u64::MAX, work),
                None => {
                    search.run(u64::MAX, work);
                    proof.offer(search.order());
                }
            }
            turn = slice / 5;
            // Every turn interrupts a part of the search: the turns grow.
            slice *= 2;
        }
    }
}

/// Restarts the search from the legs that the cutting planes use most, for so many rounds or so much work, and continues from
/// its result if that is as short.
fn restart<'a>(search: &mut Search<'a>, priced: &'a Arcs, proof: &mut Proof<'_>, rounds: u64, work: u64) {
    let Some(tour) = proof.guess() else { return };
    let mut other = search.again(priced, tour);
    other.run(rounds, work);
    if other.cost <= search.cost {
        *search = other;
    } else {
        search.work = other.work;
    }
    proof.offer(search.order());
}
