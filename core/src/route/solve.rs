//! The plan of attack: which algorithm at which size, and what is answered when they disagree or run out of work.

use super::arcs::Arcs;
use super::model::Model;
use super::problem::{Budget, Problem, RouteFault, Visit};
use super::proof::Proof;
use super::search::Search;
use super::subset;

/// The shortest order found within the budget, never longer than the order sent.
///
/// Among orders of equal length the order sent wins; failing that, up to twelve free stops, the first in index order.
pub fn best_order(problem: &Problem, budget: Budget) -> Result<Visit, RouteFault> {
    let model = Model::of(problem)?;
    let sent = problem.sent();
    let known = problem.length(&sent);
    let (found, bound, complete) = if model.count <= subset::MOST {
        let order = subset::solve(&model).ok_or(RouteFault::Infeasible)?;
        (Some(model.expand(&order)), 0, true)
    } else {
        let merged = model.merged();
        let (order, bound, complete) = approach(&merged, budget);
        (order.map(|order| merged.expand(&order)), bound, complete)
    };
    let cost = found.as_ref().and_then(|order| problem.length(order));
    let (order, cost) = match (found, cost, known) {
        (Some(order), Some(cost), known) if known.is_none_or(|known| cost < known) => (order, cost),
        (_, _, Some(known)) => (sent, known),
        _ if complete => return Err(RouteFault::Infeasible),
        _ => return Err(RouteFault::Unresolved),
    };
    let proven = complete || bound >= cost;
    Ok(Visit { order, cost, proven, bound: if proven { cost } else { bound } })
}

/// The order sent, with its length; proven only where there is no other.
pub fn given_order(problem: &Problem) -> Result<Visit, RouteFault> {
    let order = problem.sent();
    let cost = problem.length(&order).ok_or(RouteFault::Infeasible)?;
    let proven = Model::of(problem)?.count <= 1;
    Ok(Visit { order, cost, proven, bound: if proven { cost } else { 0 } })
}

/// Search, then proof, over more stops than the table of subsets holds.
fn approach(model: &Model, budget: Budget) -> (Option<Vec<usize>>, u64, bool) {
    if model.count <= subset::MOST {
        let order = subset::solve(model);
        return (order, 0, true);
    }
    let arcs = Arcs::of(model);
    let mut search = Search::new(&arcs);
    search.run(2 * model.count as u64, budget.work / 3);
    let mut proof = Proof::begin(model, Some(search.order()), budget.work.saturating_sub(search.work) / 3);
    // Few stops leave most of the work to the proof; many leave it to the search, which finds more there.
    let share = if model.count <= 60 { 10 } else { 60 };
    let mut slice = 20_000 * model.count as u64;
    while !proof.done() && proof.work + search.work < budget.work {
        slice = (2 * slice).min(budget.work - proof.work - search.work);
        search.run(u64::MAX, search.work + slice / 100 * share);
        proof.offer(search.order());
        proof.explore(proof.work + slice / 100 * (100 - share));
    }
    let outcome = proof.outcome();
    (outcome.order, outcome.bound, outcome.complete)
}
