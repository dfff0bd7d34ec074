//! The costs of the fastest trips from many points to many others.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::select_unpredictable;

use crate::cost::{Cost, NONE, whole_number};
use crate::hierarchy::Arcs;
use crate::network::Roads;
use crate::snap::SnappedPoint;
use crate::sparse::SparseTable;
use crate::trip::same_edge_cost;

/// The limit of a search until trips are known: 10 minutes, and 4 m/s along the diameter of the
/// points. Nearly all trips are faster.
const LIMIT_MS: f64 = 600_000.0;
const LIMIT_MS_PER_M: f64 = 250.0;

/// Returns the cost of the fastest trip from each start to each end, row by row, or `None` if there
/// is no trip. Each place is a start and an end, and has a group: no road connects places of
/// different groups.
///
/// The searches from all starts, forwards, and from all ends, backwards, go upwards together, in
/// the order of ranks. So each arc is read once for all searches, and the trips between near points
/// are known before the searches reach the ranks that connect distant regions. A search ends where
/// its cost is that of its longest trip, and until that is known, at a limit for the diameter of
/// the points. If a trip is not below the limit, all searches are repeated without it.
pub(crate) fn costs(
    roads: &Roads,
    starts: &[&[SnappedPoint]],
    ends: &[Vec<SnappedPoint>],
    groups: &[u32],
    diameter_m: f64,
) -> Vec<Option<Cost>> {
    let mut sweep = Sweep::run(roads, starts, ends, groups, limit(diameter_m));
    if !sweep.is_complete() {
        sweep = Sweep::run(roads, starts, ends, groups, u64::MAX);
    }
    sweep
        .best
        .into_iter()
        .map(|label| (label != Label::UNKNOWN).then(|| label.cost()))
        .collect()
}

/// Returns the key of the limit.
fn limit(diameter_m: f64) -> u64 {
    let weight = whole_number(LIMIT_MS + diameter_m * LIMIT_MS_PER_M);
    Label::new(Cost {
        weight,
        ms: 0,
        cm: 0,
    })
    .key
}

/// A cost with its weight and its distance in one number, in which labels are compared and added.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Label {
    key: u64,
    ms: u32,
}

impl Label {
    const ZERO: Label = Label { key: 0, ms: 0 };
    const UNKNOWN: Label = Label {
        key: u64::MAX,
        ms: u32::MAX,
    };

    fn new(cost: Cost) -> Label {
        Label {
            key: u64::from(cost.weight) << 32 | u64::from(cost.cm),
            ms: cost.ms,
        }
    }

    fn plus(self, other: Label) -> Label {
        Label {
            key: self.key.saturating_add(other.key),
            ms: self.ms.saturating_add(other.ms),
        }
    }

    fn cost(self) -> Cost {
        let part =
            |shift: u32| u32::try_from(self.key >> shift & u64::from(u32::MAX)).unwrap_or(NONE);
        Cost {
            weight: part(32),
            ms: self.ms,
            cm: part(0),
        }
    }
}

/// Searches are numbered: those from the starts, then those from the ends.
struct Sweep<'a> {
    roads: &'a Roads,
    /// The number of starts.
    starts: usize,
    /// The group of each place. Between different groups there are no trips.
    groups: &'a [u32],
    /// The row of each reached rank. Row 0 is not used.
    rows: SparseTable<u32>,
    /// The label of each search at the rank of each row.
    labels: Vec<Label>,
    /// The rows of finished ranks, for other ranks.
    free: Vec<u32>,
    /// The reached ranks. Arcs lead to higher ranks, so the labels of the lowest one are final.
    queue: BinaryHeap<Reverse<u32>>,
    /// The trips found so far, by start and end.
    best: Vec<Label>,
    /// The key from which the label of each search cannot lead to a better trip: that of its
    /// longest trip, at most the limit.
    bounds: Vec<u64>,
    limit: u64,
}

