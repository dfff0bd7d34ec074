//! The relaxation behind the lower bound: a cheapest spanning tree with a way in and a way out.
//!
//! Every order is a path over the free stops plus one leg from the origin and one back. Dropping the rule that each stop is
//! entered once and left once, and charging a price for breaking it instead, leaves a spanning tree plus two legs: the
//! 1-tree of Held and Karp (1970, 1971). On one-way matrices leaving and entering have prices of their own and an edge of
//! the tree takes the cheaper direction; at the best prices the bound is the same subtour bound.

use super::model::Model;
use super::problem::UNREACHABLE;

/// A leg that may not be used; far above any priced leg, so a cheapest tree uses it only where it must.
pub(super) const FORBIDDEN: i32 = 1 << 29;
/// What a leg that must be used is made cheaper by.
pub(super) const FORCE: i32 = 1 << 29;
/// The largest scaled leg and the largest price: three of them and a force still fit an `i32`.
const LEG_BITS: i32 = 26;
/// Fractions of a metre that prices are counted in, at most.
const FINEST: i32 = 10;
/// Rows of legs are a multiple of this long, so that vector instructions come out even.
const LANES: usize = 4;
/// The price of a stop that has joined: dearer than any that has not, even by a forbidden leg, and still in an `i32`.
const JOINED: i32 = (1 << 30) + (1 << 28);

/// The legs of a model in fractions of a metre, as a branch sees them: forbidden and forced ones are marked in the value.
#[derive(Clone)]
pub(super) struct Legs {
    pub(super) count: usize,
    pub(super) symmetric: bool,
    /// Length of a row: the count filled up with forbidden legs.
    pub(super) width: usize,
    /// Row-major legs.
    pub(super) ahead: Vec<i32>,
    /// The transpose; only one-way matrices have it.
    pub(super) behind: Vec<i32>,
    pub(super) out: Vec<i32>,
    pub(super) back: Vec<i32>,
    /// How many legs are forced.
    pub(super) forced: i64,
}

/// How metres become the integers of the relaxation: rounded down where legs are too long, so that it stays a bound.
#[derive(Clone, Copy)]
pub(super) struct Scale(i32);

/// The prices: what leaving and entering each stop costs. Symmetric models use only `leave`, for both.
pub(super) struct Prices {
    pub(super) leave: Vec<i32>,
    pub(super) enter: Vec<i32>,
}

/// A cheapest tree with its two legs, and how far it is from being a path.
#[derive(Clone)]
pub(super) struct Tree {
    /// The bound, scaled; without a meaning where `broken`.
    pub(super) value: i64,
    /// Whether only forbidden legs connect the stops: no order exists.
    pub(super) broken: bool,
    /// The node a stop hangs from, and whether the leg leads from that node to the stop.
    pub(super) parent: Vec<(usize, bool)>,
    /// Stops in the order in which they joined the tree; the first has no parent.
    pub(super) joined: Vec<usize>,
    /// The stop the origin leads to, and the one that leads back.
    pub(super) head: usize,
    pub(super) tail: usize,
    /// Times a stop is left less one; on symmetric models legs less two.
    pub(super) leaves: Vec<i32>,
    /// Times a stop is entered less one.
    pub(super) enters: Vec<i32>,
    pub(super) room: Room,
    pub(super) front: Vec<usize>,
}

/// What the growing keeps of every stop, in rows as wide as those of the legs.
#[derive(Clone, Default)]
pub(super) struct Room {
    /// The cheapest edge to the tree so far, and the stop of the tree at its other end.
    pub(super) key: Vec<i32>,
    pub(super) hub: Vec<i32>,
    /// The prices, [`JOINED`] where a stop has joined.
    enter: Vec<i32>,
    leave: Vec<i32>,
}

impl Scale {
    pub(super) fn of(model: &Model) -> Scale {
        let bits = i32::try_from(u32::BITS - model.longest().leading_zeros()).unwrap_or(32);
        Scale((LEG_BITS - bits).min(FINEST))
    }

