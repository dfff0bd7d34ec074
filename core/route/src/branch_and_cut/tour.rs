//! Orders derived from an LP solution: the order of an integral solution, and a greedy tour of a
//! fractional one.

use super::{BranchAndCut, INTEGRALITY, Leg, by_score};
use crate::separate::{MIN_WEIGHT, Set};

impl BranchAndCut {
    /// Returns the order if the solution is an integral route.
    pub(super) fn order(&self) -> Option<Vec<usize>> {
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); self.count + 1];
        let mut head = None;
        for (leg, &value) in self.legs.iter().zip(&self.values) {
            if value > INTEGRALITY && value < 1.0 - INTEGRALITY {
                return None;
            }
            if value >= 1.0 - INTEGRALITY {
                match leg.from {
                    origin if origin == self.count => head = Some(leg.to),
                    from => {
                        near[from].push(leg.to);
                        if self.symmetric && leg.to != self.count {
                            near[leg.to].push(from);
                        }
                    }
                }
            }
        }
        let (mut order, mut seen) = (Vec::new(), Set::from_nodes([self.count]));
        let mut next = head;
        while let Some(at) = next {
            order.push(at);
            seen.insert(at);
            next = near[at]
                .iter()
                .copied()
                .find(|&other| !seen.contains(other));
        }
        (order.len() == self.count).then_some(order)
    }

    /// Returns a greedy order along the legs with the highest values in the root solution. It is
    /// close to a short order, so the search can continue from it.
    pub(crate) fn greedy_order(&self) -> Vec<usize> {
        let size = self.count + 1;
        let used = self
            .root_values
            .iter()
            .enumerate()
            .filter(|&(_, &value)| value > MIN_WEIGHT);
        let mut ranked: Vec<(f64, usize)> = used.map(|(index, &value)| (-value, index)).collect();
        ranked.sort_unstable_by(by_score);
        let (mut after, mut entered) = (vec![size; size], vec![false; size]);
        let mut part: Vec<usize> = (0..size).collect();
        for (_, index) in ranked {
            let Leg { from, to } = self.legs[index];
            let (one, other) = (part[from], part[to]);
            if after[from] == size && !entered[to] && one != other {
                (after[from], entered[to]) = (to, true);
                part.iter_mut()
                    .filter(|part| **part == other)
                    .for_each(|part| *part = one);
            }
        }
        // Fragments are concatenated by index; the search joins them better.
        let mut tour = Vec::with_capacity(size);
        for head in (0..size).filter(|&node| !entered[node]) {
            let mut at = head;
            while at < size {
                tour.push(at);
                at = after[at];
            }
        }
        let origin = tour
            .iter()
            .position(|&node| node == self.count)
            .unwrap_or(0);
        tour.rotate_left(origin);
        tour.split_off(1)
    }
}
