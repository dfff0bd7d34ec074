//! Whether a point is in Brazil, by the coast and borders of Natural Earth (1:10,000,000).

use super::tables;
use crate::domain::Point;

/// How far outside the outline a point still counts as Brazil, in metres: the outline is simplified to 1.3 km, the source
/// itself strays about as far, and piers, islets and border towns must pass.
const MARGIN_M: f64 = 6_000.0;

/// Metres in one degree of latitude.
const DEGREE_M: f64 = 111_195.0;

/// Whether the point lies on Brazil's land or within the margin of it.
pub(super) fn holds(point: Point) -> bool {
    inside(point) || near(point)
}

/// Even–odd rule over all rings, in whole grid units, so that every host decides alike.
fn inside(point: Point) -> bool {
    let (lat, lon) = (i64::from(point.lat_e7), i64::from(point.lon_e7));
    let mut odd = false;
    let crossed = tables::strips().filter(|strip| strip.south_e7 <= point.lat_e7 && point.lat_e7 <= strip.north_e7);
    for strip in crossed {
        for (from, to) in strip.edges() {
            let (y1, y2) = (i64::from(from.lat_e7), i64::from(to.lat_e7));
            if (y1 > lat) == (y2 > lat) {
                continue;
            }
            let (x1, x2) = (i64::from(from.lon_e7), i64::from(to.lon_e7));
            let cross = (x2 - x1) * (lat - y1) - (lon - x1) * (y2 - y1);
            if (cross > 0) == (y2 > y1) && cross != 0 {
                odd = !odd;
            }
        }
    }
    odd
}

/// Whether any edge passes within the margin; flat geometry is right to a metre at this range.
fn near(point: Point) -> bool {
    let radians = core::f64::consts::PI / 180.0;
    let east_m = DEGREE_M * libm::cos(point.latitude() * radians);
    let flat = |other: Point| {
        let x = (other.longitude() - point.longitude()) * east_m;
        let y = (other.latitude() - point.latitude()) * DEGREE_M;
        (x, y)
    };
    tables::strips().any(|strip| {
        strip.edges().any(|(from, to)| {
            let (start, end) = (flat(from), flat(to));
            let (dx, dy) = (end.0 - start.0, end.1 - start.1);
            let length = dx * dx + dy * dy;
            let along = if length > 0.0 { (-(start.0 * dx + start.1 * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
            let (x, y) = (start.0 + along * dx, start.1 + along * dy);
            x * x + y * y <= MARGIN_M * MARGIN_M
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(latitude: f64, longitude: f64) -> bool {
        holds(Point::from_degrees(latitude, longitude).expect("on the planet"))
    }

    #[test]
    fn every_seat_is_in_brazil() {
        for index in 0..tables::count() {
            assert!(holds(tables::seat(index)), "{} {:?}", tables::name(index), tables::seat(index));
        }
    }

    #[test]
    fn sea_neighbours_and_swapped_coordinates_are_not() {
        assert!(at(-22.9711, -43.1823), "Copacabana");
        assert!(at(-25.5163, -54.5854), "Foz do Iguaçu");
        assert!(at(-3.84, -32.41), "Fernando de Noronha");
        for (latitude, longitude, what) in [
            (-23.2, -43.0, "20 km off Copacabana"),
            (0.0, 0.0, "null island"),
            (-34.6037, -58.3816, "Buenos Aires"),
            (-25.2637, -57.5759, "Asunción"),
            (-46.6333, -23.5505, "São Paulo swapped"),
            (23.5505, -46.6333, "São Paulo without its sign"),
            (90.0, 180.0, "the pole"),
        ] {
            assert!(!at(latitude, longitude), "{what}");
        }
    }
}
