//! Branching, and the effect of its decisions on the legs.
//!
//! Branches on a stop with too many legs in the tree, as in Volgenant and Jonker (1982): both of
//! two legs are used, only the first, or not the first. On asymmetric matrices a stop is left by
//! one of two legs, by the other, or by neither.

use super::ascent::{AscentResult, priced};
use super::tree::{FORBIDDEN, FORCE, Legs, Prices, Tree};

/// A decision to force or forbid one leg.
#[derive(Clone, Copy)]
pub(super) struct Fix {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) force: bool,
}

/// Branches on the stop whose legs in the tree are the most expensive to replace. Returns the
/// decisions of each child.
pub(super) fn branch(legs: &Legs, fixes: &[Fix], ascent: &AscentResult) -> Vec<Vec<Fix>> {
    let tree = &ascent.tree;
    let (mut best, mut max) = (Vec::new(), i64::MIN);
    for stop in 0..legs.count {
        for (violation, leaving) in [
            (tree.leave_excess[stop], true),
            (tree.enter_excess[stop], false),
        ] {
            if violation > 0 && (leaving || !legs.symmetric) {
                let candidates = replaceable_legs(legs, fixes, ascent, stop, leaving);
                let rise = candidates.iter().map(|&(rise, _)| rise).sum();
                if rise > max && !candidates.is_empty() {
                    (best, max) = (children(legs.symmetric, fixes, stop, &candidates), rise);
                }
            }
        }
    }
    best
}

/// Returns the tree's legs at a stop that are not forced, with the cost of replacing each, most
/// expensive first.
fn replaceable_legs(
    legs: &Legs,
    fixes: &[Fix],
    ascent: &AscentResult,
    stop: usize,
    leaving: bool,
) -> Vec<(i64, (usize, usize))> {
    let tree = &ascent.tree;
    let mut candidates = Vec::new();
    for &child in tree.joined.iter().skip(1) {
        let (parent, downwards) = tree.parent[child];
        let (from, to) = if downwards {
            (parent, child)
        } else {
            (child, parent)
        };
        let touches = match legs.symmetric {
            true => from == stop || to == stop,
            false => stop == if leaving { from } else { to },
        };
        let same = |fix: &Fix| {
            (fix.from, fix.to) == (from, to) || legs.symmetric && (fix.to, fix.from) == (from, to)
        };
        if touches && !fixes.iter().any(|fix| fix.force && same(fix)) {
            candidates.push((
                replacement_cost(legs, &ascent.prices, tree, child),
                (from, to),
            ));
        }
    }
    candidates.sort_unstable_by(|a, b| b.cmp(a));
    candidates
}

/// Returns the decisions about a stop's two most expensive legs. The children partition the orders.
fn children(
    symmetric: bool,
    fixes: &[Fix],
    stop: usize,
    candidates: &[(i64, (usize, usize))],
) -> Vec<Vec<Fix>> {
    let fix = |&(_, (from, to)): &(i64, (usize, usize)), force: bool| Fix { from, to, force };
    let used = fixes
        .iter()
        .filter(|fix| fix.force && (fix.from == stop || fix.to == stop))
        .count();
    match candidates {
        [] => Vec::new(),
        [one, other, ..] if symmetric && used == 0 => {
            vec![
                vec![fix(one, true), fix(other, true)],
                vec![fix(one, true), fix(other, false)],
                vec![fix(one, false)],
            ]
        }
        // A stop is left once: by one of the two legs, by the other, or by neither.
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

/// Returns the increase of the tree's cost if the edge above a stop is removed.
fn replacement_cost(legs: &Legs, prices: &Prices, tree: &Tree, child: usize) -> i64 {
    // The subtree below the edge is priced out, so only edges that can replace it remain in its
    // rows.
    let mut below = vec![0; legs.width];
    below[child] = FORBIDDEN;
    for &stop in tree.joined.iter().skip(1) {
        below[stop] = below[stop].max(below[tree.parent[stop].0]);
    }
    let (parent, downwards) = tree.parent[child];
    let own = if downwards {
        priced(legs, prices, parent, child)
    } else {
        priced(legs, prices, child, parent)
    };
    let enter = prices.enter(legs.symmetric);
    let mut min = i32::MAX;
    for from in 0..legs.count {
        if below[from] == 0 {
            continue;
        }
        let saved = if from == child {
            std::mem::replace(&mut below[parent], FORBIDDEN)
        } else {
            0
        };
        let mut cheapest = |rows: &[i32], own_price: i32, other_prices: &[i32]| {
            let row = &rows[from * legs.width..(from + 1) * legs.width];
            for ((&leg, &price), &below) in row.iter().zip(other_prices).zip(&below) {
                min = min.min(leg + own_price + price + below);
            }
        };
        cheapest(&legs.forward, prices.leave[from], enter);
        if !legs.symmetric {
            cheapest(&legs.backward, enter[from], &prices.leave);
        }
        if from == child {
            below[parent] = saved;
        }
    }
    i64::from(min) - i64::from(own)
}

impl Legs {
    /// Applies new decisions and their consequences to legs with the `applied` ones. Returns false
    /// if they contradict each other.
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
            let Some((start, end)) = paths.join(from, to) else {
                return false;
            };
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
                // A route visits the free stops in a path, so a leg from the path's end to its
                // start would close a subtour.
                self.forbid(end, start);
            }
        }
        true
    }

    /// Makes a leg so cheap that every cheapest tree uses it.
    fn force(&mut self, from: usize, to: usize) {
        self.forward[from * self.width + to] -= FORCE;
        if self.symmetric {
            self.forward[to * self.width + from] -= FORCE;
        } else {
            self.backward[to * self.width + from] -= FORCE;
        }
        self.forced += 1;
    }

    /// Forbids every leg that leaves (or enters) a stop and is not forced.
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

/// The paths formed by the forced legs.
struct Paths {
    /// The other end of the path that a stop ends. A stop without forced legs is its own path.
    mate: Vec<usize>,
    /// The number of forced legs at each stop.
    degree: Vec<u8>,
}

impl Paths {
    fn new(count: usize) -> Paths {
        Paths {
            mate: (0..count).collect(),
            degree: vec![0; count],
        }
    }

    /// Joins two paths by a leg and returns the ends of the joined path, or `None` if the leg
    /// closes a cycle.
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
