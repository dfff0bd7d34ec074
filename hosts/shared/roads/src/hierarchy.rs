//! A contraction hierarchy: shortcuts over lesser lanes, so that a ride is found in some hundred steps instead of some ten thousand.
//!
//! Lanes are taken out one by one, the least important first; where the fastest ride between two neighbours led over the lane,
//! a shortcut replaces it. A search then only ever climbs: from the start upwards, from the end upwards against the traffic, and the
//! two meet. (Geisberger, Sanders, Schultes, Delling: Contraction hierarchies, 2008.)

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::Cost;

/// Lanes that a search for a way around may settle. More finds fewer shortcuts and takes longer; a missed one costs nothing but space.
const MAX_STALLED_HOPS: usize = 12;

/// A ride from the start of one lane to the start of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arc {
    pub(crate) to: u32,
    pub(crate) cost: Cost,
}

/// Arcs that climb, by the lane where they begin.
#[derive(Debug, Default)]
pub(crate) struct Arcs {
    starts: Vec<u32>,
    arcs: Vec<Arc>,
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

    pub(crate) fn of(&self, lane: u32) -> &[Arc] {
        let ends = self.starts.get(lane as usize).zip(self.starts.get(lane as usize + 1));
        ends.and_then(|(from, to)| self.arcs.get(*from as usize..*to as usize)).unwrap_or_default()
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.arcs[..])
    }
}

/// The arcs to climb along from a start, and those to climb back along from an end.
#[derive(Debug, Default)]
pub(crate) struct Hierarchy {
    pub(crate) ahead: Arcs,
    pub(crate) back: Arcs,
}

/// Contracts a graph of arcs.
pub(crate) fn contract(arcs: Vec<Vec<Arc>>) -> Hierarchy {
    let mut graph = Graph::new(arcs);
    let mut queue: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
    for lane in 0..graph.out.len() {
        let Ok(number) = u32::try_from(lane) else { break };
        queue.push(Reverse((graph.importance(lane), number)));
    }
    // The arcs of a lane that is taken out stay in its lists, and all of them climb.
    while let Some(Reverse((_, lane))) = queue.pop() {
        let importance = graph.importance(lane as usize);
        if queue.peek().is_some_and(|Reverse(next)| *next < (importance, lane)) {
            queue.push(Reverse((importance, lane)));
            continue;
        }
        graph.contract(lane as usize);
    }
    Hierarchy { ahead: Arcs::new(graph.out), back: Arcs::new(graph.into) }
}

struct Graph {
    out: Vec<Vec<Arc>>,
    into: Vec<Vec<Arc>>,
    /// How many layers of lanes below this one were taken out.
    depth: Vec<u32>,
    /// Shortcuts that the lane looked at last would need: from, to, cost.
    shortcuts: Vec<(u32, u32, Cost)>,
    around: WitnessSearch,
}

impl Graph {
    fn new(arcs: Vec<Vec<Arc>>) -> Graph {
        let empty = vec![Vec::new(); arcs.len()];
        let depth = vec![0; arcs.len()];
        let around = WitnessSearch::new(arcs.len());
        let mut graph = Graph { out: empty.clone(), into: empty, depth, shortcuts: Vec::new(), around };
        for (from, list) in (0u32..).zip(arcs) {
            for arc in list {
                graph.add(from, arc.to, arc.cost);
            }
        }
        graph
    }

    /// Adds an arc, or makes the one that is there cheaper. A way back to its own start serves nobody.
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

    /// How late a lane should be taken out: the more it adds to the graph and the more lies below it, the later.
    fn importance(&mut self, lane: usize) -> i64 {
        self.find_shortcuts(lane);
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let gone = self.out[lane].len() + self.into[lane].len();
        count(self.shortcuts.len()) * 4 - count(gone) * 2 + i64::from(self.depth[lane])
    }

    /// Finds the pairs of neighbours whose fastest ride leads over a lane.
    fn find_shortcuts(&mut self, lane: usize) {
        self.shortcuts.clear();
        let (into, out) = (&self.into[lane], &self.out[lane]);
        for first in into {
            let over = out.iter().filter(|second| second.to != first.to);
            let over = over.map(|second| (second.to, first.cost.plus(second.cost)));
            // In the middle of a road nothing leads around.
            if into.len() > 1 || out.len() > 1 {
                let farthest = over.clone().map(|(_, cost)| cost.weight).max();
                let Some(farthest) = farthest else { continue };
                self.around.search(&self.out, first.to, lane, farthest);
                let needed = over.filter(|(to, cost)| !self.around.reaches(*to, *cost));
                self.shortcuts.extend(needed.map(|(to, cost)| (first.to, to, cost)));
            } else {
                self.shortcuts.extend(over.map(|(to, cost)| (first.to, to, cost)));
            }
        }
    }

