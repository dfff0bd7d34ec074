//! Distances on a plane around a point. For a few kilometres they are accurate to a metre.

use crate::model::Point;

/// Metres in one degree of latitude.
const DEGREE_M: f64 = 111_195.0;

/// The plane around a point.
pub(super) struct Plane {
    centre: Point,
    /// Metres in one degree of longitude.
    east_m: f64,
}

impl Plane {
    pub(super) fn around(centre: Point) -> Plane {
        let radians = core::f64::consts::PI / 180.0;
        Plane {
            centre,
            east_m: DEGREE_M * libm::cos(centre.latitude() * radians),
        }
    }

    /// Whether the centre is within `metres` of the edge between two points.
    pub(super) fn is_near(&self, from: Point, to: Point, metres: f64) -> bool {
        let flat = |other: Point| {
            let x = (other.longitude() - self.centre.longitude()) * self.east_m;
            let y = (other.latitude() - self.centre.latitude()) * DEGREE_M;
            (x, y)
        };
        let (start, end) = (flat(from), flat(to));
        let (dx, dy) = (end.0 - start.0, end.1 - start.1);
        let length = dx * dx + dy * dy;
        let along = if length > 0.0 {
            (-(start.0 * dx + start.1 * dy) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let (x, y) = (start.0 + along * dx, start.1 + along * dy);
        x * x + y * y <= metres * metres
    }
}
