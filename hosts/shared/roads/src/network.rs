//! The road network: directed edges, the turns between them, and their geometry.

use std::io::{Read, Seek};

use despacho_core::model::Point;

use crate::component::Component;
use crate::components::{self, Kept};
use crate::contraction;
use crate::coord::Coord;
use crate::cost::{Cost, NONE, SegmentGeometry, whole_number};
use crate::error::RoadsError;
use crate::extract;
use crate::grid::Grid;
use crate::hierarchy::{Arc, Hierarchy};
use crate::links;
use crate::pbf::Bounds;
use crate::segments::{self, RoadSegments};
use crate::turns::{self, Turns};

/// The weight in milliseconds for entering a restricted road (residents, customers or deliveries
/// only). A trip can end on such a road but should not pass through it.
const RESTRICTED_MS: u32 = 3_276_700;

/// The bit that marks such a turn in [`NextEdge::cost`].
const RESTRICTED: u32 = 1 << 31;

/// One direction of a road segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DirectedEdge {
    pub(crate) cost: Cost,
    /// The index of its first turn.
    pub(crate) turns: u32,
}

/// A turn into another edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextEdge {
    pub(crate) to: u32,
    pub(crate) cost: u32,
}

impl NextEdge {
    pub(crate) fn cost(self) -> Cost {
        let ms = self.cost & !RESTRICTED;
        let extra = if self.cost & RESTRICTED == 0 {
            0
        } else {
            RESTRICTED_MS
        };
        Cost {
            weight: ms + extra,
            ms,
            cm: 0,
        }
    }
}

/// The road network of an extract. It can be queried from several threads.
pub struct Roads {
    /// The edges, and a sentinel that ends the turns of the last one.
    pub(crate) edges: Vec<DirectedEdge>,
    pub(crate) turns: Vec<NextEdge>,
    pub(crate) hierarchy: Hierarchy,
    pub(crate) geometries: Vec<SegmentGeometry>,
    pub(crate) shapes: Vec<Coord>,
    pub(crate) grid: Grid,
    pub(crate) bounds: Option<Bounds>,
    /// Edges and their copies after turn restrictions, sorted.
    pub(crate) copies: Vec<(u32, u32)>,
    /// The shapes of edges to which no point is snapped, sorted by edge: private driveways, and
    /// copies whose original is not part of the network. Each has the index of its first
    /// coordinate, and ends where the next one begins.
    pub(crate) unsnapped: Vec<(u32, u32)>,
    pub(crate) unsnapped_shapes: Vec<Coord>,
    /// The component of each edge; [`NONE`] for an edge that leads one-way from one component to
    /// another.
    pub(crate) component_of: Vec<u32>,
    /// The components, the longest first.
    pub(crate) components: Vec<Component>,
    /// Whether the network was read from a road file of an earlier format, which has the largest
    /// component only.
    pub(crate) is_outdated: bool,
}

/// Roads that all lead to each other, such as those of an island, or of a city whose surroundings
/// are not in the extract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectedRoads {
    /// The number of directed edges.
    pub edges: u32,
    /// The length of the roads in metres.
    pub metres: u32,
    /// The south-western and north-eastern corner.
    pub area: (Point, Point),
}

/// The size of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of directed edges.
    pub edges: usize,
    /// The number of allowed turns.
    pub turns: usize,
    /// The number of coordinates of the roads' shapes.
    pub nodes: usize,
    /// The memory of the network in bytes.
    pub bytes: usize,
}

impl Roads {
    /// Builds the network of an extract, which is read twice.
    pub(crate) fn of_extract(extract: impl Read + Seek) -> Result<Roads, RoadsError> {
        let extract = extract::read(extract)?;
        let segments = segments::join(&extract)?;
        let turns = turns::turns(&extract, &segments);
        let bounds = extract.bounds;
        drop(extract);
        build(segments, turns, bounds)
    }

