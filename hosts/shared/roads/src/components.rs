//! The strongly connected components of the roads, and which of them form the network.
//!
//! A component is a set of roads in which every road leads to every other one and back: a city, an
//! island, the part of a region that a box contains. All of them are kept except fragments, because
//! the legs within an island are as real as those of the mainland.
//!
//! A fragment is a component
//! - of a single edge, or shorter than [`LONE_M`]: a piece of a road without a way back, such as a
//!   road that leaves the extract, or a lane. Its addresses are within walking distance of each
//!   other, so nothing is lost;
//! - or shorter than [`SMALL_M`], and completely within the snap limit of a longer component: a
//!   yard behind a closed gate, or streets whose junction is missing on the map. Every point near
//!   it can be snapped to the longer component, from which the courier really comes.
//!
//! The longest component is always kept. Edges that lead one-way from one kept component to another
//! are kept too, but no point is snapped to them, because they have no way back.

use crate::component::{Component, distinct};
use crate::coord::{Coord, Plane};
use crate::cost::{NONE, SegmentGeometry, whole_number};
use crate::error::RoadsError;
use crate::grid::Grid;
use crate::nearest::{SNAP_LIMIT_M, nearest_on};
use crate::segments::RoadSegments;
use crate::turns::{Turn, Turns};

/// The length in metres below which a component is a fragment wherever it is.
const LONE_M: f64 = 500.0;
/// The length in metres below which a component next to a longer one is a fragment.
const SMALL_M: f64 = 5_000.0;

/// The edges of the network.
pub(crate) struct Kept {
    /// The component of each edge; [`NONE`] for links and for edges that are not kept.
    pub(crate) of: Vec<u32>,
    /// Whether an edge leads one-way from one component to another.
    pub(crate) is_link: Vec<bool>,
    /// The components, the longest first.
    pub(crate) components: Vec<Component>,
}

impl Kept {
    pub(crate) fn has(&self, edge: usize) -> bool {
        self.of[edge] != NONE || self.is_link[edge]
    }
}

/// Selects the edges of the network.
pub(crate) fn keep(segments: &RoadSegments, found: &Turns) -> Result<Kept, RoadsError> {
    let exists = |edge: usize| {
        let original = found.original(u32::try_from(edge).unwrap_or(NONE)) as usize;
        segments.list[original / 2].travel[original % 2].is_some()
    };
    let mut of = strongly_connected(&found.of, exists);
    let components = select(segments, &mut of)?;
    let is_link = links(&found.of, &of, components.len());
    let components = grouped(components, &found.of, &of, &is_link);
    Ok(Kept {
        of,
        is_link,
        components,
    })
}

/// The roads of a component.
#[derive(Clone, Debug)]
struct Extent {
    number: u32,
    edges: usize,
    metres: f64,
    low: Coord,
    high: Coord,
    /// The segments to which points can be snapped.
    segments: Vec<u32>,
}

/// Returns the components that are not fragments, the longest first, and replaces the numbers of
/// edges by their indices.
fn select(segments: &RoadSegments, of: &mut [u32]) -> Result<Vec<Component>, RoadsError> {
    let mut extents = extents(segments, of);
    extents.retain(|extent| extent.edges > 1 && !extent.segments.is_empty());
    extents.sort_by(|one, other| {
        other
            .metres
            .total_cmp(&one.metres)
            .then(one.number.cmp(&other.number))
    });
    let long = extents
        .partition_point(|extent| extent.metres >= LONE_M)
        .max(1);
    extents.truncate(long);
    let reach = Reach::new(segments, of, &extents)?;
    let count = of
        .iter()
        .copied()
        .filter(|number| *number != NONE)
        .max()
        .map_or(0, |last| last as usize + 1);
    let (mut numbers, mut components) = (vec![NONE; count], Vec::new());
    for extent in extents {
        let is_small = !components.is_empty() && extent.metres < SMALL_M;
        if is_small && reach.covers(segments, &extent, |number| numbers[number as usize] != NONE) {
            continue;
        }
        numbers[extent.number as usize] = u32::try_from(components.len()).unwrap_or(NONE);
        components.push(Component {
            group: 0,
            edges: u32::try_from(extent.edges).unwrap_or(NONE),
            metres: whole_number(extent.metres),
            low: extent.low,
            high: extent.high,
        });
    }
    for number in of.iter_mut().filter(|number| **number != NONE) {
        *number = numbers[*number as usize];
    }
    if components.is_empty() {
        Err(RoadsError::NoRoads)
    } else {
        Ok(components)
    }
}

