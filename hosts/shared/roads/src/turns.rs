//! Allowed turns and their costs.

use std::collections::{BTreeMap, BTreeSet};

use crate::coord::Coord;
use crate::cost::whole_number;
use crate::extract::{Extract, ExtractVia};
use crate::profile::{Direction, Effect, Obstacle, STOP_MS, Travel};
use crate::segments::{RoadSegment, RoadSegments};

/// The ID of a directed edge: twice the number of its road segment, plus 1 for the reverse
/// direction.
pub(crate) type EdgeId = u32;

/// A turn into another edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) to: EdgeId,
    pub(crate) ms: u32,
    /// Whether the turn enters a restricted road (residents, customers or deliveries only).
    pub(crate) restricted: bool,
}

/// The turns of each edge, and the copies of edges after turn restrictions via a way.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    pub(crate) of: Vec<Vec<Turn>>,
    /// The original of each copy. Copies are numbered after the last edge.
    pub(crate) copies: Vec<EdgeId>,
}

impl Turns {
    /// Returns the original of a copy, or the edge itself.
    pub(crate) fn original(&self, edge: EdgeId) -> EdgeId {
        let copies = self.of.len() - self.copies.len();
        let copy = (edge as usize)
            .checked_sub(copies)
            .and_then(|number| self.copies.get(number));
        copy.copied().unwrap_or(edge)
    }
}

/// The duration in seconds of the sharpest turn. Left turns take longer in right-hand traffic.
const TURN_S: f64 = 7.5;
const BIAS: f64 = 1.075;
const ONCOMING_S: f64 = 2.0;
const U_TURN_S: f64 = 20.0;

/// The distance in metres at which the bearing of a road is measured; shorter on roundabouts.
const BEARING_DISTANCE_M: f64 = 15.0;
const ROUNDABOUT_BEARING_DISTANCE_M: f64 = 2.0;

/// The edges at a junction.
#[derive(Default)]
struct Junction {
    incoming: Vec<EdgeId>,
    outgoing: Vec<EdgeId>,
    /// The number of road segments at the junction, in any direction.
    roads: usize,
    /// The number of road segments with both directions.
    both_ways: usize,
}

/// Finds all turns.
pub(crate) fn turns(extract: &Extract, segments: &RoadSegments) -> Turns {
    let builder = Builder::new(extract, segments);
    let mut found = Turns {
        of: vec![Vec::new(); segments.list.len() * 2],
        copies: Vec::new(),
    };
    for (node, junction) in &builder.junctions {
        for edge in &junction.incoming {
            found.of[*edge as usize] = builder.turns_from(*node, junction, *edge);
        }
    }
    builder.restrict_over_ways(&mut found);
    found
}

struct Builder<'a> {
    extract: &'a Extract,
    list: &'a [RoadSegment],
    junctions: BTreeMap<u32, Junction>,
    /// The bearings at both ends of each road segment, away from the end.
    bearings: Vec<[f64; 2]>,
    /// The restrictions of a way and a node at its end: the `to` way, and whether the turn is
    /// mandatory.
    restrictions: BTreeMap<(u32, u32), Vec<(u32, bool)>>,
}

