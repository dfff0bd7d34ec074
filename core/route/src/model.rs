//! The problem as the algorithms see it: free stops between an origin that is left once and entered once.
//!
//! A fixed start, an open end, a return and both pins all become the same shape: `out` holds the legs from where the free
//! part begins, `back` the legs to where it ends (zero for an open end). Only the free stops are left to be ordered.

use super::problem::{Pin, Problem, RouteError, UNREACHABLE};

/// The free stops of a problem and the legs around them.
pub(super) struct Model {
    /// Free stops (or groups of co-located ones) to be ordered.
    pub(super) count: usize,
    /// Legs among the free stops, row-major; the diagonal is unreachable.
    pub(super) legs: Vec<u32>,
    /// Legs from the origin to each free stop.
    pub(super) out: Vec<u32>,
    /// Legs from each free stop to the end; all zero where the end is open.
    pub(super) back: Vec<u32>,
    /// The stops of the problem behind each free stop, ascending; several if they are co-located.
    pub(super) members: Vec<Vec<usize>>,
    /// The free stops of the model that this one was merged from, ascending.
    pub(super) places: Vec<Vec<usize>>,
    /// Whether every leg among free stops is as long as its reverse.
    pub(super) symmetric: bool,
    /// Metres of the legs that no order can change.
    pub(super) fixed: u64,
    first: Option<usize>,
    last: Option<usize>,
}

impl Model {
    /// Takes the pins and the start out of a problem.
    pub(super) fn of(problem: &Problem) -> Result<Model, RouteError> {
        let (first, last) = (problem.pinned(Pin::First), problem.pinned(Pin::Last));
        let entry = first.unwrap_or(problem.start);
        let free: Vec<usize> =
            (0..problem.size).filter(|&i| i != problem.start && Some(i) != first && Some(i) != last).collect();
        let mut fixed = 0;
        if let Some(stop) = first {
            fixed += u64::from(problem.leg(problem.start, stop).ok_or(RouteError::Infeasible)?);
        }
        if let (Some(stop), true) = (last, problem.closed) {
            fixed += u64::from(problem.leg(stop, problem.start).ok_or(RouteError::Infeasible)?);
        }
        let exit = last.or(problem.closed.then_some(problem.start));
        let at = |from: usize, to: usize| problem.metres[from * problem.size + to];
        let count = free.len();
        let mut legs = vec![UNREACHABLE; count * count];
        for (i, &from) in free.iter().enumerate() {
            for (j, &to) in free.iter().enumerate().filter(|&(j, _)| j != i) {
                legs[i * count + j] = at(from, to);
            }
        }
        let out = free.iter().map(|&stop| at(entry, stop)).collect();
        let back = free.iter().map(|&stop| exit.map_or(0, |exit| at(stop, exit))).collect();
        let places = (0..count).map(|place| vec![place]).collect();
        let members = free.into_iter().map(|stop| vec![stop]).collect();
        let symmetric = is_symmetric(count, &legs);
        Ok(Model { count, legs, out, back, members, places, symmetric, fixed, first, last })
    }

    /// The order of the problem's stops behind an order of free stops.
    pub(super) fn expand(&self, order: &[usize]) -> Vec<usize> {
        let free = order.iter().flat_map(|&stop| self.members[stop].iter().copied());
        self.first.into_iter().chain(free).chain(self.last.filter(|_| self.last != self.first)).collect()
    }

    /// Metres of an order of free stops with the fixed legs, or none where a road is missing.
    pub(super) fn length(&self, order: &[usize]) -> Option<u64> {
        let (&head, &tail) = (order.first()?, order.last()?);
        let mut total = self.fixed + real(self.out[head])? + real(self.back[tail])?;
        for pair in order.windows(2) {
            total += real(self.legs[pair[0] * self.count + pair[1]])?;
        }
        Some(total)
    }

    /// The largest leg that exists, at least 1.
    pub(super) fn longest(&self) -> u32 {
        let all = self.legs.iter().chain(&self.out).chain(&self.back);
        all.copied().filter(|&metres| metres != UNREACHABLE).max().unwrap_or(0).max(1)
    }

    /// The largest number of metres that every leg is a multiple of, at least 1.
    pub(super) fn grain(&self) -> u64 {
        let mut grain = 0;
        for &metres in self.legs.iter().chain(&self.out).chain(&self.back).filter(|&&metres| metres != UNREACHABLE) {
            let (mut one, mut other) = (grain, metres);
            while other != 0 {
                (one, other) = (other, one % other);
            }
            grain = one;
            if grain == 1 {
                break;
            }
        }
        u64::from(grain.max(1))
    }