    /// Takes a lane out, right after [`Graph::importance`] found its shortcuts.
    fn contract(&mut self, lane: usize) {
        let gone = |arc: &Arc| arc.to as usize != lane;
        for index in 0..self.into[lane].len() {
            let other = self.into[lane][index].to as usize;
            self.out[other].retain(gone);
            self.depth[other] = self.depth[other].max(self.depth[lane] + 1);
        }
        for index in 0..self.out[lane].len() {
            let other = self.out[lane][index].to as usize;
            self.into[other].retain(gone);
            self.depth[other] = self.depth[other].max(self.depth[lane] + 1);
        }
        for (from, to, cost) in std::mem::take(&mut self.shortcuts) {
            self.add(from, to, cost);
        }
    }
}

/// A short search for ways around a lane.
struct WitnessSearch {
    reached: Vec<(u32, Cost)>,
    round: u32,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
}

impl WitnessSearch {
    fn new(lanes: usize) -> WitnessSearch {
        WitnessSearch { reached: vec![(0, Cost::default()); lanes], round: 0, queue: BinaryHeap::new() }
    }

    fn search(&mut self, out: &[Vec<Arc>], from: u32, without: usize, farthest: u32) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.reached.fill((0, Cost::default()));
            self.round = 1;
        }
        self.queue.clear();
        self.reached[from as usize] = (self.round, Cost::default());
        self.queue.push(Reverse((0, from)));
        for _ in 0..MAX_STALLED_HOPS {
            let Some(Reverse((weight, lane))) = self.queue.pop() else { break };
            let cost = self.reached[lane as usize].1;
            if weight > farthest {
                break;
            }
            if cost.weight != weight {
                continue;
            }
            for arc in out[lane as usize].iter().filter(|arc| arc.to as usize != without) {
                let offered = cost.plus(arc.cost);
                let (round, known) = &mut self.reached[arc.to as usize];
                if *round != self.round || offered.is_below(*known) {
                    (*round, *known) = (self.round, offered);
                    self.queue.push(Reverse((offered.weight, arc.to)));
                }
            }
        }
    }

    /// Whether a way around was found that is no worse.
    fn reaches(&self, lane: u32, cost: Cost) -> bool {
        let (round, known) = self.reached[lane as usize];
        round == self.round && !cost.is_below(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Costs from a lane to all others along arcs, however long it takes.
    fn plain(arcs: &[Vec<Arc>], from: usize) -> Vec<Option<Cost>> {
        let mut best = vec![None; arcs.len()];
        best[from] = Some(Cost::default());
        for _ in 0..arcs.len() {
            for lane in 0..arcs.len() {
                let Some(cost): Option<Cost> = best[lane] else { continue };
                for arc in &arcs[lane] {
                    let (offered, known) = (cost.plus(arc.cost), &mut best[arc.to as usize]);
                    if known.is_none_or(|known| offered.is_below(known)) {
                        *known = Some(offered);
                    }
                }
            }
        }
        best
    }

    fn climbed(arcs: &Arcs, lanes: usize, from: usize) -> Vec<Option<Cost>> {
        let lists: Vec<Vec<Arc>> = (0u32..).take(lanes).map(|lane| arcs.of(lane).to_vec()).collect();
        plain(&lists, from)
    }

    #[test]
    fn climbing_from_both_ends_finds_what_a_plain_search_finds() {
        let mut state = 1u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from((state >> 33) % below).unwrap_or(0)
        };
        for lanes in [2u32, 5, 12, 30, 60] {
            let mut arcs = vec![Vec::new(); lanes as usize];
            for list in &mut arcs {
                for _ in 0..1 + draw(3) {
                    // Small numbers, so that many rides weigh the same.
                    let cost = Cost { weight: 1 + draw(4), ms: 1, cm: draw(4) };
                    list.push(Arc { to: draw(u64::from(lanes)), cost });
                }
            }
            let hierarchy = contract(arcs.clone());
            let count = lanes as usize;
            let back: Vec<_> = (0..count).map(|to| climbed(&hierarchy.back, count, to)).collect();
            for from in 0..count {
                let (ahead, expected) = (climbed(&hierarchy.ahead, count, from), plain(&arcs, from));
                for to in 0..count {
                    let over = (0..count).filter_map(|top| Some(ahead[top]?.plus(back[to][top]?)));
                    let best = over.min_by_key(|cost| (cost.weight, cost.cm));
                    let key = |cost: Option<Cost>| cost.map(|cost| (cost.weight, cost.cm));
                    assert_eq!(key(best), key(expected[to]), "{lanes} lanes, {from} to {to}");
                }
            }
        }
    }
}
