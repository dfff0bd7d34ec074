//! Which turns are allowed, and what they cost.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::whole_number;
use crate::draft::{Draft, DraftVia};
use crate::place::Place;
use crate::profile::{Effect, Heading, Obstacle, Ride, STOP_MS};
use crate::stretches::{RoadSegment, Stretches};

/// One direction of a stretch: twice its number, plus 1 for the way back.
pub(crate) type Lane = u32;

/// A turn into another lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) to: Lane,
    pub(crate) ms: u32,
    /// Into a road that is for residents, customers or deliveries alone: only to end there.
    pub(crate) restricted: bool,
}

/// For each lane its turns, and the lanes that stand in for others behind a restricted turn over a way.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    pub(crate) of: Vec<Vec<Turn>>,
    /// Each copy (numbered on after the last lane) and the lane that it stands for.
    pub(crate) copies: Vec<Lane>,
}

impl Turns {
    /// The lane that a copy stands for; any other lane itself.
    pub(crate) fn original(&self, lane: Lane) -> Lane {
        let copies = self.of.len() - self.copies.len();
        let copy = (lane as usize).checked_sub(copies).and_then(|number| self.copies.get(number));
        copy.copied().unwrap_or(lane)
    }
}

/// Seconds that the sharpest turn costs; turns to the left cost more, since traffic keeps to the right.
const TURN_S: f64 = 7.5;
const BIAS: f64 = 1.075;
const ONCOMING_S: f64 = 2.0;
const U_TURN_S: f64 = 20.0;

/// How far ahead a driver looks to see where a road leads, in metres.
const LOOK_M: f64 = 15.0;
const LOOK_ROUND_M: f64 = 2.0;

/// What meets at one junction.
#[derive(Default)]
struct Junction {
    arriving: Vec<Lane>,
    leaving: Vec<Lane>,
    /// Roads that touch it, whatever their direction.
    roads: usize,
    /// Roads that are ridden both ways.
    both_ways: usize,
}

/// Finds every turn.
pub(crate) fn turns(draft: &Draft, stretches: &Stretches) -> Turns {
    let builder = Builder::new(draft, stretches);
    let mut found = Turns { of: vec![Vec::new(); stretches.list.len() * 2], copies: Vec::new() };
    for (node, junction) in &builder.junctions {
        for lane in &junction.arriving {
            found.of[*lane as usize] = builder.turns_from(*node, junction, *lane);
        }
    }
    builder.restrict_over_ways(&mut found);
    found
}

struct Builder<'a> {
    draft: &'a Draft,
    list: &'a [RoadSegment],
    junctions: BTreeMap<u32, Junction>,
    /// Bearings at both ends of each stretch, away from the end.
    bearings: Vec<[f64; 2]>,
    /// For a way and a node at its end: where one must or must not go on.
    signs: BTreeMap<(u32, u32), Vec<(u32, bool)>>,
}

