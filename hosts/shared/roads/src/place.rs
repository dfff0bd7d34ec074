//! Places in whole units, and metres between near ones.

use despacho_core::model::Point;

/// Metres in 10⁻⁷ degrees of latitude, on the sphere of the core's great-circle distance (mean radius 6,371,008.8 m).
const UNIT_M: f64 = 6_371_008.8 * core::f64::consts::PI / 180.0 / 1e7;

const RADIANS: f64 = core::f64::consts::PI / 180.0 / 1e7;

/// A place in 10⁻⁷ degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) lat: i32,
    pub(crate) lon: i32,
}

impl Place {
    pub(crate) fn of(point: Point) -> Place {
        Place { lat: point.lat_e7, lon: point.lon_e7 }
    }

    pub(crate) fn point(self) -> Point {
        Point { lat_e7: self.lat, lon_e7: self.lon }
    }

    /// Metres east and north to another place: flat, right to a tenth of a percent within some kilometres.
    pub(crate) fn offset_to(self, other: Place) -> (f64, f64) {
        let middle = f64::midpoint(f64::from(self.lat), f64::from(other.lat)) * RADIANS;
        let (east, north) = (f64::from(other.lon) - f64::from(self.lon), f64::from(other.lat) - f64::from(self.lat));
        (east * UNIT_M * libm::cos(middle), north * UNIT_M)
    }

    pub(crate) fn metres_to(self, other: Place) -> f64 {
        let (east, north) = self.offset_to(other);
        libm::sqrt(east * east + north * north)
    }

    /// Direction in degrees: north 0, east 90, south ±180.
    pub(crate) fn bearing_to(self, other: Place) -> f64 {
        let (east, north) = self.offset_to(other);
        libm::atan2(east, north) * 180.0 / core::f64::consts::PI
    }

    /// The place a share of the way to another.
    pub(crate) fn towards(self, other: Place, share: f64) -> Place {
        let between = |from: i32, to: i32| {
            #[expect(clippy::cast_possible_truncation, reason = "between two numbers that fit")]
            let value = libm::round(f64::from(from) + (f64::from(to) - f64::from(from)) * share) as i32;
            value
        };
        Place { lat: between(self.lat, other.lat), lon: between(self.lon, other.lon) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_metres_agree_with_the_great_circle() {
        let (a, b) = (Place { lat: -235_505_000, lon: -466_333_000 }, Place { lat: -235_614_000, lon: -466_559_000 });
        assert!((a.metres_to(b) - 2_603.0).abs() < 1.0);
        assert!((a.bearing_to(b) - -117.7).abs() < 1.0, "{}", a.bearing_to(b));
        assert_eq!(a.towards(b, 0.5), Place { lat: -235_559_500, lon: -466_446_000 });
    }
}
