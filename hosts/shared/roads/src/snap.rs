//! From a point to the road beside it.

use crate::cost::{Cost, NONE};
use crate::network::Roads;
use crate::place::Place;

/// How far a point may be from the nearest road, in metres.
///
/// A courier walks the rest. Farther out a road found anyway would give a plausible wrong number: the point is in the wild, in the
/// water, or outside the extract.
pub const SNAP_LIMIT_M: f64 = 350.0;

/// Roads that are nearer than the nearest and this many metres count as equally near: at a junction all of its roads.
const SAME_M: f64 = 0.25;

/// Where on a lane a point is: the cost from the lane's start to there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SnappedPoint {
    pub(crate) lane: u32,
    pub(crate) before: Cost,
}

impl Roads {
    /// Where a point is on the lanes that pass nearest to it; empty if it is farther than the limit from every road, or outside the
    /// area that the extract says it covers.
    pub(crate) fn snap(&self, place: Place) -> Vec<SnappedPoint> {
        if self.bounds.is_some_and(|bounds| !bounds.contains(place)) {
            return Vec::new();
        }
        // In metres around the place, with one cosine for all.
        let (east, _) = place.offset_to(Place { lat: place.lat, lon: place.lon.saturating_add(10_000) });
        let flat = |other: Place| {
            let lon = (f64::from(other.lon) - f64::from(place.lon)) * east / 10_000.0;
            (lon, place.offset_to(Place { lat: other.lat, lon: place.lon }).1)
        };
        let mut near: Vec<(f64, u32, f64)> = Vec::new();
        let mut nearest = SNAP_LIMIT_M;
        self.grid.near(place, SNAP_LIMIT_M, |segment| {
            let ends = self.shapes.get(segment as usize).zip(self.shapes.get(segment as usize + 1));
            let Some((from, to)) = ends else { return };
            let (metres, share) = nearest_on(flat(*from), flat(*to));
            if metres <= nearest + SAME_M && metres <= SNAP_LIMIT_M {
                nearest = nearest.min(metres);
                near.push((metres, segment, share));
            }
        });
        near.retain(|one| one.0 <= nearest + SAME_M);
        near.sort_unstable_by_key(|one| one.1);
        let mut spots: Vec<SnappedPoint> = Vec::new();
        for (_, segment, share) in near {
            self.spots_on(segment, share, &mut spots);
        }
        spots
    }

    /// Adds the spots of a segment's lanes, unless a neighbouring segment of the same lanes did.
    fn spots_on(&self, segment: u32, share: f64, spots: &mut Vec<SnappedPoint>) {
        let after = self.pieces.partition_point(|piece| piece.shape <= segment);
        let Some(piece) = after.checked_sub(1).and_then(|index| self.pieces.get(index)) else { return };
        if spots.iter().any(|spot| piece.lanes.contains(&spot.lane)) {
            return;
        }
        let end = self.pieces.get(after).map_or(self.shapes.len(), |next| next.shape as usize);
        let shape = self.shapes.get(piece.shape as usize..end).unwrap_or_default();
        let (mut before, mut whole) = (0.0, 0.0);
        for (number, ends) in (piece.shape..).zip(shape.windows(2)) {
            let metres = ends[0].metres_to(ends[1]);
            if number < segment {
                before += metres;
            } else if number == segment {
                before += metres * share;
            }
            whole += metres;
        }
        let share = if whole > 0.0 { (before / whole).clamp(0.0, 1.0) } else { 0.0 };
        for (lane, share) in piece.lanes.into_iter().zip([share, 1.0 - share]) {
            if lane != NONE {
                spots.push(SnappedPoint { lane, before: self.cost(lane).share(share) });
            }
        }
    }
}

/// How far the origin is from a segment, and at which share of the segment it is nearest.
fn nearest_on(from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let (east, north) = (to.0 - from.0, to.1 - from.1);
    let square = east * east + north * north;
    let share = if square > 0.0 { (-(from.0 * east + from.1 * north) / square).clamp(0.0, 1.0) } else { 0.0 };
    let (east, north) = (from.0 + share * east, from.1 + share * north);
    (libm::sqrt(east * east + north * north), share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_place_may_be_inside_a_segment_or_its_end() {
        assert_eq!(nearest_on((-10.0, 3.0), (10.0, 3.0)), (3.0, 0.5));
        assert_eq!(nearest_on((3.0, 4.0), (10.0, 4.0)), (5.0, 0.0));
        assert_eq!(nearest_on((3.0, 4.0), (3.0, 4.0)), (5.0, 0.0));
    }
}
