//! Conversion of ways to road segments between two junctions.

use crate::coord::Coord;
use crate::error::RoadsError;
use crate::extract::{Extract, ExtractVia};
use crate::profile::{Road, Travel};

/// A road between two junctions, in one or both directions.
#[derive(Debug)]
pub(crate) struct RoadSegment {
    /// The nodes of the junctions at its ends.
    pub(crate) ends: [u32; 2],
    /// The way at each end, and whether the direction from end 0 to end 1 follows the way's
    /// direction.
    pub(crate) ways: [(u32, bool); 2],
    /// The range of its coordinates in the list of all shapes.
    pub(crate) shape: (usize, usize),
    pub(crate) metres: f64,
    /// Travel from end 0 to end 1, and back.
    pub(crate) travel: [Option<Travel>; 2],
    pub(crate) is_roundabout: bool,
    pub(crate) is_snappable: bool,
}

/// All road segments and their coordinates.
#[derive(Debug, Default)]
pub(crate) struct RoadSegments {
    pub(crate) list: Vec<RoadSegment>,
    pub(crate) shapes: Vec<Coord>,
}

/// Joins the line segments of an extract's ways. A closed way without a junction is omitted: it is
/// an island.
pub(crate) fn join(extract: &Extract) -> Result<RoadSegments, RoadsError> {
    let mut builder = SegmentBuilder::new(extract);
    builder.find_junctions();
    for node in 0..builder.junction.len() {
        if !builder.junction[node] {
            continue;
        }
        for index in builder.around[node]..builder.around[node + 1] {
            let line = builder.touching[index];
            if !builder.done[line] {
                builder.follow(node, line)?;
            }
        }
    }
    Ok(builder.found)
}

/// Joins line segments, which are numbered by the position of their first node among all ways'
/// nodes.
struct SegmentBuilder<'a> {
    extract: &'a Extract,
    way_of: Vec<u32>,
    /// The start of each node's list in `touching`.
    around: Vec<usize>,
    touching: Vec<usize>,
    junction: Vec<bool>,
    done: Vec<bool>,
    found: RoadSegments,
}

impl<'a> SegmentBuilder<'a> {
    fn new(extract: &'a Extract) -> SegmentBuilder<'a> {
        let known = |node: u32| {
            extract
                .coords
                .get(node as usize)
                .copied()
                .flatten()
                .is_some()
        };
        let mut way_of = vec![0; extract.nodes.len()];
        let mut lines = Vec::new();
        for (way, number) in (0..extract.ways.len()).zip(0u32..) {
            let start = extract.ways[way].start;
            for (offset, pair) in extract.nodes_of(way).windows(2).enumerate() {
                way_of[start + offset] = number;
                // A way can leave the extract and return, and can contain a node twice in a row.
                if pair[0] != pair[1] && known(pair[0]) && known(pair[1]) {
                    lines.push((start + offset, pair[0] as usize, pair[1] as usize));
                }
            }
        }
        let count = extract.coords.len();
        let mut around = vec![0usize; count + 1];
        for (_, from, to) in &lines {
            around[from + 1] += 1;
            around[to + 1] += 1;
        }
        for node in 0..count {
            around[node + 1] += around[node];
        }
        let mut free = around.clone();
        let mut touching = vec![0; lines.len() * 2];
        for (line, from, to) in lines {
            for node in [from, to] {
                touching[free[node]] = line;
                free[node] += 1;
            }
        }
        let done = vec![false; extract.nodes.len()];
        SegmentBuilder {
            extract,
            way_of,
            around,
            touching,
            junction: vec![false; count],
            done,
            found: RoadSegments::default(),
        }
    }

    fn find_junctions(&mut self) {
        for node in 0..self.junction.len() {
            self.junction[node] = match self.touching[self.around[node]..self.around[node + 1]] {
                [] => false,
                [one, other] => !self.is_continuation(node, one, other),
                _ => true,
            };
        }
        for node in self.extract.obstacles.keys() {
            self.mark_junction(*node);
        }
        for turn in &self.extract.turns {
            match turn.via {
                ExtractVia::Node(node) => self.mark_junction(node),
                ExtractVia::Way(way) => {
                    let nodes = self.extract.nodes_of(way as usize);
                    for node in [nodes.first(), nodes.last()].into_iter().flatten() {
                        self.mark_junction(*node);
                    }
                }
            }
        }
    }

    /// Marks a node on a road as a junction.
    fn mark_junction(&mut self, node: u32) {
        let node = node as usize;
        if node < self.junction.len() && self.around[node] < self.around[node + 1] {
            self.junction[node] = true;
        }
    }

    /// Returns whether two line segments at a node continue the same road unchanged.
    fn is_continuation(&self, node: usize, one: usize, other: usize) -> bool {
        if one == other || self.other_end(one, node) == self.other_end(other, node) {
            return false;
        }
        // In through one line segment, out through the other.
        let (into, out) = (
            self.road_from(one, self.other_end(one, node)),
            self.road_from(other, node),
        );
        into == out
    }

    /// Returns the node at the other end of a line segment.
    fn other_end(&self, line: usize, node: usize) -> usize {
        let (from, to) = (
            self.extract.nodes[line] as usize,
            self.extract.nodes[line + 1] as usize,
        );
        if from == node { to } else { from }
    }

    /// Returns a line segment's road in the direction away from a node.
    fn road_from(&self, line: usize, node: usize) -> Road {
        let road = self.extract.ways[self.way_of[line] as usize].road;
        if self.extract.nodes[line] as usize == node {
            road
        } else {
            Road {
                forward: road.backward,
                backward: road.forward,
                ..road
            }
        }
    }

    /// Follows a road from a junction to the next one.
    fn follow(&mut self, start: usize, first: usize) -> Result<(), RoadsError> {
        let road = self.road_from(first, start);
        let begin = self.found.shapes.len();
        let coord = |node: usize| self.extract.coords[node].ok_or(RoadsError::NoRoads);
        let number = |node: usize| u32::try_from(node).map_err(|_| RoadsError::TooLarge);
        let way_at = |line: usize, from: usize| {
            (self.way_of[line], self.extract.nodes[line] as usize == from)
        };
        let mut here = coord(start)?;
        self.found.shapes.push(here);
        let (mut at, mut line, mut metres) = (start, first, 0.0);
        let last = loop {
            self.done[line] = true;
            let next = self.other_end(line, at);
            let there = coord(next)?;
            metres += here.metres_to(there);
            self.found.shapes.push(there);
            let way = way_at(line, at);
            (at, here) = (next, there);
            if self.junction[at] {
                break way;
            }
            let next_line = self.touching[self.around[at]..self.around[at + 1]]
                .iter()
                .find(|other| **other != line);
            // A node that is not a junction has two line segments.
            let Some(next_line) = next_line else {
                break way;
            };
            line = *next_line;
        };
        self.found.list.push(RoadSegment {
            ends: [number(start)?, number(at)?],
            ways: [way_at(first, start), last],
            shape: (begin, self.found.shapes.len()),
            metres,
            travel: [road.forward, road.backward],
            is_roundabout: road.is_roundabout,
            is_snappable: road.is_snappable,
        });
        Ok(())
    }
}
