//! The mapping between the instances' metres and coordinates around São Paulo, and the travel
//! times.

use despacho_core::model::{DistanceMatrix, Leg, Located, Point};

use super::instance::Place;

/// Coordinates of the place (0, 0). Instances extend to about 35 km north and east of it.
const ORIGIN: Point = Point {
    lat_e7: -237_000_000,
    lon_e7: -468_000_000,
};
/// Units of 10⁻⁷ degrees per metre from south to north. An integer makes the mapping exactly
/// reversible.
const PER_METRE_NORTH: i32 = 90;
/// Units of 10⁻⁷ degrees per metre from west to east at this latitude.
const PER_METRE_EAST: i32 = 98;

/// Returns the coordinates of a place.
pub(crate) fn point((x, y): Place) -> Point {
    Point {
        lat_e7: ORIGIN.lat_e7 + y * PER_METRE_NORTH,
        lon_e7: ORIGIN.lon_e7 + x * PER_METRE_EAST,
    }
}

/// Returns the place of coordinates that [`point`] returned.
pub(crate) fn place(point: Point) -> Place {
    let (north, east) = (point.lat_e7 - ORIGIN.lat_e7, point.lon_e7 - ORIGIN.lon_e7);
    (east / PER_METRE_EAST, north / PER_METRE_NORTH)
}

/// Travel times of an instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Travel {
    pub(crate) metres_per_minute: u64,
}

impl Travel {
    /// Returns the travel time in seconds: Euclidean distance and constant speed, rounded up to
    /// whole minutes.
    pub(crate) fn seconds(self, from: Place, to: Place) -> u32 {
        let square = square_m(from, to);
        let root = square.isqrt();
        let metres = if root * root < square { root + 1 } else { root };
        // Rounding up twice gives the same result, because the speed is a whole number of metres
        // per minute.
        u32::try_from(metres.div_ceil(self.metres_per_minute.max(1)) * 60).unwrap_or(u32::MAX)
    }

    /// Returns the travel time in minutes without rounding.
    #[expect(
        clippy::cast_precision_loss,
        reason = "squares of distances within a city are below 2^53"
    )]
    pub(crate) fn unrounded_minutes(self, from: Place, to: Place) -> f64 {
        (square_m(from, to) as f64).sqrt() / self.metres_per_minute as f64
    }

    /// Returns the travel times and distances between all pairs of locations.
    pub(crate) fn distances(self, places: &[Located]) -> Option<DistanceMatrix> {
        let mut legs = Vec::with_capacity(places.len() * places.len());
        for from in places.iter().map(|from| place(from.point)) {
            legs.extend(places.iter().map(|to| {
                let to = place(to.point);
                let metres = u32::try_from(square_m(from, to).isqrt()).unwrap_or(u32::MAX);
                Some(Leg {
                    metres,
                    seconds: self.seconds(from, to),
                })
            }));
        }
        DistanceMatrix::new(places.len(), legs)
    }
}

fn square_m(from: Place, to: Place) -> u64 {
    let (x, y) = (
        u64::from(from.0.abs_diff(to.0)),
        u64::from(from.1.abs_diff(to.1)),
    );
    x * x + y * y
}
