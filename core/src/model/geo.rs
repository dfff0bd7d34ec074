//! Points and road distances in integer units.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// A point on Earth, WGS 84, in units of 10⁻⁷ degrees (about one centimetre).
///
/// Integers compare equal on every host and in every database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point {
    /// Latitude in 10⁻⁷ degrees, −90° to 90°.
    pub lat_e7: i32,
    /// Longitude in 10⁻⁷ degrees, −180° to 180°.
    pub lon_e7: i32,
}

impl Point {
    const UNITS: f64 = 1e7;

    /// Creates a point from degrees. Returns `None` if a value is out of range or not a number.
    ///
    /// ```
    /// use despacho_core::model::Point;
    /// assert!(Point::from_degrees(-23.5505, -46.6333).is_some());
    /// assert!(Point::from_degrees(91.0, 0.0).is_none());
    /// assert!(Point::from_degrees(f64::NAN, 0.0).is_none());
    /// ```
    pub fn from_degrees(latitude: f64, longitude: f64) -> Option<Point> {
        let fits = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "180e7 fits an i32, and the range is checked above"
        )]
        fits.then(|| Point {
            lat_e7: libm::round(latitude * Self::UNITS) as i32,
            lon_e7: libm::round(longitude * Self::UNITS) as i32,
        })
    }

    /// Returns the latitude in degrees.
    pub fn latitude(self) -> f64 {
        f64::from(self.lat_e7) / Self::UNITS
    }

    /// Returns the longitude in degrees.
    pub fn longitude(self) -> f64 {
        f64::from(self.lon_e7) / Self::UNITS
    }
}

/// A road distance in metres.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Distance(pub u32);

impl Distance {
    /// Returns the distance in metres.
    pub fn metres(self) -> u32 {
        self.0
    }

    /// Returns the distance in kilometres, exactly, with three decimals.
    pub fn kilometres(self) -> Decimal {
        Decimal::new(self.0.into(), 3)
    }

    /// Returns the sum, saturating at the largest value.
    #[must_use]
    pub fn plus(self, other: Distance) -> Distance {
        Distance(self.0.saturating_add(other.0))
    }
}

/// The road distance and travel time between two points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// Road distance in metres.
    pub metres: u32,
    /// Travel time in seconds, without stops.
    pub seconds: u32,
}

/// The precision of a location, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// The caller sent latitude and longitude.
    Coordinates,
    /// The street number is known.
    Number,
    /// The street is known.
    Street,
    /// The eight-digit CEP is known.
    Cep,
    /// The first five digits of the CEP are known.
    Cep5,
    /// The neighbourhood is known.
    Neighbourhood,
    /// Only the municipality is known.
    Municipality,
}

impl Precision {
    /// All levels, from best to worst.
    pub const ALL: [Precision; 7] = [
        Precision::Coordinates,
        Precision::Number,
        Precision::Street,
        Precision::Cep,
        Precision::Cep5,
        Precision::Neighbourhood,
        Precision::Municipality,
    ];

    /// Returns the name of the level in the API and the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Coordinates => "coordinates",
            Precision::Number => "number",
            Precision::Street => "street",
            Precision::Cep => "cep",
            Precision::Cep5 => "cep5",
            Precision::Neighbourhood => "neighbourhood",
            Precision::Municipality => "municipality",
        }
    }

    /// Returns the level with this name.
    ///
    /// ```
    /// use despacho_core::model::Precision;
    /// assert_eq!(Precision::parse("cep5"), Some(Precision::Cep5));
    /// assert!(Precision::Number < Precision::Street && Precision::parse("door").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Precision> {
        Self::ALL.into_iter().find(|level| level.name() == text)
    }
}

/// The coordinates of an address and their precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Located {
    /// The coordinates.
    pub point: Point,
    /// The level of detail at which the address was located.
    pub precision: Precision,
    /// Typical error in metres; 0 for coordinates.
    pub radius_m: u32,
}