/// Returns the roads of each component.
fn extents(segments: &RoadSegments, of: &[u32]) -> Vec<Extent> {
    let count = of
        .iter()
        .copied()
        .filter(|number| *number != NONE)
        .max()
        .map_or(0, |last| last + 1);
    let none = Extent {
        number: 0,
        edges: 0,
        metres: 0.0,
        low: Coord {
            lat: i32::MAX,
            lon: i32::MAX,
        },
        high: Coord {
            lat: i32::MIN,
            lon: i32::MIN,
        },
        segments: Vec::new(),
    };
    let mut extents: Vec<Extent> = (0..count)
        .map(|number| Extent {
            number,
            ..none.clone()
        })
        .collect();
    for number in of.iter().filter(|number| **number != NONE) {
        extents[*number as usize].edges += 1;
    }
    for ((index, segment), edges) in (0u32..).zip(&segments.list).zip(of.chunks(2)) {
        for number in distinct([edges[0], edges[1]])
            .into_iter()
            .filter(|_| segment.is_snappable)
        {
            let extent = &mut extents[number as usize];
            extent.metres += segment.metres;
            extent.segments.push(index);
            for at in &segments.shapes[segment.shape.0..segment.shape.1] {
                extent.low = Coord {
                    lat: extent.low.lat.min(at.lat),
                    lon: extent.low.lon.min(at.lon),
                };
                extent.high = Coord {
                    lat: extent.high.lat.max(at.lat),
                    lon: extent.high.lon.max(at.lon),
                };
            }
        }
    }
    extents
}

/// An index of the roads of all components; only if there are small ones.
struct Reach {
    grid: Grid,
    geometries: Vec<SegmentGeometry>,
    shapes: Vec<Coord>,
}

impl Reach {
    fn new(segments: &RoadSegments, of: &[u32], extents: &[Extent]) -> Result<Reach, RoadsError> {
        let (mut geometries, mut shapes) = (Vec::new(), Vec::new());
        if extents.iter().skip(1).any(|extent| extent.metres < SMALL_M) {
            for (segment, edges) in segments
                .list
                .iter()
                .zip(of.chunks(2))
                .filter(|(segment, _)| segment.is_snappable)
            {
                let shape = u32::try_from(shapes.len()).map_err(|_| RoadsError::TooLarge)?;
                geometries.push(SegmentGeometry {
                    shape,
                    edges: [edges[0], edges[1]],
                });
                shapes.extend_from_slice(&segments.shapes[segment.shape.0..segment.shape.1]);
            }
        }
        Ok(Reach {
            grid: Grid::new(&geometries, &shapes)?,
            geometries,
            shapes,
        })
    }

    /// Returns whether each coordinate of a component is within the snap limit of another that is
    /// kept.
    fn covers(
        &self,
        segments: &RoadSegments,
        extent: &Extent,
        is_kept: impl Fn(u32) -> bool,
    ) -> bool {
        let mut coords = extent.segments.iter().flat_map(|index| {
            let segment = &segments.list[*index as usize];
            &segments.shapes[segment.shape.0..segment.shape.1]
        });
        coords.all(|coord| {
            let (plane, mut is_near) = (Plane::around(*coord), false);
            self.grid.for_each_near(*coord, SNAP_LIMIT_M, |line| {
                let ends = self
                    .shapes
                    .get(line as usize)
                    .zip(self.shapes.get(line as usize + 1));
                let after = self
                    .geometries
                    .partition_point(|geometry| geometry.shape <= line);
                let geometry = after
                    .checked_sub(1)
                    .and_then(|index| self.geometries.get(index));
                let (Some((from, to)), Some(geometry), false) = (ends, geometry, is_near) else {
                    return;
                };
                is_near = distinct(geometry.edges).into_iter().any(&is_kept)
                    && nearest_on(plane.place(*from), plane.place(*to)).0 <= SNAP_LIMIT_M;
            });
            is_near
        })
    }
}

