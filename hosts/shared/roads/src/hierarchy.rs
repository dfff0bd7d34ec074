//! A contraction hierarchy: shortcuts over less important edges, so a trip is found in a few hundred steps instead of
//! tens of thousands.
//!
//! The graph is edge-based: its nodes are directed edges of the road network. They are contracted in ascending order of
//! importance. If the fastest trip between two neighbours leads over the contracted one, a shortcut replaces it. A
//! search then only goes upwards, forwards from the start and backwards from the end, until both meet. (Geisberger,
//! Sanders, Schultes, Delling: Contraction hierarchies, 2008.)

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::Cost;

/// The maximum number of edges that a witness search settles. A redundant shortcut, which a higher limit avoids, costs memory, and
/// time in every later search: with 12, contracting a grid of streets took five times as long.
const MAX_SETTLED_EDGES: usize = 250;

/// A trip from the start of one edge to the start of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arc {
    pub(crate) to: u32,
    pub(crate) cost: Cost,
}

/// Upward arcs by the edge where they begin.
#[derive(Debug, Default)]
pub(crate) struct Arcs {
    pub(crate) starts: Vec<u32>,
    pub(crate) arcs: Vec<Arc>,
}

impl Arcs {
    fn new(lists: Vec<Vec<Arc>>) -> Arcs {
        let mut all = Arcs { starts: Vec::with_capacity(lists.len() + 1), arcs: Vec::new() };
        for list in lists {
            all.starts.push(u32::try_from(all.arcs.len()).unwrap_or(u32::MAX));
            all.arcs.extend(list);
        }
        all.starts.push(u32::try_from(all.arcs.len()).unwrap_or(u32::MAX));
        all.arcs.shrink_to_fit();
        all
    }

    pub(crate) fn of(&self, edge: u32) -> &[Arc] {
        let ends = self.starts.get(edge as usize).zip(self.starts.get(edge as usize + 1));
        ends.and_then(|(from, to)| self.arcs.get(*from as usize..*to as usize)).unwrap_or_default()
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.arcs[..])
    }
}

/// The upward arcs of forward and backward searches.
#[derive(Debug, Default)]
pub(crate) struct Hierarchy {
    pub(crate) forward: Arcs,
    pub(crate) backward: Arcs,
}

/// Contracts a graph of arcs.
pub(crate) fn contract(arcs: Vec<Vec<Arc>>) -> Hierarchy {
    let mut graph = Graph::new(arcs);
    let mut queue: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
    for edge in 0..graph.out.len() {
        let Ok(number) = u32::try_from(edge) else { break };
        queue.push(Reverse((graph.importance(edge), number)));
    }
    // The arcs of a contracted edge remain in its lists, and all of them lead upwards.
    while let Some(Reverse((_, edge))) = queue.pop() {
        let importance = graph.importance(edge as usize);
        if queue.peek().is_some_and(|Reverse(next)| *next < (importance, edge)) {
            queue.push(Reverse((importance, edge)));
            continue;
        }
        graph.contract(edge as usize);
    }
    Hierarchy { forward: Arcs::new(graph.out), backward: Arcs::new(graph.into) }
}

struct Graph {
    out: Vec<Vec<Arc>>,
    into: Vec<Vec<Arc>>,
    /// The number of contracted layers below each edge.
    depth: Vec<u32>,
    /// The shortcuts required by the edge examined last: from, to, cost.
    shortcuts: Vec<(u32, u32, Cost)>,
    witness: WitnessSearch,
}

impl Graph {
    fn new(arcs: Vec<Vec<Arc>>) -> Graph {
        let empty = vec![Vec::new(); arcs.len()];
        let depth = vec![0; arcs.len()];
        let witness = WitnessSearch::new(arcs.len());
        let mut graph = Graph { out: empty.clone(), into: empty, depth, shortcuts: Vec::new(), witness };
        for (from, list) in (0u32..).zip(arcs) {
            for arc in list {
                graph.add(from, arc.to, arc.cost);
            }
        }
        graph
    }

    /// Adds an arc, or lowers the cost of the existing one. Loops are ignored.
    fn add(&mut self, from: u32, to: u32, cost: Cost) {
        if from == to {
            return;
        }
        for (list, other) in [(&mut self.out[from as usize], to), (&mut self.into[to as usize], from)] {
            match list.iter_mut().find(|arc| arc.to == other) {
                Some(arc) if cost.is_below(arc.cost) => arc.cost = cost,
                Some(_) => {}
                None => list.push(Arc { to: other, cost }),
            }
        }
    }

    /// Returns the importance of an edge. It increases with the arcs that contraction adds and with the depth below.
    fn importance(&mut self, edge: usize) -> i64 {
        self.find_shortcuts(edge);
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let removed = self.out[edge].len() + self.into[edge].len();
        count(self.shortcuts.len()) * 4 - count(removed) * 2 + i64::from(self.depth[edge])
    }

