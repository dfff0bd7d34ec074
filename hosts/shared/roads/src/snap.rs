//! Snapping of points to roads.

use std::cmp::Ordering;

use despacho_core::model::Point;

use crate::component::distinct;
use crate::coord::{Coord, Plane};
use crate::cost::{Cost, NONE};
use crate::nearest::{SNAP_LIMIT_M, nearest_on};
use crate::network::Roads;

/// Roads within this many metres of the nearest one are considered equally near, for example all
/// roads of a junction.
const SAME_M: f64 = 0.25;

/// A point snapped to an edge, with the cost from the edge's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SnappedPoint {
    pub(crate) edge: u32,
    pub(crate) offset: Cost,
}

/// The edges of one component that are nearest to a point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) component: u32,
    /// The distance of the point from these edges.
    pub(crate) metres: f64,
    pub(crate) points: Vec<SnappedPoint>,
}

/// The line segments of one component that are near a point.
struct Near {
    component: u32,
    /// The distance of the nearest one.
    metres: f64,
    /// The distance of each, its number, and the fraction of it at which it is nearest.
    lines: Vec<(f64, u32, f64)>,
}

impl Roads {
    /// Snaps a point to the nearest edges of each component within the limit, the nearest component
    /// first. Returns nothing if the point is farther from every road or outside the extract's
    /// area.
    pub(crate) fn snap(&self, coord: Coord) -> Vec<Place> {
        if self.bounds.is_some_and(|bounds| !bounds.contains(coord)) {
            return Vec::new();
        }
        let plane = Plane::around(coord);
        let mut found: Vec<Near> = Vec::new();
        self.grid.for_each_near(coord, SNAP_LIMIT_M, |line| {
            let ends = self
                .shapes
                .get(line as usize)
                .zip(self.shapes.get(line as usize + 1));
            let Some((from, to)) = ends else { return };
            let (metres, fraction) = nearest_on(plane.place(*from), plane.place(*to));
            if metres > SNAP_LIMIT_M {
                return;
            }
            for component in distinct(self.components_at(line)) {
                let index = found
                    .iter()
                    .position(|near| near.component == component)
                    .unwrap_or_else(|| {
                        found.push(Near {
                            component,
                            metres,
                            lines: Vec::new(),
                        });
                        found.len() - 1
                    });
                let near = &mut found[index];
                if metres <= near.metres + SAME_M {
                    near.metres = near.metres.min(metres);
                    near.lines.push((metres, line, fraction));
                }
            }
        });
        let place = |mut near: Near| {
            near.lines.retain(|line| line.0 <= near.metres + SAME_M);
            near.lines.sort_unstable_by_key(|line| line.1);
            let mut points: Vec<SnappedPoint> = Vec::new();
            for (_, line, fraction) in near.lines {
                self.snap_to(line, fraction, near.component, &mut points);
            }
            Place {
                component: near.component,
                metres: near.metres,
                points,
            }
        };
        let mut places: Vec<Place> = found.into_iter().map(place).collect();
        places.sort_by(|one, other| {
            nearer((one.metres, one.component), (other.metres, other.component))
        });
        places
    }

    /// Snaps points so that legs between them can be measured: all of them to one component if one
    /// is within the limit of all points that are near roads, the one with the smallest sum of
    /// distances. Otherwise each point has all components within its limit.
    pub(crate) fn snap_all(&self, points: &[Point]) -> Vec<Vec<Place>> {
        let mut places: Vec<Vec<Place>> = points
            .iter()
            .map(|point| self.snap(Coord::from_point(*point)))
            .collect();
        let near = || places.iter().filter(|places| !places.is_empty());
        let Some(first) = near().next() else {
            return places;
        };
        let distance = |component: u32| {
            let of = |places: &Vec<Place>| {
                places
                    .iter()
                    .find(|place| place.component == component)
                    .map(|at| at.metres)
            };
            near()
                .map(of)
                .sum::<Option<f64>>()
                .map(|metres| (metres, component))
        };
        let common = first.iter().filter_map(|place| distance(place.component));
        if let Some((_, common)) = common.min_by(|one, other| nearer(*one, *other)) {
            places
                .iter_mut()
                .for_each(|places| places.retain(|place| place.component == common));
        }
        places
    }

