//! The matrix of legs between points.

use despacho_core::model::Point;

use crate::coord::Coord;
use crate::cost::Cost;
use crate::network::Roads;
use crate::snap::{Place, SnappedPoint};
use crate::sweep;

/// A leg along roads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoadLeg {
    /// The distance in metres along the fastest trip, between the points' nearest positions on
    /// roads.
    pub metres: u32,
    /// The travel time in milliseconds without traffic. A courier in traffic takes about 1.5 times
    /// as long.
    pub ms: u32,
}

/// The legs between every pair of points, in both directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadMatrix {
    legs: Vec<Option<RoadLeg>>,
    snapped: Vec<bool>,
}

impl RoadMatrix {
    /// Returns the number of points.
    pub fn size(&self) -> usize {
        self.snapped.len()
    }

    /// Returns whether a point is near a road of the extract. If not, it has no legs: use another
    /// model for them, and report it.
    pub fn is_snapped(&self, point: usize) -> bool {
        self.snapped.get(point).copied().unwrap_or(false)
    }

    /// Returns the leg from one point to another, or `None` if a point is not snapped or no road
    /// connects them, as between an island and the mainland. From a snapped point to itself it is
    /// zero.
    pub fn leg(&self, from: usize, to: usize) -> Option<RoadLeg> {
        let size = self.size();
        if from >= size || to >= size {
            return None;
        }
        self.legs.get(from * size + to).copied().flatten()
    }
}

impl Roads {
    /// Computes the legs between every pair of points.
    ///
    /// A point farther than [`SNAP_LIMIT_M`](crate::SNAP_LIMIT_M) from every road, or outside the
    /// extract's area, is never snapped. If one component of the network is within this limit of
    /// all other points, all are snapped to it. Otherwise each leg is measured in the component
    /// that is nearest to both of its ends.
    pub fn matrix(&self, points: &[Point]) -> RoadMatrix {
        let snapped = self.snap_all(points);
        // A point has one search for each of its places.
        let mut first = vec![0];
        for places in &snapped {
            first.push(first.last().copied().unwrap_or_default() + places.len());
        }
        let places = || snapped.iter().flatten();
        let starts: Vec<&[SnappedPoint]> = places().map(|place| &place.points[..]).collect();
        // A trip can end on a copy of its edge. It begins on the edge itself, where no turn has
        // been taken yet.
        let ends: Vec<Vec<SnappedPoint>> =
            starts.iter().map(|start| self.with_copies(start)).collect();
        let groups: Vec<u32> = places().map(|place| self.group(place)).collect();
        let costs = sweep::costs(self, &starts, &ends, &groups, diameter(points, &snapped));
        let mut legs = Vec::with_capacity(points.len() * points.len());
        for from in 0..points.len() {
            for to in 0..points.len() {
                let cost =
                    |(one, other)| costs[(first[from] + one) * starts.len() + first[to] + other];
                legs.push(if from == to {
                    (!snapped[from].is_empty()).then(RoadLeg::default)
                } else {
                    self.pairs(&snapped[from], &snapped[to])
                        .into_iter()
                        .find_map(cost)
                        .map(leg)
                });
            }
        }
        RoadMatrix {
            legs,
            snapped: snapped.iter().map(|places| !places.is_empty()).collect(),
        }
    }

    pub(crate) fn with_copies(&self, snapped: &[SnappedPoint]) -> Vec<SnappedPoint> {
        let mut all = snapped.to_vec();
        for point in snapped {
            let first = self.copies.partition_point(|copy| copy.0 < point.edge);
            let copies = self
                .copies
                .iter()
                .skip(first)
                .take_while(|copy| copy.0 == point.edge);
            all.extend(copies.map(|copy| SnappedPoint {
                edge: copy.1,
                offset: point.offset,
            }));
        }
        all
    }
}

/// Returns the diagonal, in metres, of the box around the points that are snapped.
fn diameter(points: &[Point], snapped: &[Vec<Place>]) -> f64 {
    let all = points
        .iter()
        .zip(snapped)
        .filter(|(_, places)| !places.is_empty());
    let corners = all
        .map(|(point, _)| Coord::from_point(*point))
        .map(|at| (at, at))
        .reduce(|(low, high), (at, _)| {
            let low = Coord {
                lat: low.lat.min(at.lat),
                lon: low.lon.min(at.lon),
            };
            (
                low,
                Coord {
                    lat: high.lat.max(at.lat),
                    lon: high.lon.max(at.lon),
                },
            )
        });
    corners.map_or(0.0, |(low, high)| low.metres_to(high))
}

fn leg(cost: Cost) -> RoadLeg {
    RoadLeg {
        metres: cost.cm.saturating_add(50) / 100,
        ms: cost.ms,
    }
}
