//! The limits that a solution breaks, and how they join the program.

use super::Planes;
use crate::cycles::Directed;
use crate::separate::{Cut, MIN_WEIGHT, Support};
use crate::simplex::Entries;

/// The most limits found at once by halves of others.
const HALVES: usize = 10;

impl Planes {
    /// Cuts that the last solution violates: as sets of places and, if directions matter, as entries.
    pub(super) fn broken(&mut self) -> (Vec<Cut>, Vec<(Entries, f64)>) {
        let used = self.legs.iter().zip(&self.values).map(|(leg, &value)| (leg.from, leg.to, value));
        let used: Vec<(usize, usize, f64)> = used.filter(|leg| leg.2 > MIN_WEIGHT).collect();
        let support = Support::of(self.count + 1, &used);
        self.work += support.work();
        let mut cuts = support.broken();
        if self.symmetric {
            // Limits count by halves already.
            return (cuts, Vec::new());
        }
        cuts.extend(Directed::broken(self.count + 1, &used, &mut self.work));
        (cuts, self.lp.halves(&self.values, HALVES))
    }

    /// Adds limits to the program.
    pub(super) fn add(&mut self, cuts: &[Cut]) {
        for cut in cuts {
            self.work += 2 * self.lp.active.len() as u64 * cut.work();
            let legs = self.lp.active.iter().map(|&index| (index, self.legs[index].from, self.legs[index].to));
            self.lp.add(cut.entries(legs, self.symmetric), cut.limit());
        }
        self.lp.index();
    }
}