    /// Returns the places of two points between which a leg is measured, the best first: those of
    /// one component with the smallest sum of distances, then those that a one-way link may
    /// connect.
    pub(crate) fn pairs(&self, from: &[Place], to: &[Place]) -> Vec<(usize, usize)> {
        let all = (0..from.len()).flat_map(|one| (0..to.len()).map(move |other| (one, other)));
        let mut pairs: Vec<(usize, usize)> = all
            .filter(|(one, other)| self.group(&from[*one]) == self.group(&to[*other]))
            .collect();
        let key = |(one, other): (usize, usize)| {
            let (one, other) = (&from[one], &to[other]);
            (one.component != other.component, one.metres + other.metres)
        };
        pairs.sort_by(|one, other| {
            let (one, other) = (key(*one), key(*other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        });
        pairs
    }

    /// Returns the group of a place's component. No road connects two groups.
    pub(crate) fn group(&self, place: &Place) -> u32 {
        self.components
            .get(place.component as usize)
            .map_or(NONE, |component| component.group)
    }

    /// Returns the components of a line segment's two directions.
    fn components_at(&self, line: u32) -> [u32; 2] {
        if self.components.len() == 1 {
            return [0; 2];
        }
        let after = self
            .geometries
            .partition_point(|geometry| geometry.shape <= line);
        let geometry = after
            .checked_sub(1)
            .and_then(|index| self.geometries.get(index));
        geometry.map_or([NONE; 2], |geometry| {
            geometry.edges.map(|edge| self.component_of(edge))
        })
    }

    /// Returns the component of an edge; [`NONE`] if no point is snapped to it.
    fn component_of(&self, edge: u32) -> u32 {
        self.component_of
            .get(edge as usize)
            .copied()
            .unwrap_or(NONE)
    }

    /// Adds the snapped points of a line segment's edges in a component, unless an adjacent line
    /// segment of the same edges did.
    fn snap_to(
        &self,
        segment: u32,
        fraction: f64,
        component: u32,
        snapped: &mut Vec<SnappedPoint>,
    ) {
        let after = self
            .geometries
            .partition_point(|geometry| geometry.shape <= segment);
        let Some(geometry) = after
            .checked_sub(1)
            .and_then(|index| self.geometries.get(index))
        else {
            return;
        };
        if snapped
            .iter()
            .any(|point| geometry.edges.contains(&point.edge))
        {
            return;
        }
        let end = self
            .geometries
            .get(after)
            .map_or(self.shapes.len(), |next| next.shape as usize);
        let shape = self
            .shapes
            .get(geometry.shape as usize..end)
            .unwrap_or_default();
        let (mut before, mut total) = (0.0, 0.0);
        for (number, ends) in (geometry.shape..).zip(shape.windows(2)) {
            let metres = ends[0].metres_to(ends[1]);
            if number < segment {
                before += metres;
            } else if number == segment {
                before += metres * fraction;
            }
            total += metres;
        }
        let fraction = if total > 0.0 {
            (before / total).clamp(0.0, 1.0)
        } else {
            0.0
        };
        for (edge, fraction) in geometry.edges.into_iter().zip([fraction, 1.0 - fraction]) {
            if edge != NONE && self.component_of(edge) == component {
                snapped.push(SnappedPoint {
                    edge,
                    offset: self.cost(edge).fraction(fraction),
                });
            }
        }
    }
}

/// Compares two distances, and the numbers of their components if they are equal.
fn nearer(one: (f64, u32), other: (f64, u32)) -> Ordering {
    one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
}