    /// The model with co-located stops merged into one, and whether that provably keeps the optimum.
    ///
    /// Two stops merge if all their legs are equal and the distance between them is zero. If no detour over them is
    /// shorter than the direct leg, some best order visits them in a row; rounding to metres can break that.
    pub(super) fn merged(&self) -> (Model, bool) {
        let mut heads: Vec<usize> = Vec::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut places: Vec<Vec<usize>> = Vec::new();
        let mut exact = true;
        for stop in 0..self.count {
            match heads.iter().position(|&head| self.twins(head, stop)) {
                Some(group) => {
                    members[group].extend(&self.members[stop]);
                    places[group].push(stop);
                    exact = exact && self.bypassable(stop);
                }
                None => {
                    heads.push(stop);
                    members.push(self.members[stop].clone());
                    places.push(vec![stop]);
                }
            }
        }
        let count = heads.len();
        let legs = heads.iter().flat_map(|&i| heads.iter().map(move |&j| (i, j)));
        let legs: Vec<u32> = legs.map(|(i, j)| self.legs[i * self.count + j]).collect();
        let symmetric = is_symmetric(count, &legs);
        let out = heads.iter().map(|&i| self.out[i]).collect();
        let back = heads.iter().map(|&i| self.back[i]).collect();
        (Model { count, legs, out, back, members, places, symmetric, ..*self }, exact)
    }

    /// The model with every leg cut to the shortest way over other stops: no order is longer in it, and merging is exact.
    pub(super) fn shortcut(&self) -> Model {
        let count = self.count;
        let (mut legs, mut out, mut back) = (self.legs.clone(), self.out.clone(), self.back.clone());
        for over in 0..count {
            let onward: Vec<u32> = legs[over * count..(over + 1) * count].to_vec();
            for from in (0..count).filter(|&from| from != over) {
                let into = legs[from * count + over];
                if into != UNREACHABLE {
                    for (to, leg) in legs[from * count..(from + 1) * count].iter_mut().enumerate() {
                        if to != from {
                            *leg = (*leg).min(sum(into, onward[to]));
                        }
                    }
                }
            }
        }
        for stop in 0..count {
            for over in (0..count).filter(|&over| over != stop) {
                out[stop] = out[stop].min(sum(self.out[over], legs[over * count + stop]));
                back[stop] = back[stop].min(sum(legs[stop * count + over], self.back[over]));
            }
        }
        let symmetric = is_symmetric(count, &legs);
        let (members, places) = (self.members.clone(), self.places.clone());
        Model { count, legs, out, back, members, places, symmetric, ..*self }
    }

    /// Whether two stops are at no distance and alike in every leg.
    fn twins(&self, one: usize, other: usize) -> bool {
        let leg = |from: usize, to: usize| self.legs[from * self.count + to];
        leg(one, other) == 0
            && leg(other, one) == 0
            && self.out[one] == self.out[other]
            && self.back[one] == self.back[other]
            && (0..self.count)
                .filter(|&i| i != one && i != other)
                .all(|i| leg(one, i) == leg(other, i) && leg(i, one) == leg(i, other))
    }

    /// Whether leaving a stop out never makes a route longer: the triangle inequality through it.
    fn bypassable(&self, stop: usize) -> bool {
        let row = &self.legs[stop * self.count..(stop + 1) * self.count];
        (0..self.count).filter(|&from| from != stop).all(|from| {
            let into = self.legs[from * self.count + stop];
            let direct = &self.legs[from * self.count..(from + 1) * self.count];
            self.out[from] <= sum(self.out[stop], row[from])
                && self.back[from] <= sum(into, self.back[stop])
                && (0..self.count).all(|to| to == from || to == stop || direct[to] <= sum(into, row[to]))
        })
    }
}

/// Two legs in a row: unreachable where one of them is, and only there.
fn sum(a: u32, b: u32) -> u32 {
    if a == UNREACHABLE || b == UNREACHABLE { UNREACHABLE } else { a.saturating_add(b).min(UNREACHABLE - 1) }
}

/// A leg as a length, or `None` if there is no road.
fn real(metres: u32) -> Option<u64> {
    (metres != UNREACHABLE).then_some(u64::from(metres))
}

/// Whether a square matrix equals its transpose.
fn is_symmetric(count: usize, legs: &[u32]) -> bool {
    (0..count).all(|i| (0..i).all(|j| legs[i * count + j] == legs[j * count + i]))
}
