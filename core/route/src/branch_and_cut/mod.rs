//! Branch and cut over the remaining legs, for proofs in which the 1-tree bound does not suffice.
//!
//! The linear program has the degree constraints of the nodes, and violated subtour and blossom
//! cuts are added (Dantzig, Fulkerson and Johnson 1954; Fischetti and Toth 1997 for asymmetric
//! matrices). Its optimum is at least the 1-tree bound. It starts from the prices of the best tree,
//! whose nested components are its first cuts. The search branches on a fractional leg chosen by
//! strong branching (Applegate, Bixby, Chvátal and Cook 2006).
//!
//! **Bounds are proven in integers.** The floating-point program only proposes dual prices. Rounded
//! to integers, they give a bound as a sum of whole numbers below 2⁵³, which floats represent
//! exactly. Only this bound prunes a node or eliminates a leg.

mod initial_cuts;
mod separation;
mod tour;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::open_node::OpenNode;
use super::separate::Cut;
use super::simplex::{Limit, PivotOutcome, ROUNDER, Simplex, Snapshot, State, to_i64};
use super::tree::{FORBIDDEN, Legs, Prices, Tree};

/// The maximum number of separation rounds at the root.
const ROOT_ROUNDS: usize = 60;
/// The maximum number of separation rounds in other nodes.
const NODE_ROUNDS: usize = 2;
/// The number of root rounds with little progress before branching.
const ROOT_STALE_LIMIT: usize = 4;
/// The number of fractional legs, closest to one half, whose first dual pivot is scored.
const SCORED_LEGS: usize = 12;
/// The number of scored legs evaluated by strong branching.
const STRONG_BRANCHING_LEGS: usize = 3;
/// The maximum number of pivots of each evaluation.
const STRONG_BRANCHING_PIVOTS: usize = 6;
/// The maximum number of times that cuts of the pool are added in a node.
const POOL_ROUNDS: usize = 10;
/// The maximum number of cuts of the pool added at once.
const MAX_POOL_CUTS: usize = 20;
/// The minimum violation of a cut of the pool.
const MIN_VIOLATION: f64 = 0.02;
/// Up to this number of stops, the search dives into a child directly, because the current basis is
/// close to it.
const MAX_DIVING_STOPS: usize = 60;
/// The maximum number of stored snapshots. Each takes a few hundred kilobytes.
const MAX_SNAPSHOTS: usize = 32;
/// The maximum number of pivots between two separations.
const MAX_PIVOTS: usize = 4_000;
/// The integrality tolerance.
const INTEGRALITY: f64 = 0.001;
/// Cuts with more slack are removed when new ones are added.
const MAX_SLACK: f64 = 0.05;
/// The costs of equal legs are perturbed by less than four units: a 12-bit hash divided by this.
const PERTURBATION: f64 = 1_024.0;
/// The distance above the cutoff at which an integer proof is attempted.
const CUTOFF_MARGIN: f64 = 256.0;
/// The maximum integer price. Sums over all rows and legs remain exact.
const MAX_PRICE: f64 = 4_294_967_296.0;

/// A remaining leg. The origin's index is the number of free stops.
#[derive(Clone, Copy)]
struct Leg {
    from: usize,
    to: usize,
}

/// A branching decision: a leg and whether it is used.
type Fix = (usize, bool);

/// A node of the search tree: its decisions, and the parent's program for a warm start.
#[derive(Default)]
struct Node {
    fixes: Vec<Fix>,
    warm_start: Option<Box<(Snapshot, Vec<Fix>)>>,
}

/// The state of branch and cut.
pub(super) struct BranchAndCut {
    legs: Vec<Leg>,
    /// The scaled costs of the legs, without perturbation.
    costs: Vec<f64>,
    /// The number of free stops.
    count: usize,
    lp: Simplex,
    /// The program's state before strong branching.
    saved: State,
    open: BinaryHeap<OpenNode<Node>>,
    /// The decisions applied to the program.
    fixed: Vec<Fix>,
    /// The last LP solution.
    values: Vec<f64>,
    /// The integer reduced costs of the last bound.
    reduced_costs: Vec<f64>,
    /// The root bound and the reduced costs that prove it.
    root: (i64, Vec<f64>),
    symmetric: bool,
    serial: u64,
    /// The lowest bound of the nodes that could be neither pruned nor branched.
    unresolved_bound: i64,
    /// The last LP solution of the root.
    root_values: Vec<f64>,
    /// The work done so far, excluding the linear program's.
    pub(super) work: u64,
}