    /// A leg in scaled units, rounded down.
    fn leg(self, metres: u32) -> i32 {
        if metres == UNREACHABLE { FORBIDDEN } else { clamp(self.units(i64::from(metres)), FORBIDDEN) }
    }

    /// Metres in scaled units, rounded down.
    pub(super) fn units(self, metres: i64) -> i64 {
        if self.0 >= 0 { metres << self.0 } else { metres >> -self.0 }
    }

    /// The least whole metres that a scaled bound proves.
    pub(super) fn metres(self, value: i64) -> u64 {
        let metres = match self.0 {
            up if up >= 0 => (value.max(0) + (1 << up) - 1) >> up,
            down => value.max(0) << -down,
        };
        metres.unsigned_abs()
    }

    /// The largest scaled bound that still leaves room for an order shorter than so many metres.
    pub(super) fn room_below(self, metres: u64) -> i64 {
        let metres = i64::try_from(metres).unwrap_or(i64::MAX >> 20).min(i64::MAX >> 20) - 1;
        if self.0 >= 0 { metres << self.0 } else { metres >> -self.0 }
    }
}

impl Legs {
    pub(super) fn of(model: &Model, scale: Scale) -> Legs {
        let (count, width) = (model.count, model.count.next_multiple_of(LANES));
        let mut ahead = vec![FORBIDDEN; count * width];
        let mut behind = if model.symmetric { Vec::new() } else { ahead.clone() };
        for from in 0..count {
            for to in 0..count {
                let leg = scale.leg(model.legs[from * count + to]);
                ahead[from * width + to] = leg;
                if !model.symmetric {
                    behind[to * width + from] = leg;
                }
            }
        }
        let out: Vec<i32> = model.out.iter().map(|&metres| scale.leg(metres)).collect();
        let back: Vec<i32> = model.back.iter().map(|&metres| scale.leg(metres)).collect();
        Legs { count, symmetric: model.symmetric, width, ahead, behind, out, back, forced: 0 }
    }

    /// A leg among the free stops.
    #[inline]
    pub(super) fn at(&self, from: usize, to: usize) -> i32 {
        self.ahead[from * self.width + to]
    }

    /// Joins the stops of a tree over all legs.
    pub(super) fn span_all(&self, prices: &Prices, tree: &mut Tree) {
        if self.symmetric { self.span::<false>(prices, tree) } else { self.span::<true>(prices, tree) }
    }

    /// Attaches the origin and counts what the prices and forced legs add to the tree's value.
    pub(super) fn complete(&self, prices: &Prices, tree: &mut Tree) {
        self.attach(prices, tree);
        let leave: i64 = prices.leave.iter().map(|&price| i64::from(price)).sum();
        let enter: i64 = prices.enter.iter().map(|&price| i64::from(price)).sum();
        tree.value -= if self.symmetric { 2 * leave } else { leave + enter };
        tree.value += self.forced * i64::from(FORCE);
    }

    /// Joins the stops to the first one by one; on a one-way matrix each edge in its cheaper direction.
    fn span<const ONE_WAY: bool>(&self, prices: &Prices, tree: &mut Tree) {
        let enter = prices.enter(self.symmetric);
        let mut at = 0;
        for _ in 1..self.count {
            let stop = self.spread::<ONE_WAY>(at, prices.leave[at], enter[at], &mut tree.room);
            tree.hang(self, prices, stop);
            tree.room.join(stop);
            at = stop;
        }
    }

