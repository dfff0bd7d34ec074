//! The proof where the tree bound does not suffice: branch and cut over the legs that are left.
//!
//! A linear program over places that are left and entered once, with subtour and blossom limits as they are broken (Dantzig,
//! Fulkerson and Johnson 1954; Fischetti and Toth 1997 for one-way matrices), is above the tree bound or equal to it. It
//! begins at the prices of the best tree, whose nested parts are its first limits, and branches on a leg that is used in
//! part, chosen by trying (Applegate, Bixby, Chvátal and Cook 2006).
//!
//! **What counts is proven in integers.** The program's floats propose prices; rounded to integers, they give a bound by
//! adding up whole numbers below 2⁵³, which floats do exactly. Only that bound closes a part or rules a leg out.

mod limits;
mod tour;

use std::collections::BinaryHeap;

use super::ascent::priced;
use super::open::Open;
use super::separate::{Cut, Set};
use super::simplex::{Ended, Limit, ROUNDER, Simplex, Snapshot, State, whole};
use super::tree::{FORBIDDEN, Legs, Prices, Tree};
use crate::sort::sort;

/// The most rounds of limits at the root and in a part of the search.
const ROOT_ROUNDS: usize = 60;
const PART_ROUNDS: usize = 2;
/// Rounds at the root that bring next to nothing before it is split.
const ROOT_STALE_LIMIT: usize = 4;
/// Legs whose first pivot is looked at, those used by about a half.
const LOOKS: usize = 12;
/// Legs of these that are tried before branching, and pivots of each trial.
const TRIALS: usize = 3;
const TRIAL_PIVOTS: usize = 6;
/// How many times removed cuts return in a part, how many at once, and the minimum violation.
const RECALLS: usize = 10;
const RECALLED: usize = 20;
const VIOLATED: f64 = 0.02;
/// Up to so many stops a part that was split is followed down at once, while the program is close to it.
const FOLLOWED: usize = 60;
/// Programs that are kept at most: each takes some hundred kilobytes.
const KEPT: usize = 32;
/// The most pivots between two looks for limits.
const PIVOTS: usize = 4_000;
/// What is closer to zero or one is not used in part.
const WHOLE: f64 = 0.001;
/// Limits with more slack go when new ones come.
const SLACK: f64 = 0.05;
/// Costs of equal legs are perturbed by at most four units, the 1024th part of this.
const PERTURBATION: f64 = 1_024.0;
/// How far the program has to be above the room before it is worth proving.
const MARGIN: f64 = 256.0;
/// The largest price in integers: sums over all rows and legs stay exact.
const MAX_PRICE: f64 = 4_294_967_296.0;

/// A leg that is left; the origin's index is the number of free stops.
#[derive(Clone, Copy)]
struct Leg {
    from: usize,
    to: usize,
}

/// A decision: a leg is used or not.
type Fix = (usize, bool);

/// A part of the search: its decisions, and the program where what it is a part of was split.
#[derive(Default)]
struct Piece {
    fixes: Vec<Fix>,
    whole: Option<Box<(Snapshot, Vec<Fix>)>>,
}

/// A branch and cut under way.
pub(super) struct Planes {
    legs: Vec<Leg>,
    costs: Vec<f64>,
    /// Free stops, and with them the origin.
    count: usize,
    lp: Simplex,
    saved: State,
    open: BinaryHeap<Open<Piece>>,
    fixed: Vec<Fix>,
    values: Vec<f64>,
    whole: Vec<f64>,
    /// The bound of the whole search with what every leg costs on top of it.
    root: (i64, Vec<f64>),
    symmetric: bool,
    serial: u64,
    /// The least bound among parts that could neither be closed nor split.
    stuck: i64,
    /// The last solution of the whole.
    guide: Vec<f64>,
    /// Work done so far.
    pub(super) work: u64,
}

/// The outcome of a part.
enum Part {
    /// No better order is in it.
    Closed,
    /// A bound, and what a leg costs at least on top of it.
    Open(i64),
}

