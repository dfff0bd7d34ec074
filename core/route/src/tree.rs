//! The relaxation of the lower bound: a minimum spanning tree with one leg from the origin and one
//! back.
//!
//! Every order is a path over the free stops plus one leg from the origin and one back. Relaxing
//! the constraint that each stop is entered and left once, with dual prices for its violation,
//! gives a spanning tree plus two legs: the 1-tree of Held and Karp (1970, 1971). On asymmetric
//! matrices, leaving and entering have separate prices, and an edge of the tree takes the cheaper
//! direction. At the best prices this equals the subtour bound.

use super::model::Model;
use super::problem::UNREACHABLE;

/// The cost of a forbidden leg. It is far above any priced leg, so a minimum tree uses it only if
/// it must.
pub(super) const FORBIDDEN: i32 = 1 << 29;
/// The cost reduction of a forced leg.
pub(super) const FORCE: i32 = 1 << 29;
/// The number of bits of the largest scaled leg and of the largest price. Three of them and `FORCE`
/// fit an `i32`.
const LEG_BITS: i32 = 26;
/// The maximum number of fractional bits of scaled metres.
const MAX_FRACTION_BITS: i32 = 10;
/// Rows are padded to a multiple of this for vector instructions.
const LANES: usize = 4;
/// The price of a joined stop: higher than that of any other stop with a forbidden leg, and still
/// within an `i32`.
const JOINED: i32 = (1 << 30) + (1 << 28);

/// The scaled legs of a model in a branch-and-bound node. Their values mark forbidden and forced
/// legs.
#[derive(Clone)]
pub(super) struct Legs {
    pub(super) count: usize,
    pub(super) symmetric: bool,
    /// The length of a row: `count` padded with forbidden legs.
    pub(super) width: usize,
    /// The legs, row-major.
    pub(super) forward: Vec<i32>,
    /// The transpose; empty on symmetric models.
    pub(super) backward: Vec<i32>,
    /// The legs from the origin.
    pub(super) out: Vec<i32>,
    /// The legs to the end.
    pub(super) back: Vec<i32>,
    /// The number of forced legs.
    pub(super) forced: i64,
}

/// The scale from metres to the integers of the relaxation. Long legs are rounded down, so the
/// result is still a lower bound.
#[derive(Clone, Copy)]
pub(super) struct Scale(i32);

/// The dual prices of leaving and entering each stop. Symmetric models use only `leave`, for both.
pub(super) struct Prices {
    pub(super) leave: Vec<i32>,
    pub(super) enter: Vec<i32>,
}

/// A minimum 1-tree, and its distance from a path.
#[derive(Clone)]
pub(super) struct Tree {
    /// The scaled bound; meaningless if `disconnected`.
    pub(super) value: i64,
    /// Whether only forbidden legs connect the stops, so no order exists.
    pub(super) disconnected: bool,
    /// Each stop's parent, and whether the leg leads from the parent to the stop.
    pub(super) parent: Vec<(usize, bool)>,
    /// The stops in the order in which they joined the tree. The first has no parent.
    pub(super) joined: Vec<usize>,
    /// The stop to which the origin leads.
    pub(super) head: usize,
    /// The stop that leads back.
    pub(super) tail: usize,
    /// The number of legs leaving each stop minus one; on symmetric models, its degree minus two.
    pub(super) leave_excess: Vec<i32>,
    /// The number of legs entering each stop minus one.
    pub(super) enter_excess: Vec<i32>,
    pub(super) prim: PrimState,
    /// The stops adjacent to the tree, if it grows over neighbour lists.
    pub(super) frontier: Vec<usize>,
}

/// The state of Prim's algorithm, in rows as wide as those of the legs.
#[derive(Clone, Default)]
pub(super) struct PrimState {
    /// The cost of each stop's cheapest edge to the tree.
    pub(super) key: Vec<i32>,
    /// The tree's stop at the other end of this edge.
    pub(super) parent: Vec<i32>,
    /// The prices, or [`JOINED`] if the stop has joined the tree.
    enter: Vec<i32>,
    leave: Vec<i32>,
}

