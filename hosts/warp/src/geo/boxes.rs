//! Boxes of coordinates around places.

use despacho_core::model::Point;
use serde::{Deserialize, Serialize};

/// Kilometres of a degree of latitude.
const DEGREE_KM: f64 = 111.195;

/// A box in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GeoBox {
    pub(crate) south: f64,
    pub(crate) west: f64,
    pub(crate) north: f64,
    pub(crate) east: f64,
}

impl GeoBox {
    /// Parses `south,west,north,east`.
    pub(crate) fn parse(text: &str) -> Result<GeoBox, String> {
        let sides: Vec<f64> = text
            .split(',')
            .map_while(|side| side.trim().parse().ok())
            .collect();
        let error = || {
            format!(
                "{text} is not a box; write south,west,north,east in degrees, such as -23.8,-46.9,-23.3,-46.3"
            )
        };
        let [south, west, north, east] = sides[..] else {
            return Err(error());
        };
        let found = GeoBox {
            south,
            west,
            north,
            east,
        };
        if south < north && west < east && found.corners().is_some() {
            Ok(found)
        } else {
            Err(error())
        }
    }

    /// Returns the box with this distance to each side of a point, in whole units of 10⁻⁴ degrees,
    /// so that stored boxes compare equal.
    pub(crate) fn around(point: Point, km: f64) -> GeoBox {
        let (latitude, longitude) = (point.latitude(), point.longitude());
        let (down, up) = (
            |degrees: f64| (degrees * 1e4).floor() / 1e4,
            |degrees: f64| (degrees * 1e4).ceil() / 1e4,
        );
        let high = km / DEGREE_KM;
        let wide = high / latitude.to_radians().cos().max(0.1);
        GeoBox {
            south: down(latitude - high).max(-90.0),
            west: down(longitude - wide).max(-180.0),
            north: up(latitude + high).min(90.0),
            east: up(longitude + wide).min(180.0),
        }
    }

    /// Returns the south-western and the north-eastern corner.
    pub(crate) fn corners(&self) -> Option<(Point, Point)> {
        Point::from_degrees(self.south, self.west).zip(Point::from_degrees(self.north, self.east))
    }

    pub(crate) fn contains(&self, point: Point) -> bool {
        let (latitude, longitude) = (point.latitude(), point.longitude());
        (self.south..=self.north).contains(&latitude)
            && (self.west..=self.east).contains(&longitude)
    }

    pub(crate) fn square_km(&self) -> f64 {
        let middle = f64::midpoint(self.south, self.north).to_radians();
        (self.north - self.south) * (self.east - self.west) * DEGREE_KM * DEGREE_KM * middle.cos()
    }

    fn overlaps(&self, other: &GeoBox) -> bool {
        self.south <= other.north
            && other.south <= self.north
            && self.west <= other.east
            && other.west <= self.east
    }

    fn joined(&self, other: &GeoBox) -> GeoBox {
        GeoBox {
            south: self.south.min(other.south),
            west: self.west.min(other.west),
            north: self.north.max(other.north),
            east: self.east.max(other.east),
        }
    }
}

/// Joins boxes that overlap, so that no area counts twice.
pub(crate) fn merge(boxes: impl IntoIterator<Item = GeoBox>) -> Vec<GeoBox> {
    let mut merged: Vec<GeoBox> = Vec::new();
    for mut next in boxes {
        while let Some(index) = merged.iter().position(|one| one.overlaps(&next)) {
            next = next.joined(&merged.swap_remove(index));
        }
        merged.push(next);
    }
    merged.sort_by(|one, other| {
        one.south
            .total_cmp(&other.south)
            .then(one.west.total_cmp(&other.west))
    });
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(latitude: f64, longitude: f64) -> GeoBox {
        GeoBox::around(Point::from_degrees(latitude, longitude).unwrap(), 10.0)
    }

    #[test]
    fn boxes_have_their_distance_to_each_side() {
        let found = around(-23.55, -46.63);
        assert!(
            (found.square_km() - 400.0).abs() < 1.0,
            "{found:?} {}",
            found.square_km()
        );
        assert!(
            (found.north - -23.4600).abs() < 1e-9 && (found.west - -46.7282).abs() < 1e-9,
            "{found:?}"
        );
    }

    #[test]
    fn huge_boxes_end_at_the_poles() {
        let found = GeoBox::around(Point::from_degrees(-23.55, -46.63).unwrap(), 30_000.0);
        assert_eq!(
            found,
            GeoBox {
                south: -90.0,
                west: -180.0,
                north: 90.0,
                east: 180.0
            }
        );
        assert!(found.corners().is_some());
    }

    #[test]
    fn overlapping_boxes_are_joined_in_any_order() {
        let (a, b, c) = (
            around(-23.5, -46.6),
            around(-23.5, -46.9),
            around(-23.5, -46.75),
        );
        let far = around(-22.9, -43.2);
        assert_eq!(merge([a, b, far]).len(), 3);
        let joined = merge([a, b, far, c]);
        assert_eq!(
            joined,
            [
                GeoBox {
                    south: a.south,
                    west: b.west,
                    north: a.north,
                    east: a.east
                },
                far
            ]
        );
        assert_eq!(merge([c, far, b, a]), joined);
    }

    #[test]
    fn text_of_a_box_is_checked() {
        let expected = GeoBox {
            south: -23.8,
            west: -46.9,
            north: -23.3,
            east: -46.3,
        };
        assert_eq!(GeoBox::parse("-23.8, -46.9, -23.3, -46.3"), Ok(expected));
        for text in [
            "",
            "1,2,3",
            "-23.3,-46.9,-23.8,-46.3",
            "-23.8,-46.3,-23.3,-46.9",
            "-95,0,1,1",
            "a,b,c,d",
            "1,2,3,4,5",
        ] {
            assert!(
                GeoBox::parse(text)
                    .unwrap_err()
                    .contains("south,west,north,east"),
                "{text}"
            );
        }
    }
}