    /// Offers every stop an edge to one that has just joined; returns the stop that is nearest to the tree then.
    ///
    /// This is nearly all that a proof does. Without a branch in its loops it becomes vector instructions.
    fn spread<const ONE_WAY: bool>(&self, at: usize, leave: i32, enter: i32, room: &mut Room) -> usize {
        let width = self.width;
        let row = at * width..(at + 1) * width;
        let ahead = &self.ahead[row.clone()];
        let behind = if ONE_WAY { &self.behind[row] } else { ahead };
        let (leaves, enters) = (&room.leave[..width], &room.enter[..width]);
        let (keys, hubs) = (&mut room.key[..width], &mut room.hub[..width]);
        let hub = short(at);
        let mut min = i32::MAX;
        for i in 0..width {
            let down = ahead[i] + enters[i] + leave;
            let edge = if ONE_WAY { down.min(behind[i] + leaves[i] + enter) } else { down };
            let nearer = all_ones(edge < keys[i]);
            hubs[i] = hub & nearer | hubs[i] & !nearer;
            keys[i] = edge & nearer | keys[i] & !nearer;
            min = min.min(keys[i]);
        }
        let (mut pick, mut index) = (i32::MAX, 0);
        for &key in &*keys {
            pick = pick.min(index | all_ones(key != min) & i32::MAX);
            index += 1;
        }
        long(pick)
    }

    /// The cheapest leg from the origin and the cheapest one back, at different stops if there are two.
    fn attach(&self, prices: &Prices, tree: &mut Tree) {
        let enter = prices.enter(self.symmetric);
        let heads = two_smallest(&self.out, enter);
        let tails = two_smallest(&self.back, &prices.leave);
        let mut best = i64::MAX;
        for (head, out) in heads.into_iter().flatten() {
            for (tail, back) in tails.into_iter().flatten() {
                let sum = i64::from(out) + i64::from(back);
                if sum < best && (head != tail || self.count == 1) {
                    best = sum;
                    (tree.head, tree.tail) = (head, tail);
                }
            }
        }
        tree.broken |= self.out[tree.head] >= FORBIDDEN || self.back[tree.tail] >= FORBIDDEN;
        tree.value += best;
        tree.leaves[tree.tail] += 1;
        if self.symmetric {
            tree.leaves[tree.head] += 1;
        } else {
            tree.enters[tree.head] += 1;
        }
    }
}

impl Clone for Prices {
    fn clone(&self) -> Prices {
        Prices { leave: self.leave.clone(), enter: self.enter.clone() }
    }

    fn clone_from(&mut self, other: &Prices) {
        self.leave.clone_from(&other.leave);
        self.enter.clone_from(&other.enter);
    }
}

impl Prices {
    pub(super) fn none(count: usize) -> Prices {
        Prices { leave: vec![0; count], enter: vec![0; count] }
    }

    /// The prices of entering.
    #[inline]
    pub(super) fn enter(&self, symmetric: bool) -> &[i32] {
        if symmetric { &self.leave } else { &self.enter }
    }
}

impl Room {
    /// Room for a tree that holds nothing.
    pub(super) fn clear(&mut self, width: usize, leave: &[i32], enter: &[i32]) {
        for (mine, prices) in [(&mut self.leave, leave), (&mut self.enter, enter)] {
            mine.clear();
            mine.extend_from_slice(prices);
            mine.resize(width, JOINED);
        }
        self.key.clear();
        self.key.resize(width, i32::MAX);
        self.hub.resize(width, 0);
    }

    /// Prices a stop out.
    fn join(&mut self, stop: usize) {
        self.leave[stop] = JOINED;
        self.enter[stop] = JOINED;
        self.key[stop] = i32::MAX;
    }
}

impl Tree {
    pub(super) fn new(count: usize) -> Tree {
        Tree {
            value: 0,
            broken: false,
            parent: Vec::with_capacity(count),
            joined: Vec::with_capacity(count),
            head: 0,
            tail: 0,
            leaves: Vec::with_capacity(count),
            enters: Vec::with_capacity(count),
            room: Room::default(),
            front: Vec::with_capacity(count),
        }
    }

    /// A tree of only the first stop.
    pub(super) fn clear(&mut self, legs: &Legs, prices: &Prices) {
        let (count, symmetric) = (legs.count, legs.symmetric);
        self.value = 0;
        self.broken = false;
        self.parent.clear();
        self.parent.resize(count, (0, true));
        self.joined.clear();
        self.joined.push(0);
        self.leaves.clear();
        self.leaves.resize(count, if symmetric { -2 } else { -1 });
        self.enters.clear();
        self.enters.resize(count, -1);
        self.room.clear(legs.width, &prices.leave, prices.enter(symmetric));
        self.room.join(0);
    }

