//! Legs between places that are known to different precision.

use super::{detour, great_circle_m};
use crate::model::{DistanceMatrix, Leg, Located, Precision};

/// The most that one end's radius adds to a leg, in metres.
///
/// Two municipality-precise ends in the largest cities then lie 8.5 km apart as the crow flies: a delivery serves a part of
/// such a city, not its whole width. An assumption, not a measurement; such legs are flagged as estimated.
const WIDEST_M: u32 = 6_000;

/// The leg that the embedded model expects between two located places.
///
/// A place that is only known to lie within a radius is somewhere around its point, so the expected distance is
/// `√(h² + r₁² + r₂²)` for `h` great-circle metres and the radii of the ends. Two places in one municipality, both known by
/// its seat alone, thus get the typical trip of a city of that size and never 0; far places get `h`. Coordinates and street
/// numbers add nothing: two orders for one door are 0 m apart.
pub fn leg_located(from: &Located, to: &Located) -> Leg {
    let spread = |place: &Located| match place.precision {
        Precision::Coordinates | Precision::Number => 0,
        _ => u64::from(place.radius_m.min(WIDEST_M)),
    };
    let (near, far) = (spread(from), spread(to));
    if near == 0 && far == 0 {
        return detour::leg(from.point, to.point);
    }
    let between = u64::from(great_circle_m(from.point, to.point));
    let expected = (between * between + near * near + far * far).isqrt();
    detour::leg_over(u32::try_from(expected).unwrap_or(u32::MAX))
}

/// The embedded model's legs between every pair of located places; see [`leg_located`]. The diagonal is zero, and a leg is the
/// same both ways, so that each pair is computed once.
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
    DistanceMatrix::new(size, legs).unwrap_or_else(|| unreachable!("n rows of n legs are a square"))
}

/// Whether two places may be the same for all that is known: they lie nearer to each other than their radii reach. A road
/// network asked about their points would measure the points, not the places.
fn overlap(from: &Located, to: &Located) -> bool {
    let reach = |place: &Located| match place.precision {
        Precision::Coordinates | Precision::Number => 0,
        _ => place.radius_m,
    };
    let reaches = reach(from).saturating_add(reach(to));
    reaches > 0 && great_circle_m(from.point, to.point) < reaches
}

/// Legs of a road network, completed by the embedded model: `roads` holds a cell for every pair, row by row.
///
/// A cell without an answer (no road near, another island, the network out of order) gets the model's leg and is marked as
/// estimated. Where two places may be one for all that is known the model's leg is the better one, and not marked: their precision
/// says it already. Cells of another number than the pairs count as no answer at all.
pub fn matrix_with_roads(places: &[Located], roads: &[Option<Leg>]) -> DistanceMatrix {
    let size = places.len();
    let mut legs = Vec::with_capacity(size * size);
    let mut marks = vec![false; size * size];
    let known = roads.len() == size * size;
    for (row, from) in places.iter().enumerate() {
        for (column, to) in places.iter().enumerate() {
            let cell = row * size + column;
            let road = roads.get(cell).copied().flatten().filter(|_| known);
            legs.push(Some(match road {
                _ if row == column => Leg::default(),
                _ if overlap(from, to) => leg_located(from, to),
                Some(leg) => leg,
                None => {
                    marks[cell] = true;
                    leg_located(from, to)
                }
            }));
        }
    }
    match DistanceMatrix::new(size, legs) {
        Some(matrix) => matrix.with_estimated(marks),
        None => unreachable!("n rows of n legs are a square"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Point;

    fn place(latitude: f64, longitude: f64, precision: Precision, radius_m: u32) -> Located {
        Located { point: Point::from_degrees(latitude, longitude).expect("on the planet"), precision, radius_m }
    }

    #[test]
    fn two_places_known_by_one_seat_are_a_typical_trip_apart() {
        let town = place(-23.5475, -46.63611, Precision::Municipality, 11_000);
        let village = place(-20.0, -45.0, Precision::Municipality, 500);
        let far = leg_located(&town, &town);
        let near = leg_located(&village, &village);
        assert!((8_000..13_000).contains(&far.metres), "{far:?}");
        assert!((900..2_000).contains(&near.metres) && near.seconds > 0, "{near:?}");
        let matrix = matrix_located(&[town, town]);
        assert_eq!((matrix.leg(0, 0), matrix.leg(0, 1)), (Some(Leg::default()), Some(far)));
    }

    #[test]
    fn exact_places_keep_the_plain_model() {
        let door = place(-23.55, -46.63, Precision::Number, 15);
        let other = place(-23.56, -46.64, Precision::Coordinates, 0);
        assert_eq!(leg_located(&door, &door), Leg::default());
        assert_eq!(leg_located(&door, &other), detour::leg(door.point, other.point));
    }

    #[test]
    fn a_radius_hardly_lengthens_a_long_leg() {
        let one = place(-23.55, -46.63, Precision::Cep, 90);
        let other = place(-23.60, -46.70, Precision::Coordinates, 0);
        let plain = detour::leg(one.point, other.point).metres;
        assert!(leg_located(&one, &other).metres - plain <= 2);
    }

    #[test]
    fn roads_win_where_they_answer_and_the_model_is_marked_where_they_do_not() {
        let door = place(-23.55, -46.63, Precision::Number, 15);
        let other = place(-23.56, -46.64, Precision::Coordinates, 0);
        let town = place(-23.5475, -46.63611, Precision::Municipality, 11_000);
        let road = Leg { metres: 2_345, seconds: 678 };
        let cells = vec![None, Some(road), Some(road), None, None, Some(road), Some(road), None, None];
        let matrix = matrix_with_roads(&[door, other, town], &cells);
        assert_eq!((matrix.leg(0, 1), matrix.is_estimated(0, 1)), (Some(road), false));
        assert_eq!((matrix.leg(1, 0), matrix.is_estimated(1, 0)), (Some(leg_located(&other, &door)), true));
        assert_eq!((matrix.leg(0, 2), matrix.is_estimated(0, 2)), (Some(leg_located(&door, &town)), false));
        assert_eq!((matrix.leg(1, 1), matrix.is_estimated(1, 1)), (Some(Leg::default()), false));
        let unreachable = matrix_with_roads(&[door, other], &[]);
        assert!(unreachable.is_estimated(0, 1) && unreachable.is_estimated(1, 0) && !unreachable.is_estimated(0, 0));
    }
}