/// Returns the edges outside the components that lead from one of them to another.
fn links(turns: &[Vec<Turn>], of: &[u32], components: usize) -> Vec<bool> {
    let mut is_link = vec![false; of.len()];
    if components < 2 {
        return is_link;
    }
    let leads_on = |edge: usize| turns[edge].iter().map(|turn| turn.to as usize);
    // Edges outside that a component leads to, and the edges before each of them.
    let mut is_reached = vec![false; of.len()];
    let mut waiting: Vec<usize> = Vec::new();
    let outside = |edge: usize| leads_on(edge).filter(|to| of[*to] == NONE);
    for edge in (0..of.len()).filter(|edge| of[*edge] != NONE) {
        waiting.extend(outside(edge));
        while let Some(edge) = waiting.pop() {
            if !is_reached[edge] {
                is_reached[edge] = true;
                waiting.extend(outside(edge));
            }
        }
    }
    let mut before: Vec<(usize, usize)> = Vec::new();
    for edge in (0..of.len()).filter(|edge| is_reached[*edge]) {
        before.extend(outside(edge).map(|to| (to, edge)));
        if leads_on(edge).any(|to| of[to] != NONE) {
            waiting.push(edge);
        }
    }
    before.sort_unstable();
    while let Some(edge) = waiting.pop() {
        if !is_link[edge] {
            is_link[edge] = true;
            let first = before.partition_point(|pair| pair.0 < edge);
            waiting.extend(
                before[first..]
                    .iter()
                    .take_while(|pair| pair.0 == edge)
                    .map(|pair| pair.1),
            );
        }
    }
    is_link
}

/// Sets the group of each component: components that links connect have the same one.
fn grouped(
    mut components: Vec<Component>,
    turns: &[Vec<Turn>],
    of: &[u32],
    is_link: &[bool],
) -> Vec<Component> {
    if !is_link.contains(&true) {
        (0..)
            .zip(&mut components)
            .for_each(|(number, component)| component.group = number);
        return components;
    }
    // A union of components and links. Links are numbered after the components.
    let mut numbers = of.to_vec();
    let mut next = u32::try_from(components.len()).unwrap_or(NONE);
    for (number, _) in numbers
        .iter_mut()
        .zip(is_link)
        .filter(|(_, is_link)| **is_link)
    {
        *number = next;
        next += 1;
    }
    let mut root: Vec<u32> = (0..next).collect();
    let find = |root: &mut [u32], mut at: u32| {
        while root[at as usize] != at {
            root[at as usize] = root[root[at as usize] as usize];
            at = root[at as usize];
        }
        at
    };
    for (edge, number) in numbers
        .iter()
        .enumerate()
        .filter(|(_, number)| **number != NONE)
    {
        for to in turns[edge]
            .iter()
            .map(|turn| numbers[turn.to as usize])
            .filter(|to| *to != NONE)
        {
            let (one, other) = (find(&mut root, *number), find(&mut root, to));
            root[one.max(other) as usize] = one.min(other);
        }
    }
    (0..)
        .zip(&mut components)
        .for_each(|(number, component)| component.group = find(&mut root, number));
    components
}

/// Returns the number of the strongly connected component of each edge; [`NONE`] if the edge does
/// not exist.
fn strongly_connected(turns: &[Vec<Turn>], exists: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut search = Tarjan::new(turns.len());
    for edge in 0..turns.len() {
        if exists(edge) && search.order[edge] == 0 {
            search.visit(edge, turns);
        }
    }
    search.component
}