/// The outcome of a node.
enum NodeOutcome {
    /// The node contains no shorter order.
    Pruned,
    /// The node remains open with this bound.
    Open(i64),
}

impl BranchAndCut {
    /// Creates the linear program of the remaining legs, at the prices of a tree.
    pub(super) fn new(legs: &Legs, tree: &Tree, prices: &Prices) -> BranchAndCut {
        let count = legs.count;
        let mut remaining = Vec::new();
        let (mut columns, mut costs) = (Vec::new(), Vec::new());
        let (out_row, back_row) = if legs.symmetric {
            (count, count + 1)
        } else {
            (count, 2 * count + 1)
        };
        let enters = |stop: usize| {
            if legs.symmetric {
                stop
            } else {
                count + 1 + stop
            }
        };
        let mut insert = |from: usize, to: usize, cost: i32, rows: (usize, usize)| {
            if cost < FORBIDDEN {
                remaining.push(Leg { from, to });
                // Equal legs cause degenerate pivots, so the program perturbs their costs upwards.
                let perturbation = u32::try_from(columns.len())
                    .unwrap_or(0)
                    .wrapping_mul(2_654_435_769)
                    >> 20;
                columns.push((
                    f64::from(cost) + f64::from(perturbation) / PERTURBATION,
                    rows,
                ));
                costs.push(f64::from(cost));
            }
        };
        for from in 0..count {
            insert(count, from, legs.out[from], (out_row, enters(from)));
            insert(from, count, legs.back[from], (from, back_row));
            for to in (0..count).filter(|&to| to != from && (from < to || !legs.symmetric)) {
                insert(from, to, legs.at(from, to), (from, enters(to)));
            }
        }
        let rows = if legs.symmetric {
            count + 2
        } else {
            2 * count + 2
        };
        let mut equations = vec![(1.0, 0.0); rows];
        let (sets, longest) = initial_cuts::tree_components(legs, tree, prices);
        // The degree equations imply the inequality of all free stops: its price is distributed
        // over them.
        let share = f64::from(longest) / if legs.symmetric { 2.0 } else { 1.0 };
        for stop in 0..count {
            equations[stop].1 = share - f64::from(prices.leave[stop]);
            if legs.symmetric {
                equations[stop].0 = 2.0;
            } else {
                equations[enters(stop)].1 = -f64::from(prices.enter[stop]);
            }
        }
        for (set, dual) in sets.iter().filter(|(set, _)| set.is_large()) {
            // A large set's cut counts the legs that leave it, so the price of the legs within is
            // moved to its stops.
            for stop in (0..count).filter(|&stop| set.contains(stop)) {
                equations[stop].1 += f64::from(*dual) / if legs.symmetric { 2.0 } else { 1.0 };
            }
        }
        let enter = prices.enter(legs.symmetric);
        let min = |legs: &[i32], prices: &[i32]| {
            legs.iter()
                .zip(prices)
                .map(|(leg, price)| leg + price)
                .min()
        };
        equations[out_row].1 = f64::from(min(&legs.out, enter).unwrap_or(0))
            - if legs.symmetric { share } else { 0.0 };
        equations[back_row].1 = f64::from(min(&legs.back, &prices.leave).unwrap_or(0)) - share;
        let limits = sets.iter().map(|&(set, dual)| {
            let cut = Cut::Sets(vec![set], set.len() - 1);
            let numbered = remaining
                .iter()
                .enumerate()
                .map(|(index, leg)| (index, leg.from, leg.to));
            Limit {
                entries: cut.entries(numbered, legs.symmetric),
                max: cut.rhs(),
                dual: f64::from(dual),
            }
        });
        let lp = Simplex::new(&columns, &equations, limits.collect());
        BranchAndCut {
            legs: remaining,
            costs,
            count,
            lp,
            saved: State::default(),
            open: BinaryHeap::from([OpenNode {
                bound: i64::MIN,
                serial: 0,
                data: Node::default(),
            }]),
            fixed: Vec::new(),
            values: Vec::new(),
            reduced_costs: Vec::new(),
            root: (i64::MIN, Vec::new()),
            symmetric: legs.symmetric,
            serial: 0,
            unresolved_bound: i64::MAX,
            root_values: Vec::new(),
            work: 0,
        }
    }

