//! Moves on symmetric matrices: sequential exchanges of two and three legs (Lin 1965).

use super::Search;

impl Search {
    /// Tries to replace the leg from `t1` to the next node in the given direction, and one or two
    /// others.
    ///
    /// The removed legs are `t1 t2`, `t3 t4` and `t5 t6`, the new ones `t2 t3`, `t4 t5` and
    /// `t6 t1`. The sum of the removed legs is always greater than that of the new ones.
    pub(super) fn three_opt(&mut self, t1: usize, forward: bool) -> bool {
        let t2 = self.after(t1, forward);
        let (removed, behind) = (self.arcs.at(t1, t2), self.after(t2, forward));
        for rank in 0..self.out_neighbours.width {
            let Some((t3, gain)) = self.shorter_leg(t2, rank, removed) else {
                break;
            };
            if t3 != behind
                && (self.remove_leg_to([t1, t2, t3], gain, forward)
                    || self.remove_leg_from([t1, t2, t3], gain, forward))
            {
                return true;
            }
        }
        false
    }

    /// Tries the moves that remove the leg to `t3`. The two new legs then give a tour with the path
    /// from `t2` reversed.
    fn remove_leg_to(&mut self, [t1, t2, t3]: [usize; 3], gain: i32, forward: bool) -> bool {
        let t4 = self.before(t3, forward);
        let gain = gain + self.arcs.at(t4, t3);
        let total = gain - self.arcs.at(t1, t4);
        if total > 0 {
            return self.apply(total, forward, &[(t2, t4)], &[t1, t2, t3, t4]);
        }
        let (end, before) = (self.distance(t2, t4, forward), self.before(t4, forward));
        for rank in 0..self.out_neighbours.width {
            let Some((t5, gain)) = self.shorter_leg(t4, rank, gain) else {
                break;
            };
            if t5 == t1 || t5 == t3 || t5 == before {
                continue;
            }
            let is_reversed = self.distance(t2, t5, forward) <= end;
            let t6 = if is_reversed {
                self.after(t5, forward)
            } else {
                self.before(t5, forward)
            };
            let total = gain + self.arcs.at(t5, t6) - self.arcs.at(t1, t6);
            if total > 0 {
                return self.apply(
                    total,
                    forward,
                    &[(t2, t4), (t4, t6)],
                    &[t1, t2, t3, t4, t5, t6],
                );
            }
        }
        false
    }

    /// Tries the moves that remove the leg from `t3`. They need a third leg, between `t2` and `t3`,
    /// and exchange both segments. Moves that reverse each of them instead did not give shorter
    /// orders in the same time.
    fn remove_leg_from(&mut self, [t1, t2, t3]: [usize; 3], gain: i32, forward: bool) -> bool {
        let t4 = self.after(t3, forward);
        let gain = gain + self.arcs.at(t3, t4);
        let end = self.distance(t2, t3, forward);
        for rank in 0..self.out_neighbours.width {
            let Some((t5, gain)) = self.shorter_leg(t4, rank, gain) else {
                break;
            };
            if self.distance(t2, t5, forward) >= end {
                continue;
            }
            let t6 = self.after(t5, forward);
            let total = gain + self.arcs.at(t5, t6) - self.arcs.at(t1, t6);
            if total > 0 {
                let paths = [(t2, t3), (t3, t6), (t5, t2)];
                return self.apply(total, forward, &paths, &[t1, t2, t3, t4, t5, t6]);
            }
        }
        false
    }

    /// Reverses paths of the tour one after the other, each given in the direction in which the
    /// tour leads from `t1` then.
    fn apply(
        &mut self,
        gain: i32,
        mut forward: bool,
        paths: &[(usize, usize)],
        ends: &[usize],
    ) -> bool {
        for &(from, to) in paths {
            let (from, to) = if forward { (from, to) } else { (to, from) };
            let (low, high) = (self.positions[from], self.positions[to]);
            if low <= high {
                self.reverse(low, high + 1);
            } else {
                // The path contains the start and the end. Reversing the others gives the same tour
                // in the opposite direction.
                self.reverse(high + 1, low);
                forward = !forward;
            }
        }
        self.cost -= i64::from(gain);
        self.enqueue(ends);
        true
    }

    /// Returns the next node in the given direction.
    #[inline]
    fn after(&self, node: usize, forward: bool) -> usize {
        if forward {
            self.next(node)
        } else {
            self.previous(node)
        }
    }

    /// Returns the previous node in the given direction.
    #[inline]
    fn before(&self, node: usize, forward: bool) -> usize {
        if forward {
            self.previous(node)
        } else {
            self.next(node)
        }
    }

    /// Returns the number of steps from `from` to `node` in the given direction.
    #[inline]
    fn distance(&self, from: usize, node: usize, forward: bool) -> usize {
        if forward {
            self.offset(from, node)
        } else {
            self.offset(node, from)
        }
    }
}
