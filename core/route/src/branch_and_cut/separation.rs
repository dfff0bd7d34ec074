//! Separation of the cuts that an LP solution violates.

use super::BranchAndCut;
use crate::cycles::CycleSeparator;
use crate::separate::{Cut, MIN_WEIGHT, Support};
use crate::simplex::Entries;

/// The maximum number of zero-half cuts per separation.
const MAX_ZERO_HALF_CUTS: usize = 10;

impl BranchAndCut {
    /// Separates the last solution. Returns cuts over nodes and, on asymmetric matrices, zero-half
    /// cuts as rows.
    pub(super) fn separate(&mut self) -> (Vec<Cut>, Vec<(Entries, f64)>) {
        let used = self
            .legs
            .iter()
            .zip(&self.values)
            .map(|(leg, &value)| (leg.from, leg.to, value));
        let used: Vec<(usize, usize, f64)> = used.filter(|leg| leg.2 > MIN_WEIGHT).collect();
        let support = Support::new(self.count + 1, &used);
        self.work += support.work();
        let mut cuts = support.violated_cuts();
        if self.symmetric {
            // Zero-half cuts need integer rows, and symmetric cuts have coefficients of one half.
            return (cuts, Vec::new());
        }
        cuts.extend(CycleSeparator::separate(
            self.count + 1,
            &used,
            &mut self.work,
        ));
        (
            cuts,
            self.lp.zero_half_cuts(&self.values, MAX_ZERO_HALF_CUTS),
        )
    }

    /// Adds cuts to the linear program.
    pub(super) fn add_cuts(&mut self, cuts: &[Cut]) {
        for cut in cuts {
            self.work += 2 * self.lp.active.len() as u64 * cut.work();
            let legs = self
                .lp
                .active
                .iter()
                .map(|&index| (index, self.legs[index].from, self.legs[index].to));
            self.lp
                .add_cut(cut.entries(legs, self.symmetric), cut.rhs());
        }
        self.lp.index();
    }
}
