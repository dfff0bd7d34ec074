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
    /// The cost from the start of each edge to the end of a trip, and the generation of the search from that end.
    left: Vec<(u32, Option<Cost>)>,
    /// The edges that wait for the costs of edges above them.
    stack: Vec<u32>,
    work_left: u32,
}

impl TripSearch<'_> {
    /// Creates a search that measures or follows at most `max_work` edges.
    pub(crate) fn new(roads: &Roads, max_work: u32) -> TripSearch<'_> {
        let (ends, left) = (UpwardSearch::new(roads.edges.len()), vec![(0, None); roads.edges.len()]);
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
        end.iter().for_each(|point| self.ends.relax(point.edge, point.offset));
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
            if !self.measure(turn.to) {
                return None;
            }
            let Some(left) = self.left[turn.to as usize].1 else { continue };
            let total = rest.plus(turn.cost()).plus(left);
            if best.as_ref().is_none_or(|best| total.is_below(best.total)) {
                best = Some(Continuation { edge: turn.to, left, total });
            }
        }
        best
    }

    /// Computes the cost from the start of an edge to the end. Returns `false` if the work ended.
    fn measure(&mut self, edge: u32) -> bool {
        let generation = self.ends.generation;
        self.stack.push(edge);
        while let Some(edge) = self.stack.last().copied() {
            // All arcs lead upwards, so this ends at the most important edges.
            let arcs = self.roads.hierarchy.forward.of(edge);
            let waiting = self.stack.len();
            let is_unknown = |edge: &u32| self.left[*edge as usize].0 != generation;
            self.stack.extend(arcs.iter().map(|arc| arc.to).filter(is_unknown));
            if self.stack.len() > waiting {
                continue;
            }
            self.stack.pop();
            // Two edges below can wait for the same edge.
            if self.left[edge as usize].0 == generation {
                continue;
            }
            let Some(work_left) = self.work_left.checked_sub(1) else { return false };
            self.work_left = work_left;
            let (reached, cost) = self.ends.reached[edge as usize];
            let mut best = (reached == generation).then_some(cost);
            for arc in arcs {
                let over = self.left[arc.to as usize].1.map(|left| arc.cost.plus(left));
                if over.is_some_and(|over| best.is_none_or(|best| over.is_below(best))) {
                    best = over;
                }
            }
            self.left[edge as usize] = (generation, best);
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

    /// Starts a new search. The number of searches is at most that of points, far below the counter's range.
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
