//! The edges of the fastest trips.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::Cost;
use crate::hierarchy::Arcs;
use crate::network::Roads;
use crate::snap::SnappedPoint;
use crate::sparse::SparseTable;

/// Returns the cost along one edge if both points are on it.
pub(crate) fn same_edge_cost(start: &[SnappedPoint], end: &[SnappedPoint]) -> Option<Cost> {
    same_edge(start, end).map(|(cost, ..)| cost)
}

fn same_edge(
    start: &[SnappedPoint],
    end: &[SnappedPoint],
) -> Option<(Cost, SnappedPoint, SnappedPoint)> {
    let pairs = start
        .iter()
        .flat_map(|from| end.iter().map(move |to| (*from, *to)));
    let ahead = pairs.filter(|(from, to)| from.edge == to.edge && to.offset.cm >= from.offset.cm);
    ahead
        .map(|(from, to)| (to.offset.minus(from.offset), from, to))
        .min_by_key(|(cost, ..)| (cost.weight, cost.cm))
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
/// The hierarchy does not store the edges of its shortcuts. Instead, the trip follows, from edge to
/// edge, the turn with the lowest cost to the end. These costs come from the hierarchy, and those
/// of neighbouring edges share nearly all of their work.
pub(crate) struct TripSearch<'a> {
    roads: &'a Roads,
    /// The backward search from the end of the current trip.
    ends: UpwardSearch,
    /// The cost from the start of the edge of each rank to the end of a trip, and the generation of
    /// the search from that end.
    left: SparseTable<(u32, Option<Cost>)>,
    /// The ranks that wait for the costs of edges above them.
    stack: Vec<u32>,
    work_left: u32,
}

impl TripSearch<'_> {
    /// Creates a search that measures or follows at most `max_work` edges.
    pub(crate) fn new(roads: &Roads, max_work: u32) -> TripSearch<'_> {
        let (ends, left) = (
            UpwardSearch::new(roads.edges.len()),
            SparseTable::new(roads.edges.len()),
        );
        TripSearch {
            roads,
            ends,
            left,
            stack: Vec::new(),
            work_left: max_work,
        }
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
        end.iter()
            .for_each(|point| self.ends.relax(ranks[point.edge as usize], point.offset));
        self.ends.run(&self.roads.hierarchy.backward);
        let mut first: Option<(Continuation, SnappedPoint)> = None;
        for point in start {
            let next = self.next_edge(point.edge, self.roads.cost(point.edge).minus(point.offset));
            if let Some(next) = next.filter(|next| {
                first
                    .as_ref()
                    .is_none_or(|first| next.total.is_below(first.0.total))
            }) {
                first = Some((next, *point));
            }
        }
        let along = same_edge(start, end).filter(|(cost, ..)| {
            first
                .as_ref()
                .is_none_or(|first| !first.0.total.is_below(*cost))
        });
        if let Some((_, from, to)) = along {
            return Some(Trip {
                edges: vec![from.edge],
                from: from.offset,
                to: to.offset,
            });
        }
        let (mut next, from) = first?;
        let mut edges = vec![from.edge];
        loop {
            self.work_left = self.work_left.checked_sub(1)?;
            edges.push(next.edge);
            let is_end = |point: &&SnappedPoint| {
                point.edge == next.edge && !next.left.is_below(point.offset)
            };
            if let Some(to) = end.iter().find(is_end) {
                return Some(Trip {
                    edges,
                    from: from.offset,
                    to: to.offset,
                });
            }
            next = self.next_edge(next.edge, self.roads.cost(next.edge))?;
        }
    }

    /// Returns the edge that follows on the fastest trip, or `None` if there is no trip or the work
    /// ended. `rest` is the cost to the end of the current edge.
    fn next_edge(&mut self, edge: u32, rest: Cost) -> Option<Continuation> {
        let mut best: Option<Continuation> = None;
        for turn in self.roads.turns_from(edge) {
            let rank = self.roads.hierarchy.ranks[turn.to as usize];
            if !self.measure(rank) {
                return None;
            }
            let Some(left) = self.left.get(rank).1 else {
                continue;
            };
            let total = rest.plus(turn.cost()).plus(left);
            if best.as_ref().is_none_or(|best| total.is_below(best.total)) {
                best = Some(Continuation {
                    edge: turn.to,
                    left,
                    total,
                });
            }
        }
        best
    }

    /// Computes the cost from the start of the edge of a rank to the end. Returns `false` if the
    /// work ended.
    fn measure(&mut self, rank: u32) -> bool {
        let generation = self.ends.generation;
        self.stack.push(rank);
        while let Some(rank) = self.stack.last().copied() {
            // All arcs lead upwards, so this ends at the highest ranks.
            let arcs = self.roads.hierarchy.forward.of(rank);
            let waiting = self.stack.len();
            let is_unknown = |rank: &u32| self.left.get(*rank).0 != generation;
            self.stack
                .extend(arcs.clone().map(|arc| arc.to).filter(is_unknown));
            if self.stack.len() > waiting {
                continue;
            }
            self.stack.pop();
            // Two ranks below can wait for the same one.
            if self.left.get(rank).0 == generation {
                continue;
            }
            let Some(work_left) = self.work_left.checked_sub(1) else {
                return false;
            };
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

/// An upward search. Its tables are reused.
struct UpwardSearch {
    /// The generation and cost at the start of the edge of each rank. The cost is valid if the
    /// generation is the current one.
    reached: SparseTable<(u32, Cost)>,
    generation: u32,
    /// The reached ranks. Arcs lead to higher ranks, so the cost of the lowest one is final.
    queue: BinaryHeap<Reverse<u32>>,
}

impl UpwardSearch {
    fn new(edges: usize) -> UpwardSearch {
        UpwardSearch {
            reached: SparseTable::new(edges),
            generation: 0,
            queue: BinaryHeap::new(),
        }
    }

    /// Starts a new search. The number of searches is at most that of points, far below the
    /// counter's range.
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

    fn run(&mut self, arcs: &Arcs) {
        while let Some(Reverse(rank)) = self.queue.pop() {
            let cost = self.reached.get(rank).1;
            for arc in arcs.of(rank) {
                self.relax(arc.to, cost.plus(arc.cost));
            }
        }
    }
}