impl<'a> Builder<'a> {
    fn new(extract: &'a Extract, segments: &'a RoadSegments) -> Builder<'a> {
        let list = &segments.list[..];
        let mut junctions: BTreeMap<u32, Junction> = BTreeMap::new();
        for (segment, number) in list.iter().zip(0u32..) {
            for (direction, travel) in (0u32..).zip(&segment.travel) {
                let [from, to] = if direction == 0 {
                    segment.ends
                } else {
                    [segment.ends[1], segment.ends[0]]
                };
                if travel.is_some() {
                    junctions
                        .entry(from)
                        .or_default()
                        .outgoing
                        .push(number * 2 + direction);
                    junctions
                        .entry(to)
                        .or_default()
                        .incoming
                        .push(number * 2 + direction);
                }
            }
            for end in segment.ends {
                let junction = junctions.entry(end).or_default();
                junction.roads += 1;
                junction.both_ways += usize::from(segment.travel.iter().all(Option::is_some));
            }
        }
        let bearings = list
            .iter()
            .map(|segment| bearings(segment, &segments.shapes))
            .collect();
        let mut restrictions: BTreeMap<(u32, u32), Vec<(u32, bool)>> = BTreeMap::new();
        for turn in &extract.turns {
            if let ExtractVia::Node(via) = turn.via {
                restrictions
                    .entry((turn.from, via))
                    .or_default()
                    .push((turn.to, turn.only));
            }
        }
        Builder {
            extract,
            list,
            junctions,
            bearings,
            restrictions,
        }
    }

    fn segment(&self, edge: EdgeId) -> &RoadSegment {
        &self.list[edge as usize / 2]
    }

    fn travel(&self, edge: EdgeId) -> Option<Travel> {
        self.segment(edge).travel[edge as usize % 2]
    }

    /// Returns the way at the start of an edge.
    fn first_way(&self, edge: EdgeId) -> u32 {
        self.segment(edge).ways[edge as usize % 2].0
    }

    /// Returns the way at the end of an edge, and whether the edge follows its direction.
    fn last_way(&self, edge: EdgeId) -> (u32, bool) {
        let (way, along) = self.segment(edge).ways[1 - edge as usize % 2];
        (way, along == edge.is_multiple_of(2))
    }

    fn turns_from(&self, node: u32, junction: &Junction, from: EdgeId) -> Vec<Turn> {
        let obstacle = self.extract.obstacles.get(&node).copied();
        let (way, _) = self.last_way(from);
        let nodes = self.extract.nodes_of(way as usize);
        // A restriction applies at the end of its way. In the middle of a way it is invalid.
        let ends_here = [nodes.first(), nodes.last()].contains(&Some(&node));
        let restrictions = self
            .restrictions
            .get(&(way, node))
            .filter(|_| ends_here)
            .map_or(&[][..], |restrictions| restrictions);
        let is_mandatory = |to: u32| {
            restrictions
                .iter()
                .any(|restriction| restriction.1 && restriction.0 == to)
        };
        let exists = |to: u32| {
            junction
                .outgoing
                .iter()
                .any(|edge| self.first_way(*edge) == to)
        };
        let any_mandatory = restrictions
            .iter()
            .any(|restriction| restriction.1 && exists(restriction.0));
        let open: Vec<EdgeId> = junction
            .outgoing
            .iter()
            .copied()
            .filter(|edge| {
                let to = self.first_way(*edge);
                let forbidden = restrictions
                    .iter()
                    .any(|restriction| !restriction.1 && restriction.0 == to);
                !forbidden && (!any_mandatory || is_mandatory(to))
            })
            .collect();
        let u_turn_allowed = matches!(
            obstacle,
            Some(Obstacle {
                effect: Effect::Barrier | Effect::Turning,
                ..
            })
        ) || junction.roads == 1
            || open.len() == 1
            || junction.both_ways <= 1;
        let blocked = obstacle.is_some_and(|obstacle| obstacle.effect == Effect::Barrier);
        let allowed = open.iter().filter(|edge| {
            if **edge == from ^ 1 {
                u_turn_allowed
            } else {
                !blocked
            }
        });
        allowed
            .map(|edge| self.turn(junction, obstacle, from, *edge))
            .collect()
    }

    fn turn(
        &self,
        junction: &Junction,
        obstacle: Option<Obstacle>,
        from: EdgeId,
        to: EdgeId,
    ) -> Turn {
        let back = to == from ^ 1;
        let delay = obstacle.map_or(0, |obstacle| self.delay(junction, obstacle, from, to));
        let mut seconds = 0.0;
        if back {
            seconds = turn_seconds(180.0, false) + U_TURN_S;
        } else if junction.roads > 2 {
            let incoming = self.bearings[from as usize / 2][1 - from as usize % 2] + 180.0;
            let outgoing = self.bearings[to as usize / 2][to as usize % 2];
            let angle = (outgoing - incoming + 540.0).rem_euclid(360.0) - 180.0;
            seconds = turn_seconds(
                angle,
                !self.segment(from).is_roundabout && !self.segment(to).is_roundabout,
            );
        }
        let restricted = |edge: EdgeId| self.travel(edge).is_some_and(|travel| travel.restricted);
        // Truncated to tenths as in OSRM, so going straight has no cost.
        let ms = whole_number(libm::floor(seconds * 10.0)) * 100;
        Turn {
            to,
            ms: ms + delay,
            restricted: restricted(to) && !restricted(from),
        }
    }

    /// Returns the delay in milliseconds of an obstacle at the junction.
    fn delay(&self, junction: &Junction, obstacle: Obstacle, from: EdgeId, to: EdgeId) -> u32 {
        let along = self.last_way(from).1;
        let faces = match obstacle.direction {
            Direction::Both => true,
            Direction::Forward => along,
            Direction::Backward => !along,
        };
        let speed = |edge: EdgeId| self.travel(edge).map_or(0.0, |travel| travel.speed);
        match obstacle.effect {
            _ if !faces => 0,
            Effect::Wait(ms) => ms,
            // A stop sign without a direction directly after a junction applies to the opposite
            // direction.
            Effect::Stop => {
                let behind = junction.roads == 2
                    && obstacle.direction == Direction::Both
                    && self.segment(from).metres < 20.0
                    && self.segment(to).metres > 20.0;
                if behind { 0 } else { STOP_MS }
            }
            Effect::StopMinor => {
                let faster = junction
                    .outgoing
                    .iter()
                    .chain(&junction.incoming)
                    .any(|edge| speed(*edge) > speed(from));
                if faster { STOP_MS } else { 0 }
            }
            Effect::Barrier | Effect::Turning => 0,
        }
    }

    /// Applies restrictions via a way: a trip that enters the way from the restricted edge uses a
    /// copy without the forbidden turn.
    fn restrict_over_ways(&self, found: &mut Turns) {
        let mut copy_of: BTreeMap<(EdgeId, EdgeId), EdgeId> = BTreeMap::new();
        for restriction in &self.extract.turns {
            let ExtractVia::Way(via) = restriction.via else {
                continue;
            };
            for (from, over) in self.edges_via(restriction.from, via, found) {
                let targets: BTreeSet<EdgeId> = found.of[over as usize]
                    .iter()
                    .map(|turn| turn.to)
                    .filter(|edge| self.first_way(*edge) == restriction.to)
                    .collect();
                if targets.is_empty() {
                    continue;
                }
                let copy = *copy_of.entry((from, over)).or_insert_with(|| {
                    let copy = u32::try_from(found.of.len()).unwrap_or(u32::MAX);
                    let onward = found.of[over as usize].clone();
                    found.of.push(onward);
                    found.copies.push(over);
                    for turn in found.of[from as usize]
                        .iter_mut()
                        .filter(|turn| turn.to == over)
                    {
                        turn.to = copy;
                    }
                    copy
                });
                found.of[copy as usize]
                    .retain(|turn| targets.contains(&turn.to) == restriction.only);
            }
        }
    }

    /// Returns the edges that end on a way, with the next edge that is the whole of another way.
    fn edges_via(&self, from: u32, via: u32, found: &Turns) -> Vec<(EdgeId, EdgeId)> {
        let nodes = self.extract.nodes_of(via as usize);
        let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else {
            return Vec::new();
        };
        let mut entries = Vec::new();
        for (here, there) in [(*first, *last), (*last, *first)] {
            let Some(junction) = self.junctions.get(&here) else {
                continue;
            };
            let covers_via = |edge: &EdgeId| {
                let segment = self.segment(*edge);
                segment.ways.iter().all(|way| way.0 == via)
                    && segment.ends[1 - *edge as usize % 2] == there
            };
            let incoming = junction
                .incoming
                .iter()
                .filter(|edge| self.last_way(**edge).0 == from);
            for edge in incoming {
                let turns = found.of[*edge as usize]
                    .iter()
                    .map(|turn| found.original(turn.to));
                let over = turns.into_iter().find(covers_via);
                entries.extend(over.map(|over| (*edge, over)));
            }
        }
        entries
    }
}

