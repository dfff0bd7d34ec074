//! The fastest trips from many points to many others.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::{Cost, NONE};
use crate::hierarchy::Arcs;
use crate::network::Roads;
use crate::snap::SnappedPoint;
use crate::sparse::SparseTable;

/// Returns the cost of the fastest trip from each start to each end, row by row, or `None` if there is no trip.
///
/// This is the bucket algorithm: a backward upward search from every end stores its cost in a bucket at each edge that
/// it settles, and a forward upward search from every start reads these buckets.
pub(crate) fn costs(roads: &Roads, starts: &[Vec<SnappedPoint>], ends: &[Vec<SnappedPoint>]) -> Vec<Option<Cost>> {
    let ranks = &roads.hierarchy.ranks;
    let mut search = UpwardSearch::new(ranks.len());
    let mut buckets = Buckets::new(ranks.len());
    for (number, end) in (0u32..).zip(ends) {
        search.start();
        end.iter().for_each(|point| search.relax(ranks[point.edge as usize], point.offset));
        search.run(&roads.hierarchy.backward, |rank, cost| buckets.insert(rank, number, cost));
    }
    buckets.sort();
    let mut all = Vec::with_capacity(starts.len() * ends.len());
    for start in starts {
        let mut best: Vec<Option<Cost>> = ends.iter().map(|end| same_edge_cost(start, end)).collect();
        search.start();
        for point in start {
            let rest = roads.cost(point.edge).minus(point.offset);
            let turns = roads.turns_from(point.edge).iter();
            turns.for_each(|turn| search.relax(ranks[turn.to as usize], rest.plus(turn.cost())));
        }
        search.run(&roads.hierarchy.forward, |rank, cost| {
            for entry in buckets.of(rank) {
                let (total, known) = (cost.plus(entry.cost), &mut best[entry.end as usize]);
                if known.is_none_or(|known| total.is_below(known)) {
                    *known = Some(total);
                }
            }
        });
        all.append(&mut best);
    }
    all
}

/// Returns the cost along one edge if both points are on it.
fn same_edge_cost(start: &[SnappedPoint], end: &[SnappedPoint]) -> Option<Cost> {
    same_edge(start, end).map(|(cost, ..)| cost)
}

fn same_edge(start: &[SnappedPoint], end: &[SnappedPoint]) -> Option<(Cost, SnappedPoint, SnappedPoint)> {
    let pairs = start.iter().flat_map(|from| end.iter().map(move |to| (*from, *to)));
    let ahead = pairs.filter(|(from, to)| from.edge == to.edge && to.offset.cm >= from.offset.cm);
    ahead.map(|(from, to)| (to.offset.minus(from.offset), from, to)).min_by_key(|(cost, ..)| (cost.weight, cost.cm))
}

/// The edges of a trip, with the positions on the first and the last one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Trip {
    pub(crate) edges: Vec<u32>,
    pub(crate) from: Cost,
    pub(crate) to: Cost,
}

/// Finds the edges of trips, with a limit on the work of all of them.
///
/// The hierarchy does not store the edges of its shortcuts. Instead, the trip follows, from edge to edge, the turn with the lowest
/// cost to the end. These costs come from the hierarchy, and those of neighbouring edges share nearly all of their work.
pub(crate) struct TripSearch<'a> {
    roads: &'a Roads,
    /// The backward search from the end of the current trip.
    ends: UpwardSearch,
    /// The cost from the start of the edge of each rank to the end of a trip, and the generation of the search from that end.
    left: SparseTable<(u32, Option<Cost>)>,
    /// The ranks that wait for the costs of edges above them.
    stack: Vec<u32>,
    work_left: u32,
}