/// The legs between all pairs of `n` points, stored row by row.
///
/// A leg is `None` if there is no road. The diagonal is zero. A leg can be marked as estimated,
/// which means that the embedded model replaced the road network because it had no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceMatrix {
    size: usize,
    legs: Vec<Option<Leg>>,
    /// Row by row like the legs, or empty if no leg is marked.
    estimated: Vec<bool>,
    /// The legs that follow from the texts of two addresses; row by row, or empty if there is none.
    near: Vec<bool>,
}

impl DistanceMatrix {
    /// Creates a matrix from its concatenated rows. Returns `None` if they are not square.
    pub fn new(size: usize, legs: Vec<Option<Leg>>) -> Option<DistanceMatrix> {
        (size.checked_mul(size)? == legs.len()).then_some(DistanceMatrix {
            size,
            legs,
            estimated: Vec::new(),
            near: Vec::new(),
        })
    }

    /// Marks legs as estimated, row by row. If there are more or fewer marks than legs, none is
    /// marked.
    #[must_use]
    pub fn with_estimated(self, marks: Vec<bool>) -> DistanceMatrix {
        let fits = marks.len() == self.legs.len() && marks.contains(&true);
        DistanceMatrix {
            estimated: if fits { marks } else { Vec::new() },
            ..self
        }
    }

    /// Returns whether the leg is from the embedded model because the road network had no result.
    pub fn is_estimated(&self, from: usize, to: usize) -> bool {
        from < self.size
            && to < self.size
            && self
                .estimated
                .get(from * self.size + to)
                .copied()
                .unwrap_or(false)
    }

    /// Replaces legs, row by row, by those that follow from the texts of two addresses, and marks
    /// them. If there are more or fewer than legs, none is replaced.
    #[must_use]
    pub fn with_near(mut self, near: &[Option<Leg>]) -> DistanceMatrix {
        if near.len() == self.legs.len() && near.iter().any(Option::is_some) {
            for (leg, near) in self.legs.iter_mut().zip(near) {
                *leg = near.or(*leg);
            }
            self.near = near.iter().map(Option::is_some).collect();
        }
        self
    }

    /// Returns whether the leg follows from the texts of the two addresses.
    pub fn is_near(&self, from: usize, to: usize) -> bool {
        from < self.size
            && to < self.size
            && self
                .near
                .get(from * self.size + to)
                .copied()
                .unwrap_or(false)
    }

    /// Returns the number of points.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the leg from one point to another, or `None` if there is no road or an index is out
    /// of range.
    pub fn leg(&self, from: usize, to: usize) -> Option<Leg> {
        if from >= self.size || to >= self.size {
            return None;
        }
        self.legs.get(from * self.size + to).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_round_trip_to_seven_decimals() {
        let point = Point::from_degrees(-23.550_520_1, -46.633_308_9).expect("on the planet");
        assert_eq!(
            (point.latitude(), point.longitude()),
            (-23.550_520_1, -46.633_308_9)
        );
    }

    #[test]
    fn precision_names_equal_their_serialized_form() {
        for level in Precision::ALL {
            assert_eq!(
                serde_json::to_string(&level).expect("a string"),
                format!("\"{}\"", level.name())
            );
            assert_eq!(Precision::parse(level.name()), Some(level));
        }
        assert!(Precision::ALL.is_sorted());
    }

    #[test]
    fn estimated_marks_apply_to_their_legs() {
        let matrix = |marks| {
            DistanceMatrix::new(2, vec![Some(Leg::default()); 4])
                .map(|matrix| matrix.with_estimated(marks))
        };
        let marked = matrix(vec![false, true, false, false]).expect("a square");
        assert!(
            marked.is_estimated(0, 1) && !marked.is_estimated(1, 0) && !marked.is_estimated(0, 9)
        );
        assert_eq!(
            matrix(vec![true; 3]),
            matrix(vec![]),
            "marks of another length are ignored"
        );
    }

    #[test]
    fn non_square_matrix_is_rejected() {
        assert!(DistanceMatrix::new(2, vec![None; 3]).is_none());
        assert!(DistanceMatrix::new(usize::MAX, vec![]).is_none());
        assert_eq!(
            DistanceMatrix::new(1, vec![Some(Leg::default())]).and_then(|m| m.leg(0, 0)),
            Some(Leg::default())
        );
    }
}
