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

/// The legs of a model in fractions of a metre, as a branch sees them: forbidden and forced ones are marked in the value.
#[derive(Clone)]
pub(super) struct Legs {
    pub(super) count: usize,
    pub(super) symmetric: bool,
    /// Row-major legs.
    pub(super) ahead: Vec<i32>,
    /// The transpose, kept on one-way matrices alone.
    pub(super) behind: Vec<i32>,
    pub(super) out: Vec<i32>,
    pub(super) back: Vec<i32>,
    /// How many legs are forced.
    pub(super) forced: i64,
}

/// How metres become the integers of the relaxation: rounded down where legs are too long, so that it stays a bound.
#[derive(Clone, Copy)]
pub(super) struct Scale(i32);

/// The prices: what leaving and entering each stop costs. Symmetric models use `leave` alone, for both.
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
    /// Room for the growing, kept between trees.
    left: Vec<Reach>,
}

impl Scale {
    pub(super) fn of(model: &Model) -> Scale {
        let bits = i32::try_from(u32::BITS - model.longest().leading_zeros()).unwrap_or(32);
        Scale((LEG_BITS - bits).min(FINEST))
    }

    /// A leg in scaled units, rounded down.
    fn leg(self, metres: u32) -> i32 {
        let scaled = if self.0 >= 0 { i64::from(metres) << self.0 } else { i64::from(metres) >> -self.0 };
        if metres == UNREACHABLE { FORBIDDEN } else { clamp(scaled, FORBIDDEN) }
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
        let count = model.count;
        let ahead: Vec<i32> = model.legs.iter().map(|&metres| scale.leg(metres)).collect();
        let behind = match model.symmetric {
            true => Vec::new(),
            false => (0..count * count).map(|at| ahead[at % count * count + at / count]).collect(),
        };
        let out: Vec<i32> = model.out.iter().map(|&metres| scale.leg(metres)).collect();
        let back: Vec<i32> = model.back.iter().map(|&metres| scale.leg(metres)).collect();
        Legs { count, symmetric: model.symmetric, ahead, behind, out, back, forced: 0 }
    }

    /// Grows the cheapest tree at these prices; the work is about half the square of the count.
    pub(super) fn grow(&self, prices: &Prices, tree: &mut Tree) {
        tree.clear(self.count, self.symmetric);
        if self.symmetric {
            self.grow_symmetric(&prices.leave, tree);
        } else {
            self.grow_directed(prices, tree);
        }
        self.attach(prices, tree);
        let leave: i64 = prices.leave.iter().map(|&price| i64::from(price)).sum();
        let enter: i64 = prices.enter.iter().map(|&price| i64::from(price)).sum();
        tree.value -= if self.symmetric { 2 * leave } else { leave + enter };
        tree.value += self.forced * i64::from(FORCE);
    }

    /// Prim's algorithm over the stops that are left, one price a stop.
    fn grow_symmetric(&self, price: &[i32], tree: &mut Tree) {
        let count = self.count;
        let mut left = std::mem::take(&mut tree.left);
        left.extend((1..count).map(|stop| Reach { enter: price[stop], ..Reach::far(stop) }));
        let mut at = 0;
        while !left.is_empty() {
            let row = &self.ahead[at * count..(at + 1) * count];
            let (mut pick, mut least) = (0, i32::MAX);
            let base = price[at];
            for (i, reach) in left.iter_mut().enumerate() {
                let key = row[reach.stop as usize] + reach.enter + base;
                let nearer = key < reach.key;
                reach.key = if nearer { key } else { reach.key };
                reach.from = if nearer { short(at) } else { reach.from };
                let nearest = reach.key < least;
                least = if nearest { reach.key } else { least };
                pick = if nearest { i } else { pick };
            }
            let reach = left.swap_remove(pick);
            let (from, stop) = (reach.from as usize, reach.stop as usize);
            tree.broken |= self.ahead[from * count + stop] >= FORBIDDEN;
            tree.value += i64::from(reach.key);
            tree.leaves[from] += 1;
            tree.leaves[stop] += 1;
            tree.parent[stop] = (from, true);
            tree.joined.push(stop);
            at = stop;
        }
        tree.left = left;
    }

