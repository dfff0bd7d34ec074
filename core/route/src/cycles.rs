//! Finds broken cycles: limits that know the directions of one-way legs.
//!
//! A cycle of k places uses at most k - 1 of its legs, also where legs count that no route uses beside them (the lifted
//! cycles D⁺ and D⁻ of Grötschel and Padberg 1985). Broken ones are found by trying the few legs in use (Fischetti and Toth
//! 1997).

use super::separate::Cut;
use crate::sort::sort;

/// The longest cycle that is tried.
const LONGEST: usize = 8;
/// What falls short of a limit by less than this does not count.
const VIOLATED: f64 = 0.02;
/// The most limits found at once.
const MOST: usize = 8;

/// The legs that a solution uses, with their directions.
pub(super) struct Directed {
    places: usize,
    weights: Vec<f64>,
    /// Where each place is entered from.
    sources: Vec<Vec<usize>>,
    found: Vec<(f64, Cut)>,
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
                found,
                work: 0,
            };
            for &(from, to, weight) in legs {
                let (from, to) = if backward { (to, from) } else { (from, to) };
                directed.weights[from * places + to] = weight;
                directed.sources[to].push(from);
            }
            for first in 0..places {
                directed.extend(&mut vec![first], 0.0, backward);
            }
            *work += directed.work + (places * places) as u64;
            found = directed.found;
        }
        sort(&mut found, |a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)).is_lt());
        found.dedup_by(|a, b| a.1 == b.1);
        let mut chosen: Vec<Cut> = Vec::new();
        for (_, cut) in found {
            if chosen.len() < MOST && !chosen.iter().any(|other| alike(&cut, other)) {
                chosen.push(cut);
            }
        }
        chosen
    }

    fn at(&self, from: usize, to: usize) -> f64 {
        self.weights[from * self.places + to]
    }

    /// Tries every place that leads to the last one of a sequence: as the end of the cycle, and as one more on the way.
    fn extend(&mut self, sequence: &mut Vec<usize>, held: f64, backward: bool) {
        let (first, last) = (sequence[0], sequence[sequence.len() - 1]);
        for at in 0..self.sources[last].len() {
            let next = self.sources[last][at];
            if sequence.contains(&next) {
                continue;
            }
            self.work += 8;
            let step = held + self.at(next, last) - 1.0;
            if sequence.len() > 1 && step + self.at(first, next) > VIOLATED {
                let mut cycle = sequence.clone();
                cycle.push(next);
                self.found.push((step + self.at(first, next), Cut::Cycle(cycle, backward)));
            }
            let between: f64 = sequence[1..].iter().map(|&place| self.at(place, next)).sum();
            let step = step + 2.0 * self.at(first, next) + between;
            // The end of a cycle adds one at most. A cycle of all places would be a route.
            if sequence.len() + 1 < LONGEST.min(self.places - 1) && step > VIOLATED - 1.0 {
                sequence.push(next);
                self.extend(sequence, step, backward);
                sequence.pop();
            }
        }
    }
}

/// Whether two cycles share more than three in four places of the shorter one: both say nearly the same.
fn alike(one: &Cut, other: &Cut) -> bool {
    let (Cut::Cycle(one, _), Cut::Cycle(other, _)) = (one, other) else { return false };
    let shared = one.iter().filter(|place| other.contains(place)).count();
    shared * 4 > one.len().min(other.len()) * 3
}