impl Scale {
    pub(super) fn new(model: &Model) -> Scale {
        let bits = i32::try_from(u32::BITS - model.longest().leading_zeros()).unwrap_or(32);
        Scale((LEG_BITS - bits).min(MAX_FRACTION_BITS))
    }

    /// Scales a leg, rounded down.
    fn leg(self, metres: u32) -> i32 {
        if metres == UNREACHABLE {
            FORBIDDEN
        } else {
            clamp(self.units(i64::from(metres)), FORBIDDEN)
        }
    }

    /// Scales metres, rounded down.
    pub(super) fn units(self, metres: i64) -> i64 {
        if self.0 >= 0 {
            metres << self.0
        } else {
            metres >> -self.0
        }
    }

    /// Returns the minimum whole metres that a scaled bound proves.
    pub(super) fn metres(self, value: i64) -> u64 {
        let metres = match self.0 {
            shift if shift >= 0 => (value.max(0) + (1 << shift) - 1) >> shift,
            shift => value.max(0) << -shift,
        };
        metres.unsigned_abs()
    }

    /// Returns the cutoff for orders shorter than `metres`: no scaled bound up to it excludes them.
    pub(super) fn cutoff_below(self, metres: u64) -> i64 {
        let metres = i64::try_from(metres)
            .unwrap_or(i64::MAX >> 20)
            .min(i64::MAX >> 20)
            - 1;
        if self.0 >= 0 {
            metres << self.0
        } else {
            metres >> -self.0
        }
    }
}

impl Legs {
    pub(super) fn new(model: &Model, scale: Scale) -> Legs {
        let (count, width) = (model.count, model.count.next_multiple_of(LANES));
        let mut forward = vec![FORBIDDEN; count * width];
        let mut backward = if model.symmetric {
            Vec::new()
        } else {
            forward.clone()
        };
        for from in 0..count {
            for to in 0..count {
                let leg = scale.leg(model.legs[from * count + to]);
                forward[from * width + to] = leg;
                if !model.symmetric {
                    backward[to * width + from] = leg;
                }
            }
        }
        let out: Vec<i32> = model.out.iter().map(|&metres| scale.leg(metres)).collect();
        let back: Vec<i32> = model.back.iter().map(|&metres| scale.leg(metres)).collect();
        Legs {
            count,
            symmetric: model.symmetric,
            width,
            forward,
            backward,
            out,
            back,
            forced: 0,
        }
    }

    /// Returns a leg between free stops.
    #[inline]
    pub(super) fn at(&self, from: usize, to: usize) -> i32 {
        self.forward[from * self.width + to]
    }

    /// Grows a spanning tree over all legs.
    pub(super) fn span_all(&self, prices: &Prices, tree: &mut Tree) {
        if self.symmetric {
            self.span::<false>(prices, tree)
        } else {
            self.span::<true>(prices, tree)
        }
    }

    /// Attaches the origin and adds the prices and forced legs to the tree's value.
    pub(super) fn complete(&self, prices: &Prices, tree: &mut Tree) {
        self.attach_origin(prices, tree);
        let leave: i64 = prices.leave.iter().map(|&price| i64::from(price)).sum();
        let enter: i64 = prices.enter.iter().map(|&price| i64::from(price)).sum();
        tree.value -= if self.symmetric {
            2 * leave
        } else {
            leave + enter
        };
        tree.value += self.forced * i64::from(FORCE);
    }

    /// Grows the tree from the first stop. On asymmetric matrices, each edge takes its cheaper
    /// direction.
    fn span<const ASYMMETRIC: bool>(&self, prices: &Prices, tree: &mut Tree) {
        let enter = prices.enter(self.symmetric);
        let mut at = 0;
        for _ in 1..self.count {
            let stop =
                self.update_keys::<ASYMMETRIC>(at, prices.leave[at], enter[at], &mut tree.prim);
            tree.add_stop(self, prices, stop);
            tree.prim.join(stop);
            at = stop;
        }
    }

