//! Coordinates in integer units, and distances between near ones.

use despacho_core::model::Point;

/// The length in metres of 10⁻⁷ degrees of latitude, on the sphere of the core's great-circle
/// distance (mean radius 6,371,008.8 m).
const UNIT_M: f64 = 6_371_008.8 * core::f64::consts::PI / 180.0 / 1e7;

const RADIANS: f64 = core::f64::consts::PI / 180.0 / 1e7;

/// A coordinate in 10⁻⁷ degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Coord {
    pub(crate) lat: i32,
    pub(crate) lon: i32,
}

impl Coord {
    pub(crate) fn from_point(point: Point) -> Coord {
        Coord {
            lat: point.lat_e7,
            lon: point.lon_e7,
        }
    }

    pub(crate) fn point(self) -> Point {
        Point {
            lat_e7: self.lat,
            lon_e7: self.lon,
        }
    }

    /// Returns the metres east and north to another coordinate, by a flat approximation that is
    /// accurate to 0.1 per cent within a few kilometres.
    pub(crate) fn offset_to(self, other: Coord) -> (f64, f64) {
        let middle = f64::midpoint(f64::from(self.lat), f64::from(other.lat)) * RADIANS;
        let (east, north) = (
            f64::from(other.lon) - f64::from(self.lon),
            f64::from(other.lat) - f64::from(self.lat),
        );
        (east * UNIT_M * libm::cos(middle), north * UNIT_M)
    }

    pub(crate) fn metres_to(self, other: Coord) -> f64 {
        let (east, north) = self.offset_to(other);
        libm::sqrt(east * east + north * north)
    }

    /// Returns the bearing in degrees: north 0, east 90, south ±180.
    pub(crate) fn bearing_to(self, other: Coord) -> f64 {
        let (east, north) = self.offset_to(other);
        libm::atan2(east, north) * 180.0 / core::f64::consts::PI
    }

    /// Interpolates towards another coordinate by a fraction from 0 to 1.
    pub(crate) fn towards(self, other: Coord, fraction: f64) -> Coord {
        let between = |from: i32, to: i32| {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "between two values in range"
            )]
            let value =
                libm::round(f64::from(from) + (f64::from(to) - f64::from(from)) * fraction) as i32;
            value
        };
        Coord {
            lat: between(self.lat, other.lat),
            lon: between(self.lon, other.lon),
        }
    }
}

/// Coordinates relative to one of them in metres, with one cosine for all.
pub(crate) struct Plane {
    origin: Coord,
    /// The metres of 10,000 units to the east.
    east: f64,
}

impl Plane {
    pub(crate) fn around(origin: Coord) -> Plane {
        let (east, _) = origin.offset_to(Coord {
            lat: origin.lat,
            lon: origin.lon.saturating_add(10_000),
        });
        Plane { origin, east }
    }

    /// Returns the metres east and north of the origin.
    pub(crate) fn place(&self, other: Coord) -> (f64, f64) {
        let lon = (f64::from(other.lon) - f64::from(self.origin.lon)) * self.east / 10_000.0;
        (
            lon,
            self.origin
                .offset_to(Coord {
                    lat: other.lat,
                    lon: self.origin.lon,
                })
                .1,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_distance_equals_great_circle() {
        let (a, b) = (
            Coord {
                lat: -235_505_000,
                lon: -466_333_000,
            },
            Coord {
                lat: -235_614_000,
                lon: -466_559_000,
            },
        );
        assert!((a.metres_to(b) - 2_603.0).abs() < 1.0);
        assert!(
            (a.bearing_to(b) - -117.7).abs() < 1.0,
            "{}",
            a.bearing_to(b)
        );
        assert_eq!(
            a.towards(b, 0.5),
            Coord {
                lat: -235_559_500,
                lon: -466_446_000
            }
        );
    }
}