impl TripSearch<'_> {
    /// Creates a search that measures or follows at most `max_work` edges.
    pub(crate) fn new(roads: &Roads, max_work: u32) -> TripSearch<'_> {
        let (ends, left) = (UpwardSearch::new(roads.edges.len()), SparseTable::new(roads.edges.len()));
        TripSearch { roads, ends, left, stack: Vec::new(), work_left: max_work }
    }

    /// Returns whether the work ended.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.work_left == 0
    }

    /// Returns the edges of the fastest trip, or `None` if there is no trip or the work ended.
    pub(crate) fn trip(&mut self, start: &[SnappedPoint], end: &[SnappedPoint]) -> Option<Trip> {
        if start.is_empty() || end.is_empty() || self.is_exhausted() {
            return None;
        }
        self.ends.start();
        let ranks = &self.roads.hierarchy.ranks;
        end.iter().for_each(|point| self.ends.relax(ranks[point.edge as usize], point.offset));
        self.ends.run(&self.roads.hierarchy.backward, |_, _| {});
        let mut first: Option<(Continuation, SnappedPoint)> = None;
        for point in start {
            let next = self.next_edge(point.edge, self.roads.cost(point.edge).minus(point.offset));
            if let Some(next) =
                next.filter(|next| first.as_ref().is_none_or(|first| next.total.is_below(first.0.total)))
            {
                first = Some((next, *point));
            }
        }
        let along = same_edge(start, end)
            .filter(|(cost, ..)| first.as_ref().is_none_or(|first| !first.0.total.is_below(*cost)));
        if let Some((_, from, to)) = along {
            return Some(Trip { edges: vec![from.edge], from: from.offset, to: to.offset });
        }
        let (mut next, from) = first?;
        let mut edges = vec![from.edge];
        loop {
            self.work_left = self.work_left.checked_sub(1)?;
            edges.push(next.edge);
            let is_end = |point: &&SnappedPoint| point.edge == next.edge && !next.left.is_below(point.offset);
            if let Some(to) = end.iter().find(is_end) {
                return Some(Trip { edges, from: from.offset, to: to.offset });
            }
            next = self.next_edge(next.edge, self.roads.cost(next.edge))?;
        }
    }

    /// Returns the edge that follows on the fastest trip, or `None` if there is no trip or the work ended. `rest` is the cost to the
    /// end of the current edge.
    fn next_edge(&mut self, edge: u32, rest: Cost) -> Option<Continuation> {
        let mut best: Option<Continuation> = None;
        for turn in self.roads.turns_from(edge) {
            let rank = self.roads.hierarchy.ranks[turn.to as usize];
            if !self.measure(rank) {
                return None;
            }
            let Some(left) = self.left.get(rank).1 else { continue };
            let total = rest.plus(turn.cost()).plus(left);
            if best.as_ref().is_none_or(|best| total.is_below(best.total)) {
                best = Some(Continuation { edge: turn.to, left, total });
            }
        }
        best
    }

    /// Computes the cost from the start of the edge of a rank to the end. Returns `false` if the work ended.
    fn measure(&mut self, rank: u32) -> bool {
        let generation = self.ends.generation;
        self.stack.push(rank);
        while let Some(rank) = self.stack.last().copied() {
            // All arcs lead upwards, so this ends at the highest ranks.
            let arcs = self.roads.hierarchy.forward.of(rank);
            let waiting = self.stack.len();
            let is_unknown = |rank: &u32| self.left.get(*rank).0 != generation;
            self.stack.extend(arcs.clone().map(|arc| arc.to).filter(is_unknown));
            if self.stack.len() > waiting {
                continue;
            }
            self.stack.pop();
            // Two ranks below can wait for the same one.
            if self.left.get(rank).0 == generation {
                continue;
            }
            let Some(work_left) = self.work_left.checked_sub(1) else { return false };
            self.work_left = work_left;
            let (reached, cost) = self.ends.reached.get(rank);
            let mut best = (reached == generation).then_some(cost);
            for arc in arcs {
                let over = self.left.get(arc.to).1.map(|left| arc.cost.plus(left));
                if over.is_some_and(|over| best.is_none_or(|best| over.is_below(best))) {
                    best = over;
                }
            }
            *self.left.get_mut(rank) = (generation, best);
        }
        true
    }
}

/// The next edge of a trip, the cost from its start to the end, and that from the current edge.
struct Continuation {
    edge: u32,
    left: Cost,
    total: Cost,
}

/// The costs stored by backward searches, by rank.
struct Buckets {
    /// The number of each rank's bucket from 1.
    numbers: SparseTable<u32>,
    /// The start of each bucket in `entries`.
    starts: Vec<u32>,
    /// The bucket of each entry until they are sorted.
    unsorted: Vec<(u32, Entry)>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    end: u32,
    cost: Cost,
}

impl Buckets {
    fn new(edges: usize) -> Buckets {
        let numbers = SparseTable::new(edges);
        Buckets { numbers, starts: vec![0; 2], unsorted: Vec::new(), entries: Vec::new() }
    }