    /// Updates every stop's key with its edge to a newly joined stop. Returns the stop nearest to
    /// the tree.
    ///
    /// A proof spends nearly all its time here. The loops have no branches and are vectorized.
    fn update_keys<const ASYMMETRIC: bool>(
        &self,
        at: usize,
        leave: i32,
        enter: i32,
        prim: &mut PrimState,
    ) -> usize {
        let width = self.width;
        let row = at * width..(at + 1) * width;
        let forward = &self.forward[row.clone()];
        let backward = if ASYMMETRIC {
            &self.backward[row]
        } else {
            forward
        };
        let (leaves, enters) = (&prim.leave[..width], &prim.enter[..width]);
        let (keys, parents) = (&mut prim.key[..width], &mut prim.parent[..width]);
        let parent = to_i32(at);
        let mut min = i32::MAX;
        for i in 0..width {
            let leaving = forward[i] + enters[i] + leave;
            let edge = if ASYMMETRIC {
                leaving.min(backward[i] + leaves[i] + enter)
            } else {
                leaving
            };
            let nearer = all_ones(edge < keys[i]);
            parents[i] = parent & nearer | parents[i] & !nearer;
            keys[i] = edge & nearer | keys[i] & !nearer;
            min = min.min(keys[i]);
        }
        let (mut pick, mut index) = (i32::MAX, 0);
        for &key in &*keys {
            pick = pick.min(index | all_ones(key != min) & i32::MAX);
            index += 1;
        }
        to_usize(pick)
    }

    /// Adds the cheapest leg from the origin and the cheapest leg back, at different stops if there
    /// are two.
    fn attach_origin(&self, prices: &Prices, tree: &mut Tree) {
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
        tree.disconnected |= self.out[tree.head] >= FORBIDDEN || self.back[tree.tail] >= FORBIDDEN;
        tree.value += best;
        tree.leave_excess[tree.tail] += 1;
        if self.symmetric {
            tree.leave_excess[tree.head] += 1;
        } else {
            tree.enter_excess[tree.head] += 1;
        }
    }
}

impl Clone for Prices {
    fn clone(&self) -> Prices {
        Prices {
            leave: self.leave.clone(),
            enter: self.enter.clone(),
        }
    }

    fn clone_from(&mut self, other: &Prices) {
        self.leave.clone_from(&other.leave);
        self.enter.clone_from(&other.enter);
    }
}

impl Prices {
    pub(super) fn zero(count: usize) -> Prices {
        Prices {
            leave: vec![0; count],
            enter: vec![0; count],
        }
    }

    /// Returns the prices of entering.
    #[inline]
    pub(super) fn enter(&self, symmetric: bool) -> &[i32] {
        if symmetric { &self.leave } else { &self.enter }
    }
}

impl PrimState {
    /// Resets the state for an empty tree.
    pub(super) fn clear(&mut self, width: usize, leave: &[i32], enter: &[i32]) {
        for (row, prices) in [(&mut self.leave, leave), (&mut self.enter, enter)] {
            row.clear();
            row.extend_from_slice(prices);
            row.resize(width, JOINED);
        }
        self.key.clear();
        self.key.resize(width, i32::MAX);
        self.parent.resize(width, 0);
    }