/// Returns the duration in seconds of a turn by an angle in degrees, positive to the right.
fn turn_seconds(angle: f64, crossing: bool) -> f64 {
    let bias = if angle >= 0.0 { BIAS } else { 1.0 / BIAS };
    let part = angle.abs() / 180.0;
    let turning = TURN_S / (1.0 + libm::exp(-(13.0 / bias * part - 6.5 * bias)));
    // Left turns yield to oncoming traffic.
    let oncoming = if crossing && angle < 0.0 {
        ONCOMING_S / (1.0 + libm::exp(-(13.0 * part - 3.25)))
    } else {
        0.0
    };
    turning + oncoming
}

fn bearings(segment: &RoadSegment, shapes: &[Coord]) -> [f64; 2] {
    let shape = &shapes[segment.shape.0..segment.shape.1];
    let distance = if segment.is_roundabout {
        ROUNDABOUT_BEARING_DISTANCE_M
    } else {
        BEARING_DISTANCE_M
    };
    [
        bearing(shape.iter().copied(), distance),
        bearing(shape.iter().rev().copied(), distance),
    ]
}

/// Returns the bearing from a shape's first coordinate to the coordinate at a distance along it.
fn bearing(mut shape: impl Iterator<Item = Coord>, distance: f64) -> f64 {
    let Some(start) = shape.next() else {
        return 0.0;
    };
    let (mut here, mut left) = (start, distance);
    for next in shape {
        let metres = here.metres_to(next);
        if metres >= left {
            here = here.towards(next, left / metres.max(1e-3));
            break;
        }
        left -= metres;
        here = next;
    }
    start.bearing_to(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharp_and_left_turns_cost_more() {
        let [ahead, right, left, sharp] =
            [0.0, 90.0, -90.0, 170.0].map(|angle| turn_seconds(angle, true));
        assert!(
            ahead < 0.1 && ahead < right && right < left && right < sharp && sharp < TURN_S + 0.1
        );
    }

    #[test]
    fn bearing_is_measured_past_first_metres() {
        let coord = |lat, lon| Coord { lat, lon };
        // One metre north, then east.
        let shape = [coord(0, 0), coord(90, 0), coord(90, 9_000)];
        assert!((bearing(shape.into_iter(), BEARING_DISTANCE_M) - 86.0).abs() < 2.0);
        assert!(bearing(shape.into_iter().take(2), BEARING_DISTANCE_M).abs() < 1e-9);
    }
}
