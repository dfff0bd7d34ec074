//! Iterated local search: segment moves, reversals, neighbour lists and don't-look bits.
//!
//! Or (1976) moves short segments. Here two adjacent segments of any length are exchanged: the pure sequential 3-opt
//! move, which preserves directions and therefore suits asymmetric matrices. Reversals (2-opt, and moves of a reversed
//! segment of up to three stops) complete the neighbourhood. Between descents the tour is kicked by a local double
//! bridge, and the kick is undone if it did not help (Martin, Otto and Felten 1991).

use super::arcs::Arcs;
use crate::sort::sort_smallest;

/// The number of neighbours tried per stop in each direction.
const NEIGHBOURS: usize = 8;
/// The same on asymmetric matrices.
const ASYMMETRIC_NEIGHBOURS: usize = 12;
/// The work of evaluating one move.
const MOVE_WORK: u64 = 7;
/// The maximum length of a segment moved by a kick.
const MAX_KICK_SEGMENT: usize = 30;
/// The maximum length of a segment that is moved and reversed.
const MAX_REVERSED: usize = 3;

/// A closed tour over the arcs, with the origin always at position 0, and the state of the search.
pub(super) struct Search<'a> {
    arcs: &'a Arcs,
    out_neighbours: NeighbourLists,
    in_neighbours: NeighbourLists,
    pub(super) tour: Vec<usize>,
    positions: Vec<usize>,
    /// The tour's length over the arcs.
    pub(super) cost: i64,
    /// For every position, the extra length of the tour up to it when reversed; empty on symmetric matrices.
    reversal_costs: Vec<i64>,
    queue: Vec<usize>,
    queued: Vec<bool>,
    rng: u64,
    /// The work done so far.
    pub(super) work: u64,
}