    /// Returns the south-western and north-eastern corner of the covered area, as stated by the
    /// extract or else of its roads.
    pub fn area(&self) -> (Point, Point) {
        let (low, high) = self
            .bounds
            .map_or_else(|| self.grid.corners(), |bounds| (bounds.low, bounds.high));
        (low.point(), high.point())
    }

    /// Returns the parts of the network that no road connects in both directions, the longest
    /// first. Legs between two of them are missing, or exist in one direction only.
    pub fn components(&self) -> impl Iterator<Item = ConnectedRoads> + '_ {
        self.components.iter().map(|one| ConnectedRoads {
            edges: one.edges,
            metres: one.metres,
            area: (one.low.point(), one.high.point()),
        })
    }

    /// Returns the index in [`Roads::components`] of the roads nearest to a point, if it can be
    /// snapped to a road.
    pub fn component_near(&self, point: Point) -> Option<usize> {
        self.snap(Coord::from_point(point))
            .first()
            .map(|place| place.component as usize)
    }

    /// Returns whether the network was read from a road file of an earlier format, which has only
    /// the largest component of its extract.
    pub fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Returns whether the network has a road inside a box.
    pub fn has_road_in(&self, (low, high): (Point, Point)) -> bool {
        let area = Bounds {
            low: Coord::from_point(low),
            high: Coord::from_point(high),
        };
        self.shapes.iter().any(|coord| area.contains(*coord))
    }

    /// Returns whether a point can be snapped to a road.
    pub fn has_road_near(&self, point: Point) -> bool {
        !self.snap(Coord::from_point(point)).is_empty()
    }

    /// Returns the size of the network.
    pub fn size(&self) -> Size {
        let bytes = size_of_val(&self.edges[..])
            + size_of_val(&self.turns[..])
            + self.hierarchy.bytes()
            + size_of_val(&self.geometries[..])
            + size_of_val(&self.shapes[..])
            + size_of_val(&self.copies[..])
            + size_of_val(&self.unsnapped[..])
            + size_of_val(&self.unsnapped_shapes[..])
            + size_of_val(&self.component_of[..])
            + size_of_val(&self.components[..])
            + self.grid.bytes();
        let nodes = self.shapes.len() + self.unsnapped_shapes.len();
        Size {
            edges: self.edges.len().saturating_sub(1),
            turns: self.turns.len(),
            nodes,
            bytes,
        }
    }

    /// Returns the turns out of an edge.
    pub(crate) fn turns_from(&self, edge: u32) -> &[NextEdge] {
        let edge = edge as usize;
        let bounds = self.edges.get(edge).zip(self.edges.get(edge + 1));
        let range = bounds.map_or(0..0, |(this, next)| {
            this.turns as usize..next.turns as usize
        });
        self.turns.get(range).unwrap_or_default()
    }

    pub(crate) fn cost(&self, edge: u32) -> Cost {
        self.edges
            .get(edge as usize)
            .map_or_else(Cost::default, |edge| edge.cost)
    }
}

impl std::fmt::Debug for Roads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Size {
            edges,
            turns,
            bytes,
            ..
        } = self.size();
        write!(f, "Roads({edges} edges, {turns} turns, {bytes} bytes)")
    }
}

fn number(index: usize) -> Result<u32, RoadsError> {
    u32::try_from(index)
        .ok()
        .filter(|index| *index < NONE)
        .ok_or(RoadsError::TooLarge)
}

/// Returns the number of each edge in the network, or [`NONE`], and their count.
fn renumber(kept: &Kept) -> Result<(Vec<u32>, usize), RoadsError> {
    let (mut numbers, mut next) = (vec![NONE; kept.of.len()], 0);
    for edge in (0..kept.of.len()).filter(|edge| kept.has(*edge)) {
        numbers[edge] = number(next)?;
        next += 1;
    }
    Ok((numbers, next))
}

