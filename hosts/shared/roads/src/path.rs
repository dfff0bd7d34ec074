//! The path of a trip along the roads.

use despacho_core::model::Point;

use crate::coord::Coord;
use crate::cost::{Cost, NONE};
use crate::network::Roads;
use crate::simplify::simplify;
use crate::trip::{Trip, TripSearch};

/// The maximum distance in metres between a path and the road. It is doubled until the path has few
/// enough points. The distances of repeated simplifications add up to less than twice the last one.
const TOLERANCE_M: f64 = 2.0;
/// The maximum number of measured and followed edges of all paths of one call.
const MAX_WORK: u32 = 200_000;

impl Roads {
    /// Returns the path of the fastest trip between each point and the next, from the first point
    /// itself to the second one. A path is `None` if an end is not snapped, if no road connects
    /// both, or if the paths before it used up the work of a call. It is simplified to at most
    /// `max_points` points.
    pub fn paths(&self, points: &[Point], max_points: usize) -> Vec<Option<Vec<Point>>> {
        let mut search = TripSearch::new(self, MAX_WORK);
        let snapped = self.snap_all(points);
        let mut paths = Vec::with_capacity(points.len());
        for (ends, places) in points.windows(2).zip(snapped.windows(2)) {
            let trip = self
                .pairs(&places[0], &places[1])
                .into_iter()
                .find_map(|(from, to)| {
                    // A trip can end on a copy of its edge. It begins on the edge itself, where no
                    // turn has been taken yet.
                    search.trip(
                        &places[0][from].points,
                        &self.with_copies(&places[1][to].points),
                    )
                });
            paths.push(trip.map(|trip| self.path(&trip, ends[0], ends[1], max_points)));
        }
        paths
    }

    fn path(&self, trip: &Trip, from: Point, to: Point, max_points: usize) -> Vec<Point> {
        let mut path = vec![Coord::from_point(from)];
        path.extend(self.coords_of(trip));
        path.push(Coord::from_point(to));
        path.dedup();
        let start = path[0];
        let plane = |coord: Coord| start.offset_to(coord);
        let mut tolerance = TOLERANCE_M;
        path = simplify(&path, plane, tolerance);
        while path.len() > max_points.max(2) {
            tolerance *= 2.0;
            path = simplify(&path, plane, tolerance);
        }
        path.into_iter().map(Coord::point).collect()
    }

    fn coords_of(&self, trip: &Trip) -> Vec<Coord> {
        let last = trip.edges.len().saturating_sub(1);
        let share =
            |edge: u32, offset: Cost| f64::from(offset.cm) / f64::from(self.cost(edge).cm.max(1));
        let mut coords = Vec::new();
        for (number, edge) in trip.edges.iter().enumerate() {
            let from = if number == 0 {
                share(*edge, trip.from)
            } else {
                0.0
            };
            let to = if number == last {
                share(*edge, trip.to)
            } else {
                1.0
            };
            coords.extend(part(&self.shape_of(*edge), from, to));
        }
        coords
    }

    /// Returns the coordinates of an edge in its direction.
    fn shape_of(&self, edge: u32) -> Vec<Coord> {
        if let Ok(at) = self.unsnapped.binary_search_by_key(&edge, |shape| shape.0) {
            let start = self.unsnapped[at].1 as usize;
            let end = self
                .unsnapped
                .get(at + 1)
                .map_or(self.unsnapped_shapes.len(), |next| next.1 as usize);
            return self
                .unsnapped_shapes
                .get(start..end)
                .unwrap_or_default()
                .to_vec();
        }
        let find = |edge: u32| {
            // Edges are numbered in the order of the geometries.
            let highest = |edges: [u32; 2]| {
                edges
                    .into_iter()
                    .filter(|edge| *edge != NONE)
                    .max()
                    .unwrap_or_default()
            };
            let at = self
                .geometries
                .partition_point(|geometry| highest(geometry.edges) < edge);
            self.geometries
                .get(at)
                .filter(|geometry| geometry.edges.contains(&edge))
                .map(|geometry| (at, *geometry, edge))
        };
        let original = || {
            self.copies
                .iter()
                .find(|copy| copy.1 == edge)
                .and_then(|copy| find(copy.0))
        };
        let Some((at, geometry, edge)) = find(edge).or_else(original) else {
            return Vec::new();
        };
        let end = self
            .geometries
            .get(at + 1)
            .map_or(self.shapes.len(), |next| next.shape as usize);
        let mut shape = self
            .shapes
            .get(geometry.shape as usize..end)
            .unwrap_or_default()
            .to_vec();
        if geometry.edges[1] == edge {
            shape.reverse();
        }
        shape
    }
}

/// Returns the part of a line between two fractions of its length.
fn part(line: &[Coord], from: f64, to: f64) -> Vec<Coord> {
    let total: f64 = line.windows(2).map(|ends| ends[0].metres_to(ends[1])).sum();
    if total <= 0.0 {
        return line.to_vec();
    }
    let (from, to) = (from.clamp(0.0, 1.0) * total, to.clamp(0.0, 1.0) * total);
    let (mut found, mut before) = (Vec::new(), 0.0);
    for ends in line.windows(2) {
        let metres = ends[0].metres_to(ends[1]);
        let after = before + metres;
        if metres > 0.0 && after >= from && before <= to {
            let at =
                |metre: f64| ends[0].towards(ends[1], ((metre - before) / metres).clamp(0.0, 1.0));
            found.extend([at(from), at(to)]);
        }
        before = after;
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_of_a_line_lies_between_its_fractions() {
        let line = [0, 1_000, 2_000].map(|lon| Coord { lat: 0, lon });
        let lons = |from, to| {
            part(&line, from, to)
                .into_iter()
                .map(|coord| coord.lon)
                .collect::<Vec<_>>()
        };
        assert_eq!(lons(0.0, 1.0), [0, 1_000, 2_000]);
        assert_eq!(lons(0.25, 0.75), [500, 1_000, 1_500]);
        assert_eq!(lons(0.6, 0.7), [1_200, 1_400]);
        assert_eq!(part(&line[..1], 0.0, 1.0), line[..1]);
    }
}
