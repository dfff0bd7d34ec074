//! The model that the algorithms solve: free stops, and an origin that is left once and entered
//! once.
//!
//! A fixed start, an open end, a return and both pins are all reduced to this model. `out` holds
//! the legs from the start of the free part, `back` the legs to its end (zero if the end is open).
//! Only the free stops remain to be ordered.

use super::problem::{Pin, Problem, RouteError, UNREACHABLE};

/// The free stops of a problem and the legs between them.
pub(super) struct Model {
    /// The number of free stops, or groups of co-located stops.
    pub(super) count: usize,
    /// Legs between free stops, row-major. The diagonal is unreachable.
    pub(super) legs: Vec<u32>,
    /// Legs from the origin to each free stop.
    pub(super) out: Vec<u32>,
    /// Legs from each free stop to the end; zero if the end is open.
    pub(super) back: Vec<u32>,
    /// The problem's stops that each free stop represents, ascending. A group of co-located stops
    /// has several.
    pub(super) members: Vec<Vec<usize>>,
    /// The free stops of the unmerged model that each one was merged from, ascending.
    pub(super) merged_from: Vec<Vec<usize>>,
    /// Whether every leg between free stops equals its reverse.
    pub(super) symmetric: bool,
    /// The length in metres of the legs that every order contains.
    pub(super) fixed: u64,
    first: Option<usize>,
    last: Option<usize>,
}