    fn insert(&mut self, rank: u32, end: u32, cost: Cost) {
        let number = self.numbers.get_mut(rank);
        if *number == 0 {
            *number = u32::try_from(self.starts.len() - 1).unwrap_or(NONE);
            self.starts.push(0);
        }
        // Counts the entries one bucket later, so that the sums are the starts.
        self.starts[*number as usize + 1] += 1;
        self.unsorted.push((*number, Entry { end, cost }));
    }

    fn sort(&mut self) {
        for number in 1..self.starts.len() {
            self.starts[number] += self.starts[number - 1];
        }
        let mut free = self.starts.clone();
        self.entries = vec![Entry::default(); self.unsorted.len()];
        for (number, entry) in self.unsorted.drain(..) {
            let at = &mut free[number as usize];
            self.entries[*at as usize] = entry;
            *at += 1;
        }
    }

    fn of(&self, rank: u32) -> &[Entry] {
        let number = self.numbers.get(rank) as usize;
        let ends = self.starts.get(number).zip(self.starts.get(number + 1));
        ends.and_then(|(from, to)| self.entries.get(*from as usize..*to as usize)).unwrap_or_default()
    }
}

/// An upward search. Its tables are reused.
struct UpwardSearch {
    /// The generation and cost at the start of the edge of each rank. The cost is valid if the generation is the current one.
    reached: SparseTable<(u32, Cost)>,
    generation: u32,
    /// The reached ranks. Arcs lead to higher ranks, so the cost of the lowest one is final.
    queue: BinaryHeap<Reverse<u32>>,
}

impl UpwardSearch {
    fn new(edges: usize) -> UpwardSearch {
        UpwardSearch { reached: SparseTable::new(edges), generation: 0, queue: BinaryHeap::new() }
    }

    /// Starts a new search. The number of searches is at most that of points, far below the counter's range.
    fn start(&mut self) {
        self.generation += 1;
        self.queue.clear();
    }

    fn relax(&mut self, rank: u32, cost: Cost) {
        let (generation, known) = self.reached.get_mut(rank);
        if *generation != self.generation {
            (*generation, *known) = (self.generation, cost);
            self.queue.push(Reverse(rank));
        } else if cost.is_below(*known) {
            *known = cost;
        }
    }

    fn run(&mut self, arcs: &Arcs, mut each: impl FnMut(u32, Cost)) {
        while let Some(Reverse(rank)) = self.queue.pop() {
            let cost = self.reached.get(rank).1;
            each(rank, cost);
            for arc in arcs.of(rank) {
                self.relax(arc.to, cost.plus(arc.cost));
            }
        }
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
                let (cost, known) = (Cost { weight, ms, cm }.plus(turn.cost()), &mut best[turn.to as usize]);
                if known.is_none_or(|known| cost.is_below(known)) {
                    *known = Some(cost);
                    let end = cost.plus(roads.cost(turn.to));
                    queue.push(Reverse((end.weight, end.cm, end.ms, turn.to)));
                }
            }
        }
        best
    }

    #[test]
    fn costs_of_a_region_equal_dijkstra() {
        // Enough junctions for two blocks.
        let mut extract = Vec::new();
        write_region(&mut extract, 21_000, 3).expect("memory");
        let roads = Roads::from_bytes(&extract).expect("roads");
        let mut rng = Rng::new(1);
        let points = std::iter::repeat_with(|| rng.point(roads.area())).flatten().take(25);
        let starts: Vec<Vec<SnappedPoint>> = points.map(|point| roads.snap(Coord::from_point(point))).collect();
        let ends: Vec<Vec<SnappedPoint>> = starts.iter().map(|start| roads.with_copies(start)).collect();
        let found = costs(&roads, &starts, &ends);
        let key = |cost: Option<Cost>| cost.map(|cost| (cost.weight, cost.cm));
        for (row, start) in found.chunks(ends.len()).zip(&starts) {
            let best = dijkstra(&roads, start);
            for (found, end) in row.iter().zip(&ends) {
                let onward = end.iter().filter_map(|point| Some(best[point.edge as usize]?.plus(point.offset)));
                let expected = onward.chain(same_edge_cost(start, end)).min_by_key(|cost| (cost.weight, cost.cm));
                assert_eq!(key(*found), key(expected), "{start:?} to {end:?}");
            }
        }
        assert!(found.iter().flatten().count() > 400, "most points are near a road");
    }
}
