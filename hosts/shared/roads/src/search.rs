//! The fastest rides from many points to many others.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::{Cost, NONE};
use crate::hierarchy::Arcs;
use crate::network::Roads;
use crate::snap::SnappedPoint;

/// The cost of the fastest ride from each start to each end, row by row; `None` where there is none.
///
/// Every end climbs the hierarchy once and leaves its cost in a bucket at each lane that it passes; every start climbs once and
/// empties the buckets on its way.
pub(crate) fn costs(roads: &Roads, starts: &[Vec<SnappedPoint>], ends: &[Vec<SnappedPoint>]) -> Vec<Option<Cost>> {
    let mut climb = UpwardSearch::new(roads.lanes.len());
    let mut buckets = Buckets { heads: vec![NONE; roads.lanes.len()], entries: Vec::new() };
    for (number, end) in (0u32..).zip(ends) {
        climb.begin();
        end.iter().for_each(|spot| climb.offer(spot.lane, spot.before));
        climb.run(&roads.hierarchy.back, |lane, cost| buckets.put(lane, number, cost));
    }
    let mut all = Vec::with_capacity(starts.len() * ends.len());
    for start in starts {
        let mut best: Vec<Option<Cost>> = ends.iter().map(|end| straight(start, end)).collect();
        climb.begin();
        for spot in start {
            let rest = roads.cost(spot.lane).minus(spot.before);
            roads.onward(spot.lane).iter().for_each(|turn| climb.offer(turn.to, rest.plus(turn.cost())));
        }
        climb.run(&roads.hierarchy.ahead, |lane, cost| {
            buckets.each(lane, |end, onward| {
                let (whole, known) = (cost.plus(onward), &mut best[end as usize]);
                if known.is_none_or(|known| whole.is_below(known)) {
                    *known = Some(whole);
                }
            });
        });
        all.append(&mut best);
    }
    all
}

/// The cost of riding on along one lane, where both spots lie on it.
fn straight(start: &[SnappedPoint], end: &[SnappedPoint]) -> Option<Cost> {
    let pairs = start.iter().flat_map(|from| end.iter().map(move |to| (from, to)));
    let ahead = pairs.filter(|(from, to)| from.lane == to.lane && to.before.cm >= from.before.cm);
    ahead.map(|(from, to)| to.before.minus(from.before)).min_by_key(|cost| (cost.weight, cost.cm))
}

/// What ends left at lanes: for each lane a chain of entries.
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
    fn put(&mut self, lane: u32, end: u32, cost: Cost) {
        let number = u32::try_from(self.entries.len()).unwrap_or(NONE);
        let head = &mut self.heads[lane as usize];
        self.entries.push(Entry { next: *head, end, cost });
        *head = number;
    }

    fn each(&self, lane: u32, mut each: impl FnMut(u32, Cost)) {
        let mut number = self.heads[lane as usize];
        while let Some(entry) = self.entries.get(number as usize) {
            each(entry.end, entry.cost);
            number = entry.next;
        }
    }
}

/// A search that only climbs; its tables are kept for the next.
struct UpwardSearch {
    /// The cost to each lane's start; valid where the round is the current one.
    reached: Vec<(u32, Cost)>,
    round: u32,
    /// Weight first; the lane breaks ties, so that every host goes the same way.
    queue: BinaryHeap<Reverse<(u32, u32)>>,
}

impl UpwardSearch {
    fn new(lanes: usize) -> UpwardSearch {
        UpwardSearch { reached: vec![(0, Cost::default()); lanes], round: 0, queue: BinaryHeap::new() }
    }

    /// Starts a round; there are as many as points, far fewer than numbers.
    fn begin(&mut self) {
        self.round += 1;
        self.queue.clear();
    }

    fn offer(&mut self, lane: u32, cost: Cost) {
        let (round, known) = &mut self.reached[lane as usize];
        if *round != self.round || cost.is_below(*known) {
            (*round, *known) = (self.round, cost);
            self.queue.push(Reverse((cost.weight, lane)));
        }
    }

    fn run(&mut self, arcs: &Arcs, mut each: impl FnMut(u32, Cost)) {
        while let Some(Reverse((weight, lane))) = self.queue.pop() {
            let cost = self.reached[lane as usize].1;
            // Entries of a cost that was bettered meanwhile stay in the queue.
            if cost.weight != weight {
                continue;
            }
            each(lane, cost);
            for arc in arcs.of(lane) {
                self.offer(arc.to, cost.plus(arc.cost));
            }
        }
    }
}
