//! Legs between places of different precision.

use super::{detour, great_circle_m};
use crate::model::{DistanceMatrix, Leg, Located, Precision};

/// Maximum radius in metres that one end adds to a leg.
///
/// Two ends located by municipality in the largest cities thus have a straight-line distance of 8.5
/// km: a delivery serves a part of such a city, not its entire width. This is an assumption, not a
/// measurement. Such legs are flagged as estimated.
const MAX_RADIUS_M: u32 = 6_000;

/// Returns the embedded model's leg between two located places.
///
/// A place may be anywhere within its radius, so the expected straight-line distance is
/// `√(h² + r₁² + r₂²)`. Here `h` is the great-circle distance and `r₁` and `r₂` are the radii of
/// the ends. Two places located by the same municipal seat thus get the typical trip of a city of
/// that size instead of 0 m, and distant places get about `h`. Coordinates and street numbers add
/// no radius: two orders for the same door have a leg of 0 m.
pub fn leg_located(from: &Located, to: &Located) -> Leg {
    let spread = |place: &Located| match place.precision {
        Precision::Coordinates | Precision::Number => 0,
        _ => u64::from(place.radius_m.min(MAX_RADIUS_M)),
    };
    let (near, far) = (spread(from), spread(to));
    if near == 0 && far == 0 {
        return detour::leg(from.point, to.point);
    }
    let between = u64::from(great_circle_m(from.point, to.point));
    let expected = (between * between + near * near + far * far).isqrt();
    detour::leg_over(u32::try_from(expected).unwrap_or(u32::MAX))
}

/// Returns the embedded model's legs between every pair of located places; see [`leg_located`].
///
/// The diagonal is zero. Legs are equal in both directions, so each pair is computed once.
pub fn matrix_located(places: &[Located]) -> DistanceMatrix {
    let size = places.len();
    let mut legs = vec![Some(Leg::default()); size * size];
    for (row, from) in places.iter().enumerate() {
        for (column, to) in places.iter().enumerate().skip(row + 1) {
            let leg = Some(leg_located(from, to));
            legs[row * size + column] = leg;
            legs[column * size + row] = leg;
        }
    }
    DistanceMatrix::new(size, legs).unwrap_or_else(|| unreachable!("the legs form a square matrix"))
}

/// Whether two places may coincide because their distance is less than the sum of their radii.
///
/// A road network would measure the distance between their points, which is not the distance
/// between the places.
fn can_coincide(from: &Located, to: &Located) -> bool {
    let radius_m = |place: &Located| match place.precision {
        Precision::Coordinates | Precision::Number => 0,
        _ => place.radius_m,
    };
    let sum_m = radius_m(from).saturating_add(radius_m(to));
    sum_m > 0 && great_circle_m(from.point, to.point) < sum_m
}

/// Returns the legs of a road network, completed by the embedded model. `roads` has one cell for
/// each pair, row by row.
///
/// An empty cell (no road nearby, another island, the network unavailable) gets the model's leg and
/// is marked as estimated. If two places may coincide, the model's leg is more accurate than the
/// network's. It is not marked, because the places' precision already shows the uncertainty. If the
/// number of cells does not match the number of pairs, all are ignored.
pub fn matrix_with_roads(places: &[Located], roads: &[Option<Leg>]) -> DistanceMatrix {
    let size = places.len();
    let mut legs = Vec::with_capacity(size * size);
    let mut estimated = vec![false; size * size];
    let is_complete = roads.len() == size * size;
    for (row, from) in places.iter().enumerate() {
        for (column, to) in places.iter().enumerate() {
            let cell = row * size + column;
            let road = roads.get(cell).copied().flatten().filter(|_| is_complete);
            legs.push(Some(match road {
                _ if row == column => Leg::default(),
                _ if can_coincide(from, to) => leg_located(from, to),
                Some(leg) => leg,
                None => {
                    estimated[cell] = true;
                    leg_located(from, to)
                }
            }));
        }
    }
    match DistanceMatrix::new(size, legs) {
        Some(matrix) => matrix.with_estimated(estimated),
        None => unreachable!("the legs form a square matrix"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Point;

    fn place(latitude: f64, longitude: f64, precision: Precision, radius_m: u32) -> Located {
        Located {
            point: Point::from_degrees(latitude, longitude).expect("valid coordinates"),
            precision,
            radius_m,
        }
    }

    #[test]
    fn places_in_the_same_municipality_get_a_typical_trip() {
        let town = place(-23.5475, -46.63611, Precision::Municipality, 11_000);
        let village = place(-20.0, -45.0, Precision::Municipality, 500);
        let far = leg_located(&town, &town);
        let near = leg_located(&village, &village);
        assert!((8_000..13_000).contains(&far.metres), "{far:?}");
        assert!(
            (900..2_000).contains(&near.metres) && near.seconds > 0,
            "{near:?}"
        );
        let matrix = matrix_located(&[town, town]);
        assert_eq!(
            (matrix.leg(0, 0), matrix.leg(0, 1)),
            (Some(Leg::default()), Some(far))
        );
    }

    #[test]
    fn exact_places_add_no_radius() {
        let door = place(-23.55, -46.63, Precision::Number, 15);
        let other = place(-23.56, -46.64, Precision::Coordinates, 0);
        assert_eq!(leg_located(&door, &door), Leg::default());
        assert_eq!(
            leg_located(&door, &other),
            detour::leg(door.point, other.point)
        );
    }

    #[test]
    fn radius_hardly_lengthens_long_leg() {
        let one = place(-23.55, -46.63, Precision::Cep, 90);
        let other = place(-23.60, -46.70, Precision::Coordinates, 0);
        let plain = detour::leg(one.point, other.point).metres;
        assert!(leg_located(&one, &other).metres - plain <= 2);
    }

    #[test]
    fn missing_road_legs_are_estimated_and_marked() {
        let door = place(-23.55, -46.63, Precision::Number, 15);
        let other = place(-23.56, -46.64, Precision::Coordinates, 0);
        let town = place(-23.5475, -46.63611, Precision::Municipality, 11_000);
        let road = Leg {
            metres: 2_345,
            seconds: 678,
        };
        let cells = vec![
            None,
            Some(road),
            Some(road),
            None,
            None,
            Some(road),
            Some(road),
            None,
            None,
        ];
        let matrix = matrix_with_roads(&[door, other, town], &cells);
        assert_eq!(
            (matrix.leg(0, 1), matrix.is_estimated(0, 1)),
            (Some(road), false)
        );
        assert_eq!(
            (matrix.leg(1, 0), matrix.is_estimated(1, 0)),
            (Some(leg_located(&other, &door)), true)
        );
        assert_eq!(
            (matrix.leg(0, 2), matrix.is_estimated(0, 2)),
            (Some(leg_located(&door, &town)), false)
        );
        assert_eq!(
            (matrix.leg(1, 1), matrix.is_estimated(1, 1)),
            (Some(Leg::default()), false)
        );
        let unreachable = matrix_with_roads(&[door, other], &[]);
        assert!(
            unreachable.is_estimated(0, 1)
                && unreachable.is_estimated(1, 0)
                && !unreachable.is_estimated(0, 0)
        );
    }
}
