//! The fastest trips from many points to many others.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::{Cost, NONE};
use crate::hierarchy::Arcs;
use crate::network::Roads;
use crate::snap::SnappedPoint;

/// Returns the cost of the fastest trip from each start to each end, row by row, or `None` if there is no trip.
///
/// This is the bucket algorithm: a backward upward search from every end stores its cost in a bucket at each edge that
/// it settles, and a forward upward search from every start reads these buckets.
pub(crate) fn costs(roads: &Roads, starts: &[Vec<SnappedPoint>], ends: &[Vec<SnappedPoint>]) -> Vec<Option<Cost>> {
    let mut search = UpwardSearch::new(roads.edges.len());
    let mut buckets = Buckets { heads: vec![NONE; roads.edges.len()], entries: Vec::new() };
    for (number, end) in (0u32..).zip(ends) {
        search.start();
        end.iter().for_each(|point| search.relax(point.edge, point.offset));
        search.run(&roads.hierarchy.backward, |edge, cost| buckets.insert(edge, number, cost));
    }
    let mut all = Vec::with_capacity(starts.len() * ends.len());
    for start in starts {
        let mut best: Vec<Option<Cost>> = ends.iter().map(|end| same_edge_cost(start, end)).collect();
        search.start();
        for point in start {
            let rest = roads.cost(point.edge).minus(point.offset);
            roads.turns_from(point.edge).iter().for_each(|turn| search.relax(turn.to, rest.plus(turn.cost())));
        }
        search.run(&roads.hierarchy.forward, |edge, cost| {
            buckets.for_each(edge, |end, rest| {
                let (total, known) = (cost.plus(rest), &mut best[end as usize]);
                if known.is_none_or(|known| total.is_below(known)) {
                    *known = Some(total);
                }
            });
        });
        all.append(&mut best);
    }
    all
}

/// Returns the cost along one edge if both points are on it.
fn same_edge_cost(start: &[SnappedPoint], end: &[SnappedPoint]) -> Option<Cost> {
    let pairs = start.iter().flat_map(|from| end.iter().map(move |to| (from, to)));
    let ahead = pairs.filter(|(from, to)| from.edge == to.edge && to.offset.cm >= from.offset.cm);
    ahead.map(|(from, to)| to.offset.minus(from.offset)).min_by_key(|cost| (cost.weight, cost.cm))
}

/// The costs stored by backward searches: a linked list of entries per edge.
struct Buckets {
    heads: Vec<u32>,
    entries: Vec<Entry>,
}

struct Entry {
    next: u32,
    end: u32,
    cost: Cost,
}

impl Buckets {
    fn insert(&mut self, edge: u32, end: u32, cost: Cost) {
        let number = u32::try_from(self.entries.len()).unwrap_or(NONE);
        let head = &mut self.heads[edge as usize];
        self.entries.push(Entry { next: *head, end, cost });
        *head = number;
    }

    fn for_each(&self, edge: u32, mut each: impl FnMut(u32, Cost)) {
        let mut number = self.heads[edge as usize];
        while let Some(entry) = self.entries.get(number as usize) {
            each(entry.end, entry.cost);
            number = entry.next;
        }
    }
}

/// An upward search. Its tables are reused.
struct UpwardSearch {
    /// The generation and cost at the start of each edge. The cost is valid if the generation is the current one.
    reached: Vec<(u32, Cost)>,
    generation: u32,
    /// Ordered by weight, then by edge, so the order is identical on every host.
    queue: BinaryHeap<Reverse<(u32, u32)>>,
}

impl UpwardSearch {
    fn new(edges: usize) -> UpwardSearch {
        UpwardSearch { reached: vec![(0, Cost::default()); edges], generation: 0, queue: BinaryHeap::new() }
    }

    /// Starts a new search. The number of searches is at most the number of points, far below the counter's range.
    fn start(&mut self) {
        self.generation += 1;
        self.queue.clear();
    }

    fn relax(&mut self, edge: u32, cost: Cost) {
        let (generation, known) = &mut self.reached[edge as usize];
        if *generation != self.generation || cost.is_below(*known) {
            (*generation, *known) = (self.generation, cost);
            self.queue.push(Reverse((cost.weight, edge)));
        }
    }

    fn run(&mut self, arcs: &Arcs, mut each: impl FnMut(u32, Cost)) {
        while let Some(Reverse((weight, edge))) = self.queue.pop() {
            let cost = self.reached[edge as usize].1;
            // Entries whose cost was lowered later remain in the queue.
            if cost.weight != weight {
                continue;
            }
            each(edge, cost);
            for arc in arcs.of(edge) {
                self.relax(arc.to, cost.plus(arc.cost));
            }
        }
    }
}
