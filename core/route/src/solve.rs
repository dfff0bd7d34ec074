//! The plan of attack: which algorithm at which size, and what is answered when they disagree or run out of work.

use super::arcs::Arcs;
use super::model::Model;
use super::problem::{Budget, Problem, RouteFault, Visit};
use super::proof::Proof;
use super::search::Search;
use super::subset;

/// Shares of the first rounds of the search, in hundredths, before there are prices and with them, where directions matter.
const UNPRICED: [u64; 2] = [30, 40];
/// The same where there are many stops.
const MANY_UNPRICED: [u64; 2] = [50, 50];
/// Where there are many stops, hundredths of the work left for cutting planes before the search begins anew from what they
/// found, and altogether.
const BEFORE: u64 = 30;
const ALTOGETHER: u64 = 95;
/// Work of branch and bound before cutting planes take over.
const EXPLORE: u64 = 1_500_000;
/// Where more than so many thousandths of the best known length are missing, cutting planes begin at once.
const NEAR: i64 = 11;
/// Where there are more stops, the work for every pair of them that makes cutting planes worth beginning.
const ROOT_CUTS: u64 = 4_000;
/// Work of cutting planes, for every pair of stops, between two turns of the search.
const PLANES: u64 = 1_200;
/// Where there are many stops, so many branches must be affordable for splitting them to be worth anything.
const WORTHWHILE: u64 = 10;

/// The shortest order found within the budget, never longer than the order sent.
///
/// Among orders of equal length the order sent wins; failing that, up to twelve free stops, the first in index order.
pub fn best_order(problem: &Problem, budget: Budget) -> Result<Visit, RouteFault> {
    let model = Model::of(problem)?;
    let sent = problem.sent();
    let known = problem.length(&sent);
    let (found, bound) = if model.count <= subset::MOST {
        let order = subset::solve(&model).ok_or(RouteFault::Infeasible)?;
        (Some(model.expand(&order)), u64::MAX)
    } else {
        approach(&model, budget)
    };
    let cost = found.as_ref().and_then(|order| problem.length(order));
    let (order, cost) = match (found, cost, known) {
        (Some(order), Some(cost), known) if known.is_none_or(|known| cost < known) => (order, cost),
        (_, _, Some(known)) => (sent, known),
        _ if bound == u64::MAX => return Err(RouteFault::Infeasible),
        _ => return Err(RouteFault::Unresolved),
    };
    let proven = bound >= cost;
    Ok(Visit { order, cost, proven, bound: if proven { cost } else { bound } })
}

/// The order sent, with its length; proven only where there is no other.
pub fn given_order(problem: &Problem) -> Result<Visit, RouteFault> {
    let order = problem.sent();
    let cost = problem.length(&order).ok_or(RouteFault::Infeasible)?;
    let proven = Model::of(problem)?.count <= 1;
    Ok(Visit { order, cost, proven, bound: if proven { cost } else { 0 } })
}

/// Search, then proof, over more stops than the table of subsets holds; the order and a bound, the largest number where
/// there is no order.
fn approach(model: &Model, budget: Budget) -> (Option<Vec<usize>>, u64) {
    let (merged, exact) = model.merged();
    if exact {
        let hunt = hunt(&merged, &merged, budget.work);
        return (hunt.order.map(|order| merged.expand(&order)), hunt.bound);
    }
    // Merging may cost a metre of rounding: the bound comes from the model in which it cannot. Where that is not enough,
    // every stop stands for itself again.
    let shortcut = merged.shortcut();
    let work = (merged.count * merged.count * merged.count) as u64;
    let mut found = hunt(&merged, &shortcut, budget.work.saturating_sub(work));
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

/// What a hunt found in one model, with the bound from the same or a cheaper one.
struct Hunt {
    order: Option<Vec<usize>>,
    bound: u64,
    work: u64,
}

/// Alternates search in one model and proof in the other, whose legs are nowhere longer.
fn hunt(model: &Model, relaxed: &Model, budget: u64) -> Hunt {
    if model.count <= subset::MOST {
        let order = subset::solve(model);
        let bound = subset::solve(relaxed).and_then(|order| relaxed.length(&order)).unwrap_or(u64::MAX);
        return Hunt { order, bound, work: 1 << (model.count + 5) };
    }
    let arcs = Arcs::of(model);
    let mut search = Search::new(&arcs);
    // Few stops leave most of the work to the proof; many leave it to the search, which finds more there.
    let few = model.count <= 60;
    let (begin, share) = if few { (budget / 3, 10) } else { (budget / 2, 60) };
    let count = model.count as u64;
    let rounds = (2 * count).max(count * count / 15);
    let [first, then] = match (model.symmetric, few) {
        (true, _) => [100, 0],
        (false, true) => UNPRICED,
        (false, false) => MANY_UNPRICED,
    };
    search.run(rounds * first / 100, begin);
    let left = budget.saturating_sub(search.work);
    let mut proof = Proof::begin(relaxed, Some(search.order()), if few { left / 2 } else { left });
    let priced = if model.symmetric || proof.done() { None } else { proof.priced(&arcs) };
    if let Some(priced) = &priced {
        search = search.again(priced, search.tour.clone());
        search.run(rounds * then / 100, begin);
        proof.offer(search.order());
    }
    if few {
        cut(&mut search, priced.as_ref(), &mut proof, count, budget);
    } else if budget >= ROOT_CUTS * count * count {
        // One program of the whole, to its end or as far as most of the work leads.
        let left = budget.saturating_sub(search.work + proof.work);
        if let Some(priced) = &priced {
            proof.cut(proof.work + left / 100 * BEFORE);
            let work = search.work + left / 3;
            restart(&mut search, priced, &mut proof, rounds / 2, work);
        }
        let left = budget.saturating_sub(search.work + proof.work);
        proof.cut(proof.work + left / 100 * ALTOGETHER);
    }
    let mut slice = 20_000 * model.count as u64;
    while !proof.done() && proof.work + search.work < budget {
        let left = budget - proof.work - search.work;
        slice = (2 * slice).min(left);
        let explored = slice / 100 * (100 - share);
        if explored < proof.step() || !few && left < WORTHWHILE * proof.step() {
            // The rest does not pay for splitting branches: it all goes to the search.
            search.run(u64::MAX, search.work + left);
            proof.offer(search.order());
            break;
        }
        search.run(u64::MAX, search.work + slice - explored);
        proof.offer(search.order());
        proof.explore(proof.work + explored);
    }
    let work = proof.work + search.work;
    let outcome = proof.outcome();
    let length = |order: &Vec<usize>| model.length(order).unwrap_or(u64::MAX);
    let order = [Some(search.order()), outcome.order].into_iter().flatten().min_by_key(length);
    Hunt { order: order.filter(|order| model.length(order).is_some()), bound: outcome.bound, work }
}

/// Proof by cutting planes, with a few more rounds of the search in between: a shorter order is worth much to them.
fn cut<'a>(search: &mut Search<'a>, mut priced: Option<&'a Arcs>, proof: &mut Proof<'_>, count: u64, budget: u64) {
    let mut slice = PLANES * count * count;
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
            // Every turn leaves a part of the search half done: they become longer.
            slice *= 2;
        }
    }
}

/// Searches anew from the legs that the cutting planes use the most, so many rounds or up to so much work, and goes on from
/// there where what it finds is as short.
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
