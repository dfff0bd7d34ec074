//! The plan of attack: which algorithm at which size, and what is answered when they disagree or run out of work.

use super::arcs::Arcs;
use super::branch;
use super::model::Model;
use super::problem::{Budget, Problem, RouteFault, Visit};
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
    let spent = search.run(rounds(model.count), budget.work / 2);
    let order = search.order();
    let known = model.length(&order).map(|_| order);
    let outcome = branch::prove(model, known, budget.work.saturating_sub(spent));
    (outcome.order, outcome.bound, outcome.complete)
}

/// Kicks that find the optimum nearly always; the proof finds it where they did not.
fn rounds(count: usize) -> u64 {
    let count = count as u64;
    count * count / 2
}