impl Model {
    /// Builds the model of a problem.
    pub(super) fn new(problem: &Problem) -> Result<Model, RouteError> {
        let (first, last) = (problem.pinned(Pin::First), problem.pinned(Pin::Last));
        let entry = first.unwrap_or(problem.start);
        let free: Vec<usize> = (0..problem.size)
            .filter(|&i| i != problem.start && Some(i) != first && Some(i) != last)
            .collect();
        let mut fixed = 0;
        if let Some(stop) = first {
            fixed += u64::from(
                problem
                    .leg(problem.start, stop)
                    .ok_or(RouteError::Infeasible)?,
            );
        }
        if let (Some(stop), true) = (last, problem.closed) {
            fixed += u64::from(
                problem
                    .leg(stop, problem.start)
                    .ok_or(RouteError::Infeasible)?,
            );
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
        let back = free
            .iter()
            .map(|&stop| exit.map_or(0, |exit| at(stop, exit)))
            .collect();
        let merged_from = (0..count).map(|stop| vec![stop]).collect();
        let members = free.into_iter().map(|stop| vec![stop]).collect();
        let symmetric = is_symmetric(count, &legs);
        Ok(Model {
            count,
            legs,
            out,
            back,
            members,
            merged_from,
            symmetric,
            fixed,
            first,
            last,
        })
    }

    /// Converts an order of free stops to an order of the problem's stops.
    pub(super) fn expand(&self, order: &[usize]) -> Vec<usize> {
        let free = order
            .iter()
            .flat_map(|&stop| self.members[stop].iter().copied());
        self.first
            .into_iter()
            .chain(free)
            .chain(self.last.filter(|_| self.last != self.first))
            .collect()
    }

    /// Returns the length of an order of free stops in metres, with the fixed legs, or `None` if a
    /// road is missing.
    pub(super) fn length(&self, order: &[usize]) -> Option<u64> {
        let (&head, &tail) = (order.first()?, order.last()?);
        let mut total = self.fixed + existing(self.out[head])? + existing(self.back[tail])?;
        for pair in order.windows(2) {
            total += existing(self.legs[pair[0] * self.count + pair[1]])?;
        }
        Some(total)
    }

    /// Returns the longest existing leg, at least 1.
    pub(super) fn longest(&self) -> u32 {
        let all = self.legs.iter().chain(&self.out).chain(&self.back);
        all.copied()
            .filter(|&metres| metres != UNREACHABLE)
            .max()
            .unwrap_or(0)
            .max(1)
    }

    /// Returns the greatest common divisor of all legs, at least 1.
    pub(super) fn gcd(&self) -> u64 {
        let mut divisor = 0;
        for &metres in self
            .legs
            .iter()
            .chain(&self.out)
            .chain(&self.back)
            .filter(|&&metres| metres != UNREACHABLE)
        {
            let (mut one, mut other) = (divisor, metres);
            while other != 0 {
                (one, other) = (other, one % other);
            }
            divisor = one;
            if divisor == 1 {
                break;
            }
        }
        u64::from(divisor.max(1))
    }

    /// Merges co-located stops. Also returns whether this provably preserves the optimum.
    ///
    /// Two stops are merged if the distance between them is zero and all their other legs are
    /// equal. If no detour through them is shorter than the direct leg, some optimum visits them
    /// consecutively. Rounding to metres can violate this.
    pub(super) fn merged(&self) -> (Model, bool) {
        let mut heads: Vec<usize> = Vec::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut merged_from: Vec<Vec<usize>> = Vec::new();
        let mut exact = true;
        for stop in 0..self.count {
            match heads
                .iter()
                .position(|&head| self.is_co_located(head, stop))
            {
                Some(group) => {
                    members[group].extend(&self.members[stop]);
                    merged_from[group].push(stop);
                    exact = exact && self.is_bypassable(stop);
                }
                None => {
                    heads.push(stop);
                    members.push(self.members[stop].clone());
                    merged_from.push(vec![stop]);
                }
            }
        }
        let count = heads.len();
        let legs = heads
            .iter()
            .flat_map(|&i| heads.iter().map(move |&j| (i, j)));
        let legs: Vec<u32> = legs.map(|(i, j)| self.legs[i * self.count + j]).collect();
        let symmetric = is_symmetric(count, &legs);
        let out = heads.iter().map(|&i| self.out[i]).collect();
        let back = heads.iter().map(|&i| self.back[i]).collect();
        (
            Model {
                count,
                legs,
                out,
                back,
                members,
                merged_from,
                symmetric,
                ..*self
            },
            exact,
        )
    }

    /// Returns the metric closure: every leg becomes the shortest path. No order is longer in it,
    /// and merging is exact.
    pub(super) fn metric_closure(&self) -> Model {
        let count = self.count;
        let (mut legs, mut out, mut back) =
            (self.legs.clone(), self.out.clone(), self.back.clone());
        for over in 0..count {
            let onward: Vec<u32> = legs[over * count..(over + 1) * count].to_vec();
            for from in (0..count).filter(|&from| from != over) {
                let into = legs[from * count + over];
                if into != UNREACHABLE {
                    for (to, leg) in legs[from * count..(from + 1) * count]
                        .iter_mut()
                        .enumerate()
                    {
                        if to != from {
                            *leg = (*leg).min(add_legs(into, onward[to]));
                        }
                    }
                }
            }
        }
        for stop in 0..count {
            for over in (0..count).filter(|&over| over != stop) {
                out[stop] = out[stop].min(add_legs(self.out[over], legs[over * count + stop]));
                back[stop] = back[stop].min(add_legs(legs[stop * count + over], self.back[over]));
            }
        }
        let symmetric = is_symmetric(count, &legs);
        let (members, merged_from) = (self.members.clone(), self.merged_from.clone());
        Model {
            count,
            legs,
            out,
            back,
            members,
            merged_from,
            symmetric,
            ..*self
        }
    }

    /// Returns whether two stops have zero distance and equal legs.
    fn is_co_located(&self, one: usize, other: usize) -> bool {
        let leg = |from: usize, to: usize| self.legs[from * self.count + to];
        leg(one, other) == 0
            && leg(other, one) == 0
            && self.out[one] == self.out[other]
            && self.back[one] == self.back[other]
            && (0..self.count)
                .filter(|&i| i != one && i != other)
                .all(|i| leg(one, i) == leg(other, i) && leg(i, one) == leg(i, other))
    }

    /// Returns whether omitting a stop never lengthens a route: the triangle inequality through it.
    fn is_bypassable(&self, stop: usize) -> bool {
        let row = &self.legs[stop * self.count..(stop + 1) * self.count];
        (0..self.count).filter(|&from| from != stop).all(|from| {
            let into = self.legs[from * self.count + stop];
            let direct = &self.legs[from * self.count..(from + 1) * self.count];
            self.out[from] <= add_legs(self.out[stop], row[from])
                && self.back[from] <= add_legs(into, self.back[stop])
                && (0..self.count)
                    .all(|to| to == from || to == stop || direct[to] <= add_legs(into, row[to]))
        })
    }
}

/// Adds two legs. The sum is unreachable only if one of them is.
fn add_legs(a: u32, b: u32) -> u32 {
    if a == UNREACHABLE || b == UNREACHABLE {
        UNREACHABLE
    } else {
        a.saturating_add(b).min(UNREACHABLE - 1)
    }
}

/// Returns the length of a leg, or `None` if there is no road.
fn existing(metres: u32) -> Option<u64> {
    (metres != UNREACHABLE).then_some(u64::from(metres))
}

/// Returns whether a square matrix equals its transpose.
fn is_symmetric(count: usize, legs: &[u32]) -> bool {
    (0..count).all(|i| (0..i).all(|j| legs[i * count + j] == legs[j * count + i]))
}
