//! The upward arcs of a contraction hierarchy, which [`crate::contraction`] computes.
//!
//! The graph is edge-based: its nodes are directed edges of the road network, so that every turn
//! counts. They have ranks. Arcs lead to higher ranks only, and replace the trips over lower ranks.
//! A search then only goes upwards, forwards from the start and backwards from the end, until both
//! meet: a few hundred steps instead of millions. (Geisberger, Sanders, Schultes, Delling:
//! Contraction hierarchies, 2008.)

use crate::cost::{Cost, NONE};

/// A trip from the start of one edge to the start of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arc {
    pub(crate) to: u32,
    pub(crate) cost: Cost,
}

/// Upward arcs by the rank of the edge where they begin.
#[derive(Debug, Default)]
pub(crate) struct Arcs {
    pub(crate) starts: Vec<u32>,
    pub(crate) arcs: Vec<PackedArc>,
    /// The costs that do not fit into an arc.
    pub(crate) large: Vec<Cost>,
}

impl Arcs {
    /// Appends the arcs of the next rank.
    pub(crate) fn push(&mut self, arcs: impl Iterator<Item = Arc>) {
        for arc in arcs {
            let packed = PackedArc::small(arc).unwrap_or_else(|| {
                self.large.push(arc.cost);
                PackedArc::large(arc.to, self.large.len() - 1)
            });
            self.arcs.push(packed);
        }
        self.starts
            .push(u32::try_from(self.arcs.len()).unwrap_or(NONE));
    }

    /// Returns the arcs that begin at a rank.
    pub(crate) fn of(&self, rank: u32) -> impl Iterator<Item = Arc> + Clone + '_ {
        let ends = self
            .starts
            .get(rank as usize)
            .zip(self.starts.get(rank as usize + 1));
        let arcs = ends
            .and_then(|(from, to)| self.arcs.get(*from as usize..*to as usize))
            .unwrap_or_default();
        arcs.iter().map(|arc| Arc {
            to: arc.to,
            cost: arc.cost(&self.large),
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.arcs[..]) + size_of_val(&self.large[..])
    }
}

/// An arc whose cost has 64 bits: 24 for the weight (4.6 hours), 24 for the distance (167 km), and
/// 16 for the difference between weight and duration (65 s). Nearly all costs fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackedArc {
    pub(crate) to: u32,
    /// The weight, and the low byte of the difference.
    pub(crate) first: u32,
    /// The distance, and the high byte of the difference.
    pub(crate) second: u32,
}

impl PackedArc {
    const LOW: u32 = (1 << 24) - 1;
    /// The difference that marks a large cost. Its index replaces the weight and the distance.
    const LARGE: u32 = u16::MAX as u32;

    fn small(arc: Arc) -> Option<PackedArc> {
        let Arc {
            to,
            cost: Cost { weight, ms, cm },
        } = arc;
        let extra = weight
            .checked_sub(ms)
            .filter(|extra| *extra < Self::LARGE)?;
        let fits = weight <= Self::LOW && cm <= Self::LOW;
        fits.then_some(PackedArc {
            to,
            first: weight | extra << 24,
            second: cm | (extra >> 8) << 24,
        })
    }

    fn large(to: u32, index: usize) -> PackedArc {
        let index = u32::try_from(index).unwrap_or(NONE);
        let marked = |part: u32| part | !Self::LOW;
        PackedArc {
            to,
            first: marked(index & Self::LOW),
            second: marked(index >> 24),
        }
    }

    /// Returns the index of a large cost.
    pub(crate) fn large_index(self) -> Option<usize> {
        let is_large = self.first >> 24 == 0xff && self.second >> 24 == 0xff;
        is_large.then_some(((self.first & Self::LOW) | self.second << 24) as usize)
    }

    fn cost(self, large: &[Cost]) -> Cost {
        if let Some(index) = self.large_index() {
            return large.get(index).copied().unwrap_or_default();
        }
        let (weight, extra) = (
            self.first & Self::LOW,
            (self.first >> 24) | (self.second >> 24) << 8,
        );
        Cost {
            weight,
            ms: weight.saturating_sub(extra),
            cm: self.second & Self::LOW,
        }
    }
}

/// The upward arcs of forward and backward searches.
#[derive(Debug, Default)]
pub(crate) struct Hierarchy {
    /// The rank of each edge.
    pub(crate) ranks: Vec<u32>,
    pub(crate) forward: Arcs,
    pub(crate) backward: Arcs,
}

impl Hierarchy {
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.ranks[..]) + self.forward.bytes() + self.backward.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_arcs_keep_all_costs() {
        let (max, extra) = (PackedArc::LOW, PackedArc::LARGE);
        let cost = |weight, ms, cm| Cost { weight, ms, cm };
        let small = [
            cost(0, 0, 0),
            cost(max, max, max),
            cost(max, max + 1 - extra, 5),
            cost(700, 444, 1),
        ];
        let large = [
            cost(max, max - extra, 5),
            cost(max + 1, max + 1, 0),
            cost(1, 1, max + 1),
            cost(5, 6, 7),
        ];
        let arcs = |costs: &[Cost]| {
            (3u32..)
                .zip(costs)
                .map(|(to, cost)| Arc { to, cost: *cost })
                .collect::<Vec<_>>()
        };
        let lists = [
            arcs(&small),
            arcs(&large),
            Vec::new(),
            arcs(&[small, large].concat()),
        ];
        let mut all = Arcs {
            starts: vec![0],
            ..Arcs::default()
        };
        lists.iter().for_each(|list| all.push(list.iter().copied()));
        for (rank, list) in (0u32..).zip(&lists) {
            assert_eq!(all.of(rank).collect::<Vec<_>>(), *list, "{rank}");
        }
        assert_eq!(all.large, [large, large].concat());
        assert_eq!(all.of(4).count(), 0, "there is no such rank");
    }
}
