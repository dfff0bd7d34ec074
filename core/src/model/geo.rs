//! Places and the roads between them, in whole units.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// A place on Earth, WGS 84, held in units of 10⁻⁷ degrees (about one centimetre).
///
/// Whole numbers keep the same place equal on every host and in every database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point {
    /// Latitude in 10⁻⁷ degrees, −90° to 90°.
    pub lat_e7: i32,
    /// Longitude in 10⁻⁷ degrees, −180° to 180°.
    pub lon_e7: i32,
}

impl Point {
    const UNITS: f64 = 1e7;

    /// The point at these degrees, or `None` outside the planet or for a value that is no number.
    ///
    /// ```
    /// use despacho_core::model::Point;
    /// assert!(Point::from_degrees(-23.5505, -46.6333).is_some());
    /// assert!(Point::from_degrees(91.0, 0.0).is_none());
    /// assert!(Point::from_degrees(f64::NAN, 0.0).is_none());
    /// ```
    pub fn from_degrees(latitude: f64, longitude: f64) -> Option<Point> {
        let fits = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
        #[expect(clippy::cast_possible_truncation, reason = "180e7 fits an i32, and the range is checked above")]
        fits.then(|| Point {
            lat_e7: libm::round(latitude * Self::UNITS) as i32,
            lon_e7: libm::round(longitude * Self::UNITS) as i32,
        })
    }

    /// Latitude in degrees.
    pub fn latitude(self) -> f64 {
        f64::from(self.lat_e7) / Self::UNITS
    }

    /// Longitude in degrees.
    pub fn longitude(self) -> f64 {
        f64::from(self.lon_e7) / Self::UNITS
    }
}

/// A road distance in whole metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Distance(pub u32);

impl Distance {
    /// Whole metres.
    pub fn metres(self) -> u32 {
        self.0
    }

    /// Kilometres with three decimals, exact.
    pub fn kilometres(self) -> Decimal {
        Decimal::new(self.0.into(), 3)
    }

    /// The sum, which stays at the largest value instead of wrapping.
    #[must_use]
    pub fn plus(self, other: Distance) -> Distance {
        Distance(self.0.saturating_add(other.0))
    }
}

/// One leg between two points: how far and how long on the road.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// Road metres.
    pub metres: u32,
    /// Riding time in whole seconds, door to door, stops not included.
    pub seconds: u32,
}

/// How well a location is known, from best to worst.
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
    /// Every level, from best to worst.
    pub const ALL: [Precision; 7] = [
        Precision::Coordinates,
        Precision::Number,
        Precision::Street,
        Precision::Cep,
        Precision::Cep5,
        Precision::Neighbourhood,
        Precision::Municipality,
    ];

    /// The level as the API and the configuration write it.
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

    /// The level of this name.
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

/// Where an address is, and how well that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Located {
    /// The place.
    pub point: Point,
    /// The level that the place was found at.
    pub precision: Precision,
    /// Typical error of the place in metres; 0 for coordinates.
    pub radius_m: u32,
}

/// Legs between every pair of `n` points, row by row: `leg(from, to)`.
///
/// A `None` leg has no road. The diagonal is zero. A leg may be marked as estimated: a road network was asked and could not
/// tell, so that the embedded model stands in for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceMatrix {
    size: usize,
    legs: Vec<Option<Leg>>,
    /// Row by row like the legs, or empty where no leg is marked.
    estimated: Vec<bool>,
}

impl DistanceMatrix {
    /// A matrix from its rows laid end to end, or `None` where they do not make a square.
    pub fn new(size: usize, legs: Vec<Option<Leg>>) -> Option<DistanceMatrix> {
        (size.checked_mul(size)? == legs.len()).then_some(DistanceMatrix { size, legs, estimated: Vec::new() })
    }

    /// The same with legs marked, row by row, as estimated; marks of another number than the legs mark none.
    #[must_use]
    pub fn with_estimated(self, marks: Vec<bool>) -> DistanceMatrix {
        let fits = marks.len() == self.legs.len() && marks.contains(&true);
        DistanceMatrix { estimated: if fits { marks } else { Vec::new() }, ..self }
    }

    /// Whether the embedded model stands in for a road network's answer about this leg.
    pub fn is_estimated(&self, from: usize, to: usize) -> bool {
        from < self.size && to < self.size && self.estimated.get(from * self.size + to).copied().unwrap_or(false)
    }

    /// How many points there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The leg from one point to another; `None` without a road, or for an index that is not there.
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
    fn degrees_survive_to_seven_decimals() {
        let point = Point::from_degrees(-23.550_520_1, -46.633_308_9).expect("on the planet");
        assert_eq!((point.latitude(), point.longitude()), (-23.550_520_1, -46.633_308_9));
    }

    #[test]
    fn the_names_of_levels_are_those_of_the_api() {
        for level in Precision::ALL {
            assert_eq!(serde_json::to_string(&level).expect("a text"), format!("\"{}\"", level.name()));
            assert_eq!(Precision::parse(level.name()), Some(level));
        }
        assert!(Precision::ALL.is_sorted());
    }

    #[test]
    fn marks_stay_with_their_legs() {
        let matrix =
            |marks| DistanceMatrix::new(2, vec![Some(Leg::default()); 4]).map(|matrix| matrix.with_estimated(marks));
        let marked = matrix(vec![false, true, false, false]).expect("a square");
        assert!(marked.is_estimated(0, 1) && !marked.is_estimated(1, 0) && !marked.is_estimated(0, 9));
        assert_eq!(matrix(vec![true; 3]), matrix(vec![]), "marks of another size are none");
    }

    #[test]
    fn a_matrix_must_be_square() {
        assert!(DistanceMatrix::new(2, vec![None; 3]).is_none());
        assert!(DistanceMatrix::new(usize::MAX, vec![]).is_none());
        assert_eq!(DistanceMatrix::new(1, vec![Some(Leg::default())]).and_then(|m| m.leg(0, 0)), Some(Leg::default()));
    }
}
