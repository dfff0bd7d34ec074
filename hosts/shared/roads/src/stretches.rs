//! From ways to stretches: what lies between two junctions, with nothing to decide on the way.

use crate::draft::{Draft, DraftVia};
use crate::error::RoadsError;
use crate::place::Place;
use crate::profile::{Ride, Road};

/// A road between two junctions, ridden one way or both.
#[derive(Debug)]
pub(crate) struct RoadSegment {
    /// The junctions at its ends, as numbers of nodes.
    pub(crate) ends: [u32; 2],
    /// The way at each end, and whether a ride from end 0 to end 1 goes along it.
    pub(crate) ways: [(u32, bool); 2],
    /// Where its places begin and end in the list of all shapes.
    pub(crate) shape: (usize, usize),
    pub(crate) metres: f64,
    /// From end 0 to end 1, and back.
    pub(crate) rides: [Option<Ride>; 2],
    pub(crate) round: bool,
    pub(crate) snappable: bool,
}

/// All stretches.
#[derive(Debug, Default)]
pub(crate) struct Stretches {
    pub(crate) list: Vec<RoadSegment>,
    pub(crate) shapes: Vec<Place>,
}

/// Joins the segments of an extract's ways. A circle that nothing else touches has no junction, and is left out: it is an island.
pub(crate) fn join(draft: &Draft) -> Result<Stretches, RoadsError> {
    let mut joiner = Joiner::new(draft);
    joiner.find_junctions();
    for node in 0..joiner.junction.len() {
        if !joiner.junction[node] {
            continue;
        }
        for index in joiner.around[node]..joiner.around[node + 1] {
            let segment = joiner.touching[index];
            if !joiner.done[segment] {
                joiner.follow(node, segment)?;
            }
        }
    }
    Ok(joiner.found)
}

/// Segments are numbered by the position of their first node among all ways' nodes.
struct Joiner<'a> {
    draft: &'a Draft,
    way_of: Vec<u32>,
    /// For each node where its segments begin in `touching`.
    around: Vec<usize>,
    touching: Vec<usize>,
    junction: Vec<bool>,
    done: Vec<bool>,
    found: Stretches,
}

impl<'a> Joiner<'a> {
    fn new(draft: &'a Draft) -> Joiner<'a> {
        let known = |node: u32| draft.places.get(node as usize).copied().flatten().is_some();
        let mut way_of = vec![0; draft.nodes.len()];
        let mut segments = Vec::new();
        for (way, number) in (0..draft.ways.len()).zip(0u32..) {
            let start = draft.ways[way].start;
            for (offset, pair) in draft.nodes_of(way).windows(2).enumerate() {
                way_of[start + offset] = number;
                // A way may leave the extract and come back; a node may be named twice in a row.
                if pair[0] != pair[1] && known(pair[0]) && known(pair[1]) {
                    segments.push((start + offset, pair[0] as usize, pair[1] as usize));
                }
            }
        }
        let count = draft.places.len();
        let mut around = vec![0usize; count + 1];
        for (_, from, to) in &segments {
            around[from + 1] += 1;
            around[to + 1] += 1;
        }
        for node in 0..count {
            around[node + 1] += around[node];
        }
        let mut free = around.clone();
        let mut touching = vec![0; segments.len() * 2];
        for (segment, from, to) in segments {
            for node in [from, to] {
                touching[free[node]] = segment;
                free[node] += 1;
            }
        }
        let done = vec![false; draft.nodes.len()];
        Joiner { draft, way_of, around, touching, junction: vec![false; count], done, found: Stretches::default() }
    }

    fn find_junctions(&mut self) {
        for node in 0..self.junction.len() {
            self.junction[node] = match self.touching[self.around[node]..self.around[node + 1]] {
                [] => false,
                [one, other] => !self.runs_on(node, one, other),
                _ => true,
            };
        }
        for node in self.draft.obstacles.keys() {
            self.keep(*node);
        }
        for turn in &self.draft.turns {
            match turn.via {
                DraftVia::Node(node) => self.keep(node),
                DraftVia::Way(way) => {
                    let nodes = self.draft.nodes_of(way as usize);
                    for node in [nodes.first(), nodes.last()].into_iter().flatten() {
                        self.keep(*node);
                    }
                }
            }
        }
    }

    /// Makes a node that some road touches a junction.
    fn keep(&mut self, node: u32) {
        let node = node as usize;
        if node < self.junction.len() && self.around[node] < self.around[node + 1] {
            self.junction[node] = true;
        }
    }

    /// Whether two segments at a node are one road that goes on unchanged.
    fn runs_on(&self, node: usize, one: usize, other: usize) -> bool {
        if one == other || self.across(one, node) == self.across(other, node) {
            return false;
        }
        // In through one, out through the other.
        let (into, out) = (self.road_from(one, self.across(one, node)), self.road_from(other, node));
        into == out
    }

    /// The node at the other end of a segment.
    fn across(&self, segment: usize, node: usize) -> usize {
        let (from, to) = (self.draft.nodes[segment] as usize, self.draft.nodes[segment + 1] as usize);
        if from == node { to } else { from }
    }

    /// A segment's road as it looks to who begins at a node: forward is away from it.
    fn road_from(&self, segment: usize, node: usize) -> Road {
        let road = self.draft.ways[self.way_of[segment] as usize].road;
        if self.draft.nodes[segment] as usize == node {
            road
        } else {
            Road { forward: road.backward, backward: road.forward, ..road }
        }
    }

    /// Walks from a junction to the next one.
    fn follow(&mut self, start: usize, first: usize) -> Result<(), RoadsError> {
        let road = self.road_from(first, start);
        let begin = self.found.shapes.len();
        let place = |node: usize| self.draft.places[node].ok_or(RoadsError::NoRoads);
        let number = |node: usize| u32::try_from(node).map_err(|_| RoadsError::TooLarge);
        let way_at = |segment: usize, from: usize| (self.way_of[segment], self.draft.nodes[segment] as usize == from);
        let mut here = place(start)?;
        self.found.shapes.push(here);
        let (mut at, mut segment, mut metres) = (start, first, 0.0);
        let last = loop {
            self.done[segment] = true;
            let next = self.across(segment, at);
            let there = place(next)?;
            metres += here.metres_to(there);
            self.found.shapes.push(there);
            let way = way_at(segment, at);
            (at, here) = (next, there);
            if self.junction[at] {
                break way;
            }
            let onward = self.touching[self.around[at]..self.around[at + 1]].iter().find(|other| **other != segment);
            // A node that is no junction has two segments.
            let Some(onward) = onward else { break way };
            segment = *onward;
        };
        self.found.list.push(RoadSegment {
            ends: [number(start)?, number(at)?],
            ways: [way_at(first, start), last],
            shape: (begin, self.found.shapes.len()),
            metres,
            rides: [road.forward, road.backward],
            round: road.round,
            snappable: road.snappable,
        });
        Ok(())
    }
}