    /// Explores nodes until none can contain a shorter order or the budget ends. Returns the lowest
    /// bound of the open nodes.
    ///
    /// `offer` receives each order found and returns the new cutoff.
    pub(super) fn run(
        &mut self,
        mut cutoff: i64,
        budget: u64,
        offer: &mut dyn FnMut(Vec<usize>) -> i64,
    ) -> i64 {
        self.eliminate_at_root(cutoff);
        let mut next = None;
        while let Some(mut node) = next.take().or_else(|| self.open.pop()) {
            if node.bound > cutoff {
                continue;
            }
            if self.spent() >= budget {
                self.open.push(node);
                break;
            }
            if let Some(warm_start) = node.data.warm_start.take() {
                let snapshot;
                (snapshot, self.fixed) = *warm_start;
                self.lp.restore(snapshot);
            }
            if !self.enter(&node.data.fixes) {
                continue;
            }
            match self.solve(node.bound, &mut cutoff, node.serial == 0, budget, offer) {
                NodeOutcome::Pruned => {}
                NodeOutcome::Open(bound) if self.spent() >= budget => {
                    self.open.push(OpenNode { bound, ..node });
                    break;
                }
                NodeOutcome::Open(bound) => next = self.branch(bound, cutoff, budget),
            }
        }
        self.open
            .peek()
            .map_or(i64::MAX, |node| node.bound)
            .min(self.unresolved_bound)
    }

    /// Returns the work done so far, including the linear program's.
    pub(super) fn spent(&self) -> u64 {
        self.work + self.lp.work
    }

    /// Applies the decisions of a node. Returns false if they need an eliminated leg.
    fn enter(&mut self, fixes: &[Fix]) -> bool {
        if fixes
            .iter()
            .any(|&(leg, used)| used && self.lp.state.columns[leg].removed)
        {
            return false;
        }
        let mut kept = vec![false; self.legs.len()];
        fixes.iter().for_each(|&(leg, _)| kept[leg] = true);
        for (leg, _) in std::mem::take(&mut self.fixed) {
            if !kept[leg] && !self.lp.state.columns[leg].removed {
                self.lp.set_bounds(leg, 0.0, 1.0);
            }
        }
        for &(leg, used) in fixes {
            let column = self.lp.state.columns[leg];
            if column.low < column.high || (column.high > 0.0) != used {
                self.fix(leg, used);
            }
        }
        self.lp.update_basic_values();
        self.fixed = fixes.to_vec();
        true
    }

    fn fix(&mut self, leg: usize, used: bool) {
        let value = if used { 1.0 } else { 0.0 };
        self.lp.set_bounds(leg, value, value);
    }

    /// Raises the bound of a node by cuts until it is pruned, must be branched, or the budget ends.
    fn solve(
        &mut self,
        known: i64,
        cutoff: &mut i64,
        root: bool,
        budget: u64,
        offer: &mut dyn FnMut(Vec<usize>) -> i64,
    ) -> NodeOutcome {
        let (max_rounds, stale_limit) = if root {
            (ROOT_ROUNDS, ROOT_STALE_LIMIT)
        } else {
            (NODE_ROUNDS, NODE_ROUNDS)
        };
        let mut bound = known;
        let (mut stale, mut round, mut pool_rounds) = (0, 0, 0);
        loop {
            self.lp.max_work = budget.saturating_sub(self.work);
            let (outcome, value) = self.solve_program(*cutoff);
            // Cuts that close less than a fiftieth of the gap are not worth their rows. In the
            // first round, any progress counts.
            let (gain, missing) = (value.saturating_sub(bound), cutoff.saturating_sub(bound));
            stale = if gain < missing / 50 && round > 0 {
                stale + 1
            } else {
                0
            };
            bound = bound.max(value);
            if bound > *cutoff {
                return NodeOutcome::Pruned;
            }
            if outcome == PivotOutcome::Infeasible {
                return self.abandon(bound);
            }
            if outcome != PivotOutcome::Optimal || self.spent() >= budget {
                return NodeOutcome::Open(bound);
            }
            self.eliminate_legs(value, *cutoff, root);
            self.lp.values(&mut self.values);
            if pool_rounds < POOL_ROUNDS
                && self
                    .lp
                    .add_from_pool(&self.values, MIN_VIOLATION, MAX_POOL_CUTS)
            {
                pool_rounds += 1;
                continue;
            }
            if root {
                self.root_values.clone_from(&self.values);
            }
            let (cuts, zero_half_cuts) = self.separate();
            if cuts.is_empty() && zero_half_cuts.is_empty() {
                let Some(order) = self.order() else {
                    return NodeOutcome::Open(bound);
                };
                *cutoff = offer(order);
                return if bound > *cutoff {
                    NodeOutcome::Pruned
                } else {
                    self.abandon(bound)
                };
            }
            if self.is_fractional() && (round + 1 >= max_rounds || stale >= stale_limit) {
                return NodeOutcome::Open(bound);
            }
            self.lp.remove_slack_cuts(MAX_SLACK);
            zero_half_cuts
                .into_iter()
                .for_each(|(entries, limit)| self.lp.add_cut(entries, limit));
            self.add_cuts(&cuts);
            round += 1;
        }
    }