    /// The same on a one-way matrix: each edge in its cheaper direction.
    fn grow_directed(&self, prices: &Prices, tree: &mut Tree) {
        let count = self.count;
        let mut left = std::mem::take(&mut tree.left);
        let reach = |stop: usize| Reach { enter: prices.enter[stop], leave: prices.leave[stop], ..Reach::far(stop) };
        left.extend((1..count).map(reach));
        let mut at = 0;
        while !left.is_empty() {
            let ahead = &self.ahead[at * count..(at + 1) * count];
            let behind = &self.behind[at * count..(at + 1) * count];
            let (leave, enter) = (prices.leave[at], prices.enter[at]);
            let (mut pick, mut least) = (0, i32::MAX);
            for (i, reach) in left.iter_mut().enumerate() {
                let down = ahead[reach.stop as usize] + leave + reach.enter;
                let up = behind[reach.stop as usize] + enter + reach.leave;
                let key = down.min(up);
                let nearer = key < reach.key;
                reach.key = if nearer { key } else { reach.key };
                reach.from = if nearer { short(at) } else { reach.from };
                let nearest = reach.key < least;
                least = if nearest { reach.key } else { least };
                pick = if nearest { i } else { pick };
            }
            let reach = left.swap_remove(pick);
            let (from, stop) = (reach.from as usize, reach.stop as usize);
            let ahead = self.ahead[from * count + stop];
            let down = reach.key == ahead + prices.leave[from] + reach.enter;
            let (from, to) = if down { (from, stop) } else { (stop, from) };
            tree.broken |= self.ahead[from * count + to] >= FORBIDDEN;
            tree.value += i64::from(reach.key);
            tree.leaves[from] += 1;
            tree.enters[to] += 1;
            tree.parent[stop] = (reach.from as usize, down);
            tree.joined.push(stop);
            at = stop;
        }
        tree.left = left;
    }

    /// The cheapest leg from the origin and the cheapest one back, at different stops where there are two.
    fn attach(&self, prices: &Prices, tree: &mut Tree) {
        let enter = if self.symmetric { &prices.leave } else { &prices.enter };
        let heads = two_least(&self.out, enter);
        let tails = two_least(&self.back, &prices.leave);
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
            left: Vec::with_capacity(count),
        }
    }

    /// A tree of the first stop alone.
    fn clear(&mut self, count: usize, symmetric: bool) {
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
        self.left.clear();
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
        let squares = |all: &[i32]| all.iter().map(|&g| i64::from(g) * i64::from(g)).sum::<i64>();
        squares(&self.leaves) + if symmetric { 0 } else { squares(&self.enters) }
    }

    /// The order that the tree is where nothing is violated.
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

/// A stop outside of the tree, its prices and the cheapest way to join it.
#[derive(Clone, Copy)]
struct Reach {
    key: i32,
    stop: u32,
    from: u32,
    enter: i32,
    leave: i32,
}

impl Reach {
    fn far(stop: usize) -> Reach {
        Reach { key: i32::MAX, stop: short(stop), from: 0, enter: 0, leave: 0 }
    }
}

/// An index of a stop, of which there are a few hundred at most.
#[expect(clippy::cast_possible_truncation, reason = "stops are limited to MAX_STOPS")]
fn short(stop: usize) -> u32 {
    stop as u32
}

/// The two stops with the least priced legs.
fn two_least(legs: &[i32], price: &[i32]) -> [Option<(usize, i32)>; 2] {
    let mut two: [Option<(usize, i32)>; 2] = [None, None];
    for (stop, (&leg, &price)) in legs.iter().zip(price).enumerate() {
        let sum = leg + price;
        if two[0].is_none_or(|(_, least)| sum < least) {
            two = [Some((stop, sum)), two[0]];
        } else if two[1].is_none_or(|(_, least)| sum < least) {
            two[1] = Some((stop, sum));
        }
    }
    two
}

/// A wide number narrowed to plus or minus `most`.
#[expect(clippy::cast_possible_truncation, reason = "clamped to the range of the narrow type first")]
pub(super) fn clamp(wide: i64, most: i32) -> i32 {
    wide.clamp(-i64::from(most), i64::from(most)) as i32
}

/// The largest price of a stop.
pub(super) const PRICE_MOST: i32 = 1 << LEG_BITS;
