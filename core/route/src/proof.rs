//! Branch and bound with the 1-tree bound. Proves the optimum, and finds the order if the search
//! missed it.
//!
//! Nodes are explored best bound first, so that the bound of an incomplete proof is as high as
//! possible.

use std::collections::BinaryHeap;

use super::arcs::Arcs;
use super::ascent::{AscentParams, AscentResult, ascend, sparsify, tree_work};
use super::branch_and_cut::BranchAndCut;
use super::branching::{Fix, branch};
use super::model::Model;
use super::neighbours::Neighbours;
use super::open_node::OpenNode;
use super::tree::{Legs, Prices, Scale, Tree};

/// The maximum number of steps of the root ascent.
const ROOT_STEPS: usize = 150;
/// The number of nearest neighbours per stop over which the root ascent begins, if there are more
/// than twice as many stops.
const NEAREST_NEIGHBOURS: usize = 8;
/// The maximum number of root ascents over neighbours. After each one, the legs of the minimum tree
/// over all legs are added.
const ROOT_ROUNDS: usize = 4;
/// The maximum number of steps of each of these ascents.
const NEIGHBOUR_STEPS: usize = 250;
/// This maximum up to `FEW_STOPS` stops, where branching and cutting planes raise the bound at a
/// lower cost.
const FEW_STOPS_STEPS: usize = 50;
/// The number of stops up to which `FEW_STOPS_STEPS` applies.
const FEW_STOPS: usize = 60;
/// The steps over all legs after the steps over nearest neighbours.
const FINAL_STEPS: usize = 40;
/// The steps of the ascent in each node.
const BRANCH_STEPS: usize = 24;

/// The work of sparsifying a node, in trees grown.
const SPARSIFY_TREES: u64 = 8;
/// The work of setting up and branching a child, in trees grown.
const CHILD_TREES: u64 = 4;

/// The result of branch and bound.
pub(super) struct ProofResult {
    /// The best order of free stops, or `None` if none was found.
    pub(super) order: Option<Vec<usize>>,
    /// A lower bound on every order, or `u64::MAX` if it is proven that no order exists.
    pub(super) bound: u64,
}

/// A node of the search tree.
struct Branch {
    prices: Prices,
    fixes: Vec<Fix>,
    /// The decisions of each child.
    children: Vec<Vec<Fix>>,
}

/// The state of branch and bound.
pub(super) struct Proof<'a> {
    model: &'a Model,
    scale: Scale,
    /// The greatest common divisor of all legs. Roads are often rounded to tens or hundreds of
    /// metres, and the lengths of routes differ by at least as much.
    granularity: u64,
    base: Legs,
    incumbent: Option<(u64, Vec<usize>)>,
    open: BinaryHeap<OpenNode<Branch>>,
    /// The best prices of the root ascent and their tree.
    root: Option<(Tree, Prices)>,
    branch_and_cut: Option<BranchAndCut>,
    /// The bound of the cutting planes.
    cut: i64,
    serial: u64,
    /// The work done so far.
    pub(super) work: u64,
    /// The lowest bound of the nodes that could be neither pruned nor branched.
    unresolved_bound: i64,
}