    /// Solves the program, and once more from a new inverse if rounding errors prevented the proof
    /// of infeasibility.
    fn solve_program(&mut self, cutoff: i64) -> (PivotOutcome, i64) {
        let (outcome, value) = self.run_pivots(cutoff, MAX_PIVOTS);
        if outcome != PivotOutcome::Infeasible || value > cutoff {
            return (outcome, value);
        }
        self.lp.reinvert();
        self.run_pivots(cutoff, MAX_PIVOTS)
    }

    /// Abandons a node that rounding errors prevent from being pruned or branched. Its bound limits
    /// the final bound.
    fn abandon(&mut self, bound: i64) -> NodeOutcome {
        self.unresolved_bound = self.unresolved_bound.min(bound);
        NodeOutcome::Pruned
    }

    /// Returns whether the solution has a fractional leg to branch on. An integral solution that is
    /// not a route needs cuts.
    fn is_fractional(&self) -> bool {
        self.values
            .iter()
            .any(|&value| value > INTEGRALITY && value < 1.0 - INTEGRALITY)
    }

    /// Runs pivots. Returns how the run ended and the bound that its prices prove.
    fn run_pivots(&mut self, cutoff: i64, pivots: usize) -> (PivotOutcome, i64) {
        let mut outcome = self.lp.run(float(cutoff) + CUTOFF_MARGIN, pivots);
        if outcome == PivotOutcome::LimitExceeded {
            let value = self.integer_bound(&self.lp.state.duals.clone());
            if value > cutoff {
                return (outcome, value);
            }
            // The integer proof is weaker than the float value: solve the program to the end.
            outcome = self.lp.run(f64::INFINITY, pivots);
        }
        let prices = match outcome {
            PivotOutcome::Infeasible => self
                .lp
                .ray_duals((float(cutoff) - self.lp.objective()).clamp(0.0, f64::MAX) + 4_096.0),
            _ => self.lp.state.duals.clone(),
        };
        (outcome, self.integer_bound(&prices))
    }

    /// Returns the bound that integer prices prove. Stores the reduced cost of every leg in
    /// `reduced_costs`.
    fn integer_bound(&mut self, duals: &[f64]) -> i64 {
        let round = |price: f64| (price.clamp(-MAX_PRICE, MAX_PRICE) + ROUNDER) - ROUNDER;
        let limit = |(row, &price): (usize, &f64)| {
            // The price of an upper limit is at most zero.
            if self.lp.is_limit(row) && price > 0.0 {
                0.0
            } else {
                round(price)
            }
        };
        let duals: Vec<f64> = duals.iter().enumerate().map(limit).collect();
        let mut total: f64 = self
            .lp
            .rhs
            .iter()
            .zip(&duals)
            .map(|(rhs, price)| rhs * price)
            .sum();
        self.reduced_costs.resize(self.legs.len(), 0.0);
        for &index in &self.lp.active {
            let column = &self.lp.state.columns[index];
            let entries = self.lp.entries(index).iter();
            let reduced = self.costs[index]
                - entries
                    .map(|&(row, coefficient)| coefficient * duals[row])
                    .sum::<f64>();
            total += reduced
                * if reduced < 0.0 {
                    column.high
                } else {
                    column.low
                };
            self.reduced_costs[index] = reduced;
        }
        self.work += 6 * self.lp.active.len() as u64;
        to_i64(total)
    }

