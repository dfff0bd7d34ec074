//! Branch and bound under the tree bound: the proof, and the better order where the search missed it.
//!
//! Best bound first. A stop with too many legs in the tree is split as Volgenant and Jonker (1982) do: both of two legs
//! used, one of them, or not the first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::ascent::{Plan, Reached, ascend, priced, sparsify};
use super::model::Model;
use super::tree::{FORBIDDEN, FORCE, Legs, Prices, Scale, Tree};

/// What branch and bound ended with.
pub(super) struct Outcome {
    /// The best order of free stops, or none where none was found.
    pub(super) order: Option<Vec<usize>>,
    /// No order is shorter than this; without a meaning where there is no order.
    pub(super) bound: u64,
    /// Whether the search space was exhausted.
    pub(super) complete: bool,
}

/// A decision about one leg.
#[derive(Clone, Copy)]
struct Fix {
    from: usize,
    to: usize,
    force: bool,
}

/// A part of the search space with its bound.
struct Branch {
    value: i64,
    serial: u64,
    prices: Prices,
    fixes: Vec<Fix>,
    /// Decisions of each part this branch will be split into.
    parts: Vec<Vec<Fix>>,
}

/// The state shared by all branches.
struct Proof<'a> {
    model: &'a Model,
    scale: Scale,
    base: Legs,
    best: Option<(u64, Vec<usize>)>,
    open: BinaryHeap<Branch>,
    serial: u64,
    work: u64,
    budget: u64,
    /// The least bound among branches that could neither be closed nor split.
    stuck: i64,
}

/// Proves the order or finds better ones, within so much work.
pub(super) fn prove(model: &Model, known: Option<Vec<usize>>, budget: u64) -> Outcome {
    let scale = Scale::of(model);
    let base = Legs::of(model, scale);
    let best = known.and_then(|order| Some((model.length(&order)?, order)));
    let mut proof =
        Proof { model, scale, base, best, open: BinaryHeap::new(), serial: 0, work: 0, budget, stuck: i64::MAX };
    let unexplored = proof.run();
    let cost = proof.best.as_ref().map_or(u64::MAX, |best| best.0);
    let least = unexplored.min(proof.stuck);
    let bound = if least == i64::MAX { cost } else { (scale.metres(least) + model.fixed).min(cost) };
    Outcome { order: proof.best.map(|best| best.1), bound, complete: bound >= cost }
}

impl Proof<'_> {
    /// Explores until nothing is open or the budget is spent; the least bound that was left open.
    fn run(&mut self) -> i64 {
        let root = Prices::none(self.model.count);
        let plan = self.plan(60 + 2 * self.model.count, 6, 2048);
        let reached = ascend(&self.base, &root, &plan);
        self.take(&self.base.clone(), &reached, Vec::new());
        if let Some(root) = self.open.peek() {
            let room = self.room();
            let floor = Reached { prices: root.prices.clone(), tree: reached.tree, closed: false, work: 0 };
            if self.best.is_some() {
                sparsify(&mut self.base, &floor, room);
            }
        }
        let mut legs = self.base.clone();
        while let Some(branch) = self.open.pop() {
            if branch.value > self.room() {
                return i64::MAX;
            }
            if self.work >= self.budget {
                return branch.value;
            }
            for part in &branch.parts {
                let mut fixes = branch.fixes.clone();
                fixes.extend(part);
                legs.clone_from(&self.base);
                self.work += (legs.ahead.len() / 4) as u64;
                if !legs.apply(&fixes) {
                    continue;
                }
                let plan = self.plan(24, 4, 1024);
                let mut reached = ascend(&legs, &branch.prices, &plan);
                reached.tree.value = reached.tree.value.max(branch.value);
                self.take(&legs, &reached, fixes);
            }
        }
        i64::MAX
    }

    fn room(&self) -> i64 {
        self.best.as_ref().map_or(i64::MAX, |best| self.scale.room_below(best.0 - self.model.fixed))
    }

    fn plan(&self, steps: usize, patience: usize, factor: i64) -> Plan {
        let room = self.room();
        Plan { steps, patience, factor, room }
    }

    /// Books an ascent: closes the branch, takes its tree as an order, or leaves it open.
    fn take(&mut self, legs: &Legs, reached: &Reached, fixes: Vec<Fix>) {
        self.work += reached.work;
        let symmetric = self.base.symmetric;
        if reached.closed {
            return;
        }
        if reached.tree.violation(symmetric) == 0 {
            let order = reached.tree.order(symmetric);
            if let Some(cost) = self.model.length(&order).filter(|_| order.len() == self.model.count)
                && self.best.as_ref().is_none_or(|best| cost < best.0)
            {
                self.best = Some((cost, order));
            }
            if reached.tree.value <= self.room() {
                self.stuck = self.stuck.min(reached.tree.value);
            }
            return;
        }
        let parts = split(legs, &fixes, reached);
        self.serial += 1;
        let (value, prices) = (reached.tree.value, reached.prices.clone());
        if parts.is_empty() {
            self.stuck = self.stuck.min(value);
        } else {
            self.open.push(Branch { value, serial: self.serial, prices, fixes, parts });
        }
    }
}

