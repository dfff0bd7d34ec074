//! Separation of the cuts that an LP solution violates, and the initial cuts from a tree.

use super::BranchAndCut;
use crate::ascent::priced;
use crate::cycles::CycleSeparator;
use crate::separate::{Cut, MIN_WEIGHT, Set, Support};
use crate::simplex::Entries;
use crate::sort::sort;
use crate::tree::{Legs, Prices, Tree};

/// The maximum number of zero-half cuts per separation.
const MAX_ZERO_HALF_CUTS: usize = 10;

impl BranchAndCut {
    /// Separates the last solution. Returns cuts over nodes and, on asymmetric matrices, zero-half cuts as rows.
    pub(super) fn separate(&mut self) -> (Vec<Cut>, Vec<(Entries, f64)>) {
        let used = self.legs.iter().zip(&self.values).map(|(leg, &value)| (leg.from, leg.to, value));
        let used: Vec<(usize, usize, f64)> = used.filter(|leg| leg.2 > MIN_WEIGHT).collect();
        let support = Support::new(self.count + 1, &used);
        self.work += support.work();
        let mut cuts = support.violated_cuts();
        if self.symmetric {
            // Zero-half cuts need integer rows, and symmetric cuts have coefficients of one half.
            return (cuts, Vec::new());
        }
        cuts.extend(CycleSeparator::separate(self.count + 1, &used, &mut self.work));
        (cuts, self.lp.zero_half_cuts(&self.values, MAX_ZERO_HALF_CUTS))
    }

    /// Adds cuts to the linear program.
    pub(super) fn add_cuts(&mut self, cuts: &[Cut]) {
        for cut in cuts {
            self.work += 2 * self.lp.active.len() as u64 * cut.work();
            let legs = self.lp.active.iter().map(|&index| (index, self.legs[index].from, self.legs[index].to));
            self.lp.add_cut(cut.entries(legs, self.symmetric), cut.rhs());
        }
        self.lp.index();
    }
}

/// Returns the components of a tree below each length of its priced legs, and the longest of these lengths. As cuts of
/// the linear program, they give the bound of the tree.
pub(super) fn tree_components(legs: &Legs, tree: &Tree, prices: &Prices) -> (Vec<(Set, i32)>, i32) {
    let mut edges: Vec<(i32, usize, usize)> = Vec::new();
    for &stop in tree.joined.iter().skip(1) {
        let (parent, downwards) = tree.parent[stop];
        let (from, to) = if downwards { (parent, stop) } else { (stop, parent) };
        edges.push((priced(legs, prices, from, to), from, to));
    }
    sort(&mut edges, |a, b| a < b);
    let mut component: Vec<usize> = (0..legs.count).collect();
    let mut cut_of: Vec<Option<usize>> = vec![None; legs.count];
    let mut sets: Vec<(Set, i32)> = Vec::new();
    for &(length, from, to) in &edges {
        let (one, other) = (component[from], component[to]);
        for merged in [cut_of[one], cut_of[other]].into_iter().flatten() {
            // Until now the price is the length at which the component was created.
            sets[merged].1 -= length;
        }
        component.iter_mut().filter(|label| **label == other).for_each(|label| *label = one);
        cut_of[one] = Some(sets.len());
        sets.push((Set::from_nodes((0..legs.count).filter(|&stop| component[stop] == one)), length));
    }
    sets.pop();
    sets.retain(|&(_, price)| price < 0);
    (sets, edges.last().map_or(0, |edge| edge.0))
}