impl<'a> Builder<'a> {
    fn new(draft: &'a Draft, stretches: &'a Stretches) -> Builder<'a> {
        let list = &stretches.list[..];
        let mut junctions: BTreeMap<u32, Junction> = BTreeMap::new();
        for (stretch, number) in list.iter().zip(0u32..) {
            for (direction, ride) in (0u32..).zip(&stretch.rides) {
                let [from, to] = if direction == 0 { stretch.ends } else { [stretch.ends[1], stretch.ends[0]] };
                if ride.is_some() {
                    junctions.entry(from).or_default().leaving.push(number * 2 + direction);
                    junctions.entry(to).or_default().arriving.push(number * 2 + direction);
                }
            }
            for end in stretch.ends {
                let junction = junctions.entry(end).or_default();
                junction.roads += 1;
                junction.both_ways += usize::from(stretch.rides.iter().all(Option::is_some));
            }
        }
        let bearings = list.iter().map(|stretch| bearings(stretch, &stretches.shapes)).collect();
        let mut signs: BTreeMap<(u32, u32), Vec<(u32, bool)>> = BTreeMap::new();
        for turn in &draft.turns {
            if let DraftVia::Node(via) = turn.via {
                signs.entry((turn.from, via)).or_default().push((turn.to, turn.only));
            }
        }
        Builder { draft, list, junctions, bearings, signs }
    }

    fn stretch(&self, lane: Lane) -> &RoadSegment {
        &self.list[lane as usize / 2]
    }

    fn ride(&self, lane: Lane) -> Option<Ride> {
        self.stretch(lane).rides[lane as usize % 2]
    }

    /// The way that a lane begins on.
    fn first_way(&self, lane: Lane) -> u32 {
        self.stretch(lane).ways[lane as usize % 2].0
    }

    /// The way that a lane ends on, and whether it goes along it there.
    fn last_way(&self, lane: Lane) -> (u32, bool) {
        let (way, along) = self.stretch(lane).ways[1 - lane as usize % 2];
        (way, along == lane.is_multiple_of(2))
    }

    fn turns_from(&self, node: u32, junction: &Junction, from: Lane) -> Vec<Turn> {
        let obstacle = self.draft.obstacles.get(&node).copied();
        let (way, _) = self.last_way(from);
        let nodes = self.draft.nodes_of(way as usize);
        // A sign counts for those who come from its way's end; one in the middle of a way is a mistake.
        let ends_here = [nodes.first(), nodes.last()].contains(&Some(&node));
        let signs = self.signs.get(&(way, node)).filter(|_| ends_here).map_or(&[][..], |signs| signs);
        let commanded = |to: u32| signs.iter().any(|sign| sign.1 && sign.0 == to);
        let exists = |to: u32| junction.leaving.iter().any(|lane| self.first_way(*lane) == to);
        let any_command = signs.iter().any(|sign| sign.1 && exists(sign.0));
        let open: Vec<Lane> = junction
            .leaving
            .iter()
            .copied()
            .filter(|lane| {
                let to = self.first_way(*lane);
                let forbidden = signs.iter().any(|sign| !sign.1 && sign.0 == to);
                !forbidden && (!any_command || commanded(to))
            })
            .collect();
        let round_again = matches!(obstacle, Some(Obstacle { effect: Effect::Barrier | Effect::Turning, .. }))
            || junction.roads == 1
            || open.len() == 1
            || junction.both_ways <= 1;
        let barred = obstacle.is_some_and(|obstacle| obstacle.effect == Effect::Barrier);
        let allowed = open.iter().filter(|lane| if **lane == from ^ 1 { round_again } else { !barred });
        allowed.map(|lane| self.turn(junction, obstacle, from, *lane)).collect()
    }

    fn turn(&self, junction: &Junction, obstacle: Option<Obstacle>, from: Lane, to: Lane) -> Turn {
        let back = to == from ^ 1;
        let waiting = obstacle.map_or(0, |obstacle| self.waiting(junction, obstacle, from, to));
        let mut seconds = 0.0;
        if back {
            seconds = turn_seconds(180.0, false) + U_TURN_S;
        } else if junction.roads > 2 {
            let arriving = self.bearings[from as usize / 2][1 - from as usize % 2] + 180.0;
            let leaving = self.bearings[to as usize / 2][to as usize % 2];
            let angle = (leaving - arriving + 540.0).rem_euclid(360.0) - 180.0;
            seconds = turn_seconds(angle, !self.stretch(from).round && !self.stretch(to).round);
        }
        let restricted = |lane: Lane| self.ride(lane).is_some_and(|ride| ride.restricted);
        // Cut to tenths, as OSRM does: going straight on costs nothing.
        let ms = whole_number(libm::floor(seconds * 10.0)) * 100;
        Turn { to, ms: ms + waiting, restricted: restricted(to) && !restricted(from) }
    }

    /// Milliseconds that an obstacle at the junction takes.
    fn waiting(&self, junction: &Junction, obstacle: Obstacle, from: Lane, to: Lane) -> u32 {
        let along = self.last_way(from).1;
        let faces = match obstacle.heading {
            Heading::Both => true,
            Heading::Forward => along,
            Heading::Backward => !along,
        };
        let speed = |lane: Lane| self.ride(lane).map_or(0.0, |ride| ride.speed);
        match obstacle.effect {
            _ if !faces => 0,
            Effect::Wait(ms) => ms,
            // A sign without a direction, just behind a junction, is for those who come from the other side.
            Effect::Stop => {
                let behind = junction.roads == 2
                    && obstacle.heading == Heading::Both
                    && self.stretch(from).metres < 20.0
                    && self.stretch(to).metres > 20.0;
                if behind { 0 } else { STOP_MS }
            }
            Effect::StopMinor => {
                let faster = junction.leaving.iter().chain(&junction.arriving).any(|lane| speed(*lane) > speed(from));
                if faster { STOP_MS } else { 0 }
            }
            Effect::Barrier | Effect::Turning => 0,
        }
    }

    /// Restrictions over a way: who enters the way from there rides a copy of it that lacks the forbidden turn.
    fn restrict_over_ways(&self, found: &mut Turns) {
        let mut copy_of: BTreeMap<(Lane, Lane), Lane> = BTreeMap::new();
        for sign in &self.draft.turns {
            let DraftVia::Way(via) = sign.via else { continue };
            for (from, over) in self.entries(sign.from, via, found) {
                let aims: BTreeSet<Lane> = found.of[over as usize]
                    .iter()
                    .map(|turn| turn.to)
                    .filter(|lane| self.first_way(*lane) == sign.to)
                    .collect();
                if aims.is_empty() {
                    continue;
                }
                let copy = *copy_of.entry((from, over)).or_insert_with(|| {
                    let copy = u32::try_from(found.of.len()).unwrap_or(u32::MAX);
                    let onward = found.of[over as usize].clone();
                    found.of.push(onward);
                    found.copies.push(over);
                    for turn in found.of[from as usize].iter_mut().filter(|turn| turn.to == over) {
                        turn.to = copy;
                    }
                    copy
                });
                found.of[copy as usize].retain(|turn| aims.contains(&turn.to) == sign.only);
            }
        }
    }

    /// Lanes that come from a way and turn into the one lane that is a whole other way.
    fn entries(&self, from: u32, via: u32, found: &Turns) -> Vec<(Lane, Lane)> {
        let nodes = self.draft.nodes_of(via as usize);
        let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else { return Vec::new() };
        let mut entries = Vec::new();
        for (here, there) in [(*first, *last), (*last, *first)] {
            let Some(junction) = self.junctions.get(&here) else { continue };
            let whole = |lane: &Lane| {
                let stretch = self.stretch(*lane);
                stretch.ways.iter().all(|way| way.0 == via) && stretch.ends[1 - *lane as usize % 2] == there
            };
            let arriving = junction.arriving.iter().filter(|lane| self.last_way(**lane).0 == from);
            for lane in arriving {
                let turns = found.of[*lane as usize].iter().map(|turn| found.original(turn.to));
                let over = turns.into_iter().find(whole);
                entries.extend(over.map(|over| (*lane, over)));
            }
        }
        entries
    }
}

