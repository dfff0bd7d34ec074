//! Legs between points.

use despacho_core::model::Point;

use crate::cost::Cost;
use crate::network::Roads;
use crate::place::Place;
use crate::search;
use crate::snap::SnappedPoint;

/// A leg on the road.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoadLeg {
    /// Metres along the roads of the fastest ride, from the place on a road that is nearest to one point to that of the other.
    pub metres: u32,
    /// Milliseconds in free flow; a courier in traffic takes about 1.5 times as long.
    pub ms: u32,
}

/// Legs between every pair of points, each way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadMatrix {
    legs: Vec<Option<RoadLeg>>,
    snapped: Vec<bool>,
}

impl RoadMatrix {
    /// How many points there are.
    pub fn size(&self) -> usize {
        self.snapped.len()
    }

    /// Whether a point is near a road of the extract. One that is not has no legs: use another model for them, and say so.
    pub fn is_snapped(&self, point: usize) -> bool {
        self.snapped.get(point).copied().unwrap_or(false)
    }

    /// The leg from one point to another; `None` where an end is not snapped or no road leads there. From a snapped point to itself it
    /// is zero.
    pub fn leg(&self, from: usize, to: usize) -> Option<RoadLeg> {
        let size = self.size();
        if from >= size || to >= size {
            return None;
        }
        self.legs.get(from * size + to).copied().flatten()
    }
}

impl Roads {
    /// Legs between every pair of points.
    ///
    /// A point farther than [`SNAP_LIMIT_M`](crate::SNAP_LIMIT_M) from every road, or outside the area that the extract covers, is not put
    /// on a road, however near the rest is.
    pub fn matrix(&self, points: &[Point]) -> RoadMatrix {
        let spots: Vec<Vec<SnappedPoint>> = points.iter().map(|point| self.snap(Place::of(*point))).collect();
        // A ride may end on a copy of its lane; it begins on the lane itself, where no turn has been taken yet.
        let ends: Vec<Vec<SnappedPoint>> = spots.iter().map(|spots| self.with_copies(spots)).collect();
        let costs = search::costs(self, &spots, &ends);
        let mut legs: Vec<Option<RoadLeg>> = costs.into_iter().map(|cost| cost.map(leg)).collect();
        for (point, leg) in legs.iter_mut().step_by(points.len() + 1).enumerate() {
            *leg = (!spots[point].is_empty()).then(RoadLeg::default);
        }
        RoadMatrix { legs, snapped: spots.iter().map(|spots| !spots.is_empty()).collect() }
    }

    fn with_copies(&self, spots: &[SnappedPoint]) -> Vec<SnappedPoint> {
        let mut all = spots.to_vec();
        for spot in spots {
            let first = self.copies.partition_point(|copy| copy.0 < spot.lane);
            let copies = self.copies.iter().skip(first).take_while(|copy| copy.0 == spot.lane);
            all.extend(copies.map(|copy| SnappedPoint { lane: copy.1, before: spot.before }));
        }
        all
    }
}

fn leg(cost: Cost) -> RoadLeg {
    RoadLeg { metres: cost.cm.saturating_add(50) / 100, ms: cost.ms }
}
