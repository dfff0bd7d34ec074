//! The network as it is searched: lanes, the turns between them, and where they lie.

use std::io::{Cursor, Read, Seek};
use std::path::Path;

use despacho_core::model::Point;

use crate::cost::{Cost, NONE, Piece, whole_number};
use crate::draft;
use crate::error::RoadsError;
use crate::grid::Grid;
use crate::hierarchy::{self, Arc, Hierarchy};
use crate::parts;
use crate::pbf::Bounds;
use crate::place::Place;
use crate::stretches::{self, Stretches};
use crate::turns::{self, Turns};

/// What entering a road for residents, customers or deliveries alone adds to the choice of roads, in milliseconds: such a road may
/// end a ride, and is no way through.
const RESTRICTED_MS: u32 = 3_276_700;

/// Marks such a turn in [`NextEdge::cost`].
const RESTRICTED: u32 = 1 << 31;

/// One direction of a road between two junctions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DirectedEdge {
    pub(crate) cost: Cost,
    /// Where its turns begin.
    pub(crate) turns: u32,
}

/// A turn into another lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextEdge {
    pub(crate) to: u32,
    cost: u32,
}

impl NextEdge {
    pub(crate) fn cost(self) -> Cost {
        let ms = self.cost & !RESTRICTED;
        let extra = if self.cost & RESTRICTED == 0 { 0 } else { RESTRICTED_MS };
        Cost { weight: ms + extra, ms, cm: 0 }
    }
}

/// The roads of an extract, ready to be asked for legs from many threads.
pub struct Roads {
    /// One more than there are, for the end of the last one's turns.
    pub(crate) lanes: Vec<DirectedEdge>,
    pub(crate) turns: Vec<NextEdge>,
    pub(crate) hierarchy: Hierarchy,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) shapes: Vec<Place>,
    pub(crate) grid: Grid,
    pub(crate) bounds: Option<Bounds>,
    /// Lanes and their copies behind restricted turns, sorted.
    pub(crate) copies: Vec<(u32, u32)>,
}

/// How large a network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Directions of roads between two junctions.
    pub lanes: usize,
    /// Allowed turns between them.
    pub turns: usize,
    /// Bytes of memory that the network takes.
    pub bytes: usize,
}

impl Roads {
    /// Reads an extract from a file.
    ///
    /// # Errors
    /// The file cannot be read, is no whole extract, or holds no road.
    pub fn load(path: &Path) -> Result<Roads, RoadsError> {
        Roads::read(std::io::BufReader::with_capacity(1 << 20, std::fs::File::open(path)?))
    }

    /// Reads an extract from bytes in memory, as in a browser.
    ///
    /// # Errors
    /// The bytes are no whole extract, or hold no road.
    pub fn from_bytes(bytes: &[u8]) -> Result<Roads, RoadsError> {
        Roads::read(Cursor::new(bytes))
    }

    /// Reads an extract from anything that can be read twice.
    ///
    /// # Errors
    /// The bytes cannot be read, are no whole extract, or hold no road.
    pub fn read(extract: impl Read + Seek) -> Result<Roads, RoadsError> {
        let draft = draft::read(extract)?;
        let stretches = stretches::join(&draft)?;
        let turns = turns::turns(&draft, &stretches);
        let bounds = draft.bounds;
        drop(draft);
        build(&stretches, &turns, bounds)
    }

    /// The south-western and north-eastern corner of the area that is covered: as the extract states it, or else of its roads.
    pub fn area(&self) -> (Point, Point) {
        let (low, high) = self.bounds.map_or_else(|| self.grid.corners(), |bounds| (bounds.low, bounds.high));
        (low.point(), high.point())
    }

    /// How large the network is.
    pub fn size(&self) -> Size {
        let bytes = size_of_val(&self.lanes[..])
            + size_of_val(&self.turns[..])
            + self.hierarchy.ahead.bytes()
            + self.hierarchy.back.bytes()
            + size_of_val(&self.pieces[..])
            + size_of_val(&self.shapes[..])
            + size_of_val(&self.copies[..])
            + self.grid.bytes();
        Size { lanes: self.lanes.len().saturating_sub(1), turns: self.turns.len(), bytes }
    }