impl<'a> Search<'a> {
    /// Starts from the nearest-neighbour tour.
    pub(super) fn new(arcs: &'a Arcs) -> Search<'a> {
        Search::with_tour(arcs, nearest_neighbour_tour(arcs))
    }

    /// Returns a search over other arcs from another tour, the origin first. Its work continues from this one's.
    pub(super) fn restarted<'b>(&self, arcs: &'b Arcs, tour: Vec<usize>) -> Search<'b> {
        let mut search = Search::with_tour(arcs, tour);
        search.work += self.work;
        search
    }

    fn with_tour(arcs: &'a Arcs, tour: Vec<usize>) -> Search<'a> {
        let size = arcs.size;
        let width = if arcs.symmetric { NEIGHBOURS } else { ASYMMETRIC_NEIGHBOURS }.min(size - 1);
        let out_neighbours = NeighbourLists::new(size, width, |i, j| arcs.at(i, j));
        let in_neighbours = NeighbourLists::new(size, width, |i, j| arcs.at(j, i));
        let mut positions = vec![0; size];
        for (position, &node) in tour.iter().enumerate() {
            positions[node] = position;
        }
        let cost = arcs.length(&tour);
        let (queue, queued) = ((0..size).rev().collect(), vec![true; size]);
        let rng = 0x9E37_79B9_7F4A_7C15;
        let work = (size * size * 15) as u64;
        let reversal_costs = if arcs.symmetric { Vec::new() } else { vec![0; size + 1] };
        let mut search = Search {
            arcs,
            out_neighbours,
            in_neighbours,
            tour,
            positions,
            cost,
            reversal_costs,
            queue,
            queued,
            rng,
            work,
        };
        search.update_positions(0, size);
        search
    }

    /// Descends, then kicks and descends again for `rounds` rounds or until `work` is reached. Returns the work done.
    pub(super) fn run(&mut self, rounds: u64, work: u64) -> u64 {
        self.descend();
        let size = self.arcs.size;
        if size < 5 {
            return self.work;
        }
        let (mut tour, mut positions, mut cost) = (self.tour.clone(), self.positions.clone(), self.cost);
        let mut reversal_costs = self.reversal_costs.clone();
        for _ in 0..rounds {
            if self.work >= work {
                break;
            }
            self.kick();
            self.descend();
            self.work += 100 + size as u64;
            if self.cost <= cost {
                tour.copy_from_slice(&self.tour);
                positions.copy_from_slice(&self.positions);
                reversal_costs.copy_from_slice(&self.reversal_costs);
                cost = self.cost;
            } else {
                self.tour.copy_from_slice(&tour);
                self.positions.copy_from_slice(&positions);
                self.reversal_costs.copy_from_slice(&reversal_costs);
                self.cost = cost;
            }
        }
        self.work
    }

    /// Returns the best order of the free stops found so far.
    pub(super) fn order(&self) -> Vec<usize> {
        self.tour[1..].to_vec()
    }

    /// Improves the tour until no queued node has an improving move.
    fn descend(&mut self) {
        while let Some(node) = self.queue.pop() {
            self.queued[node] = false;
            while self.improve(node) {}
        }
    }

    fn improve(&mut self, node: usize) -> bool {
        self.two_opt(node) || self.or_opt_reversed(node) || self.or_3opt(node)
    }

    fn next(&self, node: usize) -> usize {
        let position = self.positions[node] + 1;
        self.tour[if position == self.tour.len() { 0 } else { position }]
    }

    fn previous(&self, node: usize) -> usize {
        let position = self.positions[node];
        self.tour[if position == 0 { self.tour.len() - 1 } else { position - 1 }]
    }

    /// Returns the number of positions from `from` to `node`, cyclically.
    fn offset(&self, from: usize, node: usize) -> usize {
        let (base, position) = (self.positions[from], self.positions[node]);
        if position >= base { position - base } else { position + self.tour.len() - base }
    }

    /// Tries to change `a1 [a2 … b1] [b2 … c1] c2` into `a1 [b2 … c1] [a2 … b1] c2`.
    fn or_3opt(&mut self, a1: usize) -> bool {
        let a2 = self.next(a1);
        let removed = self.arcs.at(a1, a2);
        for i in 0..self.out_neighbours.width {
            let (b2, leg) = self.out_neighbours.get(a1, i);
            let gain = removed - leg;
            self.work += MOVE_WORK;
            if gain <= 0 {
                break;
            }
            let b1 = self.previous(b2);
            let start = self.offset(a1, b2);
            let gain = gain + self.arcs.at(b1, b2);
            for j in 0..self.out_neighbours.width {
                let (c2, leg) = self.out_neighbours.get(b1, j);
                let partial = gain - leg;
                self.work += MOVE_WORK;
                if partial <= 0 {
                    break;
                }
                let end = if c2 == a1 { self.tour.len() } else { self.offset(a1, c2) };
                if end <= start {
                    continue;
                }
                let c1 = self.previous(c2);
                let total = partial + self.arcs.at(c1, c2) - self.arcs.at(c1, a2);
                if total > 0 && c1 != a1 {
                    self.exchange_segments(a2, b1, c1);
                    self.cost -= i64::from(total);
                    self.enqueue(&[a1, a2, b1, b2, c1, c2]);
                    return true;
                }
            }
        }
        false
    }

    /// Exchanges the segment `a2..=b1` with the one after it, up to `c1`, with the origin kept at position 0.
    fn exchange_segments(&mut self, a2: usize, b1: usize, c1: usize) {
        let (p, q, r) = (self.positions[a2], self.positions[b1] + 1, self.positions[c1] + 1);
        // The three segments form a ring. Exchanging any two adjacent ones gives the same tour, so exchange the two
        // that do not contain position 0.
        let mut cuts = [p, q % self.tour.len(), r % self.tour.len()];
        cuts.sort_unstable();
        let [low, middle, high] = cuts;
        if low == 0 {
            self.rotate(middle, high, self.tour.len());
        } else {
            self.rotate(low, middle, high);
        }
    }

    /// Rotates `low..high` so that `middle` comes first.
    fn rotate(&mut self, low: usize, middle: usize, high: usize) {
        self.tour[low..high].rotate_left(middle - low);
        self.update_positions(low, high);
    }

    fn update_positions(&mut self, low: usize, high: usize) {
        for position in low..high {
            self.positions[self.tour[position]] = position;
        }
        self.work += 3 * (high - low) as u64;
        if !self.arcs.symmetric {
            self.update_reversal_costs(low.max(1), high);
        }
    }

    /// Recomputes the reversal costs after positions `low..high` changed.
    fn update_reversal_costs(&mut self, low: usize, high: usize) {
        let size = self.tour.len();
        let before = self.reversal_costs[high.min(size - 1)];
        let mut sum = self.reversal_costs[low - 1];
        for position in low..=high.min(size - 1) {
            let (from, to) = (self.tour[position - 1], self.tour[position]);
            sum += i64::from(self.arcs.at(to, from)) - i64::from(self.arcs.at(from, to));
            self.reversal_costs[position] = sum;
        }
        for sum_behind in self.reversal_costs.iter_mut().take(size).skip(high + 1) {
            *sum_behind += sum - before;
        }
        self.work += (size - low) as u64;
    }

    /// Returns the extra length of the positions `low..high` when reversed.
    fn reversal_cost(&self, low: usize, high: usize) -> i64 {
        if self.arcs.symmetric { 0 } else { self.reversal_costs[high - 1] - self.reversal_costs[low] }
    }
}