    /// Finds the pairs of neighbours whose fastest trip leads over an edge.
    fn find_shortcuts(&mut self, edge: usize) {
        self.shortcuts.clear();
        let (into, out) = (&self.into[edge], &self.out[edge]);
        for first in into {
            let over = out.iter().filter(|second| second.to != first.to);
            let over = over.map(|second| (second.to, first.cost.plus(second.cost)));
            // An edge with one arc in and one out has no alternative.
            if into.len() > 1 || out.len() > 1 {
                let farthest = over.clone().map(|(_, cost)| cost.weight).max();
                let Some(farthest) = farthest else { continue };
                self.witness.search(&self.out, first.to, edge, farthest);
                let needed = over.filter(|(to, cost)| !self.witness.has_witness(*to, *cost));
                self.shortcuts.extend(needed.map(|(to, cost)| (first.to, to, cost)));
            } else {
                self.shortcuts.extend(over.map(|(to, cost)| (first.to, to, cost)));
            }
        }
    }

    /// Contracts an edge, directly after [`Graph::importance`] found its shortcuts.
    fn contract(&mut self, edge: usize) {
        let removed = |arc: &Arc| arc.to as usize != edge;
        for index in 0..self.into[edge].len() {
            let other = self.into[edge][index].to as usize;
            self.out[other].retain(removed);
            self.depth[other] = self.depth[other].max(self.depth[edge] + 1);
        }
        for index in 0..self.out[edge].len() {
            let other = self.out[edge][index].to as usize;
            self.into[other].retain(removed);
            self.depth[other] = self.depth[other].max(self.depth[edge] + 1);
        }
        for (from, to, cost) in std::mem::take(&mut self.shortcuts) {
            self.add(from, to, cost);
        }
    }
}

/// A limited search for witnesses: trips that avoid an edge.
struct WitnessSearch {
    reached: Vec<(u32, Cost)>,
    generation: u32,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
}

impl WitnessSearch {
    fn new(edges: usize) -> WitnessSearch {
        WitnessSearch { reached: vec![(0, Cost::default()); edges], generation: 0, queue: BinaryHeap::new() }
    }

    fn search(&mut self, out: &[Vec<Arc>], from: u32, without: usize, farthest: u32) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.reached.fill((0, Cost::default()));
            self.generation = 1;
        }
        self.queue.clear();
        self.reached[from as usize] = (self.generation, Cost::default());
        self.queue.push(Reverse((0, from)));
        for _ in 0..MAX_SETTLED_EDGES {
            let Some(Reverse((weight, edge))) = self.queue.pop() else { break };
            let cost = self.reached[edge as usize].1;
            if weight > farthest {
                break;
            }
            if cost.weight != weight {
                continue;
            }
            for arc in out[edge as usize].iter().filter(|arc| arc.to as usize != without) {
                let new_cost = cost.plus(arc.cost);
                let (generation, best) = &mut self.reached[arc.to as usize];
                if *generation != self.generation || new_cost.is_below(*best) {
                    (*generation, *best) = (self.generation, new_cost);
                    self.queue.push(Reverse((new_cost.weight, arc.to)));
                }
            }
        }
    }

    /// Returns whether a witness of at most this cost was found.
    fn has_witness(&self, edge: u32, cost: Cost) -> bool {
        let (generation, best) = self.reached[edge as usize];
        generation == self.generation && !cost.is_below(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the costs from an edge to all others by Bellman-Ford.
    fn bellman_ford(arcs: &[Vec<Arc>], from: usize) -> Vec<Option<Cost>> {
        let mut best = vec![None; arcs.len()];
        best[from] = Some(Cost::default());
        for _ in 0..arcs.len() {
            for edge in 0..arcs.len() {
                let Some(cost): Option<Cost> = best[edge] else { continue };
                for arc in &arcs[edge] {
                    let (new_cost, best) = (cost.plus(arc.cost), &mut best[arc.to as usize]);
                    if best.is_none_or(|best| new_cost.is_below(best)) {
                        *best = Some(new_cost);
                    }
                }
            }
        }
        best
    }

    fn upward_costs(arcs: &Arcs, edges: usize, from: usize) -> Vec<Option<Cost>> {
        let lists: Vec<Vec<Arc>> = (0u32..).take(edges).map(|edge| arcs.of(edge).to_vec()).collect();
        bellman_ford(&lists, from)
    }

    #[test]
    fn upward_searches_equal_bellman_ford() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from((state >> 33) % below).unwrap_or(0)
        };
        for edges in [2u32, 5, 12, 30, 60] {
            let mut arcs = vec![Vec::new(); edges as usize];
            for list in &mut arcs {
                for _ in 0..1 + random(3) {
                    // Small numbers, so many trips have equal weights.
                    let cost = Cost { weight: 1 + random(4), ms: 1, cm: random(4) };
                    list.push(Arc { to: random(u64::from(edges)), cost });
                }
            }
            let hierarchy = contract(arcs.clone());
            let count = edges as usize;
            let backward: Vec<_> = (0..count).map(|to| upward_costs(&hierarchy.backward, count, to)).collect();
            for from in 0..count {
                let (forward, expected) = (upward_costs(&hierarchy.forward, count, from), bellman_ford(&arcs, from));
                for to in 0..count {
                    let over = (0..count).filter_map(|top| Some(forward[top]?.plus(backward[to][top]?)));
                    let best = over.min_by_key(|cost| (cost.weight, cost.cm));
                    let key = |cost: Option<Cost>| cost.map(|cost| (cost.weight, cost.cm));
                    assert_eq!(key(best), key(expected[to]), "{edges} edges, {from} to {to}");
                }
            }
        }
    }
}
