//! The initial cuts of the linear program, from a tree.

use crate::ascent::priced;
use crate::separate::Set;
use crate::tree::{Legs, Prices, Tree};

/// Returns the components of a tree below each length of its priced legs, and the longest of these
/// lengths. As cuts of the linear program, they give the bound of the tree.
pub(super) fn tree_components(legs: &Legs, tree: &Tree, prices: &Prices) -> (Vec<(Set, i32)>, i32) {
    let mut edges: Vec<(i32, usize, usize)> = Vec::new();
    for &stop in tree.joined.iter().skip(1) {
        let (parent, downwards) = tree.parent[stop];
        let (from, to) = if downwards {
            (parent, stop)
        } else {
            (stop, parent)
        };
        edges.push((priced(legs, prices, from, to), from, to));
    }
    edges.sort_unstable();
    let mut component: Vec<usize> = (0..legs.count).collect();
    let mut cut_of: Vec<Option<usize>> = vec![None; legs.count];
    let mut sets: Vec<(Set, i32)> = Vec::new();
    for &(length, from, to) in &edges {
        let (one, other) = (component[from], component[to]);
        for merged in [cut_of[one], cut_of[other]].into_iter().flatten() {
            // Until now the price is the length at which the component was created.
            sets[merged].1 -= length;
        }
        component
            .iter_mut()
            .filter(|label| **label == other)
            .for_each(|label| *label = one);
        cut_of[one] = Some(sets.len());
        sets.push((
            Set::from_nodes((0..legs.count).filter(|&stop| component[stop] == one)),
            length,
        ));
    }
    sets.pop();
    sets.retain(|&(_, price)| price < 0);
    (sets, edges.last().map_or(0, |edge| edge.0))
}