impl Search<'_> {
    /// Tries 2-opt moves: two legs are replaced and the segment between them is reversed.
    fn two_opt(&mut self, node: usize) -> bool {
        let (next, previous) = (self.next(node), self.previous(node));
        let removed = self.arcs.at(node, next);
        for i in 0..self.out_neighbours.width {
            let (near, leg) = self.out_neighbours.get(node, i);
            if removed <= leg {
                break;
            }
            if self.try_two_opt(node, near) {
                return true;
            }
        }
        let removed = self.arcs.at(previous, node);
        for i in 0..self.in_neighbours.width {
            let (near, leg) = self.in_neighbours.get(node, i);
            if removed <= leg {
                break;
            }
            let before = self.previous(near);
            if self.try_two_opt(previous, before) {
                return true;
            }
        }
        false
    }

    /// Reverses the segment between the legs that leave the two nodes, if this shortens the tour.
    fn try_two_opt(&mut self, one: usize, other: usize) -> bool {
        self.work += MOVE_WORK;
        let (a, c) = if self.positions[one] < self.positions[other] { (one, other) } else { (other, one) };
        let (b, d) = (self.next(a), self.next(c));
        let gain = self.arcs.at(a, b) + self.arcs.at(c, d) - self.arcs.at(a, c) - self.arcs.at(b, d);
        let (low, high) = (self.positions[a] + 1, self.positions[c] + 1);
        let gain = i64::from(gain) - self.reversal_cost(low, high);
        if gain <= 0 || a == c {
            return false;
        }
        self.tour[low..high].reverse();
        self.update_positions(low, high);
        self.cost -= gain;
        self.enqueue(&[a, b, c, d]);
        true
    }

    /// Tries to move a segment of up to [`MAX_REVERSED`] stops that begins or ends at the node, reversed.
    fn or_opt_reversed(&mut self, node: usize) -> bool {
        let position = self.positions[node];
        for length in 1..=MAX_REVERSED {
            if position >= 1
                && position + length <= self.tour.len()
                && self.try_or_opt_reversed(position, position + length, true)
            {
                return true;
            }
            if position + 1 > length && self.try_or_opt_reversed(position + 1 - length, position + 1, false) {
                return true;
            }
        }
        false
    }

    /// Tries to move the segment `low..high`, reversed, next to a neighbour of its head or tail.
    fn try_or_opt_reversed(&mut self, low: usize, high: usize, by_head: bool) -> bool {
        let size = self.tour.len();
        let (head, tail) = (self.tour[low], self.tour[high - 1]);
        let (before, behind) = (self.tour[low - 1], self.tour[if high == size { 0 } else { high }]);
        let saved = self.arcs.at(before, head) + self.arcs.at(tail, behind) - self.arcs.at(before, behind);
        let limit = if by_head { self.arcs.at(before, head) } else { self.arcs.at(tail, behind) };
        // Once reversed, the head leads to its neighbour, and the tail is reached from its neighbour.
        let (near, end) = if by_head { (&self.out_neighbours, head) } else { (&self.in_neighbours, tail) };
        for i in 0..near.width {
            let (other, leg) = near.get(end, i);
            self.work += MOVE_WORK;
            if limit <= leg {
                break;
            }
            let (from, to) = if by_head { (self.previous(other), other) } else { (other, self.next(other)) };
            let inside = |node: usize| (low..high).contains(&self.positions[node]);
            if inside(from) || inside(to) {
                continue;
            }
            let gain = saved + self.arcs.at(from, to) - self.arcs.at(from, tail) - self.arcs.at(head, to);
            let gain = i64::from(gain) - self.reversal_cost(low, high);
            if gain > 0 {
                self.move_reversed(low, high, from);
                self.cost -= gain;
                self.enqueue(&[before, behind, head, tail, from, to]);
                return true;
            }
        }
        false
    }

    /// Moves the segment `low..high`, reversed, directly after the node `from`, which lies outside it.
    fn move_reversed(&mut self, low: usize, high: usize, from: usize) {
        let target = self.positions[from];
        self.tour[low..high].reverse();
        if target < low {
            self.tour[target + 1..high].rotate_right(high - low);
            self.update_positions(target + 1, high);
        } else {
            self.tour[low..=target].rotate_left(high - low);
            self.update_positions(low, target + 1);
        }
    }

    /// Applies a local double bridge: two adjacent short segments are exchanged.
    fn kick(&mut self) {
        let size = self.tour.len();
        let longest = MAX_KICK_SEGMENT.min((size - 1) / 2);
        let (one, other) = (1 + self.random_below(longest), 1 + self.random_below(longest));
        let low = 1 + self.random_below(size - one - other);
        let (middle, high) = (low + one, low + one + other);
        let ends = [low - 1, low, middle - 1, middle, high - 1, if high == size { 0 } else { high }];
        let nodes = ends.map(|position| self.tour[position]);
        let [a1, a2, b1, b2, c1, c2] = nodes;
        let before = self.arcs.at(a1, a2) + self.arcs.at(b1, b2) + self.arcs.at(c1, c2);
        let behind = self.arcs.at(a1, b2) + self.arcs.at(c1, a2) + self.arcs.at(b1, c2);
        self.rotate(low, middle, high);
        self.cost += i64::from(behind) - i64::from(before);
        self.enqueue(&nodes);
    }

    fn enqueue(&mut self, nodes: &[usize]) {
        for &node in nodes {
            if !self.queued[node] {
                self.queued[node] = true;
                self.queue.push(node);
            }
        }
    }

    /// Returns a number below `limit` from a deterministic sequence (splitmix64).
    fn random_below(&mut self, limit: usize) -> usize {
        self.rng = self.rng.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.rng;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let high = (mixed ^ (mixed >> 31)) >> 32;
        usize::try_from((high * limit as u64) >> 32).unwrap_or(0)
    }
}