/// The searches in one direction that reached a rank, with their labels.
#[derive(Default)]
struct Reached {
    searches: Vec<(usize, Label)>,
    /// The lowest key of the labels.
    lowest: u64,
    /// The key from which an arc cannot lead to a better trip of any of them.
    bound: u64,
}

impl Reached {
    fn set(&mut self, first: usize, labels: &[Label], bounds: &[u64]) {
        self.searches.clear();
        (self.lowest, self.bound) = (u64::MAX, 0);
        for (search, (label, bound)) in (first..).zip(labels.iter().zip(bounds)) {
            if label.key < *bound {
                self.searches.push((search, *label));
                self.lowest = self.lowest.min(label.key);
                self.bound = self.bound.max(bound - label.key);
            }
        }
    }
}

impl Sweep<'_> {
    /// Searches for trips whose key is below a limit.
    fn run<'a>(
        roads: &'a Roads,
        starts: &[&[SnappedPoint]],
        ends: &[Vec<SnappedPoint>],
        groups: &'a [u32],
        limit: u64,
    ) -> Sweep<'a> {
        let pairs = starts
            .iter()
            .flat_map(|start| ends.iter().map(move |end| same_edge_cost(start, end)));
        let searches = starts.len() + ends.len();
        let mut sweep = Sweep {
            roads,
            starts: starts.len(),
            groups,
            rows: SparseTable::new(roads.edges.len()),
            labels: vec![Label::UNKNOWN; searches],
            free: Vec::new(),
            queue: BinaryHeap::new(),
            best: pairs
                .map(|cost| cost.map_or(Label::UNKNOWN, Label::new))
                .collect(),
            bounds: vec![limit; searches],
            limit,
        };
        (0..searches).for_each(|search| sweep.update_bound(search));
        sweep.start(starts, ends);
        sweep.climb();
        sweep
    }

    fn start(&mut self, starts: &[&[SnappedPoint]], ends: &[Vec<SnappedPoint>]) {
        let roads = self.roads;
        let ranks = &roads.hierarchy.ranks;
        for (search, start) in starts.iter().enumerate() {
            for point in *start {
                let rest = Label::new(roads.cost(point.edge).minus(point.offset));
                for turn in roads.turns_from(point.edge) {
                    self.relax(
                        ranks[turn.to as usize],
                        Label::new(turn.cost()),
                        &[(search, rest)],
                    );
                }
            }
        }
        for (search, end) in (starts.len()..).zip(ends) {
            for point in end {
                self.relax(
                    ranks[point.edge as usize],
                    Label::new(point.offset),
                    &[(search, Label::ZERO)],
                );
            }
        }
    }

    fn climb(&mut self) {
        let hierarchy = &self.roads.hierarchy;
        let (mut forward, mut backward) = (Reached::default(), Reached::default());
        while let Some(Reverse(rank)) = self.queue.pop() {
            let row = self.rows.get(rank);
            let labels = &self.labels[row as usize * self.bounds.len()..][..self.bounds.len()];
            let (of_starts, of_ends) = labels.split_at(self.starts);
            forward.set(0, of_starts, &self.bounds[..self.starts]);
            backward.set(self.starts, of_ends, &self.bounds[self.starts..]);
            self.free.push(row);
            self.join(&forward, &backward);
            self.relax_all(&hierarchy.forward, rank, &forward);
            self.relax_all(&hierarchy.backward, rank, &backward);
        }
    }

    /// Returns whether all trips within groups are below the limit.
    fn is_complete(&self) -> bool {
        self.bounds[..self.starts]
            .iter()
            .all(|bound| *bound < self.limit)
    }

    /// Improves the trips over a rank.
    fn join(&mut self, forward: &Reached, backward: &Reached) {
        let (starts, ends) = (self.starts, self.bounds.len() - self.starts);
        // The ends whose longest trip is improved.
        let mut longest = Vec::new();
        for (start, first) in &forward.searches {
            if first.key.saturating_add(backward.lowest) >= self.bounds[*start] {
                continue;
            }
            let trips = &mut self.best[start * ends..][..ends];
            let mut is_longest = false;
            for (end, second) in &backward.searches {
                let (trip, known) = (first.plus(*second), &mut trips[end - starts]);
                if trip.key < known.key {
                    is_longest |= known.key >= self.bounds[*start];
                    if known.key >= self.bounds[*end] {
                        longest.push(*end);
                    }
                    *known = trip;
                }
            }
            if is_longest {
                self.update_bound(*start);
            }
        }
        longest.sort_unstable();
        longest.dedup();
        longest.into_iter().for_each(|end| self.update_bound(end));
    }

    fn update_bound(&mut self, search: usize) {
        let (starts, ends) = (self.starts, self.bounds.len() - self.starts);
        let (first, step, place) = match search.checked_sub(starts) {
            None => (search * ends, 1, search),
            Some(end) => (end, ends, end),
        };
        let trips = self
            .best
            .get(first..)
            .unwrap_or_default()
            .iter()
            .step_by(step)
            .zip(self.groups);
        let longest = trips
            .filter(|(_, group)| **group == self.groups[place])
            .map(|(trip, _)| trip.key)
            .max();
        self.bounds[search] = longest.unwrap_or(0).min(self.limit);
    }

    fn relax_all(&mut self, arcs: &Arcs, rank: u32, reached: &Reached) {
        // Without searches, the bound is 0.
        for arc in arcs.of(rank) {
            let label = Label::new(arc.cost);
            if label.key < reached.bound {
                self.relax(arc.to, label, &reached.searches);
            }
        }
    }

    fn relax(&mut self, rank: u32, arc: Label, searches: &[(usize, Label)]) {
        let row = match self.rows.get(rank) {
            0 => self.add_row(rank),
            row => row,
        };
        let labels = &mut self.labels[row as usize * self.bounds.len()..][..self.bounds.len()];
        for (search, label) in searches {
            let (new, known) = (label.plus(arc), &mut labels[*search]);
            // With a branch, matrices take a quarter longer, because the processor cannot predict
            // the result.
            let is_better = new.key < known.key;
            known.key = select_unpredictable(is_better, new.key, known.key);
            known.ms = select_unpredictable(is_better, new.ms, known.ms);
        }
    }

    /// Returns a new row for a rank. If this were part of the loop over arcs, that loop would take
    /// a third longer.
    #[cold]
    #[inline(never)]
    fn add_row(&mut self, rank: u32) -> u32 {
        let size = self.bounds.len();
        let row = self.free.pop().unwrap_or_else(|| {
            let row = u32::try_from(self.labels.len() / size).unwrap_or(0);
            self.labels.resize(self.labels.len() + size, Label::UNKNOWN);
            row
        });
        self.labels[row as usize * size..][..size].fill(Label::UNKNOWN);
        *self.rows.get_mut(rank) = row;
        self.queue.push(Reverse(rank));
        row
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::coord::Coord;
    use crate::testing::{Rng, write_region};

    /// Returns the costs from a start to the starts of all edges by a search over all turns.
    fn dijkstra(roads: &Roads, start: &[SnappedPoint]) -> Vec<Option<Cost>> {
        let mut best: Vec<Option<Cost>> = vec![None; roads.edges.len()];
        // Each entry is the cost at the end of an edge.
        let mut queue = BinaryHeap::new();
        for point in start {
            let rest = roads.cost(point.edge).minus(point.offset);
            queue.push(Reverse((rest.weight, rest.cm, rest.ms, point.edge)));
        }
        while let Some(Reverse((weight, cm, ms, edge))) = queue.pop() {
            for turn in roads.turns_from(edge) {
                let (cost, known) = (
                    Cost { weight, ms, cm }.plus(turn.cost()),
                    &mut best[turn.to as usize],
                );
                if known.is_none_or(|known| cost.is_below(known)) {
                    *known = Some(cost);
                    let end = cost.plus(roads.cost(turn.to));
                    queue.push(Reverse((end.weight, end.cm, end.ms, turn.to)));
                }
            }
        }
        best
    }

    fn region(nodes: u64) -> Roads {
        let mut extract = Vec::new();
        write_region(&mut extract, nodes, 3).expect("memory");
        Roads::from_bytes(&extract).expect("roads")
    }

    /// Returns random points of the area that are near roads.
    fn random_points(roads: &Roads, seed: u64) -> impl Iterator<Item = Vec<SnappedPoint>> + '_ {
        let mut rng = Rng::new(seed);
        let points = std::iter::repeat_with(move || rng.point(roads.area())).flatten();
        points.filter_map(|point| {
            Some(
                roads
                    .snap(Coord::from_point(point))
                    .into_iter()
                    .next()?
                    .points,
            )
        })
    }

    fn with_copies(roads: &Roads, starts: &[Vec<SnappedPoint>]) -> Vec<Vec<SnappedPoint>> {
        starts
            .iter()
            .map(|start| roads.with_copies(start))
            .collect()
    }

    fn slices(starts: &[Vec<SnappedPoint>]) -> Vec<&[SnappedPoint]> {
        starts.iter().map(|start| &start[..]).collect()
    }

    #[test]
    fn costs_of_a_region_equal_dijkstra() {
        // Enough junctions for two blocks.
        let roads = region(21_000);
        let starts: Vec<_> = random_points(&roads, 1).take(25).collect();
        let ends = with_copies(&roads, &starts);
        let found = costs(&roads, &slices(&starts), &ends, &[0; 25], 30_000.0);
        let key = |cost: Option<Cost>| cost.map(|cost| (cost.weight, cost.cm));
        for (row, start) in found.chunks(ends.len()).zip(&starts) {
            let best = dijkstra(&roads, start);
            for (found, end) in row.iter().zip(&ends) {
                let onward = end
                    .iter()
                    .filter_map(|point| Some(best[point.edge as usize]?.plus(point.offset)));
                let expected = onward
                    .chain(same_edge_cost(start, end))
                    .min_by_key(|cost| (cost.weight, cost.cm));
                assert_eq!(key(*found), key(expected), "{start:?} to {end:?}");
            }
        }
        assert_eq!(found.iter().flatten().count(), 25 * 25);
    }

    #[test]
    fn trips_above_the_limit_are_found() {
        let roads = region(21_000);
        let points: Vec<_> = random_points(&roads, 2).take(11).collect();
        let (starts, ends, groups) = (slices(&points), with_copies(&roads, &points), [0; 11]);
        let limited = |limit| Sweep::run(&roads, &starts, &ends, &groups, limit);
        let all = limited(u64::MAX).best;
        let known = || {
            all.iter()
                .filter(|label| **label != Label::UNKNOWN)
                .map(|label| label.key)
        };
        let longest = known().max().expect("trips");
        assert_eq!(known().count(), 11 * 11);
        assert!(!limited(longest).is_complete() && !limited(longest / 2).is_complete());
        let sweep = limited(longest + 1);
        assert!(sweep.is_complete() && sweep.best == all);
        let costs = |diameter_m| costs(&roads, &starts, &ends, &groups, diameter_m);
        assert!(longest > limit(0.0), "{longest}");
        assert_eq!(costs(0.0), costs(1e6));
    }

    #[test]
    fn points_on_one_edge_need_no_search() {
        let roads = region(1_000);
        let start = random_points(&roads, 4)
            .next()
            .expect("a point near a road");
        let end = roads.with_copies(&start);
        let sweep = Sweep::run(&roads, &[&start], &[end], &[0], u64::MAX);
        assert_eq!(sweep.bounds, [0, 0]);
        assert!(sweep.best == [Label::ZERO]);
    }
}
