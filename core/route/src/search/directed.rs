//! Moves on asymmetric matrices.
//!
//! Or (1976) moves short segments. Here two adjacent segments of any length are exchanged: the pure
//! sequential 3-opt move, which preserves directions. Reversals of a segment (2-opt) complete the
//! neighbourhood.

use super::{MOVE_WORK, Search};

impl Search {
    /// Tries to change `a1 [a2 … b1] [b2 … c1] c2` into `a1 [b2 … c1] [a2 … b1] c2`.
    pub(super) fn or_3opt(&mut self, a1: usize) -> bool {
        let a2 = self.next(a1);
        let removed = self.arcs.at(a1, a2);
        for rank in 0..self.out_neighbours.width {
            let Some((b2, gain)) = self.shorter_leg(a1, rank, removed) else {
                break;
            };
            let b1 = self.previous(b2);
            let start = self.offset(a1, b2);
            let gain = gain + self.arcs.at(b1, b2);
            for rank in 0..self.out_neighbours.width {
                let Some((c2, gain)) = self.shorter_leg(b1, rank, gain) else {
                    break;
                };
                let end = if c2 == a1 {
                    self.tour.len()
                } else {
                    self.offset(a1, c2)
                };
                if end <= start {
                    continue;
                }
                let c1 = self.previous(c2);
                let total = gain + self.arcs.at(c1, c2) - self.arcs.at(c1, a2);
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

    /// Exchanges the segment `a2..=b1` with the one after it, up to `c1`.
    fn exchange_segments(&mut self, a2: usize, b1: usize, c1: usize) {
        // The three segments form a ring. Exchanging any two adjacent ones gives the same tour, so
        // exchange the two that contain neither the start nor the end.
        let mut cuts = [
            self.positions[a2],
            self.positions[b1] + 1,
            self.positions[c1] + 1,
        ];
        cuts.sort_unstable();
        let [low, middle, high] = cuts;
        self.tour[low..high].rotate_left(middle - low);
        self.update_positions(low, high);
    }

    /// Recomputes the reversal costs after positions `low..high` changed.
    pub(super) fn update_reversal_costs(&mut self, low: usize, high: usize) {
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
        self.reversal_costs[high - 1] - self.reversal_costs[low]
    }

    /// Tries 2-opt moves: two legs are replaced and the segment between them is reversed.
    pub(super) fn two_opt(&mut self, node: usize) -> bool {
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
        let (a, c) = if self.positions[one] < self.positions[other] {
            (one, other)
        } else {
            (other, one)
        };
        let (b, d) = (self.next(a), self.next(c));
        let gain =
            self.arcs.at(a, b) + self.arcs.at(c, d) - self.arcs.at(a, c) - self.arcs.at(b, d);
        let (low, high) = (self.positions[a] + 1, self.positions[c] + 1);
        let gain = i64::from(gain) - self.reversal_cost(low, high);
        if gain <= 0 || a == c {
            return false;
        }
        self.reverse(low, high);
        self.cost -= gain;
        self.enqueue(&[a, b, c, d]);
        true
    }
}