/// Seconds for a turn by so many degrees, right positive.
fn turn_seconds(angle: f64, crossing: bool) -> f64 {
    let bias = if angle >= 0.0 { BIAS } else { 1.0 / BIAS };
    let part = angle.abs() / 180.0;
    let turning = TURN_S / (1.0 + libm::exp(-(13.0 / bias * part - 6.5 * bias)));
    // Who turns left waits for those who come towards him.
    let oncoming = if crossing && angle < 0.0 { ONCOMING_S / (1.0 + libm::exp(-(13.0 * part - 3.25))) } else { 0.0 };
    turning + oncoming
}

fn bearings(stretch: &RoadSegment, shapes: &[Place]) -> [f64; 2] {
    let shape = &shapes[stretch.shape.0..stretch.shape.1];
    let look = if stretch.round { LOOK_ROUND_M } else { LOOK_M };
    [bearing(shape.iter().copied(), look), bearing(shape.iter().rev().copied(), look)]
}

/// The bearing from a shape's first place to the place so many metres along it.
fn bearing(mut shape: impl Iterator<Item = Place>, look: f64) -> f64 {
    let Some(start) = shape.next() else { return 0.0 };
    let (mut here, mut left) = (start, look);
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
        let [ahead, right, left, sharp] = [0.0, 90.0, -90.0, 170.0].map(|angle| turn_seconds(angle, true));
        assert!(ahead < 0.1 && ahead < right && right < left && right < sharp && sharp < TURN_S + 0.1);
    }

    #[test]
    fn a_bearing_looks_past_the_first_metres() {
        let place = |lat, lon| Place { lat, lon };
        // A metre to the north, then east.
        let shape = [place(0, 0), place(90, 0), place(90, 9_000)];
        assert!((bearing(shape.into_iter(), LOOK_M) - 86.0).abs() < 2.0);
        assert!(bearing(shape.into_iter().take(2), LOOK_M).abs() < 1e-9);
    }
}