/// Keeps the components that are not fragments, and renumbers their edges.
fn build(
    segments: RoadSegments,
    found: Turns,
    bounds: Option<Bounds>,
) -> Result<Roads, RoadsError> {
    let travel = |edge: usize| segments.list[edge / 2].travel[edge % 2];
    let original = |edge: usize| found.original(u32::try_from(edge).unwrap_or(NONE)) as usize;
    let kept = components::keep(&segments, &found)?;
    let (numbers, next) = renumber(&kept)?;
    let mut roads = Roads {
        edges: Vec::with_capacity(next + 1),
        turns: Vec::new(),
        hierarchy: Hierarchy::default(),
        geometries: Vec::new(),
        shapes: Vec::new(),
        grid: Grid::default(),
        bounds,
        copies: Vec::new(),
        unsnapped: Vec::new(),
        unsnapped_shapes: Vec::new(),
        component_of: Vec::with_capacity(next),
        components: kept.components.clone(),
        is_outdated: false,
    };
    for edge in (0..kept.of.len()).filter(|edge| kept.has(*edge)) {
        let Some(travel) = travel(original(edge)) else {
            continue;
        };
        let segment = &segments.list[original(edge) / 2];
        let metres = segment.metres;
        let cost = Cost {
            weight: whole_number(metres / travel.rate * 1_000.0).max(1),
            ms: whole_number(metres / travel.speed * 1_000.0).max(1),
            cm: whole_number(metres * 100.0),
        };
        if !segment.is_snappable || kept.of[original(edge)] == NONE {
            roads
                .unsnapped
                .push((numbers[edge], number(roads.unsnapped_shapes.len())?));
            let shape = &segments.shapes[segment.shape.0..segment.shape.1];
            let is_reverse = original(edge) % 2 == 1;
            roads
                .unsnapped_shapes
                .extend(shape.iter().filter(|_| !is_reverse));
            roads
                .unsnapped_shapes
                .extend(shape.iter().rev().filter(|_| is_reverse));
        }
        roads.edges.push(DirectedEdge {
            cost,
            turns: number(roads.turns.len())?,
        });
        roads.component_of.push(kept.of[edge]);
        for turn in found.of[edge]
            .iter()
            .filter(|turn| numbers[turn.to as usize] != NONE)
        {
            let mark = if turn.restricted { RESTRICTED } else { 0 };
            roads.turns.push(NextEdge {
                to: numbers[turn.to as usize],
                cost: turn.ms | mark,
            });
        }
        if original(edge) != edge {
            roads.copies.push((numbers[original(edge)], numbers[edge]));
        }
    }
    roads.edges.push(DirectedEdge {
        cost: Cost::default(),
        turns: number(roads.turns.len())?,
    });
    roads.copies.sort_unstable();
    for (index, segment) in segments.list.iter().enumerate() {
        let edges = [index * 2, index * 2 + 1].map(|edge| {
            if kept.of[edge] == NONE {
                NONE
            } else {
                numbers[edge]
            }
        });
        if segment.is_snappable && edges != [NONE; 2] {
            roads.geometries.push(SegmentGeometry {
                shape: number(roads.shapes.len())?,
                edges,
            });
            roads
                .shapes
                .extend_from_slice(&segments.shapes[segment.shape.0..segment.shape.1]);
        }
    }
    roads.grid = Grid::new(&roads.geometries, &roads.shapes)?;
    let order = links::order(&segments, &found, &numbers);
    // The contraction needs the most memory.
    drop((segments, found, kept, numbers));
    roads.hierarchy = contraction::contract(&order, next, |edge, arcs| {
        let cost = roads.cost(edge);
        arcs.extend(roads.turns_from(edge).iter().map(|turn| Arc {
            to: turn.to,
            cost: cost.plus(turn.cost()),
        }));
    });
    roads.turns.shrink_to_fit();
    roads.geometries.shrink_to_fit();
    roads.shapes.shrink_to_fit();
    roads.unsnapped_shapes.shrink_to_fit();
    Ok(roads)
}