    /// Hangs a stop from the hub that is nearest to it; an edge takes its cheaper direction.
    pub(super) fn hang(&mut self, legs: &Legs, prices: &Prices, stop: usize) {
        let (key, hub) = (self.room.key[stop], long(self.room.hub[stop]));
        let down = legs.symmetric || key == legs.at(hub, stop) + prices.leave[hub] + prices.enter[stop];
        let (from, to) = if down { (hub, stop) } else { (stop, hub) };
        self.broken |= legs.at(from, to) >= FORBIDDEN;
        self.value += i64::from(key);
        self.leaves[from] += 1;
        if legs.symmetric {
            self.leaves[to] += 1;
        } else {
            self.enters[to] += 1;
        }
        self.parent[stop] = (hub, down);
        self.joined.push(stop);
    }

    /// Takes over another tree without its room for growing.
    pub(super) fn copy(&mut self, other: &Tree) {
        (self.value, self.broken) = (other.value, other.broken);
        (self.head, self.tail) = (other.head, other.tail);
        self.parent.clone_from(&other.parent);
        self.joined.clone_from(&other.joined);
        self.leaves.clone_from(&other.leaves);
        self.enters.clone_from(&other.enters);
    }

    /// How far the tree is from a path: the sum of the squares of the violations.
    pub(super) fn violation(&self, symmetric: bool) -> i64 {
        // At most MAX_STOPS legs meet at all stops together: the squares fit.
        let squares = |all: &[i32]| all.iter().map(|&g| g * g).sum::<i32>();
        i64::from(squares(&self.leaves) + if symmetric { 0 } else { squares(&self.enters) })
    }

    /// Returns the tree as an order; valid only if it is a path.
    pub(super) fn order(&self, symmetric: bool) -> Vec<usize> {
        let count = self.parent.len();
        let mut links: Vec<Vec<usize>> = vec![Vec::new(); count];
        for &stop in self.joined.iter().skip(1) {
            let (from, down) = self.parent[stop];
            match (symmetric, down) {
                (true, _) => {
                    links[from].push(stop);
                    links[stop].push(from);
                }
                (false, true) => links[from].push(stop),
                (false, false) => links[stop].push(from),
            }
        }
        let (mut order, mut seen) = (vec![self.head], vec![false; count]);
        let mut at = self.head;
        seen[at] = true;
        while let Some(&next) = links[at].iter().find(|&&next| !seen[next]) {
            seen[next] = true;
            order.push(next);
            at = next;
        }
        order
    }
}

/// All bits set if the condition holds, otherwise none: a branch-free choice.
#[inline]
fn all_ones(condition: bool) -> i32 {
    -i32::from(condition)
}

/// An index of a stop, of which there are a few hundred at most.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "stops are limited to MAX_STOPS")]
pub(super) fn short(stop: usize) -> i32 {
    stop as i32
}

/// The same back.
#[expect(clippy::cast_sign_loss, reason = "an index is never negative")]
fn long(stop: i32) -> usize {
    stop as usize
}

/// The two stops with the least priced legs.
fn two_smallest(legs: &[i32], price: &[i32]) -> [Option<(usize, i32)>; 2] {
    let mut two: [Option<(usize, i32)>; 2] = [None, None];
    for (stop, (&leg, &price)) in legs.iter().zip(price).enumerate() {
        let sum = leg + price;
        if two[0].is_none_or(|(_, min)| sum < min) {
            two = [Some((stop, sum)), two[0]];
        } else if two[1].is_none_or(|(_, min)| sum < min) {
            two[1] = Some((stop, sum));
        }
    }
    two
}

/// Narrows a number to the range −`max` to `max`.
#[expect(clippy::cast_possible_truncation, reason = "clamped to the range of the narrow type first")]
pub(super) fn clamp(wide: i64, max: i32) -> i32 {
    wide.clamp(-i64::from(max), i64::from(max)) as i32
}

/// The largest price of a stop.
pub(super) const MAX_PRICE: i32 = 1 << LEG_BITS;