    /// The turns out of a lane.
    pub(crate) fn onward(&self, lane: u32) -> &[NextEdge] {
        let lane = lane as usize;
        let bounds = self.lanes.get(lane).zip(self.lanes.get(lane + 1));
        let range = bounds.map_or(0..0, |(this, next)| this.turns as usize..next.turns as usize);
        self.turns.get(range).unwrap_or_default()
    }

    /// For each lane the rides from its start to that of the next: along it, and the turn.
    fn arcs(&self, lanes: usize) -> Vec<Vec<Arc>> {
        let of = |lane: u32| {
            let turns = self.onward(lane).iter();
            turns.map(|turn| Arc { to: turn.to, cost: self.cost(lane).plus(turn.cost()) }).collect()
        };
        (0u32..).take(lanes).map(of).collect()
    }

    pub(crate) fn cost(&self, lane: u32) -> Cost {
        self.lanes.get(lane as usize).map_or_else(Cost::default, |lane| lane.cost)
    }
}

impl std::fmt::Debug for Roads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Size { lanes, turns, bytes } = self.size();
        write!(f, "Roads({lanes} lanes, {turns} turns, {bytes} bytes)")
    }
}

fn number(index: usize) -> Result<u32, RoadsError> {
    u32::try_from(index).ok().filter(|index| *index < NONE).ok_or(RoadsError::TooLarge)
}

/// Keeps the largest part, and numbers it anew without gaps.
fn build(stretches: &Stretches, found: &Turns, bounds: Option<Bounds>) -> Result<Roads, RoadsError> {
    let ride = |lane: usize| stretches.list[lane / 2].rides[lane % 2];
    let original = |lane: usize| found.original(u32::try_from(lane).unwrap_or(NONE)) as usize;
    let kept = parts::largest(&found.of, |lane| ride(original(lane)).is_some());
    let mut numbers = vec![NONE; kept.len()];
    let mut next = 0;
    for lane in (0..kept.len()).filter(|lane| kept[*lane]) {
        numbers[lane] = number(next)?;
        next += 1;
    }
    // A single lane is a part by itself, and no network.
    if next < 2 {
        return Err(RoadsError::NoRoads);
    }
    let mut roads = Roads {
        lanes: Vec::with_capacity(next + 1),
        turns: Vec::new(),
        hierarchy: Hierarchy::default(),
        pieces: Vec::new(),
        shapes: Vec::new(),
        grid: Grid::default(),
        bounds,
        copies: Vec::new(),
    };
    for lane in (0..kept.len()).filter(|lane| kept[*lane]) {
        let Some(ride) = ride(original(lane)) else { continue };
        let metres = stretches.list[original(lane) / 2].metres;
        let cost = Cost {
            weight: whole_number(metres / ride.rate * 1_000.0).max(1),
            ms: whole_number(metres / ride.speed * 1_000.0).max(1),
            cm: whole_number(metres * 100.0),
        };
        roads.lanes.push(DirectedEdge { cost, turns: number(roads.turns.len())? });
        for turn in found.of[lane].iter().filter(|turn| kept[turn.to as usize]) {
            let mark = if turn.restricted { RESTRICTED } else { 0 };
            roads.turns.push(NextEdge { to: numbers[turn.to as usize], cost: turn.ms | mark });
        }
        if original(lane) != lane {
            roads.copies.push((numbers[original(lane)], numbers[lane]));
        }
    }
    roads.lanes.push(DirectedEdge { cost: Cost::default(), turns: number(roads.turns.len())? });
    roads.copies.sort_unstable();
    for (index, stretch) in stretches.list.iter().enumerate() {
        let lanes = [numbers[index * 2], numbers[index * 2 + 1]];
        if stretch.snappable && lanes != [NONE; 2] {
            roads.pieces.push(Piece { shape: number(roads.shapes.len())?, lanes });
            roads.shapes.extend_from_slice(&stretches.shapes[stretch.shape.0..stretch.shape.1]);
        }
    }
    roads.grid = Grid::new(&roads.pieces, &roads.shapes)?;
    roads.hierarchy = hierarchy::contract(roads.arcs(next));
    roads.turns.shrink_to_fit();
    roads.pieces.shrink_to_fit();
    roads.shapes.shrink_to_fit();
    Ok(roads)
}
