//! Snapping of points to roads.

use crate::coord::Coord;
use crate::cost::{Cost, NONE};
use crate::network::Roads;

/// The maximum distance in metres between a point and the nearest road.
///
/// The courier walks the remaining distance. Beyond this limit, a leg would be plausible but wrong: the point is in the
/// countryside, in water, or outside the extract.
pub const SNAP_LIMIT_M: f64 = 350.0;

/// Roads within this many metres of the nearest one are considered equally near, for example all roads of a junction.
const SAME_M: f64 = 0.25;

/// A point snapped to an edge, with the cost from the edge's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SnappedPoint {
    pub(crate) edge: u32,
    pub(crate) offset: Cost,
}

impl Roads {
    /// Snaps a point to the nearest edges. Returns nothing if the point is farther than the limit from every road or
    /// outside the extract's area.
    pub(crate) fn snap(&self, coord: Coord) -> Vec<SnappedPoint> {
        if self.bounds.is_some_and(|bounds| !bounds.contains(coord)) {
            return Vec::new();
        }
        // Coordinates relative to the point in metres, with one cosine for all.
        let (east, _) = coord.offset_to(Coord { lat: coord.lat, lon: coord.lon.saturating_add(10_000) });
        let flat = |other: Coord| {
            let lon = (f64::from(other.lon) - f64::from(coord.lon)) * east / 10_000.0;
            (lon, coord.offset_to(Coord { lat: other.lat, lon: coord.lon }).1)
        };
        let mut near: Vec<(f64, u32, f64)> = Vec::new();
        let mut nearest = SNAP_LIMIT_M;
        self.grid.for_each_near(coord, SNAP_LIMIT_M, |segment| {
            let ends = self.shapes.get(segment as usize).zip(self.shapes.get(segment as usize + 1));
            let Some((from, to)) = ends else { return };
            let (metres, fraction) = nearest_on(flat(*from), flat(*to));
            if metres <= nearest + SAME_M && metres <= SNAP_LIMIT_M {
                nearest = nearest.min(metres);
                near.push((metres, segment, fraction));
            }
        });
        near.retain(|one| one.0 <= nearest + SAME_M);
        near.sort_unstable_by_key(|one| one.1);
        let mut snapped: Vec<SnappedPoint> = Vec::new();
        for (_, segment, fraction) in near {
            self.snap_to(segment, fraction, &mut snapped);
        }
        snapped
    }

    /// Adds the snapped points of a line segment's edges, unless an adjacent line segment of the same edges did.
    fn snap_to(&self, segment: u32, fraction: f64, snapped: &mut Vec<SnappedPoint>) {
        let after = self.geometries.partition_point(|geometry| geometry.shape <= segment);
        let Some(geometry) = after.checked_sub(1).and_then(|index| self.geometries.get(index)) else { return };
        if snapped.iter().any(|point| geometry.edges.contains(&point.edge)) {
            return;
        }
        let end = self.geometries.get(after).map_or(self.shapes.len(), |next| next.shape as usize);
        let shape = self.shapes.get(geometry.shape as usize..end).unwrap_or_default();
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
        let fraction = if total > 0.0 { (before / total).clamp(0.0, 1.0) } else { 0.0 };
        for (edge, fraction) in geometry.edges.into_iter().zip([fraction, 1.0 - fraction]) {
            if edge != NONE {
                snapped.push(SnappedPoint { edge, offset: self.cost(edge).fraction(fraction) });
            }
        }
    }
}

/// Returns the distance of the origin from a line segment, and the fraction of the line segment at which it is nearest.
fn nearest_on(from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let (east, north) = (to.0 - from.0, to.1 - from.1);
    let square = east * east + north * north;
    let fraction = if square > 0.0 { (-(from.0 * east + from.1 * north) / square).clamp(0.0, 1.0) } else { 0.0 };
    let (east, north) = (from.0 + fraction * east, from.1 + fraction * north);
    (libm::sqrt(east * east + north * north), fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_position_is_inside_segment_or_at_end() {
        assert_eq!(nearest_on((-10.0, 3.0), (10.0, 3.0)), (3.0, 0.5));
        assert_eq!(nearest_on((3.0, 4.0), (10.0, 4.0)), (5.0, 0.0));
        assert_eq!(nearest_on((3.0, 4.0), (3.0, 4.0)), (5.0, 0.0));
    }
}