struct Tarjan {
    /// The order in which each edge was discovered, from 1.
    order: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    stack: Vec<usize>,
    discovered: u32,
    components: u32,
}

impl Tarjan {
    fn new(size: usize) -> Tarjan {
        let (order, low, component) = (vec![0; size], vec![0; size], vec![NONE; size]);
        Tarjan {
            order,
            low,
            component,
            stack: Vec::new(),
            discovered: 0,
            components: 0,
        }
    }

    /// Performs a depth-first search from an edge, with an explicit stack, because paths can exceed
    /// the thread's stack.
    fn visit(&mut self, start: usize, turns: &[Vec<Turn>]) {
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((edge, tried)) = path.last_mut() {
            let (at, next) = (*edge, turns[*edge].get(*tried).map(|turn| turn.to as usize));
            *tried += 1;
            match next {
                Some(next) if self.order[next] == 0 => {
                    self.enter(next);
                    path.push((next, 0));
                }
                Some(next) if self.component[next] == NONE => {
                    self.low[at] = self.low[at].min(self.order[next])
                }
                Some(_) => {}
                None => {
                    path.pop();
                    self.leave(at);
                    if let Some((before, _)) = path.last() {
                        self.low[*before] = self.low[*before].min(self.low[at]);
                    }
                }
            }
        }
    }

    fn enter(&mut self, edge: usize) {
        self.discovered += 1;
        self.order[edge] = self.discovered;
        self.low[edge] = self.discovered;
        self.stack.push(edge);
    }

    fn leave(&mut self, edge: usize) {
        if self.low[edge] != self.order[edge] {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.component[member] = self.components;
            if member == edge {
                break;
            }
        }
        self.components += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(lists: &[&[u32]]) -> Vec<Vec<Turn>> {
        let turn = |to: &u32| Turn {
            to: *to,
            ms: 0,
            restricted: false,
        };
        lists
            .iter()
            .map(|list| list.iter().map(turn).collect())
            .collect()
    }

    #[test]
    fn strongly_connected_components_are_found() {
        // 0 and 1 form a cycle, as do 2 to 4. 1 leads to 2, 5 leads nowhere, and 6 does not exist.
        let turns = turns(&[&[1], &[0, 2], &[3], &[4, 5], &[2], &[], &[]]);
        let found = strongly_connected(&turns, |edge| edge != 6);
        assert!(found[0] == found[1] && found[2] == found[3] && found[3] == found[4]);
        let numbers: std::collections::BTreeSet<u32> = [found[0], found[2], found[5]].into();
        assert_eq!((numbers.len(), found[6]), (3, NONE));
        assert!(strongly_connected(&[], |_| true).is_empty());
    }

    #[test]
    fn links_lead_from_one_component_to_another() {
        // 0 and 1 lead over 4, 5 and the cycle of 6 and 7 to 2 and 3; 8 and 9 are dead ends, 10
        // leads only into the network.
        let turns = turns(&[
            &[1],
            &[0, 4, 8],
            &[3],
            &[2],
            &[5, 9],
            &[6],
            &[7],
            &[6, 2],
            &[],
            &[],
            &[0],
        ]);
        let of = [0, 0, 1, 1, NONE, NONE, NONE, NONE, NONE, NONE, NONE];
        let is_link = links(&turns, &of, 2);
        let found: Vec<usize> = (0..of.len()).filter(|edge| is_link[*edge]).collect();
        assert_eq!(found, [4, 5, 6, 7]);
        let origin = Coord { lat: 0, lon: 0 };
        let component = Component {
            group: 7,
            edges: 2,
            metres: 1,
            low: origin,
            high: origin,
        };
        let groups = |is_link: &[bool]| {
            let components = grouped(vec![component; 2], &turns, &of, is_link);
            components.iter().map(|one| one.group).collect::<Vec<_>>()
        };
        assert_eq!(
            (groups(&is_link), groups(&[false; 11])),
            (vec![0, 0], vec![0, 1])
        );
        assert!(
            links(&turns, &of, 1).iter().all(|is_link| !is_link),
            "one component needs no search"
        );
    }
}