    /// Eliminates the legs that no shorter order in a node can use, by the reduced costs above a
    /// bound.
    fn eliminate_legs(&mut self, bound: i64, cutoff: i64, root: bool) {
        if root {
            if bound > self.root.0 {
                self.root = (bound, self.reduced_costs.clone());
            }
            return self.eliminate_at_root(cutoff);
        }
        for index in 0..self.legs.len() {
            let column = self.lp.state.columns[index];
            let open = !self.lp.is_basic(index) && column.high > column.low;
            if open && bound + to_i64(self.reduced_costs[index]) > cutoff {
                self.lp.set_bounds(index, 0.0, 0.0);
                self.fixed.push((index, false));
            }
        }
        self.lp.update_basic_values();
    }

    /// Permanently eliminates the legs that no shorter order can use.
    fn eliminate_at_root(&mut self, cutoff: i64) {
        for (index, &above) in self.root.1.iter().enumerate() {
            let column = self.lp.state.columns[index];
            if !column.removed && column.high > 0.0 && self.root.0 + to_i64(above) > cutoff {
                self.lp.set_bounds(index, 0.0, 0.0);
                self.lp.state.columns[index].removed = true;
            }
        }
        self.lp.update_basic_values();
    }

    /// Branches on the fractional leg whose strong branching score is the highest.
    ///
    /// Returns the child to continue with if the search dives. The other children stay open.
    fn branch(&mut self, bound: i64, cutoff: i64, budget: u64) -> Option<OpenNode<Node>> {
        self.lp.values(&mut self.values);
        let mut candidates: Vec<(f64, usize)> = Vec::new();
        for (index, &value) in self.values.iter().enumerate() {
            if value > INTEGRALITY && value < 1.0 - INTEGRALITY {
                candidates.push(((value - 0.5).abs(), index));
            }
        }
        candidates.sort_unstable_by(by_score);
        candidates.truncate(SCORED_LEGS);
        for (score, index) in &mut candidates {
            let [down, up] = self.lp.pivot_gains(*index);
            let (min, max) = if down < up { (down, up) } else { (up, down) };
            *score = -(8.0 * min + max);
        }
        candidates.sort_unstable_by(by_score);
        candidates.truncate(STRONG_BRANCHING_LEGS);
        let mut fixes = self.fixed.clone();
        let mut best: Option<(i64, usize, [i64; 2])> = None;
        self.saved.copy(&self.lp.state);
        for &(_, index) in &candidates {
            let mut values = [bound; 2];
            for (used, value) in [false, true].into_iter().zip(&mut values) {
                self.fix(index, used);
                self.lp.update_basic_values();
                *value = bound.max(self.run_pivots(cutoff, STRONG_BRANCHING_PIVOTS).1);
                self.lp.state.copy(&self.saved);
                self.work += self.lp.rows() as u64 * self.lp.rows() as u64 * 3 / 4;
            }
            let gains = values.map(|value| value.min(cutoff + 1) - bound + 1);
            let score = gains[0]
                .min(gains[1])
                .saturating_mul(8)
                .saturating_add(gains[0].max(gains[1]));
            if best.is_none_or(|best| score > best.0) {
                best = Some((score, index, values));
            }
            if values[0] > cutoff || values[1] > cutoff || self.spent() >= budget {
                break;
            }
        }
        let Some((_, index, values)) = best else {
            self.unresolved_bound = self.unresolved_bound.min(bound);
            return None;
        };
        let mut children = Vec::new();
        for (used, value) in [true, false].into_iter().zip([values[1], values[0]]) {
            if value <= cutoff {
                self.serial += 1;
                fixes.push((index, used));
                children.push(OpenNode {
                    bound: value,
                    serial: self.serial,
                    data: Node {
                        fixes: fixes.clone(),
                        warm_start: None,
                    },
                });
                fixes.pop();
            }
        }
        if let [one, other] = &mut children[..]
            && *one > *other
        {
            std::mem::swap(one, other);
        }
        let next = if self.count <= MAX_DIVING_STOPS {
            children.pop()
        } else {
            None
        };
        if let (Some(_), Some(other)) = (&next, children.last_mut())
            && self
                .open
                .iter()
                .filter(|node| node.data.warm_start.is_some())
                .count()
                < MAX_SNAPSHOTS
        {
            other.data.warm_start = Some(Box::new((self.lp.snapshot(&self.saved), fixes)));
        }
        self.open.extend(children);
        next
    }
}

/// Orders candidates by score, then by index.
fn by_score(a: &(f64, usize), b: &(f64, usize)) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// Converts a bound to a float.
#[expect(clippy::cast_precision_loss, reason = "bounds are below 2^40")]
fn float(bound: i64) -> f64 {
    bound as f64
}
