//! How a branch is split, and what its decisions make of the legs.
//!
//! A stop with too many legs in the tree is split as Volgenant and Jonker (1982) do: both of two legs used, one of them, or
//! not the first. Where directions matter a stop is left by one of two legs, by the other, or by neither.

use super::ascent::{Reached, priced};
use super::tree::{FORBIDDEN, FORCE, Legs, Prices, Tree};
use crate::sort::sort;

/// A decision about one leg.
#[derive(Clone, Copy)]
pub(super) struct Fix {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) force: bool,
}

/// The parts of the space around the stop whose legs in the tree are the dearest to replace.
pub(super) fn split(legs: &Legs, fixes: &[Fix], reached: &Reached) -> Vec<Vec<Fix>> {
    let tree = &reached.tree;
    let (mut best, mut max) = (Vec::new(), i64::MIN);
    for stop in 0..legs.count {
        for (violation, leaving) in [(tree.leaves[stop], true), (tree.enters[stop], false)] {
            if violation > 0 && (leaving || !legs.symmetric) {
                let near = near(legs, fixes, reached, stop, leaving);
                let rise = near.iter().map(|&(rise, _)| rise).sum();
                if rise > max && !near.is_empty() {
                    (best, max) = (parts(legs.symmetric, fixes, stop, &near), rise);
                }
            }
        }
    }
    best
}

/// The legs of the tree at a stop that are not forced, with what replacing each costs, the dearest first.
fn near(legs: &Legs, fixes: &[Fix], reached: &Reached, stop: usize, leaving: bool) -> Vec<(i64, (usize, usize))> {
    let tree = &reached.tree;
    let mut near = Vec::new();
    for &child in tree.joined.iter().skip(1) {
        let (hub, down) = tree.parent[child];
        let (from, to) = if down { (hub, child) } else { (child, hub) };
        let touches = match legs.symmetric {
            true => from == stop || to == stop,
            false => stop == if leaving { from } else { to },
        };
        let same = |fix: &Fix| (fix.from, fix.to) == (from, to) || legs.symmetric && (fix.to, fix.from) == (from, to);
        if touches && !fixes.iter().any(|fix| fix.force && same(fix)) {
            near.push((replacement(legs, &reached.prices, tree, child), (from, to)));
        }
    }
    sort(&mut near, |a, b| b < a);
    near
}

/// The decisions about the two dearest legs at a stop: no order is lost, and none is in two parts.
fn parts(symmetric: bool, fixes: &[Fix], stop: usize, near: &[(i64, (usize, usize))]) -> Vec<Vec<Fix>> {
    let fix = |&(_, (from, to)): &(i64, (usize, usize)), force: bool| Fix { from, to, force };
    let used = fixes.iter().filter(|fix| fix.force && (fix.from == stop || fix.to == stop)).count();
    match near {
        [] => Vec::new(),
        [one, other, ..] if symmetric && used == 0 => {
            vec![vec![fix(one, true), fix(other, true)], vec![fix(one, true), fix(other, false)], vec![fix(one, false)]]
        }
        // A stop is left once: with one of the two legs, with the other, or with neither.
        [one, other, ..] if !symmetric => {
            vec![
                vec![fix(one, true)],
                vec![fix(one, false), fix(other, true)],
                vec![fix(one, false), fix(other, false)],
            ]
        }
        [one, ..] => vec![vec![fix(one, true)], vec![fix(one, false)]],
    }
}

/// How much dearer the tree gets without the edge above a stop.
fn replacement(legs: &Legs, prices: &Prices, tree: &Tree, child: usize) -> i64 {
    // What lies below the edge is priced out: what is left of its rows are the edges that could replace it.
    let mut below = vec![0; legs.width];
    below[child] = FORBIDDEN;
    for &stop in tree.joined.iter().skip(1) {
        below[stop] = below[stop].max(below[tree.parent[stop].0]);
    }
    let (parent, down) = tree.parent[child];
    let own = if down { priced(legs, prices, parent, child) } else { priced(legs, prices, child, parent) };
    let enter = prices.enter(legs.symmetric);
    let mut min = i32::MAX;
    for from in 0..legs.count {
        if below[from] == 0 {
            continue;
        }
        let shut = if from == child { std::mem::replace(&mut below[parent], FORBIDDEN) } else { 0 };
        let mut cheapest = |rows: &[i32], mine: i32, theirs: &[i32]| {
            let row = &rows[from * legs.width..(from + 1) * legs.width];
            for ((&leg, &price), &below) in row.iter().zip(theirs).zip(&below) {
                min = min.min(leg + mine + price + below);
            }
        };
        cheapest(&legs.ahead, prices.leave[from], enter);
        if !legs.symmetric {
            cheapest(&legs.behind, enter[from], &prices.leave);
        }
        if from == child {
            below[parent] = shut;
        }
    }
    i64::from(min) - i64::from(own)
}

impl Legs {
    /// Applies new decisions and their consequences in addition to those already applied; false if they
    /// contradict each other.
    pub(super) fn apply(&mut self, applied: &[Fix], new: &[Fix]) -> bool {
        let mut paths = Paths::new(self.count);
        for fix in applied.iter().filter(|fix| fix.force) {
            paths.join(fix.from, fix.to);
        }
        for fix in new {
            if !fix.force {
                self.forbid(fix.from, fix.to);
                continue;
            }
            let (from, to) = (fix.from, fix.to);
            if self.at(from, to) >= FORBIDDEN {
                return false;
            }
            self.force(from, to);
            let Some((start, end)) = paths.join(from, to) else { return false };
            if self.symmetric {
                for stop in [from, to] {
                    if paths.degree[stop] == 2 {
                        self.isolate(stop, true, true);
                    }
                }
            } else {
                self.isolate(from, true, false);
                self.isolate(to, false, true);
                self.forbid(to, from);
            }
            if self.at(end, start) > -FORCE / 2 {
                // The free stops form a path: a way from its end to its start would close it.
                self.forbid(end, start);
            }
        }
        true
    }

    /// Makes a leg so cheap that the tree uses it, and counts it.
    fn force(&mut self, from: usize, to: usize) {
        self.ahead[from * self.width + to] -= FORCE;
        if self.symmetric {
            self.ahead[to * self.width + from] -= FORCE;
        } else {
            self.behind[to * self.width + from] -= FORCE;
        }
        self.forced += 1;
    }

    /// Forbids every leg that leaves (and enters) a stop and is not forced.
    fn isolate(&mut self, stop: usize, leaving: bool, entering: bool) {
        for other in 0..self.count {
            if leaving && self.at(stop, other) > -FORCE / 2 {
                self.forbid(stop, other);
            }
            if entering && self.at(other, stop) > -FORCE / 2 {
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

/// The paths that forced legs form.
struct Paths {
    /// For the end of a path its other end; a stop without a forced leg is a path of its own.
    mate: Vec<usize>,
    /// Forced legs at each stop.
    degree: Vec<u8>,
}

impl Paths {
    fn new(count: usize) -> Paths {
        Paths { mate: (0..count).collect(), degree: vec![0; count] }
    }

    /// Joins two paths by a leg and returns the ends of the longer one; none where the leg would close it.
    fn join(&mut self, from: usize, to: usize) -> Option<(usize, usize)> {
        self.degree[from] += 1;
        self.degree[to] += 1;
        let (start, end) = (self.mate[from], self.mate[to]);
        if start == to {
            return None;
        }
        self.mate[start] = end;
        self.mate[end] = start;
        Some((start, end))
    }
}