impl<'a> Proof<'a> {
    /// Starts a proof and runs the root ascent within `budget`.
    pub(super) fn new(model: &'a Model, known: Option<Vec<usize>>, budget: u64) -> Proof<'a> {
        let scale = Scale::new(model);
        let base = Legs::new(model, scale);
        let open = BinaryHeap::new();
        let granularity = model.gcd();
        let mut proof = Proof {
            model,
            scale,
            granularity,
            base,
            incumbent: None,
            open,
            serial: 0,
            work: 0,
            unresolved_bound: i64::MAX,
            root: None,
            branch_and_cut: None,
            cut: i64::MIN,
        };
        if let Some(order) = known {
            proof.update_incumbent(order);
        }
        let ascent = proof.root_ascent(budget);
        proof.record(&proof.base.clone(), &ascent, Vec::new());
        proof.root = Some((ascent.tree, ascent.prices));
        proof
    }

    /// Runs the root ascent: first over the nearest neighbours, which is fast, and finally over all
    /// legs, which gives the valid bound.
    fn root_ascent(&mut self, budget: u64) -> AscentResult {
        let (legs, cutoff) = (&self.base, self.cutoff());
        let affordable =
            |work: u64, step_work: u64| usize::try_from(work / step_work).unwrap_or(usize::MAX);
        let mut prices = Prices::zero(legs.count);
        let step_work = tree_work(legs, None);
        let use_neighbours = legs.count > NEAREST_NEIGHBOURS * 2;
        let max_neighbour_steps = if legs.count <= FEW_STOPS {
            FEW_STOPS_STEPS
        } else {
            NEIGHBOUR_STEPS
        };
        let max = if use_neighbours {
            FINAL_STEPS
        } else {
            ROOT_STEPS
        };
        let final_steps = affordable(budget / 2, step_work).min(max);
        if use_neighbours {
            // Clusters are connected by long legs, which the minimum tree contains.
            let mut tree = Tree::new(legs.count);
            legs.grow(None, &prices, &mut tree);
            let (mut neighbours, mut trees) = (Neighbours::default(), vec![tree]);
            let mut left = budget.saturating_sub(final_steps as u64 * step_work);
            for _ in 0..ROOT_ROUNDS {
                neighbours.fill_nearest(legs, NEAREST_NEIGHBOURS, &trees);
                self.work += 2 * step_work;
                // A few long rounds give a better bound than many short ones.
                let steps = affordable(left, neighbours.work()).min(max_neighbour_steps);
                let params = AscentParams {
                    steps,
                    stale_limit: 25,
                    factor: 2_800,
                    cutoff,
                };
                let near = ascend(legs, Some(&neighbours), &prices, &params);
                self.work += near.work;
                left = left.saturating_sub(near.work + 2 * step_work);
                prices = near.prices;
                let mut tree = Tree::new(legs.count);
                legs.grow(None, &prices, &mut tree);
                if tree.value >= near.tree.value
                    || left < max_neighbour_steps as u64 / 4 * neighbours.work()
                {
                    break;
                }
                trees.push(tree);
            }
        }
        ascend(
            legs,
            None,
            &prices,
            &AscentParams {
                steps: final_steps,
                stale_limit: 12,
                factor: 2_800,
                cutoff,
            },
        )
    }

    /// Returns the reduced costs at the prices of the root ascent.
    pub(super) fn reduced_costs(&self, arcs: &Arcs) -> Option<Arcs> {
        self.root
            .as_ref()
            .map(|(_, prices)| arcs.reduced_costs(prices, self.scale))
    }

    /// Returns an order along the legs with the highest LP values.
    pub(super) fn greedy_order(&self) -> Option<Vec<usize>> {
        self.branch_and_cut.as_ref().map(BranchAndCut::greedy_order)
    }

    /// Returns whether no open node can contain a shorter order.
    pub(super) fn is_complete(&self) -> bool {
        self.cut > self.cutoff()
            || self
                .open
                .peek()
                .is_none_or(|branch| branch.bound > self.cutoff())
    }

    /// Returns the gap between bound and cutoff, in thousandths of the cutoff.
    pub(super) fn gap_per_mille(&self) -> i64 {
        let (cutoff, min) = (
            self.cutoff(),
            self.open.peek().map_or(i64::MAX, |branch| branch.bound),
        );
        cutoff.saturating_sub(min).saturating_mul(1_000) / cutoff.max(1)
    }

    /// Returns the maximum work of branching one node.
    pub(super) fn node_work(&self) -> u64 {
        tree_work(&self.base, None) * (BRANCH_STEPS as u64 + 2) * 3
    }

    /// Replaces the incumbent if an order is shorter.
    pub(super) fn update_incumbent(&mut self, order: Vec<usize>) {
        if let Some(cost) = self
            .model
            .length(&order)
            .filter(|_| order.len() == self.model.count)
            && self
                .incumbent
                .as_ref()
                .is_none_or(|incumbent| cost < incumbent.0)
        {
            self.incumbent = Some((cost, order));
        }
    }

    /// Explores nodes until none is open or the next one would exceed the budget, which includes
    /// the work done so far.
    pub(super) fn explore(&mut self, budget: u64) {
        let (mut legs, mut neighbours) = (self.base.clone(), Neighbours::default());
        while !self.is_complete() && self.work + self.node_work() <= budget {
            let Some(branch) = self.open.pop() else {
                return;
            };
            let (value, branch) = (branch.bound, branch.data);
            let parent = self.sparsified_legs(&branch);
            if branch.fixes.is_empty() {
                // A leg that is forbidden at the root is forbidden everywhere.
                self.base.clone_from(&parent);
            }
            for child in &branch.children {
                legs.clone_from(&parent);
                self.work += CHILD_TREES * tree_work(&legs, None);
                if !legs.apply(&branch.fixes, child) {
                    continue;
                }
                let params = AscentParams {
                    steps: BRANCH_STEPS,
                    stale_limit: 6,
                    factor: 4_000,
                    cutoff: self.cutoff(),
                };
                neighbours.fill(&legs);
                let mut ascent = ascend(&legs, Some(&neighbours), &branch.prices, &params);
                ascent.tree.value = ascent.tree.value.max(value);
                let fixes = [&branch.fixes[..], child].concat();
                self.record(&legs, &ascent, fixes);
            }
        }
    }

    /// Raises the bound by branch and cut. The budget includes the work done so far.
    pub(super) fn cut(&mut self, budget: u64) {
        let (Some((tree, prices)), Some(_), false) =
            (self.root.as_ref(), &self.incumbent, self.is_complete())
        else {
            return;
        };
        let cutoff = self.cutoff();
        let mut branch_and_cut = match self.branch_and_cut.take() {
            Some(branch_and_cut) => branch_and_cut,
            None => {
                sparsify(&mut self.base, tree, prices, cutoff);
                self.work += SPARSIFY_TREES * tree_work(&self.base, None);
                BranchAndCut::new(&self.base, tree, prices)
            }
        };
        let before = branch_and_cut.spent();
        let allowed = budget.saturating_sub(self.work) + before;
        let bound = branch_and_cut.run(cutoff, allowed, &mut |order| {
            self.update_incumbent(order);
            self.cutoff()
        });
        self.cut = self.cut.max(bound);
        self.work += branch_and_cut.spent() - before;
        self.branch_and_cut = Some(branch_and_cut);
    }

    /// Returns the best order and the bound.
    pub(super) fn result(self) -> ProofResult {
        let cost = self
            .incumbent
            .as_ref()
            .map_or(u64::MAX, |incumbent| incumbent.0);
        let unexplored = if self.is_complete() {
            i64::MAX
        } else {
            self.open.peek().map_or(i64::MAX, |branch| branch.bound)
        };
        let min = unexplored.min(self.unresolved_bound).max(self.cut);
        let bound = if min == i64::MAX {
            cost
        } else {
            self.proven_metres(min).min(cost)
        };
        ProofResult {
            order: self.incumbent.map(|incumbent| incumbent.1),
            bound,
        }
    }

    /// Returns a node's legs without those that no shorter order can use.
    fn sparsified_legs(&mut self, branch: &Branch) -> Legs {
        let mut legs = self.base.clone();
        legs.apply(&[], &branch.fixes);
        self.work += SPARSIFY_TREES * tree_work(&legs, None);
        if self.incumbent.is_some() {
            let mut tree = Tree::new(legs.count);
            legs.grow(None, &branch.prices, &mut tree);
            sparsify(&mut legs, &tree, &branch.prices, self.cutoff());
        }
        legs
    }

    fn cutoff(&self) -> i64 {
        self.incumbent.as_ref().map_or(i64::MAX, |incumbent| {
            self.scale
                .cutoff_below((incumbent.0 - self.model.fixed).saturating_sub(self.granularity - 1))
        })
    }

    /// Returns the minimum length in metres that a bound proves.
    fn proven_metres(&self, value: i64) -> u64 {
        self.scale.metres(value).next_multiple_of(self.granularity) + self.model.fixed
    }

    /// Records an ascent: prunes the node, takes its tree as an order, or adds the node to the open
    /// ones.
    fn record(&mut self, legs: &Legs, ascent: &AscentResult, fixes: Vec<Fix>) {
        self.work += ascent.work;
        if ascent.pruned {
            return;
        }
        let (symmetric, value) = (self.base.symmetric, ascent.tree.value);
        if ascent.tree.violation(symmetric) == 0 {
            self.update_incumbent(ascent.tree.order(symmetric));
            if value <= self.cutoff() {
                self.unresolved_bound = self.unresolved_bound.min(value);
            }
            return;
        }
        let children = branch(legs, &fixes, ascent);
        self.serial += 1;
        if children.is_empty() {
            self.unresolved_bound = self.unresolved_bound.min(value);
        } else {
            let branch = Branch {
                prices: ascent.prices.clone(),
                fixes,
                children,
            };
            self.open.push(OpenNode {
                bound: value,
                serial: self.serial,
                data: branch,
            });
        }
    }
}