/// Neighbour lists: the nearest nodes of every node and the legs to them, nearest first, in rows of `width`.
struct NeighbourLists {
    width: usize,
    rows: Vec<(u32, i32)>,
}

impl NeighbourLists {
    fn new(size: usize, width: usize, leg: impl Fn(usize, usize) -> i32) -> NeighbourLists {
        let mut rows = Vec::with_capacity(size * width);
        let mut row: Vec<(i32, u32)> = Vec::with_capacity(size);
        for node in 0..size {
            row.clear();
            row.extend((0u32..).zip(0..size).filter(|&(_, i)| i != node).map(|(other, i)| (leg(node, i), other)));
            sort_smallest(&mut row, width, |a, b| a < b);
            rows.extend(row[..width].iter().map(|&(leg, other)| (other, leg)));
        }
        NeighbourLists { width, rows }
    }

    #[inline]
    fn get(&self, node: usize, rank: usize) -> (usize, i32) {
        let (other, leg) = self.rows[node * self.width + rank];
        (other as usize, leg)
    }
}

/// Returns the nearest-neighbour tour from the origin.
fn nearest_neighbour_tour(arcs: &Arcs) -> Vec<usize> {
    let mut left: Vec<usize> = (0..arcs.size - 1).collect();
    let mut at = arcs.size - 1;
    let mut tour = vec![at];
    while !left.is_empty() {
        let mut pick = 0;
        for i in 1..left.len() {
            if arcs.at(at, left[i]) < arcs.at(at, left[pick]) {
                pick = i;
            }
        }
        at = left.swap_remove(pick);
        tour.push(at);
    }
    tour
}