impl Planes {
    /// The program of the legs that are left, at the prices of a tree.
    pub(super) fn begin(legs: &Legs, tree: &Tree, prices: &Prices) -> Planes {
        let count = legs.count;
        let mut left = Vec::new();
        let (mut columns, mut costs) = (Vec::new(), Vec::new());
        let (out_row, back_row) = if legs.symmetric { (count, count + 1) } else { (count, 2 * count + 1) };
        let enters = |stop: usize| if legs.symmetric { stop } else { count + 1 + stop };
        let mut put = |from: usize, to: usize, cost: i32, rows: (usize, usize)| {
            if cost < FORBIDDEN {
                left.push(Leg { from, to });
                // Equal legs make for pivots that lead nowhere: the program sees each a little dearer.
                let perturbation = u32::try_from(columns.len()).unwrap_or(0).wrapping_mul(2_654_435_769) >> 20;
                columns.push((f64::from(cost) + f64::from(perturbation) / PERTURBATION, rows));
                costs.push(f64::from(cost));
            }
        };
        for from in 0..count {
            put(count, from, legs.out[from], (out_row, enters(from)));
            put(from, count, legs.back[from], (from, back_row));
            for to in (0..count).filter(|&to| to != from && (from < to || !legs.symmetric)) {
                put(from, to, legs.at(from, to), (from, enters(to)));
            }
        }
        let rows = if legs.symmetric { count + 2 } else { 2 * count + 2 };
        let mut equations = vec![(1.0, 0.0); rows];
        let (sets, longest) = nested(legs, tree, prices);
        // All free stops together are what leaves them less the one that leads back.
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
            // Such a limit is written by what leaves the set: the price of all that is inside goes to its stops.
            for stop in (0..count).filter(|&stop| set.holds(stop)) {
                equations[stop].1 += f64::from(*dual) / if legs.symmetric { 2.0 } else { 1.0 };
            }
        }
        let enter = prices.enter(legs.symmetric);
        let min = |legs: &[i32], prices: &[i32]| legs.iter().zip(prices).map(|(leg, price)| leg + price).min();
        equations[out_row].1 = f64::from(min(&legs.out, enter).unwrap_or(0)) - if legs.symmetric { share } else { 0.0 };
        equations[back_row].1 = f64::from(min(&legs.back, &prices.leave).unwrap_or(0)) - share;
        let limits = sets.iter().map(|&(set, dual)| {
            let cut = Cut::Sets(vec![set], set.len() - 1);
            let legs_left = left.iter().enumerate().map(|(index, leg)| (index, leg.from, leg.to));
            Limit { entries: cut.entries(legs_left, legs.symmetric), max: cut.limit(), dual: f64::from(dual) }
        });
        let lp = Simplex::new(&columns, &equations, limits.collect());
        Planes {
            legs: left,
            costs,
            count,
            lp,
            saved: State::default(),
            open: BinaryHeap::from([Open { value: i64::MIN, serial: 0, what: Piece::default() }]),
            fixed: Vec::new(),
            values: Vec::new(),
            whole: Vec::new(),
            root: (i64::MIN, Vec::new()),
            symmetric: legs.symmetric,
            serial: 0,
            stuck: i64::MAX,
            guide: Vec::new(),
            work: 0,
        }
    }

    /// Splits parts until none is open that has room for a better order, or the work is spent; the bound of what is left.
    ///
    /// `offer` takes an order that was found and returns the room below the best known one.
    pub(super) fn run(&mut self, mut room: i64, budget: u64, offer: &mut dyn FnMut(Vec<usize>) -> i64) -> i64 {
        self.narrow(room);
        let mut next = None;
        while let Some(mut part) = next.take().or_else(|| self.open.pop()) {
            if part.value > room {
                continue;
            }
            if self.spent() >= budget {
                self.open.push(part);
                break;
            }
            if let Some(whole) = part.what.whole.take() {
                let snapshot;
                (snapshot, self.fixed) = *whole;
                self.lp.restore(snapshot);
            }
            if !self.enter(&part.what.fixes) {
                continue;
            }
            match self.solve(part.value, &mut room, part.serial == 0, budget, offer) {
                Part::Closed => {}
                Part::Open(value) if self.spent() >= budget => {
                    self.open.push(Open { value, ..part });
                    break;
                }
                Part::Open(value) => next = self.branch(value, room, budget),
            }
        }
        self.open.peek().map_or(i64::MAX, |part| part.value).min(self.stuck)
    }

    /// Work done so far, the program's included.
    pub(super) fn spent(&self) -> u64 {
        self.work + self.lp.work
    }

    /// Replaces the current decisions with those of a part; false if they need a leg that has been ruled out.
    fn enter(&mut self, fixes: &[Fix]) -> bool {
        if fixes.iter().any(|&(leg, used)| used && self.lp.now.columns[leg].gone) {
            return false;
        }
        let mut kept = vec![false; self.legs.len()];
        fixes.iter().for_each(|&(leg, _)| kept[leg] = true);
        for (leg, _) in std::mem::take(&mut self.fixed) {
            if !kept[leg] && !self.lp.now.columns[leg].gone {
                self.lp.bound(leg, 0.0, 1.0);
            }
        }
        for &(leg, used) in fixes {
            let column = self.lp.now.columns[leg];
            if column.low < column.high || (column.high > 0.0) != used {
                self.fix(leg, used);
            }
        }
        self.lp.shift();
        self.fixed = fixes.to_vec();
        true
    }

    fn fix(&mut self, leg: usize, used: bool) {
        let value = if used { 1.0 } else { 0.0 };
        self.lp.bound(leg, value, value);
    }

    /// Raises the bound of a part by cuts until it is closed, has to be split, or the budget ends.
    fn solve(
        &mut self,
        known: i64,
        room: &mut i64,
        root: bool,
        budget: u64,
        offer: &mut dyn FnMut(Vec<usize>) -> i64,
    ) -> Part {
        let (max_rounds, stale_limit) = if root { (ROOT_ROUNDS, ROOT_STALE_LIMIT) } else { (PART_ROUNDS, PART_ROUNDS) };
        let mut bound = known;
        let (mut stale, mut round, mut recalls) = (0, 0, 0);
        loop {
            self.lp.max_work = budget.saturating_sub(self.work);
            let (ended, value) = self.pivot_twice(*room);
            // Cuts that close less than a fiftieth of the gap are not worth their rows. Before the first round the gap is everything.
            let (gain, missing) = (value.saturating_sub(bound), room.saturating_sub(bound));
            stale = if gain < missing / 50 && round > 0 { stale + 1 } else { 0 };
            bound = bound.max(value);
            if bound > *room {
                return Part::Closed;
            }
            if ended == Ended::Infeasible {
                return self.give_up(bound);
            }
            if ended != Ended::Optimal || self.spent() >= budget {
                return Part::Open(bound);
            }
            self.rule_out(value, *room, root);
            self.lp.values(&mut self.values);
            if recalls < RECALLS && self.lp.recall(&self.values, VIOLATED, RECALLED) {
                recalls += 1;
                continue;
            }
            if root {
                self.guide.clone_from(&self.values);
            }
            let (cuts, halves) = self.broken();
            if cuts.is_empty() && halves.is_empty() {
                let Some(order) = self.order() else { return Part::Open(bound) };
                *room = offer(order);
                return if bound > *room { Part::Closed } else { self.give_up(bound) };
            }
            if self.is_fractional() && (round + 1 >= max_rounds || stale >= stale_limit) {
                return Part::Open(bound);
            }
            self.lp.purge(SLACK);
            halves.into_iter().for_each(|(entries, limit)| self.lp.add(entries, limit));
            self.add(&cuts);
            round += 1;
        }
    }

    /// Pivots, and once more from a new inverse if rounding errors prevented the proof.
    fn pivot_twice(&mut self, room: i64) -> (Ended, i64) {
        let (ended, value) = self.pivot(room, PIVOTS);
        if ended != Ended::Infeasible || value > room {
            return (ended, value);
        }
        self.lp.renew();
        self.pivot(room, PIVOTS)
    }

    /// Leaves a part that rounding errors keep from being closed or split: its bound limits the bound of the whole.
    fn give_up(&mut self, bound: i64) -> Part {
        self.stuck = self.stuck.min(bound);
        Part::Closed
    }

    /// Whether the solution has a fraction to branch on. An integral solution that is not a route needs cuts.
    fn is_fractional(&self) -> bool {
        self.values.iter().any(|&value| value > WHOLE && value < 1.0 - WHOLE)
    }

    /// Pivots for a while: how that ended, and the bound that is proven then.
    fn pivot(&mut self, room: i64, pivots: usize) -> (Ended, i64) {
        let mut ended = self.lp.run(float(room) + MARGIN, pivots);
        if ended == Ended::Above {
            let value = self.proven(&self.lp.now.duals.clone());
            if value > room {
                return (ended, value);
            }
            // The rounded prices are further above than the program itself: solve it to the end.
            ended = self.lp.run(f64::INFINITY, pivots);
        }
        let prices = match ended {
            Ended::Infeasible => self.lp.beyond((float(room) - self.lp.objective()).clamp(0.0, f64::MAX) + 4_096.0),
            _ => self.lp.now.duals.clone(),
        };
        (ended, self.proven(&prices))
    }

    /// The bound that prices prove, in integers; the reduced cost of every leg is left in `whole`.
    fn proven(&mut self, duals: &[f64]) -> i64 {
        let round = |price: f64| (price.clamp(-MAX_PRICE, MAX_PRICE) + ROUNDER) - ROUNDER;
        let limit = |(row, &price): (usize, &f64)| {
            // The price of an upper limit is never above zero.
            if self.lp.is_limit(row) && price > 0.0 { 0.0 } else { round(price) }
        };
        let duals: Vec<f64> = duals.iter().enumerate().map(limit).collect();
        let mut total: f64 = self.lp.rhs.iter().zip(&duals).map(|(rhs, price)| rhs * price).sum();
        self.whole.resize(self.legs.len(), 0.0);
        for &index in &self.lp.active {
            let column = &self.lp.now.columns[index];
            let entries = self.lp.entries(index).iter();
            let reduced = self.costs[index] - entries.map(|&(row, coefficient)| coefficient * duals[row]).sum::<f64>();
            total += reduced * if reduced < 0.0 { column.high } else { column.low };
            self.whole[index] = reduced;
        }
        self.work += 6 * self.lp.active.len() as u64;
        whole(total)
    }

    /// Takes away the legs that no order in a part can use; `whole` holds what they cost above a bound.
    fn rule_out(&mut self, bound: i64, room: i64, root: bool) {
        if root {
            if bound > self.root.0 {
                self.root = (bound, self.whole.clone());
            }
            return self.narrow(room);
        }
        for index in 0..self.legs.len() {
            let column = self.lp.now.columns[index];
            let open = !self.lp.is_basic(index) && column.high > column.low;
            if open && bound + whole(self.whole[index]) > room {
                self.lp.bound(index, 0.0, 0.0);
                self.fixed.push((index, false));
            }
        }
        self.lp.shift();
    }

    /// Takes away the legs that no better order can use, for good.
    fn narrow(&mut self, room: i64) {
        for (index, &above) in self.root.1.iter().enumerate() {
            let column = self.lp.now.columns[index];
            if !column.gone && column.high > 0.0 && self.root.0 + whole(above) > room {
                self.lp.bound(index, 0.0, 0.0);
                self.lp.now.columns[index].gone = true;
            }
        }
        self.lp.shift();
    }

    /// Splits the part that was solved last on a leg that is used in part, the one whose trial raises the bound the most.
    ///
    /// Returns the part to continue with if the program is close to it; the others stay open.
    fn branch(&mut self, bound: i64, room: i64, budget: u64) -> Option<Open<Piece>> {
        self.lp.values(&mut self.values);
        let mut candidates: Vec<(f64, usize)> = Vec::new();
        for (index, &value) in self.values.iter().enumerate() {
            if value > WHOLE && value < 1.0 - WHOLE {
                candidates.push(((value - 0.5).abs(), index));
            }
        }
        sort(&mut candidates, by_score);
        candidates.truncate(LOOKS);
        for (score, index) in &mut candidates {
            let [down, up] = self.lp.look(*index);
            let (min, max) = if down < up { (down, up) } else { (up, down) };
            *score = -(8.0 * min + max);
        }
        sort(&mut candidates, by_score);
        candidates.truncate(TRIALS);
        let mut fixes = self.fixed.clone();
        let mut best: Option<(i64, usize, [i64; 2])> = None;
        self.saved.copy(&self.lp.now);
        for &(_, index) in &candidates {
            let mut values = [bound; 2];
            for (used, value) in [false, true].into_iter().zip(&mut values) {
                self.fix(index, used);
                self.lp.shift();
                *value = bound.max(self.pivot(room, TRIAL_PIVOTS).1);
                self.lp.now.copy(&self.saved);
                self.work += self.lp.rows() as u64 * self.lp.rows() as u64 * 3 / 4;
            }
            let gains = values.map(|value| value.min(room + 1) - bound + 1);
            let score = gains[0].min(gains[1]).saturating_mul(8).saturating_add(gains[0].max(gains[1]));
            if best.is_none_or(|best| score > best.0) {
                best = Some((score, index, values));
            }
            if values[0] > room || values[1] > room || self.spent() >= budget {
                break;
            }
        }
        let Some((_, index, values)) = best else {
            self.stuck = self.stuck.min(bound);
            return None;
        };
        let mut parts = Vec::new();
        for (used, value) in [true, false].into_iter().zip([values[1], values[0]]) {
            if value <= room {
                self.serial += 1;
                fixes.push((index, used));
                parts.push(Open { value, serial: self.serial, what: Piece { fixes: fixes.clone(), whole: None } });
                fixes.pop();
            }
        }
        if let [one, other] = &mut parts[..]
            && *one > *other
        {
            std::mem::swap(one, other);
        }
        let next = if self.count <= FOLLOWED { parts.pop() } else { None };
        if let (Some(_), Some(other)) = (&next, parts.last_mut())
            && self.open.iter().filter(|part| part.what.whole.is_some()).count() < KEPT
        {
            other.what.whole = Some(Box::new((self.lp.snapshot(&self.saved), fixes)));
        }
        self.open.extend(parts);
        next
    }
}

