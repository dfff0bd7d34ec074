//! Finds broken cycles: limits that know the directions of one-way legs.
//!
//! A route uses at most k - 1 legs of a cycle of k places, also if further legs are counted that exclude them (the lifted
//! cycles D⁺ and D⁻ of Grötschel and Padberg 1985). Broken ones are found by trying the few legs in use (Fischetti and Toth
//! 1997).

use super::separate::Cut;
use crate::sort::sort;

/// The longest cycle that is tried.
const LONGEST: usize = 8;
/// What falls short of a limit by less than this does not count.
const VIOLATED: f64 = 0.02;
/// The most limits found at once.
const MAX_CUTS: usize = 8;

/// How far a cycle is above its limit, its places and how many, and whether every leg is turned round.
type Found = (f64, [usize; LONGEST], usize, bool);

/// The legs that a solution uses, with their directions.
pub(super) struct Directed {
    places: usize,
    weights: Vec<f64>,
    /// Where each place is entered from.
    sources: Vec<Vec<usize>>,
    /// Places on the way that is tried.
    taken: Vec<bool>,
    found: Vec<Found>,
    /// Work done so far.
    pub(super) work: u64,
}

impl Directed {
    /// Limits that the legs break, the most broken first.
    pub(super) fn broken(places: usize, legs: &[(usize, usize, f64)], work: &mut u64) -> Vec<Cut> {
        let mut found = Vec::new();
        for backward in [false, true] {
            let mut directed = Directed {
                places,
                weights: vec![0.0; places * places],
                sources: vec![Vec::new(); places],
                taken: vec![false; places],
                found,
                work: 0,
            };
            for &(from, to, weight) in legs {
                let (from, to) = if backward { (to, from) } else { (from, to) };
                directed.weights[from * places + to] = weight;
                directed.sources[to].push(from);
            }
            for first in 0..places {
                directed.taken[first] = true;
                directed.extend(&mut [first; LONGEST], 1, 0.0, backward);
                directed.taken[first] = false;
            }
            *work += directed.work + (places * places) as u64;
            found = directed.found;
        }
        sort(&mut found, |a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))).is_lt());
        let mut chosen: Vec<(&[usize], bool)> = Vec::new();
        for (_, cycle, length, backward) in &found {
            let cycle = &cycle[..*length];
            if chosen.len() < MAX_CUTS && !chosen.iter().any(|other| alike(cycle, other.0)) {
                chosen.push((cycle, *backward));
            }
        }
        chosen.into_iter().map(|(cycle, backward)| Cut::Cycle(cycle.to_vec(), backward)).collect()
    }

    fn at(&self, from: usize, to: usize) -> f64 {
        self.weights[from * self.places + to]
    }

    /// Tries every place that leads to the last one of so many: as the end of the cycle, and as one more on the way.
    fn extend(&mut self, way: &mut [usize; LONGEST], length: usize, held: f64, backward: bool) {
        let (first, last) = (way[0], way[length - 1]);
        for at in 0..self.sources[last].len() {
            let next = self.sources[last][at];
            if self.taken[next] {
                continue;
            }
            self.work += 16;
            let (step, back) = (held + self.at(next, last) - 1.0, self.at(first, next));
            way[length] = next;
            if length > 1 && step + back > VIOLATED {
                let mut cycle = [0; LONGEST];
                cycle[..=length].copy_from_slice(&way[..=length]);
                self.found.push((step + back, cycle, length + 1, backward));
            }
            // The end of a cycle adds one at most. A cycle of all places would be a route.
            if length + 1 < LONGEST.min(self.places - 1) {
                let between: f64 = way[1..length].iter().map(|&place| self.at(place, next)).sum();
                let step = step + 2.0 * back + between;
                if step > VIOLATED - 1.0 {
                    self.taken[next] = true;
                    self.extend(way, length + 1, step, backward);
                    self.taken[next] = false;
                }
            }
        }
    }
}

/// Whether two cycles share more than three in four places of the shorter one, so that their cuts are nearly equal.
fn alike(one: &[usize], other: &[usize]) -> bool {
    let shared = one.iter().filter(|place| other.contains(place)).count();
    shared * 4 > one.len().min(other.len()) * 3
}