/// The parts of the space around the most violated stop.
fn split(legs: &Legs, fixes: &[Fix], reached: &Reached) -> Vec<Vec<Fix>> {
    let tree = &reached.tree;
    let forced = |from: usize, to: usize| {
        fixes.iter().any(|fix| {
            fix.force && ((fix.from, fix.to) == (from, to) || legs.symmetric && (fix.to, fix.from) == (from, to))
        })
    };
    let (mut stop, mut worst, mut leaving) = (0, 0, true);
    for i in 0..legs.count {
        for (violation, side) in [(tree.leaves[i], true), (tree.enters[i], false)] {
            if violation > worst && (side || !legs.symmetric) {
                (stop, worst, leaving) = (i, violation, side);
            }
        }
    }
    let mut near: Vec<(i64, usize, usize)> = Vec::new();
    for &child in tree.joined.iter().skip(1) {
        let (parent, down) = tree.parent[child];
        let (from, to) = if down { (parent, child) } else { (child, parent) };
        let touches =
            if legs.symmetric { from == stop || to == stop } else { (if leaving { from } else { to }) == stop };
        if touches && !forced(from, to) {
            near.push((replacement(legs, &reached.prices, tree, child), from, to));
        }
    }
    near.sort_unstable_by(|a, b| b.cmp(a));
    let fix = |&(_, from, to): &(i64, usize, usize), force: bool| Fix { from, to, force };
    let used = fixes.iter().filter(|fix| fix.force && (fix.from == stop || fix.to == stop)).count();
    match near.as_slice() {
        [] => Vec::new(),
        [one, other, ..] if legs.symmetric && used == 0 => {
            vec![vec![fix(one, true), fix(other, true)], vec![fix(one, true), fix(other, false)], vec![fix(one, false)]]
        }
        [one, ..] => vec![vec![fix(one, true)], vec![fix(one, false)]],
    }
}

/// How much dearer the tree gets without the edge above a stop.
fn replacement(legs: &Legs, prices: &Prices, tree: &Tree, child: usize) -> i64 {
    let mut below = vec![false; legs.count];
    below[child] = true;
    for &stop in tree.joined.iter().skip(1) {
        if below[tree.parent[stop].0] {
            below[stop] = true;
        }
    }
    let (parent, down) = tree.parent[child];
    let own = if down { priced(legs, prices, parent, child) } else { priced(legs, prices, child, parent) };
    let mut least = i32::MAX;
    for from in 0..legs.count {
        for to in (0..legs.count).filter(|&to| below[from] != below[to]) {
            let edge = (from, to) == (parent, child) || (to, from) == (parent, child);
            if !edge {
                least = least.min(priced(legs, prices, from, to));
            }
        }
    }
    i64::from(least) - i64::from(own)
}

impl Legs {
    /// Applies decisions and what follows from them; false where they contradict each other.
    fn apply(&mut self, fixes: &[Fix]) -> bool {
        let count = self.count;
        // For every stop, the other end of the forced path it is an end of, and its forced legs.
        let mut mate: Vec<usize> = (0..count).collect();
        let mut degree = vec![(0u8, 0u8); count];
        for fix in fixes {
            if !fix.force {
                self.forbid(fix.from, fix.to);
                continue;
            }
            let (from, to) = (fix.from, fix.to);
            if self.ahead[from * count + to] >= FORBIDDEN {
                return false;
            }
            self.force(from, to);
            degree[from].0 += 1;
            degree[to].1 += 1;
            let (start, end) = (mate[from], mate[to]);
            if start == to {
                return false;
            }
            mate[start] = end;
            mate[end] = start;
            for stop in [from, to] {
                if self.symmetric && degree[stop].0 + degree[stop].1 == 2 {
                    self.isolate(stop, true, true);
                }
            }
            if !self.symmetric {
                self.isolate(from, true, false);
                self.isolate(to, false, true);
                self.forbid(to, from);
            }
            if self.ahead[end * count + start] > -FORCE / 2 {
                // The free stops form a path: a way from its end to its start would close it.
                self.forbid(end, start);
            }
        }
        true
    }

    /// Makes a leg so cheap that the tree uses it, and counts it.
    fn force(&mut self, from: usize, to: usize) {
        let count = self.count;
        self.ahead[from * count + to] -= FORCE;
        if self.symmetric {
            self.ahead[to * count + from] -= FORCE;
        } else {
            self.behind[to * count + from] -= FORCE;
        }
        self.forced += 1;
    }

    /// Forbids every leg that leaves (and enters) a stop and is not forced.
    fn isolate(&mut self, stop: usize, leaving: bool, entering: bool) {
        let count = self.count;
        for other in 0..count {
            if leaving && self.ahead[stop * count + other] > -FORCE / 2 {
                self.forbid(stop, other);
            }
            if entering && self.ahead[other * count + stop] > -FORCE / 2 {
                self.forbid(other, stop);
            }
        }
        if leaving {
            self.back[stop] = FORBIDDEN;
        }
        if entering {
            self.out[stop] = FORBIDDEN;
        }
    }
}

impl PartialEq for Branch {
    fn eq(&self, other: &Branch) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Branch {}

impl PartialOrd for Branch {
    fn partial_cmp(&self, other: &Branch) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Branch {
    /// The least bound comes out of the heap first, the latest among equals.
    fn cmp(&self, other: &Branch) -> Ordering {
        other.value.cmp(&self.value).then(self.serial.cmp(&other.serial))
    }
}
