//! Branch and bound under the tree bound: the proof, and the better order where the search missed it.
//!
//! Best bound first, so that the bound of an unfinished proof is as high as it can be.

use std::collections::BinaryHeap;

use super::arcs::Arcs;
use super::ascent::{Plan, Reached, ascend, sparsify, tree_work};
use super::links::Links;
use super::model::Model;
use super::open::Open;
use super::planes::Planes;
use super::split::{Fix, split};
use super::tree::{Legs, Prices, Scale, Tree};

/// Steps of the first ascent; it stops early where the bound is reached.
const ROOT_STEPS: usize = 150;
/// Where there are many stops the first ascent begins along the legs to so many nearest stops of each.
const NEAREST: usize = 8;
/// Times that legs are added where the cheapest tree over all legs uses others, and steps of the ascent in between.
const ROOT_ROUNDS: usize = 4;
const NEAR_STEPS: usize = 250;
/// So many where stops are few: branches and cutting planes then raise the bound at less cost than more steps do.
const FEW_STEPS: usize = 50;
const FEW: usize = 60;
/// Steps over all legs that remain after those along short ones.
const LAST_STEPS: usize = 40;
/// Steps of the ascent in each branch.
const BRANCH_STEPS: usize = 24;

/// Trees that could be grown while a branch is narrowed, and while a part of it is set up and split in turn.
const NARROW_TREES: u64 = 8;
const SPLIT_TREES: u64 = 4;

/// What branch and bound ended with.
pub(super) struct Outcome {
    /// The best order of free stops, or `None` if none was found.
    pub(super) order: Option<Vec<usize>>,
    /// A lower bound on every order; the largest number if it is proven that there is no order.
    pub(super) bound: u64,
}

/// A part of the search space with its bound.
struct Branch {
    prices: Prices,
    fixes: Vec<Fix>,
    /// Decisions of each part this branch will be split into.
    parts: Vec<Vec<Fix>>,
}

/// A proof under way.
pub(super) struct Proof<'a> {
    model: &'a Model,
    scale: Scale,
    /// Metres that every leg is a multiple of: roads are often rounded to tens or hundreds, and routes differ by as much.
    grain: u64,
    base: Legs,
    best: Option<(u64, Vec<usize>)>,
    open: BinaryHeap<Open<Branch>>,
    /// The best prices of the first ascent and their tree.
    root: Option<(Tree, Prices)>,
    planes: Option<Planes>,
    /// The bound of the cutting planes.
    cut: i64,
    serial: u64,
    /// Work done so far.
    pub(super) work: u64,
    /// The least bound among branches that could neither be closed nor split.
    stuck: i64,
}

