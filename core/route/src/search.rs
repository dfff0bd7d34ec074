//! Local search with perturbation: moves of segments, reversals, neighbour lists, don't-look bits.
//!
//! Or (1976) moves short segments; the move here is the whole family that keeps directions (two neighbouring segments of
//! any length change places, the pure sequential 3-opt move), because it suits one-way streets. Symmetric matrices add
//! reversals (2-opt, and a segment of up to three stops moved and turned). Between descents the tour is kicked by a local
//! double bridge and the kick is undone where it did not pay (Martin, Otto and Felten 1991).

use super::arcs::Arcs;
use crate::sort::sort_smallest;

/// Neighbours tried per stop, each way; more where directions matter.
const NEIGHBOURS: usize = 8;
const ONE_WAY_NEIGHBOURS: usize = 12;
/// Work of one trial of a move.
const TRIAL: u64 = 7;
/// The longest segment that a kick moves.
const KICK: usize = 30;
/// The longest segment that is moved and turned.
const TURNED: usize = 3;

/// A closed tour over the arcs, the origin always at position 0, and the state of the search around it.
pub(super) struct Search<'a> {
    arcs: &'a Arcs,
    out_near: Near,
    in_near: Near,
    pub(super) tour: Vec<usize>,
    place: Vec<usize>,
    /// Its length over the arcs.
    pub(super) cost: i64,
    /// For every position, how much longer the tour up to there is backwards than forwards; empty on symmetric matrices.
    turned: Vec<i64>,
    queue: Vec<usize>,
    queued: Vec<bool>,
    rng: u64,
    /// Work done so far.
    pub(super) work: u64,
}

impl<'a> Search<'a> {
    /// A search that starts from the nearest-neighbour tour.
    pub(super) fn new(arcs: &'a Arcs) -> Search<'a> {
        Search::from(arcs, greedy(arcs))
    }

    /// A search over other arcs and from another tour, the origin first, that counts its work on.
    pub(super) fn again<'b>(&self, arcs: &'b Arcs, tour: Vec<usize>) -> Search<'b> {
        let mut search = Search::from(arcs, tour);
        search.work += self.work;
        search
    }

    fn from(arcs: &'a Arcs, tour: Vec<usize>) -> Search<'a> {
        let size = arcs.size;
        let width = if arcs.symmetric { NEIGHBOURS } else { ONE_WAY_NEIGHBOURS }.min(size - 1);
        let out_near = Near::of(size, width, |i, j| arcs.at(i, j));
        let in_near = Near::of(size, width, |i, j| arcs.at(j, i));
        let mut place = vec![0; size];
        for (position, &node) in tour.iter().enumerate() {
            place[node] = position;
        }
        let cost = arcs.length(&tour);
        let (queue, queued) = ((0..size).rev().collect(), vec![true; size]);
        let rng = 0x9E37_79B9_7F4A_7C15;
        let work = (size * size * 15) as u64;
        let turned = if arcs.symmetric { Vec::new() } else { vec![0; size + 1] };
        let mut search = Search { arcs, out_near, in_near, tour, place, cost, turned, queue, queued, rng, work };
        search.settle(0, size);
        search
    }

    /// Descends, then kicks and descends again so many rounds or until the work is spent; returns the work done.
    pub(super) fn run(&mut self, rounds: u64, work: u64) -> u64 {
        self.descend();
        let size = self.arcs.size;
        if size < 5 {
            return self.work;
        }
        let (mut tour, mut place, mut cost) = (self.tour.clone(), self.place.clone(), self.cost);
        let mut turned = self.turned.clone();
        for _ in 0..rounds {
            if self.work >= work {
                break;
            }
            self.kick();
            self.descend();
            self.work += 100 + size as u64;
            if self.cost <= cost {
                tour.copy_from_slice(&self.tour);
                place.copy_from_slice(&self.place);
                turned.copy_from_slice(&self.turned);
                cost = self.cost;
            } else {
                self.tour.copy_from_slice(&tour);
                self.place.copy_from_slice(&place);
                self.turned.copy_from_slice(&turned);
                self.cost = cost;
            }
        }
        self.work
    }

    /// The best order of the free stops found so far.
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
        self.reverse(node) || self.turn(node) || self.swap_segments(node)
    }

    fn next(&self, node: usize) -> usize {
        let position = self.place[node] + 1;
        self.tour[if position == self.tour.len() { 0 } else { position }]
    }

    fn previous(&self, node: usize) -> usize {
        let position = self.place[node];
        self.tour[if position == 0 { self.tour.len() - 1 } else { position - 1 }]
    }

    /// How many places after `from` a node comes, going round.
    fn after(&self, from: usize, node: usize) -> usize {
        let (base, place) = (self.place[from], self.place[node]);
        if place >= base { place - base } else { place + self.tour.len() - base }
    }

    /// `a1 [a2 … b1] [b2 … c1] c2` becomes `a1 [b2 … c1] [a2 … b1] c2`.
    fn swap_segments(&mut self, a1: usize) -> bool {
        let a2 = self.next(a1);
        let removed = self.arcs.at(a1, a2);
        for i in 0..self.out_near.width {
            let (b2, leg) = self.out_near.get(a1, i);
            let gain = removed - leg;
            self.work += TRIAL;
            if gain <= 0 {
                break;
            }
            let b1 = self.previous(b2);
            let start = self.after(a1, b2);
            let gain = gain + self.arcs.at(b1, b2);
            for j in 0..self.out_near.width {
                let (c2, leg) = self.out_near.get(b1, j);
                let partial = gain - leg;
                self.work += TRIAL;
                if partial <= 0 {
                    break;
                }
                let end = if c2 == a1 { self.tour.len() } else { self.after(a1, c2) };
                if end <= start {
                    continue;
                }
                let c1 = self.previous(c2);
                let total = partial + self.arcs.at(c1, c2) - self.arcs.at(c1, a2);
                if total > 0 && c1 != a1 {
                    self.exchange(a2, b1, c1);
                    self.cost -= i64::from(total);
                    self.wake(&[a1, a2, b1, b2, c1, c2]);
                    return true;
                }
            }
        }
        false
    }

    /// Swaps the segments `a2..=b1` and the one after it up to `c1`, without moving the origin from position 0.
    fn exchange(&mut self, a2: usize, b1: usize, c1: usize) {
        let (p, q, r) = (self.place[a2], self.place[b1] + 1, self.place[c1] + 1);
        // Round the ring, swapping any two of the three neighbouring segments gives the same tour: swap the two that
        // do not hold position 0.
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
        self.settle(low, high);
    }

    fn settle(&mut self, low: usize, high: usize) {
        for position in low..high {
            self.place[self.tour[position]] = position;
        }
        self.work += 3 * (high - low) as u64;
        if !self.arcs.symmetric {
            self.resum(low.max(1), high);
        }
    }

    /// Recomputes how much longer the tour is backwards after positions `low..high` changed.
    fn resum(&mut self, low: usize, high: usize) {
        let size = self.tour.len();
        let was = self.turned[high.min(size - 1)];
        let mut sum = self.turned[low - 1];
        for position in low..=high.min(size - 1) {
            let (from, to) = (self.tour[position - 1], self.tour[position]);
            sum += i64::from(self.arcs.at(to, from)) - i64::from(self.arcs.at(from, to));
            self.turned[position] = sum;
        }
        for sum_behind in self.turned.iter_mut().take(size).skip(high + 1) {
            *sum_behind += sum - was;
        }
        self.work += (size - low) as u64;
    }

    /// How much longer the positions `low..high` are when turned round.
    fn twist(&self, low: usize, high: usize) -> i64 {
        if self.arcs.symmetric { 0 } else { self.turned[high - 1] - self.turned[low] }
    }
}