/// Which candidate comes first.
fn by_score(a: &(f64, usize), b: &(f64, usize)) -> bool {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).is_lt()
}

/// The parts of a tree that hang together below each length of its legs with their prices, and the longest of these
/// lengths: as limits of a linear program they give the tree's own bound.
fn nested(legs: &Legs, tree: &Tree, prices: &Prices) -> (Vec<(Set, i32)>, i32) {
    let mut edges: Vec<(i32, usize, usize)> = Vec::new();
    for &stop in tree.joined.iter().skip(1) {
        let (hub, down) = tree.parent[stop];
        let (from, to) = if down { (hub, stop) } else { (stop, hub) };
        edges.push((priced(legs, prices, from, to), from, to));
    }
    sort(&mut edges, |a, b| a < b);
    let mut part: Vec<usize> = (0..legs.count).collect();
    let mut made: Vec<Option<usize>> = vec![None; legs.count];
    let mut sets: Vec<(Set, i32)> = Vec::new();
    for &(length, from, to) in &edges {
        let (one, other) = (part[from], part[to]);
        for merged in [made[one], made[other]].into_iter().flatten() {
            // So far the price is the length at which the part was created.
            sets[merged].1 -= length;
        }
        part.iter_mut().filter(|part| **part == other).for_each(|part| *part = one);
        made[one] = Some(sets.len());
        sets.push((Set::of((0..legs.count).filter(|&stop| part[stop] == one)), length));
    }
    sets.pop();
    sets.retain(|&(_, price)| price < 0);
    (sets, edges.last().map_or(0, |edge| edge.0))
}

/// A bound as a float: far below 2⁵³.
#[expect(clippy::cast_precision_loss, reason = "bounds are below 2^40")]
fn float(bound: i64) -> f64 {
    bound as f64
}