impl<'a> Proof<'a> {
    /// Begins a proof and raises the first bound, within so much work.
    pub(super) fn begin(model: &'a Model, known: Option<Vec<usize>>, budget: u64) -> Proof<'a> {
        let scale = Scale::of(model);
        let base = Legs::of(model, scale);
        let open = BinaryHeap::new();
        let grain = model.grain();
        let mut proof = Proof {
            model,
            scale,
            grain,
            base,
            best: None,
            open,
            serial: 0,
            work: 0,
            stuck: i64::MAX,
            root: None,
            planes: None,
            cut: i64::MIN,
        };
        if let Some(order) = known {
            proof.offer(order);
        }
        let reached = proof.root(budget);
        proof.take(&proof.base.clone(), &reached, Vec::new());
        proof.root = Some((reached.tree, reached.prices));
        proof
    }

    /// The first ascent: along short legs, which is quick, and only at the end over all, which is what counts.
    fn root(&mut self, budget: u64) -> Reached {
        let (legs, room) = (&self.base, self.room());
        let affordable = |work: u64, each: u64| usize::try_from(work / each).unwrap_or(usize::MAX);
        let mut prices = Prices::none(legs.count);
        let each = tree_work(legs, None);
        let short = legs.count > NEAREST * 2;
        let max_near = if legs.count <= FEW { FEW_STEPS } else { NEAR_STEPS };
        let max = if short { LAST_STEPS } else { ROOT_STEPS };
        let last = affordable(budget / 2, each).min(max);
        if short {
            // Clusters are joined by long legs: the cheapest tree has them.
            let mut tree = Tree::new(legs.count);
            legs.grow(None, &prices, &mut tree);
            let (mut links, mut trees) = (Links::default(), vec![tree]);
            let mut left = budget.saturating_sub(last as u64 * each);
            for _ in 0..ROOT_ROUNDS {
                links.fill_nearest(legs, NEAREST, &trees);
                self.work += 2 * each;
                // A few long rounds serve better than many that end too soon.
                let steps = affordable(left, links.work()).min(max_near);
                let plan = Plan { steps, stale_limit: 25, factor: 2_800, room };
                let near = ascend(legs, Some(&links), &prices, &plan);
                self.work += near.work;
                left = left.saturating_sub(near.work + 2 * each);
                prices = near.prices;
                let mut tree = Tree::new(legs.count);
                legs.grow(None, &prices, &mut tree);
                if tree.value >= near.tree.value || left < max_near as u64 / 4 * links.work() {
                    break;
                }
                trees.push(tree);
            }
        }
        ascend(legs, None, &prices, &Plan { steps: last, stale_limit: 12, factor: 2_800, room })
    }

    /// Arcs with the prices of the first ascent.
    pub(super) fn priced(&self, arcs: &Arcs) -> Option<Arcs> {
        self.root.as_ref().map(|(_, prices)| arcs.priced(prices, self.scale))
    }

    /// A tour along the legs that the cutting planes use the most, the origin first.
    pub(super) fn guess(&self) -> Option<Vec<usize>> {
        self.planes.as_ref().map(Planes::guess)
    }

    /// Whether nothing is left open.
    pub(super) fn done(&self) -> bool {
        self.cut > self.room() || self.open.peek().is_none_or(|branch| branch.value > self.room())
    }

    /// What is missing between the bound and an end of the proof, in thousandths of the latter.
    pub(super) fn missing(&self) -> i64 {
        let (room, min) = (self.room(), self.open.peek().map_or(i64::MAX, |branch| branch.value));
        room.saturating_sub(min).saturating_mul(1_000) / room.max(1)
    }

    /// The most work that splitting one branch takes.
    pub(super) fn step(&self) -> u64 {
        tree_work(&self.base, None) * (BRANCH_STEPS as u64 + 2) * 3
    }

    /// Takes an order if it is better than the best known one.
    pub(super) fn offer(&mut self, order: Vec<usize>) {
        if let Some(cost) = self.model.length(&order).filter(|_| order.len() == self.model.count)
            && self.best.as_ref().is_none_or(|best| cost < best.0)
        {
            self.best = Some((cost, order));
        }
    }

    /// Splits branches until nothing is open or splitting one more would take the work in all above the budget.
    pub(super) fn explore(&mut self, budget: u64) {
        let (mut legs, mut links) = (self.base.clone(), Links::default());
        while !self.done() && self.work + self.step() <= budget {
            let Some(branch) = self.open.pop() else { return };
            let (value, branch) = (branch.value, branch.what);
            let parent = self.narrowed(&branch);
            if branch.fixes.is_empty() {
                // At the root: what is forbidden here is forbidden everywhere.
                self.base.clone_from(&parent);
            }
            for part in &branch.parts {
                legs.clone_from(&parent);
                self.work += SPLIT_TREES * tree_work(&legs, None);
                if !legs.apply(&branch.fixes, part) {
                    continue;
                }
                let plan = Plan { steps: BRANCH_STEPS, stale_limit: 6, factor: 4_000, room: self.room() };
                links.fill(&legs);
                let mut reached = ascend(&legs, Some(&links), &branch.prices, &plan);
                reached.tree.value = reached.tree.value.max(value);
                let fixes = [&branch.fixes[..], part].concat();
                self.take(&legs, &reached, fixes);
            }
        }
    }

    /// Raises the bound by cutting planes, or finishes the proof by them, within so much work in all.
    pub(super) fn cut(&mut self, budget: u64) {
        let (Some((tree, prices)), Some(_), false) = (self.root.as_ref(), &self.best, self.done()) else { return };
        let room = self.room();
        let mut planes = match self.planes.take() {
            Some(planes) => planes,
            None => {
                sparsify(&mut self.base, tree, prices, room);
                self.work += NARROW_TREES * tree_work(&self.base, None);
                Planes::begin(&self.base, tree, prices)
            }
        };
        let before = planes.spent();
        let allowed = budget.saturating_sub(self.work) + before;
        let bound = planes.run(room, allowed, &mut |order| {
            self.offer(order);
            self.room()
        });
        self.cut = self.cut.max(bound);
        self.work += planes.spent() - before;
        self.planes = Some(planes);
    }

    /// What is known at the end.
    pub(super) fn outcome(self) -> Outcome {
        let cost = self.best.as_ref().map_or(u64::MAX, |best| best.0);
        let unexplored = if self.done() { i64::MAX } else { self.open.peek().map_or(i64::MAX, |branch| branch.value) };
        let min = unexplored.min(self.stuck).max(self.cut);
        let bound = if min == i64::MAX { cost } else { self.whole(min).min(cost) };
        Outcome { order: self.best.map(|best| best.1), bound }
    }

    /// The legs of a branch without those that no better order can use.
    fn narrowed(&mut self, branch: &Branch) -> Legs {
        let mut legs = self.base.clone();
        legs.apply(&[], &branch.fixes);
        self.work += NARROW_TREES * tree_work(&legs, None);
        if self.best.is_some() {
            let mut tree = Tree::new(legs.count);
            legs.grow(None, &branch.prices, &mut tree);
            sparsify(&mut legs, &tree, &branch.prices, self.room());
        }
        legs
    }

    fn room(&self) -> i64 {
        self.best
            .as_ref()
            .map_or(i64::MAX, |best| self.scale.room_below((best.0 - self.model.fixed).saturating_sub(self.grain - 1)))
    }

    /// The least length in metres that a bound proves.
    fn whole(&self, value: i64) -> u64 {
        self.scale.metres(value).next_multiple_of(self.grain) + self.model.fixed
    }

    /// Books an ascent: closes the branch, takes its tree as an order, or leaves it open.
    fn take(&mut self, legs: &Legs, reached: &Reached, fixes: Vec<Fix>) {
        self.work += reached.work;
        if reached.closed {
            return;
        }
        let (symmetric, value) = (self.base.symmetric, reached.tree.value);
        if reached.tree.violation(symmetric) == 0 {
            self.offer(reached.tree.order(symmetric));
            if value <= self.room() {
                self.stuck = self.stuck.min(value);
            }
            return;
        }
        let parts = split(legs, &fixes, reached);
        self.serial += 1;
        if parts.is_empty() {
            self.stuck = self.stuck.min(value);
        } else {
            let branch = Branch { prices: reached.prices.clone(), fixes, parts };
            self.open.push(Open { value, serial: self.serial, what: branch });
        }
    }
}
