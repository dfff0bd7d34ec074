//! How a branch is split, and what its decisions make of the legs.
//!
//! A stop with too many legs in the tree is split as Volgenant and Jonker (1982) do: both of two legs used, one of them, or
//! not the first.

use super::ascent::{Reached, priced};
use super::tree::{FORBIDDEN, FORCE, Legs, Prices, Tree};

/// A decision about one leg.
#[derive(Clone, Copy)]
pub(super) struct Fix {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) force: bool,
}

/// The parts of the space around the most violated stop.
pub(super) fn split(legs: &Legs, fixes: &[Fix], reached: &Reached) -> Vec<Vec<Fix>> {
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
    pub(super) fn apply(&mut self, fixes: &[Fix]) -> bool {
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

    /// Forbids what another branch's legs forbid; false where that was forced here.
    pub(super) fn narrow(&mut self, other: &Legs) -> bool {
        let lists = [
            (&mut self.ahead, &other.ahead),
            (&mut self.behind, &other.behind),
            (&mut self.out, &other.out),
            (&mut self.back, &other.back),
        ];
        for (mine, theirs) in lists {
            for (mine, &theirs) in mine.iter_mut().zip(theirs) {
                if theirs >= FORBIDDEN {
                    if *mine < -FORCE / 2 {
                        return false;
                    }
                    *mine = FORBIDDEN;
                }
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
