//! Points drawn by chance, the same in every run.

use despacho_core::model::Point;

/// A sequence of numbers that look random (splitmix64).
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// The sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    /// The next number, from 0 to below 1.
    pub fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        f64::from(u32::try_from((bits ^ (bits >> 31)) >> 32).unwrap_or(0)) / 4_294_967_296.0
    }

    /// A point of an area, given by its south-western and north-eastern corner.
    pub fn point(&mut self, area: (Point, Point)) -> Option<Point> {
        let (low, high) = area;
        let latitude = low.latitude() + (high.latitude() - low.latitude()) * self.share();
        let longitude = low.longitude() + (high.longitude() - low.longitude()) * self.share();
        Point::from_degrees(latitude, longitude)
    }

    /// The point moved in any direction, by a distance whose median is given (two normal errors, so Rayleigh distributed).
    pub fn moved(&mut self, point: Point, median_m: f64) -> Option<Point> {
        let metres = median_m * (-(1.0 - self.share()).ln() / 2f64.ln()).sqrt();
        let angle = self.share() * std::f64::consts::TAU;
        let degree = 111_195.0;
        let east = metres * angle.sin() / (degree * point.latitude().to_radians().cos());
        Point::from_degrees(point.latitude() + metres * angle.cos() / degree, point.longitude() + east)
    }
}