impl Search<'_> {
    /// 2-opt: two legs are removed and what lies between them is turned.
    fn reverse(&mut self, node: usize) -> bool {
        let (next, previous) = (self.next(node), self.previous(node));
        let removed = self.arcs.at(node, next);
        for i in 0..self.out_near.width {
            let (near, leg) = self.out_near.get(node, i);
            if removed <= leg {
                break;
            }
            if self.try_reverse(node, near) {
                return true;
            }
        }
        let removed = self.arcs.at(previous, node);
        for i in 0..self.in_near.width {
            let (near, leg) = self.in_near.get(node, i);
            if removed <= leg {
                break;
            }
            let before = self.previous(near);
            if self.try_reverse(previous, before) {
                return true;
            }
        }
        false
    }

    /// Turns the part between the legs that leave the two nodes, where that pays.
    fn try_reverse(&mut self, one: usize, other: usize) -> bool {
        self.work += TRIAL;
        let (a, c) = if self.place[one] < self.place[other] { (one, other) } else { (other, one) };
        let (b, d) = (self.next(a), self.next(c));
        let gain = self.arcs.at(a, b) + self.arcs.at(c, d) - self.arcs.at(a, c) - self.arcs.at(b, d);
        let (low, high) = (self.place[a] + 1, self.place[c] + 1);
        let gain = i64::from(gain) - self.twist(low, high);
        if gain <= 0 || a == c {
            return false;
        }
        self.tour[low..high].reverse();
        self.settle(low, high);
        self.cost -= gain;
        self.wake(&[a, b, c, d]);
        true
    }

    /// Moves a segment of up to [`TURNED`] stops that begins or ends at the node elsewhere, turned round.
    fn turn(&mut self, node: usize) -> bool {
        let position = self.place[node];
        for length in 1..=TURNED {
            if position >= 1 && position + length <= self.tour.len() && self.turn_at(position, position + length, true)
            {
                return true;
            }
            if position + 1 > length && self.turn_at(position + 1 - length, position + 1, false) {
                return true;
            }
        }
        false
    }

    /// Moves the segment `low..high`, turned, next to a neighbour of its head (or of its tail).
    fn turn_at(&mut self, low: usize, high: usize, by_head: bool) -> bool {
        let size = self.tour.len();
        let (head, tail) = (self.tour[low], self.tour[high - 1]);
        let (before, behind) = (self.tour[low - 1], self.tour[if high == size { 0 } else { high }]);
        let saved = self.arcs.at(before, head) + self.arcs.at(tail, behind) - self.arcs.at(before, behind);
        let limit = if by_head { self.arcs.at(before, head) } else { self.arcs.at(tail, behind) };
        // Turned, the head is left towards its neighbour and the tail is reached from its own.
        let (near, end) = if by_head { (&self.out_near, head) } else { (&self.in_near, tail) };
        for i in 0..near.width {
            let (other, leg) = near.get(end, i);
            self.work += TRIAL;
            if limit <= leg {
                break;
            }
            let (from, to) = if by_head { (self.previous(other), other) } else { (other, self.next(other)) };
            let inside = |node: usize| (low..high).contains(&self.place[node]);
            if inside(from) || inside(to) {
                continue;
            }
            let gain = saved + self.arcs.at(from, to) - self.arcs.at(from, tail) - self.arcs.at(head, to);
            let gain = i64::from(gain) - self.twist(low, high);
            if gain > 0 {
                self.move_turned(low, high, from);
                self.cost -= gain;
                self.wake(&[before, behind, head, tail, from, to]);
                return true;
            }
        }
        false
    }

    /// Puts the segment `low..high` turned behind the node `from`, which lies outside of it.
    fn move_turned(&mut self, low: usize, high: usize, from: usize) {
        let target = self.place[from];
        self.tour[low..high].reverse();
        if target < low {
            self.tour[target + 1..high].rotate_right(high - low);
            self.settle(target + 1, high);
        } else {
            self.tour[low..=target].rotate_left(high - low);
            self.settle(low, target + 1);
        }
    }

    /// A local double bridge: two neighbouring short segments change places.
    fn kick(&mut self) {
        let size = self.tour.len();
        let longest = KICK.min((size - 1) / 2);
        let (one, other) = (1 + self.roll(longest), 1 + self.roll(longest));
        let low = 1 + self.roll(size - one - other);
        let (middle, high) = (low + one, low + one + other);
        let ends = [low - 1, low, middle - 1, middle, high - 1, if high == size { 0 } else { high }];
        let nodes = ends.map(|position| self.tour[position]);
        let [a1, a2, b1, b2, c1, c2] = nodes;
        let before = self.arcs.at(a1, a2) + self.arcs.at(b1, b2) + self.arcs.at(c1, c2);
        let behind = self.arcs.at(a1, b2) + self.arcs.at(c1, a2) + self.arcs.at(b1, c2);
        self.rotate(low, middle, high);
        self.cost += i64::from(behind) - i64::from(before);
        self.wake(&nodes);
    }

    fn wake(&mut self, nodes: &[usize]) {
        for &node in nodes {
            if !self.queued[node] {
                self.queued[node] = true;
                self.queue.push(node);
            }
        }
    }

    /// A number below `limit` from a fixed sequence (splitmix64): the same on every host.
    fn roll(&mut self, limit: usize) -> usize {
        self.rng = self.rng.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.rng;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let high = (mixed ^ (mixed >> 31)) >> 32;
        usize::try_from((high * limit as u64) >> 32).unwrap_or(0)
    }
}

/// For every node its nearest others with the legs to them, nearest first, in rows of `width`.
struct Near {
    width: usize,
    rows: Vec<(u32, i32)>,
}

impl Near {
    fn of(size: usize, width: usize, leg: impl Fn(usize, usize) -> i32) -> Near {
        let mut rows = Vec::with_capacity(size * width);
        let mut row: Vec<(i32, u32)> = Vec::with_capacity(size);
        for node in 0..size {
            row.clear();
            row.extend((0u32..).zip(0..size).filter(|&(_, i)| i != node).map(|(other, i)| (leg(node, i), other)));
            sort_smallest(&mut row, width, |a, b| a < b);
            rows.extend(row[..width].iter().map(|&(leg, other)| (other, leg)));
        }
        Near { width, rows }
    }

    #[inline]
    fn get(&self, node: usize, rank: usize) -> (usize, i32) {
        let (other, leg) = self.rows[node * self.width + rank];
        (other as usize, leg)
    }
}

/// The nearest-neighbour tour from the origin.
fn greedy(arcs: &Arcs) -> Vec<usize> {
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