    /// Marks a stop as joined.
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
            disconnected: false,
            parent: Vec::with_capacity(count),
            joined: Vec::with_capacity(count),
            head: 0,
            tail: 0,
            leave_excess: Vec::with_capacity(count),
            enter_excess: Vec::with_capacity(count),
            prim: PrimState::default(),
            frontier: Vec::with_capacity(count),
        }
    }

    /// Resets the tree to its first stop.
    pub(super) fn clear(&mut self, legs: &Legs, prices: &Prices) {
        let (count, symmetric) = (legs.count, legs.symmetric);
        self.value = 0;
        self.disconnected = false;
        self.parent.clear();
        self.parent.resize(count, (0, true));
        self.joined.clear();
        self.joined.push(0);
        self.leave_excess.clear();
        self.leave_excess
            .resize(count, if symmetric { -2 } else { -1 });
        self.enter_excess.clear();
        self.enter_excess.resize(count, -1);
        self.prim
            .clear(legs.width, &prices.leave, prices.enter(symmetric));
        self.prim.join(0);
    }

    /// Joins a stop to its nearest stop of the tree. An edge takes its cheaper direction.
    pub(super) fn add_stop(&mut self, legs: &Legs, prices: &Prices, stop: usize) {
        let (key, parent) = (self.prim.key[stop], to_usize(self.prim.parent[stop]));
        let downwards = legs.symmetric
            || key == legs.at(parent, stop) + prices.leave[parent] + prices.enter[stop];
        let (from, to) = if downwards {
            (parent, stop)
        } else {
            (stop, parent)
        };
        self.disconnected |= legs.at(from, to) >= FORBIDDEN;
        self.value += i64::from(key);
        self.leave_excess[from] += 1;
        if legs.symmetric {
            self.leave_excess[to] += 1;
        } else {
            self.enter_excess[to] += 1;
        }
        self.parent[stop] = (parent, downwards);
        self.joined.push(stop);
    }

    /// Copies another tree without its working state.
    pub(super) fn copy(&mut self, other: &Tree) {
        (self.value, self.disconnected) = (other.value, other.disconnected);
        (self.head, self.tail) = (other.head, other.tail);
        self.parent.clone_from(&other.parent);
        self.joined.clone_from(&other.joined);
        self.leave_excess.clone_from(&other.leave_excess);
        self.enter_excess.clone_from(&other.enter_excess);
    }

    /// Returns the tree's distance from a path: the sum of the squared degree violations.
    pub(super) fn violation(&self, symmetric: bool) -> i64 {
        // The tree has at most `MAX_STOPS` + 1 legs, so the sum of squares fits an `i32`.
        let squares = |all: &[i32]| all.iter().map(|&g| g * g).sum::<i32>();
        i64::from(
            squares(&self.leave_excess)
                + if symmetric {
                    0
                } else {
                    squares(&self.enter_excess)
                },
        )
    }

    /// Returns the tree as an order; valid only if it is a path.
    pub(super) fn order(&self, symmetric: bool) -> Vec<usize> {
        let count = self.parent.len();
        let mut links: Vec<Vec<usize>> = vec![Vec::new(); count];
        for &stop in self.joined.iter().skip(1) {
            let (from, downwards) = self.parent[stop];
            match (symmetric, downwards) {
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

/// Returns all bits set if the condition holds, otherwise zero: a branch-free select.
#[inline]
fn all_ones(condition: bool) -> i32 {
    -i32::from(condition)
}

/// Converts a stop's index to the width of the vectorized rows.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "stops are limited to MAX_STOPS"
)]
pub(super) fn to_i32(stop: usize) -> i32 {
    stop as i32
}

/// Converts back to an index.
#[expect(clippy::cast_sign_loss, reason = "an index is never negative")]
fn to_usize(stop: i32) -> usize {
    stop as usize
}

/// Returns the two stops with the cheapest priced legs.
fn two_smallest(legs: &[i32], price: &[i32]) -> [Option<(usize, i32)>; 2] {
    let mut smallest: [Option<(usize, i32)>; 2] = [None, None];
    for (stop, (&leg, &price)) in legs.iter().zip(price).enumerate() {
        let sum = leg + price;
        if smallest[0].is_none_or(|(_, min)| sum < min) {
            smallest = [Some((stop, sum)), smallest[0]];
        } else if smallest[1].is_none_or(|(_, min)| sum < min) {
            smallest[1] = Some((stop, sum));
        }
    }
    smallest
}

/// Clamps a number to the range −`max` to `max`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "clamped to the range of the narrow type first"
)]
pub(super) fn clamp(wide: i64, max: i32) -> i32 {
    wide.clamp(-i64::from(max), i64::from(max)) as i32
}

/// The maximum absolute price of a stop.
pub(super) const MAX_PRICE: i32 = 1 << LEG_BITS;
