//! Orders read off a solution: the one that it is, and one along the legs that it uses the most.

use super::{Leg, Planes, WHOLE, by_score};
use crate::separate::{MIN_WEIGHT, Set};
use crate::sort::sort;

impl Planes {
    /// The order that the solution is, where every leg is used whole or not at all.
    pub(super) fn order(&self) -> Option<Vec<usize>> {
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); self.count + 1];
        let mut head = None;
        for (leg, &value) in self.legs.iter().zip(&self.values) {
            if value > WHOLE && value < 1.0 - WHOLE {
                return None;
            }
            if value >= 1.0 - WHOLE {
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
        let (mut order, mut seen) = (Vec::new(), Set::of([self.count]));
        let mut next = head;
        while let Some(at) = next {
            order.push(at);
            seen.put(at);
            next = near[at].iter().copied().find(|&other| !seen.holds(other));
        }
        (order.len() == self.count).then_some(order)
    }

    /// A tour along the legs that the best solution of the whole uses the most, the origin first: close to a short one, for the
    /// search to continue from.
    pub(crate) fn guess(&self) -> Vec<usize> {
        let size = self.count + 1;
        let used = self.guide.iter().enumerate().filter(|&(_, &value)| value > MIN_WEIGHT);
        let mut ranked: Vec<(f64, usize)> = used.map(|(index, &value)| (-value, index)).collect();
        sort(&mut ranked, by_score);
        let (mut after, mut entered) = (vec![size; size], vec![false; size]);
        let mut part: Vec<usize> = (0..size).collect();
        for (_, index) in ranked {
            let Leg { from, to } = self.legs[index];
            let (one, other) = (part[from], part[to]);
            if after[from] == size && !entered[to] && one != other {
                (after[from], entered[to]) = (to, true);
                part.iter_mut().filter(|part| **part == other).for_each(|part| *part = one);
            }
        }
        // What hangs together follows each other by index; the search joins it better.
        let mut tour = Vec::with_capacity(size);
        for head in (0..size).filter(|&place| !entered[place]) {
            let mut at = head;
            while at < size {
                tour.push(at);
                at = after[at];
            }
        }
        let origin = tour.iter().position(|&place| place == self.count).unwrap_or(0);
        tour.rotate_left(origin);
        tour
    }
}
